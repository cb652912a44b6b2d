import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import { newId } from '../base/columns.ts';
import { notFound } from '../base/refusal.ts';
import { matterForChange } from '../matters/list.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { task } from './table.ts';

/** Adds a task to a matter. Throws `Refusal` not_found for the matter. */
export const addTask = (actor: Acting, { matterId, title }: { matterId: string; title: string }) =>
  write(actor, async (w) => {
    const [matter, now] = await Promise.all([matterForChange(w, matterId), w.now()]);
    if (!matter) throw notFound('No matter of the firm has this id; GET /v1/matters lists them.');
    const made = { firmId: w.firmId, id: newId(), matterId, title, createdAt: now, updatedAt: now };
    w.create(task, made);
    return viewTask({ ...made, dueOn: null, assigneeId: null, doneAt: null, cancelledAt: null });
  });

/** The firm's tasks, oldest first; of one matter if its id is given. */
export const listTasks = async (reader: Reader, matterId: string | null) => {
  const rows = await reader.run(tasks, { firmId: reader.firmId, matterId });
  return rows.map(viewTask);
};

/** Cancels up to `most` open tasks of a matter, and says how many there were. */
export const cancelTasks = async (w: Write, matterId: string, most: number): Promise<number> => {
  const [open, now] = await Promise.all([
    w.run(openTasks, { firmId: w.firmId, matterId, most }),
    w.now(),
  ]);
  for (const one of open) w.update(task, one, { cancelledAt: now, updatedAt: now });
  return open.length;
};

type Stored = Omit<typeof task.$inferSelect, 'firmId'>;

const viewTask = ({ id, matterId, title, doneAt, cancelledAt, createdAt }: Stored) => ({
  id,
  matterId,
  title,
  doneAt,
  cancelledAt,
  createdAt,
});

const tasks = statement(
  ({ firmId, matterId }: Given<{ firmId: string; matterId: string | null }>) =>
    query
      .select()
      .from(task)
      .where(
        sql`${task.firmId} = ${firmId} and
        (${matterId}::uuid is null or ${task.matterId} = ${matterId})`,
      )
      .orderBy(asc(task.id)),
);

const openTasks = statement(
  ({ firmId, matterId, most }: Given<{ firmId: string; matterId: string; most: number }>) =>
    query
      .select()
      .from(task)
      .where(
        and(
          eq(task.firmId, firmId),
          eq(task.matterId, matterId),
          isNull(task.doneAt),
          isNull(task.cancelledAt),
        ),
      )
      .orderBy(asc(task.id))
      .limit(most)
      .for('update'),
);
