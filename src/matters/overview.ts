import { type SQL, sql } from 'drizzle-orm';
import { type Given, shortStatement, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { largestPage, type Page } from '../record/page.ts';
import { atLargestPage } from '../register/position.ts';
import { countedByStatus } from '../register/statuses.ts';
import { isUnfiltered, rowsNamed } from '../views/filter.ts';
import { type Filtering, filteringOf, type MatterFilter, passes } from './filter.ts';
import { responsibleAs, type ShownMatter, shownMatter } from './shown.ts';
import { type matterStatuses, sortedLength } from './table.ts';

/** The columns that a list of matters can be sorted by. */
export const matterSorts = [
  ...(['number', 'title', 'clients', 'area', 'stage', 'type', 'responsible'] as const),
  ...(['limitation', 'opened', 'closed', 'status', 'created'] as const),
] as const;

/** The order of a list: by which column, and whether the greatest or the last comes first. */
export type MatterOrder = { by: (typeof matterSorts)[number]; isDown: boolean };

/** A matter as a line of the list. */
export type MatterLine = ShownMatter & {
  formerNumber: string | null;
  status: (typeof matterStatuses)[number];
  practiceAreaName: string;
  stageName: string;
  typeName: string | null;
  /** The names of its responsible attorneys. */
  responsible: string[];
  openDate: string;
  closeDate: string | null;
};

/** How many matters there are of each status. */
export type MatterCounts = Record<(typeof matterStatuses)[number], number>;

/** A page of matters, how many pass the filter, and how many of each status. */
export type MatterOverview = { rows: MatterLine[]; total: number; countOf: MatterCounts };

/** The matters that pass a filter, in an order, a page of them; with their counts by status. */
export const readMatterOverview = async (
  reader: Reader,
  filter: MatterFilter,
  order: MatterOrder,
  page: Page,
): Promise<MatterOverview> => {
  const filtering = await filteringOf(reader, filter);
  const isPlain = isUnfiltered(filter);
  const isNewest = isPlain && isNewestFirst(order);
  const isFirstPage = page.offset === 0 && page.limit <= largestPage;
  const isIndexAsked = filtering.keys.length > 0;
  const [rows, counts] = await Promise.all([
    reader.run(isNewest && isFirstPage ? newestLines : linesBy(order, isIndexAsked), {
      ...filtering,
      ...page,
    }),
    isPlain
      ? reader.run(countedOfAll, { firmId: reader.firmId })
      : reader.run(isIndexAsked ? countedByIndex : counted, filtering),
  ]);
  const countOf = countsByStatus(counts);
  return { rows, countOf, total: totalOf(countOf, filter.status) };
};

const totalOf = (countOf: MatterCounts, status: MatterFilter['status']) => {
  const { ACTIVE, DRAFT, ARCHIVE } = countOf;
  if (status === 'CURRENT') return ACTIVE + DRAFT;
  return status === null ? ACTIVE + DRAFT + ARCHIVE : countOf[status];
};

/** Adds counts up by status; a status without matters has none. */
export const countsByStatus = (
  counts: readonly { status: keyof MatterCounts; count: number }[],
): MatterCounts => {
  const countOf: MatterCounts = { ACTIVE: 0, DRAFT: 0, ARCHIVE: 0 };
  for (const { status, count } of counts) countOf[status] += count;
  return countOf;
};

const isNewestFirst = ({ by, isDown }: MatterOrder) => isDown && !(by in sortKeys);

type Count = { status: keyof MatterCounts; count: number };

const countedOfAll = shortStatement(
  ({ firmId }: Given<'firmId'>) => sql<Count>`
    select status, live as count from ${countedByStatus('matter', firmId)}`,
);

const countedFrom = (isIndexAsked: boolean) =>
  statement(
    (given: Given<Filtering>) => sql<Count>`
      select matter.status, count(*)::int as count
      from ${rowsNamed('matter', given, isIndexAsked)} where ${passes(given)} group by 1`,
    'anew',
  );

const counted = countedFrom(false);
const countedByIndex = countedFrom(true);

type Key = {
  key: SQL;
  join?: (given: Given<Filtering>) => SQL;
  /** Whether every matter has one: then its index is read from either end. */
  isAlways?: true;
};

/** Names of few records, as numbers in their order: comparing those takes a fraction of the time. */
const byNameOf = (table: string, column: SQL): Key => ({
  key: sql`named.place`,
  join: ({ firmId }) => sql`
    left join (select id, rank() over (order by lower(name))::int as place
      from ${sql.raw(table)} where firm_id = ${firmId}) named on named.id = ${column}`,
});

// A sort looks at every matter of the firm: at columns of its own, most of them in one index.
const sortKeys: Partial<Record<MatterOrder['by'], Key>> = {
  title: {
    key: sql`lower(left(matter.title, ${sql.raw(String(sortedLength))}))`,
    isAlways: true,
  },
  clients: { key: sql`matter.client_name` },
  area: byNameOf('practice_area', sql`matter.practice_area_id`),
  stage: byNameOf('stage', sql`matter.stage_id`),
  type: byNameOf('matter_type', sql`matter.matter_type_id`),
  responsible: byNameOf('member', sql`matter.first_attorney_id`),
  limitation: { key: sql`matter.sol_date` },
  opened: { key: sql`matter.open_date` },
  closed: { key: sql`matter.close_date` },
  status: { key: sql`matter.status collate "C"` },
};

type Lines = Filtering & Page;

const isOfStatus = ({ status }: Given<Lines>) => sql`(${status}::text is null
  or matter.status = ${status}::text or (${status}::text = 'CURRENT' and matter.status <> 'ARCHIVE'))`;

// The page is cut first, by places in the list; all else is looked up for its lines only.
const linesOf = (given: Given<Lines>, page: SQL, order: SQL) => sql<MatterLine>`
  select ${shownMatter(given)}, ${responsibleAs(given, sql`member.name`)} as responsible,
    matter.former_number as "formerNumber", matter.status,
    practice_area.name as "practiceAreaName", stage.name as "stageName",
    matter_type.name as "typeName", matter.open_date::text as "openDate",
    matter.close_date::text as "closeDate"
  from (${page}) page
  join matter on matter.firm_id = ${given.firmId} and matter.ordinal = page.ordinal
  join practice_area on practice_area.firm_id = matter.firm_id
    and practice_area.id = matter.practice_area_id
  join stage on stage.firm_id = matter.firm_id and stage.id = matter.stage_id
  left join matter_type on matter_type.firm_id = matter.firm_id
    and matter_type.id = matter.matter_type_id
  order by ${order}`;

// Read from the index of ordinals. One plan is right for every reader.
const newestLines = statement((given: Given<Lines>) => {
  const newest = sql`
    select * from (
      select matter.ordinal from matter
      where matter.firm_id = ${given.firmId} and matter.deleted_at is null and ${isOfStatus(given)}
      order by matter.ordinal desc limit ${atLargestPage}) newest
    order by ordinal desc limit ${given.limit}::int`;
  return linesOf(given, newest, sql`page.ordinal desc`);
});

const linesOrderedBy = ({ by, isDown }: MatterOrder, isIndexAsked: boolean) => {
  const { key, join, isAlways } = sortKeys[by] ?? {};
  const way = sql.raw(isDown ? `desc nulls ${isAlways ? 'first' : 'last'}` : 'asc');
  // By number is by ordinal; what is equal otherwise stands newest first.
  const order = (of: SQL, ordinal: SQL) =>
    key ? sql`${of} ${way}, ${ordinal} desc` : sql`${ordinal} ${way}`;
  return statement((given: Given<Lines>) => {
    const page = sql`
      select matter.ordinal, ${key ?? sql`null::int`} as sorted_by
      from ${rowsNamed('matter', given, isIndexAsked)} ${join?.(given) ?? sql``}
      where ${passes(given)} and ${isOfStatus(given)}
      order by ${order(key ?? sql``, sql`matter.ordinal`)}
      limit ${given.limit}::int offset ${given.offset}::int`;
    return linesOf(given, page, order(sql`page.sorted_by`, sql`page.ordinal`));
  }, 'anew');
};

const lines = new Map<string, ReturnType<typeof linesOrderedBy>>();

/** The statement for an order, built once. */
const linesBy = (order: MatterOrder, isIndexAsked: boolean) => {
  const key = `${order.by} ${order.isDown} ${isIndexAsked}`;
  const known = lines.get(key) ?? linesOrderedBy(order, isIndexAsked);
  lines.set(key, known);
  return known;
};
