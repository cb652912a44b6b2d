/** A menu opens beside its button, and arrow keys move through it. */
export const startMenu = (menu: HTMLElement) => {
  menu.addEventListener('toggle', ({ newState }) => newState === 'open' && placeMenu(menu));
  menu.addEventListener('keydown', (event) => walk(menu, event));
};

/** The button of a menu. If several buttons share a menu, it is the one that opened it. */
export const buttonOf = (menu: Element) => {
  const id = CSS.escape(menu.id);
  return document.querySelector<HTMLElement>(`[popovertarget="${id}"], [aria-controls="${id}"]`);
};

/** A menu reports late that it is open: keys may have moved on in it. */
const focusFirst = (menu: Element) => {
  if (menu.contains(document.activeElement)) return;
  (menu.querySelector<HTMLElement>('[autofocus]') ?? itemsIn(menu)[0])?.focus();
};

const itemsIn = (menu: Element) =>
  [...menu.querySelectorAll<HTMLElement>('[role^=menuitem], .item')].filter((one) =>
    one.checkVisibility(),
  );

/** Puts an open menu beside its button, and the focus into it. */
export const placeMenu = (menu: HTMLElement) => {
  const button = buttonOf(menu);
  if (!button || matchMedia('(max-width: 640px)').matches) return focusFirst(menu);
  const [from, box] = [button.getBoundingClientRect(), menu.getBoundingClientRect()];
  const fits = from.left + box.width + 8 <= innerWidth;
  const left = fits ? from.left : from.right - box.width;
  const isBelow = from.bottom + 4 + box.height < innerHeight || from.top < box.height;
  menu.style.left = `${Math.max(8, left)}px`;
  menu.style.top = `${isBelow ? from.bottom + 4 : from.top - box.height - 4}px`;
  menu.style.right = 'auto';
  focusFirst(menu);
};

const steps: Record<string, (at: number, all: number) => number> = {
  ArrowDown: (at, all) => (at + 1) % all,
  ArrowUp: (at, all) => (at - 1 + all) % all,
  Home: () => 0,
  End: (_, all) => all - 1,
};

const walk = (menu: HTMLElement, event: KeyboardEvent) => {
  const step = steps[event.key];
  if (event.key === 'Tab') menu.hidePopover();
  const items = itemsIn(menu);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const letter = event.key.length === 1 && !event.ctrlKey && !event.metaKey ? event.key : '';
  const next = step
    ? items[step(at, items.length)]
    : letter && items.find((one) => one.textContent?.trim().toLowerCase().startsWith(letter));
  if (!next) return;
  event.preventDefault();
  next.focus();
};
