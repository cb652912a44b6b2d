import { and, eq, sql } from 'drizzle-orm';
import type { RecordKind } from '../audit/table.ts';
import { query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Write } from '../record/write.ts';
import { register } from './table.ts';

/** A new record's place: its position among its kind, its moment, and its number before formatting. */
export type Place = { ordinal: number; at: Date; numberFormat: string | null; number: number };

const isRegisterOf = and(
  eq(register.firmId, sql.placeholder('firmId')),
  eq(register.kind, sql.placeholder('kind')),
);

// No two records of a kind have the same moment. The clock may step back under us: within ten
// minutes time stands still for the firm, so that creation order, commit order and number order
// agree; further back the clock is believed.
const nextMoment = sql`case when ${register.lastAt} - moment() < interval '10 minutes'
  then greatest(moment(), ${register.lastAt} + interval '1 millisecond') else moment() end`;

const takePlace = statement(() =>
  query
    .update(register)
    .set({
      live: sql`${register.live} + 1`,
      livePrivate: sql`${register.livePrivate} + ${sql.placeholder('isPrivate')}::int`,
      lastOrdinal: sql`${register.lastOrdinal} + 1`,
      lastAt: nextMoment,
      lastNumber: sql`${register.lastNumber} + (${register.numberFormat} is not null)::int`,
    })
    .where(isRegisterOf)
    .returning({
      ordinal: register.lastOrdinal,
      at: register.lastAt,
      numberFormat: register.numberFormat,
      number: register.lastNumber,
    }),
);

/**
 * Enters a new record in the firm's register. The register's row stays locked until the commit:
 * take the place as late as possible, and a contact's before a lead's.
 */
export const enter = async (w: Write, kind: RecordKind, isPrivate = false): Promise<Place> => {
  const place = await w.first(takePlace, { firmId: w.firmId, kind, isPrivate: isPrivate ? 1 : 0 });
  if (!place?.at) throw new Error(`The firm has no register of its ${kind} records.`);
  countInBlocks(w, kind, place.ordinal, 1, isPrivate ? 1 : 0);
  return { ...place, at: place.at };
};

/** Strikes a deleted record off the register's counts. */
export const strike = (w: Write, kind: RecordKind, ordinal: number, isPrivate = false) =>
  recount(w, kind, ordinal, -1, isPrivate ? -1 : 0);

/** Counts a record that became private, or stopped being so. */
export const countPrivacy = (w: Write, kind: RecordKind, ordinal: number, isPrivate: boolean) =>
  recount(w, kind, ordinal, 0, isPrivate ? 1 : -1);

const recount = (
  w: Write,
  kind: RecordKind,
  ordinal: number,
  live: number,
  livePrivate: number,
) => {
  void w.run(change, { firmId: w.firmId, kind, live, livePrivate });
  countInBlocks(w, kind, ordinal, live, livePrivate);
};

const change = statement(() =>
  query
    .update(register)
    .set({
      live: sql`${register.live} + ${sql.placeholder('live')}::int`,
      livePrivate: sql`${register.livePrivate} + ${sql.placeholder('livePrivate')}::int`,
    })
    .where(isRegisterOf),
);

/**
 * Ordinals to a block. Some tens of long ones are soon added up, and so are the short ones in one of
 * them. Other lengths take a migration that counts them anew (drizzle/0009_block_lengths.sql).
 */
export const blockLengths = { short: 500, long: 25_000 };

/** Each length of a block, as rows of `length`. */
export const eachBlockLength = sql.raw(
  `unnest('{${Object.values(blockLengths).join()}}'::int[]) length`,
);

const countInBlocks = (
  w: Write,
  kind: RecordKind,
  ordinal: number,
  live: number,
  livePrivate: number,
) => void w.run(changeBlocks, { firmId: w.firmId, kind, ordinal, live, livePrivate });

const changeBlocks = statement(
  () => sql`
    insert into register_block as standing (firm_id, kind, length, block, live, live_private)
    select ${sql.placeholder('firmId')}::uuid, ${sql.placeholder('kind')}, length,
      ${sql.placeholder('ordinal')}::bigint / length, ${sql.placeholder('live')}::int,
      ${sql.placeholder('livePrivate')}::int
    from ${eachBlockLength}
    on conflict (firm_id, kind, length, block) do update
      set live = standing.live + excluded.live,
        live_private = standing.live_private + excluded.live_private`,
);

const counts = statement(() =>
  query
    .select({
      live: register.live,
      livePrivate: register.livePrivate,
      numberFormat: register.numberFormat,
    })
    .from(register)
    .where(isRegisterOf),
);

/** How many records of a kind are in the firm's lists, and how many of them are private. */
export const countOf = async (reader: Reader, kind: RecordKind) =>
  (await reader.first(counts, { firmId: reader.firmId, kind })) ?? {
    live: 0,
    livePrivate: 0,
    numberFormat: null,
  };
