import { sql } from 'drizzle-orm';
import { describeError, log } from '../../base/log.ts';
import { Refusal, unavailable } from '../../base/refusal.ts';
import type { Database, Runs } from '../pool.ts';
import { type Statement, statement } from '../statement.ts';
import { nodeFirms } from './forms.ts';

/**
 * The connections to one database, with statements in the form that it needs: which one, it is asked
 * once, before the first statement. In a spread database, a statement that looks through all firms is
 * asked node by node while a node is away, and finds what the others have.
 */
export const inItsForm = (pool: Database): Database => {
  let isSpread: boolean | undefined;
  let asking: Promise<unknown> | undefined;
  const ask = () =>
    (asking ??= pool
      .first(spread)
      .then((found) => (isSpread = found?.isSpread))
      .finally(() => (asking = undefined)));

  const acrossNodes = runsAcrossNodes(pool);
  const runSpread = async (statement: Made, values: unknown[]): Promise<unknown[]> => {
    const { isAcrossFirms } = statement().inForm('spread');
    return isAcrossFirms ? acrossNodes(statement, values) : run1(pool, statement, values);
  };

  const run: Runs['run'] = async (statement, ...values) => {
    if (isSpread === undefined) await ask();
    return isSpread
      ? ((await runSpread(statement as Made, values)) as never)
      : pool.run(statement, ...values);
  };

  return {
    ...pool,
    run,
    first: async (statement, ...values) => (await run(statement, ...values))[0],
    async transaction(work, options) {
      if (isSpread === undefined) await ask();
      if (!isSpread) return pool.transaction(work, options);
      return pool
        .transaction((transaction) => {
          // What looks through all firms only says where there is something to do. Outside of the
          // transaction, a node that is away does not end it.
          const runWithin: Runs['run'] = async (statement, ...values) =>
            (statement().inForm('spread').isAcrossFirms
              ? await acrossNodes(statement as Made, values)
              : await run1(transaction, statement as Made, values)) as never;
          return work({
            ...transaction,
            run: runWithin,
            first: async (statement, ...values) => (await runWithin(statement, ...values))[0],
          });
        }, options)
        .catch(refuseIfAway);
    },
  };
};

type Made = () => Statement<unknown, unknown[]>;

const run1 = (runs: Runs, statement: Made, values: unknown[]): Promise<unknown[]> =>
  runs.run(() => statement().inForm('spread'), ...values).catch(refuseIfAway);

/** Whether a node of the cluster is away, by what the coordinator says. */
const isAway = (error: unknown) =>
  (error as { code?: unknown } | null)?.code === '08006' ||
  (error instanceof Refusal && error.code === 'unavailable');

const refuseIfAway = (error: unknown): never => {
  throw isAway(error) ? unavailable() : error;
};

/** Asks all nodes at once; while one is away, each by itself. */
const runsAcrossNodes = (pool: Database) => {
  let complainAgainAt = 0;
  const complain = (error: unknown) => {
    if (performance.now() < complainAgainAt) return;
    complainAgainAt = performance.now() + complainEveryMilliseconds;
    log('warn', 'a node of the database is away', describeError(error));
  };

  return async (statement: Made, values: unknown[]): Promise<unknown[]> => {
    try {
      return await pool.run(() => statement().inForm('spread'), ...values);
    } catch (error) {
      if (!isAway(error)) throw error;
      complain(error);
    }
    const nodes = await pool.run(firmsByNode);
    const answers = await Promise.allSettled(
      nodes.map(({ firms }) =>
        pool.run(() => statement().inForm('node'), { ...(values[0] ?? {}), [nodeFirms]: firms }),
      ),
    );
    const given = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const failed = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    const other = failed.find((error) => !isAway(error));
    if (other) throw other;
    if (given.length === 0) throw unavailable();
    return given.flat();
  };
};

const complainEveryMilliseconds = 5_000;

// `distribute` makes this function, and nothing else does.
const spread = statement(
  () => sql<{ isSpread: boolean }>`
    select to_regprocedure('number_entry()') is not null as "isSpread"`,
);

// The coordinator knows it by itself: a node that is away is not asked.
const firmsByNode = statement(
  () => sql<{ firms: string[] }>`
    select array_agg(one.id::text) as firms
    from (select id from firm union all select '00000000-0000-0000-0000-000000000000') one
    join pg_dist_placement place
      on place.shardid = get_shard_id_for_distribution_column('job', one.id)
    group by place.groupid`,
);
