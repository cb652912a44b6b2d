import { boolean, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { identity, moment, refersTo } from '../base/columns.ts';
import { member } from '../firm/table.ts';

/** The lists that have columns, filters and views; each of one kind of record. */
export type ListName = 'leads' | 'matters' | 'contacts';

/** A saved way to look at a list: filters, order and columns. */
export const savedView = pgTable(
  'saved_view',
  {
    ...identity(),
    list: text().$type<ListName>().notNull(),
    name: text().notNull(),
    /** The list's address after the question mark. */
    query: text().notNull(),
    memberId: uuid().notNull(),
    /** Whether the whole firm sees it, or only its maker. */
    isShared: boolean().notNull(),
    createdAt: moment().notNull(),
    updatedAt: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    uniqueIndex('saved_view_name').on(table.firmId, table.list, table.memberId, table.name),
    refersTo('saved_view_member', table, table.memberId, member),
  ],
);
