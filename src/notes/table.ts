import { boolean, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { identity, lifetime, refersTo } from '../base/columns.ts';
import { member } from '../firm/table.ts';
import type { WrittenAbout } from '../search-text/table.ts';

/** What a member wrote about a record. */
export const note = pgTable(
  'note',
  {
    ...identity(),
    /** The kind of the record that the note is about. */
    about: text().$type<WrittenAbout>().notNull(),
    recordId: uuid().notNull(),
    /** Its author; only they, and owners, change it. */
    memberId: uuid().notNull(),
    text: text().notNull(),
    /** A program wrote it. Nobody has touched the record by that. */
    cameThroughApi: boolean().notNull().default(false),
    ...lifetime(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    index('note_of_record').on(table.firmId, table.recordId, table.id),
    refersTo('note_member', table, table.memberId, member),
  ],
);
