import { openDialog } from './dialogs.ts';

const isTyping = (target: EventTarget | null) =>
  target instanceof Element &&
  target.closest(
    'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]',
  ) !== null;

const places: Record<string, string> = {
  h: '/',
  l: '/leads',
  m: '/matters',
  c: '/contacts',
  i: '/inbox',
  t: '/tasks',
  d: '/calendar',
};

let isGoing = false;

/** The keys of every page. The body says whether single letters are switched on. */
export const startKeys = () =>
  document.addEventListener('keydown', (event) => {
    if (event.key === 'k' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      return openPalette();
    }
    if (event.key === 'Escape') return undoEdit(event);
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]')) return tickByLetter(event);
    if (['ArrowDown', 'ArrowUp'].includes(event.key)) return walk(event);
    if (document.body.dataset.letters !== 'off') letter(event);
  });

/**
 * In a list of names to tick, a letter ticks the next name that begins with it, and takes back the
 * one that it ticked before.
 */
const tickByLetter = (event: KeyboardEvent) => {
  const focused = event.target as Element;
  const list = focused.closest('[data-by-letter]');
  if (!list || !/^\p{L}$/u.test(event.key) || document.body.dataset.letters === 'off') return;
  const boxes = [...list.querySelectorAll<HTMLInputElement>('[type=checkbox]')];
  const fitting = boxes.filter((box) =>
    box.labels?.[0]?.textContent?.trim().toLowerCase().startsWith(event.key.toLowerCase()),
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
  const place = isGoing ? places[key] : undefined;
  isGoing = key === 'g' && !isGoing;
  if (place) return follow(`a[href="${place}"]`, event);
  if (event.key === '?') return press(event, () => openDialog('keys'));
  if (key === 'n') return follow('a[href="/leads/new"]', event);
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
const follow = (selector: string, event: KeyboardEvent) => {
  const link = document.querySelector<HTMLAnchorElement>(selector);
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

/** Cancel does what Escape does. */
export const startUndo = () =>
  document.addEventListener('click', (event) => {
    const button = (event.target as Element).closest('[data-undoes]');
    const edit = button?.closest<HTMLDetailsElement>('details.edit');
    if (edit) close(edit);
  });

/** Escape closes the edit with the focus, and restores its value. */
const undoEdit = (event: KeyboardEvent) => {
  const edit = (event.target as Element).closest<HTMLDetailsElement>('details.edit[open]');
  if (!edit) return;
  close(edit);
};

const close = (edit: HTMLDetailsElement) => {
  edit.querySelector('form')?.reset();
  edit.open = false;
  edit.querySelector<HTMLElement>('summary')?.focus();
};
