import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import { checkDay } from '../base/calendar-date.ts';
import { newId } from '../base/columns.ts';
import { notFound, notFoundField, Refusal } from '../base/refusal.ts';
import { isNotTheIdOf } from '../base/rule.ts';
import { shortText } from '../base/short-text.ts';
import { listMembers } from '../firm/member.ts';
import { rightsOf } from '../firm/rights.ts';
import { matterForChange } from '../matters/list.ts';
import { deliver, type Told } from '../notifications/delivered.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import { askAssignee } from '../receipts/asking.ts';
import type { Reader } from '../record/actor.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { findByText } from '../search-text/written-text.ts';
import { task } from './table.ts';

/** A new task; `dueOn` is `YYYY-MM-DD`. */
type NewTask = {
  matterId: string;
  title: string;
  dueOn?: string | null;
  assigneeId?: string | null;
};

/**
 * Adds a task to a matter, and tells its assignee. Throws `Refusal` not_found for the matter and
 * for an assignee who is no active member; invalid_request for an invalid title or day.
 */
export const addTask = (actor: Acting, { matterId, title, dueOn, assigneeId }: NewTask) =>
  write(actor, async (w) => {
    const [matter, members, now] = await Promise.all([
      matterForChange(w, matterId),
      listMembers(w),
      w.now(),
    ]);
    if (!matter) throw notFound('No matter of the firm has this id; GET /v1/matters lists them.');
    const made = {
      firmId: w.firmId,
      id: newId(),
      matterId,
      title: shortText('title', title),
      dueOn: dayFrom(dueOn),
      assigneeId: assigneeFrom(assigneeId, members),
      createdAt: now,
      updatedAt: now,
    };
    w.create(task, made);
    findByText(w, textOf(made));
    tellAssigned(w, made);
    return viewTask({ ...made, doneAt: null, cancelledAt: null });
  });

/**
 * Changes what a task says, its day and its assignee, who is told of the task and of another day. Throws `Refusal` not_found,
 * conflict for one that is done or cancelled, and as `addTask` does.
 */
export const changeTask = (
  actor: Acting,
  id: string,
  change: { title?: string; dueOn?: string | null; assigneeId?: string | null },
) =>
  write(actor, async (w) => {
    const [stored, members, now] = await Promise.all([
      taskForChange(w, id),
      listMembers(w),
      w.now(),
    ]);
    if (stored.doneAt !== null || stored.cancelledAt !== null) {
      const became = stored.cancelledAt === null ? 'done' : 'cancelled';
      throw new Refusal('conflict', `This task is ${became}. Open it again to change it.`);
    }
    const { assigneeId } = change;
    const stays = assigneeId === undefined || assigneeId === stored.assigneeId;
    const changed = {
      ...stored,
      title: change.title === undefined ? stored.title : shortText('title', change.title),
      dueOn: change.dueOn === undefined ? stored.dueOn : dayFrom(change.dueOn),
      assigneeId: stays ? stored.assigneeId : assigneeFrom(assigneeId, members),
      updatedAt: now,
    };
    w.update(task, stored, changed);
    if (changed.title !== stored.title) findByText(w, textOf(changed));
    if (!stays) tellAssigned(w, changed);
    else if (changed.dueOn !== null && changed.dueOn !== stored.dueOn) {
      tellAssigned(w, changed, 'Your task has another day');
    }
  });

/** What can be done with a task: finish it, open it again, or cancel it. */
export const taskMoves = ['done', 'open', 'cancelled'] as const;
export type TaskMove = (typeof taskMoves)[number];

/**
 * Finishes a task, opens it again or cancels it. Repeating it changes nothing. An assignee may
 * always finish and reopen their own task, in any role. Throws `Refusal` not_found, and
 * forbidden.
 */
export const moveTask = (actor: Acting, id: string, move: TaskMove) =>
  write(actor, async (w) => {
    const [stored, rights, now] = await Promise.all([taskForChange(w, id), rightsOf(w), w.now()]);
    const mayWrite = rights.holdsAll || rights.permissions.includes('matters:write');
    const isOwn = stored.assigneeId !== null && stored.assigneeId === w.memberId;
    if (!mayWrite && !(isOwn && move !== 'cancelled')) {
      throw new Refusal(
        'forbidden',
        'Only the assignee and members who may change matters can do this.',
      );
    }
    const fields = {
      doneAt: move === 'done' ? (stored.doneAt ?? now) : null,
      cancelledAt: move === 'cancelled' ? (stored.cancelledAt ?? now) : null,
    };
    const reopens = w.update(task, stored, { ...fields, updatedAt: now }) && move === 'open';
    if (reopens && stored.dueOn !== null) tellAssigned(w, stored, 'Your task is open again');
  });

/** What the search finds a task's matter by. */
const textOf = ({ id, matterId, title }: { id: string; matterId: string; title: string }) =>
  ({ id, source: 'task', about: 'matter', recordId: matterId, text: title }) as const;

const taskForChange = async (w: Write, id: string) => {
  const stored = await w.first(oneTask, { firmId: w.firmId, id });
  if (!stored) throw notFound();
  return stored;
};

const dayFrom = (text: string | null | undefined): string | null => {
  if (text === null || text === undefined) return null;
  checkDay('dueOn', text);
  return text;
};

const assigneeFrom = (
  id: string | null | undefined,
  members: Awaited<ReturnType<typeof listMembers>>,
): string | null => {
  if (id === null || id === undefined) return null;
  if (members.some((one) => one.id === id && one.deactivatedAt === null)) return id;
  throw notFoundField('assigneeId', isNotTheIdOf('a member of the firm'), 'GET /v1/members');
};

/**
 * Tells the assignee, and asks whether they have it, unless they did this themselves or its past is made up.
 */
const tellAssigned = (
  w: Write,
  { id, assigneeId }: { id: string; assigneeId: string | null },
  title = 'Task assigned to you',
) => {
  if (assigneeId === null || assigneeId === w.memberId || w.author.at) return;
  const { firmId } = w;
  const cause = `${id}:${w.author.requestId}`;
  void deliver(w, tellAssignee, { firmId, taskId: id, cause, title });
  askAssignee(w, id, cause);
};

/** The firm's tasks, oldest first; of one matter if its id is given. */
export const listTasks = async (reader: Reader, matterId: string | null) => {
  const rows = await reader.run(tasks, { firmId: reader.firmId, matterId });
  return rows.map(viewTask);
};

/** Cancels up to `max` open tasks of a matter, and returns how many it cancelled. */
export const cancelTasks = async (w: Write, matterId: string, max: number): Promise<number> => {
  const [open, now] = await Promise.all([
    w.run(openTasks, { firmId: w.firmId, matterId, max }),
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
  ({ firmId, matterId, max }: Given<{ firmId: string; matterId: string; max: number }>) =>
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
      .limit(max)
      .for('update'),
);

const oneTask = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .select()
    .from(task)
    .where(
      sql`${task.firmId} = ${firmId} and ${task.id} = ${id} and exists (select from matter
        where matter.firm_id = ${firmId} and matter.id = ${task.matterId}
          and matter.deleted_at is null)`,
    )
    .for('update'),
);

const tellAssignee = statement(
  ({ firmId, taskId, cause, title }: Given<'firmId' | 'taskId' | 'cause' | 'title'>) => sql<Told>`
    insert into notification (firm_id, member_id, kind, cause, record_id, title, text, created_at, raised_at)
    select task.firm_id, member.id, 'task.assigned', ${cause}, matter.id, ${title},
      task.title || ' (' || matter.number || ' ' || matter.title || ')', moment(), moment()
    from task
    join matter on matter.firm_id = task.firm_id and matter.id = task.matter_id
    join member on member.firm_id = task.firm_id and member.id = task.assignee_id
    where task.firm_id = ${firmId} and task.id = ${taskId}
      and member.deactivated_at is null and not 'task.assigned' = any(member.muted_kinds)
    on conflict do nothing returning kind`,
);
