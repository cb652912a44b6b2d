/** What a mail says of dates by rule that a second person has yet to confirm. */
import { sql } from 'drizzle-orm';
import { calendarEvent } from '../calendar/table.ts';
import { dateRule, isUntouched, ruledDate } from '../date-rules/table.ts';
import { matter } from '../matters/table.ts';
import type { Given } from '../postgres/statement.ts';
import { isOfUnheld, receipt } from '../receipts/table.ts';
import { task } from '../tasks/table.ts';

/** How many of these tasks and events wait for a second person, as `isWaiting` in date-rules has it. */
export const waitingAmong = ({ firmId }: Given<'firmId'>, ids: ReturnType<typeof sql>) => sql`(
  select count(*)::int from (${ids}) as asked (id)
  left join ${task} on ${task.firmId} = ${firmId}::uuid and ${task.id} = asked.id
  left join ${calendarEvent} event on event.firm_id = ${firmId}::uuid and event.id = asked.id
  join ${matter} of_date on of_date.firm_id = ${firmId}::uuid
    and of_date.id = coalesce(${task.matterId}, event.matter_id)
    and of_date.deleted_at is null and of_date.status <> 'ARCHIVE'
  join ${ruledDate} made on made.firm_id = ${firmId}::uuid and made.matter_id = of_date.id
    and coalesce(made.task_id, made.event_id) = asked.id and made.confirmed_at is null
  join ${dateRule} rule on rule.firm_id = ${firmId}::uuid and rule.id = made.rule_id
    and rule.needs_confirmation
  where ${isUntouched} and ${task.doneAt} is null and ${task.cancelledAt} is null
    and event.cancelled_at is null)`;

/** How many of the dates that a `notification` is about wait for a second person. */
export const waitingOfNotice = (given: Given<'firmId'>) =>
  waitingAmong(
    given,
    sql`select notification.record_id
    union
    select coalesce(receipt.task_id, receipt.event_id) from ${receipt}
    where ${receipt.firmId} = ${given.firmId}::uuid and notification.record_id is null
      and ${receipt.memberId} = notification.member_id and ${receipt.matterId} is null and ${receipt.withdrawnAt} is null and ${receipt.acknowledgedAt} is null
      and (${receipt.notificationId} = notification.id
        or notification.kind like '%.unheld' and ${isOfUnheld})`,
  );
