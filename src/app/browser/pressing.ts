let isHeld = false;

/** Whether a mouse button, a finger or Space holds something down now: it acts when it is let go. */
export const isPressing = (): boolean => isHeld;

const waiting: (() => void)[] = [];

/**
 * Calls `then` when what is pressed now was let go, and has acted; or soon, if nothing is. So nothing moves from
 * under the pointer. A finger presses and lets go in one moment.
 */
export const afterPress = (then: () => void) =>
  setTimeout(() => (isHeld ? waiting.push(then) : then()));

/** Begins to notice what is held down. */
export const watchPresses = () => {
  const hold = () => {
    isHeld = true;
  };
  const letGo = () => {
    isHeld = false;
    for (const then of waiting.splice(0)) setTimeout(then);
  };
  const on = <Name extends keyof WindowEventMap>(
    name: Name,
    then: (event: WindowEventMap[Name]) => void,
  ) => window.addEventListener(name, then, { capture: true, passive: true });
  on('pointerdown', ({ button }) => button === 0 && hold());
  on('pointerup', letGo);
  // A mouse that begins to drag holds on; a finger that begins to scroll does not.
  on('pointercancel', ({ pointerType }) => pointerType !== 'mouse' && letGo());
  on('dragend', letGo);
  on('keydown', ({ key }) => key === ' ' && hold());
  on('keyup', letGo);
  // Where it was let go outside of the window, nothing says so. A field that loses the focus is no window.
  on('blur', ({ target }) => target === window && letGo());
  on('pointermove', ({ buttons }) => buttons === 0 && letGo());
};

/**
 * Holds what is typed, and Enter, while what it is meant for is on its way: on the page as it is, letters are commands. Returns
 * what gives them back.
 */
export const holdKeys = () => {
  const held: string[] = [];
  const hold = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !/^(.|Enter)$/u.test(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    held.push(event.key);
  };
  document.addEventListener('keydown', hold, true);
  return () => {
    document.removeEventListener('keydown', hold, true);
    return held;
  };
};

/** Presses the keys where the focus is now. */
export const pressAgain = (held: readonly string[]) => {
  for (const key of held) press(key, document.activeElement);
};

const press = (key: string, at: Element | null) => {
  const pressed = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
  if (!at?.dispatchEvent(pressed) || !(at instanceof HTMLInputElement)) return;
  if (at !== document.activeElement) return;
  if (key === 'Enter') at.form?.requestSubmit();
  else if (at.selectionStart !== null) typeInto(at, key);
};

/**
 * Holds Enter in the comboboxes of a part whose script is on its way: there it takes what is found, and without the
 * script it would send the form. Returns what presses it, also if the focus is in another field by then.
 */
export const holdEnter = (part: HTMLElement) => {
  let held: { at: HTMLInputElement; text: string } | undefined;
  const hold = (event: KeyboardEvent) => {
    const { key, target: at, ctrlKey, metaKey } = event;
    const isHere = at instanceof HTMLInputElement && at.matches('[role=combobox]');
    if (key !== 'Enter' || ctrlKey || metaKey || event.isComposing || !isHere) return;
    event.preventDefault();
    event.stopPropagation();
    held = { at, text: at.value };
  };
  part.addEventListener('keydown', hold, true);
  return () => {
    part.removeEventListener('keydown', hold, true);
    // Who types on has not entered it.
    if (held && held.at.value === held.text) press('Enter', held.at);
  };
};

const typeInto = (input: HTMLInputElement, letter: string) => {
  input.setRangeText(letter, input.selectionStart ?? 0, input.selectionEnd ?? 0, 'end');
  input.dispatchEvent(new Event('input', { bubbles: true }));
};
