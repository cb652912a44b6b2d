import { type SQL, sql } from 'drizzle-orm';
import { remembering } from '../base/remembering.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Page } from '../record/page.ts';
import { type Part, passesInOrderOf } from './conditions.ts';
import type { Filtering } from './filter.ts';
import { type Key, keyOf, type MatterOrder, wayOf } from './order.ts';

export type Walked = Filtering & Page;

/**
 * The places of a page of matters that pass a filter, read in the order of the list until there are
 * enough: quick if many pass. There may be too few if the first thousands of the list have few.
 */
export const walk = async (
  reader: Reader,
  parts: readonly Part[],
  order: MatterOrder,
  asked: Walked,
): Promise<number[]> =>
  (await reader.run(walkIn(parts, order), asked)).map(({ ordinal }) => Number(ordinal));

/** How many matters are looked at. */
const mostWalked = 4_000;

/** Whether the row of `matter` has the status that is asked for; null asks for any. */
export const isOfStatus = ({ status }: Given<Pick<Filtering, 'status'>>, of: SQL) =>
  sql`(${status}::text is null or ${of} = ${status}::text
    or (${status}::text = 'CURRENT' and ${of} <> 'ARCHIVE'))`;

const walking = (parts: readonly Part[], order: MatterOrder) => {
  const key = keyOf[order.by];
  return statement((given: Given<Walked>) => {
    const { within, rest, ofNames } = passesInOrderOf(order.by, parts, given);
    const ofStatus = sql`${within} and ${isOfStatus(given, sql`matter.status`)}`;
    const upTo = sql`limit ${given.limit}::int + ${given.offset}::int`;
    const page = sql`limit ${given.limit}::int offset ${given.offset}::int`;
    const walked = key?.names
      ? byName(
          key,
          sql`${key.names(given, wayOf(order))} named`,
          ofNames,
          sql`${ofStatus} and ${rest ?? sql`true`}`,
          upTo,
          order,
        )
      : rest
        ? sql`select matter.ordinal from (
            select * from (${inOrder(key, order, sql`*`, ofStatus, most)}) matter ${most}) matter
          where ${rest}`
        : inOrder(key, order, sql`matter.ordinal`, ofStatus, upTo);
    return sql<{ ordinal: string }>`select * from (${walked}) page ${page}`;
  }, 'anew');
};

const most = sql.raw(`limit ${mostWalked}`);

/** The matters by an index of the column. What is equal stands newest first; who has none, last. */
const inOrder = (
  key: Key | undefined,
  order: MatterOrder,
  columns: SQL,
  passes: SQL,
  upTo: SQL,
) => {
  const rows = sql`select ${columns} from matter where ${passes}`;
  if (!key) return sql`${rows} order by matter.ordinal ${wayOf(order)} ${upTo}`;
  const inOrder = sql`order by ${key.column} ${wayOf(order)}, matter.ordinal desc ${upTo}`;
  if (!key.isOptional) return sql`${rows} ${inOrder}`;
  return sql`(${rows} and ${key.column} is not null ${inOrder})
    union all (${without(key, columns, passes, upTo)})`;
};

// Written so that it is the order of the index, backward.
const without = ({ column }: Key, columns: SQL, passes: SQL, upTo: SQL) => sql`
  select ${columns} from matter where ${passes} and ${column} is null
  order by ${column} desc, matter.ordinal desc ${upTo}`;

const byName = (key: Key, names: SQL, ofNames: SQL, passes: SQL, upTo: SQL, order: MatterOrder) => {
  const named = sql`
    select listed.ordinal from ${names} cross join lateral (
      select matter.ordinal from matter where ${passes} and ${key.column} = named.id
      order by matter.ordinal desc ${upTo}) listed
    where ${ofNames}
    order by named.name ${wayOf(order)}, listed.ordinal desc ${upTo}`;
  return key.isOptional
    ? sql`(${named}) union all (${without(key, sql`matter.ordinal`, passes, upTo)})`
    : named;
};

/** How many statements are kept: more than a firm asks for again. */
export const mostStatements = 1_000;

const walkOf = remembering<ReturnType<typeof walking>>(mostStatements);

/** The statement for an order and the parts of a filter, built once. */
const walkIn = (parts: readonly Part[], order: MatterOrder) =>
  walkOf(`${order.by} ${order.isDown} ${parts.join()}`, () => walking(parts, order));
