/** @jsxImportSource preact */
import { dayIn, daysBetween } from '../base/calendar-date.ts';
import { remembering } from '../base/remembering.ts';
import { withShortMonth } from '../base/short-month.ts';
import type { Formats } from '../firm/table.ts';
import { type RowFrame, useFrame } from './frame.tsx';
import { markup } from './markup.ts';
import { counted } from './numbers.ts';

/** How a member has days and times written; a page's frame and a session say it. */
export type Writing = { formats: Formats };

/** The same, with the time zone of moments. */
export type WritingIn = Writing & { timeZone: string };

/**
 * A moment in words, as exact as needed: `2 min`, `07:00`, `Fri 16:55`, `12 Jun`, `12 Jun 2024`. In a
 * history a day has its time: `Fri 12 Jun, 16:55`.
 */
export const Moment = ({ at, withTime = false }: { at: string; withTime?: boolean }) => {
  const frame = useFrame();
  return (
    <time dateTime={at} title={dayAndTime(new Date(at), frame)}>
      {momentWords(at, frame, frame.now, withTime)}
    </time>
  );
};

/** The same in a sentence, behind its verb: `was created 15 minutes ago`, `was created at 07:00`. */
export const MomentSaid = ({ at, withTime = false }: { at: Date; withTime?: boolean }) => {
  const frame = useFrame();
  return (
    <time dateTime={at.toISOString()} title={dayAndTime(at, frame)}>
      {whenWords(at, frame, frame.now, withTime)}
    </time>
  );
};

const formats = new Map<string, Intl.DateTimeFormat>();

/** Formats are expensive to make, and there are few. */
const format = (
  timeZone: string,
  options: Intl.DateTimeFormatOptions,
  locale: 'en-GB' | 'en-US' = 'en-GB',
) => {
  const key = locale + timeZone + JSON.stringify(options);
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone });
  formats.set(key, known);
  return known;
};

export const momentWords = (at: string, as: WritingIn, now: Date, withTime = false): string => {
  const { timeZone } = as;
  const moment = new Date(at);
  const minutes = Math.floor((now.getTime() - moment.getTime()) / 60_000);
  if (minutes >= 0 && minutes < 1) return 'just now';
  if (minutes > 0 && minutes < 60) return `${minutes} min`;
  const [day, today] = [dayIn(moment, timeZone), dayIn(now, timeZone)];
  const time = clockTime(moment, as);
  if (day === today) return time;
  const days = daysBetween(day, today);
  if (days > 0 && days < 7) return `${weekday(day)} ${time}`;
  return withTime ? `${dayWords(day, today, as)}, ${time}` : dayWords(day, today, as);
};

/** When something was, in a sentence: `just now`, `15 minutes ago`, `at 07:00`, `on Fri at 16:55`, `on 12 Jun 2024`. */
export const whenWords = (at: Date, as: WritingIn, now: Date, withTime = false): string => {
  const isRecent = at <= now && now.getTime() - at.getTime() < 3_600_000;
  if (isRecent) return agoWords(at, now);
  const [day, today] = [dayIn(at, as.timeZone), dayIn(now, as.timeZone)];
  const time = `at ${clockTime(at, as)}`;
  if (day === today) return time;
  const days = daysBetween(day, today);
  if (days > 0 && days < 7) return `on ${weekday(day)} ${time}`;
  const on = `on ${dayWords(day, today, as)}`;
  return withTime ? `${on} ${time}` : on;
};

/** How long ago something was: `just now`, `a minute ago`, `3 hours ago`. */
export const agoWords = (at: Date, now: Date): string => {
  const seconds = Math.floor((now.getTime() - at.getTime()) / 1_000);
  if (seconds < 60) return 'just now';
  return seconds < 120 ? 'a minute ago' : `${spanWords(seconds)} ago`;
};

/** The hour and minute of a moment: `14:30`, or `2:30 PM`. */
export const clockTime = (at: Date, { timeZone, formats: { clock } }: WritingIn): string =>
  clock === '24'
    ? timeIn(at, timeZone)
    : format(timeZone, twelveHours, 'en-US').format(at).replace('\u202f', ' ');

const twelveHours = { hour: 'numeric', minute: '2-digit', hour12: true } as const;

/**
 * A day in words, with its time if it has one: `Tue 15 Dec, 14:30`. The text is `2026-12-15`, or has
 * `14:30` behind a `T` or in a second line.
 */
export const wallWords = (text: string, today: string, as: Writing): string => {
  const [day = '', time = ''] = text.split(/[T\n]/);
  const words = dayWords(day, today, as);
  if (!time) return words;
  return `${words}, ${clockTime(new Date(`${day}T${time}Z`), { ...as, timeZone: 'UTC' })}`;
};

/** A full hour of the day: `14:00`, or `2 PM`. */
export const hourWords = (hour: number, { formats: { clock } }: Writing): string => {
  if (clock === '24') return `${String(hour).padStart(2, '0')}:00`;
  return `${hour % 12 || 12} ${hour < 12 ? 'AM' : 'PM'}`;
};

/** The same as a form sends it, and as hours are compared: always `14:30`. */
export const timeIn = (at: Date, timeZone: string): string =>
  format(timeZone, { hour: '2-digit', minute: '2-digit' }).format(at);

/** The day and the time of a moment, `Tue 15 Dec 2026, 14:30`. */
export const dayAndTime = (at: Date, as: WritingIn): string =>
  `${dayInFull(dayIn(at, as.timeZone), as)}, ${clockTime(at, as)}`;

const weekday = (day: string) =>
  format('UTC', { weekday: 'short' }).format(new Date(`${day}T00:00:00Z`));

const dayKnown = remembering<string>(5_000);

/** A day in a format. A list says the same days in many of its rows, and a format takes as long as the row. */
const dayFormatted = (day: string, form: keyof typeof dayForms, order: DayOrder): string =>
  dayKnown(`${form} ${order} ${day}`, () => {
    const { weekday }: DayForm = dayForms[form];
    const at = new Date(`${day}T00:00:00Z`);
    const isWord = order !== 'YMD' || form === 'month' || form === 'weekday';
    if (isWord) {
      const locale = order === 'MDY' ? 'en-US' : 'en-GB';
      const words = format('UTC', dayForms[form], locale).format(at);
      return withShortMonth(words.replace(/^(\p{L}+),/u, '$1'));
    }
    return weekday ? `${format('UTC', { weekday }).format(at)} ${day}` : day;
  });

type DayOrder = Formats['dayOrder'];
type DayForm = Pick<Intl.DateTimeFormatOptions, 'weekday' | 'day' | 'month' | 'year'>;

const dayForms = {
  month: { month: 'long', year: 'numeric' },
  weekday: { weekday: 'long' },
  title: { weekday: 'long', day: 'numeric', month: 'long' },
  ofThisYear: { weekday: 'short', day: 'numeric', month: 'short' },
  ofAnotherYear: { day: 'numeric', month: 'short', year: 'numeric' },
  inFull: { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
} satisfies Record<string, DayForm>;

/** A month in words: `December 2026`. */
export const monthInFull = (day: string): string => dayFormatted(day, 'month', 'DMY');

/** The weekday of a day in full: `Tuesday`. */
export const weekdayInFull = (day: string): string => dayFormatted(day, 'weekday', 'DMY');

/** A day as a page's title: `Tuesday 15 December`. */
export const dayAsTitle = (day: string, { formats: { dayOrder } }: Writing): string =>
  dayFormatted(day, 'title', dayOrder);

/** A calendar day in words: `Tue 15 Dec`, with the year if it is not this year. */
export const dayWords = (day: string, today: string, { formats: { dayOrder } }: Writing): string =>
  dayFormatted(
    day,
    day.slice(0, 4) === today.slice(0, 4) ? 'ofThisYear' : 'ofAnotherYear',
    dayOrder,
  );

/** A calendar day with its weekday and year: `Tue 15 Dec 2026`. */
export const dayInFull = (day: string, { formats: { dayOrder } }: Writing): string =>
  dayFormatted(day, 'inFull', dayOrder);

/** A calendar day with its year, where there is no room for its weekday: `15 Dec 2026`. */
export const dayInYear = (day: string, { formats: { dayOrder } }: Writing): string =>
  dayFormatted(day, 'ofAnotherYear', dayOrder);

/** Days from one to another, each with its year: `1 Oct – 24 Nov 2026`, `from 1 Oct 2026`, `until 24 Nov 2026`. */
export const periodWords = (from: string | null, to: string | null, as: Writing): string => {
  const words = (day: string) => dayInYear(day, as);
  if (!from || !to) return from ? `from ${words(from)}` : to ? `until ${words(to)}` : '';
  const isOneYear = from.slice(0, 4) === to.slice(0, 4);
  const begin = isOneYear ? words(from).replace(/,? \d{4}$/, '') : words(from);
  return from === to ? words(to) : `${begin} – ${words(to)}`;
};

/** How far away a day is: `in 2 days`, `tomorrow`, `today`, `11 days past`; `overdue` if something was due then. */
export const awayWords = (
  day: string,
  today: string,
  gone: 'past' | 'overdue' = 'past',
): string => {
  const days = daysBetween(today, day);
  if (days === 0) return 'today';
  if (days === 1) return 'tomorrow';
  const words = counted(Math.abs(days), 'day');
  return days < 0 ? `${words} ${gone}` : `in ${words}`;
};

/** A calendar day. It is the same day in every time zone. */
export const DayWords = ({ day }: { day: string }) => dayShown(day, useFrame());

/** A calendar day with its weekday and year. */
export const DayInFull = ({ day }: { day: string }) => (
  <time dateTime={day}>{dayInFull(day, useFrame())}</time>
);

/** The same as `DayWords`, for a cell of a table. */
export const dayShown = (day: string, frame: RowFrame) =>
  markup`<time datetime="${day}">${dayWords(day, frame.today, frame)}</time>`;

/** A time zone as people say it: `London time` of `Europe/London`; `UTC` of `UTC`. */
export const zoneWords = (timeZone: string): string => {
  const place = timeZone.split('/').at(-1)?.replaceAll('_', ' ') ?? timeZone;
  return timeZone.includes('/') && !timeZone.startsWith('Etc/') ? `${place} time` : place;
};

/** A length of time in words: `26 minutes`, `3.5 hours`, `12 days`. */
export const spanWords = (seconds: number): string => {
  if (seconds < 60) return 'under a minute';
  if (seconds < 3600) return counted(Math.round(seconds / 60), 'minute');
  const isLong = seconds >= 48 * 3600;
  const count = seconds / (isLong ? 86_400 : 3600);
  return counted(
    count < 10 ? Math.round(count * 10) / 10 : Math.round(count),
    isLong ? 'day' : 'hour',
  );
};
