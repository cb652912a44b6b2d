/** The dates that nobody who is there has: limitation dates, and tasks with a day and events whose people are away. */
import { sql } from 'drizzle-orm';
import { calendarEvent, eventGuest } from '../calendar/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Whose } from '../receipts/escalation.ts';
import type { ReceiptOf } from '../receipts/table.ts';
import { type Reading, withKeptPlans } from '../record/kept-plans.ts';
import { task } from '../tasks/table.ts';
import { joinSubject, mayReadAbout, subjectWords } from '../visibility/subject.ts';
import { type Viewer, viewerOf } from '../visibility/visibility.ts';
import { dueDates, isAway, isDue } from './notice.ts';

/** A date that nobody present has; `holder` is who has it, or was given it, and is away until a day. */
export type DateWithoutHolder = {
  kind: ReceiptOf;
  /** The matter's of a limitation date, or that of the task or the event. */
  id: string;
  /** The title of the matter, of the task or of the event. */
  title: string;
  /** What it is about: the matter's number; of a task or an event, also the name of its matter or lead. */
  record: string;
  day: string;
  holder: string | null;
  awayUntil: string | null;
  /** Of tasks and events: how many there are, with those that are not listed. */
  count: number | null;
};

/**
 * The next 20 limitation dates of 30 days that nobody present has acknowledged since their last notice; past ones first.
 * And 10 of the tasks that are due, and of the events that begin, within 14 days, past tasks of 14 days too, whose people will
 * not be there on that day: the assignee of the task, or all colleagues who are invited to the event, are away
 * or have left, and nobody has acknowledged it who will be there. A task of nobody is among them from the day on which it is due. What has somebody who will be there is left out, acknowledged or
 * not: it is theirs.
 */
export const datesWithoutHolder = (reader: Reading): Promise<DateWithoutHolder[]> =>
  withKeptPlans(reader, ({ run }) => run(withoutHolder, { ...viewerOf(reader), matterId: null }));

type Values = Viewer & Whose;

const limitations = (given: Given<Values>) => sql`
    select 'limitation' as kind, matter.id, matter.title, matter.number as record, matter.sol_date as day,
      holders.holder, holders.away_until, null::int as count, matter.ordinal
    from ${dueDates(given)}
    cross join lateral (
      select count(*) filter (where not coalesce(${isAway}, false)) as present,
        min(absent.name) as holder, min(absent.away_until) as away_until
      from receipt
      join member absent on absent.firm_id = receipt.firm_id and absent.id = receipt.member_id
        and absent.deactivated_at is null
      where receipt.firm_id = ${given.firmId}::uuid and receipt.matter_id = matter.id
        and receipt.day = matter.sol_date and receipt.step = at.step
        and receipt.withdrawn_at is null and receipt.acknowledged_at is not null) as holders
    where ${isDue(given)} and at.days <= 30 and holders.present = 0
    order by matter.sol_date, matter.ordinal limit 20`;

/** So many days ahead, and of tasks also back. */
const span = sql.raw('14');

/** Tasks and events: so many. */
const mostWork = sql.raw('10');

/** Whether a `member` of a row will be there on a day, or is today if that is past. */
const isThere = (member: string, day: string) =>
  sql.raw(`(${member}.deactivated_at is null
    and (greatest(${day}, here.today) between ${member}.away_from and ${member}.away_until) is not true)`);

/** Whether somebody who is there has acknowledged a task or an event for its day. */
const isHeld = (
  { firmId }: Given<'firmId'>,
  column: 'task_id' | 'event_id',
  day: string,
) => sql`exists (
  select from receipt
  join member keeper on keeper.firm_id = receipt.firm_id and keeper.id = receipt.member_id
  where receipt.firm_id = ${firmId}::uuid and receipt.${sql.raw(column)} = ${sql.raw(column.replace('_', '.'))}
    and receipt.day = ${sql.raw(day)} and receipt.withdrawn_at is null and receipt.acknowledged_at is not null
    and ${isThere('keeper', day)})`;

const here = ({ firmId }: Given<'firmId'>) => sql`
  (select firm.time_zone, (moment() at time zone firm.time_zone)::date as today
    from firm where firm.id = ${firmId}::uuid offset 0) as here`;

const isOpen = ({ firmId }: Given<'firmId'>) => sql`task.firm_id = ${firmId}::uuid
  and task.done_at is null and task.cancelled_at is null
  and task.due_on between here.today - ${span} and here.today + ${span}`;

// By the index on open tasks: of the few who are not there, and of nobody.
const tasks = (given: Given<Values>) => sql`
    select 'task' as kind, task.id, task.title, task.due_on as day, holder.name as holder, holder.away_until,
      task.firm_id, task.matter_id, task.lead_id
    from ${here(given)}
    join member absent on absent.firm_id = ${given.firmId}::uuid
      and (absent.deactivated_at is not null or absent.away_until >= here.today)
    join ${task} on ${isOpen(given)} and task.assignee_id = absent.id
    left join member holder on holder.firm_id = ${given.firmId}::uuid and holder.id = absent.id
      and absent.deactivated_at is null
    where not ${isThere('absent', 'task.due_on')} and not ${isHeld(given, 'task_id', 'task.due_on')}
    union all
    select 'task', task.id, task.title, task.due_on, null, null, task.firm_id, task.matter_id, task.lead_id
    from ${here(given)}
    join ${task} on ${isOpen(given)} and task.assignee_id is null and task.due_on <= here.today
    where not ${isHeld(given, 'task_id', 'task.due_on')}`;

// First by the index, with a day to spare for any time zone.
const events = (given: Given<Values>) => sql`
    select 'event', event.id, event.title, begins.day, invited.holder, invited.away_until,
      event.firm_id, event.matter_id, event.lead_id
    from ${here(given)}
    join firm on firm.id = ${given.firmId}::uuid
    join ${calendarEvent} event on event.firm_id = ${given.firmId}::uuid and event.cancelled_at is null
      and event.starts_at >= here.today - interval '2 days'
      and event.starts_at < here.today + ${span} + interval '2 days'
    cross join lateral (select coalesce(event.first_day,
      (event.starts_at at time zone firm.time_zone)::date) as day offset 0) as begins
    cross join lateral (
      select bool_or(${isThere('member', 'begins.day')}) as has_present,
        min(member.name) filter (where member.deactivated_at is null) as holder,
        min(member.away_until) filter (where member.deactivated_at is null) as away_until
      from ${eventGuest} guest
      join member on member.firm_id = guest.firm_id and member.id = guest.member_id
      where guest.firm_id = ${given.firmId}::uuid and guest.event_id = event.id) as invited
    where begins.day between here.today and here.today + ${span}
      and not invited.has_present and not ${isHeld(given, 'event_id', 'begins.day')}`;

const partOfWork = {
  firmId: sql.raw('work.firm_id'),
  matterId: sql.raw('work.matter_id'),
  leadId: sql.raw('work.lead_id'),
};

const withoutHolder = statement(
  (given: Given<Values>) => sql<DateWithoutHolder>`
    select kind, id::text as id, title, record, day::text as day, holder, away_until::text as "awayUntil", count
    from (
      (${limitations(given)})
      union all
      (select work.kind, work.id, work.title, ${subjectWords}, work.day, work.holder, work.away_until,
        (count(*) over ())::int, null::bigint
      from (${tasks(given)} union all ${events(given)}) as work
      ${joinSubject(partOfWork, given)}
      where ${mayReadAbout(given)} and matter.status is distinct from 'ARCHIVE'
      order by work.day, work.id limit ${mostWork})) as dates
    order by day, kind = 'limitation' desc, ordinal, title, id`,
);
