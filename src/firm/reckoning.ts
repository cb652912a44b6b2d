/** Days that are counted from another day, as rules of time limits count them. Calendar days only: no clock, no zone. */
import { addDays, dayInMonth, isCalendarDate, isWorkday } from '../base/calendar-date.ts';

export const spanUnits = ['days', 'workingDays', 'weeks', 'months', 'years'] as const;

/** So many units after a day, before it if `amount` is negative. */
export type Span = { amount: number; unit: (typeof spanUnits)[number] };

export const rollings = ['none', 'next', 'last'] as const;

/** Where a day goes that is no working day: it stays, or becomes the next or the last working day. */
export type Rolling = (typeof rollings)[number];

/** Days on which the firm does not work beside Saturdays and Sundays, and their names. */
export type DaysOff = ReadonlyMap<string, string>;

/** A day that is no working day, and the holiday's name; null for a Saturday or Sunday without one. */
export type PassedDay = { day: string; holiday: string | null };

/** How a day was reckoned: the span leads from `from` to `reached`; rolled over the `passed` days, `reached` became `day`. */
export type Reckoned = { from: string; reached: string; passed: PassedDay[]; day: string };

/**
 * Reckons a day from another one, and says how. The day itself does not count: one working day after a Friday is the
 * Monday. Months and years lead to the same day of their month, or to its last one if it has no such day: one month after
 * 31 January is 28 or 29 February, one year after 29 February is 28 February. `daysOff` has to cover all days that are
 * passed. Throws RangeError for a number that is not whole and for a day beyond the years 1 to 9999.
 */
export const reckon = (
  from: string,
  span: Span,
  rolling: Rolling,
  daysOff: DaysOff = new Map(),
): Reckoned => {
  const reached = dayAfter(from, span, daysOff);
  const passed: PassedDay[] = [];
  let day = reached;
  while (rolling !== 'none' && !isWorkday(day, daysOff)) {
    passed.push({ day, holiday: daysOff.get(day) ?? null });
    day = checked(addDays(day, rolling === 'next' ? 1 : -1));
  }
  return { from, reached, passed, day };
};

const dayAfter = (from: string, { amount, unit }: Span, daysOff: DaysOff): string => {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`${amount} is no whole number`);
  if (unit === 'workingDays') return workdayAfter(from, amount, daysOff);
  if (unit === 'days') return checked(addDays(from, amount));
  if (unit === 'weeks') return checked(addDays(from, 7 * amount));
  return monthsAfter(from, unit === 'years' ? 12 * amount : amount);
};

const workdayAfter = (from: string, amount: number, daysOff: DaysOff): string => {
  let day = from;
  for (let left = Math.abs(amount); left > 0; ) {
    day = checked(addDays(day, Math.sign(amount)));
    if (isWorkday(day, daysOff)) left -= 1;
  }
  return day;
};

const monthsAfter = (from: string, amount: number): string => {
  const [year = 0, month = 0, day = 0] = from.split('-').map(Number);
  return checked(dayInMonth(year, month + amount, day));
};

// Years of more than four digits begin with a sign.
const checked = (day: string): string => {
  if (isCalendarDate(day)) return day;
  throw new RangeError('The day is beyond the years 1 to 9999.');
};
