import { addDays } from '../../base/calendar-date.ts';

/** Whole days in a calendar file: the end is the day after the last one. */
export const wholeDays = (first: string, last: string) => ({
  start: midnight(first),
  end: midnight(addDays(last, 1)),
  allDay: true,
  timezone: 'UTC',
});

const midnight = (day: string) => new Date(`${day}T00:00:00Z`);

/** From a moment, perhaps to another one. */
export const hours = (start: Date, end: Date | null) => (end ? { start, end } : { start });

/** A text without line breaks and other control characters. */
export const oneLine = (text: string) => text.replaceAll(/\p{Cc}+|[\u2028\u2029]/gu, ' ').trim();
