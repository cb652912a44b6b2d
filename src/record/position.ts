import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { type Statement, statement } from '../postgres/statement.ts';
import type { Reader } from './actor.ts';
import { largestPage, type Page } from './page.ts';
import { blockSize } from './register.ts';
import type { RecordKind } from './table.ts';

/** Where a page starts: its records are the newest so many below this ordinal. */
export type Position = { limit: number; below: number };

/**
 * A limit that stands in a statement as a number. A list's statement is cut by it before it is cut
 * by the reader's, which Postgres, planning for all readers, takes for a tenth of the table.
 */
export const atLargestPage = sql.raw(String(largestPage)) as unknown as number;

/** Records that a reader may see in a block, for lists that are not the same for all: see `placeOf`. */
export type OwnBlocks = { block: number; live: number }[];

type Start = () => Statement<{ ordinal: number }>;

/**
 * Finds where a page starts, by the list's `startIn`; the first needs no look-up. `own` says that
 * private records are left out, save for the given ones.
 */
export const placeOf = async (
  { first, firmId, memberId }: Reader,
  startOfPage: Start,
  { limit, offset }: Page,
  own?: () => Promise<OwnBlocks>,
): Promise<Position> => {
  if (offset === 0) return { limit, below: Number.MAX_SAFE_INTEGER };
  const owned = own ? JSON.stringify(await own()) : null;
  const start = await first(startOfPage, { firmId, memberId, owned, offset });
  return { limit, below: start ? Number(start.ordinal) + 1 : 0 };
};

/**
 * Looks up the first record of a page of the table's records that are `inList`, without walking past
 * all that lies before it: by adding up the register's blocks from the newest on, to the one in
 * which the offset lies.
 */
export const startIn = (
  kind: RecordKind,
  table: PgTable & { ordinal: PgColumn },
  inList: SQL,
): Start =>
  statement(
    () => sql<{ ordinal: number }>`
    with found as (
      select block, before from (
        select block, visible, sum(visible) over (order by block desc) - visible as before from (
          select block, case when ${sql.placeholder('owned')}::text is null then counted.live
            else counted.live - counted.live_private + coalesce(own.live, 0) end as visible
          from register_block counted
          left join json_to_recordset(${sql.placeholder('owned')}::text::json) as own(block int, live int)
            using (block)
          where firm_id = ${sql.placeholder('firmId')} and kind = ${sql.raw(`'${kind}'`)}
        ) visible_of_each
      ) added_up
      where before + visible > ${sql.placeholder('offset')}::float8
      order by block desc limit 1
    )
    select ${table.ordinal}::float8 as ordinal from ${table}
    where ${inList} and ${table.ordinal} < (select (block + 1) * ${sql.raw(String(blockSize))}::bigint from found)
    order by ${table.ordinal} desc limit 1
    offset (select ${sql.placeholder('offset')}::float8 - before from found)::bigint`,
  );
