import { type SQL, sql } from 'drizzle-orm';
import { remembering } from '../base/remembering.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Page } from '../record/page.ts';
import { rowsNamed } from '../views/filter.ts';
import { foundOfMember, isFound, type Part } from './conditions.ts';
import type { Filtering } from './filter.ts';
import { keyOf, type MatterOrder, wayOf } from './order.ts';
import { isOfStatus, maxStatements } from './scan-in-order.ts';
import type { MatterCounts } from './status-counts.ts';

export type Filtered = {
  /** How many were found of each status. */
  counts: Partial<MatterCounts>;
  /** The places of a page of them, in the order of the list; null if there may be more than were found. */
  ordinals: number[] | null;
};

type FilteredPage = Filtering & Page;

const maxCounted = 2_500;

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
  const usesIndex = asked.keys.length > 0;
  const name = `${order.by} ${order.isDown} ${ofStatus} ${usesIndex} ${parts.join()}`;
  const statement = filteringByName(name, () => filtering({ parts, order, ofStatus, usesIndex }));
  const found = await reader.first(statement, asked);
  const counts = found?.counts ?? {};
  return { counts, ordinals: sumOf(counts) <= maxCounted ? (found?.ordinals ?? []) : null };
};

/**
 * The places of a page of the matters that pass a filter, in the order of the list. However many pass,
 * all of them are found and sorted.
 */
export const sortAll = async (
  reader: Reader,
  parts: readonly Part[],
  order: MatterOrder,
  asked: FilteredPage,
): Promise<number[]> => {
  const usesIndex = asked.keys.length > 0;
  const name = `${order.by} ${order.isDown} ${usesIndex} ${parts.join()}`;
  const statement = sortingOf(name, () => sorting({ parts, order, ofStatus: true, usesIndex }));
  return (await reader.run(statement, asked)).map(({ ordinal }) => Number(ordinal));
};

/** Whether more than a fifth of the matters pass a filter of days: an index alone counts them. */
export const isCommon = async (
  reader: Reader,
  parts: readonly Part[],
  asked: Filtering,
): Promise<boolean> => {
  const statement = commonOf(parts.join(), () => common(parts));
  return (await reader.first(statement, asked))?.isCommon ?? false;
};

/** How many there are of all statuses together. */
export const sumOf = (counts: Partial<MatterCounts>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

type IndexFilter = {
  parts: readonly Part[];
  order: MatterOrder;
  ofStatus: boolean;
  usesIndex: boolean;
};

type Stored = { counts: Partial<MatterCounts> | null; ordinals: number[] };

const max = sql.raw(String(maxCounted));

const filtering = (filter: IndexFilter) =>
  statement((given: Given<FilteredPage>) => {
    const isWhole = sql`(select count(*) from found) <= ${max}`;
    const ofAsked = isOfStatus(given, sql`found.status`);
    return sql<Stored>`
      with found as materialized (
        select * from (${rowsOf(filter, given, sql`matter.status,`)}) rows limit ${max} + 1)
      select (select json_object_agg(status, count) from (
          select status, count(*) as count from found group by status) of_status) as counts,
        to_json(array(${pageOf(filter, given, sql`where ${isWhole} and ${ofAsked}`)})) as ordinals`;
  }, 'anew');

const filteringByName = remembering<ReturnType<typeof filtering>>(maxStatements);

const sorting = (filter: IndexFilter) =>
  statement((given: Given<FilteredPage>) => {
    // Not read in the order of the list, in which those that pass stand far down.
    const found = sql`with found as not materialized (${rowsOf(filter, given)} offset 0)`;
    return sql<{ ordinal: string }>`${found} ${pageOf(filter, given)}`;
  }, 'anew');

const sortingOf = remembering<ReturnType<typeof sorting>>(maxStatements);

const common = (parts: readonly Part[]) =>
  statement(
    (given: Given<Filtering>) => sql<{ isCommon: boolean }>`
      select exists (select from matter where ${isFound(parts, given)} offset (
        select live / 5 from register where firm_id = ${given.firmId} and kind = 'matter')) as "isCommon"`,
    'anew',
  );

const commonOf = remembering<ReturnType<typeof common>>(maxStatements);

/** The rows of `ordinal` and `key` that pass. */
const rowsOf = (
  { parts, order, ofStatus, usesIndex }: IndexFilter,
  given: Given<FilteredPage>,
  further = sql``,
): SQL => {
  const columns = sql`${further} matter.ordinal, ${keyOf[order.by]?.column ?? sql`null::int`} as key`;
  const ofAsked = ofStatus ? sql`and ${isOfStatus(given, sql`matter.status`)}` : sql``;
  return (
    (usesIndex ? null : foundOfMember(parts, given, columns, ofAsked)) ??
    sql`select ${columns} from ${rowsNamed('matter', given, usesIndex)}
      where ${isFound(parts, given)} ${ofAsked}`
  );
};

/** The places of a page of what was `found`, in the order of the list. */
const pageOf = ({ order }: IndexFilter, given: Given<FilteredPage>, passes = sql``): SQL => {
  const key = keyOf[order.by];
  const names =
    key?.names && sql`left join ${key.names(given, wayOf(order))} named on named.id = found.key`;
  const by = key?.names
    ? sql`named.place nulls last, found.ordinal desc`
    : key
      ? sql`found.key ${wayOf(order)} nulls last, found.ordinal desc`
      : sql`found.ordinal ${wayOf(order)}`;
  return sql`select found.ordinal from found ${names ?? sql``} ${passes}
    order by ${by} limit ${given.limit}::int offset ${given.offset}::int`;
};
