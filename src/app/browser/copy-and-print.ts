import { momentWords } from './moment-words.ts';
import { announce } from './page.ts';

/** Copies what a button names, and says so. */
export const startCopy = (button: HTMLElement) =>
  button.addEventListener('click', () => {
    const text = document.getElementById(button.dataset.copies ?? '');
    if (text) void copy(text);
  });

const copy = async (element: HTMLElement) => {
  getSelection()?.selectAllChildren(element);
  const lines = [...element.querySelectorAll('li')].map((item) => item.textContent?.trim() ?? '');
  const text = lines.length > 0 ? lines.join('\n') : (element.textContent?.trim() ?? '');
  try {
    // Only secure connections have a clipboard; the older command copies what is selected.
    if (navigator.clipboard) await navigator.clipboard.writeText(text);
    else if (!document.execCommand('copy')) throw new Error('not copied');
    announce('Copied.');
  } catch {
    announce('Copying did not work. The text is selected: press Ctrl+C.');
  }
};

/** Prints the page, or saves it as a PDF, as the browser asks. */
export const startPrints = (button: HTMLElement) => button.addEventListener('click', () => print());

/** Says on paper when the page is printed. As it came, it says when it was made, in the same words. */
export const startPrinted = (part: HTMLElement) =>
  addEventListener('beforeprint', () => {
    const { day, time } = momentWords(new Date(), 'inFull', part.dataset);
    part.textContent = `${day}, ${time}`;
  });
