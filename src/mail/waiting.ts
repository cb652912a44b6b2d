/** What mails and the inbox say of dates by rule that a second person has yet to confirm. */
import { sql } from 'drizzle-orm';
import { calendarEvent } from '../calendar/table.ts';
import { dateRule, isStanding, isWaiting, ruledDate } from '../date-rules/table.ts';
import { firm } from '../firm/table.ts';
import { matter } from '../matters/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { isOfSeveralUnheld, receipt } from '../receipts/table.ts';
import type { Reader } from '../record/actor.ts';
import { task } from '../tasks/table.ts';

/** Those of these tasks and events that wait for a second person, as `id`. */
const waitingAmong = ({ firmId }: Given<'firmId'>, ids: ReturnType<typeof sql>) => sql`
  select asked.id from (${ids}) as asked (id)
  join ${firm} on ${firm.id} = ${firmId}::uuid
  left join ${task} on ${task.firmId} = ${firmId}::uuid and ${task.id} = asked.id
  left join ${calendarEvent} event on event.firm_id = ${firmId}::uuid and event.id = asked.id
  join ${matter} on ${matter.firmId} = ${firmId}::uuid
    and ${matter.id} = coalesce(${task.matterId}, event.matter_id) and ${matter.deletedAt} is null
  join ${ruledDate} made on made.firm_id = ${firmId}::uuid and made.matter_id = ${matter.id}
    and coalesce(made.task_id, made.event_id) = asked.id
  join ${dateRule} rule on rule.firm_id = ${firmId}::uuid and rule.id = made.rule_id
  where ${isWaiting} and ${isStanding}`;

/** How many of these tasks and events wait for a second person. */
export const countWaiting = (given: Given<'firmId'>, ids: ReturnType<typeof sql>) =>
  sql`(select count(*)::int from (${waitingAmong(given, ids)}) as waiting)`;

/** The ids of the records that a `notification` is about: its own, or of several those that its member is asked about. */
const recordsOfNotice = ({ firmId }: Given<'firmId'>) => sql`
    select notification.record_id
    union
    select coalesce(receipt.task_id, receipt.event_id) from ${receipt}
    where ${receipt.firmId} = ${firmId}::uuid and notification.record_id is null
      and ${receipt.memberId} = notification.member_id and ${receipt.matterId} is null and ${receipt.withdrawnAt} is null and ${receipt.acknowledgedAt} is null
      and (${receipt.notificationId} = notification.id
        or notification.kind like '%.unheld' and ${isOfSeveralUnheld})`;

/** How many of the dates that a `notification` is about wait for a second person. */
export const waitingOfNotice = (given: Given<'firmId'>) =>
  countWaiting(given, recordsOfNotice(given));

/** The ids of the tasks and events that these notices of the reader are about, and that wait for a second person. */
export const waitingOfNotices = async (
  reader: Pick<Reader, 'run' | 'firmId' | 'memberId'>,
  noticeIds: readonly string[],
): Promise<ReadonlySet<string>> => {
  if (noticeIds.length === 0) return new Set();
  const { firmId, memberId } = reader;
  const rows = await reader.run(waitingIds, { firmId, memberId, noticeIds: [...noticeIds] });
  return new Set(rows.map(({ id }) => id));
};

const waitingIds = statement(
  (given: Given<{ firmId: string; memberId: string | null; noticeIds: string[] }>) => sql<{
    id: string;
  }>`
    select distinct waiting.id::text as id
    from notification
    cross join lateral (${waitingAmong(given, recordsOfNotice(given))}) as waiting
    where notification.firm_id = ${given.firmId}::uuid
      and notification.member_id = ${given.memberId}::uuid
      and notification.id = any(${given.noticeIds}::bigint[])`,
);
