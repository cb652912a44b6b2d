import { announce, asMember, noteInAddress, showPage } from './page.ts';

/** Filters apply at once. */
export const startFilters = (form: HTMLFormElement) =>
  form.addEventListener('change', () => form.requestSubmit());

/** What was chosen last on this page, which a renewal does not forget: a row, or all that match. */
const chosen: { row?: string; every?: string | undefined } = {};

/** Ticked rows are counted, one box ticks all, and with Shift all in between. */
export const startPicks = (form: HTMLFormElement) => {
  const rows = [...form.querySelectorAll<HTMLInputElement>('tbody .pick input')];
  const every = form.querySelector<HTMLElement>('[data-every]')?.dataset.every;
  // The head's box was ticked before this script had come: later it agrees with the rows.
  if (headIn(form)?.checked && tickedIn(form) === 0) tickAll(form, true);
  // If their number has changed, one is asked again.
  const isEvery = every !== undefined && every === chosen.every;
  count(form, isEvery && rows.length > 0 && tickedIn(form) === rows.length);
  form.addEventListener('click', ({ target, shiftKey }) => {
    if ((target as Element).closest('[data-clears]')) clear(form);
    if ((target as Element).closest('[data-every]')) chooseEvery(form);
    const counted = (target as Element).closest<HTMLElement>('[data-counts]')?.dataset.counts;
    if (counted) void countEvery(counted);
    if (!(target instanceof HTMLInputElement) || !target.matches('tbody .pick input')) return;
    const last = rows.find(({ value }) => value === chosen.row);
    if (shiftKey && last) tickBetween(form, last, target);
    chosen.row = target.value;
  });
  form.addEventListener('change', ({ target }) => {
    if (target === headIn(form)) tickAll(form, (target as HTMLInputElement).checked);
    count(form);
  });
};

/** A strip that a phone scrolls sideways shows its present entry. */
export const startStrip = (strip: HTMLElement) => {
  const entry = strip.querySelector<HTMLElement>('[aria-current]');
  if (!entry || strip.scrollWidth <= strip.clientWidth) return;
  const middle = entry.offsetLeft - strip.offsetLeft + entry.offsetWidth / 2;
  strip.scrollLeft = middle - strip.clientWidth / 2;
};

/** A phone shows one column of the roles. The address and the form say which. */
export const startRolePick = (select: HTMLSelectElement) =>
  select.addEventListener('change', () => {
    const role = select.value;
    for (const cell of document.querySelectorAll<HTMLElement>('main [data-column]')) {
      cell.classList.toggle('shown', cell.dataset.column === role);
    }
    const stored = document.querySelector<HTMLInputElement>('.matrix-form [name="role"]');
    if (stored) stored.value = role;
    noteInAddress('role', role);
  });

/** Opening a notice marks it as read. */
export const startReads = (link: HTMLElement) =>
  link.addEventListener('click', () => void fetch(`/inbox/${link.dataset.reads}/read`, readNow));

const readNow: RequestInit = {
  method: 'POST',
  body: new URLSearchParams(),
  headers: { 'x-sent-by': 'page' },
  keepalive: true,
};

/** Ticks or unticks the rows from one to another, as the second is now. */
const tickBetween = (form: HTMLElement, from: HTMLInputElement, to: HTMLInputElement) => {
  const all = [...form.querySelectorAll<HTMLInputElement>('tbody .pick input')];
  const [first = 0, end = 0] = [all.indexOf(from), all.indexOf(to)].toSorted((a, b) => a - b);
  for (const one of all.slice(first, end + 1)) one.checked = to.checked;
};

const clear = (form: HTMLElement) => {
  const first = form.querySelector<HTMLInputElement>('tbody .pick input:checked');
  for (const one of form.querySelectorAll<HTMLInputElement>('.pick input')) one.checked = false;
  count(form);
  first?.focus();
};

const tickAll = (form: HTMLElement, isTicked: boolean) => {
  for (const one of form.querySelectorAll<HTMLInputElement>('tbody .pick input')) {
    one.checked = isTicked;
  }
};

/** Chooses all that match, also those on other pages. Another tick takes that back. */
const chooseEvery = (form: HTMLElement) => {
  tickAll(form, true);
  count(form, true);
  form.querySelector<HTMLElement>('.bulk .button')?.focus();
};

/** Has all that match counted, which the list itself does not do, and chooses them. */
const countEvery = async (address: string) => {
  const headers = { accept: 'text/html', ...asMember() };
  const answer = await fetch(address, { headers }).catch(() => undefined);
  const text = answer?.ok && !answer.redirected ? await answer.text() : undefined;
  if (text === undefined) return announce('The server does not answer. Try again.');
  history.replaceState(null, '', address);
  showPage(text, true);
  const every = document.querySelector<HTMLElement>('form.picked [data-every]');
  const form = every?.closest('form');
  if (form) chooseEvery(form);
};

const count = (picked: HTMLElement, isEvery = false) => {
  const every = picked.querySelector<HTMLButtonElement>('[data-every]');
  const total = every?.previousElementSibling as HTMLInputElement | null | undefined;
  if (every) every.hidden = isEvery;
  if (total) total.disabled = !isEvery;
  chosen.every = isEvery ? every?.dataset.every : undefined;
  const ticked = isEvery && every ? every.dataset.every : tickedIn(picked);
  const words = picked.querySelector('.bulk b');
  if (words) words.textContent = `${ticked} selected`;
  // The questions stand beside the form, and say it too: what was ticked for the last one is still ticked.
  for (const one of document.querySelectorAll<HTMLElement>('[data-picked]')) {
    one.textContent = `${ticked} ${Number(ticked) === 1 ? 'is' : 'are'} selected.`;
    one.hidden = false;
  }
  const bar = picked.querySelector<HTMLElement>('.bulk');
  if (bar) bar.hidden = ticked === 0;
  const head = headIn(picked);
  if (head)
    head.checked = tickedIn(picked) > 0 && !picked.querySelector('tbody .pick input:not(:checked)');
};

/** The box that ticks all rows. */
const headIn = (picked: HTMLElement) => picked.querySelector<HTMLInputElement>('thead .pick input');

const tickedIn = (picked: HTMLElement) =>
  picked.querySelectorAll('tbody .pick input:checked').length;

/** A list with groups shows only the group that is chosen in another list of the form. */
export const startNarrow = (list: HTMLSelectElement) => {
  narrow(list);
  list.form?.addEventListener('change', () => narrow(list));
};

const narrow = (list: HTMLSelectElement) => {
  const by = list.form?.elements.namedItem(list.dataset.narrowedBy ?? '');
  if (!(by instanceof HTMLSelectElement)) return;
  for (const group of list.querySelectorAll<HTMLOptGroupElement>('optgroup')) {
    const isHere = group.dataset.of === by.value;
    group.hidden = !isHere;
    group.disabled = !isHere;
  }
  const first = list.querySelector<HTMLOptionElement>('optgroup:not([disabled]) option');
  if (list.dataset.first !== undefined) nameFirst(list.options[0], first);
  if (!list.selectedOptions[0]?.closest('optgroup[disabled]')) return;
  list.value = list.dataset.takesFirst === undefined ? '' : (first?.value ?? '');
};

/** No choice means the group's first: it is named where the group is known, `Intake (first stage)`. */
const nameFirst = (none: HTMLOptionElement | undefined, first: HTMLOptionElement | null) => {
  if (!none) return;
  none.dataset.words ??= none.text;
  none.text = first ? `${first.text} (first stage)` : none.dataset.words;
};

/** Chooses the browser's time zone in a form that asks for one, until somebody chooses another. */
export const startZone = (part: HTMLElement) => {
  const select = part.querySelector('select');
  if (!select || document.querySelector('[role=alert]')) return;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const known = [...select.options].some(({ value }) => value === timeZone);
  if (known) select.value = timeZone;
};
