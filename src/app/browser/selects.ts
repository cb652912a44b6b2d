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
