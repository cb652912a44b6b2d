/** @jsxImportSource preact */
import { addDays, dayIn, isCalendarDate } from '../../base/calendar-date.ts';
import { type DateOfMatter, listDates, maxDates } from '../../calendar/dates.ts';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { addressWith, Empty, Tabs, Title } from '../list.tsx';
import { dayInFull, zoneWords } from '../moments.tsx';
import { type Page, page, type Shown, type Visit } from '../visit.ts';
import { AgendaLine, byDay, Entry } from './entries.tsx';

const views = ['month', 'week', 'agenda'] as const;
type View = (typeof views)[number];
const viewNames: Record<View, string> = { month: 'Month', week: 'Week', agenda: 'Agenda' };

const agendaDays = 30;

/** How many dates of a day a month has room for. */
const roomInMonth = 4;

/** The days that a view shows around a day, and the days of the links back and forward. */
const spanOf = (view: View, day: string) => {
  if (view === 'agenda') {
    const to = addDays(day, agendaDays - 1);
    return { from: day, to, back: addDays(day, -agendaDays), on: addDays(day, agendaDays) };
  }
  if (view === 'week') {
    const from = mondayOf(day);
    return { from, to: addDays(from, 6), back: addDays(from, -7), on: addDays(from, 7) };
  }
  const first = `${day.slice(0, 7)}-01`;
  const next = `${addDays(first, 31).slice(0, 7)}-01`;
  const from = mondayOf(first);
  const to = addDays(mondayOf(addDays(next, -1)), 6);
  return { from, to, back: `${addDays(first, -1).slice(0, 7)}-01`, on: next };
};

const mondayOf = (day: string) =>
  addDays(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7));

const monthWords = (day: string) =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString('en-GB', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });

/** The years that a calendar can show. */
const isReachable = (day: string) => isCalendarDate(day) && day > '1900' && day < '2200';

const showCalendar = async ({ actor, query, session, may }: Visit): Promise<Shown> => {
  const today = dayIn(new Date(), session.timeZone);
  const view = views.find((one) => one === query.get('view')) ?? 'month';
  const asked = query.get('day') ?? '';
  const day = isReachable(asked) ? asked : today;
  const isMine = query.get('whose') !== 'all';
  const { from, to, back, on } = spanOf(view, day);
  const dates = await listDates(actor, { from, to, mine: isMine, overdue: false });
  const way: Way = (changes) => addressWith('/calendar', query, changes);
  const words = view === 'month' ? monthWords(day) : `${dayInFull(from)} – ${dayInFull(to)}`;
  return {
    title: 'Calendar',
    follows: ['calendar_event', 'task', 'matter'],
    main: (
      <>
        <Title title="Calendar">
          {may('matters:write') && (
            <a class="button primary" href={`/calendar/new?day=${day}`}>
              <Icon name="plus" />
              New event
            </a>
          )}
        </Title>
        <Tabs
          label="View"
          tabs={views.map((one) => ({
            href: way({ view: one }),
            name: viewNames[one],
            isHere: one === view,
          }))}
        />
        <Bar words={words} back={back} on={on} isMine={isMine} way={way} />
        {view !== 'agenda' && <Grid {...{ dates, from, to, view, today, day, way }} />}
        <Agenda dates={dates} from={from} to={to} today={today} isAlone={view === 'agenda'} />
        <p class="muted after">
          Times are {zoneWords(session.timeZone)}.
          {dates.length === maxDates && ` The first ${maxDates} dates are shown.`}
        </p>
      </>
    ),
  };
};

/** The address of the same calendar with some of its query changed. */
type Way = (changes: Record<string, string | null>) => string;

type BarProps = { words: string; back: string; on: string; isMine: boolean; way: Way };

/** Which days are shown, the way to others, and whose dates they are. */
const Bar = ({ words, back, on, isMine, way }: BarProps) => (
  <div class="toolbar calendar-bar">
    <nav class="row" aria-label="Days">
      <a class="button icon-only" href={way({ day: back })} rel="prev" aria-label="Before">
        <Icon name="chevron-left" />
      </a>
      <a class="button" href={way({ day: null })}>
        Today
      </a>
      <a class="button icon-only" href={way({ day: on })} rel="next" aria-label="After">
        <Icon name="chevron-right" />
      </a>
    </nav>
    <h2>{words}</h2>
    <nav class="split end" aria-label="Whose dates">
      <a class="button" href={way({ whose: null })} aria-current={isMine ? 'true' : undefined}>
        Mine
      </a>
      <a class="button" href={way({ whose: 'all' })} aria-current={isMine ? undefined : 'true'}>
        Everybody’s
      </a>
    </nav>
  </div>
);

type GridProps = {
  dates: readonly DateOfMatter[];
  from: string;
  to: string;
  view: View;
  today: string;
  day: string;
  way: Way;
};

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** A month or a week as a table: a row for each week. */
const Grid = ({ dates, from, to, view, today, day, way }: GridProps) => {
  const days = [...byDay(dates, from, to)];
  const weeks = Array.from({ length: days.length / 7 }, (_, at) => days.slice(at * 7, at * 7 + 7));
  return (
    <table class={`calendar ${view}`}>
      <caption class="hide">{view === 'month' ? monthWords(day) : 'The week'}</caption>
      <thead>
        <tr>
          {weekdays.map((name) => (
            <th scope="col">
              <span aria-hidden="true">{name.slice(0, 3)}</span>
              <span class="hide">{name}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr>
            {week.map(([one, of]) => (
              <td class={one.slice(0, 7) === day.slice(0, 7) || view === 'week' ? '' : 'outside'}>
                <a
                  class="day"
                  href={way({ view: 'agenda', day: one })}
                  aria-current={one === today ? 'date' : undefined}
                  aria-label={dayInFull(one)}
                >
                  {Number(one.slice(8))}
                </a>
                <Entries of={of} on={one} view={view} more={way({ view: 'agenda', day: one })} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
};

const Entries = ({
  of,
  on,
  view,
  more,
}: {
  of: readonly DateOfMatter[];
  on: string;
  view: View;
  more: string;
}) => {
  const room = view === 'week' || of.length === roomInMonth + 1 ? of.length : roomInMonth;
  if (of.length === 0) return null;
  return (
    <ul>
      {of.slice(0, room).map((date) => (
        <Entry date={date} on={on} />
      ))}
      {of.length > room && (
        <li>
          <a class="entry more" href={more}>
            {of.length - room} more
          </a>
        </li>
      )}
    </ul>
  );
};

/** A list of the days that have dates. A phone shows it instead of month and week. */
const Agenda = (props: {
  dates: readonly DateOfMatter[];
  from: string;
  to: string;
  today: string;
  isAlone: boolean;
}) => {
  const { admits } = useFrame();
  const { dates, from, to, today, isAlone } = props;
  const days = [...byDay(dates, from, to)].filter(([, of]) => of.length > 0);
  return (
    <div class={isAlone ? 'agenda' : 'agenda in-place-of-grid'}>
      {days.length === 0 && (
        <section class="panel">
          <Empty text="No dates in this period.">
            {admits('/calendar/new') && (
              <a class="button" href={`/calendar/new?day=${from}`}>
                New event
              </a>
            )}
          </Empty>
        </section>
      )}
      {days.map(([day, of]) => (
        <section class="panel" aria-labelledby={`on-${day}`}>
          <header>
            <h3 id={`on-${day}`}>
              {day === today && 'Today, '}
              <time dateTime={day}>{dayInFull(day)}</time>
            </h3>
          </header>
          <ul class="rows">
            {of.map((date) => (
              <AgendaLine date={date} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
};

export const calendarPages: Page[] = [page('/calendar', 'matters:read', showCalendar)];
