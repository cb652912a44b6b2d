import {
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { identity, moment, refersTo } from '../base/columns.ts';
import { firm, member } from '../firm/table.ts';

/** The kinds of record that a file can bring in. */
export const importedKinds = ['contact', 'lead', 'matter'] as const;
export type ImportedKind = (typeof importedKinds)[number];

/** A file of records that a member brought in, from its upload to its undo. */
export const dataImport = pgTable(
  'data_import',
  {
    ...identity(),
    kind: text().$type<ImportedKind>().notNull(),
    memberId: uuid().notNull(),
    fileName: text().notNull(),
    /** The file's text; removed when the import can no longer be undone. */
    content: text(),
    /** Which field each column fills, in which order days are written, what separates cells. */
    mapping: jsonb().$type<Record<string, unknown>>().notNull(),
    /** Rows that are in the file, and how each kind of them fared. */
    counts: jsonb().$type<Record<string, number>>().notNull(),
    createdAt: moment().notNull(),
    importedAt: moment(),
    undoneAt: moment(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    foreignKey({ name: 'data_import_firm', columns: [table.firmId], foreignColumns: [firm.id] }),
    refersTo('data_import_member', table, table.memberId, member),
  ],
);

/**
 * What became of a row: the record that it made, or why it was refused. One that is the same as a
 * record that was there has both (`sameAs` in stored.ts). Until an import is begun, it says
 * what would become of the row.
 */
export const importedRow = pgTable(
  'imported_row',
  {
    firmId: uuid().notNull(),
    importId: uuid().notNull(),
    /** The row's place in the file; the first after the heads is 1. */
    row: integer().notNull(),
    recordId: uuid(),
    refusal: text(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.importId, table.row] }),
    index('imported_row_record').on(table.firmId, table.recordId),
    refersTo('imported_row_import', table, table.importId, dataImport),
  ],
);
