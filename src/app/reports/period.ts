import { isCalendarDate } from '../../base/calendar-date.ts';
import { dayWords, type Writing } from '../moments.tsx';

export const periodNames = {
  month: 'This month',
  'last-month': 'Last month',
  quarter: 'This quarter',
  year: 'This year',
  own: 'Choose days…',
} as const;

type PeriodName = keyof typeof periodNames;

/** Days of the firm, `YYYY-MM-DD`, both included, and the name of the period. */
export type Period = { name: PeriodName; from: string; to: string };

const usual: PeriodName = 'quarter';

/**
 * The period that an address asks for: `?period=quarter`, or `?period=own&from=&to=`. Days in the
 * wrong order are swapped. Anything else is this quarter.
 */
export const periodIn = (query: URLSearchParams, today: string): Period => {
  const asked = query.get('period') ?? usual;
  const name = isPeriodName(asked) ? asked : usual;
  if (name !== 'own') return { name, ...daysOf(name, today) };
  const standing = daysOf(usual, today);
  const from = dayIn(query, 'from') ?? standing.from;
  const to = dayIn(query, 'to') ?? standing.to;
  return from <= to ? { name, from, to } : { name, from: to, to: from };
};

const isPeriodName = (text: string): text is PeriodName => Object.hasOwn(periodNames, text);

const dayIn = (query: URLSearchParams, name: string) => {
  const text = query.get(name);
  return isCalendarDate(text) ? text : undefined;
};

/** The days of a period until today, or until its end if that is past. */
const daysOf = (name: Exclude<PeriodName, 'own'>, today: string) => {
  const [year = 0, month = 1] = today.split('-').map(Number);
  switch (name) {
    case 'month':
      return { from: dayOf(year, month, 1), to: today };
    case 'last-month':
      return { from: dayOf(year, month - 1, 1), to: dayOf(year, month, 0) };
    case 'quarter':
      return { from: dayOf(year, month - ((month - 1) % 3), 1), to: today };
    case 'year':
      return { from: dayOf(year, 1, 1), to: today };
  }
};

/**
 * A day from numbers that may overflow: month 0 is last December, day 0 is the last day of the
 * month before.
 */
const dayOf = (year: number, month: number, day: number) =>
  new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);

/** A day in words, always with its year. */
export const dayWithYear = (day: string, writing: Writing): string =>
  dayWords(day, '0000', writing);
