import { momentWords } from './moment-words.ts';

/** Prints the page, or saves it as a PDF, as the browser asks. */
export const startPrints = (button: HTMLElement) => button.addEventListener('click', () => print());

/** Says on paper when the page is printed. As it came, it says when it was made, in the same words. */
export const startPrinted = (part: HTMLElement) =>
  addEventListener('beforeprint', () => {
    const { day, time } = momentWords(new Date(), 'inFull', part.dataset);
    part.textContent = `${day}, ${time}`;
  });
