import { noteInAddress, onPart } from './page.ts';

/** Lists: filters apply at once, ticked rows are counted, one box ticks all. */
export const startLists = () => {
  document.addEventListener('change', (event) => {
    const control = event.target as HTMLInputElement;
    const filters = control.closest<HTMLFormElement>('[data-filters]');
    if (filters) return filters.requestSubmit();
    if (control.matches('[data-picks-all]')) tickAll(control);
    const picked = control.closest<HTMLElement>('[data-picked]');
    if (picked) count(picked);
    if (control.matches('[data-picks-column]')) pickColumn(control.value);
    const goes = control.closest<HTMLSelectElement>('select[data-goes]');
    if (goes) location.assign(goes.value);
  });
  // Opening a notice marks it as read.
  document.addEventListener('click', (event) => {
    const notice = (event.target as Element).closest<HTMLElement>('a[data-reads]')?.dataset.reads;
    if (notice) void fetch(`/inbox/${notice}/read`, readNow);
  });
  onPart((part) => {
    for (const one of part.querySelectorAll<HTMLElement>('[data-picked]')) count(one);
    for (const one of part.querySelectorAll<HTMLElement>(stripped)) centre(one);
  });
};

/** The present entry of a strip that a phone scrolls sideways. */
const stripped = '.sections > [aria-current], .tabs > [aria-current]';

const centre = (entry: HTMLElement) => {
  const strip = entry.parentElement;
  if (!strip || strip.scrollWidth <= strip.clientWidth) return;
  const middle = entry.offsetLeft - strip.offsetLeft + entry.offsetWidth / 2;
  strip.scrollLeft = middle - strip.clientWidth / 2;
};

/** A phone shows one column of the roles. The address and the form say which. */
const pickColumn = (role: string) => {
  for (const cell of document.querySelectorAll<HTMLElement>('main [data-column]')) {
    cell.classList.toggle('shown', cell.dataset.column === role);
  }
  const stored = document.querySelector<HTMLInputElement>('.matrix-form [name="role"]');
  if (stored) stored.value = role;
  noteInAddress('role', role);
};

const readNow: RequestInit = {
  method: 'POST',
  body: new URLSearchParams(),
  headers: { 'x-sent-by': 'page' },
  keepalive: true,
};

const tickAll = (head: HTMLInputElement) => {
  const table = head.closest('table');
  for (const one of table?.querySelectorAll<HTMLInputElement>('tbody .pick input') ?? []) {
    one.checked = head.checked;
  }
};

const count = (picked: HTMLElement) => {
  const ticked = picked.querySelectorAll('tbody .pick input:checked').length;
  const words = picked.querySelector('[data-picked-count]');
  if (words) words.textContent = `${ticked} selected`;
  const bar = picked.querySelector<HTMLElement>('.bulk');
  if (bar) bar.hidden = ticked === 0;
};
