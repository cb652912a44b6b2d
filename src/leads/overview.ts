import { type SQL, sql } from 'drizzle-orm';
import { formed } from '../postgres/spread/forms.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { largestPage, type Page } from '../record/page.ts';
import { atLargestPage } from '../register/position.ts';
import { seesLead } from '../sight/sight.ts';
import { isUnfiltered, rowsNamed } from '../views/filter.ts';
import {
  type Filtering,
  filteringOf,
  inStageSince,
  type LeadFilter,
  passes,
  sourceOf,
} from './filter.ts';
import { countStatuses, countsByStatus, type StatusCounts } from './status-counts.ts';
import { type leadStatuses, leadValues } from './table.ts';

/** The columns that a list of leads can be sorted by. */
export const leadSorts = [
  ...(['name', 'number', 'area', 'stage', 'value', 'source', 'assigned'] as const),
  ...(['waiting', 'created'] as const),
] as const;

/** The order of a list: by which column, and whether the greatest, the last or the longest comes first. */
export type LeadOrder = { by: (typeof leadSorts)[number]; isDown: boolean };

/** A lead as a line of the list. */
export type LeadLine = {
  id: string;
  number: string;
  status: (typeof leadStatuses)[number];
  isPrivate: boolean;
  /** Null if the lead has lost its contact. */
  contactName: string | null;
  practiceAreaName: string | null;
  stageName: string;
  /** The stage's place in the pipeline, from 0. */
  stagePosition: number;
  value: (typeof leadValues)[number] | null;
  source: string | null;
  /** The names of those who work on it. */
  assignees: string[];
  /** Since when it sits in its stage; null unless it is ACTIVE. */
  waitingSince: Date | null;
  createdAt: Date;
  decidedAt: Date | null;
};

/** A page of the leads that the reader may see, how many pass the filter, and how many of each status. */
export type Overview = { rows: LeadLine[]; total: number; countOf: StatusCounts };

/** The leads that pass a filter, in an order, a page of them; with their counts by status. */
export const readOverview = async (
  reader: Reader,
  filter: LeadFilter,
  order: LeadOrder,
  page: Page,
): Promise<Overview> => {
  const filtering = await filteringOf(reader, filter);
  const [lines, counts] = await Promise.all([
    readLines(reader, filter, order, { ...filtering, ...page }),
    isUnfiltered(filter)
      ? countStatuses(reader)
      : reader.run(filtering.keys.length > 0 ? countedByIndex : counted, filtering),
  ]);
  const countOf = countsByStatus(counts);
  const all = Object.values(countOf).reduce((sum, count) => sum + count, 0);
  const rows = lines.map((line) => ({
    ...line,
    waitingSince: line.status === 'ACTIVE' ? new Date(line.since) : null,
    createdAt: new Date(line.createdAt),
    decidedAt: line.decidedAt && new Date(line.decidedAt),
  }));
  return { rows, countOf, total: filter.status === null ? all : countOf[filter.status] };
};

const readLines = (reader: Reader, filter: LeadFilter, order: LeadOrder, asked: Lines) => {
  const isFirstPage = asked.offset === 0 && asked.limit <= largestPage;
  return isFirstPage && isNewestFirst(order) && isUnfiltered(filter)
    ? reader.run(newestLines, asked)
    : reader.run(linesBy(order, asked.keys.length > 0), asked);
};

const isNewestFirst = ({ by, isDown }: LeadOrder) => isDown && !(by in sortKeys);

const countedFrom = (isIndexAsked: boolean) =>
  statement(
    (given: Given<Filtering>) => sql<{ status: keyof StatusCounts; count: number }>`
      select lead.status, count(*)::int as count
      from ${rowsNamed('lead', given, isIndexAsked)} where ${passes(given)} group by 1`,
    'anew',
  );

const counted = countedFrom(false);
const countedByIndex = countedFrom(true);

const values = sql.raw(`array[${leadValues.map((value) => `'${value}'`).join()}]`);

type Key = { key: (given: Given<Filtering>) => SQL; join?: (given: Given<Filtering>) => SQL };

/**
 * What each column is sorted by; what has none is sorted by its place among all. Names are joined as
 * whole tables, not looked up for each row: a sort needs them of every lead.
 */
const sortKeys: Partial<Record<LeadOrder['by'], Key>> = {
  name: {
    key: () => sql`lower(person.name)`,
    join: ({ firmId }) => sql`
      left join contact person on person.firm_id = ${firmId} and person.id = lead.contact_id
        and person.deleted_at is null`,
  },
  area: {
    key: () => sql`lower(area.name)`,
    join: ({ firmId }) => sql`
      left join practice_area area on area.firm_id = ${firmId} and area.id = lead.practice_area_id`,
  },
  stage: {
    key: () => sql`place.position`,
    join: ({ firmId }) => sql`
      left join lead_stage place on place.firm_id = ${firmId} and place.id = lead.lead_stage_id`,
  },
  value: { key: () => sql`array_position(${values}, lead.value)` },
  source: { key: ({ firmId }) => sql`lower(${sourceOf(firmId)})` },
  assigned: {
    key: () => sql`first_assignee.name`,
    join: ({ firmId }) => sql`
      left join (select lead_assignee.lead_id, min(lower(member.name)) as name
        from lead_assignee join member on member.firm_id = lead_assignee.firm_id
          and member.id = lead_assignee.member_id
        where lead_assignee.firm_id = ${firmId} group by 1) first_assignee
        on first_assignee.lead_id = lead.id`,
  },
  waiting: {
    key: () => sql`case when lead.status = 'ACTIVE'
      then moment() - coalesce(last_move.at, lead.created_at) end`,
    join: ({ firmId }) => sql`
      left join (select lead_id, max(at) as at from lead_move where firm_id = ${firmId} group by 1)
        last_move on last_move.lead_id = lead.id`,
  },
};

type Lines = Filtering & Page;
type StoredLine = Omit<LeadLine, 'waitingSince'> & { since: Date };

const isOfStatus = ({ status }: Given<Lines>) =>
  sql`(${status}::text is null or lead.status = ${status}::text)`;

const firmOfLine = ({ firmId }: Given<Lines>) => formed(sql`lead.firm_id`, sql`${firmId}`);

// The page is cut first; names are looked up for its lines only.
const linesOf = (given: Given<Lines>, page: SQL, order: SQL) => sql<StoredLine>`
  select lead.id, lead.number, lead.status, lead.is_private as "isPrivate", lead.value,
    contact.name as "contactName", practice_area.name as "practiceAreaName",
    lead_stage.name as "stageName", lead_stage.position as "stagePosition",
    ${sourceOf(given.firmId)} as source, ${inStageSince(given)} as since,
    lead.created_at as "createdAt", lead.decided_at as "decidedAt",
    coalesce((select json_agg(name order by name) from (
        select (select member.name from member where member.firm_id = ${given.firmId}
          and member.id = lead_assignee.member_id) as name
        from lead_assignee
        where lead_assignee.firm_id = ${given.firmId} and lead_assignee.lead_id = lead.id) one), '[]')
      as assignees
  from (${page}) lead
  left join contact on contact.firm_id = ${firmOfLine(given)} and contact.id = lead.contact_id
    and contact.deleted_at is null
  left join practice_area on practice_area.firm_id = ${firmOfLine(given)}
    and practice_area.id = lead.practice_area_id
  join lead_stage on lead_stage.firm_id = ${firmOfLine(given)} and lead_stage.id = lead.lead_stage_id
  order by ${order}`;

// Read from the index of ordinals. One plan is right for every reader.
const newestLines = statement((given: Given<Lines>) => {
  const newest = sql`
    select * from (
      select lead.* from lead
      where lead.firm_id = ${given.firmId} and lead.deleted_at is null and ${seesLead(given)}
        and ${isOfStatus(given)}
      order by lead.ordinal desc limit ${atLargestPage}) newest
    order by ordinal desc limit ${given.limit}::int`;
  return linesOf(given, newest, sql`lead.ordinal desc`);
});

const linesOrderedBy = ({ by, isDown }: LeadOrder, isIndexAsked: boolean) => {
  const { key, join } = sortKeys[by] ?? {};
  const way = sql.raw(isDown ? 'desc' : 'asc');
  // What is equal stands newest first.
  const order = (of: SQL) =>
    key ? sql`${of} ${way} nulls last, lead.ordinal desc` : sql`lead.ordinal ${way}`;
  return statement((given: Given<Lines>) => {
    const page = sql`
      select lead.*, ${key?.(given) ?? sql`null::int`} as sorted_by
      from ${rowsNamed('lead', given, isIndexAsked)} ${join?.(given) ?? sql``}
      where ${passes(given)} and ${isOfStatus(given)}
      order by ${order(key?.(given) ?? sql``)}
      limit ${given.limit}::int offset ${given.offset}::int`;
    return linesOf(given, page, order(sql`sorted_by`));
  }, 'anew');
};

const lines = new Map<string, ReturnType<typeof linesOrderedBy>>();

/** The statement for an order, built once. */
const linesBy = (order: LeadOrder, isIndexAsked: boolean) => {
  const key = `${order.by} ${order.isDown} ${isIndexAsked}`;
  const known = lines.get(key) ?? linesOrderedBy(order, isIndexAsked);
  lines.set(key, known);
  return known;
};
