/** Which notices are past, because what they say no longer stands. */
import { sql } from 'drizzle-orm';
import { calendarEvent, isOfPastEvent } from '../calendar/table.ts';
import { matter } from '../matters/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import {
  isOfUnheld,
  type ReceiptOf,
  receipt,
  receiptOf,
  type Withdrawn,
} from '../receipts/table.ts';
import type { Reader } from '../record/actor.ts';
import { task } from '../tasks/table.ts';
import { stillStands } from './visible.ts';

/** Why a notice is past: what became of its date; that its event is over, a next step was answered, or nothing is left of several. */
export type Ended = {
  because: Withdrawn | 'over' | 'answered' | 'none_left';
  /** What the notice was about; null for a next step, and for several. */
  about: ReceiptOf | null;
  /** The day of the date now, if it has one. */
  day: string | null;
  /** When it begins now, if it is an event with hours. */
  startsAt: Date | null;
};

/** Of these notices of the reader, those that are past, by the notice's id. */
export const endedAmong = async (
  reader: Pick<Reader, 'run' | 'firmId' | 'memberId'>,
  noticeIds: readonly string[],
): Promise<ReadonlyMap<string, Ended>> => {
  if (noticeIds.length === 0) return new Map();
  const { firmId, memberId } = reader;
  const rows = await reader.run(past, { firmId, memberId, noticeIds: [...noticeIds] });
  return new Map(
    rows.map(({ noticeId, startsAt, ...ended }) => [
      noticeId,
      { ...ended, startsAt: startsAt && new Date(startsAt) },
    ]),
  );
};

const past = statement(
  (given: Given<{ firmId: string; memberId: string | null; noticeIds: string[] }>) => sql<
    Ended & { noticeId: string }
  >`
    select notification.id::text as "noticeId", last.about,
      case when notification.kind = 'lead.unheld' then 'answered'
        else coalesce(last.because, 'none_left') end as because,
      coalesce(
        (select ${matter.solDate} from ${matter}
          where ${matter.firmId} = ${given.firmId}::uuid and ${matter.id} = last.matter_id),
        (select ${task.dueOn} from ${task}
          where ${task.firmId} = ${given.firmId}::uuid and ${task.id} = last.task_id),
        (select coalesce(${calendarEvent.firstDay},
            (${calendarEvent.startsAt} at time zone firm.time_zone)::date) from ${calendarEvent}
          join firm on firm.id = ${calendarEvent.firmId}
          where ${calendarEvent.firmId} = ${given.firmId}::uuid
            and ${calendarEvent.id} = last.event_id))::text as day,
      (select ${calendarEvent.startsAt} from ${calendarEvent}
        where ${calendarEvent.firmId} = ${given.firmId}::uuid
          and ${calendarEvent.id} = last.event_id
          and ${calendarEvent.firstDay} is null) as "startsAt"
    from notification
    left join lateral (
      select ${receiptOf} as about, case when receipt.withdrawn_at is null and ${isOfPastEvent(given)}
        then 'over' else receipt.withdrawn_because end as because, receipt.matter_id,
        receipt.task_id, receipt.event_id
      from ${receipt} where ${receipt.firmId} = ${given.firmId}::uuid and coalesce(notification.count, 1) = 1
        and notification.record_id is not null and (receipt.notification_id = notification.id
          or notification.kind like '%.unheld' and ${isOfUnheld})
      order by receipt.withdrawn_at desc, receipt.asked_at desc limit 1) as last on true
    where notification.firm_id = ${given.firmId}::uuid
      and notification.member_id = ${given.memberId}::uuid
      and notification.id = any(${given.noticeIds}::bigint[]) and not ${stillStands(given)}`,
);
