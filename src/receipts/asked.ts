/** Which dates a notice asks its member about. */
import { type SQL, sql } from 'drizzle-orm';
import { calendarEvent, isOfPastEvent } from '../calendar/table.ts';
import { matter } from '../matters/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { task } from '../tasks/table.ts';
import { isAboutRead, roleReads } from '../visibility/subject.ts';
import { isOfSeveralUnheld, type ReceiptOf, receipt, receiptOf, recordOfReceipt } from './table.ts';

/**
 * What a member is asked about by a notice: which record, by its id, what it is called, its day, and when it begins if it is
 * an event with hours. `isFollowed`: it is the first of several events of a series.
 */
export type AskedDate = {
  about: ReceiptOf;
  recordId: string;
  day: string;
  startsAt: Date | null;
  name: string;
  isFollowed?: boolean;
};

/**
 * Of these notices of the reader, the dates that they are asked about now, by the notice's id; of a notice of several dates,
 * the nearest first.
 */
export const askedAmong = async (
  reader: Pick<Reader, 'run' | 'firmId' | 'memberId'>,
  noticeIds: readonly string[],
): Promise<ReadonlyMap<string, readonly AskedDate[]>> => {
  if (noticeIds.length === 0) return new Map();
  const { firmId, memberId } = reader;
  const rows = await reader.run(openAmong, { firmId, memberId, noticeIds: [...noticeIds] });
  const dates = rows.map((row) => ({ ...row, startsAt: row.startsAt && new Date(row.startsAt) }));
  const byNotice = Map.groupBy(dates, ({ noticeId }) => noticeId);
  return new Map([...byNotice].map(([id, ofOne]) => [id, datesOf(ofOne)]));
};

type Row = AskedDate & { noticeId: string; isOfSeveral: boolean };

/** Also several notices of one limitation date ask once, and events of a series that share a notice are said together. */
const datesOf = (rows: readonly Row[]): AskedDate[] => {
  const [first, second] = rows;
  if (!first) return [];
  if (!first.isOfSeveral) {
    return [{ ...first, isFollowed: second !== undefined && first.about === 'event' }];
  }
  return [...new Map(rows.map((row) => [row.recordId, row])).values()];
};

type Own = { firmId: string; memberId: string | null };

/** The receipts that are open for the reader and belong to a `notification` in this way. */
const openReceipts = ({ firmId, memberId }: Given<Own>, way: SQL) => sql`
      select receipt.id from ${receipt}
      where receipt.firm_id = ${firmId}::uuid and receipt.member_id = ${memberId}::uuid
        and receipt.acknowledged_at is null and receipt.withdrawn_at is null and ${way}`;

// An index leads each way to its receipts: thousands can be open for a member who never says "I have it".
const waysToReceipts = [
  sql`receipt.notification_id = notification.id`,
  sql`notification.kind like 'limitation.%' and receipt.matter_id = notification.record_id`,
  sql`notification.kind = 'task.unheld' and receipt.task_id = notification.record_id`,
  sql`notification.kind = 'event.unheld' and receipt.event_id = notification.record_id`,
  sql`notification.kind like '%.unheld' and ${isOfSeveralUnheld}`,
];

// Each notice of a limitation date asks, also one before the newest; a task or an event has one, and events of a series
// that were made together share it.
const openAmong = statement(
  (given: Given<Own & { noticeIds: string[] }>) => sql<Row>`
    select notification.id::text as "noticeId", notification.record_id is null as "isOfSeveral",
      ${receiptOf} as about, ${recordOfReceipt}::text as "recordId", receipt.day::text as day, called.name,
      (select ${calendarEvent.startsAt} from ${calendarEvent}
        where ${calendarEvent.firmId} = ${given.firmId}::uuid
          and ${calendarEvent.id} = receipt.event_id
          and ${calendarEvent.firstDay} is null) as "startsAt"
    from notification
    join member on member.firm_id = notification.firm_id and member.id = notification.member_id
    join role on role.firm_id = member.firm_id and role.id = member.role_id
    cross join lateral (${sql.join(
      waysToReceipts.map((way) => openReceipts(given, way)),
      sql` union `,
    )}) as asked
    join receipt on receipt.firm_id = notification.firm_id and receipt.id = asked.id
    cross join lateral (select coalesce(
      (select ${matter.number} || ' ' || ${matter.title} from ${matter}
        where ${matter.firmId} = ${given.firmId}::uuid and ${matter.id} = receipt.matter_id
          and ${matter.deletedAt} is null and ${roleReads('matters')}),
      (select ${task.title} from ${task} where ${task.firmId} = ${given.firmId}::uuid
        and ${task.id} = receipt.task_id and ${isAboutRead(task, given.firmId)}),
      (select ${calendarEvent.title} from ${calendarEvent}
        where ${calendarEvent.firmId} = ${given.firmId}::uuid
          and ${calendarEvent.id} = receipt.event_id
          and ${isAboutRead(calendarEvent, given.firmId)})) as name) as called
    where notification.firm_id = ${given.firmId}::uuid and notification.member_id = ${given.memberId}::uuid
      and notification.id = any(${given.noticeIds}::bigint[])
      and member.firm_id = ${given.firmId}::uuid
      and receipt.firm_id = ${given.firmId}::uuid
      and called.name is not null
      and not (notification.kind = 'event.unheld' and ${isOfPastEvent(given)})
    order by receipt.day, receipt.id`,
);
