import { bigint, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../base/columns.ts';

/**
 * A firm's register of one kind of record: how many there are, which place and number come next.
 * Who creates or deletes holds its row until the commit, so order of creation is order of commit.
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
    /** Null: the kind carries no number, or its numbering is not set up. */
    numberFormat: text(),
    lastNumber: bigint({ mode: 'number' }).notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.firmId, table.kind] })],
);

/**
 * How many records of each block of ordinals are live, of long blocks and of the short ones in them:
 * a page deep in a list is found by adding up blocks instead of walking past every record before it.
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
