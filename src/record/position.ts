import { sql } from 'drizzle-orm';
import { statement } from '../postgres/statement.ts';
import type { Reader } from './actor.ts';
import type { Page } from './page.ts';
import { blockSize } from './register.ts';
import type { RecordKind } from './table.ts';

/** Where a page starts: the ordinal its records lie below, and how many to skip from there. */
export type Position = { limit: number; offset: number; below: number };

/** Records that a reader may see in a block, for lists that are not the same for all: see `placeOf`. */
export type OwnBlocks = { block: number; live: number }[];

/**
 * Finds where a page starts without walking past all that lies before it: by adding up the
 * register's blocks from the newest on. The first pages need no look-up. `own` says that private
 * records are left out, save for the given ones.
 */
export const placeOf = async (
  reader: Reader,
  kind: RecordKind,
  { limit, offset }: Page,
  own?: () => Promise<OwnBlocks>,
): Promise<Position> => {
  if (offset < blockSize) return { limit, offset, below: Number.MAX_SAFE_INTEGER };
  const owned = own ? JSON.stringify(await own()) : null;
  const found = await reader.first(blockAt, { firmId: reader.firmId, kind, owned, offset });
  if (!found) return { limit, offset: 0, below: 0 };
  return { limit, offset: offset - found.before, below: (found.block + 1) * blockSize };
};

// Counted from the newest block on: the one in which the offset lies, and how many lie before it.
const blockAt = statement(
  () => sql<{ block: number; before: number }>`
    select block, before::float8 as before from (
      select block, visible, sum(visible) over (order by block desc) - visible as before from (
        select block, case when ${sql.placeholder('owned')}::text is null then counted.live
          else counted.live - counted.live_private + coalesce(own.live, 0) end as visible
        from register_block counted
        left join json_to_recordset(${sql.placeholder('owned')}::text::json) as own(block int, live int)
          using (block)
        where firm_id = ${sql.placeholder('firmId')} and kind = ${sql.placeholder('kind')}
      ) visible_of_each
    ) added_up
    where before + visible > ${sql.placeholder('offset')}::float8
    order by block desc limit 1`,
);
