/**
 * How often something repeats. It is stored as a rule of RFC 5545 (`RRULE`, without that name), of a subset: the
 * seven ways of `everies`, with or without a last day. A rule's first day is not part of it.
 */
import {
  addDays,
  checkDay,
  dayInMonth,
  daysBetween,
  isCalendarDate,
  isWorkday,
} from './calendar-date.ts';
import { invalidField } from './refusal.ts';
import { plainly } from './rule.ts';

export const everies = ['day', 'workday', 'week', 'fortnight', 'month', 'quarter', 'year'] as const;
export type Every = (typeof everies)[number];

/** So many characters a rule may have that a program sends. */
export const longestRule = 200;

/** The last day, `YYYY-MM-DD`, is included; null for no end. */
export type Recurrence = { every: Every; until: string | null };

const workdays = 'MO,TU,WE,TH,FR';

/** What a rule begins with. Months and years also say which day of the month. */
const beginnings: Record<Every, string> = {
  day: 'FREQ=DAILY',
  workday: `FREQ=WEEKLY;BYDAY=${workdays}`,
  week: 'FREQ=WEEKLY',
  fortnight: 'FREQ=WEEKLY;INTERVAL=2',
  month: 'FREQ=MONTHLY',
  quarter: 'FREQ=MONTHLY;INTERVAL=3',
  year: 'FREQ=YEARLY',
};

const monthsIn: Partial<Record<Every, number>> = { month: 1, quarter: 3, year: 12 };

const daysIn: Partial<Record<Every, number>> = { day: 1, week: 7, fortnight: 14 };

/** The rule of something that is on `day`, `YYYY-MM-DD`, and then again. */
export const rruleOf = ({ every, until }: Recurrence, day: string): string => {
  const end = until === null ? '' : `;UNTIL=${until.replaceAll('-', '')}`;
  return `${beginnings[every]}${dayOfMonth(every, day)}${end}`;
};

/**
 * Where a month has no such day, it is the month's last: the last of those among 28, 29, 30, 31 that exist. A rule that names
 * the 31st alone would leave such months out.
 */
const dayOfMonth = (every: Every, day: string): string => {
  if (monthsIn[every] === undefined) return '';
  const [, month, of] = day.split('-').map(Number);
  const name = every === 'year' ? `;BYMONTH=${month}` : '';
  // Of the months that are meant by name, only February is not always as long.
  if (of === undefined || of <= 28 || (every === 'year' && month !== 2)) {
    return `${name};BYMONTHDAY=${of}`;
  }
  const days = [28, 29, 30, 31].filter((one) => one <= of);
  return `${name};BYMONTHDAY=${days.join(',')};BYSETPOS=-1`;
};

/** What a stored rule says. */
export const recurrenceOf = (rrule: string): Recurrence => {
  const read = readRule(rrule);
  if (!read) throw new Error('A stored rule is none of the subset.');
  return { every: read.every, until: read.until };
};

/**
 * The rule that a program sent for something on `day`, as it is stored: with the day of the month, if that was left
 * out. Throws `Refusal` invalid_request for the field.
 */
export const rruleFrom = (field: string, text: string, day: string): string => {
  const read = readRule(text);
  if (!read) {
    const rules = Object.values(beginnings).join(', ');
    throw invalidField(field, `must be one of ${rules}; ;UNTIL=YYYYMMDD may follow, the last day`);
  }
  const { every, until, rest } = read;
  const rrule = rruleOf({ every, until }, day);
  if (rest !== '' && rest !== dayOfMonth(every, day)) {
    throw invalidField(field, `repeats on another day than ${day}; leave BYMONTHDAY out`);
  }
  if (until !== null && until < day) throw invalidField(field, `must not end before ${day}`);
  return rrule;
};

/** How often something repeats, as people ask for it: null for not at all, or for no last day. */
export type Repeats = {
  repeats?: Every | null | undefined;
  repeatsUntil?: string | null | undefined;
};

/** The day that a rule counts from; its field, and how a refusal calls what repeats and its day. */
type Counted = { day: string | null; field: string; noun: string; words: string };

/**
 * The rule that is asked for. What is not asked for stays as it is stored; with another day, it counts from that.
 * Throws `Refusal` invalid_request without a day, and for a last day that is before it.
 */
export const rruleAsked = (
  { repeats, repeatsUntil }: Repeats,
  { day, field, noun, words }: Counted,
  stored?: { rrule: string | null; day: string | null },
): string | null => {
  const was = stored?.rrule ? recurrenceOf(stored.rrule) : { every: null, until: null };
  const every = repeats === undefined ? was.every : repeats;
  const until = repeatsUntil === undefined ? was.until : repeatsUntil;
  if (every === null) {
    if (repeatsUntil)
      throw invalidField('repeatsUntil', `is only for ${article(noun)} that repeats`);
    return null;
  }
  if (!everies.includes(every)) {
    throw invalidField('repeats', { rule: `must be one of ${everies.join(', ')}`, kind: choice });
  }
  if (day === null) {
    const said = `Enter the day of the first one: the ${noun} repeats`;
    throw invalidField(field, plainly(said, `must be a day if the ${noun} repeats`));
  }
  if (until !== null) checkDay('repeatsUntil', until);
  if (until !== null && until < day) {
    throw invalidField('repeatsUntil', `must not be before ${words}`);
  }
  const stays = every === was.every && until === was.until && day === stored?.day;
  return stays && stored ? stored.rrule : rruleOf({ every, until }, day);
};

const choice = { kind: 'choice' } as const;

const article = (noun: string) => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;

/** The parts of a rule, whose order does not matter. */
const readRule = (text: string) => {
  const parts = new Map<string, string>();
  for (const part of text.toUpperCase().split(';')) {
    const [name = '', value, ...more] = part.split('=');
    if (!value || more.length > 0 || parts.has(name)) return undefined;
    parts.set(name, value);
  }
  const take = (name: string) => {
    const value = parts.get(name);
    parts.delete(name);
    return value === undefined ? '' : `;${name}=${value}`;
  };
  const until = dayFrom(parts.get('UNTIL'));
  if (until === undefined) return undefined;
  parts.delete('UNTIL');
  const interval = take('INTERVAL');
  const beginning = `FREQ=${parts.get('FREQ')}${interval === ';INTERVAL=1' ? '' : interval}${take('BYDAY')}`;
  parts.delete('FREQ');
  const every = everies.find((one) => beginnings[one] === beginning);
  const rest = take('BYMONTH') + take('BYMONTHDAY') + take('BYSETPOS');
  return every && parts.size === 0 ? { every, until, rest } : undefined;
};

/** `20271231` as a day; null for no end, undefined for none that exists. */
const dayFrom = (text: string | undefined): string | null | undefined => {
  if (text === undefined) return null;
  const day = text.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
  return isCalendarDate(day) ? day : undefined;
};

type After = {
  /** The day on which it was last. */
  day: string;
  /** The first day that may follow, so that what was missed is left out. */
  notBefore: string;
  /** Days on which nobody works, besides Saturdays and Sundays: they are no working days. */
  holidays?: readonly string[];
};

/** The next day of a rule; null if it has ended. */
export const nextOf = (rrule: string, { day, notBefore, holidays = [] }: After): string | null => {
  const { every, until } = recurrenceOf(rrule);
  const following = addDays(day, 1);
  // The calendar's last day is 9999-12-31.
  if (!isCalendarDate(following)) return null;
  const next =
    every === 'workday'
      ? nextWorkday(following > notBefore ? following : notBefore, holidays)
      : (nextByDays(daysIn[every], day, notBefore) ?? nextByMonths(rrule, every, day, notBefore));
  return isCalendarDate(next) && (until === null || next <= until) ? next : null;
};

const nextWorkday = (first: string, holidays: readonly string[]): string => {
  const daysOff = new Set(holidays);
  let day = first;
  while (!isWorkday(day, daysOff)) day = addDays(day, 1);
  return day;
};

const nextByDays = (days: number | undefined, day: string, notBefore: string) => {
  if (days === undefined) return undefined;
  const between = daysBetween(day, notBefore);
  return addDays(day, days * Math.max(1, Math.ceil(between / days)));
};

const nextByMonths = (rrule: string, every: Every, day: string, notBefore: string): string => {
  const months = monthsIn[every] ?? 1;
  const [year = 1, month = 1] = day.split('-').map(Number);
  const wanted = Math.max(...(/BYMONTHDAY=([\d,]+)/.exec(rrule)?.[1] ?? '').split(',').map(Number));
  const [thenYear = 1, thenMonth = 1] = notBefore.split('-').map(Number);
  const between = (thenYear - year) * 12 + thenMonth - month;
  for (let step = Math.max(1, Math.floor(between / months)); ; step++) {
    const next = dayInMonth(year, month + step * months, wanted);
    if (next >= notBefore || !isCalendarDate(next)) return next;
  }
};
