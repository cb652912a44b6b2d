import { type SQL, sql } from 'drizzle-orm';
import type { Given } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { largestPage, type Page } from '../record/page.ts';
import { isUnfiltered, rowsNamed } from '../views/filter.ts';
import {
  type Filter,
  type Key,
  type ListOrder,
  linesOf,
  listing,
  sumOf,
} from '../views/listing.ts';
import { canSeeLead } from '../visibility/visibility.ts';
import {
  type Filtering,
  filteringOf,
  inStageSince,
  isStepPast,
  type LeadFilter,
  passes,
  sourceOf,
} from './filter.ts';
import { countStatuses, countsByStatus, type StatusCounts } from './status-counts.ts';
import { leadStatuses, leadValues } from './table.ts';

export const leadSorts = [
  ...(['name', 'number', 'area', 'stage', 'value', 'source', 'assigned'] as const),
  ...(['next', 'waiting', 'created'] as const),
] as const;

type LeadOrder = ListOrder<(typeof leadSorts)[number]>;

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
  nextTouch: string | null;
  isStepPast: boolean | null;
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
  const { found, countOf } = isNewest(filter, order, page)
    ? await readNewest(reader, asked)
    : await readFound(reader, order, asked);
  const rows = found.map(({ since, ...line }) => ({
    ...line,
    assignees: line.assignees.toSorted(),
    waitingSince: line.status === 'ACTIVE' ? since : null,
  }));
  return { rows, countOf, total: filter.status === null ? sumOf(countOf) : countOf[filter.status] };
};

const isNewest = (filter: LeadFilter, { by, isDown }: LeadOrder, { offset, limit }: Page) =>
  isDown && !(by in keys) && isUnfiltered(filter) && offset === 0 && limit <= largestPage;

const readNewest = async (reader: Reader, asked: Lines) => {
  const [found, counts] = await Promise.all([lines.newest(reader, asked), countStatuses(reader)]);
  return { found, countOf: countsByStatus(counts) };
};

const readFound = async (reader: Reader, order: LeadOrder, asked: Lines) => {
  const filter = asked.keys.length > 0 ? inIndex : inTable;
  const { counts, ordinals } = await leads.find(reader, filter, order, asked);
  return { found: await lines.at(reader, asked, ordinals), countOf: counts };
};

const values = sql.raw(`array[${leadValues.map((value) => `'${value}'`).join()}]`);

/** What each column is sorted by. */
const keys: Partial<Record<LeadOrder['by'], Key<Lines>>> = {
  name: {
    column: sql`lower(person.name)`,
    join: ({ firmId }) => sql`
      left join contact person on person.firm_id = ${firmId} and person.id = lead.contact_id
        and person.deleted_at is null`,
  },
  area: {
    column: sql`lower(area.name)`,
    join: ({ firmId }) => sql`
      left join practice_area area on area.firm_id = ${firmId} and area.id = lead.practice_area_id`,
  },
  stage: {
    column: sql`place.position`,
    join: ({ firmId }) => sql`
      left join lead_stage place on place.firm_id = ${firmId} and place.id = lead.lead_stage_id`,
  },
  value: { column: sql`array_position(${values}, lead.value)` },
  source: {
    column: sql`lower(origin.name)`,
    join: ({ firmId }) => sql`cross join lateral (select ${sourceOf(firmId)} as name) origin`,
  },
  assigned: {
    column: sql`first_assignee.name`,
    join: ({ firmId }) => sql`
      left join (select lead_assignee.lead_id, min(lower(member.name)) as name
        from lead_assignee join member on member.firm_id = lead_assignee.firm_id
          and member.id = lead_assignee.member_id
        where lead_assignee.firm_id = ${firmId} group by 1) first_assignee
        on first_assignee.lead_id = lead.id`,
  },
  next: { column: sql`lead.next_touch` },
  waiting: {
    column: sql`case when lead.status = 'ACTIVE'
      then moment() - coalesce(last_move.at, lead.created_at) end`,
    join: ({ firmId }) => sql`
      left join (select lead_id, max(at) as at from lead_move where firm_id = ${firmId} group by 1)
        last_move on last_move.lead_id = lead.id`,
  },
};

type Lines = Filtering & Page;
type StoredLine = Omit<LeadLine, 'waitingSince'> & { since: string };

const isOfStatus = ({ status }: Given<Lines>, column: SQL) =>
  sql`(${status}::text is null or ${column} = ${status}::text)`;

const select = (given: Given<Lines>, page: SQL, order: SQL) => sql<StoredLine>`
  select lead.id, lead.number, lead.status, lead.is_private as "isPrivate", lead.value,
    contact.name as "contactName", practice_area.name as "practiceAreaName",
    lead_stage.name as "stageName", lead_stage.position as "stagePosition",
    ${sourceOf(given.firmId)} as source, ${inStageSince(given)} as since,
    lead.next_touch as "nextTouch", ${isStepPast(given)} as "isStepPast",
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

const lines = linesOf<StoredLine, Lines>({
  table: 'lead',
  isListed: (given) => sql`lead.firm_id = ${given.firmId} and lead.deleted_at is null
    and ${canSeeLead(given)} and ${isOfStatus(given, sql`lead.status`)}`,
  select,
});

const leads = listing<Lines, (typeof leadStatuses)[number]>({
  table: 'lead',
  keys,
  statuses: leadStatuses,
  status: sql`lead.status`,
  isOfStatus,
});

const filterOf = (usesIndex: boolean): Filter<Lines> => ({
  name: `${usesIndex}`,
  rows: (given, columns, join) => sql`
    select ${columns} from ${rowsNamed('lead', given, usesIndex)} ${join}
    where ${passes(given)}`,
});

const [inIndex, inTable] = [filterOf(true), filterOf(false)];
