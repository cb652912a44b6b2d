/** Chooses the browser's time zone in a form that asks for one, until somebody chooses another. */
export const startZone = (part: HTMLElement) => {
  const select = part.querySelector('select');
  if (!select || document.querySelector('[role=alert]')) return;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const known = [...select.options].some(({ value }) => value === timeZone);
  if (known) select.value = timeZone;
};
