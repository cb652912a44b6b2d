import { sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Listed, Page } from '../record/page.ts';

export type TaskLine = {
  id: string;
  title: string;
  dueOn: string | null;
  doneAt: Date | null;
  cancelledAt: Date | null;
  assignee: { id: string; name: string } | null;
  matter: { id: string; number: string; title: string };
  createdAt: Date;
  updatedAt: Date;
};

/**
 * Which tasks: the reader's open ones, open ones of their teams' matters, overdue ones of the firm,
 * or the reader's done ones.
 */
export const taskLists = ['mine', 'team', 'overdue', 'done'] as const;
export type TaskList = (typeof taskLists)[number];

/**
 * A page of one of the lists, by day, and how many tasks each list has. With `of`, the lists are
 * those of another member, and the overdue ones are only their own.
 */
export const listTaskLines = async (
  reader: Reader,
  list: TaskList,
  { today, of }: { today: string; of: string | null },
  { limit, offset }: Page,
): Promise<Listed<TaskLine> & { counts: Record<TaskList, number> }> => {
  const { firmId } = reader;
  const own = { firmId, memberId: of ?? reader.memberId, of, today };
  const [rows, [counts]] = await Promise.all([
    reader.run(linesOf, { ...own, list, limit, offset }),
    reader.run(countsOf, own),
  ]);
  const all = counts ?? { mine: 0, team: 0, overdue: 0, done: 0 };
  return { rows: rows.map(lineOf), total: all[list], counts: all };
};

/** The tasks of a matter that are not cancelled: open ones first, by day. */
export const tasksOfMatter = async (reader: Reader, matterId: string): Promise<TaskLine[]> =>
  (await reader.run(ofOneMatter, { firmId: reader.firmId, matterId })).map(lineOf);

/** A page of the tasks of a matter that are not cancelled, newest first. */
export const taskPageOfMatter = async (
  reader: Reader,
  page: Page,
  matterId: string,
): Promise<Listed<TaskLine>> => {
  const ofMatter = { firmId: reader.firmId, matterId };
  const [rows, [counted]] = await Promise.all([
    reader.run(newestOfMatter, { ...ofMatter, ...page }),
    reader.run(countOfMatter, ofMatter),
  ]);
  return { rows: rows.map(lineOf), total: counted?.count ?? 0 };
};

/** All tasks of a matter, also cancelled ones, by day. */
export const everyTaskOfMatter = async (reader: Reader, matterId: string): Promise<TaskLine[]> =>
  (await reader.run(everyOfMatter, { firmId: reader.firmId, matterId })).map(lineOf);

/**
 * One task, also if done or cancelled; undefined if it does not exist or its matter was deleted.
 */
export const readTask = async (reader: Reader, id: string): Promise<TaskLine | undefined> => {
  const row = await reader.first(oneLine, { firmId: reader.firmId, id });
  return row && lineOf(row);
};

type TaskRow = Pick<TaskLine, 'id' | 'title' | 'dueOn'> & {
  doneAt: string | null;
  cancelledAt: string | null;
  assigneeId: string | null;
  assigneeName: string | null;
  matterId: string;
  number: string;
  matterTitle: string;
  createdAt: string;
  updatedAt: string;
};

const lineOf = (row: TaskRow): TaskLine => ({
  id: row.id,
  title: row.title,
  dueOn: row.dueOn,
  doneAt: row.doneAt === null ? null : new Date(row.doneAt),
  cancelledAt: row.cancelledAt === null ? null : new Date(row.cancelledAt),
  assignee: row.assigneeId === null ? null : { id: row.assigneeId, name: row.assigneeName ?? '' },
  matter: { id: row.matterId, number: row.number, title: row.matterTitle },
  createdAt: new Date(row.createdAt),
  updatedAt: new Date(row.updatedAt),
});

const lines = sql`
  select task.id::text as id, task.title, task.due_on::text as "dueOn", task.done_at as "doneAt",
    task.cancelled_at as "cancelledAt", task.assignee_id::text as "assigneeId",
    member.name as "assigneeName", matter.id::text as "matterId", matter.number,
    matter.title as "matterTitle", task.created_at as "createdAt", task.updated_at as "updatedAt"`;

const ofMatters = sql`
  from task
  join matter on matter.firm_id = task.firm_id and matter.id = task.matter_id
    and matter.deleted_at is null
  left join member on member.firm_id = task.firm_id and member.id = task.assignee_id`;

const isOpen = sql`task.done_at is null and task.cancelled_at is null`;

type Own = { firmId: string; memberId: string | null; of: string | null; today: string };

const isIn = (given: Given<Own>) => {
  const isMine = sql`task.assignee_id = ${given.memberId}::uuid`;
  return {
    mine: sql`${isOpen} and ${isMine}`,
    team: sql`${isOpen} and exists (select from matter_team
      where matter_team.firm_id = ${given.firmId}::uuid and matter_team.matter_id = task.matter_id
        and matter_team.member_id = ${given.memberId}::uuid)`,
    overdue: sql`${isOpen} and task.due_on < ${given.today}::date
      and (${given.of}::uuid is null or task.assignee_id = ${given.of}::uuid)`,
    done: sql`task.done_at is not null and ${isMine}`,
  };
};

const linesOf = statement(
  (given: Given<Own & { list: TaskList; limit: number; offset: number }>) => {
    const { mine, team, overdue, done } = isIn(given);
    return sql<TaskRow>`
    ${lines} ${ofMatters}
    where task.firm_id = ${given.firmId}::uuid and case ${given.list}::text
      when 'mine' then ${mine} when 'team' then ${team} when 'overdue' then ${overdue}
      else ${done} end
    order by task.done_at desc, task.due_on nulls last, task.id
    limit ${given.limit}::int offset ${given.offset}::bigint`;
  },
);

const countsOf = statement((given: Given<Own>) => {
  const { mine, team, overdue, done } = isIn(given);
  return sql<Record<TaskList, number>>`
    select count(*) filter (where ${mine})::int as mine,
      count(*) filter (where ${team})::int as team,
      count(*) filter (where ${overdue})::int as overdue,
      count(*) filter (where ${done})::int as done
    ${ofMatters} where task.firm_id = ${given.firmId}::uuid`;
});

const ofOneMatter = statement(
  ({ firmId, matterId }: Given<'firmId' | 'matterId'>) => sql<TaskRow>`
    ${lines} ${ofMatters}
    where ${isLeftIn({ firmId, matterId })}
    order by task.done_at desc nulls first, task.due_on nulls last, task.id limit 200`,
);

const isLeftIn = ({ firmId, matterId }: Given<'firmId' | 'matterId'>) => sql`
  task.firm_id = ${firmId}::uuid and task.matter_id = ${matterId}::uuid and task.cancelled_at is null`;

const newestOfMatter = statement(
  (given: Given<{ firmId: string; matterId: string } & Page>) => sql<TaskRow>`
    ${lines} ${ofMatters} where ${isLeftIn(given)}
    order by task.created_at desc, task.id desc limit ${given.limit}::int offset ${given.offset}::bigint`,
);

const countOfMatter = statement(
  (given: Given<'firmId' | 'matterId'>) => sql<{ count: number }>`
    select count(*)::int as count from task where ${isLeftIn(given)}`,
);

const everyOfMatter = statement(
  ({ firmId, matterId }: Given<'firmId' | 'matterId'>) => sql<TaskRow>`
    ${lines} ${ofMatters}
    where task.firm_id = ${firmId}::uuid and task.matter_id = ${matterId}::uuid
    order by task.due_on nulls last, task.id`,
);

const oneLine = statement(
  ({ firmId, id }: Given<'firmId' | 'id'>) => sql<TaskRow>`
    ${lines} ${ofMatters} where task.firm_id = ${firmId}::uuid and task.id = ${id}::uuid`,
);
