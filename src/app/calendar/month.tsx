/** @jsxImportSource preact */
import type { MarkedDate } from '../../date-rules/confirming.ts';
import { useFrame } from '../frame.tsx';
import { dayInFull, hourWords, monthInFull, weekdayInFull } from '../moments.tsx';
import { counted } from '../numbers.ts';
import { byDay, Entry } from './entries.tsx';

/** The address of the same calendar with some of its query changed. */
export type Way = (changes: Record<string, string | null>) => string;

export type GridProps = {
  dates: readonly MarkedDate[];
  from: string;
  to: string;
  today: string;
  /** The day that is chosen. */
  day: string;
  way: Way;
};

/** How many dates of a day a month has room for. */
const room = 3;

/** The weeks of a month, each with its days and their dates. */
const weeksOf = ({ dates, from, to }: GridProps) => {
  const days = [...byDay(dates, from, to)];
  return Array.from({ length: days.length / 7 }, (_, at) => days.slice(at * 7, at * 7 + 7));
};

/** The names of the days of a week, at the head of a calendar. */
const Weekdays = ({ week }: { week: readonly (readonly [day: string, unknown])[] }) => (
  <thead>
    <tr>
      {week.map(([day]) => (
        <th scope="col">
          <span aria-hidden="true">{weekdayInFull(day).slice(0, 3)}</span>
          <span class="hide">{weekdayInFull(day)}</span>
        </th>
      ))}
    </tr>
  </thead>
);

/** A month as a table: a row for each week. */
export const Month = (props: GridProps) => {
  const frame = useFrame();
  const { today, day, way } = props;
  const weeks = weeksOf(props);
  return (
    <table class="calendar month">
      <caption class="hide">{monthInFull(day)}</caption>
      <Weekdays week={weeks[0] ?? []} />
      <tbody>
        {weeks.map((week) => (
          <tr>
            {week.map(([one, of]) => (
              <td class={isInMonth(one, day) ? '' : 'outside'}>
                <Adds day={one} />
                <a
                  class="day"
                  href={way({ view: 'agenda', day: one })}
                  aria-current={one === today ? 'date' : undefined}
                  aria-label={dayInFull(one, frame)}
                >
                  {Number(one.slice(8))}
                </a>
                <Entries of={of} on={one} more={way({ view: 'agenda', day: one })} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
};

const isInMonth = (one: string, day: string) => one.slice(0, 7) === day.slice(0, 7);

/** A press beside the dates of a day, or of an hour, adds an event there. Arrow keys go through them. */
export const Adds = ({ day, hour }: { day: string; hour?: number }) => {
  const frame = useFrame();
  const { admits, visit } = frame;
  if (!admits('/calendar/new')) return null;
  const query = new URLSearchParams(visit.query);
  query.set('day', day);
  const isHour = hour !== undefined;
  if (isHour) query.set('begins', `${String(hour).padStart(2, '0')}:00`);
  return (
    <a class="adds" href={`/calendar/new?${query}`} tabIndex={-1}>
      <span class="hide">
        New event on {dayInFull(day, frame)}
        {isHour && ` at ${hourWords(hour, frame)}`}
      </span>
    </a>
  );
};

const Entries = ({ of, on, more }: { of: readonly MarkedDate[]; on: string; more: string }) => {
  const shown = of.length === room + 1 ? of.length : room;
  if (of.length === 0) return null;
  return (
    <ul>
      {of.slice(0, shown).map((date) => (
        <Entry date={date} on={on} />
      ))}
      {of.length > shown && (
        <li>
          <a class="entry more" href={more}>
            {of.length - shown} more
          </a>
        </li>
      )}
    </ul>
  );
};

/** A month on a phone: a dot for each date. The list of the chosen day stands below it. */
export const SmallMonth = (props: GridProps) => {
  const frame = useFrame();
  const { today, day, way } = props;
  const weeks = weeksOf(props);
  return (
    <table class="calendar small-month">
      <caption class="hide">{monthInFull(day)}, choose a day</caption>
      <Weekdays week={weeks[0] ?? []} />
      <tbody>
        {weeks.map((week) => (
          <tr>
            {week.map(([one, of]) => (
              <td class={isInMonth(one, day) ? '' : 'outside'}>
                <a
                  class={one === day ? 'day chosen' : 'day'}
                  href={way({ day: one })}
                  aria-current={one === today ? 'date' : undefined}
                  aria-label={`${dayInFull(one, frame)}, ${saidOf(of)}${one === day ? ', chosen' : ''}`}
                >
                  {Number(one.slice(8))}
                  <span class="marked">
                    {of.slice(0, room).map(({ kind }) => (
                      <i class={`of-${kind}`} />
                    ))}
                  </span>
                </a>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
};

const saidOf = (of: readonly MarkedDate[]) => {
  const words = of.length === 0 ? 'no dates' : counted(of.length, 'date');
  return of.some(({ kind }) => kind === 'limitation') ? `${words}, with a limitation date` : words;
};
