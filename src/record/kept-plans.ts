import { sql } from 'drizzle-orm';
import { forCluster } from '../postgres/citus/forms.ts';
import type { Runs } from '../postgres/pool.ts';
import { statement } from '../postgres/statement.ts';
import type { Actor, Reader } from './actor.ts';

/**
 * Reads in one transaction with plans that are kept, for statements whose planning takes longer than what they
 * do: Postgres would plan them anew for each list of ids, days or words. The plan uses the indexes, whatever
 * statistics Postgres has. A spread database needs the firm to plan.
 */
export const withKeptPlans = <Read>(
  { database, ...reader }: Reading,
  read: (reader: KeepingPlans) => Promise<Read>,
): Promise<Read> =>
  database.transaction(
    async ({ run, first }) => {
      void run(keepPlans);
      return read({ ...reader, run, first, keepsPlans: true });
    },
    { of: reader.firmId },
  );

/** A reader who can open a transaction. */
export type Reading = Reader & Pick<Actor, 'database'>;

/** A reader whose statements have plans that are kept. */
export type KeepingPlans = Reader & { keepsPlans: true };

/**
 * A reader whose statements have plans that are kept. Those that are sent at the same moment travel together, in
 * one transaction with its end; later ones open another. So several functions that read this way cost one journey.
 */
export const keepingPlans = ({ database, ...reader }: Reading): KeepingPlans => {
  let waiting: Asked[] = [];
  const send = async () => {
    let sent = waiting;
    // Others are about to be sent in this round of the event loop.
    await new Promise(setImmediate);
    try {
      await database.transaction(
        async ({ run }) => {
          sent = waiting;
          waiting = [];
          void run(keepPlans);
          for (const { ask } of sent) ask(run);
        },
        { of: reader.firmId },
      );
    } catch (error) {
      if (sent === waiting) waiting = [];
      for (const { refuse } of sent) refuse(error);
    }
  };
  const run: Runs['run'] = (statement, ...values) =>
    new Promise((resolve, refuse) => {
      // If one fails, what Postgres says of those behind it is not why: the transaction's error is.
      const ask = (run: Runs['run']) => void run(statement, ...values).then(resolve, () => {});
      waiting.push({ ask, refuse });
      if (waiting.length === 1) void send();
    });
  return {
    ...reader,
    keepsPlans: true,
    run,
    first: (statement, ...values) => run(statement, ...values).then(([row]) => row),
  };
};

/**
 * The reader itself for short statements, which share a connection; for others, one whose statements have plans that
 * are kept. That costs a transaction, which is more than a short statement takes.
 */
export const keepingPlansUnless = (isShort: boolean, reader: Reading): Reader =>
  isShort ? reader : keepingPlans(reader);

/** A statement that waits for its transaction. */
type Asked = { ask(run: Runs['run']): void; refuse(error: unknown): void };

/** Plans what follows in a transaction for all values, as `withKeptPlans` does. */
export const keepPlans = statement(
  () => sql`
    select ${forCluster(sql`set_config('plan_cache_mode', 'force_generic_plan', true), `, sql``)}
      set_config('max_parallel_workers_per_gather', '0', true), set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`,
);
