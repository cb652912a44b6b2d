import { sql } from 'drizzle-orm';
import {
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { identity, lifetime, refersTo } from '../base/columns.ts';
import { triggerColumns, triggerConstraints, triggers } from '../date-rules/table.ts';
import type { Span } from '../firm/reckoning.ts';
import { firm } from '../firm/table.ts';
import { practiceArea, stage } from '../practice-areas/table.ts';

/** What the day of a task can be counted from: the day on which the list is applied, and what date rules count from. */
export const listTriggers = ['applied', ...triggers] as const;
export type ListTrigger = (typeof listTriggers)[number];

/** Whose task it becomes: of who applies the list, or of whoever has this part in the matter. On a lead, all parts are its assignee's. */
export const listedAssignees = [
  'APPLIER',
  'RESPONSIBLE_ATTORNEY',
  'RESPONSIBLE_STAFF',
  'ORIGINATING_ATTORNEY',
] as const;
export type ListedAssignee = (typeof listedAssignees)[number];

/** Tasks that belong together, to be added to a matter or a lead at once. */
export const taskList = pgTable(
  'task_list',
  {
    ...identity(),
    name: text().notNull(),
    /** The practice area whose matters it is offered for first; null for all. */
    practiceAreaId: uuid(),
    /** The stage of that area whose matters it is offered for first; null for all of its stages. */
    stageId: uuid(),
    ...lifetime(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    uniqueIndex('task_list_name').on(table.firmId, table.name).where(sql`deleted_at is null`),
    foreignKey({ name: 'task_list_firm', columns: [table.firmId], foreignColumns: [firm.id] }),
    refersTo('task_list_practice_area', table, table.practiceAreaId, practiceArea),
    foreignKey({
      name: 'task_list_stage',
      columns: [table.firmId, table.practiceAreaId, table.stageId],
      foreignColumns: [stage.firmId, stage.practiceAreaId, stage.id],
    }),
  ],
);

/** A task of a list. A removed one is marked as deleted, never erased. */
export const taskListLine = pgTable(
  'task_list_line',
  {
    ...identity(),
    listId: uuid().notNull(),
    position: integer().notNull(),
    title: text().notNull(),
    /** What its day is counted from; null for a task without a day. */
    trigger: text().$type<ListTrigger>(),
    ...triggerColumns(),
    /** So many units after it; before it if negative. */
    amount: integer().notNull(),
    unit: text().$type<Span['unit']>().notNull(),
    /** Null for nobody. */
    assignee: text().$type<ListedAssignee>(),
    ...lifetime(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    index('task_list_line_of_list').on(table.firmId, table.listId, table.position),
    refersTo('task_list_line_list', table, table.listId, taskList),
    ...triggerConstraints('task_list_line', table),
    check(
      'task_list_line_has_trigger',
      sql`trigger is not null or num_nonnulls(field_id, event_kind_id) = 0`,
    ),
  ],
);
