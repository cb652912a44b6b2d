import { type SQL, sql } from 'drizzle-orm';
import { remembering } from '../base/remembering.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Page } from '../record/page.ts';
import { type Key, maxStatements, wayOf } from '../views/listing.ts';
import { type Part, passesInOrderOf } from './conditions.ts';
import { type Filtering, isOfStatus } from './filter.ts';
import { keyOf, type MatterOrder } from './order.ts';

type FilteredPage = Filtering & Page;

/**
 * The places of a page of matters that pass a filter, read in the order of the list until there are
 * enough: quick if many pass. Sorted by names, or if `max` is null, the list is read to its end;
 * else there may be too few if the first of the list, `max` of them, have few.
 */
export const scanInOrder = async (
  reader: Reader,
  parts: readonly Part[],
  order: MatterOrder,
  asked: FilteredPage & { max: number | null },
): Promise<number[]> => {
  const isBounded = asked.max !== null;
  const name = `${order.by} ${order.isDown} ${isBounded} ${parts.join()}`;
  const statement = scanOf(name, () => scanning(parts, order, isBounded));
  return (await reader.run(statement, asked)).map(({ ordinal }) => Number(ordinal));
};

const scanning = (parts: readonly Part[], order: MatterOrder, isBounded: boolean) => {
  const key = keyOf[order.by];
  return statement((given: Given<FilteredPage & { max: number | null }>) => {
    const { within, rest, ofNames } = passesInOrderOf(order.by, parts, given);
    const ofStatus = sql`${within} and ${isOfStatus(given, sql`matter.status`)}`;
    const passes = sql`${ofStatus} and ${rest ?? sql`true`}`;
    const upTo = sql`limit ${given.limit}::int + ${given.offset}::int`;
    const page = sql`limit ${given.limit}::int offset ${given.offset}::int`;
    const max = sql`limit ${given.max}::int`;
    const scanned = key?.names
      ? byName(key, sql`${key.names(given, wayOf(order))} named`, ofNames, passes, upTo)
      : rest && isBounded
        ? sql`select * from (
            ${inOrder(key, order, sql`matter.ordinal, ${rest} as passes`, ofStatus, max)}) matter
          where matter.passes`
        : inOrder(key, order, sql`matter.ordinal`, passes, upTo);
    return sql<{ ordinal: string }>`select page.ordinal from (${scanned}) page ${page}`;
  }, 'anew');
};

const scanOf = remembering<ReturnType<typeof scanning>>(maxStatements);

/** The matters by an index of the column. What is equal stands newest first; who has none, last. */
const inOrder = (
  key: Key<unknown> | undefined,
  order: MatterOrder,
  columns: SQL,
  passes: SQL,
  upTo: SQL,
) => {
  const rows = sql`select ${columns} from matter where ${passes}`;
  if (!key) return sql`${rows} order by matter.ordinal ${wayOf(order)} ${upTo}`;
  const inOrder = sql`order by ${key.column} ${wayOf(order)}, matter.ordinal desc ${upTo}`;
  if (!key.isOptional) return sql`${rows} ${inOrder}`;
  return sql`select * from ((${rows} and ${key.column} is not null ${inOrder})
    union all (${without(key, columns, passes, upTo)})) matter ${upTo}`;
};

// Written so that it is the order of the index, backward.
const without = ({ column }: Key<unknown>, columns: SQL, passes: SQL, upTo: SQL) => sql`
  select ${columns} from matter where ${passes} and ${column} is null
  order by ${column} desc, matter.ordinal desc ${upTo}`;

const byName = (key: Key<unknown>, names: SQL, ofNames: SQL, passes: SQL, upTo: SQL) => {
  const named = sql`
    select listed.ordinal from ${names} cross join lateral (
      select matter.ordinal from matter where ${passes} and ${key.column} = named.id
      order by matter.ordinal desc ${upTo}) listed
    where ${ofNames}
    order by named.place, listed.ordinal desc ${upTo}`;
  return key.isOptional
    ? sql`(${named}) union all (${without(key, sql`matter.ordinal`, passes, upTo)})`
    : named;
};
