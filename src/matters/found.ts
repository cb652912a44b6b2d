import { sql } from 'drizzle-orm';
import { remembering } from '../base/remembering.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Page } from '../record/page.ts';
import { rowsNamed } from '../views/filter.ts';
import { foundOfMember, isFound, type Part } from './conditions.ts';
import type { Filtering } from './filter.ts';
import { keyOf, type MatterOrder, wayOf } from './order.ts';
import type { MatterCounts } from './status-counts.ts';
import { isOfStatus, mostStatements } from './walk.ts';

/** What was found of a filter. */
export type Found = {
  /** How many were found of each status. */
  counts: Partial<MatterCounts>;
  /** The places of a page of them, in the order of the list; null if there may be more than were found. */
  ordinals: number[] | null;
};

/** How many matters of a filter are counted. */
const mostCounted = 2_500;

/**
 * The matters that pass a filter, found by an index: all of them, with a page in the order of the
 * list; or one more than are counted, with no page. `ofStatus` finds only those of the status that is
 * asked for, `all` however many there are.
 */
export const find = async (
  reader: Reader,
  parts: readonly Part[],
  order: MatterOrder,
  asked: Filtering & Page,
  { ofStatus = false, all = false } = {},
): Promise<Found> => {
  const most = all ? null : mostCounted + 1;
  const isIndexAsked = asked.keys.length > 0;
  const statement = findIn(parts, order, ofStatus, isIndexAsked);
  const found = await reader.first(statement, { ...asked, most });
  const counts = found?.counts ?? {};
  const isWhole = most === null || sumOf(counts) < most;
  return { counts, ordinals: isWhole ? (found?.ordinals ?? []) : null };
};

/** How many there are of all statuses together. */
export const sumOf = (counts: Partial<MatterCounts>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

type Stored = { counts: Partial<MatterCounts> | null; ordinals: number[] };

const finding = (
  parts: readonly Part[],
  order: MatterOrder,
  ofStatus: boolean,
  isIndexAsked: boolean,
) => {
  const key = keyOf[order.by];
  return statement((given: Given<Filtering & Page & { most: number | null }>) => {
    const columns = sql`matter.ordinal, matter.status, ${key?.column ?? sql`null::int`} as key`;
    const ofAsked = ofStatus ? sql`and ${isOfStatus(given, sql`matter.status`)}` : sql``;
    const rows =
      (isIndexAsked ? null : foundOfMember(parts, given, columns, ofAsked)) ??
      sql`select ${columns} from ${rowsNamed('matter', given, isIndexAsked)}
        where ${isFound(parts, given)} ${ofAsked}`;
    const names =
      key?.names && sql`left join ${key.names(given, wayOf(order))} named on named.id = found.key`;
    const by = key
      ? sql`${key.names ? sql`named.name` : sql`found.key`} ${wayOf(order)} nulls last, found.ordinal desc`
      : sql`found.ordinal ${wayOf(order)}`;
    return sql<Stored>`
      with found as materialized (select * from (${rows}) rows limit ${given.most}::int)
      select (select json_object_agg(status, count) from (
          select status, count(*) as count from found group by status) of_status) as counts,
        to_json(array(
          select found.ordinal from found ${names ?? sql``}
          where (${given.most}::int is null or (select count(*) from found) < ${given.most}::int)
            and ${isOfStatus(given, sql`found.status`)}
          order by ${by} limit ${given.limit}::int offset ${given.offset}::int)) as ordinals`;
  }, 'anew');
};

const findingOf = remembering<ReturnType<typeof finding>>(mostStatements);

/** The statement for these, built once. */
const findIn = (...by: Parameters<typeof finding>) => {
  const [parts, order, ofStatus, isIndexAsked] = by;
  const name = `${order.by} ${order.isDown} ${ofStatus} ${isIndexAsked} ${parts.join()}`;
  return findingOf(name, () => finding(...by));
};
