import { sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Reading, withKeptPlans } from '../record/kept-plans.ts';
import { task } from '../tasks/table.ts';
import {
  type AboutRecord,
  joinSubject,
  mayReadAbout,
  recordOf,
  type SubjectColumns,
  subjectColumns,
} from '../visibility/subject.ts';
import { type Viewer, viewerOf } from '../visibility/visibility.ts';

/** A date of a matter or a lead: a limitation date, the day by which a task is due, or an event. */
export type DateOfRecord = {
  record: AboutRecord & { practiceAreaName: string | null };
  kind: 'limitation' | 'task' | 'event';
  /** The id of the matter, of the task, or of the event. */
  id: string;
  /** The day of the firm, `YYYY-MM-DD`. */
  day: string;
  /** The last day of an event of several days. */
  lastDay: string;
  /** When an event begins; null for an event of whole days. */
  startsAt: Date | null;
  endsAt: Date | null;
  /** The title of the task or event; null for a limitation date. */
  title: string | null;
  /** The name of an event's kind. */
  eventKind: string | null;
  assignee: { id: string; name: string } | null;
  /**
   * Whose it is, by name: the responsible attorneys of a limitation date, who does a task, who is
   * invited to an event (strangers by their address). At most five.
   */
  people: string[];
};

type DatesRequest = {
  /** The first and the last day, `YYYY-MM-DD`. */
  from: string;
  to: string;
  /** Only the reader's dates: limitation dates and events of their teams' matters, events of their leads, their own tasks, and their invitations. */
  mine: boolean;
  /** The limitation dates of all other matters too, up to this day. */
  everyLimitationTo?: string | null;
  /** Limitation dates and tasks from before the first day as well. */
  overdue: boolean;
  /** How many at most; `maxDates` if it is left out. */
  max?: number;
};

/** How many dates are read at most, because a page with more would not help. */
export const maxDates = 500;

/**
 * The dates of the firm that are still open, the earliest first: limitation dates that are not met,
 * of matters that are not archived; tasks that are not done; events that are not cancelled. Those about
 * what the reader may not see are left out.
 */
export const listDates = async (reader: Reading, asked: DatesRequest): Promise<DateOfRecord[]> => {
  const rows = await withKeptPlans(reader, ({ run }) =>
    run(dates, { everyLimitationTo: null, max: maxDates, ...asked, ...viewerOf(reader) }),
  );
  return rows.map((row) => ({
    kind: row.kind,
    id: row.id,
    day: row.day,
    lastDay: row.lastDay,
    title: row.title,
    eventKind: row.eventKind,
    startsAt: row.startsAt && new Date(row.startsAt),
    endsAt: row.endsAt && new Date(row.endsAt),
    people: row.people,
    assignee: row.assigneeId === null ? null : { id: row.assigneeId, name: row.assigneeName ?? '' },
    record: { ...recordOf(row), practiceAreaName: row.practiceAreaName },
  }));
};

/**
 * The reader's active matters without a limitation date, where their practice area expects one; the
 * newest first.
 */
export const listMissingLimitations = async (reader: Reader): Promise<MissingLimitation[]> => {
  const { firmId, memberId } = reader;
  return reader.run(missing, { firmId, memberId });
};

type MissingLimitation = { id: string; number: string; title: string; practiceAreaName: string };

type DateRow = Omit<DateOfRecord, 'record' | 'assignee'> &
  SubjectColumns & {
    practiceAreaName: string | null;
    assigneeId: string | null;
    assigneeName: string | null;
  };

const ofTeam = (
  given: Given<{ firmId: string; memberId: string | null }>,
  matterId = sql`matter.id`,
) => sql`exists (select from matter_team
  where matter_team.firm_id = ${given.firmId}::uuid and matter_team.matter_id = ${matterId}
    and matter_team.member_id = ${given.memberId}::uuid)`;

const ofAssignees = (
  given: Given<{ firmId: string; memberId: string | null }>,
) => sql`exists (select from lead_assignee
  where lead_assignee.firm_id = ${given.firmId}::uuid and lead_assignee.lead_id = event.lead_id
    and lead_assignee.member_id = ${given.memberId}::uuid)`;

type Values = Required<DatesRequest> & Viewer;

const limitations = (given: Given<Values>) => sql`
  select 'limitation' as kind, matter.id, matter.sol_date as day, matter.sol_date as last_day,
    null::timestamptz as starts_at, null::timestamptz as ends_at, null as title,
    null::uuid as assignee_id, null::uuid as event_kind_id, matter.firm_id, matter.id as matter_id, null::uuid as lead_id
  from matter
  where matter.firm_id = ${given.firmId}::uuid and matter.deleted_at is null
    and matter.status <> 'ARCHIVE' and matter.limitation_met_on is null
    and matter.sol_date <= ${given.to}::date
    and (${given.overdue}::boolean or matter.sol_date >= ${given.from}::date)
    and (not ${given.mine}::boolean or matter.sol_date <= ${given.everyLimitationTo}::date
      or ${ofTeam(given)})`;

const tasks = (given: Given<Values>) => sql`
  select 'task', ${task.id}, ${task.dueOn}, ${task.dueOn}, null, null, ${task.title}, ${task.assigneeId}, null,
    ${task.firmId}, ${task.matterId}, ${task.leadId}
  from ${task}
  where ${task.firmId} = ${given.firmId}::uuid and ${task.doneAt} is null and ${task.cancelledAt} is null
    and ${task.dueOn} <= ${given.to}::date
    and (${given.overdue}::boolean or ${task.dueOn} >= ${given.from}::date)
    and (not ${given.mine}::boolean or ${task.assigneeId} = ${given.memberId}::uuid)`;

// First by the index, with a day to spare for any time zone. Events of long ago are not searched.
const events = (given: Given<Values>) => sql`
  select 'event', event.id, coalesce(event.first_day, span.first_day),
    coalesce(event.last_day, span.last_day),
    case when event.first_day is null then event.starts_at end, event.ends_at, event.title, null,
    event.kind_id, event.firm_id, event.matter_id, event.lead_id
  from calendar_event event
  join firm on firm.id = event.firm_id
  cross join lateral (select (event.starts_at at time zone firm.time_zone)::date as first_day,
    (coalesce(event.ends_at, event.starts_at) at time zone firm.time_zone)::date as last_day) as span
  where event.firm_id = ${given.firmId}::uuid and event.cancelled_at is null
    and event.starts_at >= ${given.from}::date - interval '62 days'
    and event.starts_at < ${given.to}::date + interval '2 days'
    and coalesce(event.first_day, span.first_day) <= ${given.to}::date
    and coalesce(event.last_day, span.last_day) >= ${given.from}::date
    and (not ${given.mine}::boolean or ${ofTeam(given, sql`event.matter_id`)}
      or event.matter_id is null and ${ofAssignees(given)}
      or exists (select from event_guest guest
      where guest.firm_id = ${given.firmId}::uuid and guest.event_id = event.id
        and guest.member_id = ${given.memberId}::uuid))`;

const mostPeople = sql.raw('5');

const responsible = (given: Given<Values>) => sql`array(
  select person.name from matter_team
  join member person on person.firm_id = matter_team.firm_id and person.id = matter_team.member_id
  where matter_team.firm_id = ${given.firmId}::uuid and matter_team.matter_id = dates.matter_id
    and matter_team.role = 'RESPONSIBLE_ATTORNEY'
  order by person.name limit ${mostPeople})`;

const invited = (given: Given<Values>) => sql`array(
  select coalesce(person.name, guest.email) from event_guest guest
  left join member person on person.firm_id = guest.firm_id and person.id = guest.member_id
  where guest.firm_id = ${given.firmId}::uuid and guest.event_id = dates.id
  order by person.name, guest.email limit ${mostPeople})`;

const partOfDates = {
  firmId: sql`dates.firm_id`,
  matterId: sql`dates.matter_id`,
  leadId: sql`dates.lead_id`,
};

const dates = statement(
  (given: Given<Values>) => sql<DateRow>`
    select dates.kind, dates.id::text as id, dates.day::text as day,
      dates.last_day::text as "lastDay", dates.starts_at as "startsAt", dates.ends_at as "endsAt",
      dates.title, event_kind.name as "eventKind", dates.assignee_id::text as "assigneeId", member.name as "assigneeName",
      to_json(case dates.kind
        when 'limitation' then ${responsible(given)}
        when 'event' then ${invited(given)}
        else array_remove(array[member.name], null) end) as people,
      ${subjectColumns}, practice_area.name as "practiceAreaName"
    from (${limitations(given)} union all ${tasks(given)} union all ${events(given)}) dates
    ${joinSubject(partOfDates, given)}
    left join practice_area on practice_area.firm_id = dates.firm_id
      and practice_area.id = coalesce(matter.practice_area_id, lead.practice_area_id)
    left join member on member.firm_id = dates.firm_id and member.id = dates.assignee_id
    left join event_kind on event_kind.firm_id = dates.firm_id and event_kind.id = dates.event_kind_id
    where ${mayReadAbout(given)}
    order by dates.day, dates.starts_at nulls first, dates.kind, coalesce(matter.ordinal, lead.ordinal), dates.id
    limit ${given.max}::int`,
);

const missing = statement(
  (given: Given<{ firmId: string; memberId: string | null }>) => sql<MissingLimitation>`
    select matter.id::text as id, matter.number, matter.title, practice_area.name as "practiceAreaName"
    from matter
    join practice_area on practice_area.firm_id = matter.firm_id
      and practice_area.id = matter.practice_area_id
    where matter.firm_id = ${given.firmId}::uuid and matter.deleted_at is null
      and matter.status = 'ACTIVE' and matter.sol_date is null
      and practice_area.expects_limitation_date and ${ofTeam(given)}
    order by matter.ordinal desc limit 20`,
);
