/** The tasks with a day and the events of which more people are told, if the firm has chosen it. */
import { type SQLWrapper, sql } from 'drizzle-orm';
import { calendarEvent, eventGuest } from '../calendar/table.ts';
import { leadAssignee } from '../leads/table.ts';
import type { Given } from '../postgres/statement.ts';
import { task } from '../tasks/table.ts';
import { isAboutRead, type Part } from '../visibility/subject.ts';
import { type Escalating, escalationOf, isOnTeam, type Whose } from './escalation.ts';

const today = sql.raw(`cross join lateral (
      select (moment() at time zone firm.time_zone)::date as today offset 0) as here`);

/** Whether the firm has chosen it: Postgres asks once, before it reads any row. */
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

/** A task further in the past gives no notice; the pages still show it. */
const tasks: Escalating = {
  about: 'task',
  one: 'a task',
  several: 'tasks',
  dates: sql`${task}
    join firm on firm.id = ${task.firmId}
    ${today}
    cross join lateral (select ${task.dueOn} - here.today as days, 0 as step offset 0) as at`,
  isDue: (given) => sql`${isChosen(given)} and ${task.firmId} = ${given.firmId}::uuid
      and ${isOfMatter(given, task)} and ${task.doneAt} is null and ${task.cancelledAt} is null
      and ${task.dueOn} >= here.today - 30`,
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

/** What is past needs nobody any more. */
const events: Escalating = {
  about: 'event',
  one: 'an event',
  several: 'events',
  dates: sql`${calendarEvent}
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
