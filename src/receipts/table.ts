import { sql } from 'drizzle-orm';
import {
  bigint,
  check,
  date,
  index,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { identity, moment, refersTo } from '../base/columns.ts';
import { member } from '../firm/table.ts';
import { matter } from '../matters/table.ts';

/** Why a member must know of a date: their part in the matter, in the task or in the event. */
export type AskedAs = 'responsible' | 'deputy' | 'colleague' | 'owner' | 'assignee' | 'guest';

/** Why a member is no longer asked: what became of the date, of its matter, or of their part in it. */
export type Withdrawn =
  | 'moved'
  | 'met'
  | 'archived'
  | 'deleted'
  | 'done'
  | 'cancelled'
  | 'given_away'
  | 'uninvited';

/**
 * What a member who must know of a date was told, and whether they said that they have it: of the limitation date of a
 * matter, of a task with a day, or of an event; one of the three ids says which. One row for each of these, its day, the
 * step of its notices and the member. Triggers on those tables withdraw the rows of what no longer stands.
 */
export const receipt = pgTable(
  'receipt',
  {
    ...identity(),
    matterId: uuid(),
    taskId: uuid(),
    eventId: uuid(),
    memberId: uuid().notNull(),
    /** The day that is asked about; the first one of an event. */
    day: date({ mode: 'string' }).notNull(),
    /** So many days before a limitation date the notice is due. A task or an event is told of once: 0. */
    step: smallint().notNull(),
    askedAs: text().$type<AskedAs>().notNull(),
    askedAt: moment().notNull(),
    /** The firm's day on which the member was last asked because nobody had the date. */
    escalatedOn: date({ mode: 'string' }),
    /** When the notice came into the inbox; null if the member has switched its kind off. */
    toldAt: moment(),
    notificationId: bigint({ mode: 'number' }),
    /** When the member first opened its page after that. */
    openedAt: moment(),
    /** When the member said "I have it". */
    acknowledgedAt: moment(),
    withdrawnAt: moment(),
    withdrawnBecause: text().$type<Withdrawn>(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    uniqueIndex('receipt_once')
      .on(table.firmId, table.matterId, table.memberId, table.day, table.step)
      .where(sql`withdrawn_at is null`),
    uniqueIndex('receipt_once_of_task')
      .on(table.firmId, table.taskId, table.memberId)
      .where(sql`withdrawn_at is null`),
    uniqueIndex('receipt_once_of_event')
      .on(table.firmId, table.eventId, table.memberId)
      .where(sql`withdrawn_at is null`),
    check('receipt_of_one', sql`num_nonnulls(matter_id, task_id, event_id) = 1`),
    index('receipt_of_matter').on(table.firmId, table.matterId),
    index('receipt_of_task').on(table.firmId, table.taskId),
    index('receipt_of_event').on(table.firmId, table.eventId),
    index('receipt_of_notice').on(table.firmId, table.notificationId),
    index('receipt_open')
      .on(table.firmId, table.memberId)
      .where(sql`acknowledged_at is null and withdrawn_at is null`),
    refersTo('receipt_matter', table, table.matterId, matter),
    refersTo('receipt_member', table, table.memberId, member),
  ],
);

/** What a receipt is about. */
export type ReceiptOf = 'limitation' | 'task' | 'event';

/** What a row of `receipt` is about. */
export const receiptOf = sql.raw(
  `case when receipt.task_id is not null then 'task' when receipt.event_id is not null then 'event' else 'limitation' end`,
);

/** The id of what a row of `receipt` is about: of the matter, the task or the event. */
export const recordOfReceipt = sql.raw(
  'coalesce(receipt.matter_id, receipt.task_id, receipt.event_id)',
);

/** The cause of the notice that asks for the receipt of a limitation date. */
export const causeOfReceipt = sql.raw(
  `receipt.matter_id || ':' || receipt.day || ':' || receipt.step`,
);

/**
 * Whether a receipt is one of a notice that nobody has the date of its record, and its member was asked before that
 * notice. The ids are compared one by one, so that an index finds the few receipts of the record.
 */
export const isOfUnheld = sql.raw(`(receipt.member_id = notification.member_id
  and receipt.asked_at <= notification.created_at
  and (receipt.matter_id = notification.record_id or receipt.task_id = notification.record_id
    or receipt.event_id = notification.record_id))`);

/**
 * The same of a notice of several dates that nobody has: those that were asked for again on its day or later.
 */
export const isOfSeveralUnheld = sql.raw(`(receipt.member_id = notification.member_id
  and receipt.asked_at <= notification.created_at
  and notification.record_id is null and receipt.escalated_on::text >= notification.cause
  and notification.kind = case when receipt.task_id is not null then 'task.unheld'
    when receipt.event_id is not null then 'event.unheld' else 'limitation.unheld' end)`);
