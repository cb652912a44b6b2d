import { foreignKey, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { identity, moment } from '../base/columns.ts';
import { matter } from '../matters/table.ts';

/** Something to do in a matter. It is open until it is done or cancelled. */
export const task = pgTable(
  'task',
  {
    ...identity(),
    matterId: uuid().notNull(),
    title: text().notNull(),
    doneAt: moment(),
    cancelledAt: moment(),
    createdAt: moment().notNull(),
    updatedAt: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    index('task_of_matter').on(table.firmId, table.matterId, table.id),
    foreignKey({
      name: 'task_matter',
      columns: [table.firmId, table.matterId],
      foreignColumns: [matter.firmId, matter.id],
    }),
  ],
);
