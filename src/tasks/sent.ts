/** Tasks as the API takes and sends them. A cancelled task is gone: `DELETE` cancels one. */
import { type Named, subjectOf } from '../about/subject.ts';
import { notFound } from '../base/refusal.ts';
import type { Reader } from '../record/actor.ts';
import type { Page } from '../record/page.ts';
import { type Acting, write } from '../record/write.ts';
import { readTask, type TaskLine, taskPageOfMatter } from './list.ts';
import { addTask, changeTask, moveTask } from './task.ts';
import type { NewTask, TaskChange, TaskRow } from './wire.ts';

/** Adds a task to a matter. Throws `Refusal` as `addTask` does. */
export const createTask = (actor: Acting, { dueDate, ...body }: NewTask) =>
  write(actor, async (w) => {
    await subjectOf(w, { matterId: body.matterId }, 'write');
    const { id } = await addTask(w, { ...body, dueOn: dueDate ?? null });
    return viewTask(await taskSeen(w, id));
  });

/**
 * Changes a task, finishes it or opens it again. Throws `Refusal` conflict for a change of one that is
 * done and stays so, and as `changeTask` does.
 */
export const updateTask = (actor: Acting, id: string, body: TaskChange) =>
  write(actor, async (w) => {
    const stored = viewTask(await taskSeen(w, id));
    const { status = stored.status } = body;
    if (status === 'OPEN' && stored.status === 'DONE') await moveTask(w, id, 'open');
    const change = changesOf(stored, body);
    if (Object.keys(change).length > 0) await changeTask(w, id, change);
    if (status === 'DONE' && stored.status === 'OPEN') await moveTask(w, id, 'done');
    return viewTask(await taskSeen(w, id));
  });

/** What was sent and differs: a done task takes no change, but equal values are none. */
const changesOf = (stored: TaskRow, { title, dueDate, assigneeId }: TaskChange) => ({
  ...(title !== undefined && title.trim() !== stored.title && { title }),
  ...(dueDate !== undefined && dueDate !== stored.dueDate && { dueOn: dueDate }),
  ...(assigneeId !== undefined && assigneeId !== (stored.assignee?.id ?? null) && { assigneeId }),
});

/** Cancels a task. Throws `Refusal` not_found. */
export const removeTask = (actor: Acting, id: string) =>
  write(actor, async (w) => {
    await taskSeen(w, id);
    await moveTask(w, id, 'cancelled');
  });

/** One task. Throws `Refusal` not_found. */
export const readOneTask = async (reader: Reader, id: string) =>
  viewTask(await taskSeen(reader, id));

/** A page of a matter's tasks, newest first; a lead has none. Throws `Refusal` as `subjectOf` does. */
export const listTasksAbout = async (reader: Reader, page: Page, named: Named) => {
  const { about, recordId } = await subjectOf(reader, named, 'read');
  if (about === 'lead') return { rows: [], total: 0 };
  const { rows, total } = await taskPageOfMatter(reader, page, recordId);
  return { rows: rows.map(viewTask), total };
};

const taskSeen = async (reader: Reader, id: string) => {
  const found = await readTask(reader, id);
  if (!found || found.cancelledAt) throw notFound();
  return found;
};

const viewTask = (task: TaskLine): TaskRow => ({
  id: task.id,
  matterId: task.matter.id,
  title: task.title,
  status: task.doneAt ? 'DONE' : 'OPEN',
  dueDate: task.dueOn,
  assignee: task.assignee,
  createdAt: task.createdAt.toISOString(),
  updatedAt: task.updatedAt.toISOString(),
});
