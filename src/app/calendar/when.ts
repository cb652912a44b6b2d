import { dayIn } from '../../base/calendar-date.ts';
import type { EventLine } from '../../calendar/list.ts';
import { clockTime, type WritingIn } from '../moments.tsx';

/** When an event is, in words: `Tue 15 Dec 2026, 14:30–15:30`. */
export const eventWhen = (
  { startsAt, endsAt, firstDay, lastDay }: EventLine,
  as: WritingIn,
  dayWords: (day: string) => string,
): string => {
  if (firstDay !== null) {
    const isOne = lastDay === null || lastDay === firstDay;
    return isOne
      ? `${dayWords(firstDay)}, all day`
      : `${dayWords(firstDay)} – ${dayWords(lastDay)}, all day`;
  }
  const day = dayIn(startsAt, as.timeZone);
  const begins = `${dayWords(day)}, ${clockTime(startsAt, as)}`;
  if (endsAt === null) return begins;
  const last = dayIn(endsAt, as.timeZone);
  const ends = clockTime(endsAt, as);
  return last === day ? `${begins}–${ends}` : `${begins} – ${dayWords(last)}, ${ends}`;
};
