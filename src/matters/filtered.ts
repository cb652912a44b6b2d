import { sql } from 'drizzle-orm';
import { remembering } from '../base/remembering.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Page } from '../record/page.ts';
import { rowsNamed } from '../views/filter.ts';
import { type Filter, listing, maxStatements, sumOf } from '../views/listing.ts';
import { foundOfMember, isFound, type Part } from './conditions.ts';
import { type Filtering, isOfStatus } from './filter.ts';
import { keyOf, type MatterOrder } from './order.ts';
import type { MatterCounts } from './status-counts.ts';
import { matterStatuses } from './table.ts';

export type Filtered = {
  /** How many were found of each status. */
  counts: MatterCounts;
  /** The places of a page of them, in the order of the list; null if there may be more than were found. */
  ordinals: number[] | null;
};

type FilteredPage = Filtering & Page;

const maxCounted = 2_500;

const matters = listing<FilteredPage, (typeof matterStatuses)[number]>({
  table: 'matter',
  keys: keyOf,
  statuses: matterStatuses,
  status: sql`matter.status`,
  isOfStatus,
});

/**
 * The matters that pass a filter, found by an index: all of them, with a page in the order of the
 * list; or one more than are counted, with no page. `ofStatus` finds only those of the status that is
 * asked for.
 */
export const filterByIndex = async (
  reader: Reader,
  parts: readonly Part[],
  order: MatterOrder,
  asked: FilteredPage,
  { ofStatus = false } = {},
): Promise<Filtered> => {
  const filter = filterOf(parts, ofStatus, asked);
  const { counts, ordinals } = await matters.find(reader, filter, order, asked, maxCounted);
  return { counts, ordinals: sumOf(counts) <= maxCounted ? ordinals : null };
};

/** How many matters of the status that is asked for pass a filter, counted up to one more than `max`. */
export const countUpTo = async (
  reader: Reader,
  parts: readonly Part[],
  filtering: Filtering,
  max: number,
): Promise<number> => {
  const [order, asked] = [{ by: 'created', isDown: false } as const, { limit: 0, offset: 0 }];
  const filter = filterOf(parts, true, { ...filtering, ...asked });
  return sumOf((await matters.find(reader, filter, order, { ...filtering, ...asked }, max)).counts);
};

/**
 * The places of a page of the matters that pass a filter, in the order of the list. However many pass,
 * all of them are found and sorted.
 */
export const sortAll = (
  reader: Reader,
  parts: readonly Part[],
  order: MatterOrder,
  asked: FilteredPage,
): Promise<number[]> => matters.sort(reader, filterOf(parts, true, asked), order, asked);

/** Whether more than a fifth of the matters pass a filter of days: an index alone counts them. */
export const isCommon = async (
  reader: Reader,
  parts: readonly Part[],
  asked: Filtering,
): Promise<boolean> => {
  const statement = commonOf(parts.join(), () => common(parts));
  return (await reader.first(statement, asked))?.isCommon ?? false;
};

const common = (parts: readonly Part[]) =>
  statement(
    (given: Given<Filtering>) => sql<{ isCommon: boolean }>`
      select exists (select from matter where ${isFound(parts, given)} offset (
        select live / 5 from register where firm_id = ${given.firmId} and kind = 'matter')) as "isCommon"`,
    'anew',
  );

const commonOf = remembering<ReturnType<typeof common>>(maxStatements);

/** A filter by these parts; `ofStatus` also by the status that is asked for. */
const filterOf = (
  parts: readonly Part[],
  ofStatus: boolean,
  { keys }: FilteredPage,
): Filter<FilteredPage> => {
  const usesIndex = keys.length > 0;
  return {
    name: `${ofStatus} ${usesIndex} ${parts.join()}`,
    rows: (given, columns) => {
      const ofAsked = ofStatus ? sql`and ${isOfStatus(given, sql`matter.status`)}` : sql``;
      return (
        (usesIndex ? null : foundOfMember(parts, given, columns, ofAsked)) ??
        sql`select ${columns} from ${rowsNamed('matter', given, usesIndex)}
          where ${isFound(parts, given)} ${ofAsked}`
      );
    },
  };
};
