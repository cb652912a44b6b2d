/**
 * Values that are edited in place are saved by Enter, or when the focus leaves them. Escape undoes
 * the edit (`keys.ts`). Notes and other long texts have a button.
 */
export const startEdits = () => {
  // Some browsers do not focus a pressed button. Pressing Cancel must not count as leaving the
  // field.
  let pressed: Node | undefined;
  document.addEventListener(
    'pointerdown',
    ({ target }) => {
      pressed = target instanceof Node ? target : undefined;
      setTimeout(() => (pressed = undefined));
    },
    { capture: true },
  );
  document.addEventListener('focusout', ({ target, relatedTarget }) => {
    const form = inPlace(target);
    const goesTo = relatedTarget instanceof Node ? relatedTarget : (pressed ?? null);
    // If the window loses the focus, the field was not left.
    if (!form || form.closest('details')?.contains(goesTo) || !document.hasFocus()) return;
    setTimeout(() => leave(form));
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLSelectElement)) return;
    const form = inPlace(event.target);
    if (!form) return;
    event.preventDefault();
    form.requestSubmit();
  });
};

const inPlace = (target: EventTarget | null) =>
  target instanceof Element
    ? target.closest<HTMLFormElement>('details.edit[open]:not(.stays) > form.in-place')
    : null;

/** Saves a changed value. An edit without a change closes. */
const leave = (form: HTMLFormElement) => {
  const edit = form.closest('details');
  if (!form.isConnected || !edit?.open || form.querySelector('[role=alert]')) return;
  if (isChanged(form)) form.requestSubmit();
  else edit.open = false;
};

/** Whether a form holds something else than when it came. */
export const isChanged = (form: HTMLFormElement) =>
  [...form.elements].some((one) => {
    if (one instanceof HTMLSelectElement) return isOtherChoice(one);
    if (one instanceof HTMLTextAreaElement) return one.value !== one.defaultValue;
    if (!(one instanceof HTMLInputElement) || one.type === 'hidden') return false;
    return ['checkbox', 'radio'].includes(one.type)
      ? one.checked !== one.defaultChecked
      : one.value !== one.defaultValue;
  });

const isOtherChoice = (list: HTMLSelectElement) => {
  const options = [...list.options];
  const wasSaid = options.some((option) => option.defaultSelected);
  if (!wasSaid && !list.multiple) return list.selectedIndex > 0;
  return options.some((option) => option.selected !== option.defaultSelected);
};
