/** Chooses the browser's time zone in a form that asks for one, until somebody chooses another. */
export const startZone = () => {
  const select = document.querySelector<HTMLSelectElement>('[data-guesses-zone] select');
  if (!select || document.querySelector('[role=alert]')) return;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const known = [...select.options].some(({ value }) => value === timeZone);
  if (known) select.value = timeZone;
};
