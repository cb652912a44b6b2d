/** @jsxImportSource preact */
import type { ComponentChild, ComponentChildren } from 'preact';
import { dayIn } from '../../base/calendar-date.ts';
import { capitalised } from '../../base/wording.ts';
import type { DateOfRecord, listMissingLimitations } from '../../calendar/dates.ts';
import type { MarkedDate } from '../../date-rules/confirming.ts';
import type { NewLead, NewLeads } from '../../leads/new-leads.ts';
import { nameOf, pathOf } from '../calendar/entries.tsx';
import { NotConfirmed } from '../confirmations.tsx';
import { DatedLine } from '../dated-line.tsx';
import { Act } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { durationWords } from '../leads/words.tsx';
import { NoneYet, Panel } from '../list.tsx';
import { awayWords, clockTime, dayWords } from '../moments.tsx';
import { TaskBox } from '../tasks/rows.tsx';
import type { Visit } from '../visit.ts';
import { Avatar } from '../words.tsx';

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

/** The time after which a new lead has waited too long. */
const longWait = 2 * 86_400;

/** The new leads that are assigned to the reader or to nobody. */
export const NewLeadsPanel = ({ found }: { found: NewLeads }) => {
  const { stageId, rows, mine, nobodys } = found;
  const list = (assignee: string) => `/leads?view=list&stage=${stageId}&assignee=${assignee}`;
  return (
    <Panel
      id="new-leads"
      title="New leads"
      action={
        rows.length > 0 && (
          <span class="row">
            {mine > 0 && (
              <a class="button quiet" href={list('me')}>
                Mine ({mine})
              </a>
            )}
            {nobodys > 0 && (
              <a class="button quiet" href={list('none')}>
                Unassigned ({nobodys})
              </a>
            )}
          </span>
        )
      }
    >
      {rows.length === 0 ? (
        <NoneYet text="No new leads." />
      ) : (
        <ul class="rows">
          {rows.map((lead) => (
            <LeadLine lead={lead} />
          ))}
        </ul>
      )}
    </Panel>
  );
};

const LeadLine = ({ lead }: { lead: NewLead }) => {
  const { visit, now } = useFrame();
  const { may, session } = visit as Visit;
  const { id, contactName, practiceAreaName, isMine, since } = lead;
  const name = contactName ?? 'Contact deleted';
  const seconds = (now.getTime() - since.getTime()) / 1000;
  return (
    <li>
      <div class="grow">
        <a class="name" href={`/leads/${id}`} data-key="e">
          {name}
        </a>
        <div class="sub">
          {practiceAreaName ?? 'No area'} ·{' '}
          <span class={seconds >= longWait ? 'nowrap tone-warn' : 'nowrap'}>
            waiting {durationWords(since, now)}
          </span>
        </div>
      </div>
      {isMine && <Avatar name={session.member.name} />}
      {!isMine && may('leads:write') && (
        <Act
          action="/"
          fields={{ assign: id }}
          class="button small"
          label={`Assign to me: ${name}`}
        >
          Assign to me
        </Act>
      )}
    </li>
  );
};

export const todayOf = ({ session }: Visit) => dayIn(new Date(), session.timeZone);
