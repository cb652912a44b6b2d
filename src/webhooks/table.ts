import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { identity, lifetime, moment, refersTo } from '../base/columns.ts';
import { member } from '../firm/table.ts';

/** Whether an endpoint is sent to. `DISABLED` by its own answer 410. */
export const endpointStatuses = ['ACTIVE', 'PAUSED', 'DISABLED'] as const;
type EndpointStatus = (typeof endpointStatuses)[number];

/** Why it is not sent to: nothing arrived for a day; its member may not any more; 410; somebody wanted it; its secret cannot be read. */
export const pauseReasons = ['FAILING', 'MEMBER', 'GONE', 'ASKED', 'SECRET'] as const;
export type PauseReason = (typeof pauseReasons)[number];

/** An address that hears what happens in the firm, as far as its member may see it. */
export const webhookEndpoint = pgTable(
  'webhook_endpoint',
  {
    ...identity(),
    ordinal: bigint({ mode: 'number' }).notNull(),
    memberId: uuid().notNull(),
    url: text().notNull(),
    description: text(),
    /** Types of events; `*` alone is all. */
    types: text().array().notNull(),
    /** The resources that the key could read with which it was made; null if no key was used. */
    resources: text().array(),
    status: text().$type<EndpointStatus>().notNull(),
    reason: text().$type<PauseReason>(),
    /** Since when it has this status. */
    statusAt: moment().notNull(),
    rotatedAt: moment(),
    ...lifetime(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    index('webhook_endpoint_member').on(table.firmId, table.memberId),
    refersTo('webhook_endpoint_member', table, table.memberId, member),
  ],
);

/** How sending to an endpoint stands. It is no record: it changes with each message, and the audit log has nothing of it. */
export const webhookSending = pgTable(
  'webhook_sending',
  {
    firmId: uuid().notNull(),
    endpointId: uuid().notNull(),
    /** What its messages are signed with, sealed; and the one before, which is used too until it ends. */
    secret: text().notNull(),
    formerSecret: text(),
    formerEndsAt: moment(),
    /** Up to which seal of the audit log it has been told; null at first, until the seal of its own entry is known. */
    cursor: bigint({ mode: 'bigint' }),
    /** What is told again, up to this seal, says nothing of its health. */
    replayUntil: bigint({ mode: 'bigint' }).notNull().default(sql`0`),
    /** Which server sends to it, by the number of its turn, and until when nobody else does. */
    turn: bigint({ mode: 'bigint' }).notNull().default(sql`0`),
    turnEndsAt: moment(),
    lastSuccessAt: moment(),
    /** Since when every try has failed. */
    failingSince: moment(),
    /** Until when it wants to be left alone. */
    heldUntil: moment(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.endpointId] }),
    refersTo('webhook_sending_endpoint', table, table.endpointId, webhookEndpoint),
  ],
);

/** A message that waits for its next try, or behind an earlier one about the same record. */
export const webhookMessage = pgTable(
  'webhook_message',
  {
    firmId: uuid().notNull(),
    endpointId: uuid().notNull(),
    /** The seal of the audit log that it tells of. */
    sealNumber: bigint({ mode: 'bigint' }).notNull(),
    recordId: uuid().notNull(),
    tries: smallint().notNull(),
    nextTryAt: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.endpointId, table.sealNumber] }),
    refersTo('webhook_message_endpoint', table, table.endpointId, webhookEndpoint),
  ],
);

/** One try to deliver a message, without its body. */
export const webhookDelivery = pgTable(
  'webhook_delivery',
  {
    ...identity(),
    endpointId: uuid().notNull(),
    /** The message's id, as it was sent. */
    messageId: text().notNull(),
    type: text().notNull(),
    recordId: uuid().notNull(),
    at: moment().notNull(),
    /** The status of the answer; null if there was none. */
    answer: smallint(),
    /** Why it failed; null if it did not. */
    failure: text().$type<Failure>(),
    milliseconds: integer().notNull(),
    /** The first try is 1. */
    tryNumber: smallint().notNull(),
    /** Whether it is tried no more. */
    isLast: boolean().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    index('webhook_delivery_endpoint').on(table.firmId, table.endpointId, table.id),
    index('webhook_delivery_age').on(table.at),
    refersTo('webhook_delivery_endpoint', table, table.endpointId, webhookEndpoint),
  ],
);

/** Why a try failed. */
export const failures = [
  /** The answer's status is none of success, or leads elsewhere. */
  'status',
  'redirect',
  /** No answer in time. */
  'timeout',
  /** The name has no address, or one that is not sent to. */
  'unresolved',
  'refused-address',
  /** Nothing answers there, or without a certificate that is believed. */
  'connection',
  'certificate',
  /** The receiver wants no more of this message. */
  'aborted',
] as const;
export type Failure = (typeof failures)[number];
