import { sql } from 'drizzle-orm';
import { calendarEvent, isOfPastEvent } from '../calendar/table.ts';
import { lead } from '../leads/table.ts';
import { matter } from '../matters/table.ts';
import type { Given } from '../postgres/statement.ts';
import { isOfSeveralUnheld, isOfUnheld, receipt } from '../receipts/table.ts';
import { task } from '../tasks/table.ts';
import { isAboutRead, isAboutSeen, ofMember, roleReads } from '../visibility/subject.ts';
import { canSeeLead } from '../visibility/visibility.ts';

/**
 * Whether a member may see a notification now, for a query that joins `notification`, its `member`
 * and their `role`. What has become private, was deleted, or is now beyond the member's role is not
 * shown. The records are values and not `exists`, which Postgres may answer by reading all of them.
 */
export const isVisible = ({ firmId }: Given<'firmId'>) => sql`(notification.replaced_by_id is null
  and (notification.kind not like 'lead.%' or ${roleReads('leads')})
  and (notification.kind not in ('lead.new', 'lead.assigned', 'lead.due', 'lead.unheld') or notification.record_id is null
    or (select true from ${lead}
    where ${lead.firmId} = ${firmId}::uuid and ${lead.id} = notification.record_id
      and ${lead.deletedAt} is null
      and ${canSeeLead(ofMember(firmId))}))
  and (notification.kind not in ('limitation.near', 'limitation.unheld')
    or (${roleReads('matters')}
      and (notification.kind = 'limitation.unheld' and notification.record_id is null or (select true from ${matter} where ${matter.firmId} = ${firmId}::uuid
        and ${matter.id} = notification.record_id and ${matter.deletedAt} is null))))
  and (notification.kind <> 'event.unheld' or notification.record_id is null or ${seesRecord(calendarEvent, firmId)})
  and (notification.kind not in ('task.assigned', 'task.unheld') or notification.record_id is null
    or ${seesRecord(task, firmId)})
  and (notification.kind <> 'event.invited' or (select true from ${calendarEvent}
    where ${calendarEvent.firmId} = ${firmId}::uuid and ${calendarEvent.id} = notification.record_id
      and (${calendarEvent.matterId} is not null
        or ${roleReads('leads')}
          and ${isAboutSeen(calendarEvent, ofMember(firmId))})))
  and (notification.kind <> 'event.cancelled' or (select coalesce(${lead.deletedAt} is null
      and ${roleReads('leads')} and ${canSeeLead(ofMember(firmId))}, false)
    from ${lead} where ${lead.firmId} = ${firmId}::uuid and ${lead.id} = notification.record_id) is not false))`;

const seesRecord = (
  part: typeof task | typeof calendarEvent,
  firmId: Given<'firmId'>['firmId'],
) => sql`(select true from ${part} where ${part.firmId} = ${firmId}::uuid
    and ${part.id} = notification.record_id and ${isAboutRead(part, firmId)})`;

/**
 * Whether what a notice says still stands, for a query that joins `notification`: a limitation date that was met or
 * moved, or whose matter is archived, is no longer asked about, nor is a task that is done (of several in one notice, all
 * of them) or an event that was moved, or a next step that was answered, nor several dates that nobody had
 * once the member is asked about none of them, nor an event that nobody had once it is over. A date that comes back stands again. Of dates
 * without a receipt nothing is known, and they stand. Each case looks up the few receipts of one notice.
 */
export const stillStands = ({ firmId }: Given<'firmId'>) => sql`(case
  when notification.kind in ('limitation.near', 'task.assigned', 'event.invited') then (
    select bool_and(${receipt.withdrawnAt} is not null) and (notification.kind <> 'task.assigned'
      or count(distinct ${receipt.taskId}) >= coalesce(notification.count, 1))
    from ${receipt} where ${receipt.firmId} = ${firmId}::uuid
      and ${receipt.notificationId} = notification.id) is not true
  when notification.kind in ('limitation.unheld', 'task.unheld', 'event.unheld')
    and notification.record_id is null then exists (
    select 1 from ${receipt} where ${receipt.firmId} = ${firmId}::uuid and ${isOfSeveralUnheld}
      and ${receipt.acknowledgedAt} is null and ${receipt.withdrawnAt} is null
      and not ${isOfPastEvent({ firmId })})
  when notification.kind in ('limitation.unheld', 'task.unheld', 'event.unheld') then (
    select bool_and(${receipt.withdrawnAt} is not null or ${isOfPastEvent({ firmId })})
    from ${receipt} where ${receipt.firmId} = ${firmId}::uuid and ${isOfUnheld}) is not true
  when notification.kind = 'lead.unheld' and notification.record_id is not null then (
    select ${lead.nextTouchDueAt} <= moment() from ${lead} where ${lead.firmId} = ${firmId}::uuid
      and ${lead.id} = notification.record_id) is true
  else true end)`;
