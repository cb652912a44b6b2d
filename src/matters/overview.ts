import { sql } from 'drizzle-orm';
import { type Given, shortStatement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { largestPage, type Page } from '../record/page.ts';
import { countedByStatus } from '../register/statuses.ts';
import { linesOf, sumOf } from '../views/listing.ts';
import { asksForDays, type Part } from './conditions.ts';
import { type Filtering, isOfStatus, type MatterFilter } from './filter.ts';
import { filteringOf } from './filter-parameters.ts';
import { countUpTo, filterByIndex, isCommon, sortAll } from './filtered.ts';
import { type MatterRow, matterRow, responsibleAs } from './list-row.ts';
import { isNewestFirst, keyOf, type MatterOrder } from './order.ts';
import { scanInOrder } from './scan-in-order.ts';
import { countsByStatus, type MatterCounts, totalOf } from './status-counts.ts';
import type { matterStatuses } from './table.ts';

export type MatterLine = MatterRow & {
  formerNumber: string | null;
  status: (typeof matterStatuses)[number];
  practiceAreaName: string;
  stageName: string;
  typeName: string | null;
  responsible: string[];
  openDate: string;
  closeDate: string | null;
};

/** A page of matters, how many pass the filter, and how many of each status. */
export type MatterOverview = {
  rows: MatterLine[];
  total: number;
  /** Null if so many pass the filter that they are not counted by status. */
  countOf: MatterCounts | null;
  /** Whether there are more than the total. */
  isMore: boolean;
  /** Whether there is a page after this one. */
  hasNext: boolean;
};

type FilteredPage = Filtering & Page;

/**
 * The matters that pass a filter, in an order, a page of them; with their counts by status. All
 * matters are counted, and those of a filter up to some thousands.
 */
export const readMatterOverview = async (
  reader: Reader,
  filter: MatterFilter,
  order: MatterOrder,
  page: Page,
): Promise<MatterOverview> => {
  const { filtering, parts } = await filteringOf(reader, filter);
  const asked = { ...filtering, ...page };
  return parts.length === 0
    ? await readAll(reader, order, asked)
    : await readFiltered(reader, parts, order, asked);
};

/** How many matters pass a filter, also if they are more than its list counts: up to one more than `max`. */
export const countMatters = async (reader: Reader, filter: MatterFilter, max: number) => {
  const { filtering, parts } = await filteringOf(reader, filter);
  return countUpTo(reader, parts, filtering, max);
};

const readAll = async (reader: Reader, order: MatterOrder, asked: FilteredPage) => {
  const isNewest = isNewestFirst(order) && asked.offset === 0 && asked.limit <= largestPage;
  const [rows, counts] = await Promise.all([
    isNewest
      ? lines.newest(reader, asked)
      : scanInOrder(reader, [], order, { ...asked, max: null }).then((ordinals) =>
          lines.at(reader, asked, ordinals),
        ),
    reader.run(countedOfAll, { firmId: reader.firmId }),
  ]);
  const countOf = countsByStatus(counts);
  const total = totalOf(countOf, asked.status);
  return { rows, countOf, total, isMore: false, hasNext: asked.offset + asked.limit < total };
};

const readFiltered = async (
  reader: Reader,
  parts: Part[],
  order: MatterOrder,
  asked: FilteredPage,
): Promise<MatterOverview> => {
  const { limit, offset, status } = asked;
  const { counts, ordinals } = await filterByIndex(reader, parts, order, asked);
  let total = totalOf(counts, status);
  if (ordinals) {
    const rows = await lines.at(reader, asked, ordinals);
    return { rows, countOf: counts, total, isMore: false, hasNext: offset + limit < total };
  }
  // One more, to see whether there is a next page.
  const more = { ...asked, limit: limit + 1 };
  const isRare = total < sumOf(counts) / rareShare;
  const rare = isRare ? await filterByIndex(reader, parts, order, more, { ofStatus: true }) : null;
  if (rare?.ordinals) total = totalOf(rare.counts, status);
  const places = rare?.ordinals ?? (await placesOf(reader, parts, order, more));
  const rows = await lines.at(reader, asked, places.slice(0, limit));
  const hasNext = places.length > limit;
  const found = { rows, countOf: null, hasNext };
  if (rare?.ordinals) return { ...found, total, isMore: false };
  const end = rows.length > 0 ? offset + rows.length : 0;
  return end > 0 && !hasNext
    ? { ...found, total: end, isMore: false }
    : { ...found, total: Math.max(total - 1, end), isMore: true };
};

/** The places of a page of the many matters that pass a filter. */
const placesOf = async (reader: Reader, parts: Part[], order: MatterOrder, asked: FilteredPage) => {
  const max = await maxScanned(reader, parts, order, asked);
  const scanned = max === 0 ? [] : await scanInOrder(reader, parts, order, { ...asked, max });
  return scanned.length === asked.limit ? scanned : await sortAll(reader, parts, order, asked);
};

/**
 * How many matters are looked at in the order of the list before all that pass are sorted; null if
 * these are so many that the list is rather read to its end.
 */
const maxScanned = async (
  reader: Reader,
  parts: Part[],
  order: MatterOrder,
  asked: FilteredPage,
) => {
  // Attorney after attorney, those of all others would be read.
  if (order.by === 'responsible' && parts.includes('responsible')) return 0;
  const key = keyOf[order.by];
  // In most orders, matters of the same time stand together.
  if (key && asksForDays(parts)) {
    if (await isCommon(reader, parts, asked)) return null;
    if (key.names) return 0;
  }
  return 3_000;
};

// If fewer than one in so many have the status that is asked for, they are found by themselves.
const rareShare = 20;

type Count = { status: keyof MatterCounts; count: number };

const countedOfAll = shortStatement(
  ({ firmId }: Given<'firmId'>) => sql<Count>`
    select status, live as count from ${countedByStatus('matter', firmId)}`,
);

const lines = linesOf<MatterLine, FilteredPage>({
  table: 'matter',
  isListed: (given) => sql`matter.firm_id = ${given.firmId} and matter.deleted_at is null
    and ${isOfStatus(given, sql`matter.status`)}`,
  select: (given, page, order) => sql`
    select ${matterRow(given)}, ${responsibleAs(given, sql`member.name`)} as responsible,
      matter.former_number as "formerNumber", matter.status,
      practice_area.name as "practiceAreaName", stage.name as "stageName",
      matter_type.name as "typeName", matter.open_date::text as "openDate",
      matter.close_date::text as "closeDate"
    from (${page}) matter
    join practice_area on practice_area.firm_id = matter.firm_id
      and practice_area.id = matter.practice_area_id
    join stage on stage.firm_id = matter.firm_id and stage.id = matter.stage_id
    left join matter_type on matter_type.firm_id = matter.firm_id
      and matter_type.id = matter.matter_type_id
    order by ${order}`,
});
