/** @jsxImportSource preact */
import { dayIn } from '../../base/calendar-date.ts';
import type { MarkedDate } from '../../date-rules/confirming.ts';
import { useFrame } from '../frame.tsx';
import { dayInFull, hourWords, timeIn, weekdayInFull } from '../moments.tsx';
import { byDay, Entry } from './entries.tsx';
import { Adds, type GridProps } from './month.tsx';

/** The hours that a week always shows: the first and the last that begin in it. */
const office = { first: 8, last: 18 };

/** A date on a day of the week: in the hour that it begins in, and how many hours it goes on. */
type Placed = { date: MarkedDate; hour: number; goesOn: number };

/** A week as a table: a column for each day, a row for each hour. */
export const Week = ({ dates, from, to, today, way }: GridProps) => {
  const frame = useFrame();
  const days = [...byDay(dates, from, to)].map(([day, of]) => {
    const placed = of.map((date) => placeOf(date, day, frame.timeZone));
    return {
      day,
      whole: of.filter((_, at) => placed[at] === undefined),
      timed: placed.flatMap((one) => one ?? []),
    };
  });
  const begins = days.flatMap(({ timed }) => timed.map(({ hour }) => hour));
  const ends = days.flatMap(({ timed }) => timed.map(({ hour, goesOn }) => hour + goesOn));
  const first = Math.min(office.first, ...begins);
  const hours = Array.from(
    { length: Math.max(office.last, ...ends) - first + 1 },
    (_, at) => first + at,
  );
  return (
    <table class="calendar week">
      <caption class="hide">
        {dayInFull(from, frame)} to {dayInFull(to, frame)}
      </caption>
      <thead>
        <tr>
          <th scope="col">
            <span class="hide">Time</span>
          </th>
          {days.map(({ day }) => (
            <th scope="col">
              <a
                class="day-head"
                href={way({ view: 'agenda', day })}
                aria-current={day === today ? 'date' : undefined}
                aria-label={dayInFull(day, frame)}
              >
                {weekdayInFull(day).slice(0, 3)} {Number(day.slice(8))}
              </a>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <tr class="whole-days">
          <th scope="row">All day</th>
          {days.map(({ day, whole }) => (
            <td>
              <Adds day={day} />
              {whole.length > 0 && (
                <ul>
                  {whole.map((date) => (
                    <Entry date={date} on={day} />
                  ))}
                </ul>
              )}
            </td>
          ))}
        </tr>
        {hours.map((hour) => (
          <tr>
            <th scope="row">{hourWords(hour, frame)}</th>
            {days.map(({ day, timed }) => (
              <td>
                <Adds day={day} hour={hour} />
                <Hour day={day} hour={hour} timed={timed} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
};

/** Where a date with a time is on a day; undefined for one that takes the day. */
const placeOf = (date: MarkedDate, day: string, timeZone: string): Placed | undefined => {
  const { startsAt, endsAt } = date;
  if (!startsAt || date.day !== day) return undefined;
  const begun = timeIn(startsAt, timeZone);
  const hour = Number(begun.slice(0, 2));
  if (!endsAt || endsAt <= startsAt) return { date, hour, goesOn: 0 };
  const [ends = 0, minute = 0] =
    dayIn(endsAt, timeZone) === day ? timeIn(endsAt, timeZone).split(':').map(Number) : [24, 0];
  return { date, hour, goesOn: Math.max(0, (minute === 0 ? ends - 1 : ends) - hour) };
};

/** What begins in an hour of a day, and what goes on in it. */
const Hour = ({ day, hour, timed }: { day: string; hour: number; timed: readonly Placed[] }) => {
  const here = timed.filter((one) => one.hour <= hour && hour <= one.hour + one.goesOn);
  if (here.length === 0) return null;
  return (
    <ul>
      {here.map((one) =>
        one.hour === hour ? (
          <Entry date={one.date} on={day} />
        ) : (
          <li class="entry of-event goes-on" aria-hidden="true">
            {one.date.title}
          </li>
        ),
      )}
    </ul>
  );
};
