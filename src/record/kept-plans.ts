import { sql } from 'drizzle-orm';
import { forCluster } from '../postgres/citus/forms.ts';
import { statement } from '../postgres/statement.ts';
import type { Actor, Reader } from './actor.ts';

/**
 * Reads in one transaction with plans that are kept, for statements whose planning takes longer than what they
 * do: Postgres would plan them anew for each list of ids, days or words. The plan uses the indexes, whatever
 * statistics Postgres has. A spread database needs the firm to plan. What is read so within `read` is part of the
 * same transaction: a page that reads several such things opens one.
 */
export const withKeptPlans = <Read>(
  reading: Reading,
  read: (reader: KeepingPlans) => Promise<Read>,
): Promise<Read> => {
  if (!('database' in reading)) return read(reading);
  const { database, ...reader } = reading;
  return database.transaction(
    async ({ run, first }) => {
      void run(keepPlans);
      return read({ ...reader, run, first, keepsPlans: true });
    },
    { of: reader.firmId },
  );
};

/** A reader within `withKeptPlans`. */
type KeepingPlans = Reader & { keepsPlans: true };

/** A reader who can open a transaction, or is in one with plans that are kept. */
export type Reading = (Reader & Pick<Actor, 'database'>) | KeepingPlans;

const keepPlans = statement(
  () => sql`
    select ${forCluster(sql`set_config('plan_cache_mode', 'force_generic_plan', true), `, sql``)}
      set_config('max_parallel_workers_per_gather', '0', true), set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`,
);
