import { type SQL, sql } from 'drizzle-orm';
import { remembering } from '../base/remembering.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { largestPage, type Page } from '../record/page.ts';
import { atLargestPage } from '../register/position.ts';
import { isUnfiltered, rowsNamed } from '../views/filter.ts';
import { canSeeLead } from '../visibility/visibility.ts';
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

export const leadSorts = [
  ...(['name', 'number', 'area', 'stage', 'value', 'source', 'assigned'] as const),
  ...(['waiting', 'created'] as const),
] as const;

/** The order of a list: by which column, and whether the greatest, the last or the longest comes first. */
export type LeadOrder = { by: (typeof leadSorts)[number]; isDown: boolean };

/** A lead as a line of the list. Its moments are as Postgres writes them; `new Date` reads them. */
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
  /** The names of those who work on it, sorted. */
  assignees: string[];
  /** Since when it sits in its stage; null unless it is ACTIVE. */
  waitingSince: string | null;
  createdAt: string;
  decidedAt: string | null;
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
  const asked = { ...(await filteringOf(reader, filter)), ...page };
  const { lines, counts } = isNewest(filter, order, page)
    ? await readNewest(reader, asked)
    : await readFound(reader, order, asked);
  const countOf = countsByStatus(counts);
  const all = Object.values(countOf).reduce((sum, count) => sum + count, 0);
  const rows = lines.map(({ since, ...line }) => ({
    ...line,
    assignees: line.assignees.toSorted(),
    waitingSince: line.status === 'ACTIVE' ? since : null,
  }));
  return { rows, countOf, total: filter.status === null ? all : countOf[filter.status] };
};

const isNewest = (filter: LeadFilter, { by, isDown }: LeadOrder, { offset, limit }: Page) =>
  isDown && !(by in sortKeys) && isUnfiltered(filter) && offset === 0 && limit <= largestPage;

const readNewest = async (reader: Reader, asked: Lines) => {
  const [lines, counts] = await Promise.all([
    reader.run(newestLines, asked),
    countStatuses(reader),
  ]);
  return { lines, counts };
};

/** All that pass are found once, to count them and to cut the page. */
const readFound = async (reader: Reader, order: LeadOrder, asked: Lines) => {
  const usesIndex = asked.keys.length > 0;
  const statement = findingOf(`${order.by} ${order.isDown} ${usesIndex}`, () =>
    finding(order, usesIndex),
  );
  const { counts, ordinals } = (await reader.first(statement, asked)) ?? nothing;
  const lines = ordinals.length > 0 ? await reader.run(linesAt, { ...asked, ordinals }) : [];
  return { lines, counts };
};

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
type StoredLine = Omit<LeadLine, 'waitingSince'> & { since: string };

const isOfStatus = ({ status }: Given<Lines>) =>
  sql`(${status}::text is null or lead.status = ${status}::text)`;

// The page is cut first; names are looked up for its lines only.
const linesOf = (given: Given<Lines>, page: SQL, order: SQL) => sql<StoredLine>`
  select lead.id, lead.number, lead.status, lead.is_private as "isPrivate", lead.value,
    contact.name as "contactName", practice_area.name as "practiceAreaName",
    lead_stage.name as "stageName", lead_stage.position as "stagePosition",
    ${sourceOf(given.firmId)} as source, ${inStageSince(given)} as since,
    lead.created_at as "createdAt", lead.decided_at as "decidedAt",
    to_json(array(select (select member.name from member where member.firm_id = ${given.firmId}
          and member.id = lead_assignee.member_id)
        from lead_assignee
        where lead_assignee.firm_id = ${given.firmId} and lead_assignee.lead_id = lead.id))
      as assignees
  from (${page}) lead
  left join contact on contact.firm_id = lead.firm_id and contact.id = lead.contact_id
    and contact.deleted_at is null
  left join practice_area on practice_area.firm_id = lead.firm_id
    and practice_area.id = lead.practice_area_id
  join lead_stage on lead_stage.firm_id = lead.firm_id and lead_stage.id = lead.lead_stage_id
  order by ${order}`;

// Read from the index of ordinals. One plan is right for every reader.
const newestLines = statement((given: Given<Lines>) => {
  const newest = sql`
    select * from (
      select lead.* from lead
      where lead.firm_id = ${given.firmId} and lead.deleted_at is null and ${canSeeLead(given)}
        and ${isOfStatus(given)}
      order by lead.ordinal desc limit ${atLargestPage}) newest
    order by ordinal desc limit ${given.limit}::int`;
  return linesOf(given, newest, sql`lead.ordinal desc`);
});

type Found = { counts: { status: keyof StatusCounts; count: number }[]; ordinals: number[] };

const nothing: Found = { counts: [], ordinals: [] };

const finding = ({ by, isDown }: LeadOrder, usesIndex: boolean) => {
  const { key, join } = sortKeys[by] ?? {};
  const way = sql.raw(isDown ? 'desc' : 'asc');
  // What is equal stands newest first.
  const order = key ? sql`lead.key ${way} nulls last, lead.ordinal desc` : sql`lead.ordinal ${way}`;
  return statement(
    (given: Given<Lines>) => sql<Found>`
      with found as materialized (
        select lead.ordinal, lead.status, ${key?.(given) ?? sql`null::int`} as key
        from ${rowsNamed('lead', given, usesIndex)} ${join?.(given) ?? sql``}
        where ${passes(given)})
      select (select coalesce(json_agg(of_status), '[]') from (
          select status, count(*) from found group by status) of_status) as counts,
        to_json(array(select lead.ordinal from found lead where ${isOfStatus(given)}
          order by ${order} limit ${given.limit}::int offset ${given.offset}::int)) as ordinals`,
    'anew',
  );
};

const findingOf = remembering<ReturnType<typeof finding>>(100);

const linesAt = statement((given: Given<Lines & { ordinals: number[] }>) =>
  linesOf(
    given,
    sql`select lead.*, place.position
      from unnest(${given.ordinals}::bigint[]) with ordinality place (ordinal, position)
      join lead on lead.firm_id = ${given.firmId} and lead.ordinal = place.ordinal`,
    sql`lead.position`,
  ),
);
