import { foreignKey, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { identity, moment, refersTo } from '../base/columns.ts';
import { firm, member } from '../firm/table.ts';

/** The kinds of record that are changed several at once. */
export type BulkKind = 'lead' | 'matter';

/** What is done to each of the records. */
export type BulkAct = {
  what: 'move' | 'assign' | 'status' | 'not-hired';
  /** The stage, `add` or `replace`, the status, or the reason. */
  choice: string;
  /** Who is assigned. */
  memberIds: string[];
};

/** Where every count of a bulk begins. */
export const noCounts = {
  /** How many were chosen. */
  all: 0,
  /** The last row that was looked at, and how many of those were not refused. */
  done: 0,
  changed: 0,
  /** The same for its undo; `made` are those that the bulk really changed. */
  looked: 0,
  made: 0,
  undone: 0,
};

/** The job that does the rest of a bulk. */
export const workKind = 'bulk_change';

/** One thing that a member does to several records, from its beginning to its undo. */
export const bulkChange = pgTable(
  'bulk_change',
  {
    ...identity(),
    kind: text().$type<BulkKind>().notNull(),
    memberId: uuid().notNull(),
    act: jsonb().$type<BulkAct>().notNull(),
    /** The request that began it. The entries of all its records in the audit log name it. */
    requestId: text().notNull(),
    counts: jsonb().$type<typeof noCounts>().notNull(),
    createdAt: moment().notNull(),
    doneAt: moment(),
    undoBegunAt: moment(),
    undoneAt: moment(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    foreignKey({ name: 'bulk_change_firm', columns: [table.firmId], foreignColumns: [firm.id] }),
    refersTo('bulk_change_member', table, table.memberId, member),
  ],
);

/** One of its records, and why it was refused. */
export const bulkRow = pgTable(
  'bulk_row',
  {
    firmId: uuid().notNull(),
    bulkId: uuid().notNull(),
    /** From 1. */
    row: integer().notNull(),
    /** Null if the form sent something that is no id. */
    recordId: uuid(),
    refusal: text(),
    createdAt: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.bulkId, table.row] }),
    refersTo('bulk_row_bulk', table, table.bulkId, bulkChange),
  ],
);
