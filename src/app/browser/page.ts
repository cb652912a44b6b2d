import { withOneStop } from '../sentence.ts';
import { lineSelector } from './rows.ts';
import { heldIn, putInto, typeAgain, typedIn } from './typed.ts';

/**
 * Announces something to screen readers, and shows it in the corner: for a moment, or longer if it
 * can be undone. It stays while the pointer or the focus is on it. What it was done to, `of`, gets the focus of its Undo if
 * nothing else had it.
 */
export const announce = (
  text: string,
  undo?: () => void,
  of?: () => HTMLElement | null | undefined,
) => {
  toast ??= document.getElementById('toast');
  const place = toast;
  if (!place) return;
  bringIntoReach(place);
  const words = document.createTextNode(withOneStop(text));
  place.replaceChildren(words, ...(undo ? [undoButton(undo, of)] : []));
  const clear = () => {
    if (words.parentNode !== place) return;
    if (place.matches(':hover, :focus-within')) setTimeout(clear, 1_000);
    else place.replaceChildren();
  };
  setTimeout(clear, undo ? 12_000 : 6_000);
};

let toast: HTMLElement | null = null;

/** While a dialog is open, nothing outside of it can be pressed or is read out. */
const bringIntoReach = (place: HTMLElement) => {
  const dialog = [...document.querySelectorAll<HTMLDialogElement>('dialog:modal')].at(-1);
  const around = dialog ?? document.body;
  if (place.parentNode === around) return;
  around.append(place);
  dialog?.addEventListener('close', () => document.body.append(place), { once: true });
};

const undoButton = (undo: () => void, of?: () => HTMLElement | null | undefined) => {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Undo';
  button.dataset.key = 'z';
  const hasLetters = document.body.dataset.letters !== 'off';
  button.setAttribute('aria-keyshortcuts', hasLetters ? 'Z Control+Z' : 'Control+Z');
  // The focus goes back to what it was on when the words appeared, or else to what it came from.
  let origin = document.activeElement as HTMLElement | null;
  button.addEventListener('focus', ({ relatedTarget }) => {
    if (isGone(origin)) origin = relatedTarget as HTMLElement;
  });
  const give = () => {
    const target = isGone(origin) ? of?.() : origin;
    if (target) target.focus({ preventScroll: true });
    else focusTitle();
    undo();
  };
  button.addEventListener('click', give, { once: true });
  return button;
};

const isGone = (element: Element | null) => !element?.isConnected || element === document.body;

/** Notes in the address what the page shows, so that it is shown again; `null` is nothing. */
export const noteInAddress = (name: string, value: string | null) => {
  const address = new URL(location.href);
  if (value === null) address.searchParams.delete(name);
  else address.searchParams.set(name, value);
  history.replaceState(null, '', address);
};

type Renewal = (part: ParentNode) => void;
const renewals: Renewal[] = [];

/** Calls `then` now, and again for every part of the page that is replaced later. */
export const onPart = (then: Renewal) => {
  renewals.push(then);
  then(document);
};

/** Starts what a part needs that came into the page. */
export const startPart = (part: ParentNode) => {
  for (const renew of renewals) renew(part);
};

/**
 * Replaces the page with a newly fetched one. What is typed into its other forms stays; focus and scroll
 * position too, if `keepFocus`.
 */
export const showPage = (text: string, keepFocus: boolean) => {
  const page = new DOMParser().parseFromString(text, 'text/html');
  const [here, next] = [document.querySelector('main'), page.querySelector('main')];
  if (!here || !next) return false;
  const findFocused = keepFocus ? findingAgain(document.activeElement) : undefined;
  const open = [...here.querySelectorAll('dialog[open]')].map(({ id }) => id);
  const scrolled = [...here.querySelectorAll<HTMLElement>('[data-scrolls]')].map(
    (one) => [one.id, one.scrollLeft, one.scrollTop] as const,
  );
  const folds = [...here.querySelectorAll('details.fold[open]')].map(({ id }) => id);
  const edits = editsIn(here);
  const typed = typedIn(here);
  const ticked = [...here.querySelectorAll<HTMLInputElement>('tbody .pick input:checked')];
  const main = document.adoptNode(next);
  here.replaceWith(main);
  document.title = page.title;
  swapCounts(page);
  if (keepFocus) tickAgain(main, new Set(ticked.map(({ value }) => value)));
  typeAgain(main, typed);
  startPart(main);
  for (const [id, left, top] of scrolled) document.getElementById(id)?.scrollTo(left, top);
  if (keepFocus) for (const id of open) openAgain(id);
  for (const id of folds) document.getElementById(id)?.setAttribute('open', '');
  for (const edit of edits) openEdit(edit);
  if (findFocused) focusOn(findFocused());
  return true;
};

/** The rows that are ticked stay ticked. */
const tickAgain = (page: Element, ids: ReadonlySet<string>) => {
  for (const one of page.querySelectorAll<HTMLInputElement>('tbody .pick input')) {
    one.checked = ids.has(one.value);
  }
};

/** What is filled in first in a form or a dialog. */
export const firstFieldIn = (part: ParentNode): HTMLElement | undefined =>
  part.querySelector<HTMLElement>('[autofocus]') ??
  [...part.querySelectorAll<HTMLElement>(':is(input:not([type=hidden]), select, textarea)')].find(
    (one) => one.checkVisibility(),
  );

/** Gives the focus to the page's title, which no Tab reaches. */
export const focusTitle = () => focusOn(titleHere());

const titleHere = () => {
  const title = document.querySelector<HTMLElement>('main h1');
  if (title) title.tabIndex = -1;
  return title;
};

/** Gives the focus to an element, or to the value whose edit had it. */
const focusOn = (element: HTMLElement | null) => {
  const closed = element?.closest('details.edit:not([open])');
  const target = closed?.querySelector<HTMLElement>('summary') ?? element;
  target?.focus({ preventScroll: true });
};

/** Text in edits that are open now. A renewal must not remove it. */
const editsIn = (page: Element) =>
  [...page.querySelectorAll<HTMLElement>('details.edit[open]')].flatMap((edit) => {
    const id = edit.querySelector('summary')?.id;
    return id ? [{ id, held: heldIn(edit) }] : [];
  });

const openEdit = ({ id, held }: ReturnType<typeof editsIn>[number]) => {
  const edit = document.getElementById(id)?.closest<HTMLDetailsElement>('details.edit');
  if (!edit || edit.open) return;
  edit.open = true;
  putInto(edit, held);
};

const openAgain = (id: string) => {
  const dialog = document.getElementById(id);
  if (dialog instanceof HTMLDialogElement && !dialog.open) dialog.showModal();
};

const swapCounts = (page: Document) => {
  const fresh = page.querySelector('[data-unread]');
  if (!fresh) return;
  for (const one of document.querySelectorAll<HTMLElement>('[data-unread]')) {
    one.hidden = (fresh as HTMLElement).hidden;
    one.replaceChildren(...[...fresh.childNodes].map((node) => document.importNode(node, true)));
  }
};

/** How to find the focused element again on the same page, fetched again. */
const findingAgain = (element: Element | null): (() => HTMLElement | null) | undefined => {
  if (element?.matches('main h1')) return titleHere;
  // Why a form could not be sent goes along to the new page.
  if (element?.matches('[data-failed]')) return () => element as HTMLElement;
  const selector = selectorOf(element);
  const inRow = findingInRow(element);
  const button = element instanceof HTMLButtonElement ? findingButton(element) : undefined;
  const find = selector ? () => document.querySelector<HTMLElement>(selector) : button;
  const others = inRow ?? findingChosen(element);
  return (find || others) && (() => find?.() ?? others?.() ?? null);
};

/** Of steps beside each other, the one that was pressed is no button any more: it is the present one. */
const findingChosen = (element: Element | null) => {
  const steps = element?.closest('main ol[aria-label]')?.ariaLabel;
  const present = `main ol[aria-label="${CSS.escape(steps ?? '')}"] [aria-current]`;
  return steps ? () => document.querySelector<HTMLElement>(present) : undefined;
};

/** The button with the same words in a form that sends the same to the same address. */
const findingButton = (button: HTMLButtonElement) => {
  const [words, action, holds] = [button.textContent, actionOf(button), heldBy(button)];
  return () => {
    const all = [...document.querySelectorAll<HTMLButtonElement>('main button')];
    const like = all.filter((one) => one.textContent === words && actionOf(one) === action);
    return like.find((one) => heldBy(one) === holds) ?? (like.length === 1 ? like[0] : undefined);
  };
};

const actionOf = ({ form }: HTMLButtonElement) => form?.getAttribute('action');

/** What a button's form sends, to tell it from others with the same address. */
const heldBy = ({ form }: HTMLButtonElement) => {
  const sent = [...(form ? new FormData(form) : [])].filter(([name]) => name !== 'once');
  return JSON.stringify(sent);
};

/**
 * The control in the same place of the same row. If the row has other controls now, or if it is gone, it is
 * the name: of the row, or of the one that stands in its place. A second press of a key must do nothing
 * else, and nothing to another row.
 */
const findingInRow = (element: Element | null) => {
  const row = element?.closest(rowOf);
  if (!element || !row) return undefined;
  const [at, name] = [rowsNow().indexOf(row), wordOf(row)];
  // Another list may have a row of the same record: a notice of a task, beside the task.
  const list = listOf(row);
  const controls = controlsIn(row);
  const [nth, count] = [controls.indexOf(element as HTMLElement), controls.length];
  return () => {
    const rows = rowsNow();
    const same = rows.find((one) => name && wordOf(one) === name && listOf(one) === list);
    if (same) {
      const now = controlsIn(same);
      const like = now.find((one) => isLike(one, element)) ?? (now.length === count && now[nth]);
      return like || nameOf(same);
    }
    const next = rows[Math.min(at, rows.length - 1)];
    return next ? nameOf(next) : document.querySelector<HTMLElement>('main');
  };
};

const rowOf = `main ${lineSelector}`;
const rowsNow = () => [...document.querySelectorAll(rowOf)];
const listOf = (row: Element) => {
  const list = row.closest('section, form, main');
  return list?.ariaLabel ?? list?.getAttribute('aria-labelledby');
};
const nameOf = (row: Element) => row.querySelector<HTMLElement>('a, summary');
/** What tells a row from the others: where its name leads, or the name itself where it can be changed. */
const wordOf = (row: Element) => nameOf(row)?.getAttribute('href') ?? nameOf(row)?.textContent;
const controlsIn = (row: Element) => [
  ...row.querySelectorAll<HTMLElement>('a, button, input:not([type=hidden]), select'),
];

/** Whether a control of a row does the same as one that it had. */
const isLike = (one: Element, before: Element) => {
  const [now, then] = [one, before].map((of) =>
    [of.tagName, of.getAttribute('name'), of.ariaLabel ?? of.textContent].join(),
  );
  return now === then;
};

const selectorOf = (element: Element | null): string | undefined => {
  if (!element || element === document.body) return undefined;
  if (element.id) return `#${CSS.escape(element.id)}`;
  const foldId = element.matches('summary') && element.parentElement?.id;
  if (foldId) return `#${CSS.escape(foldId)} > summary`;
  const href = element.getAttribute('href');
  if (href) return `main a[href="${CSS.escape(href)}"]`;
  const opens = element.getAttribute('data-opens');
  if (opens) return `main [data-opens="${CSS.escape(opens)}"]`;
  const label = element.getAttribute('aria-label');
  return label ? `main [aria-label="${CSS.escape(label)}"]` : undefined;
};

/** Names the member whose page this is. The server answers a request with it only as them. */
export const asMember = (): Record<string, string> => {
  const { member } = document.body.dataset;
  return member ? { 'x-member': member } : {};
};

let begun = 0;
let newest = { number: 0, text: '' };

/**
 * The page at the present address, fetched again, without a text if that fails; `isAway` if the
 * server gave no answer for the moment. An answer that comes after one that was asked for later is old:
 * the later one takes its place.
 */
export const fetchHere = async (): Promise<{ text?: string; isAway?: true }> => {
  const asked = location.href;
  begun += 1;
  const number = begun;
  const headers = { accept: 'text/html', ...asMember() };
  const answer = await fetch(asked, { headers }).catch(() => undefined);
  if (!answer || answer.status === 429 || answer.status >= 500) return { isAway: true };
  if (!answer.ok || answer.redirected) return {};
  const text = await answer.text().catch(() => undefined);
  if (text === undefined) return { isAway: true };
  if (location.href !== asked) return fetchHere();
  if (number > newest.number) newest = { number, text };
  return { text: newest.text };
};
