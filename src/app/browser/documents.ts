/** The script of the documents for integrators. They can be read without it. */
import { startTry } from './try.ts';

document.documentElement.classList.add('scripted');

const languageName = 'documents-language';

/** Shows every sample in the language that was chosen in one of them, on the next page too. */
const showLanguage = (language: string) => {
  for (const radio of document.querySelectorAll<HTMLInputElement>('.sample input[type="radio"]'))
    if (radio.value === language) radio.checked = true;
};

const known = localStorage.getItem(languageName);
if (known) showLanguage(known);

document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.closest('.sample')) return;
  showLanguage(target.value);
  localStorage.setItem(languageName, target.value);
});

/** Copies the code of the sample that shows. */
const copy = async (button: HTMLElement) => {
  const codes = [...(button.closest('.sample')?.querySelectorAll('pre') ?? [])];
  const shown = codes.find((code) => code.offsetParent !== null);
  if (!shown) return;
  getSelection()?.selectAllChildren(shown);
  try {
    // Only secure connections have a clipboard; the older command copies what is selected.
    if (navigator.clipboard) await navigator.clipboard.writeText(shown.textContent ?? '');
    else if (!document.execCommand('copy')) throw new Error('not copied');
    say('Copied.');
  } catch {
    say('Copying did not work. The text is selected: press Ctrl+C.');
  }
};

const say = (words: string) => {
  const toast = document.getElementById('toast');
  if (!toast) return;
  toast.textContent = words;
  setTimeout(() => toast.textContent === words && toast.replaceChildren(), 6_000);
};

for (const button of document.querySelectorAll<HTMLElement>('[data-script="copy-code"]'))
  button.addEventListener('click', () => copy(button));

for (const form of document.querySelectorAll<HTMLFormElement>('[data-script="try"]'))
  startTry(form);

// The key / leads to the search, as in the application.
document.addEventListener('keydown', (event) => {
  const isTyping = (event.target as Element).closest(
    'input:not([type=radio], [type=checkbox]), textarea, select',
  );
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  document.getElementById('q')?.focus();
});

/** Marks the heading that is read now among those beside the page. */
const links = new Map(
  [...document.querySelectorAll<HTMLAnchorElement>('.toc a')].map((link) => [
    decodeURIComponent(link.hash.slice(1)),
    link,
  ]),
);
const followed = new IntersectionObserver(
  (entries) => {
    const [entry] = entries.filter(({ isIntersecting }) => isIntersecting);
    if (!entry) return;
    for (const link of links.values()) link.removeAttribute('aria-current');
    links.get(entry.target.id)?.setAttribute('aria-current', 'true');
  },
  { rootMargin: '-56px 0px -70% 0px' },
);
for (const heading of document.querySelectorAll('.text h2[id]'))
  if (links.has(heading.id)) followed.observe(heading);

const showWhereWeAre = () =>
  document.querySelector('.docs-side [aria-current]')?.scrollIntoView({ block: 'nearest' });
showWhereWeAre();
// On a narrow screen the contents open later.
document.getElementById('contents')?.addEventListener('toggle', showWhereWeAre);
