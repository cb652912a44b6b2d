import { withShortMonth } from '../../base/short-month.ts';

const dayForms = {
  short: { day: 'numeric', month: 'short' },
  inFull: { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
} as const;

/**
 * The day and the time of a moment, in the words of the server (`moments.tsx`). The `data-` words of a part say how its
 * member has them written: `zone`, `order` and `clock`.
 */
export const momentWords = (
  at: Date,
  form: keyof typeof dayForms,
  { zone: timeZone = 'UTC', order, clock }: DOMStringMap,
): { day: string; time: string } => {
  const words = (locale: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone }).format(at);
  const inNumbers = words('sv-SE', {});
  const inWords = withShortMonth(words(order === 'MDY' ? 'en-US' : 'en-GB', dayForms[form]));
  const weekday = form === 'inFull' ? `${words('en-GB', { weekday: 'short' })} ` : '';
  return {
    day: order === 'YMD' ? weekday + inNumbers : inWords.replace(/^(\p{L}+),/u, '$1'),
    time:
      clock === '12'
        ? words('en-US', { ...hours, hour: 'numeric', hour12: true }).replace('\u202f', ' ')
        : words('en-GB', hours),
  };
};

const hours = { hour: '2-digit', minute: '2-digit' } as const;
