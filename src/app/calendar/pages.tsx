/** @jsxImportSource preact */
import { addDays, isCalendarDate, todayIn } from '../../base/calendar-date.ts';
import { listDates, maxDates } from '../../calendar/dates.ts';
import { type MarkedDate, markWaiting } from '../../date-rules/confirming.ts';
import type { Formats } from '../../firm/table.ts';
import { readsDates } from '../about.ts';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { addressWith, Tabs } from '../list.tsx';
import { dayInFull, monthInFull, zoneWords } from '../moments.tsx';
import { Empty, Title } from '../page-parts.tsx';
import { type Page, page, type Shown, type Visit } from '../visit.ts';
import { sheetPath } from './control-sheet.tsx';
import { AgendaLine, byDay } from './entries.tsx';
import { Month, SmallMonth, type Way } from './month.tsx';
import { Week } from './week.tsx';

/** The ways in which a calendar shows its days. */
const calendarViews = ['month', 'week', 'agenda'] as const;
type CalendarView = (typeof calendarViews)[number];

const viewNames: Record<CalendarView, string> = { month: 'Month', week: 'Week', agenda: 'Agenda' };

const showCalendar = async ({ actor, query, session, may }: Visit): Promise<Shown> => {
  const today = todayIn(session.timeZone);
  const view = calendarViews.find((one) => one === query.get('view')) ?? 'month';
  const asked = query.get('day') ?? '';
  const day = isReachable(asked) ? asked : today;
  const isMine = query.get('whose') !== 'all';
  const { from, to, back, on } = spanOf(view, day, session.formats.weekStart);
  const found = await listDates(actor, { from, to, mine: isMine, overdue: false });
  const dates = await markWaiting(actor, found);
  const way: Way = (changes) => addressWith('/calendar', query, changes);
  const words =
    view === 'month' ? monthInFull(day) : `${dayInFull(from, session)} – ${dayInFull(to, session)}`;
  const grid = { dates, from, to, today, day, way };
  return {
    title: 'Calendar',
    follows: ['calendar_event', 'task', 'matter', 'ruled_date', 'date_rule'],
    main: (
      <>
        <Title title="Calendar">
          <a class="button" href={sheetPath}>
            <Icon name="printer" />
            Control sheet
          </a>
          {may('matters:write') && (
            <a class="button primary" href={addressWith('/calendar/new', query, { day })}>
              <Icon name="plus" />
              New event
            </a>
          )}
        </Title>
        <Tabs
          label="View"
          tabs={calendarViews.map((one) => ({
            href: way({ view: one }),
            name: viewNames[one],
            isHere: one === view,
          }))}
        />
        <Bar words={words} back={back} on={on} isMine={isMine} way={way} />
        {view === 'month' && <Month {...grid} />}
        {view === 'month' && <SmallMonth {...grid} />}
        {view === 'week' && <Week {...grid} />}
        <Agenda
          dates={dates}
          from={view === 'month' ? day : from}
          to={view === 'month' ? day : to}
          today={today}
          isAlone={view === 'agenda'}
        />
        <p class="muted after">
          Times are {zoneWords(session.timeZone)}.
          {dates.length === maxDates && ` The first ${maxDates} dates are shown.`}
        </p>
      </>
    ),
  };
};

type BarProps = { words: string; back: string; on: string; isMine: boolean; way: Way };

/** Which days are shown, the way to others, and whose dates they are. */
const Bar = ({ words, back, on, isMine, way }: BarProps) => (
  <div class="toolbar calendar-bar">
    <nav class="row" aria-label="Days">
      <a class="button icon-only" href={way({ day: back })} rel="prev" aria-label="Previous">
        <Icon name="chevron-left" />
      </a>
      <a class="button" href={way({ day: null })} data-key="t">
        Today
      </a>
      <a class="button icon-only" href={way({ day: on })} rel="next" aria-label="Next">
        <Icon name="chevron-right" />
      </a>
    </nav>
    <h2>{words}</h2>
    <nav class="split end" aria-label="Dates shown">
      <a class="button" href={way({ whose: null })} aria-current={isMine ? 'true' : undefined}>
        Mine
      </a>
      <a class="button" href={way({ whose: 'all' })} aria-current={isMine ? undefined : 'true'}>
        Everybody’s
      </a>
    </nav>
  </div>
);

/** A list of the days that have dates. A phone shows it below the month, and instead of the week. */
const Agenda = (props: {
  dates: readonly MarkedDate[];
  from: string;
  to: string;
  today: string;
  isAlone: boolean;
}) => {
  const frame = useFrame();
  const { dates, from, to, today, isAlone } = props;
  const days = [...byDay(dates, from, to)].filter(([, of]) => of.length > 0);
  const isOne = from === to;
  return (
    <div class={isAlone ? 'agenda' : 'agenda in-place-of-grid'}>
      {days.length === 0 && (
        <section class="panel">
          <Empty
            text={isOne ? `No dates on ${dayInFull(from, frame)}.` : 'No dates in this period.'}
          >
            {frame.admits('/calendar/new') && (
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
              <time dateTime={day}>{dayInFull(day, frame)}</time>
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

const agendaDays = 30;

type WeekStart = Formats['weekStart'];

/** The first days of weeks, as JavaScript numbers weekdays. */
const weekdayOf: Record<WeekStart, number> = { SUNDAY: 0, MONDAY: 1, SATURDAY: 6 };

/** The first day of the week that a day is in. */
const weekOf = (day: string, start: WeekStart) =>
  addDays(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 7 - weekdayOf[start]) % 7));

/** The days that a view shows around a day, and the days of the links back and forward. */
const spanOf = (view: CalendarView, day: string, start: WeekStart) => {
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
const isReachable = (day: string) => isCalendarDate(day) && day > '1900' && day < '2200';

export const calendarPages: Page[] = [page('/calendar', readsDates, showCalendar)];
