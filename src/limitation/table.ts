import { sql } from 'drizzle-orm';
import {
  bigint,
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

/** Why a member must know of a limitation date. */
export type AskedAs = 'responsible' | 'deputy' | 'colleague' | 'owner';

/** Why a member is no longer asked: what became of the date or of its matter. */
export type Withdrawn = 'moved' | 'met' | 'archived' | 'deleted';

/**
 * What a member who must know of a limitation date was told, and whether they said that they have it. One row
 * for each matter, date, step of its notices and member. A trigger on `matter` withdraws the rows of a date that no
 * longer stands.
 */
export const receipt = pgTable(
  'receipt',
  {
    ...identity(),
    matterId: uuid().notNull(),
    memberId: uuid().notNull(),
    /** The limitation date that is asked about. */
    day: date({ mode: 'string' }).notNull(),
    /** So many days before it the notice is due. */
    step: smallint().notNull(),
    askedAs: text().$type<AskedAs>().notNull(),
    askedAt: moment().notNull(),
    /** The firm's day on which the member was last asked because nobody had the date. */
    escalatedOn: date({ mode: 'string' }),
    /** When the notice came into the inbox; null if the member has switched its kind off. */
    toldAt: moment(),
    notificationId: bigint({ mode: 'number' }),
    /** When the member first opened the matter's page after that. */
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
    index('receipt_of_matter').on(table.firmId, table.matterId),
    index('receipt_open')
      .on(table.firmId, table.memberId)
      .where(sql`acknowledged_at is null and withdrawn_at is null`),
    refersTo('receipt_matter', table, table.matterId, matter),
    refersTo('receipt_member', table, table.memberId, member),
  ],
);

/** The cause of the notice that asks for a receipt. */
export const causeOfReceipt = sql.raw(
  `receipt.matter_id || ':' || receipt.day || ':' || receipt.step`,
);
