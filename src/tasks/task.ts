import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import { holdSubject, recordOfIds } from '../about/hold.ts';
import type { Named } from '../about/subject.ts';
import { checkDay } from '../base/calendar-date.ts';
import { isId, newId } from '../base/columns.ts';
import { type Repeats, rruleAsked } from '../base/recurrence.ts';
import { invalidField, notFound, notFoundField, Refusal } from '../base/refusal.ts';
import { isNotTheIdOf, plainly } from '../base/rule.ts';
import { shortText } from '../base/short-text.ts';
import { isHolderOrDeputy } from '../firm/absence.ts';
import { listMembers } from '../firm/member.ts';
import { rightsOf } from '../firm/rights.ts';
import { deliver, type Told } from '../notifications/delivered.ts';
import { asDeputy } from '../notifications/deputy.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import { askAssignee } from '../receipts/asking.ts';
import type { Reader } from '../record/actor.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { findByText } from '../search-text/written-text.ts';
import { mayMemberSee } from '../visibility/member.ts';
import {
  isAbout,
  isAboutRead,
  isAboutSeen,
  joinSubject,
  ofMember,
  subjectWords,
} from '../visibility/subject.ts';
import { type Viewer, viewerOf } from '../visibility/visibility.ts';
import { holdForNext, makeNext, takeNextBack } from './repeat.ts';
import { task } from './table.ts';

/** A new task about a lead or a matter; `dueOn` is `YYYY-MM-DD`. */
type NewTask = Named & TaskFields & { title: string };

type TaskFields = Repeats & {
  title?: string;
  dueOn?: string | null;
  assigneeId?: string | null;
};

/**
 * Adds a task to a lead or a matter, and tells its assignee. Throws `Refusal` as `holdSubject` does;
 * not_found for an assignee who is no active member; invalid_request for one who may not see the private
 * lead, and for an invalid title or day.
 */
export const addTask = (actor: Acting, { leadId, matterId, ...asked }: NewTask) =>
  write(actor, async (w) => {
    const made = await makeTasks(w, { leadId, matterId }, [asked]);
    const [one] = made;
    if (!one) throw new Error('One task was asked for.');
    tellAssigned(w, one);
    return viewTask({ ...one, doneAt: null, cancelledAt: null });
  });

/**
 * Adds several tasks to a lead or a matter, all or none, and tells each assignee of all theirs in one notice. Throws
 * `Refusal` as `addTask` does.
 */
export const addTasks = (actor: Acting, about: Named, asked: readonly Asked[]) =>
  write(actor, async (w) => {
    const made = await makeTasks(w, about, asked);
    for (const [, [first, ...more]] of Map.groupBy(made, ({ assigneeId }) => assigneeId)) {
      if (first) tellAssigned(w, first, 'Task assigned to you', more);
    }
    return made.map((one) => viewTask({ ...one, doneAt: null, cancelledAt: null }));
  });

type Asked = TaskFields & { title: string };

const makeTasks = async (w: Write, about: Named, asked: readonly Asked[]) => {
  const days = asked.map((one) => dayFrom(one.dueOn));
  const [subject, members, now] = await Promise.all([
    holdSubject(w, about),
    listMembers(w),
    w.now(),
  ]);
  const made = asked.map((one, at) => ({
    firmId: w.firmId,
    id: newId(),
    ...subject,
    title: shortText('title', one.title),
    dueOn: days[at] ?? null,
    rrule: rruleAsked(one, dueOf(days[at] ?? null)),
    assigneeId: assigneeFrom(one.assigneeId, members),
    createdAt: now,
    updatedAt: now,
  }));
  // All are about one record: each assignee is looked up once.
  const ofEach = new Map(made.map((one) => [one.assigneeId, one]));
  for (const one of ofEach.values()) await mustSeeIt(w, one);
  for (const one of made) {
    w.create(task, one);
    findByText(w, textOf(one));
  }
  return made;
};

/**
 * Changes what a task says, its day, how often it repeats, and its assignee, who is told of the task and of another day. Throws `Refusal` not_found,
 * conflict for one that is done or cancelled, and as `addTask` does.
 */
export const changeTask = (actor: Acting, id: string, change: TaskFields) =>
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
    const dueOn = change.dueOn === undefined ? stored.dueOn : dayFrom(change.dueOn);
    const changed = {
      ...stored,
      title: change.title === undefined ? stored.title : shortText('title', change.title),
      dueOn,
      rrule: rruleAsked(change, dueOf(dueOn), { rrule: stored.rrule, day: stored.dueOn }),
      assigneeId: stays ? stored.assigneeId : assigneeFrom(assigneeId, members),
      updatedAt: now,
    };
    if (!stays) await mustSeeIt(w, changed);
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
 * always finish and reopen their own task, in any role. Returns the task that followed or was taken away, if it
 * repeats (`makeNext`, `takeNextBack`). Throws `Refusal` not_found, and forbidden.
 */
export const moveTask = (actor: Acting, id: string, move: TaskMove) =>
  write(actor, async (w) => {
    if (move === 'done') await holdForNext(w, id);
    const [stored, rights, now] = await Promise.all([taskForChange(w, id), rightsOf(w), w.now()]);
    const { about } = recordOfIds(stored);
    const mayWrite = rights.holdsAll || rights.permissions.includes(`${about}s:write`);
    const isOwn = stored.assigneeId !== null && stored.assigneeId === w.memberId;
    if (!mayWrite && !(isOwn && move !== 'cancelled')) {
      throw new Refusal(
        'forbidden',
        `Only the assignee and members who may change ${about}s can do this.`,
      );
    }
    const fields = {
      doneAt: move === 'done' ? (stored.doneAt ?? now) : null,
      cancelledAt: move === 'cancelled' ? (stored.cancelledAt ?? now) : null,
    };
    if (!w.update(task, stored, { ...fields, updatedAt: now })) return undefined;
    if (move === 'done') return follow(w, stored, now);
    if (move !== 'open') return undefined;
    if (stored.dueOn !== null) tellAssigned(w, stored, 'Your task is open again');
    return takeNextBack(w, stored, now);
  });

/** Makes the next of a task that repeats and is done, and tells its assignee. */
const follow = async (w: Write, stored: typeof task.$inferSelect, now: Date) => {
  const next = await makeNext(w, stored, now);
  if (!next) return undefined;
  findByText(w, textOf(next));
  tellAssigned(w, next, 'Your task repeats');
  return next;
};

/** What a task's rule counts from. */
const dueOf = (day: string | null) => ({
  day,
  field: 'dueOn',
  noun: 'task',
  words: 'the day on which the task is due',
});

type Of = Pick<typeof task.$inferSelect, 'leadId' | 'matterId'>;

/** What the search finds a task's record by. */
export const textOf = ({ id, title, ...of }: Of & { id: string; title: string }) =>
  ({ id, source: 'task', ...recordOfIds(of), text: title }) as const;

/** A task about a private lead would not exist for an assignee who does not see the lead. */
const mustSeeIt = async (w: Write, { leadId, matterId, assigneeId }: Of & Assigned) => {
  if (assigneeId === null || leadId === null || matterId !== null) return;
  if (await mayMemberSee(w, leadId, assigneeId)) return;
  const who = 'an owner, or somebody assigned to this private lead';
  throw invalidField('assigneeId', plainly(`Choose ${who}`, `must be ${who}`));
};

type Assigned = { assigneeId: string | null };

const taskForChange = async (w: Write, id: string) => {
  const stored = await w.first(oneTask, { ...viewerOf(w), id });
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
 * Tells the assignee, and asks whether they have it, unless they did this themselves or its past is made up. Of several
 * tasks of theirs, they get one notice.
 */
const tellAssigned = (
  w: Write,
  { id, assigneeId }: { id: string; assigneeId: string | null },
  title = 'Task assigned to you',
  more: readonly { id: string }[] = [],
) => {
  if (assigneeId === null || assigneeId === w.memberId || w.author.at) return;
  const { firmId } = w;
  const cause = `${id}:${w.author.requestId}`;
  const count = 1 + more.length;
  const doerId = w.memberId;
  void deliver(w, tellAssignee, { firmId, taskId: id, cause, title, count, doerId });
  for (const one of [{ id }, ...more]) askAssignee(w, one.id, cause);
};

/** The firm's tasks, oldest first; of one matter if its id is given. */
export const listTasks = async (reader: Reader, matterId: string | null) => {
  const rows = await reader.run(tasks, { firmId: reader.firmId, matterId });
  return rows.map(viewTask);
};

/**
 * Cancels those of these tasks of a lead or a matter that nobody has touched since they were made. Returns how many it
 * cancelled.
 */
export const takeTasksBack = (actor: Acting, of: Named, ids: readonly string[]) =>
  write(actor, async (w): Promise<number> => {
    const known = ids.filter(isId);
    const [rows, now] = await Promise.all([
      w.run(untouched, { ...viewerOf(w), ids: known, recordId: of.leadId ?? of.matterId ?? '' }),
      w.now(),
    ]);
    for (const one of rows) w.update(task, one, { cancelledAt: now, updatedAt: now });
    return rows.length;
  });

/** Cancels up to `max` open tasks of a matter, and returns how many it cancelled. */
export const cancelTasks = async (w: Write, matterId: string, max: number): Promise<number> => {
  const [open, now] = await Promise.all([
    w.run(openTasks, { firmId: w.firmId, matterId, max }),
    w.now(),
  ]);
  for (const one of open) w.update(task, one, { cancelledAt: now, updatedAt: now });
  return open.length;
};

type Stored = Omit<typeof task.$inferSelect, 'firmId' | 'followsId'>;

const viewTask = ({ id, leadId, matterId, title, doneAt, cancelledAt, createdAt }: Stored) => ({
  id,
  leadId,
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

const oneTask = statement((given: Given<Viewer & { id: string }>) =>
  query
    .select()
    .from(task)
    .where(
      sql`${task.firmId} = ${given.firmId} and ${task.id} = ${given.id} and ${isAboutSeen(task, given)}`,
    )
    .for('update'),
);

const untouched = statement((given: Given<Viewer & { ids: string[]; recordId: string }>) =>
  query
    .select()
    .from(task)
    .where(
      sql`${task.firmId} = ${given.firmId} and ${task.id} = any(${given.ids}::uuid[])
        and ${given.recordId}::uuid in (${task.matterId}, ${task.leadId}) and ${task.updatedAt} = ${task.createdAt}
        and ${task.doneAt} is null and ${task.cancelledAt} is null and ${isAboutSeen(task, given)}`,
    )
    .orderBy(asc(task.id))
    .for('update'),
);

type Telling = {
  firmId: string;
  taskId: string;
  cause: string;
  title: string;
  count: number;
  doerId: string | null;
};

// A notice of several tasks is of no record: it leads to their list.
const tellAssignee = statement(
  ({ firmId, taskId, cause, title, count, doerId }: Given<Telling>) => sql<Told>`
    insert into notification
      (firm_id, member_id, kind, cause, record_id, title, text, count, created_at, raised_at)
    select task.firm_id, member.id, 'task.assigned', ${cause},
      case when ${count}::int = 1 then task.id end,
      case when ${count}::int = 1 then ${title}::text
        else ${count}::int || ' tasks assigned to you' end || ${asDeputy(sql`member.id <> holder.id`)},
      case when ${count}::int = 1 then task.title || ' (' || ${subjectWords} || ')'
        else 'Open them, the next first' end,
      ${count}::int, moment(), moment()
    from task
    join member holder on holder.firm_id = task.firm_id and holder.id = task.assignee_id
    join member on member.firm_id = task.firm_id and ${isHolderOrDeputy}
    join role on role.firm_id = member.firm_id and role.id = member.role_id
    ${joinSubject(task, ofMember(firmId))}
    where task.firm_id = ${firmId} and task.id = ${taskId} and ${isAbout}
      and (member.id = holder.id
        or member.id is distinct from ${doerId}::uuid and ${isAboutRead(task, firmId)})
      and member.deactivated_at is null and not 'task.assigned' = any(member.muted_kinds)
    on conflict do nothing returning kind`,
);
