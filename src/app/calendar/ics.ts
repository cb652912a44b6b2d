import { addDays } from '../../base/calendar-date.ts';

/** Whole days as a calendar file has them: it ends with the day after the last one. */
export const wholeDays = (first: string, last: string) => ({
  start: midnight(first),
  end: midnight(addDays(last, 1)),
  allDay: true,
  timezone: 'UTC',
});

const midnight = (day: string) => new Date(`${day}T00:00:00Z`);

/** From one moment on, to another if that is known. */
export const hours = (start: Date, end: Date | null) => (end ? { start, end } : { start });

/** A text without line ends and other signs that are not to be seen. */
export const oneLine = (text: string) => text.replaceAll(/\p{Cc}+|[\u2028\u2029]/gu, ' ').trim();
