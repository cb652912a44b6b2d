import { withShortMonth } from '../../base/short-month.ts';

/** Prints the page, or saves it as a PDF, as the browser asks. */
export const startPrints = (button: HTMLElement) => button.addEventListener('click', () => print());

/** Says on paper when the page is printed. As it came, it says when it was made, in the same words. */
export const startPrinted = (time: HTMLElement) =>
  addEventListener('beforeprint', () => {
    const { zone: timeZone, order, clock } = time.dataset;
    const words = (locale: string, options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat(locale, { ...options, timeZone }).format();
    const usual = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
    const day =
      order === 'YMD'
        ? `${words('en-GB', { weekday: 'short' })} ${words('sv-SE', {})}`
        : withShortMonth(words(order === 'MDY' ? 'en-US' : 'en-GB', usual)).replace(',', '');
    const hour12 = clock === '12';
    const hour = words(hour12 ? 'en-US' : 'en-GB', {
      hour: hour12 ? 'numeric' : '2-digit',
      minute: '2-digit',
      hour12,
    });
    time.textContent = `${day}, ${hour}`;
  });
