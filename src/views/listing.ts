/**
 * A list of the application: a page of the records that pass a filter, in an order. What passes is
 * found once, to count it by status and to cut the page; the lines of that page are read then.
 */
import { type SQL, sql } from 'drizzle-orm';
import { remembering } from '../base/remembering.ts';
import { type Given, type Placeholders, type Statement, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Page } from '../record/page.ts';
import { atLargestPage } from '../register/position.ts';

type Table = 'lead' | 'matter';

/** By which column, and whether the greatest, the last, the longest or the newest comes first. */
export type ListOrder<Sort extends string> = { by: Sort; isDown: boolean };

export const wayOf = ({ isDown }: ListOrder<string>): SQL => sql.raw(isDown ? 'desc' : 'asc');

/** What a column is sorted by. Without one, records are sorted by their place among all. */
export type Key<Asked> = {
  column: SQL;
  /** What the column names. Tables are joined whole: a sort needs them of every record. */
  join?: (given: Placeholders<Asked>) => SQL;
  /** Whether a record may have none: it stands last, either way. */
  isOptional?: true;
  /** The rows of `id`, `area` and `place` that the column names, in order, if it is sorted by names. */
  names?: (given: Given<'firmId'>, way: SQL) => SQL;
};

/** What a record is of in a table, and what a list of such records is sorted and counted by. */
type List<Asked, Status extends string> = {
  table: Table;
  /** By the names of columns. */
  keys: Readonly<Record<string, Key<Asked> | undefined>>;
  statuses: readonly Status[];
  /** The column with the status, and whether such a column has the one that is asked for. */
  status: SQL;
  isOfStatus(given: Placeholders<Asked>, column: SQL): SQL;
};

/** What passes a filter. */
export type Filter<Asked> = {
  /** Says which filter it is, of those that need statements of their own. */
  name: string;
  /** The rows that pass, their status aside, with these columns, for which `join` follows the table. */
  rows(given: Placeholders<Asked>, columns: SQL, join: SQL): SQL;
};

/** How many pass, by status; and the places of a page of those of the status that is asked for. */
export type Found<Status extends string> = {
  counts: Record<Status, number>;
  ordinals: number[];
};

/** How many statements are kept: more than a firm asks for again. */
export const maxStatements = 1_000;

type Values = { firmId: string } & Page;

/** How the records of a list are found. */
export const listing = <Asked extends Values, Status extends string>(list: List<Asked, Status>) => {
  const { table, keys, status, isOfStatus } = list;
  const countsIn = countsOver(list.statuses);
  const columnsFor = (order: ListOrder<string>) =>
    sql`${status} as status, ${sql.raw(table)}.ordinal, ${keys[order.by]?.column ?? sql`null::int`} as key`;

  // What is equal stands newest first.
  const pageOf = (given: Placeholders<Asked>, order: ListOrder<string>, passes: SQL) => {
    const { names } = keys[order.by] ?? {};
    const named =
      names && sql`left join ${names(given, wayOf(order))} named on named.id = found.key`;
    const by = names
      ? sql`named.place nulls last, found.ordinal desc`
      : keys[order.by]
        ? sql`found.key ${wayOf(order)} nulls last, found.ordinal desc`
        : sql`found.ordinal ${wayOf(order)}`;
    return sql`select found.ordinal from found ${named ?? sql``} ${passes}
      order by ${by} limit ${given.limit}::int offset ${given.offset}::int`;
  };

  const rowsOf = ({ rows }: Filter<Asked>, given: Placeholders<Asked>, order: ListOrder<string>) =>
    rows(given, columnsFor(order), keys[order.by]?.join?.(given) ?? sql``);

  type Stored = { counts: Counts<Status>; ordinals: number[] };

  const counting = (filter: Filter<Asked>, order: ListOrder<string>, max: number | undefined) =>
    statement((given: Placeholders<Asked>) => {
      const upTo = max === undefined ? sql`` : sql`limit ${sql.raw(String(max))} + 1`;
      const isWhole =
        max === undefined
          ? sql`true`
          : sql`(select count(*) from found) <= ${sql.raw(String(max))}`;
      const ofAsked = sql`where ${isWhole} and ${isOfStatus(given, sql`found.status`)}`;
      return sql<Stored>`
        with found as materialized (
          select * from (${rowsOf(filter, given, order)}) rows ${upTo})
        select (select coalesce(json_agg(of_status), '[]') from (
            select status, count(*) as count from found group by status) of_status) as counts,
          to_json(array(${pageOf(given, order, ofAsked)})) as ordinals`;
    }, 'anew');

  const sorting = (filter: Filter<Asked>, order: ListOrder<string>) =>
    statement((given: Placeholders<Asked>) => {
      // Not read in the order of the list, in which those that pass stand far down.
      const found = sql`with found as not materialized (${rowsOf(filter, given, order)} offset 0)`;
      return sql<{ ordinal: string }>`${found} ${pageOf(given, order, sql``)}`;
    }, 'anew');

  const countings = remembering<() => Statement<Stored, [Asked]>>(maxStatements);
  const sortings = remembering<() => Statement<{ ordinal: string }, [Asked]>>(maxStatements);
  const nameOf = ({ name }: Filter<Asked>, { by, isDown }: ListOrder<string>) =>
    `${by} ${isDown} ${name}`;

  return {
    /**
     * All that pass a filter: their counts, and a page of them. With `max`, one more than so many are
     * counted, and have no page.
     */
    find: async (
      reader: Reader,
      filter: Filter<Asked>,
      order: ListOrder<string>,
      asked: Asked,
      max?: number,
    ): Promise<Found<Status>> => {
      const make = () => counting(filter, order, max);
      const name = `${max} ${nameOf(filter, order)}`;
      const found = await reader.first(countings(name, make), asked);
      return { counts: countsIn(found?.counts ?? []), ordinals: found?.ordinals ?? [] };
    },
    /** The places of a page of what passes a filter. However many pass, all of them are sorted. */
    sort: async (
      reader: Reader,
      filter: Filter<Asked>,
      order: ListOrder<string>,
      asked: Asked,
    ): Promise<number[]> => {
      const make = () => sorting(filter, order);
      const found = await reader.run(sortings(nameOf(filter, order), make), asked);
      return found.map(({ ordinal }) => Number(ordinal));
    },
  };
};

type Counts<Status extends string> = readonly { status: Status; count: number }[];

/** Gives a function that adds counts up by status; a status without records has none. */
export const countsOver =
  <Status extends string>(statuses: readonly Status[]) =>
  (counts: Counts<Status>): Record<Status, number> => {
    const countOf = Object.fromEntries(statuses.map((one) => [one, 0])) as Record<Status, number>;
    for (const { status, count } of counts) countOf[status] += count;
    return countOf;
  };

/** How many there are of all statuses together. */
export const sumOf = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** The lines of a list, as they are read when its page is cut. */
type Lines<Line, Asked> = {
  table: Table;
  /** Whether a row of the table is one of those that a list without a filter shows. */
  isListed(given: Placeholders<Asked>): SQL;
  /** Selects the lines of a page, whose rows it gets under the name of the table, in an order. */
  select(given: Placeholders<Asked>, page: SQL, order: SQL): SQL<Line>;
};

/** The newest lines, and those at places of the list. Names are looked up for these lines only. */
export const linesOf = <Line, Asked extends Values>(lines: Lines<Line, Asked>) => {
  const { isListed, select } = lines;
  const table = sql.raw(lines.table);
  // Read from the index of ordinals. One plan is right for every reader.
  const newest = statement((given: Placeholders<Asked>) =>
    select(
      given,
      sql`
      select * from (
        select ${table}.* from ${table} where ${isListed(given)}
        order by ${table}.ordinal desc limit ${atLargestPage}) newest
      order by ordinal desc limit ${given.limit}::int`,
      sql`${table}.ordinal desc`,
    ),
  );
  const placed = statement((given: Placeholders<Asked & { ordinals: number[] }>) =>
    select(
      given,
      sql`select ${table}.*, place.position
        from unnest(${given.ordinals}::bigint[]) with ordinality place (ordinal, position)
        join ${table} on ${table}.firm_id = ${given.firmId} and ${table}.ordinal = place.ordinal`,
      sql`${table}.position`,
    ),
  );
  return {
    newest: (reader: Reader, asked: Asked): Promise<Line[]> => reader.run(newest, asked),
    at: async (reader: Reader, asked: Asked, ordinals: number[]): Promise<Line[]> =>
      ordinals.length > 0 ? await reader.run(placed, { ...asked, ordinals }) : [],
  };
};
