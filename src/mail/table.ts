import { sql } from 'drizzle-orm';
import {
  bigint,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { moment, refersTo } from '../base/columns.ts';
import type { MailAccount, MailSignIn } from '../base/mail-settings.ts';
import { firm, member } from '../firm/table.ts';

/** The mail server that a firm has set for itself. */
export const mailAccount = pgTable(
  'mail_account',
  {
    firmId: uuid().primaryKey(),
    host: text().notNull(),
    port: integer().notNull(),
    security: text().$type<MailAccount['security']>().notNull(),
    from: text('from_address').notNull(),
    signsInBy: text().$type<MailSignIn['by']>().notNull(),
    /** Who signs in, by a password or by a token. */
    userName: text(),
    tokenUrl: text(),
    clientId: text(),
    scope: text(),
    /** The password, or the client's secret and the refresh token, as JSON; sealed. */
    secret: text(),
    updatedAt: moment().notNull(),
  },
  (table) => [
    foreignKey({ name: 'mail_account_firm', columns: [table.firmId], foreignColumns: [firm.id] }),
  ],
);

/**
 * How a mail stands. `queued`: it will be tried. `accepted`: the mail server took it. `refused`: the
 * mail server does not take it, whenever it is tried. `given_up`: nobody took it in a day. `withdrawn`:
 * what it was about may no longer be seen by its member.
 */
export type MailState = 'queued' | 'accepted' | 'refused' | 'given_up' | 'withdrawn';

/** What a mail brings: a notice, all of a morning, a link that lets its member in, or an invitation to an event. */
export type MailKind = 'notice' | 'morning' | 'link' | 'event';

/**
 * Longer than one try of a mail takes (transport.ts): no two go on at once. If the server ends during a try, the
 * next one begins after this, whatever the mail server has done with the mail.
 */
export const trySeconds = sql.raw('60');

/** What an invitation asks a calendar to do (RFC 5546). */
export type EventMethod = 'REQUEST' | 'CANCEL';

/** A mail to a member, or to a guest of an event from outside. Of a notice, it holds nothing: what it says is read when it is sent. */
export const mail = pgTable(
  'mail',
  {
    firmId: uuid().notNull(),
    id: uuid().notNull(),
    /** Null for somebody from outside. */
    memberId: uuid(),
    kind: text().$type<MailKind>().notNull().default('notice'),
    /** The notice that it brings. */
    notificationId: bigint({ mode: 'number' }),
    /** The link that it brings; and that link's token, sealed, for as long as the mail is queued. */
    linkId: uuid(),
    linkToken: text(),
    /** The event to which it invites or which it takes back, the event's sequence then, and the guest's address. */
    eventId: uuid(),
    eventMethod: text().$type<EventMethod>(),
    eventSequence: integer(),
    guest: text(),
    state: text().$type<MailState>().notNull(),
    queuedAt: moment().notNull(),
    /** While it is queued: when it is tried next. During a try, when another may begin. */
    nextTryAt: moment(),
    /** How many tries have failed. */
    tries: smallint().notNull().default(0),
    /** The same in each try, so that a mail that comes twice is known to be one. */
    messageId: text(),
    /** To whom it was last sent; null if that failed for another reason than the address or the mail. */
    address: text(),
    /** What the mail server said last: its code and its words. */
    code: integer(),
    words: text(),
    endedAt: moment(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    index('mail_due').on(table.nextTryAt).where(sql`state = 'queued'`),
    index('mail_guest').on(table.firmId, table.guest).where(sql`guest is not null`),
    index('mail_event').on(table.firmId, table.eventId).where(sql`event_id is not null`),
    index('mail_newest').on(table.firmId, table.queuedAt),
    index('mail_of_notice').on(table.firmId, table.notificationId),
    refersTo('mail_member', table, table.memberId, member),
  ],
);
