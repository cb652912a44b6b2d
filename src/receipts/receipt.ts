/** Who was told of a date, who has opened it, and who has it. */
import { sql } from 'drizzle-orm';
import { describeError, log } from '../base/log.ts';
import { invalid, notFound } from '../base/refusal.ts';
import { calendarEvent } from '../calendar/table.ts';
import type { MailState } from '../mail/table.ts';
import { matterForChange } from '../matters/list.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Actor, Reader } from '../record/actor.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import {
  type AskedAs,
  type ReceiptOf,
  receipt,
  receiptOf,
  recordOfReceipt,
  type Withdrawn,
} from './table.ts';

/** One line: a member who must know of a date, and what is known of it. */
export type ReceiptLine = {
  id: string;
  memberId: string;
  memberName: string;
  askedAs: AskedAs;
  /** The date, and so many days before it the notice of a limitation date was due; else 0. */
  day: string;
  step: number;
  askedAt: Date;
  /** Whether the member was asked because nobody had the date. */
  isLate: boolean;
  /** When it came into the inbox; null if the member has switched these notices off. */
  toldAt: Date | null;
  /**
   * The mail that brought it, if there is one: how it stands, the server's code, since when, and whether it is the mail of a
   * morning. That of an event is its newest invitation.
   */
  mail: { state: MailState; code: number | null; at: Date; isMorning: boolean } | null;
  openedAt: Date | null;
  acknowledgedAt: Date | null;
  withdrawnAt: Date | null;
  withdrawnBecause: Withdrawn | null;
};

/**
 * The lines of a matter's limitation dates, of a task or of an event, by its id; the newest notice first. The caller has
 * checked that the reader sees it.
 */
export const receiptsOf = async (reader: Reader, recordId: string): Promise<ReceiptLine[]> => {
  const rows = await reader.run(linesOf, { firmId: reader.firmId, recordId });
  return rows.map(({ mailState, mailCode, mailAt, isMorning, ...row }) => ({
    ...row,
    askedAt: new Date(row.askedAt),
    toldAt: dated(row.toldAt),
    mail: mailState && { state: mailState, code: mailCode, at: new Date(mailAt), isMorning },
    openedAt: dated(row.openedAt),
    acknowledgedAt: dated(row.acknowledgedAt),
    withdrawnAt: dated(row.withdrawnAt),
  }));
};

const dated = (at: Date | string | null) => (at === null ? null : new Date(at));

type Row = Omit<ReceiptLine, 'mail'> & {
  mailState: MailState | null;
  mailCode: number | null;
  mailAt: string;
  isMorning: boolean;
};

/** The receipts of a record: of a matter's limitation date, of a task, or of an event. */
const isOf = ({ recordId }: Given<'recordId'>) => sql`(receipt.matter_id = ${recordId}::uuid
  or receipt.task_id = ${recordId}::uuid or receipt.event_id = ${recordId}::uuid)`;

const mailOf = ({ firmId }: Given<'firmId'>) => sql`
  (select 1 as nth, mail.kind, mail.state, mail.code, mail.ended_at, mail.queued_at from mail
    where mail.firm_id = ${firmId}::uuid and mail.notification_id = receipt.notification_id)
  union all
  (select 2, mail.kind, mail.state, mail.code, mail.ended_at, mail.queued_at from mail
    where mail.firm_id = ${firmId}::uuid and mail.event_id = receipt.event_id
      and mail.member_id = receipt.member_id and mail.event_method = 'REQUEST'
    order by mail.queued_at desc limit 1)
  union all
  (select 3, mail.kind, mail.state, mail.code, mail.ended_at, mail.queued_at
    from notification
    join mail on mail.firm_id = notification.firm_id and mail.member_id = notification.member_id
      and mail.kind = 'morning' and mail.queued_at >= notification.raised_at
    where notification.firm_id = ${firmId}::uuid and notification.id = receipt.notification_id
      and notification.kind = any(member.morning_kinds) and mail.firm_id = ${firmId}::uuid
    order by mail.queued_at limit 1)
  order by nth limit 1`;

const linesOf = statement(
  (given: Given<'firmId' | 'recordId'>) => sql<Row>`
    select receipt.id::text as id, receipt.member_id::text as "memberId", member.name as "memberName",
      receipt.asked_as as "askedAs", receipt.day::text as day, receipt.step,
      receipt.asked_at as "askedAt", receipt.escalated_on is not null as "isLate", receipt.told_at as "toldAt",
      mail.state as "mailState", mail.code as "mailCode",
      coalesce(mail.ended_at, mail.queued_at) as "mailAt", mail.kind = 'morning' as "isMorning", receipt.opened_at as "openedAt",
      receipt.acknowledged_at as "acknowledgedAt", receipt.withdrawn_at as "withdrawnAt",
      receipt.withdrawn_because as "withdrawnBecause"
    from receipt
    join member on member.firm_id = receipt.firm_id and member.id = receipt.member_id
    left join lateral (${mailOf(given)}) mail on true
    where receipt.firm_id = ${given.firmId}::uuid and ${isOf(given)}
    order by receipt.asked_at desc, receipt.step, receipt.asked_as desc, member.name, receipt.id
    limit 200`,
);

/** The lines about the date as it stands, of its newest notice. */
export const presentLines = (lines: readonly ReceiptLine[]): ReceiptLine[] => {
  const standing = lines.filter(({ withdrawnAt }) => withdrawnAt === null);
  const step = Math.min(...standing.map((line) => line.step));
  return standing
    .filter((line) => line.step === step)
    .sort((one, other) => one.askedAt.getTime() - other.askedAt.getTime());
};

/**
 * Says that the acting member has this limitation date of a matter: nobody else is asked any more until its next
 * notice. Said again, it changes nothing. Throws `Refusal` not_found; invalid_request if the date is another one now,
 * or if the member is not asked about it.
 */
export const acknowledgeLimitation = (actor: Acting, matterId: string, day: string) =>
  write(actor, async (w) => {
    const matter = await matterForChange(w, matterId);
    if (!matter) throw notFound();
    if (matter.solDate !== day) {
      throw invalid('The limitation date has changed. Look at it again.');
    }
    await sayHeld(w, matterId, day);
  });

/**
 * The same of a task or an event, by its id: that it is on this day. The caller has checked that the member sees it. Throws
 * `Refusal` invalid_request.
 */
export const acknowledgeDate = (actor: Acting, recordId: string, day: string) =>
  write(actor, (w) => sayHeld(w, recordId, day));

/**
 * The same of an event, and of all that follow in its series: of those that the member is asked about, but for one that was
 * changed separately, which asks for itself. Returns how many follow. Throws `Refusal` as `acknowledgeDate` does.
 */
export const acknowledgeFollowing = (actor: Acting, eventId: string, day: string) =>
  write(actor, async (w): Promise<number> => {
    await sayHeld(w, eventId, day);
    const { firmId, memberId } = w;
    const [later, now] = await Promise.all([
      w.run(receiptsAfter, { firmId, recordId: eventId, memberId }),
      w.now(),
    ]);
    keepHeld(w, later, now);
    return later.length;
  });

const sayHeld = async (w: Write, recordId: string, day: string) => {
  const { firmId, memberId } = w;
  const [asked, now] = await Promise.all([
    w.run(ownReceipts, { firmId, recordId, memberId }),
    w.now(),
  ]);
  if (asked.length === 0) throw invalid('You are not asked about this date now.');
  if (asked.some((one) => one.day !== day)) {
    throw invalid('The date has changed. Look at it again.');
  }
  keepHeld(w, asked, now);
};

const keepHeld = (w: Write, asked: readonly OwnReceipt[], now: Date) => {
  const held = asked.filter(({ isAcknowledged }) => !isAcknowledged);
  if (held.length === 0) return;
  for (const { id, day, about } of held) {
    const also = { day: { before: null, after: day }, about: { before: null, after: about } };
    w.update(receipt, { id, acknowledgedAt: null }, { acknowledgedAt: now }, also);
  }
  const { firmId, memberId } = w;
  void w.run(markAnswered, { firmId, memberId, receiptIds: held.map(({ id }) => id) });
};

type Held = { firmId: string; memberId: string | null; receiptIds: string[] };

/**
 * Marks the member's own notices of these receipts as read, also those that nobody had the date; but none that names another
 * date or task, too, which the member has not said that they have.
 */
const markAnswered = statement(
  (given: Given<Held>) => sql`
    update notification set read_at = moment()
    where notification.firm_id = ${given.firmId}::uuid and notification.member_id = ${given.memberId}::uuid
      and notification.read_at is null and notification.replaced_by_id is null
      and exists (select 1 from receipt
        where receipt.firm_id = ${given.firmId}::uuid and receipt.id = any(${given.receiptIds}::uuid[])
          and (receipt.notification_id = notification.id
            or notification.kind like '%.unheld' and notification.record_id = ${recordOfReceipt}))
      and (notification.record_id is not null or notification.kind not like '%.unheld')
      and not exists (select 1 from receipt
        where receipt.firm_id = ${given.firmId}::uuid and receipt.notification_id = notification.id
          and receipt.member_id = ${given.memberId}::uuid
          and receipt.acknowledged_at is null and receipt.withdrawn_at is null)
      and (notification.kind <> 'task.assigned' or coalesce(notification.count, 1) <= (
        select count(distinct receipt.task_id) from receipt
        where receipt.firm_id = ${given.firmId}::uuid and receipt.notification_id = notification.id))`,
);

type Own = { firmId: string; recordId: string; memberId: string | null };

type OwnReceipt = { id: string; day: string; about: ReceiptOf; isAcknowledged: boolean };

const ownReceipts = statement(
  (given: Given<Own>) => sql<OwnReceipt>`
    select id::text as id, day::text as day, ${receiptOf} as about,
      acknowledged_at is not null as "isAcknowledged"
    from receipt
    where firm_id = ${given.firmId}::uuid and ${isOf(given)}
      and member_id = ${given.memberId}::uuid and withdrawn_at is null
    order by step desc for update`,
);

const afterEvent = (given: Given<Own>) => sql`
    from ${calendarEvent} event
    join ${calendarEvent} later on later.firm_id = event.firm_id and later.series_id = event.series_id
      and later.series_day > event.series_day and later.sequence = 0
    join receipt on receipt.firm_id = later.firm_id and receipt.event_id = later.id
    where event.firm_id = ${given.firmId}::uuid and event.id = ${given.recordId}::uuid
      and receipt.member_id = ${given.memberId}::uuid and receipt.withdrawn_at is null
      and receipt.acknowledged_at is null`;

const receiptsAfter = statement(
  (given: Given<Own>) => sql<OwnReceipt>`
    select receipt.id::text as id, receipt.day::text as day, ${receiptOf} as about, false as "isAcknowledged"
    ${afterEvent(given)} order by receipt.id for update of receipt`,
);

const isAskedAfter = statement(
  (given: Given<Own>) =>
    sql<{ id: string }>`select receipt.id::text as id ${afterEvent(given)} limit 1`,
);

/**
 * Notes soon that the acting member has opened the page of a record, once for each of their lines. Nobody waits for it,
 * and it is no entry of the audit log.
 */
export const noteOpened = (actor: Actor, recordId: string, lines: readonly ReceiptLine[]): void => {
  const { database, firmId, memberId } = actor;
  const isNew = lines.some(
    (line) =>
      line.memberId === memberId &&
      line.openedAt === null &&
      line.acknowledgedAt === null &&
      line.withdrawnAt === null,
  );
  if (!isNew) return;
  setImmediate(() => {
    database
      .run(open, { firmId, recordId, memberId })
      .catch((error) => log('warn', 'a receipt is not noted as opened', describeError(error)));
  });
};

const open = statement(
  (given: Given<Own>) => sql`
    update receipt set opened_at = moment()
    where firm_id = ${given.firmId}::uuid and ${isOf(given)}
      and member_id = ${given.memberId}::uuid and opened_at is null
      and acknowledged_at is null and withdrawn_at is null`,
);

/** Whether the reader is asked about events, too, that follow this one in its series, as `acknowledgeFollowing` has it. */
export const asksOfFollowing = async (reader: Reader, eventId: string): Promise<boolean> => {
  const { firmId, memberId } = reader;
  const known = await reader.first(isAskedAfter, { firmId, recordId: eventId, memberId });
  return known !== undefined;
};
