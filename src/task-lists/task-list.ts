/** The firm's task lists, as owners make them. */
import { and, asc, eq, getTableColumns, isNull } from 'drizzle-orm';
import { isId, newId } from '../base/columns.ts';
import { invalid, invalidField, notFound, oneOf } from '../base/refusal.ts';
import { shortText } from '../base/short-text.ts';
import { eventKind } from '../calendar/table.ts';
import { customField } from '../custom-fields/table.ts';
import { checkedSpan } from '../date-rules/rule.ts';
import {
  allTriggers,
  type CountedFrom,
  type Counting,
  checkedTrigger,
  isFieldOf,
  isKindOf,
  ofNothing,
  triggerNames,
} from '../date-rules/trigger.ts';
import type { Span } from '../firm/reckoning.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import { practiceAreaFor, stageById } from '../practice-areas/list.ts';
import type { Reader } from '../record/actor.ts';
import { positionAfter, shifted } from '../record/ordered-list.ts';
import { nameInTurn, refuseLike, refuseTakenName } from '../record/taken.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import {
  type ListedAssignee,
  type ListTrigger,
  listedAssignees,
  listTriggers,
  taskList,
  taskListLine,
} from './table.ts';

/** How many lists a firm can have, and tasks a list. */
export const limits = { lists: 100, lines: 50 };

/** A task of a list: its day is `amount` units after its trigger, before it if negative. Without a trigger it has no day. */
export type LineFields = Span &
  CountedFrom<ListTrigger | null> & {
    title: string;
    /** Null for nobody. */
    assignee: ListedAssignee | null;
  };

/** The same with the names of its field and its event kind. */
export type ListLine = LineFields & Counting<ListTrigger | null>;

/** A list's own fields: its name, and the practice area, or one stage of it, for which it is offered first. */
export type ListFields = { name: string; practiceAreaId: string | null; stageId: string | null };

/** A task list with its tasks in their order. */
export type TaskList = ListFields & { id: string; lines: (ListLine & { id: string })[] };

/** The firm's task lists by name. */
export const allTaskLists = async (reader: Reader): Promise<TaskList[]> => {
  const { firmId } = reader;
  const [lists, lines] = await Promise.all([
    reader.run(listsOf, { firmId }),
    reader.run(linesOfAll, { firmId }),
  ]);
  const linesOf = Map.groupBy(lines, ({ listId }) => listId);
  return lists
    .map((list) => ({ ...list, lines: linesOf.get(list.id) ?? [] }))
    .sort((one, other) => one.name.localeCompare(other.name, 'en'));
};

/** One task list. Throws `Refusal` not_found. */
export const readTaskList = async (reader: Reader, id: string): Promise<TaskList> => {
  const ids = { firmId: reader.firmId, id };
  const [list, lines] = isId(id)
    ? await Promise.all([reader.first(oneList, ids), reader.run(linesOfOne, ids)])
    : [undefined, []];
  if (!list) throw noSuchList();
  return { ...list, lines };
};

const noSuchList = () => notFound('The firm has no such task list.');

const ofFirm = 'task list of the firm';
const taken = refuseTakenName('task_list_name', ofFirm);

/**
 * Makes a task list, empty or with these tasks, and gives its id. Throws `Refusal` conflict for a name that another one
 * has, not_found for a practice area, and invalid_request as `addListLine` does, and for one list too many.
 */
export const addTaskList = (actor: Acting, fields: ListFields, lines: readonly LineFields[] = []) =>
  write(actor, async (w) => {
    await nameInTurn(w, 'task_list');
    const [checked, lists, now] = await Promise.all([
      checkFields(w, fields),
      w.run(listsOf, { firmId: w.firmId }),
      w.now(),
    ]);
    if (lists.length >= limits.lists) {
      throw invalid(`A firm can have ${limits.lists} task lists. Remove one first.`);
    }
    refuseLike(w, ofFirm, lists, fields.name);
    const id = newId();
    w.create(taskList, { firmId: w.firmId, id, ...checked, createdAt: now, updatedAt: now });
    for (const [position, line] of lines.entries()) {
      createLine(w, id, await checkLine(w, line), position, now);
    }
    return id;
  }).catch(taken);

/** Gives a task list another name or practice area. Throws `Refusal` as `addTaskList` does. */
export const changeTaskList = (actor: Acting, id: string, fields: ListFields) =>
  write(actor, async (w) => {
    await nameInTurn(w, 'task_list');
    const [stored, now] = await Promise.all([listForChange(w, id), w.now()]);
    refuseLike(w, ofFirm, await w.run(listsOf, { firmId: w.firmId }), fields.name, stored);
    // A practice area or a stage that was removed may stay.
    const isSame =
      stored.practiceAreaId === fields.practiceAreaId && stored.stageId === fields.stageId;
    const checked = isSame
      ? { name: shortText('name', fields.name) }
      : await checkFields(w, fields);
    w.update(taskList, stored, { ...checked, updatedAt: now });
  }).catch(taken);

/** Removes a task list. The tasks that came from it stay. Throws `Refusal` not_found. */
export const removeTaskList = (actor: Acting, id: string) =>
  write(actor, async (w) => {
    const [stored, now] = await Promise.all([listForChange(w, id), w.now()]);
    w.remove(taskList, stored, now);
    return stored.name;
  });

/** Adds a task at the end of a list, and gives its id. Throws `Refusal` not_found, and invalid_request naming the field. */
export const addListLine = (actor: Acting, listId: string, line: LineFields) =>
  changeLines(actor, listId, async (w, lines, now) => {
    if (lines.length >= limits.lines) {
      throw invalidField('title', `is one more than the ${limits.lines} tasks a list can have`);
    }
    return createLine(w, listId, await checkLine(w, line), positionAfter(lines), now);
  });

/** Changes a task of a list. Throws `Refusal` as `addListLine` does; a field that was removed meanwhile may stay. */
export const changeListLine = (actor: Acting, listId: string, id: string, line: LineFields) =>
  changeLines(actor, listId, async (w, lines, now) => {
    const stored = lineIn(lines, id);
    w.update(taskListLine, stored, { ...(await checkLine(w, line, stored)), updatedAt: now });
  });

/** Moves a task of a list up or down by one. At either end nothing changes. Throws `Refusal` not_found. */
export const shiftListLine = (actor: Acting, listId: string, id: string, by: -1 | 1) =>
  changeLines(actor, listId, (w, lines, now) => {
    const order = shifted(lines, lines.indexOf(lineIn(lines, id)), by);
    for (const [position, line] of order.entries()) {
      if (line.position !== position) w.update(taskListLine, line, { position, updatedAt: now });
    }
  });

/** Removes a task from a list. Throws `Refusal` not_found. */
export const removeListLine = (actor: Acting, listId: string, id: string) =>
  changeLines(actor, listId, (w, lines, now) => {
    const line = lineIn(lines, id);
    w.remove(taskListLine, line, now);
  });

type StoredLine = typeof taskListLine.$inferSelect;

/** Changes the tasks of a list while nobody else does. */
const changeLines = <Given>(
  actor: Acting,
  listId: string,
  change: (w: Write, lines: StoredLine[], now: Date) => Given | Promise<Given>,
) =>
  write(actor, async (w) => {
    await listForChange(w, listId);
    const [lines, now] = await Promise.all([
      w.run(linesOfOne, { firmId: w.firmId, id: listId }),
      w.now(),
    ]);
    return change(w, lines, now);
  });

const listForChange = async (w: Write, id: string) => {
  const stored = isId(id) ? await w.first(listHeld, { firmId: w.firmId, id }) : undefined;
  if (!stored) throw noSuchList();
  return stored;
};

const lineIn = (lines: readonly StoredLine[], id: string): StoredLine => {
  const found = lines.find((line) => line.id === id);
  if (!found) throw notFound('The list has no such task.');
  return found;
};

const createLine = (w: Write, listId: string, line: LineFields, position: number, now: Date) => {
  const id = newId();
  w.create(taskListLine, {
    firmId: w.firmId,
    id,
    listId,
    position,
    ...line,
    createdAt: now,
    updatedAt: now,
  });
  return id;
};

const checkFields = async (w: Write, { name, practiceAreaId, stageId }: ListFields) => {
  if (practiceAreaId !== null) await practiceAreaFor(w, practiceAreaId);
  if (stageId !== null) await stageInArea(w, practiceAreaId, stageId);
  return { name: shortText('name', name), practiceAreaId, stageId };
};

const stageInArea = async (w: Write, practiceAreaId: string | null, id: string) => {
  const found = await stageById(w, id);
  if (!found || found.practiceAreaId !== practiceAreaId) {
    throw invalidField('stageId', {
      rule: 'must be the id of a stage of the practice area',
      kind: { kind: 'gone' },
    });
  }
};

const checkLine = async (
  w: Write,
  line: LineFields,
  stored?: CountedFrom<unknown>,
): Promise<LineFields> => {
  const { title, trigger, assignee } = line;
  const fields = {
    ...checkedSpan(line),
    title: shortText('title', title),
    assignee: assignee && oneOf('assignee', listedAssignees, assignee),
  };
  // Without a day there is nothing to count.
  if (trigger === null) return { ...fields, amount: 0, trigger, ...ofNothing };
  return { ...fields, ...(await checkedTrigger(w, listTriggers, { ...line, trigger }, stored)) };
};

/** What the firm's task lists can count from. */
export const triggersOfLists = async (reader: Reader): Promise<Counting<ListTrigger>[]> => [
  { trigger: 'applied', ...ofNothing, fieldName: null, eventKindName: null },
  ...(await allTriggers(reader)),
];

const isListed = ({ firmId }: Given<'firmId'>) =>
  and(eq(taskList.firmId, firmId), isNull(taskList.deletedAt));

const isThisList = (given: Given<'firmId' | 'id'>) =>
  and(isListed(given), eq(taskList.id, given.id));

const listsOf = statement((given: Given<'firmId'>) =>
  query.select().from(taskList).where(isListed(given)),
);

const oneList = statement((given: Given<'firmId' | 'id'>) =>
  query.select().from(taskList).where(isThisList(given)),
);

const listHeld = statement((given: Given<'firmId' | 'id'>) =>
  query.select().from(taskList).where(isThisList(given)).for('no key update'),
);

const isLineOfFirm = ({ firmId }: Given<'firmId'>) =>
  and(eq(taskListLine.firmId, firmId), isNull(taskListLine.deletedAt));

const inOrder = [asc(taskListLine.position), asc(taskListLine.id)];

const lines = () =>
  query
    .select({ ...getTableColumns(taskListLine), ...triggerNames })
    .from(taskListLine)
    .leftJoin(customField, isFieldOf(taskListLine))
    .leftJoin(eventKind, isKindOf(taskListLine));

const linesOfAll = statement((given: Given<'firmId'>) =>
  lines()
    .where(isLineOfFirm(given))
    .orderBy(...inOrder),
);

const linesOfOne = statement((given: Given<'firmId' | 'id'>) =>
  lines()
    .where(and(isLineOfFirm(given), eq(taskListLine.listId, given.id)))
    .orderBy(...inOrder),
);
