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
  if (!list.selectedOptions[0]?.closest('optgroup[disabled]')) return;
  const first = list.querySelector<HTMLOptionElement>('optgroup:not([disabled]) option');
  list.value = list.dataset.takesFirst === undefined ? '' : (first?.value ?? '');
};

/** Chooses the browser's time zone in a form that asks for one, until somebody chooses another. */
export const startZone = (part: HTMLElement) => {
  const select = part.querySelector('select');
  if (!select || document.querySelector('[role=alert]')) return;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const known = [...select.options].some(({ value }) => value === timeZone);
  if (known) select.value = timeZone;
};
