import { addDays, isCalendarDate } from '../../base/calendar-date.ts';
import type { Formats } from '../../firm/table.ts';

/** The ways in which a calendar shows its days. */
export const calendarViews = ['month', 'week', 'agenda'] as const;
export type CalendarView = (typeof calendarViews)[number];

const agendaDays = 30;

type WeekStart = Formats['weekStart'];

/** The first days of weeks, as JavaScript numbers weekdays. */
const weekdayOf: Record<WeekStart, number> = { SUNDAY: 0, MONDAY: 1, SATURDAY: 6 };

/** The first day of the week that a day is in. */
const weekOf = (day: string, start: WeekStart) =>
  addDays(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 7 - weekdayOf[start]) % 7));

/** The days that a view shows around a day, and the days of the links back and forward. */
export const spanOf = (view: CalendarView, day: string, start: WeekStart) => {
  if (view === 'agenda') {
    const to = addDays(day, agendaDays - 1);
    return { from: day, to, back: addDays(day, -agendaDays), on: addDays(day, agendaDays) };
  }
  if (view === 'week') {
    const from = weekOf(day, start);
    return { from, to: addDays(from, 6), back: addDays(day, -7), on: addDays(day, 7) };
  }
  const first = `${day.slice(0, 7)}-01`;
  const next = `${addDays(first, 31).slice(0, 7)}-01`;
  const from = weekOf(first, start);
  const to = addDays(weekOf(addDays(next, -1), start), 6);
  return { from, to, back: `${addDays(first, -1).slice(0, 7)}-01`, on: next };
};

/** Whether a calendar can show the day. */
export const isReachable = (day: string) => isCalendarDate(day) && day > '1900' && day < '2200';
