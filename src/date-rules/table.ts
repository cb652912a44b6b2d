import { sql } from 'drizzle-orm';
import {
  check,
  date,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { identity, lifetime, moment, refersTo } from '../base/columns.ts';
import { calendarEvent } from '../calendar/table.ts';
import type { Rolling, Span } from '../firm/reckoning.ts';
import { firm } from '../firm/table.ts';
import { matter } from '../matters/table.ts';
import { practiceArea } from '../practice-areas/table.ts';
import { task } from '../tasks/table.ts';

/** The days of a matter that a rule can count from. */
export const triggers = ['opened', 'limitation'] as const;
export type Trigger = (typeof triggers)[number];

/** What a rule makes on the day that it gives. */
export const madeByRule = ['task', 'event'] as const;
export type MadeByRule = (typeof madeByRule)[number];

/** How a firm counts one date of a matter from another. The rules are the firm's own. */
export const dateRule = pgTable(
  'date_rule',
  {
    ...identity(),
    /** What it is called, and the title of what it makes. */
    name: text().notNull(),
    trigger: text().$type<Trigger>().notNull(),
    /** So many units after the trigger, before it if negative. */
    amount: integer().notNull(),
    unit: text().$type<Span['unit']>().notNull(),
    rolling: text().$type<Rolling>().notNull(),
    /** Only matters of this area have it; null: all. */
    practiceAreaId: uuid(),
    makes: text().$type<MadeByRule>().notNull(),
    ...lifetime(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    uniqueIndex('date_rule_name').on(table.firmId, table.name).where(sql`deleted_at is null`),
    foreignKey({ name: 'date_rule_firm', columns: [table.firmId], foreignColumns: [firm.id] }),
    refersTo('date_rule_practice_area', table, table.practiceAreaId, practiceArea),
  ],
);

/** A task or an event of a matter that a rule has made, and what it was counted from. */
export const ruledDate = pgTable(
  'ruled_date',
  {
    ...identity(),
    ruleId: uuid().notNull(),
    matterId: uuid().notNull(),
    /** What was made: one of the two. */
    taskId: uuid(),
    eventId: uuid(),
    /** The day of the trigger then, and the day that it gave. */
    countedFrom: date({ mode: 'string' }).notNull(),
    day: date({ mode: 'string' }).notNull(),
    createdAt: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    index('ruled_date_of_matter').on(table.firmId, table.matterId),
    refersTo('ruled_date_rule', table, table.ruleId, dateRule),
    refersTo('ruled_date_matter', table, table.matterId, matter),
    refersTo('ruled_date_task', table, table.taskId, task),
    refersTo('ruled_date_event', table, table.eventId, calendarEvent),
    check('ruled_date_is_one', sql`num_nonnulls(task_id, event_id) = 1`),
  ],
);
