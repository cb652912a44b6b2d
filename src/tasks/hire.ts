/** The tasks of a lead go to its matter when it is hired, and come back when that is undone. */
import { asc, sql } from 'drizzle-orm';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Write } from '../record/write.ts';
import { findByText } from '../search-text/written-text.ts';
import { task } from './table.ts';
import { textOf } from './task.ts';

/** Takes all tasks of a lead, done and cancelled ones too, along to its new matter. */
export const takeTasksAlong = (w: Write, leadId: string, matterId: string) =>
  moveTo(w, { leadId, from: null, to: matterId });

/** Gives a lead back those of its tasks that went to the matter. */
export const takeTasksBack = (w: Write, leadId: string, matterId: string) =>
  moveTo(w, { leadId, from: matterId, to: null });

type Way = { leadId: string; from: string | null; to: string | null };

const moveTo = async (w: Write, { leadId, from, to }: Way) => {
  const [moved, now] = await Promise.all([
    w.run(tasksAt, { firmId: w.firmId, leadId, from }),
    w.now(),
  ]);
  for (const one of moved) {
    w.update(task, one, { matterId: to, updatedAt: now });
    findByText(w, textOf({ ...one, matterId: to }));
  }
};

const tasksAt = statement(
  ({ firmId, leadId, from }: Given<{ firmId: string; leadId: string; from: string | null }>) =>
    query
      .select()
      .from(task)
      .where(
        sql`${task.firmId} = ${firmId} and ${task.leadId} = ${leadId}
          and ${task.matterId} is not distinct from ${from}::uuid`,
      )
      .orderBy(asc(task.id))
      .for('update'),
);
