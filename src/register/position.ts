import { and, lte, type SQL, sql } from 'drizzle-orm';
import { kindOf } from '../audit/entry.ts';
import { type Given, type Preparable, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { largestPage, type Page } from '../record/page.ts';
import { blockLengths, type Counted } from './register.ts';

/**
 * A constant limit. A list's statement is first cut by it, then by the reader's limit, which
 * Postgres, planning for all readers, takes for a tenth of the table.
 */
export const atLargestPage = sql.raw(String(largestPage)) as unknown as number;

/** How many private records a reader may see in each block. */
type OwnBlocks = { length: number; block: number; live: number }[];

/** What a list's statement is given: its reader, and how many records a page holds. */
export type PageValues = Pick<Reader, 'firmId' | 'memberId' | 'seesPrivate'> & { limit: number };
type LaterPage = PageValues & { offset: number; owned: string | null };

/**
 * Reads the pages of a list. `build` makes the statement for a page of `limit` records that are
 * `inList`, starting with its first one. `own` says that some of the records are private, and which
 * of these a reader sees who does not see all. The first page needs no look-up.
 */
export const pagesOf = <Built extends Preparable>(
  table: Counted,
  inList: (given: Given<PageValues>) => SQL,
  build: (inPage: SQL, given: Given<PageValues>) => Built,
  own?: (reader: Reader) => Promise<OwnBlocks>,
) => {
  const firstPage = statement((given: Given<PageValues>) => build(inList(given), given));
  const laterPage = statement((given: Given<LaterPage>) => {
    const isInList = inList(given);
    const isInPage = lte(table.ordinal, startIn(table, isInList, given));
    return build(and(isInList, isInPage) as SQL, given);
  });
  return async (reader: Reader, { limit, offset }: Page) => {
    const { firmId, memberId, seesPrivate } = reader;
    const page = { firmId, memberId, seesPrivate, limit };
    if (offset === 0) return reader.run(firstPage, page);
    const owned = own && !seesPrivate ? byBlock(await own(reader)) : null;
    return reader.run(laterPage, { ...page, offset, owned });
  };
};

/**
 * The ordinal of the first record of a page, among the table's records that are `inList`. It is
 * found without walking past all records before it: by adding up the register's long blocks from
 * the newest on, then the short blocks of the long one that holds the offset. Within that block,
 * the constant limit keeps Postgres from taking the unknown offset for a tenth of the table, and
 * from planning each time.
 */
const startIn = (table: Counted, isInList: SQL, given: Given<LaterPage>): SQL => {
  const { short, long } = blockLengths;
  const offset = sql`${given.offset}::float8`;
  const visible = visibleIn(given);
  const blocks = (length: number) => sql`register_block where firm_id = ${given.firmId}
    and kind = ${sql.raw(`'${kindOf(table)}'`)} and length = ${number(length)}`;
  return sql`(
    with long as (
      select block, before from (
        select block, ${visible} as visible, sum(${visible}) over (order by block desc) - ${visible} as before
        from ${blocks(long)}
      ) added_up where before + visible > ${offset} order by block desc limit 1
    ),
    short as (
      select block, before from (
        select block, ${visible} as visible,
          (select before from long) + sum(${visible}) over (order by block desc) - ${visible} as before
        from ${blocks(short)}
          and block between (select block * ${number(long / short)} from long)
            and (select (block + 1) * ${number(long / short)} - 1 from long)
      ) added_up where before + visible > ${offset} order by block desc limit 1
    )
    select ordinal from (
      select ${table.ordinal} from ${table}
      where ${isInList} and ${table.ordinal} < (select (block + 1) * ${number(short)}::bigint from short)
      order by ${table.ordinal} desc limit ${number(short)}
    ) of_block order by ordinal desc limit 1
    offset (select ${offset} - before from short)::bigint)`;
};

const byBlock = (blocks: OwnBlocks) =>
  JSON.stringify(Object.fromEntries(blocks.map((one) => [`${one.length} ${one.block}`, one.live])));

const number = (value: number) => sql.raw(String(value));

// How many of a block's records the reader may see.
const visibleIn = (given: Given<LaterPage>) => {
  const owned = sql`${given.owned}::text::json`;
  return sql`(live - case when ${owned} is null then 0
    else live_private - coalesce((${owned}->>(length || ' ' || block))::int, 0) end)`;
};
