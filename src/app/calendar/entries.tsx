/** @jsxImportSource preact */
import { addDays } from '../../base/calendar-date.ts';
import type { DateOfMatter } from '../../calendar/dates.ts';
import { DatedLine } from '../dated-line.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { clockTime } from '../moments.tsx';

/** The dates of each day from the first to the last. A date of several days is on each of them. */
export const byDay = (
  dates: readonly DateOfMatter[],
  from: string,
  to: string,
): Map<string, DateOfMatter[]> => {
  const days = new Map<string, DateOfMatter[]>();
  for (let day = from; day <= to; day = addDays(day, 1)) days.set(day, []);
  for (const date of dates) {
    const last = date.lastDay < to ? date.lastDay : to;
    for (let day = date.day < from ? from : date.day; day <= last; day = addDays(day, 1)) {
      days.get(day)?.push(date);
    }
  }
  return days;
};

export const nameOf = ({ kind, title, matter }: DateOfMatter) =>
  kind === 'limitation' ? `Limitation: ${matter.title}` : (title ?? '');

export const pathOf = ({ kind, id }: DateOfMatter) =>
  kind === 'event' ? `/calendar/${id}` : kind === 'task' ? `/tasks/${id}` : `/matters/${id}`;

const kindWords = { limitation: 'Limitation date', task: 'Task', event: 'Event' } as const;

/** The hours of an event on a day: `14:30–15:30`, or nothing if it takes the whole day. */
const hoursOf = ({ startsAt, endsAt, day, lastDay }: DateOfMatter, timeZone: string): string => {
  if (startsAt === null) return '';
  const begins = clockTime(startsAt, timeZone);
  return endsAt && day === lastDay ? `${begins}–${clockTime(endsAt, timeZone)}` : begins;
};

/** A date in a day's box: its hour and its name. */
export const Entry = ({ date, on }: { date: DateOfMatter; on: string }) => {
  const { timeZone } = useFrame();
  const begins = date.startsAt && date.day === on ? clockTime(date.startsAt, timeZone) : '';
  return (
    <li>
      <a
        class={`entry of-${date.kind}`}
        href={pathOf(date)}
        title={`${nameOf(date)}, ${date.matter.number} ${date.matter.title}`}
      >
        <span class="hide">{kindWords[date.kind]}: </span>
        {begins && <b>{begins} </b>}
        {date.kind === 'limitation' ? date.matter.title : date.title}
      </a>
    </li>
  );
};

/** A date on a line of its own: sign, name, matter, hours. */
export const AgendaLine = ({ date }: { date: DateOfMatter }) => {
  const { timeZone } = useFrame();
  const icons = { limitation: 'scale', task: 'list-checks', event: 'calendar' } as const;
  const hours = hoursOf(date, timeZone);
  return (
    <DatedLine
      sign={<Icon name={icons[date.kind]} />}
      path={pathOf(date)}
      name={nameOf(date)}
      below={[date.matter.number, date.matter.title]}
    >
      <span class={date.kind === 'limitation' ? 'tone-danger' : 'muted'}>{endOf(date, hours)}</span>
    </DatedLine>
  );
};

const endOf = ({ kind, assignee }: DateOfMatter, hours: string) => {
  if (kind === 'limitation') return 'Limitation date';
  return kind === 'task' ? (assignee?.name ?? 'Nobody') : hours || 'All day';
};
