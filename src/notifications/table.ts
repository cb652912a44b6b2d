import { sql } from 'drizzle-orm';
import {
  bigint,
  bigserial,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import { moment, refersTo } from '../base/columns.ts';
import { member } from '../firm/table.ts';

/**
 * The kinds of notification. Each has its own switch per member, except lead.burst, and
 * those of dates that nobody has ("unheld"), account.warned, webhook.paused and mail.refused, which nobody can switch off (docs/contract.md, Notifications).
 */
export const notificationKinds = [
  'matter.added',
  'matter.archived',
  'matter.deleted',
  'limitation.near',
  'limitation.unheld',
  'task.assigned',
  'task.unheld',
  'event.invited',
  'event.cancelled',
  'event.unheld',
  'lead.new',
  'lead.burst',
  'lead.assigned',
  'lead.due',
  'lead.unheld',
  'account.warned',
  'webhook.paused',
  'mail.refused',
] as const;
export type NotificationKind = (typeof notificationKinds)[number];

/** A notice to a member in the application. */
export const notification = pgTable(
  'notification',
  {
    firmId: uuid().notNull(),
    id: bigserial({ mode: 'number' }).notNull(),
    memberId: uuid().notNull(),
    kind: text().$type<NotificationKind>().notNull(),
    /** What caused it. There is one notification per cause and recipient, whatever is repeated. */
    cause: text().notNull(),
    /** The record it opens; null for a list. */
    recordId: uuid(),
    title: text().notNull(),
    text: text().notNull(),
    count: integer(),
    createdAt: moment().notNull(),
    /** When it was last raised. The inbox is in this order. */
    raisedAt: moment().notNull(),
    readAt: moment(),
    /** For a burst: when the first and the last lead that it counts were created. */
    firstAt: moment(),
    lastAt: moment(),
    /** The notification that replaced this one, which is no longer shown: a burst's, or a newer one that nobody has the record, or of the same event. */
    replacedById: bigint({ mode: 'number' }),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    unique('notification_cause').on(table.firmId, table.memberId, table.kind, table.cause),
    index('notification_inbox').on(table.firmId, table.memberId, table.raisedAt),
    // Every page counts the unread ones, and so does every look for those who have a page open.
    index('notification_unread')
      .on(table.firmId, table.memberId, table.raisedAt)
      .where(sql`read_at is null and replaced_by_id is null`),
    index('notification_burst')
      .on(table.firmId, table.memberId, table.lastAt)
      .where(sql`kind = 'lead.burst'`),
    index('notification_record').on(table.firmId, table.recordId),
    refersTo('notification_member', table, table.memberId, member),
  ],
);
