import {
  boolean,
  foreignKey,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { identity, moment } from '../base/columns.ts';
import { member } from '../firm/table.ts';

/** A saved way to look at a list: filters, order and columns. */
export const savedView = pgTable(
  'saved_view',
  {
    ...identity(),
    list: text().$type<'leads' | 'matters' | 'contacts'>().notNull(),
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
    foreignKey({
      name: 'saved_view_member',
      columns: [table.firmId, table.memberId],
      foreignColumns: [member.firmId, member.id],
    }),
  ],
);
