/** Tasks as the API takes and sends them. A cancelled task is gone: `DELETE` cancels one. */
import { mustHoldFor, type Named, subjectOf } from '../about/subject.ts';
import { recurrenceOf, rruleFrom } from '../base/recurrence.ts';
import { invalidField, notFound } from '../base/refusal.ts';
import { isRequired } from '../base/rule.ts';
import type { Reader } from '../record/actor.ts';
import { type Include, includesNothing, type Page } from '../record/page.ts';
import { type Acting, write } from '../record/write.ts';
import { readTask, type TaskLine, taskPageAbout } from './list.ts';
import { holdForNext } from './repeat.ts';
import { addTask, changeTask, moveTask } from './task.ts';
import type { NewTask, TaskChange, TaskRow } from './wire.ts';

/** Adds a task to a lead or a matter. Throws `Refusal` as `subjectOf` and `addTask` do. */
export const createTask = (actor: Acting, { leadId, matterId, ...body }: NewTask) =>
  write(actor, async (w) => {
    await subjectOf(w, { leadId, matterId }, 'write');
    const { dueDate = null, rrule = null, ...rest } = body;
    const { id } = await addTask(w, {
      ...{ leadId, matterId, ...rest, dueOn: dueDate },
      ...repeatsFrom(rrule, dueDate),
    });
    return viewTask(await taskSeen(w, id, 'write'), includedBy(body));
  });

/**
 * Changes a task, finishes it or opens it again. Throws `Refusal` conflict for a change of one that is
 * done and stays so, and as `changeTask` does.
 */
export const updateTask = (actor: Acting, id: string, body: TaskChange) =>
  write(actor, async (w) => {
    const stored = viewTask(await taskSeen(w, id, 'write'), withRule);
    const { status = stored.status } = body;
    if (status === 'OPEN' && stored.status === 'DONE') await moveTask(w, id, 'open');
    const isDone = status === 'DONE' && stored.status === 'OPEN';
    if (isDone) await holdForNext(w, id);
    const change = changesOf(stored, body);
    if (Object.keys(change).length > 0) await changeTask(w, id, change);
    if (isDone) await moveTask(w, id, 'done');
    return viewTask(await taskSeen(w, id, 'write'), includedBy(body));
  });

/** What was sent and differs: a done task takes no change, but equal values are none. */
const changesOf = (stored: TaskRow, { title, dueDate, assigneeId, ...body }: TaskChange) => ({
  ...(title !== undefined && title.trim() !== stored.title && { title }),
  ...(dueDate !== undefined && dueDate !== stored.dueDate && { dueOn: dueDate }),
  ...(assigneeId !== undefined && assigneeId !== (stored.assignee?.id ?? null) && { assigneeId }),
  ...repeatsChanged(stored, dueDate === undefined ? stored.dueDate : dueDate, body.rrule),
});

/** A rule that is not sent stays, and counts from the new day. */
const repeatsChanged = (stored: TaskRow, day: string | null, rrule: TaskChange['rrule']) => {
  if (rrule !== undefined && rrule !== stored.rrule) return repeatsFrom(rrule, day);
  if (!stored.rrule || day === stored.dueDate) return {};
  if (day === null) throw invalidField('dueDate', dayOfRule);
  const { until } = recurrenceOf(stored.rrule);
  if (until !== null && until < day) {
    throw invalidField('dueDate', 'must not be after the last day of its rrule');
  }
  return {};
};

const dayOfRule = isRequired(' where a task has an rrule');

/** What a rule asks for. Throws `Refusal` invalid_request for one that is none of the subset, or without a day. */
const repeatsFrom = (rrule: string | null, dueDate: string | null) => {
  if (rrule === null) return { repeats: null };
  if (dueDate === null) throw invalidField('dueDate', dayOfRule);
  const { every, until } = recurrenceOf(rruleFrom('rrule', rrule, dueDate));
  return { repeats: every, repeatsUntil: until };
};

/** Cancels a task. Throws `Refusal` not_found, forbidden. */
export const removeTask = (actor: Acting, id: string) =>
  write(actor, async (w) => {
    await taskSeen(w, id, 'write');
    await moveTask(w, id, 'cancelled');
  });

/** One task. Throws `Refusal` not_found, also for one about a lead that the reader may not see; and forbidden. */
export const readOneTask = async (reader: Reader, id: string, include: Include = includesNothing) =>
  viewTask(await taskSeen(reader, id, 'read'), include);

/** A page of the tasks about one record, newest first. Throws `Refusal` as `subjectOf` does. */
export const listTasksAbout = async (
  reader: Reader,
  page: Page,
  named: Named,
  include: Include = includesNothing,
) => {
  const subject = await subjectOf(reader, named, 'read');
  const { rows, total } = await taskPageAbout(reader, page, subject);
  return { rows: rows.map((row) => viewTask(row, include)), total };
};

const taskSeen = async (reader: Reader, id: string, right: 'read' | 'write') => {
  const found = await readTask(reader, id);
  if (!found || found.cancelledAt) throw notFound();
  await mustHoldFor(reader, found.record.about, right);
  return found;
};

const withRule: Include = new Set(['rrule']);

/** Who sends a rule, reads it. */
const includedBy = ({ rrule }: { rrule?: string | null }) =>
  rrule === undefined ? includesNothing : withRule;

const viewTask = ({ record, ...task }: TaskLine, include = includesNothing): TaskRow => ({
  id: task.id,
  leadId: record.about === 'lead' ? record.id : null,
  matterId: record.about === 'matter' ? record.id : null,
  title: task.title,
  status: task.doneAt ? 'DONE' : 'OPEN',
  dueDate: task.dueOn,
  assignee: task.assignee,
  ...(include.has('rrule') && { rrule: task.rrule }),
  createdAt: task.createdAt.toISOString(),
  updatedAt: task.updatedAt.toISOString(),
});
