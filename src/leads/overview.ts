import { type SQL, sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Page } from '../record/page.ts';
import {
  type Filtering,
  filteringOf,
  inStageSince,
  type LeadFilter,
  passes,
  sourceOf,
} from './filter.ts';
import { countsByStatus, type StatusCounts } from './status-counts.ts';
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
  assignees: { id: string; name: string }[];
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
  const filtering = filteringOf(reader, filter);
  const { status, ...anyStatus } = filtering;
  const [lines, counts] = await Promise.all([
    reader.run(linesBy(order), { ...filtering, ...page }),
    reader.run(counted, anyStatus),
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

const counted = statement(
  (given: Given<Omit<Filtering, 'status'>>) => sql<{
    status: keyof StatusCounts;
    count: number;
  }>`
    select lead.status, count(*)::int as count from lead
    where ${passes(given as Given<Filtering>)} group by 1`,
);

const nameOfContact = sql`(select lower(contact.name) from contact
  where contact.firm_id = lead.firm_id and contact.id = lead.contact_id and contact.deleted_at is null)`;

const values = sql.raw(`array[${leadValues.map((value) => `'${value}'`).join()}]`);

/** What each column is sorted by. */
const sortKey = (by: LeadOrder['by'], given: Given<Filtering>): SQL => {
  switch (by) {
    case 'name':
      return nameOfContact;
    case 'area':
      return sql`(select lower(practice_area.name) from practice_area
        where practice_area.firm_id = lead.firm_id and practice_area.id = lead.practice_area_id)`;
    case 'stage':
      return sql`(select lead_stage.position from lead_stage
        where lead_stage.firm_id = lead.firm_id and lead_stage.id = lead.lead_stage_id)`;
    case 'value':
      return sql`array_position(${values}, lead.value)`;
    case 'source':
      return sql`lower(${sourceOf(given.firmId)})`;
    case 'assigned':
      return sql`(select min(lower(member.name)) from lead_assignee
        join member on member.firm_id = lead_assignee.firm_id and member.id = lead_assignee.member_id
        where lead_assignee.firm_id = lead.firm_id and lead_assignee.lead_id = lead.id)`;
    case 'waiting':
      return sql`case when lead.status = 'ACTIVE' then moment() - ${inStageSince} end`;
    default:
      return sql`lead.ordinal`;
  }
};

type Lines = Filtering & Page;
type StoredLine = Omit<LeadLine, 'waitingSince'> & { since: Date };

// The page is cut first; names are looked up for its lines only.
const linesOrderedBy = (by: LeadOrder['by'], isDown: boolean) =>
  statement(
    (given: Given<Lines>) => sql<StoredLine>`
      select lead.id, lead.number, lead.status, lead.is_private as "isPrivate", lead.value,
        contact.name as "contactName", practice_area.name as "practiceAreaName",
        lead_stage.name as "stageName", lead_stage.position as "stagePosition",
        ${sourceOf(given.firmId)} as source, ${inStageSince} as since,
        lead.created_at as "createdAt", lead.decided_at as "decidedAt",
        coalesce((select json_agg(json_build_object('id', member.id, 'name', member.name)
            order by member.name)
          from lead_assignee join member on member.firm_id = lead_assignee.firm_id
            and member.id = lead_assignee.member_id
          where lead_assignee.firm_id = lead.firm_id and lead_assignee.lead_id = lead.id), '[]')
          as assignees
      from (
        select lead.*, row_number() over (
          order by ${sortKey(by, given)} ${sql.raw(isDown ? 'desc' : 'asc')} nulls last, lead.ordinal desc
        ) as place
        from lead where ${passes(given)}
          and (${given.status}::text is null or lead.status = ${given.status}::text)
        order by place limit ${given.limit}::int offset ${given.offset}::int) lead
      left join contact on contact.firm_id = lead.firm_id and contact.id = lead.contact_id
        and contact.deleted_at is null
      left join practice_area on practice_area.firm_id = lead.firm_id
        and practice_area.id = lead.practice_area_id
      join lead_stage on lead_stage.firm_id = lead.firm_id and lead_stage.id = lead.lead_stage_id
      order by lead.place`,
  );

const lines = new Map<string, ReturnType<typeof linesOrderedBy>>();

/** The statement for an order, built once. */
const linesBy = ({ by, isDown }: LeadOrder) => {
  const key = `${by} ${isDown}`;
  const known = lines.get(key) ?? linesOrderedBy(by, isDown);
  lines.set(key, known);
  return known;
};
