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
  for (const key of held) {
    const at = document.activeElement;
    const pressed = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
    if (!at?.dispatchEvent(pressed) || !(at instanceof HTMLInputElement)) continue;
    if (key === 'Enter') at.form?.requestSubmit();
    else if (at.selectionStart !== null) typeInto(at, key);
  }
};

const typeInto = (input: HTMLInputElement, letter: string) => {
  input.setRangeText(letter, input.selectionStart ?? 0, input.selectionEnd ?? 0, 'end');
  input.dispatchEvent(new Event('input', { bubbles: true }));
};
