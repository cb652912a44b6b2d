import { isQuick, pathOf, stepsOf } from '../keys.ts';
import { openDialog, returnsTo } from './dialogs.ts';
import { undoEdit } from './edits.ts';
import { linkIn, rowSelector, rowsOf } from './rows.ts';

const isTyping = (target: EventTarget | null) =>
  target instanceof Element &&
  target.closest(
    'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]',
  ) !== null;

/** Whether G was pressed: the next letter says where to. */
let isGoing = false;

/** When a letter came that was no command here. Those that follow it are a word, typed into nothing. */
let wordAt = Number.NEGATIVE_INFINITY;
const wordMilliseconds = 500;

/** The keys of every page. The body says whether single letters are switched on. */
export const startKeys = () =>
  document.addEventListener('keydown', (event) => {
    if (event.key === 'k' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      return openPalette();
    }
    if (event.altKey || event.defaultPrevented) return;
    // A menu; what the library for dragging leaves open under the pointer is none.
    if (document.querySelector('dialog[open], .menu:popover-open')) return;
    if (isTyping(event.target)) return;
    if (event.ctrlKey || event.metaKey) return isUndo(event) && !isOfWord(event) && undo(event);
    if (event.key === 'Escape') return leaveEdit();
    if (event.key.startsWith('Arrow')) return walk(event);
    if (document.body.dataset.letters !== 'off' && /^[\p{L}?]$/u.test(event.key)) command(event);
  });

const isOfWord = ({ timeStamp }: KeyboardEvent) => timeStamp - wordAt < wordMilliseconds;

/** A letter as a command, unless it comes with a word. */
const command = (event: KeyboardEvent) => {
  const comesWithWord = isOfWord(event);
  if (isQuick(event.key)) return stepsOf(event.key) ? walk(event) : letter(event);
  const isFirst = event.key.toLowerCase() === 'g' && !isGoing;
  if (!comesWithWord || isGoing) letter(event);
  if (!event.defaultPrevented && (comesWithWord || !isFirst)) wordAt = event.timeStamp;
};

/** Ctrl+Z, which is Undo where letters are switched off, too. */
const isUndo = ({ key, shiftKey }: KeyboardEvent) => key.toLowerCase() === 'z' && !shiftKey;

/** Presses the Undo that is offered, once for a key that is held down: some can be undone in turn. */
const undo = (event: KeyboardEvent) => {
  const button = document.querySelector<HTMLElement>('#toast [data-key="z"]');
  if (button) press(event, () => event.repeat || button.click());
};

/** Escape leaves an edit also if the focus has left it. */
const leaveEdit = () => {
  const edit = document.querySelector<HTMLDetailsElement>('main details.edit[open]');
  if (edit) undoEdit(edit);
};

/**
 * In a list of names to tick, a letter ticks the next name that begins with it, and takes back the
 * one that it ticked before.
 */
export const startTickByLetter = (list: HTMLElement) =>
  list.addEventListener('keydown', (event) => tickByLetter(list, event));

const tickByLetter = (list: HTMLElement, event: KeyboardEvent) => {
  const { target: focused, key } = event;
  const button = list.closest('dialog')?.querySelector<HTMLElement>('button.primary');
  if (key === 'Enter' && button) return press(event, () => button.click());
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
  if (key === 'z') return undo(event);
  const alone = pathOf(key);
  if (alone) return follow(alone, event);
  const row = (event.target as Element).closest('[data-row], .card, tbody tr');
  const control = row?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
  if (control) return press(event, () => control.click());
  // The menu of all cards stands once: it does this for the card that has the focus.
  const ofCards = `main .menu [data-key="${CSS.escape(key)}"]`;
  const shared = row?.matches('.card') && document.querySelector<HTMLElement>(ofCards);
  if (shared) return press(event, () => shared.click());
  // What the page of a row's record asks is asked for from the list.
  const asks = row?.closest<HTMLElement>(`[data-asks-at="${CSS.escape(key)}"]`)?.dataset.asks;
  const link = asks && linkIn(row);
  if (link) return press(event, () => location.assign(`${link.pathname}?do=${asks}`));
  const others = `main [data-key="${CSS.escape(key)}"]:not(tbody *, .card *)`;
  const own = [...document.querySelectorAll<HTMLElement>(others)].find((one) =>
    one.checkVisibility(),
  );
  if (own) press(event, () => own.click());
  // What is done with all rows that are ticked was asked for on one of them.
  if (own && row) returnsTo(event.target as HTMLElement);
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
  if (!link) return;
  const isInPlace = link.dataset.script === 'in-dialog';
  press(event, () => (isInPlace ? link.click() : location.assign(link.href)));
};

/**
 * J, K and the arrow keys go from row to row, and from card to card of a stage. From anywhere else
 * they go to the first: arrows only where the list is what the page is for, because they scroll.
 */
const walk = (event: KeyboardEvent) => {
  if (walkCalendar(event)) return event.preventDefault();
  const steps = stepsOf(event.key);
  const focused = event.target as Element;
  if (!steps || focused.closest('[type=radio], .scrolls')) return;
  const row = focused.closest(`main ${rowSelector}`);
  const list = document.getElementById('list');
  if (!row && !list && event.key.startsWith('Arrow')) return;
  const of = row?.closest('[data-stage]') ?? (row ? undefined : list) ?? document;
  const rows = of === document ? rowsOf(of) : [...of.querySelectorAll(rowSelector)];
  const next = row ? rows.indexOf(row) + steps : 0;
  const left = steps > 0 || !row ? rows.slice(next) : rows.slice(0, next + 1).reverse();
  const link = left.map(linkIn).find((one) => one !== undefined);
  if (link) press(event, () => link.focus());
};

/** Keys in the calendar: from day to day, in a week from hour to hour, and to the days before and after. */
const ways: Readonly<Record<string, readonly [down: number, right: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  k: [-1, 0],
  j: [1, 0],
};

/**
 * Does what an arrow, J or K does in the calendar; false if that is nothing. On a day or an hour they go to the one beside
 * it, where Enter adds an event. From elsewhere J goes to today, and the arrows to the sides show other days.
 */
export const walkCalendar = ({ key, target }: KeyboardEvent): boolean => {
  const cell = (target as Element).closest<HTMLTableCellElement>('table.calendar td');
  const way = ways[key.length === 1 ? key.toLowerCase() : key];
  if (!way || (target as Element).closest('[type=radio]')) return false;
  if (cell) return focusIn(beside(cell, way));
  const side = { ArrowLeft: 'prev', ArrowRight: 'next' }[key];
  const link = document.querySelector<HTMLElement>(`main .calendar-bar [rel="${side}"]`);
  if (side) link?.click();
  return side ? link !== null : key.length === 1 && way[0] > 0 && focusIn(todayOrFirst());
};

const beside = (cell: HTMLTableCellElement, [down, right]: readonly [number, number]) => {
  const row = cell.parentElement as HTMLTableRowElement;
  const rows = [...(row.parentElement as HTMLTableSectionElement).rows];
  const next = rows[rows.indexOf(row) + down]?.cells[cell.cellIndex + right];
  return next?.matches('td') ? next : cell;
};

/** Where the keys go in: to today, if it is shown, or to the first day. */
const todayOrFirst = () => {
  const tables = [...document.querySelectorAll<HTMLTableElement>('main table.calendar')];
  const table = tables.find((one) => one.checkVisibility());
  const today = table?.querySelector('[aria-current="date"]')?.closest('th, td');
  const column = today?.matches('th') ? (today as HTMLTableCellElement).cellIndex : undefined;
  // The head of a week names the day; its first hour stands below it.
  if (column !== undefined) return table?.tBodies[0]?.rows[1]?.cells[column];
  return today ?? table?.querySelector('tbody td');
};

/** What adds an event there, or else the day. */
const focusIn = (cell: Element | null | undefined): boolean => {
  const link =
    cell?.querySelector<HTMLElement>('.adds') ?? cell?.querySelector<HTMLElement>('a[href]');
  link?.focus();
  return link !== null && link !== undefined;
};
