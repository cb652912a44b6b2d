/**
 * What Postgres believes that the tables hold. Autovacuum may be off, and comes at most once a minute
 * where nobody set it otherwise. Until then Postgres keeps the plans that it made when the tables were
 * empty, and may read all of a firm's records to find one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { complaints } from '../base/log.ts';
import type { Address } from './connection.ts';
import type { Database, Runs } from './pool.ts';
import { openSession } from './session.ts';
import { statement } from './statement.ts';

const lookMilliseconds = 1_000;
// A connection tells Postgres what it wrote within this time.
const growingMilliseconds = 12_000;
// Others write too: another server, a command.
const quietMilliseconds = 30_000;
const afterFailureMilliseconds = 30_000;

/**
 * Looks whether a table has grown, each second while this server adds rows, and if so has Postgres
 * look at it, which also ends the plans that were made before. Every instance does; the role needs no
 * right for it.
 */
export const keepStatistics = (
  database: Runs & Pick<Database, 'grewMillisecondsAgo'>,
  address: Address,
): {
  /** Looks no more. Resolves when nothing is under way. */
  stop(): Promise<void>;
} => {
  const stopping = new AbortController();
  const complain = complaints('statistics of the database are not kept');

  const loop = async () => {
    let lookedAt = Number.NEGATIVE_INFINITY;
    const isQuiet = () =>
      database.grewMillisecondsAgo() > growingMilliseconds &&
      performance.now() - lookedAt < quietMilliseconds;
    while (!stopping.signal.aborted) {
      let rest = lookMilliseconds;
      try {
        if (!isQuiet()) {
          lookedAt = performance.now();
          if ((await database.first(grownTable))?.name)
            await analyzeGrown(address, stopping.signal);
        }
      } catch (error) {
        if (!stopping.signal.aborted) complain(error);
        rest = afterFailureMilliseconds;
      }
      await sleep(rest, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };

  const looking = loop();
  return {
    async stop() {
      stopping.abort();
      await looking;
    },
  };
};

/** One table after the other, on a connection without deadlines: a large table may take a while. */
const analyzeGrown = async (address: Address, signal: AbortSignal) => {
  const session = await openSession(address, signal);
  try {
    let before: string | null | undefined;
    for (;;) {
      const name = (await session.first(analyzeGrownTable))?.name;
      // The same one again: somebody else is looking at it, for example autovacuum.
      if (!name || name === before) return;
      before = name;
    }
  } finally {
    await session.close();
  }
};

const grownTable = statement(
  () => sql<{ name: string | null }>`select grown_table()::text as name`,
);

// drizzle/0023_statistics_of_grown_tables.sql
const analyzeGrownTable = statement(
  () => sql<{ name: string | null }>`select analyze_grown_table()::text as name`,
);
