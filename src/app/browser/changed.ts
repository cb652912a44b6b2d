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
