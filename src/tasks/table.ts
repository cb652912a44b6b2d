import { sql } from 'drizzle-orm';
import {
  check,
  date,
  index,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { identity, moment, refersTo } from '../base/columns.ts';
import { member } from '../firm/table.ts';
import { lead } from '../leads/table.ts';
import { matter } from '../matters/table.ts';

/**
 * Something to do in a matter, or for a lead until that is hired. It is open until it is done or cancelled.
 */
export const task = pgTable(
  'task',
  {
    ...identity(),
    /** The matter that it is about; null while it is about a lead. */
    matterId: uuid(),
    /** The lead that it was made for. When the lead is hired, the task is about its matter. */
    leadId: uuid(),
    title: text().notNull(),
    /** The day by which it should be done. */
    dueOn: date({ mode: 'string' }),
    assigneeId: uuid(),
    /** How often it repeats, as a rule of RFC 5545 (`base/recurrence.ts`); null if it does not. */
    rrule: text(),
    /** The task that this one repeats: it was made when that was done. */
    followsId: uuid(),
    doneAt: moment(),
    cancelledAt: moment(),
    createdAt: moment().notNull(),
    updatedAt: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    index('task_of_matter').on(table.firmId, table.matterId, table.id),
    index('task_of_lead').on(table.firmId, table.leadId, table.id).where(sql`lead_id is not null`),
    index('task_open')
      .on(table.firmId, table.assigneeId, table.dueOn)
      .where(sql`done_at is null and cancelled_at is null`),
    uniqueIndex('task_follows_once')
      .on(table.firmId, table.followsId)
      .where(sql`follows_id is not null`),
    refersTo('task_follows', table, table.followsId, table),
    refersTo('task_assignee', table, table.assigneeId, member),
    refersTo('task_matter', table, table.matterId, matter),
    refersTo('task_lead', table, table.leadId, lead),
    check('task_is_about', sql`coalesce(matter_id, lead_id) is not null`),
    check('task_repeats_from_its_day', sql`rrule is null or due_on is not null`),
  ],
);
