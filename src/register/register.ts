import { and, eq, type Placeholder, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { kindOf } from '../audit/entry.ts';
import { firm } from '../firm/table.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, query, shortStatement, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Write } from '../record/write.ts';
import { register } from './table.ts';

/** A table of counted records: each has its position among its kind. */
export type Counted = PgTable & { ordinal: PgColumn };

/** A new record's position among its kind, its moment, and its number before formatting. */
export type Place = { ordinal: number; at: Date; numberFormat: string | null; number: number };

type OneRegister = { firmId: string; kind: string };

const isRegisterOf = ({ firmId, kind }: Given<OneRegister>) =>
  and(eq(register.firmId, firmId), eq(register.kind, kind));

// No two records of a kind have the same moment: those that are entered at once are a millisecond
// apart. The clock may step back. For up to ten minutes, the firm's time then continues in
// milliseconds, so that the orders of creation, commit and number agree. Beyond that, the clock counts.
//
// The present moment is the one of the row that would be inserted. A distributed Postgres takes only
// what depends on no setting here, and adding to a moment depends on the time zone, unless it is UTC.
const momentOfLast = (count: Placeholder) => sql`
  case when ${register.lastAt} - excluded.last_at < interval '10 minutes'
  then greatest(excluded.last_at, ${later(register.lastAt, sql`${count}::int`)})
  else excluded.last_at end`;

const later = (moment: SQLWrapper, milliseconds: SQL) =>
  sql`(${moment} at time zone 'UTC' + ${milliseconds} * interval '1 millisecond') at time zone 'UTC'`;

type Taken = OneRegister & { count: number; countPrivate: number; at: Date | null };

// The places of several records, of which it returns the last. One statement for the first record of
// a kind and for every later one: so the registers of a record and of what it brings along are locked
// in the same order by everybody.
const takePlaces = statement((given: Given<Taken>) =>
  query
    .insert(register)
    .values({
      firmId: given.firmId,
      kind: given.kind,
      live: sql`${given.count}::int`,
      livePrivate: sql`${given.countPrivate}::int`,
      lastOrdinal: sql`${given.count}::int`,
      lastAt: later(
        sql`coalesce(${given.at}::timestamptz, moment())`,
        sql`(${given.count}::int - 1)`,
      ),
    })
    .onConflictDoUpdate({
      target: [register.firmId, register.kind],
      set: {
        live: sql`${register.live} + ${given.count}::int`,
        livePrivate: sql`${register.livePrivate} + ${given.countPrivate}::int`,
        lastOrdinal: sql`${register.lastOrdinal} + ${given.count}::int`,
        lastAt: momentOfLast(given.count),
        lastNumber: sql`${register.lastNumber}
          + ${given.count}::int * (${register.numberFormat} is not null)::int`,
      },
    })
    .returning({
      ordinal: register.lastOrdinal,
      at: register.lastAt,
      numberFormat: register.numberFormat,
      number: register.lastNumber,
    }),
);

/**
 * Allocates a new record its place in the firm's register, which is made with the first record of
 * its kind. The register's row stays locked until the commit: call this as late as possible, and for
 * a contact before its lead. Creates that share a transaction get their places by one statement.
 */
export const allocate = (w: Write, table: Counted, isPrivate = false): Promise<Place> => {
  const { firmId } = w;
  const { at = null } = w.author;
  const kind = kindOf(table);
  const allocateAll = async (runs: Runs, arePrivate: boolean[]): Promise<Place[]> => {
    const count = arePrivate.length;
    const countPrivate = arePrivate.filter(Boolean).length;
    const last = await runs.first(takePlaces, { firmId, kind, count, countPrivate, at });
    if (!last?.at) throw new Error(`The register gave no place to a ${kind} record.`);
    const places = arePrivate.map((_, index) => placeBefore(last as Place, count - 1 - index));
    countAllocated(runs, { firmId, kind }, places, arePrivate);
    return places;
  };
  return w.gather(`${kind} ${at?.getTime()}`, isPrivate, allocateAll);
};

/** The place that is so many before this one. */
const placeBefore = ({ ordinal, at, numberFormat, number }: Place, steps: number): Place => ({
  ordinal: ordinal - steps,
  at: new Date(at.getTime() - steps),
  numberFormat,
  number: numberFormat === null ? number : number - steps,
});

/** Counts new records in their blocks, mostly all in one. */
const countAllocated = (runs: Runs, of: OneRegister, places: Place[], arePrivate: boolean[]) => {
  const placed = places.map(({ ordinal }, index) => ({ ordinal, isPrivate: arePrivate[index] }));
  const blocks = Map.groupBy(placed, ({ ordinal }) => Math.floor(ordinal / blockLengths.short));
  for (const [block, ones] of blocks) {
    const countPrivate = ones.filter(({ isPrivate }) => isPrivate).length;
    countInBlocks(runs, of, block * blockLengths.short, ones.length, countPrivate);
  }
};

/** Takes a deleted record out of the register's counts. */
export const countRemoved = (w: Write, table: Counted, ordinal: number, isPrivate = false) =>
  recount(w, kindOf(table), ordinal, -1, isPrivate ? -1 : 0);

export const countRestored = (w: Write, table: Counted, ordinal: number, isPrivate = false) =>
  recount(w, kindOf(table), ordinal, 1, isPrivate ? 1 : 0);

/** Counts a record that became private, or stopped being private. */
export const countPrivacy = (w: Write, table: Counted, ordinal: number, isPrivate: boolean) =>
  recount(w, kindOf(table), ordinal, 0, isPrivate ? 1 : -1);

const recount = (w: Write, kind: string, ordinal: number, live: number, livePrivate: number) => {
  void w.run(change, { firmId: w.firmId, kind, live, livePrivate });
  countInBlocks(w, { firmId: w.firmId, kind }, ordinal, live, livePrivate);
};

const change = statement((given: Given<OneRegister & { live: number; livePrivate: number }>) =>
  query
    .update(register)
    .set({
      live: sql`${register.live} + ${given.live}::int`,
      livePrivate: sql`${register.livePrivate} + ${given.livePrivate}::int`,
    })
    .where(isRegisterOf(given)),
);

/**
 * How many ordinals a block has. Some tens of long blocks are added up quickly, and so are the
 * short ones in one of them. Other lengths need a migration that counts again
 * (drizzle/0009_block_lengths.sql).
 */
export const blockLengths = { short: 500, long: 25_000 };

/** Each length of a block, as rows of `length`. */
export const eachBlockLength = sql.raw(
  `unnest('{${Object.values(blockLengths).join()}}'::int[]) length`,
);

const countInBlocks = (
  { run }: Runs,
  of: OneRegister,
  ordinal: number,
  live: number,
  livePrivate: number,
) => void run(changeBlocks, { ...of, ordinal, live, livePrivate });

const changeBlocks = statement(
  (given: Given<OneRegister & { ordinal: number; live: number; livePrivate: number }>) => sql`
    insert into register_block as standing (firm_id, kind, length, block, live, live_private)
    values ${sql.join(
      Object.values(blockLengths).map(
        (length) => sql`(${given.firmId}::uuid, ${given.kind}, ${sql.raw(String(length))},
          ${given.ordinal}::bigint / ${sql.raw(String(length))}, ${given.live}::int, ${given.livePrivate}::int)`,
      ),
      sql`, `,
    )}
    on conflict (firm_id, kind, length, block) do update
      set live = standing.live + excluded.live,
        live_private = standing.live_private + excluded.live_private`,
);

const counts = shortStatement((given: Given<OneRegister>) =>
  query
    .select({
      live: register.live,
      livePrivate: register.livePrivate,
      numberFormat: register.numberFormat,
      timeZone: sql<string>`(select ${firm.timeZone} from ${firm} where ${firm.id} = ${register.firmId})`,
    })
    .from(register)
    .where(isRegisterOf(given)),
);

/** How many records of a kind are in the firm's lists, how many of them are private, and how they are numbered. */
export const countOf = async (reader: Reader, table: Counted) =>
  (await reader.first(counts, { firmId: reader.firmId, kind: kindOf(table) })) ?? {
    live: 0,
    livePrivate: 0,
    numberFormat: null,
    timeZone: 'UTC',
  };
