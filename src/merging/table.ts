import { index, jsonb, pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core';
import { identity, moment, refersTo } from '../base/columns.ts';
import { contact } from '../contacts/table.ts';
import { member } from '../firm/table.ts';

/** A merge of two contacts: one is kept, the other is deleted. It can be undone. */
export const contactMerge = pgTable(
  'contact_merge',
  {
    ...identity(),
    keptId: uuid().notNull(),
    mergedId: uuid().notNull(),
    memberId: uuid().notNull(),
    /** The kept contact's fields as they were, and as the merge left them. */
    before: jsonb().$type<Record<string, unknown>>().notNull(),
    /** The leads, clients and custom fields that pointed to the merged one. */
    moved: jsonb().$type<Record<string, unknown>>().notNull(),
    at: moment().notNull(),
    undoneAt: moment(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    index('contact_merge_kept').on(table.firmId, table.keptId),
    index('contact_merge_merged').on(table.firmId, table.mergedId),
    refersTo('contact_merge_kept', table, table.keptId, contact),
    refersTo('contact_merge_merged', table, table.mergedId, contact),
    refersTo('contact_merge_member', table, table.memberId, member),
  ],
);
