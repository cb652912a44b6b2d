import type { Database, Runs } from '../pool.ts';
import { acrossNodes, type Made, refuseIfAway } from './across-nodes.ts';
import { whetherSpread } from './functions.ts';

/**
 * The connections to one database, with statements in the form that it needs. Which one, it is asked once,
 * before the first statement.
 */
export const withCluster = (pool: Database): Database => {
  let isSpread: boolean | undefined;
  let asking: Promise<unknown> | undefined;
  const ask = () =>
    (asking ??= pool
      .first(whetherSpread)
      .then((found) => (isSpread = found?.isSpread))
      .finally(() => (asking = undefined)));

  const across = acrossNodes(pool);
  const runsOn = (runs: Runs): Runs => {
    const run: Runs['run'] = (statement, ...values) => {
      const made = statement().inForm('spread');
      const asked = made.seeks
        ? (across(statement as unknown as Made, values) as never)
        : runs.run(() => made, ...values).catch(refuseIfAway);
      // Nobody has to wait for a statement of a transaction, which fails with it.
      asked.catch(() => {});
      return asked;
    };
    return { run, first: async (statement, ...values) => (await run(statement, ...values))[0] };
  };
  const spreadRuns = runsOn(pool);
  const runs = () => (isSpread ? spreadRuns : pool);

  return {
    ...pool,
    run: (...asked) =>
      isSpread === undefined ? ask().then(() => runs().run(...asked)) : runs().run(...asked),
    first: (...asked) =>
      isSpread === undefined ? ask().then(() => runs().first(...asked)) : runs().first(...asked),
    async transaction(work, options) {
      if (isSpread === undefined) await ask();
      if (!isSpread) return pool.transaction(work, options);
      return pool
        .transaction((transaction) => work({ ...transaction, ...runsOn(transaction) }), options)
        .catch(refuseIfAway);
    },
  };
};
