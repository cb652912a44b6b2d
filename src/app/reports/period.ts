import { isCalendarDate } from '../../base/calendar-date.ts';

/** The periods that a report can be asked for, by their names in the address. */
export const periodNames = {
  month: 'This month',
  'last-month': 'Last month',
  quarter: 'This quarter',
  year: 'This year',
  own: 'Choose days…',
} as const;

type PeriodName = keyof typeof periodNames;

/** Days of the firm, both included, `YYYY-MM-DD`; and by which of the names they were chosen. */
export type Period = { name: PeriodName; from: string; to: string };

const usual: PeriodName = 'quarter';

/**
 * The period that an address asks for by `?period=quarter`, or by `?period=own&from=&to=`. Days in the
 * wrong order are put in order; what is no period is this quarter.
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

/** The days of a named period until today, or until its end where that is past. */
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

/** A day by numbers that may run over: month 0 is last December, day 0 the last of the month before. */
const dayOf = (year: number, month: number, day: number) =>
  new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
