/** Whether a form holds something else than when it came. */
export const isChanged = (form: HTMLFormElement) => changedIn(form).length > 0;

/** The fields of a form that hold something else than when it came. */
export const changedIn = (form: HTMLFormElement) =>
  [...form.elements].filter((one) => {
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
