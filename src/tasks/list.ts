import { type SQL, sql } from 'drizzle-orm';
import type { Subject } from '../about/subject.ts';
import { type Given, shortStatement, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Listed, Page } from '../record/page.ts';
import {
  type AboutRecord,
  isAbout,
  joinSubject,
  mayReadAbout,
  recordOf,
  type SubjectColumns,
  subjectColumns,
} from '../visibility/subject.ts';
import { type Viewer, viewerOf } from '../visibility/visibility.ts';
import { task } from './table.ts';

export type TaskLine = {
  id: string;
  title: string;
  dueOn: string | null;
  doneAt: Date | null;
  cancelledAt: Date | null;
  /** How often it repeats, as a rule of RFC 5545; null if it does not. */
  rrule: string | null;
  assignee: { id: string; name: string } | null;
  /** The matter, or the lead that is not hired. */
  record: AboutRecord;
  createdAt: Date;
  updatedAt: Date;
};

const openLists = ['mine', 'team', 'overdue'] as const;

/**
 * Which tasks: the reader's open ones, open ones of their matters and leads, overdue ones of the firm,
 * or the reader's done ones.
 */
export const taskLists = [...openLists, 'done'] as const;
export type TaskList = (typeof taskLists)[number];

/** How many tasks each list of open ones has. */
type Counts = Record<(typeof openLists)[number], number>;

/**
 * A page of one of the lists, by day, and how many tasks each list of open ones has. With `of`, the lists are
 * those of another member, and the overdue ones are only their own. Tasks about what the reader may
 * not see are left out.
 */
export const listTaskLines = async (
  reader: Reader,
  list: TaskList,
  { today, of }: { today: string; of: string | null },
  { limit, offset }: Page,
): Promise<Listed<TaskLine> & { counts: Counts }> => {
  const own = { ...viewerOf(reader), holderId: of ?? reader.memberId, of, today };
  const [rows, [open], [done]] = await Promise.all([
    reader.run(list === 'done' ? doneLines : openLines, { ...own, list, limit, offset }),
    reader.run(countsOfOpen, own),
    // A firm of ten years has many of them.
    list === 'done' ? reader.run(countOfDone, own) : [],
  ]);
  const counts = open ?? { mine: 0, team: 0, overdue: 0 };
  const total = list === 'done' ? (done?.count ?? 0) : counts[list];
  return { rows: rows.map(lineOf), total, counts };
};

/** The tasks about a record that are not cancelled: open ones first, by day. */
export const tasksAbout = async (reader: Reader, of: Subject): Promise<TaskLine[]> =>
  (await reader.run(ofOneRecord[of.about], ofRecord(reader, of))).map(lineOf);

/** A page of the tasks about a record that are not cancelled, newest first. */
export const taskPageAbout = async (
  reader: Reader,
  page: Page,
  of: Subject,
): Promise<Listed<TaskLine>> => {
  const [rows, [counted]] = await Promise.all([
    reader.run(newestOfRecord[of.about], { ...ofRecord(reader, of), ...page }),
    reader.run(countOfRecord[of.about], ofRecord(reader, of)),
  ]);
  return { rows: rows.map(lineOf), total: counted?.count ?? 0 };
};

/** All tasks of a matter, also cancelled ones, by day. */
export const everyTaskOfMatter = async (reader: Reader, matterId: string): Promise<TaskLine[]> =>
  (await reader.run(everyOfMatter, { ...viewerOf(reader), recordId: matterId })).map(lineOf);

const ofRecord = (reader: Reader, { recordId }: Subject) => ({ ...viewerOf(reader), recordId });

/**
 * One task, also if done or cancelled; undefined if it does not exist, or what it is about
 * was deleted or may not be seen by the reader.
 */
export const readTask = async (reader: Reader, id: string): Promise<TaskLine | undefined> => {
  const row = await reader.first(oneLine, { ...viewerOf(reader), id });
  return row && lineOf(row);
};

type TaskRow = Pick<TaskLine, 'id' | 'title' | 'dueOn' | 'rrule'> &
  SubjectColumns & {
    doneAt: string | null;
    cancelledAt: string | null;
    assigneeId: string | null;
    assigneeName: string | null;
    createdAt: string;
    updatedAt: string;
  };

const lineOf = (row: TaskRow): TaskLine => ({
  id: row.id,
  title: row.title,
  dueOn: row.dueOn,
  rrule: row.rrule,
  doneAt: row.doneAt === null ? null : new Date(row.doneAt),
  cancelledAt: row.cancelledAt === null ? null : new Date(row.cancelledAt),
  assignee: row.assigneeId === null ? null : { id: row.assigneeId, name: row.assigneeName ?? '' },
  record: recordOf(row),
  createdAt: new Date(row.createdAt),
  updatedAt: new Date(row.updatedAt),
});

const lines = sql`
  select task.id::text as id, task.title, task.due_on::text as "dueOn", task.rrule, task.done_at as "doneAt",
    task.cancelled_at as "cancelledAt", task.assignee_id::text as "assigneeId",
    member.name as "assigneeName", ${subjectColumns}, task.created_at as "createdAt", task.updated_at as "updatedAt"`;

const withRecords = (given: Given<Viewer>) => sql`
  from task ${joinSubject(task, given)}
  left join member on member.firm_id = task.firm_id and member.id = task.assignee_id`;

const isOpen = sql`task.done_at is null and task.cancelled_at is null`;

type Own = Viewer & { holderId: string | null; of: string | null; today: string };

const isIn = (given: Given<Own>) => {
  const isMine = sql`task.assignee_id = ${given.holderId}::uuid`;
  return {
    mine: isMine,
    team: sql`(exists (select from matter_team
      where matter_team.firm_id = ${given.firmId}::uuid and matter_team.matter_id = matter.id
        and matter_team.member_id = ${given.holderId}::uuid)
      or exists (select from lead_assignee
      where lead_assignee.firm_id = ${given.firmId}::uuid and lead_assignee.lead_id = lead.id
        and lead_assignee.member_id = ${given.holderId}::uuid))`,
    overdue: sql`task.due_on < ${given.today}::date
      and (${given.of}::uuid is null or task.assignee_id = ${given.of}::uuid)`,
    done: sql`task.done_at is not null and ${isMine}`,
  };
};

const seen = (given: Given<Own>) =>
  sql`${withRecords(given)} where task.firm_id = ${given.firmId}::uuid and ${mayReadAbout(given)}`;

type Lines = Given<Own & { list: TaskList; limit: number; offset: number }>;

const openLines = statement((given: Lines) => {
  const { mine, team, overdue } = isIn(given);
  return sql<TaskRow>`
    ${lines} ${seen(given)} and ${isOpen} and case ${given.list}::text
      when 'mine' then ${mine} when 'team' then ${team} else ${overdue} end
    order by task.due_on nulls last, task.id
    limit ${given.limit}::int offset ${given.offset}::bigint`;
});

const doneLines = statement(
  (given: Lines) => sql<TaskRow>`
    ${lines} ${seen(given)} and ${isIn(given).done}
    order by task.done_at desc, task.due_on nulls last, task.id
    limit ${given.limit}::int offset ${given.offset}::bigint`,
);

const countsOfOpen = statement((given: Given<Own>) => {
  const { mine, team, overdue } = isIn(given);
  return sql<Counts>`
    select count(*) filter (where ${mine})::int as mine,
      count(*) filter (where ${team})::int as team,
      count(*) filter (where ${overdue})::int as overdue
    ${seen(given)} and ${isOpen}`;
});

const countOfDone = statement(
  (given: Given<Own>) => sql<{ count: number }>`
    select count(*)::int as count ${seen(given)} and ${isIn(given).done}`,
);

type OfRecord = Viewer & { recordId: string };

/** A statement for the tasks of a matter, and one for those of a lead that is not hired. */
const forEither = <Made>(make: (isOfRecord: (given: Given<OfRecord>) => SQL) => Made) => ({
  matter: make(
    ({ firmId, recordId }) => sql`task.firm_id = ${firmId}::uuid
    and task.matter_id = ${recordId}::uuid and task.cancelled_at is null`,
  ),
  lead: make(
    ({ firmId, recordId }) => sql`task.firm_id = ${firmId}::uuid
    and task.lead_id = ${recordId}::uuid and task.matter_id is null and task.cancelled_at is null`,
  ),
});

const ofOneRecord = forEither((isOfRecord) =>
  shortStatement(
    (given: Given<OfRecord>) => sql<TaskRow>`
    ${lines} ${withRecords(given)} where ${isOfRecord(given)} and ${isAbout}
    order by task.done_at desc nulls first, task.due_on nulls last, task.id limit 200`,
  ),
);

const newestOfRecord = forEither((isOfRecord) =>
  statement(
    (given: Given<OfRecord & Page>) => sql<TaskRow>`
    ${lines} ${withRecords(given)} where ${isOfRecord(given)} and ${isAbout}
    order by task.created_at desc, task.id desc limit ${given.limit}::int offset ${given.offset}::bigint`,
  ),
);

const countOfRecord = forEither((isOfRecord) =>
  statement(
    (given: Given<OfRecord>) => sql<{ count: number }>`
    select count(*)::int as count from task where ${isOfRecord(given)}`,
  ),
);

const everyOfMatter = statement(
  (given: Given<OfRecord>) => sql<TaskRow>`
    ${lines} ${withRecords(given)}
    where task.firm_id = ${given.firmId}::uuid and task.matter_id = ${given.recordId}::uuid and ${isAbout}
    order by task.due_on nulls last, task.id`,
);

const oneLine = statement(
  (given: Given<Viewer & { id: string }>) => sql<TaskRow>`
    ${lines} ${withRecords(given)}
    where task.firm_id = ${given.firmId}::uuid and task.id = ${given.id}::uuid and ${isAbout}`,
);
