import { onPart } from './page.ts';

/** A list with groups shows only the group that is chosen in another list of the form. */
export const startNarrowing = () => {
  onPart((part) => {
    for (const one of part.querySelectorAll<HTMLSelectElement>('[data-narrowed-by]')) narrow(one);
  });
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLSelectElement) || !target.form) return;
    const name = CSS.escape(target.name);
    const selector = `[data-narrowed-by="${name}"]`;
    for (const one of target.form.querySelectorAll<HTMLSelectElement>(selector)) narrow(one);
  });
};

const narrow = (list: HTMLSelectElement) => {
  const by = list.form?.elements.namedItem(list.dataset.narrowedBy ?? '');
  if (!(by instanceof HTMLSelectElement)) return;
  for (const group of list.querySelectorAll<HTMLOptGroupElement>('optgroup')) {
    const isHere = group.dataset.of === by.value;
    group.hidden = !isHere;
    group.disabled = !isHere;
  }
  if (list.selectedOptions[0]?.closest('optgroup[disabled]')) list.value = '';
};
