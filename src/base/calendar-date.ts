import { invalidField } from './refusal.ts';
import { remembering } from './remembering.ts';
import { mustBeDay } from './rule.ts';

const form = /^(\d{4})-(\d{2})-(\d{2})$/;

/**
 * Whether a value is exactly YYYY-MM-DD and a real day, from year 0001 on (Postgres has no year 0).
 */
export const isCalendarDate = (value: unknown): value is string => {
  const [, year, month, day] = (typeof value === 'string' && form.exec(value)) || [];
  if (!year || !month || !day || year === '0000') return false;
  // setUTCFullYear, since Date.UTC reads the years 0 to 99 as 1900 to 1999.
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day);
};

const dayFormats = new Map<string, Intl.DateTimeFormat>();
const dayKnown = remembering<string>(5_000);

/** The calendar day, `YYYY-MM-DD`, that a moment falls on in a time zone given by its IANA name. */
export const dayIn = (at: Date, timeZone: string): string =>
  // A list asks for the same moment in each of its rows, and a format takes as long as the row.
  dayKnown(`${at.getTime()} ${timeZone}`, () => {
    const [day, month, year = ''] = dayFormatOf(timeZone).format(at).split('/');
    return `${year.padStart(4, '0')}-${month}-${day}`;
  });

/** The day that it is now in a time zone given by its IANA name. */
export const todayIn = (timeZone: string): string => dayIn(new Date(), timeZone);

/** Formats are slow to make, and few. */
const dayFormatOf = (timeZone: string) => {
  const format =
    dayFormats.get(timeZone) ??
    new Intl.DateTimeFormat('en-GB', {
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      timeZone,
    });
  dayFormats.set(timeZone, format);
  return format;
};

/** The calendar day this many days after another; before it if `days` is negative. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);

/** How many days there are between two calendar days. */
export const daysBetween = (from: string, to: string) =>
  Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000);

/** A day of a month that may be counted beyond December or before January; the month's last if it has no such day. */
export const dayInMonth = (year: number, month: number, day: number): string => {
  const last = new Date(0);
  // Day 0 of the next month.
  last.setUTCFullYear(year, month, 0);
  last.setUTCDate(Math.min(day, last.getUTCDate()));
  return last.toISOString().slice(0, 10);
};

/** Whether a day is a working day: no Saturday, no Sunday, and none of the `daysOff`. */
export const isWorkday = (day: string, daysOff: { has(day: string): boolean }): boolean =>
  !daysOff.has(day) && new Date(`${day}T00:00:00Z`).getUTCDay() % 6 !== 0;

/** Throws `Refusal` invalid_request for the field unless it holds a calendar date, `YYYY-MM-DD`. */
export const checkDay = (field: string, day: string) => {
  if (!isCalendarDate(day)) throw invalidField(field, mustBeDay);
};
