/**
 * The tasks with a day and the events of which more people are told, if the firm has chosen it; and the next steps of leads, of
 * which the owners are always told.
 */
import { type SQLWrapper, sql } from 'drizzle-orm';
import { calendarEvent, eventGuest } from '../calendar/table.ts';
import { contact } from '../contacts/table.ts';
import { isWorkingDay } from '../firm/days.ts';
import { lead, leadAssignee } from '../leads/table.ts';
import { type Given, shortStatement, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { task } from '../tasks/table.ts';
import { isAboutRead, type Part } from '../visibility/subject.ts';
import {
  type Escalating,
  escalationOf,
  isOnTeam,
  noticeOfUnheld,
  type Whose,
  workingDaysSince,
} from './escalation.ts';

const today = sql.raw(`cross join lateral (
      select (moment() at time zone firm.time_zone)::date as today offset 0) as here`);

/** Whether the firm has chosen it for tasks and events: Postgres asks once, before it reads any row. */
const isChosen = ({ firmId }: Given<'firmId'>) =>
  sql`(select work_escalates_since from firm where firm.id = ${firmId}::uuid) is not null`;

/** Of the matter, if one is asked for; of none that is archived or deleted. */
const isOfMatter = ({ firmId, matterId }: Given<Whose>, part: { matterId: SQLWrapper }) =>
  sql`((${matterId}::uuid is null or ${part.matterId} = ${matterId}::uuid)
    and (${part.matterId} is null or exists (select 1 from matter
      where matter.firm_id = ${firmId}::uuid and matter.id = ${part.matterId}
        and matter.deleted_at is null and matter.status <> 'ARCHIVE')))`;

/** On the team of the matter, or assigned to the lead that is not hired. */
const isOneOfItsPeople = (
  given: Given<'firmId'>,
  part: Part,
) => sql`(${isOnTeam(given, part.matterId)}
  or ${part.matterId} is null and exists (select 1 from ${leadAssignee}
    where ${leadAssignee.firmId} = ${given.firmId}::uuid and ${leadAssignee.leadId} = ${part.leadId}
      and ${leadAssignee.memberId} = member.id))`;

const since = sql.raw('firm.work_escalates_since');

/** So many days after its day, a task or an event that nobody has still gives notices. The pages show a task longer. */
const lastDays = { task: 30, event: 0 };

/**
 * Whether more people are told of a task or an event of this day, `YYYY-MM-DD`, while nobody has it: the firm has chosen it,
 * and the day is not too long past.
 */
export const isEscalated = async (
  reader: Reader,
  about: keyof typeof lastDays,
  day: string | null,
): Promise<boolean> => {
  const given = { firmId: reader.firmId, day, days: lastDays[about] };
  return (await reader.first(escalates, given))?.isOn === true;
};

type OfDay = { firmId: string; day: string | null; days: number };

const escalates = shortStatement(
  ({ firmId, day, days }: Given<OfDay>) => sql<{ isOn: boolean | null }>`
    select work_escalates_since is not null and ${day}::date + ${days}::int
      >= (moment() at time zone time_zone)::date as "isOn"
    from firm where id = ${firmId}::uuid`,
);

const tasks: Escalating = {
  about: 'task',
  one: 'a task',
  several: 'tasks',
  dates: () => sql`${task}
    join firm on firm.id = ${task.firmId}
    ${today}
    cross join lateral (select ${task.dueOn} - here.today as days, 0 as step offset 0) as at`,
  isDue: (given) => sql`${isChosen(given)} and ${task.firmId} = ${given.firmId}::uuid
      and ${isOfMatter(given, task)} and ${task.doneAt} is null and ${task.cancelledAt} is null
      and ${task.dueOn} >= here.today - ${sql.raw(String(lastDays.task))}`,
  id: sql`${task.id}`,
  column: sql.raw('task_id'),
  day: sql`${task.dueOn}`,
  words: sql`${task.title}`,
  since,
  once: sql.raw('firm_id, task_id, member_id'),
  maySee: ({ firmId }) => isAboutRead(task, firmId),
  isDeputy: ({ firmId }) => sql`exists (select 1 from member absent
    where absent.firm_id = ${firmId}::uuid and absent.id = ${task.assigneeId}
      and absent.deputy_id = member.id)`,
  isColleague: (given) => sql`(member.id is distinct from ${task.assigneeId}
    and ${isOneOfItsPeople(given, task)})`,
};

const isGuest = ({ firmId }: Given<'firmId'>) => sql`exists (select 1 from ${eventGuest} guest
  where guest.firm_id = ${firmId}::uuid and guest.event_id = calendar_event.id
    and guest.member_id = member.id)`;

const events: Escalating = {
  about: 'event',
  one: 'an event',
  several: 'events',
  dates: () => sql`${calendarEvent}
    join firm on firm.id = ${calendarEvent.firmId}
    ${today}
    cross join lateral (select coalesce(${calendarEvent.firstDay},
      (${calendarEvent.startsAt} at time zone firm.time_zone)::date) as day offset 0) as held_on
    cross join lateral (select held_on.day - here.today as days, 0 as step offset 0) as at`,
  isDue: (given) => sql`${isChosen(given)} and ${calendarEvent.firmId} = ${given.firmId}::uuid
      and ${isOfMatter(given, calendarEvent)} and ${calendarEvent.cancelledAt} is null and at.days >= 0
      and ${calendarEvent.startsAt} > moment() - interval '2 days'
      and exists (select 1 from receipt invited
        where invited.firm_id = ${given.firmId}::uuid and invited.event_id = ${calendarEvent.id}
          and invited.asked_as = 'guest' and invited.withdrawn_at is null)`,
  id: sql`${calendarEvent.id}`,
  column: sql.raw('event_id'),
  day: sql.raw('held_on.day'),
  words: sql`${calendarEvent.title}`,
  since,
  once: sql.raw('firm_id, event_id, member_id'),
  maySee: ({ firmId }) => isAboutRead(calendarEvent, firmId),
  isDeputy: ({ firmId }) => sql`exists (select 1 from ${eventGuest} guest
    join member absent on absent.firm_id = guest.firm_id and absent.id = guest.member_id
    where guest.firm_id = ${firmId}::uuid and guest.event_id = calendar_event.id
      and absent.deputy_id = member.id)`,
  isColleague: (given) =>
    sql`(not ${isGuest(given)} and ${isOneOfItsPeople(given, calendarEvent)})`,
};

/** What happens while nobody has a task with a day, or an event. */
export const workUnheld = [tasks, events].map(escalationOf);

/** Whether a lead has a next step that is due. */
const isDueStep = ({ firmId }: Given<'firmId'>) => sql`(${lead.firmId} = ${firmId}::uuid
  and ${lead.deletedAt} is null and ${lead.status} in ('ACTIVE', 'DRAFT')
  and ${lead.nextTouchDueAt} <= moment())`;

// Those assigned were told when it fell due (`lead.due`), an owner among them perhaps only today, because no server ran. A touch
// takes the next step away, so nobody acknowledges it.
const unansweredSteps = (given: Given<'firmId'>) => sql`
      select firm.id as firm_id, member.id as member_id, here.today, count(*) as dates,
        min(left(${lead.nextTouch}, 10))::date as day, (array_agg(${lead.id}))[1] as record_id,
        min(concat_ws(' ', ${lead.number}, ${contact.name})) as words, false as stands_in
      from ${lead}
      join firm on firm.id = ${lead.firmId}
      ${today}
      cross join lateral (select (${lead.nextTouchDueAt} at time zone firm.time_zone)::date as on_day offset 0) as asked
      cross join lateral ${workingDaysSince(given)}
      join member on member.firm_id = ${given.firmId}::uuid and member.deactivated_at is null
      join role on role.firm_id = member.firm_id and role.id = member.role_id and role.holds_all
      left join ${contact} on ${contact.firmId} = ${lead.firmId} and ${contact.id} = ${lead.contactId}
        and ${contact.deletedAt} is null
      where ${isDueStep(given)}
        and ${lead.nextTouchDueAt} > moment() - interval '30 days'
        and working.passed >= firm.unheld_days and ${isWorkingDay(sql.raw('here.today'), given)}
        and not exists (select 1 from notification due
          where due.firm_id = ${given.firmId}::uuid and due.record_id = ${lead.id} and due.member_id = member.id
            and due.kind = 'lead.due' and (due.created_at at time zone firm.time_zone)::date = here.today)
      group by firm.id, member.id, here.today`;

/**
 * Tells the owners of the next steps of open leads that nobody has answered within the firm's limit, each in one notice, on
 * each working day until a person touches the lead. Who was told today that it is due is not told of it again today.
 */
export const tellUnanswered = statement((given: Given<'firmId'>) =>
  noticeOfUnheld(given, {
    ...{ about: 'lead', open: 'Not answered', one: 'a next step', several: 'next steps' },
    cause: sql.raw('told.today::text'),
    told: unansweredSteps(given),
    // One of several leads to the list of all next steps that are due.
    names: (record) => sql`exists (select 1 from ${lead}
      where ${isDueStep(given)} and ${lead.id} = ${record})`,
    leavesOut: sql`(given.record_id is not null and exists (select 1 from ${lead}
      where ${isDueStep(given)} and ${lead.id} <> given.record_id
        and ${lead.nextTouchDueAt} <= notification.created_at))`,
  }),
);
