/** Times and texts of calendar files (RFC 5545). */
import { addDays } from './calendar-date.ts';

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

/** What an event is called in calendar files: the same in a feed and in an invitation. */
export const uidOf = (kind: string, id: string) => `${kind}-${id}@matterhorn`;

/** Who wrote a calendar file. */
export const calendarProgram = '//Matterhorn//Calendar//EN';

/** A text without line breaks and other control characters. */
export const oneLine = (text: string) => text.replaceAll(/\p{Cc}+|[\u2028\u2029]/gu, ' ').trim();
