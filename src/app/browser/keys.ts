import { pathOf } from '../keys.ts';
import { openDialog } from './dialogs.ts';

const isTyping = (target: EventTarget | null) =>
  target instanceof Element &&
  target.closest(
    'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]',
  ) !== null;

let isGoing = false;

/** The keys of every page. The body says whether single letters are switched on. */
export const startKeys = () =>
  document.addEventListener('keydown', (event) => {
    if (event.key === 'k' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      return openPalette();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]')) return;
    if (['ArrowDown', 'ArrowUp'].includes(event.key)) return walk(event);
    if (document.body.dataset.letters !== 'off') letter(event);
  });

/**
 * In a list of names to tick, a letter ticks the next name that begins with it, and takes back the
 * one that it ticked before.
 */
export const startTickByLetter = (list: HTMLElement) =>
  list.addEventListener('keydown', (event) => tickByLetter(list, event));

const tickByLetter = (list: HTMLElement, event: KeyboardEvent) => {
  const { target: focused, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(focused)) return;
  if (!/^\p{L}$/u.test(key) || document.body.dataset.letters === 'off') return;
  const boxes = [...list.querySelectorAll<HTMLInputElement>('[type=checkbox]')];
  const fitting = boxes.filter((box) =>
    box.labels?.[0]?.textContent?.trim().toLowerCase().startsWith(key.toLowerCase()),
  );
  const before = fitting.indexOf(focused as HTMLInputElement);
  const next = fitting[(before + 1) % fitting.length];
  if (!next) return;
  event.preventDefault();
  const last = fitting[before];
  if (last && last !== next && ticked.has(last)) last.checked = false;
  if (!next.checked) ticked.add(next);
  next.checked = true;
  next.focus();
};

/** The boxes that a letter has ticked. */
const ticked = new WeakSet<HTMLInputElement>();

const openPalette = () => {
  if (!openDialog('palette')) location.assign('/search');
};

const letter = (event: KeyboardEvent) => {
  const key = event.key.toLowerCase();
  const path = isGoing ? pathOf('g', key) : undefined;
  isGoing = key === 'g' && !isGoing;
  if (path) return follow(path, event);
  if (event.key === '?') return press(event, () => openDialog('keys'));
  const alone = pathOf(key);
  if (alone) return follow(alone, event);
  const row = (event.target as Element).closest('[data-row], .card, tbody tr');
  const control = row?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
  const own =
    control ??
    document.querySelector<HTMLElement>(
      `main [data-key="${CSS.escape(key)}"]:not(tbody *, .card *)`,
    );
  if (own) press(event, () => own.click());
};

const press = (event: KeyboardEvent, then: () => void) => {
  event.preventDefault();
  then();
};

/**
 * Goes where a link of this page leads. There is no such link if the role does not include the
 * page.
 */
const follow = (path: string, event: KeyboardEvent) => {
  const link = document.querySelector<HTMLAnchorElement>(`a[href="${path}"]`);
  if (link) press(event, () => location.assign(link.href));
};

/** The arrow keys go from row to row, and from card to card. */
const walk = (event: KeyboardEvent) => {
  const focused = event.target as Element;
  const row = focused.closest('.card, tbody tr, .rows > li');
  if (!row) return;
  const next = event.key === 'ArrowDown' ? row.nextElementSibling : row.previousElementSibling;
  const link = next?.querySelector<HTMLElement>('a');
  if (link) press(event, () => link.focus());
};
