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
  const [blocks, owned] = await Promise.all([
    reader.run(blocksOf, { firmId: reader.firmId, kind }),
    own?.(),
  ]);
  const ownIn = new Map(owned?.map(({ block, live }) => [block, live]));
  let before = 0;
  for (const { block, live, livePrivate } of blocks) {
    const visible = owned ? live - livePrivate + (ownIn.get(block) ?? 0) : live;
    if (before + visible > offset) {
      return { limit, offset: offset - before, below: (block + 1) * blockSize };
    }
    before += visible;
  }
  return { limit, offset: 0, below: 0 };
};

const blocksOf = statement(
  () => sql<{ block: number; live: number; livePrivate: number }>`
    select block, live, live_private as "livePrivate" from register_block
    where firm_id = ${sql.placeholder('firmId')} and kind = ${sql.placeholder('kind')}
    order by block desc`,
);
