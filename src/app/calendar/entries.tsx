/** @jsxImportSource preact */
import { addDays, dayIn } from '../../base/calendar-date.ts';
import type { DateOfRecord } from '../../calendar/dates.ts';
import type { EventLine } from '../../calendar/list.ts';
import type { MarkedDate } from '../../date-rules/confirming.ts';
import { NotConfirmed } from '../confirmations.tsx';
import { DatedLine } from '../dated-line.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { clockTime, type WritingIn } from '../moments.tsx';
import { Avatar, initialsOf } from '../words.tsx';

/** The dates of each day from the first to the last. A date of several days is on each of them. */
export const byDay = (
  dates: readonly MarkedDate[],
  from: string,
  to: string,
): Map<string, MarkedDate[]> => {
  const days = new Map<string, MarkedDate[]>();
  for (let day = from; day <= to; day = addDays(day, 1)) days.set(day, []);
  for (const date of dates) {
    const last = date.lastDay < to ? date.lastDay : to;
    for (let day = date.day < from ? from : date.day; day <= last; day = addDays(day, 1)) {
      days.get(day)?.push(date);
    }
  }
  return days;
};

export const nameOf = ({ kind, title, record }: DateOfRecord) =>
  kind === 'limitation' ? `Limitation: ${record.title}` : (title ?? '');

export const pathOf = ({ kind, id }: Pick<DateOfRecord, 'kind' | 'id'>) =>
  kind === 'event' ? `/calendar/${id}` : kind === 'task' ? `/tasks/${id}` : `/matters/${id}`;

/** What a date is about, and behind it the kind of an event: where there is little room, the record is what counts. */
const aboutOf = ({ eventKind, record }: DateOfRecord) =>
  eventKind === null ? record.title : `${record.title} · ${eventKind}`;

const kindWords = { limitation: 'Limitation', task: 'Task', event: 'Event' } as const;
export const icons = { limitation: 'scale', task: 'list-checks', event: 'calendar' } as const;

/** The hours of an event on a day: `14:30–15:30`, or nothing if it takes the whole day. */
const hoursOf = ({ startsAt, endsAt, day, lastDay }: DateOfRecord, as: WritingIn): string => {
  if (startsAt === null) return '';
  const begins = clockTime(startsAt, as);
  return endsAt && day === lastDay ? `${begins}–${clockTime(endsAt, as)}` : begins;
};

/** A date in a day's box: what it is, and below it its matter or lead and whose it is. */
export const Entry = ({ date, on }: { date: MarkedDate; on: string }) => {
  const frame = useFrame();
  const { kind, title, eventKind, record, people, isWaiting } = date;
  const begins = date.startsAt && date.day === on ? clockTime(date.startsAt, frame) : '';
  return (
    <li>
      <a
        class={`entry of-${kind}`}
        href={pathOf(date)}
        title={[
          nameOf(date),
          ...(eventKind === null ? [] : [eventKind]),
          record.number,
          record.title,
          ...people,
          ...(isWaiting ? ['not confirmed'] : []),
        ].join(', ')}
      >
        <span class="what">
          {isWaiting && (
            <span class="tone-warn">
              <Icon name="circle-alert" />
              <span class="hide">Not confirmed: </span>
            </span>
          )}
          {kind !== 'event' && <Icon name={icons[kind]} />}
          {kind === 'limitation' ? (
            kindWords.limitation
          ) : (
            <>
              <span class="hide">{kindWords[kind]}: </span>
              {begins && <b>{begins} </b>}
              {title}
            </>
          )}
          <span class="hide">, </span>
        </span>
        <span class="whose">
          <span class="of">{aboutOf(date)}</span>
          {people.length > 0 && (
            <>
              <span class="hide">, {people.join(', ')}</span>
              <span class="initials" aria-hidden="true">
                {initialsWords(people)}
              </span>
            </>
          )}
        </span>
      </a>
    </li>
  );
};

const mostInitials = 2;

const initialsWords = (people: readonly string[]) => {
  const shown = people.slice(0, mostInitials).map(initialsOf).join(' ');
  return people.length > mostInitials ? `${shown} …` : shown;
};

/** A date on a line of its own: sign, name, matter, hours. */
export const AgendaLine = ({ date }: { date: MarkedDate }) => {
  const hours = hoursOf(date, useFrame());
  return (
    <DatedLine
      sign={
        <span class={date.kind === 'limitation' ? 'tone-danger' : undefined}>
          <Icon name={icons[date.kind]} />
        </span>
      }
      path={pathOf(date)}
      name={nameOf(date)}
      below={[
        ...(date.eventKind === null ? [] : [date.eventKind]),
        date.record.number,
        date.record.title,
      ]}
    >
      {date.isWaiting && <NotConfirmed />}
      <span class="muted">{endOf(date, hours)}</span>
      {date.people.length > 0 && (
        <span class="avatars">
          {date.people.map((name) => (
            <Avatar name={name} />
          ))}
        </span>
      )}
    </DatedLine>
  );
};

const endOf = ({ kind, people }: DateOfRecord, hours: string) => {
  if (kind === 'limitation') return null;
  return kind === 'task' ? people.length === 0 && 'Nobody' : hours || 'All day';
};

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
