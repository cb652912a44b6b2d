/** Who is asked for the receipt of a task with a day, and of an event: those who are told of it. */
import { sql } from 'drizzle-orm';
import { calendarEvent, eventGuest, partOfEvent } from '../calendar/table.ts';
import { isHolderOrDeputy } from '../firm/absence.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Write } from '../record/write.ts';
import { task } from '../tasks/table.ts';
import { isAboutSeen, ofMember } from '../visibility/subject.ts';

/**
 * Asks the assignee of an open task that has a day whether they have it. `cause` is that of the notice, which
 * was given before in the same write; who has switched its kind off is asked without one. A deputy who got the notice
 * is asked, too.
 */
export const askAssignee = (w: Write, taskId: string, cause: string) =>
  void w.run(askHolder, { firmId: w.firmId, taskId, cause });

const askHolder = statement(
  (given: Given<'firmId' | 'taskId' | 'cause'>) => sql`
    insert into receipt (firm_id, id, task_id, member_id, day, step, asked_as, asked_at, told_at, notification_id)
    select task.firm_id, gen_random_uuid(), task.id, member.id, task.due_on, 0,
      case when member.id = task.assignee_id then 'assignee' else 'deputy' end, moment(),
      notification.created_at, notification.id
    from ${task}
    join member holder on holder.firm_id = task.firm_id and holder.id = task.assignee_id
    join member on member.firm_id = task.firm_id and member.id in (holder.id, holder.deputy_id)
      and member.deactivated_at is null
    left join notification on notification.firm_id = task.firm_id and notification.member_id = member.id
      and notification.kind = 'task.assigned' and notification.cause = ${given.cause}
    where task.firm_id = ${given.firmId}::uuid and task.id = ${given.taskId}::uuid
      and task.due_on is not null and task.done_at is null and task.cancelled_at is null
      and (member.id = holder.id or notification.id is not null)
    on conflict do nothing`,
);

/** The cause of the notice of an event that a write gives to its guests. */
export const invitationCause = (w: Write, eventId: string) => `${eventId}:${w.author.requestId}`;

type Guests = {
  firmId: string;
  eventIds: string[];
  /** That of the notice, which is about the first event. */
  cause: string;
  emails: string[];
  doerId: string | null;
};

const given = (
  w: Write,
  eventIds: readonly [string, ...string[]],
  emails: readonly string[],
): Guests => ({
  firmId: w.firmId,
  eventIds: [...eventIds],
  cause: invitationCause(w, eventIds[0]),
  emails: [...emails],
  doerId: w.memberId,
});

/**
 * Asks the colleagues among these guests of events, other than who invites them, whether they have each of them. Their notice,
 * of the first one, was given before in the same write; who has switched its kind off is asked without one. A deputy who
 * got the notice is asked, too.
 */
export const askGuests = (
  w: Write,
  eventIds: readonly [string, ...string[]],
  emails: readonly string[],
) => void w.run(askInvited, given(w, eventIds, emails));

const colleagues = ({ firmId, emails, doerId }: Given<Guests>) => sql`
    join ${eventGuest} guest on guest.firm_id = event.firm_id and guest.event_id = event.id
      and guest.email = any(${emails}::text[])
    join member holder on holder.firm_id = guest.firm_id and holder.id = guest.member_id
    join member on member.firm_id = guest.firm_id and ${isHolderOrDeputy}
      and member.deactivated_at is null and member.id is distinct from ${doerId}::uuid
    join role on role.firm_id = member.firm_id and role.id = member.role_id
      and ${isAboutSeen(partOfEvent, ofMember(firmId))}`;

const askInvited = statement(
  (given: Given<Guests>) => sql`
    insert into receipt (firm_id, id, event_id, member_id, day, step, asked_as, asked_at, told_at, notification_id)
    select event.firm_id, gen_random_uuid(), event.id, member.id,
      coalesce(event.first_day, (event.starts_at at time zone firm.time_zone)::date), 0,
      case when member.id = holder.id then 'guest' else 'deputy' end, moment(),
      notice.created_at, notice.id
    from ${calendarEvent} event
    join firm on firm.id = event.firm_id
    ${colleagues(given)}
    left join notification notice on notice.firm_id = event.firm_id and notice.member_id = member.id
      and notice.kind = 'event.invited' and notice.cause = ${given.cause}
    where event.firm_id = ${given.firmId}::uuid and event.id = any(${given.eventIds}::uuid[])
      and event.cancelled_at is null and (member.id = holder.id or notice.id is not null)
    order by member.id <> holder.id
    on conflict do nothing`,
);
