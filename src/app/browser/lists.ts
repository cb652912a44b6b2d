import { noteInAddress } from './page.ts';

/** Filters apply at once. */
export const startFilters = (form: HTMLFormElement) =>
  form.addEventListener('change', () => form.requestSubmit());

/** Ticked rows are counted, and one box ticks all. */
export const startPicks = (form: HTMLFormElement) => {
  count(form);
  form.addEventListener('change', ({ target }) => {
    const control = target as HTMLInputElement;
    if (control.matches('thead .pick input')) tickAll(form, control.checked);
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

const tickAll = (form: HTMLElement, isTicked: boolean) => {
  for (const one of form.querySelectorAll<HTMLInputElement>('tbody .pick input')) {
    one.checked = isTicked;
  }
};

const count = (picked: HTMLElement) => {
  const ticked = picked.querySelectorAll('tbody .pick input:checked').length;
  const words = picked.querySelector('.bulk b');
  if (words) words.textContent = `${ticked} selected`;
  const bar = picked.querySelector<HTMLElement>('.bulk');
  if (bar) bar.hidden = ticked === 0;
};
