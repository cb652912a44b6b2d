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
import type { ImportCounts, Mapping } from './state.ts';

/** The kinds of record that a file can contain. */
export const importedKinds = ['contact', 'lead', 'matter'] as const;
export type ImportedKind = (typeof importedKinds)[number];

/** A file of records that a member imports, from its upload to its undo. */
export const dataImport = pgTable(
  'data_import',
  {
    ...identity(),
    kind: text().$type<ImportedKind>().notNull(),
    memberId: uuid().notNull(),
    fileName: text().notNull(),
    /** The file's text; removed when the import can no longer be undone. */
    content: text(),
    mapping: jsonb().$type<Mapping>().notNull(),
    counts: jsonb().$type<Partial<ImportCounts>>().notNull(),
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
 * The outcome of a row: the record that it made, or why it was refused. A row that is the same as
 * an existing record has both (`sameAs` in stored.ts). Before the import begins, this is the
 * outcome that the row would have.
 */
export const importedRow = pgTable(
  'imported_row',
  {
    firmId: uuid().notNull(),
    importId: uuid().notNull(),
    /** How many rows of the file stand above it, blank ones too: a spreadsheet's number less 1. */
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
