import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  date,
  foreignKey,
  index,
  integer,
  type PgColumn,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { identity, lifetime, moment, refersTo } from '../base/columns.ts';
import { calendarEvent, eventKind, isOver } from '../calendar/table.ts';
import type { Rolling, Span } from '../firm/reckoning.ts';
import { firm, member } from '../firm/table.ts';
import { matter } from '../matters/table.ts';
import { practiceArea } from '../practice-areas/table.ts';
import { task } from '../tasks/table.ts';

/** The days that every matter has, or can have. */
export const matterDays = ['opened', 'limitation'] as const;
export type MatterDay = (typeof matterDays)[number];

/** What a rule can count from: one of these days, the value of a DATE field of the firm's matters, or the event of a kind. */
export const triggers = [...matterDays, 'field', 'event'] as const;
export type Trigger = (typeof triggers)[number];

/** What a trigger is of, in the table of what counts from it. */
export const triggerColumns = () => ({
  /** The field of matters whose value is the trigger; null for others. It stays when the field is removed. */
  fieldId: uuid(),
  /** The kind of the event that is the trigger; null for others. */
  eventKindId: uuid(),
});

/** What a row needs that has these columns and a `trigger`. `name` is its table's. */
export const triggerConstraints = (
  name: string,
  table: { firmId: PgColumn; eventKindId: PgColumn },
) => [
  refersTo(`${name}_event_kind`, table, table.eventKindId, eventKind),
  check(`${name}_has_event_kind`, sql`(trigger = 'event') = (event_kind_id is not null)`),
  check(`${name}_has_field`, sql`(trigger = 'field') = (field_id is not null)`),
];

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
    ...triggerColumns(),
    /** So many units after the trigger, before it if negative. */
    amount: integer().notNull(),
    unit: text().$type<Span['unit']>().notNull(),
    rolling: text().$type<Rolling>().notNull(),
    /** Only matters of this area have it; null: all. */
    practiceAreaId: uuid(),
    makes: text().$type<MadeByRule>().notNull(),
    /** Whether somebody else than who counted one of its dates has to confirm it. */
    needsConfirmation: boolean().notNull().default(false),
    ...lifetime(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    uniqueIndex('date_rule_name').on(table.firmId, table.name).where(sql`deleted_at is null`),
    foreignKey({ name: 'date_rule_firm', columns: [table.firmId], foreignColumns: [firm.id] }),
    refersTo('date_rule_practice_area', table, table.practiceAreaId, practiceArea),
    ...triggerConstraints('date_rule', table),
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
    /** The event whose day that is; null if it is no event's. */
    countedEventId: uuid(),
    day: date({ mode: 'string' }).notNull(),
    /** Who had it counted so; null before 0.3.0. */
    countedById: uuid(),
    /** The second person who confirmed it so, and when; null while nobody has. */
    confirmedById: uuid(),
    confirmedAt: moment(),
    createdAt: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    index('ruled_date_of_matter').on(table.firmId, table.matterId),
    refersTo('ruled_date_rule', table, table.ruleId, dateRule),
    refersTo('ruled_date_matter', table, table.matterId, matter),
    refersTo('ruled_date_task', table, table.taskId, task),
    refersTo('ruled_date_event', table, table.eventId, calendarEvent),
    refersTo('ruled_date_counted_event', table, table.countedEventId, calendarEvent),
    refersTo('ruled_date_counted_by', table, table.countedById, member),
    refersTo('ruled_date_confirmed_by', table, table.confirmedById, member),
    check('ruled_date_is_one', sql`num_nonnulls(task_id, event_id) = 1`),
    check('ruled_date_is_confirmed', sql`(confirmed_by_id is null) = (confirmed_at is null)`),
  ],
);

/** Whether what a row `made` of `ruled_date` has made, its `task` or its `event`, is still on the day that the rule gave. */
export const isUntouched = sql.raw(`case when made.task_id is null
  then event.first_day is not distinct from made.day and event.last_day is not distinct from made.day
  else task.due_on is not distinct from made.day end`);

/** Whether it still stands, for the same row and its `firm`: an open task, or an event that is not past. */
export const isStanding = sql`(task.done_at is null and task.cancelled_at is null and event.cancelled_at is null
  and (made.event_id is null or not ${isOver('event')}))`;

/**
 * Whether a second person has to confirm it, or had to, for the same row with its `rule` and its `matter`: one that was moved
 * by hand is a person's own, and of an archived matter nobody is asked anything.
 */
export const isCounted = sql`(rule.needs_confirmation and ${isUntouched} and matter.status <> 'ARCHIVE')`;

/** Whether it waits for a second person, if it still stands. */
export const isWaiting = sql`(${isCounted} and made.confirmed_at is null)`;
