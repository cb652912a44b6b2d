import { linkIn, rowSelector, rowsOf } from './rows.ts';

/** What had the focus when a page was left. */
type Left = {
  /** The page's address, and what was opened from it. */
  from: string;
  next?: string;
  /** Which link, button or field it was, with its words, and in which row or card; -1 if in none. */
  what: string;
  words?: string;
  at: number;
};

const place = 'left';
const most = 20;

/**
 * Who comes back to a page, by Back, by Cancel or when something is done, finds the focus where they left it: on the
 * row, the card, or the button. A page that is opened anew begins at its beginning.
 */
export const startReturning = () => {
  const left = leftHere();
  if (left) giveBack(left);
  window.addEventListener('pagehide', note);
};

const leftHere = () => {
  const before = document.referrer;
  const all = kept();
  const [last] = all;
  if (last?.from === before && !last.next) keep([{ ...last, next: here() }, ...all.slice(1)]);
  if (/^(back_forward|reload)$/.test(typeOf())) return all.find(({ from }) => from === here());
  // A form that is opened again begins at its first field.
  const first = [...document.querySelectorAll('[autofocus]')];
  if (first.some((one) => one.checkVisibility())) return undefined;
  // A form leads back to its page, or to the page from which it was opened, often with other words in the address.
  const isBefore = ({ from, next }: Left) => before !== '' && [from, next].includes(before);
  const isHere = ({ from }: Left) => new URL(from).pathname === location.pathname;
  return all.find((one) => isBefore(one) && isHere(one));
};

const typeOf = () =>
  (performance.getEntriesByType('navigation') as PerformanceNavigationTiming[])[0]?.type ?? '';

const here = () => location.href.replace(/#.*/, '');

/** If its row is gone, the one that stands in its place has the focus. Of several with one address, the words say which. */
const giveBack = ({ what, words, at }: Left) => {
  const links = rowsOf(document).map(linkIn);
  const controls = [...document.querySelectorAll<HTMLElement>('main :is(a, button, select)')];
  const same = [...links, ...controls].filter(
    (one) => one?.checkVisibility() && nameOf(one) === what,
  );
  const [first] = same;
  (
    same.find((one) => wordsOf(one) === words) ??
    first ??
    (at < 0 ? undefined : (links[at] ?? links.at(-1)))
  )?.focus();
};

const note = () => {
  const rows = rowsOf(document);
  const focused = document.activeElement;
  // A menu of all cards stands beside them, and leads to the page of one.
  const path = focused instanceof HTMLAnchorElement ? focused.pathname : '';
  const row =
    focused?.closest(`main ${rowSelector}`) ?? rows.find((one) => linkIn(one)?.pathname === path);
  const own = focused?.closest('main :is(a, button, select):not([popover] *)');
  const left = own ?? linkIn(row);
  const what = nameOf(left);
  const others = kept().filter(({ from }) => from !== here());
  const at = row ? rows.indexOf(row) : -1;
  keep(what ? [{ from: here(), what, words: wordsOf(left), at }, ...others] : others);
};

const nameOf = (control: Element | null | undefined): string => {
  if (control instanceof HTMLAnchorElement) return control.href;
  if (control instanceof HTMLSelectElement) return control.name;
  if (!(control instanceof HTMLButtonElement)) return '';
  return `${control.form?.getAttribute('action')} ${control.textContent.trim()}`;
};

const wordsOf = (control: Element | null | undefined): string => control?.textContent.trim() ?? '';

const keep = (all: readonly Left[]) =>
  sessionStorage.setItem(place, JSON.stringify(all.slice(0, most)));

const kept = () => JSON.parse(sessionStorage.getItem(place) ?? '[]') as Left[];
