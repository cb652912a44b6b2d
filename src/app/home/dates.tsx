/** @jsxImportSource preact */
import type { ComponentChild, ComponentChildren } from 'preact';

import { capitalised } from '../../base/wording.ts';
import type { DateOfRecord, listMissingLimitations } from '../../calendar/dates.ts';
import type { MarkedDate } from '../../date-rules/confirming.ts';
import type { StandingDate } from '../../date-rules/standing.ts';
import type { DateWithoutHolder } from '../../limitation/present.ts';
import { icons, nameOf, pathOf } from '../calendar/entries.tsx';
import { NotConfirmed } from '../confirmations.tsx';
import { pathOfMade } from '../date-rules.ts';
import { DatedLine } from '../dated-line.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { awayWords, clockTime, dayWords } from '../moments.tsx';
import { NoneYet } from '../page-parts.tsx';
import { TaskBox } from '../tasks/rows.tsx';

/** A panel of dates. */
export const DatesPanel = ({
  id,
  title,
  link,
  children,
}: {
  id: string;
  title: string;
  /** A link in its head. */
  link?: ComponentChild;
  children: ComponentChildren;
}) => (
  <section class="panel dates" aria-labelledby={`${id}-title`}>
    <header>
      <h2 id={`${id}-title`}>{title}</h2>
      {link}
    </header>
    {children}
  </section>
);

/** The day of a date, below what its line ends with. */
export const DayBelow = ({
  day,
  today,
  children,
}: {
  day: string;
  today: string;
  children?: ComponentChildren;
}) => (
  <div class="small muted">
    <time dateTime={day}>{dayWords(day, today, useFrame())}</time>
    {children}
  </div>
);

type MyDatesProps = {
  dates: readonly MarkedDate[];
  /** Matters whose practice area expects a limitation date, and that have none. */
  missing: Awaited<ReturnType<typeof listMissingLimitations>>;
  today: string;
};

/** The member's dates, from overdue ones to the end of the next days. */
export const MyDates = ({ dates, missing, today }: MyDatesProps) => {
  const groups = [
    { title: 'Overdue', class: 'late', of: dates.filter(({ day }) => day < today) },
    { title: 'Today', class: undefined, of: dates.filter(({ day }) => day === today) },
    { title: 'Next 14 days', class: undefined, of: dates.filter(({ day }) => day > today) },
  ].filter(({ of }) => of.length > 0);
  return (
    <DatesPanel
      id="dates"
      title="My dates"
      link={
        <a class="button quiet" href="/calendar">
          Calendar
        </a>
      }
    >
      {groups.length + missing.length === 0 && (
        <NoneYet text="You have no limitation dates, tasks or events in the next 14 days." />
      )}
      {groups.map(({ title, class: className, of }) => (
        <>
          <h3 class={className}>{title}</h3>
          <ul>
            {of.map((date) => (
              <DateLine date={date} today={today} />
            ))}
          </ul>
        </>
      ))}
      {missing.length > 0 && (
        <>
          <h3>No limitation date</h3>
          <ul>
            {missing.map(({ id, number, title, practiceAreaName }) => (
              <DatedLine
                sign={<Icon name="scale" />}
                path={`/matters/${id}`}
                name={title}
                below={[number, practiceAreaName]}
              >
                <div class="end tone-warn">None set</div>
              </DatedLine>
            ))}
          </ul>
        </>
      )}
    </DatesPanel>
  );
};

const DateLine = ({ date, today }: { date: MarkedDate; today: string }) => {
  const frame = useFrame();
  const { kind, id, title, day, startsAt, assignee, record, isWaiting } = date;
  const isToday = day === today;
  const isLate = kind === 'limitation' || (kind === 'task' && day < today);
  return (
    <DatedLine
      sign={
        kind === 'task' ? (
          <TaskBox id={id} title={title ?? ''} assignee={assignee} record={record} isDone={false} />
        ) : (
          <Icon name={kind === 'limitation' ? 'scale' : 'calendar'} />
        )
      }
      path={pathOf(date)}
      name={nameOf(date)}
      below={[
        record.number,
        kind === 'limitation' ? (record.practiceAreaName ?? '') : record.title,
      ]}
    >
      {isWaiting && <NotConfirmed />}
      <div class={isLate ? 'end tone-danger' : 'end'}>
        {isToday && startsAt ? clockTime(startsAt, frame) : daysAway(date, today)}
        {!isToday && (
          <DayBelow day={day} today={today}>
            {startsAt && `, ${clockTime(startsAt, frame)}`}
          </DayBelow>
        )}
      </div>
    </DatedLine>
  );
};

/** How far away a day is, as the beginning of a line. */
const daysAway = ({ day, kind }: DateOfRecord, today: string) =>
  capitalised(awayWords(day, today, kind === 'task' ? 'overdue' : 'past'));

type UnheldProps = { dates: readonly DateWithoutHolder[]; today: string };

/** For owners: dates that nobody who is there has said that they have, or that were given to nobody who is there. */
export const Unheld = ({ dates, today }: UnheldProps) => {
  const frame = useFrame();
  const work = dates.filter(({ kind }) => kind !== 'limitation');
  const more = (work[0]?.count ?? 0) - work.length;
  return (
    <DatesPanel id="unheld" title="Dates that nobody present holds">
      <ul>
        {dates.map((date) => (
          <DatedLine
            sign={<Icon name={icons[date.kind]} />}
            path={pathOf(date)}
            name={date.title}
            below={[date.record, whoseWords(date, (day) => dayWords(day, today, frame))]}
          >
            <div class={`end ${isUrgent(date, today) ? 'tone-danger' : ''}`}>
              {capitalised(awayWords(date.day, today))}
              <DayBelow day={date.day} today={today} />
            </div>
          </DatedLine>
        ))}
      </ul>
      {more > 0 && (
        <div class="body muted">
          {more === 1 ? 'And one more task or event' : `And ${more} more tasks and events`}
        </div>
      )}
    </DatesPanel>
  );
};

/** Of work ahead, there is time to give it to somebody. */
const isUrgent = ({ kind, day }: DateWithoutHolder, today: string) =>
  kind === 'limitation' || day <= today;

const whoseWords = (
  { kind, holder, awayUntil }: DateWithoutHolder,
  wordsOf: (day: string) => string,
) => {
  if (holder && awayUntil) return `${holder} is away until ${wordsOf(awayUntil)}`;
  if (kind === 'limitation') return 'Not acknowledged';
  return kind === 'task' ? 'Not assigned' : 'Everybody invited has left';
};

type ToConfirmProps = { dates: readonly StandingDate[]; today: string };

/** Dates by rule that wait for the member as the second person. */
export const ToConfirm = ({ dates, today }: ToConfirmProps) => (
  <DatesPanel id="to-confirm" title="Dates to confirm">
    <ul>
      {dates.map((date) => (
        <DatedLine
          sign={<Icon name={date.taskId === null ? 'calendar' : 'square-check'} />}
          path={pathOfMade(date)}
          name={date.title}
          below={[
            date.matter,
            ...(date.countedBy === null ? [] : [`Counted by ${date.countedBy}`]),
          ]}
        >
          <div class="end tone-warn">
            Not confirmed
            <DayBelow day={date.day} today={today} />
          </div>
        </DatedLine>
      ))}
    </ul>
  </DatesPanel>
);

/** Moves an event that began before today and still lasts to today. */
export const seenFrom = (dates: readonly MarkedDate[], today: string): MarkedDate[] =>
  dates.map((date) =>
    date.kind === 'event' && date.day < today ? { ...date, day: today, startsAt: null } : date,
  );

/** The numbers of overdue and coming dates. */
export const datesInWords = (dates: readonly DateOfRecord[], today: string) => {
  const overdue = dates.filter(({ day }) => day < today).length;
  const coming = dates.length - overdue;
  return `${overdue || 'Nothing'} overdue, ${coming || 'nothing'} in the next 14 days`;
};
