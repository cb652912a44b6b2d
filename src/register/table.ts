import { bigint, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../base/columns.ts';

/**
 * A firm's register of one kind of record: how many there are, and the next position and number. A
 * create or delete locks its row until the commit, so the order of creation is the order of
 * commits.
 */
export const register = pgTable(
  'register',
  {
    firmId: uuid().notNull(),
    /** The table of its records: `lead`, `practice_area`. */
    kind: text().notNull(),
    /** Records not deleted, and how many of them are private. */
    live: integer().notNull().default(0),
    livePrivate: integer().notNull().default(0),
    lastOrdinal: bigint({ mode: 'number' }).notNull().default(0),
    lastAt: moment(),
    /** Null if the kind has no numbers, or its numbering is not set up. */
    numberFormat: text(),
    lastNumber: bigint({ mode: 'number' }).notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.firmId, table.kind] })],
);

/**
 * How many records of each block of ordinals are live, for long blocks and the short ones in them.
 * A page deep in a list is found by adding up blocks instead of walking past every record before
 * it.
 */
export const registerBlock = pgTable(
  'register_block',
  {
    firmId: uuid().notNull(),
    kind: text().notNull(),
    /** How many ordinals the block has: one of `blockLengths`. */
    length: integer().notNull(),
    block: integer().notNull(),
    live: integer().notNull(),
    livePrivate: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.firmId, table.kind, table.length, table.block] })],
);

/**
 * How many live leads and matters have each status but ACTIVE: most are created ACTIVE, and that
 * costs nothing here. Triggers keep it (drizzle/0021_counted_statuses.sql).
 */
export const registerStatus = pgTable(
  'register_status',
  {
    firmId: uuid().notNull(),
    kind: text().notNull(),
    status: text().notNull(),
    live: integer().notNull(),
    livePrivate: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.firmId, table.kind, table.status] })],
);
