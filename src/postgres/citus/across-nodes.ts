import { sql } from 'drizzle-orm';
import { noFirm } from '../../base/columns.ts';
import { describeError, log } from '../../base/log.ts';
import { Refusal, unavailable } from '../../base/refusal.ts';
import type { Database } from '../pool.ts';
import { type Statement, statement } from '../statement.ts';
import { nodeFirms } from './forms.ts';

/** A statement of any kind. */
export type Made = () => Statement<unknown, unknown[]>;
type RowOfFirm = { firmId?: unknown };

const maxRemembered = 100_000;

/**
 * Runs statements that look through all firms of a spread database: on all nodes at once, and while one is
 * away, on each by itself. They run outside of transactions, which a node that is away would end. The firm
 * of a secret is remembered, and from then on its node alone is asked; whether the secret is still good is
 * asked each time.
 */
export const acrossNodes = (pool: Database) => {
  const firmOf = new Map<string, string>();
  let isOneAway = false;

  /** Logs once that a node went away, and once that all are back. */
  const notice = (error?: unknown) => {
    if (isOneAway === (error !== undefined)) return;
    isOneAway = !isOneAway;
    if (isOneAway) log('warn', 'a node of the database is away', describeError(error));
    else log('info', 'all nodes of the database are back');
  };

  const onNode = (made: Made, values: unknown[], firms: string[]) =>
    pool.run(() => made().inForm('node'), { ...(values[0] ?? {}), [nodeFirms]: firms });

  const onEachNode = async (made: Made, values: unknown[]): Promise<unknown[]> => {
    const nodes = await pool.run(firmsByNode);
    const answers = await Promise.allSettled(nodes.map(({ firms }) => onNode(made, values, firms)));
    const found = answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    const failed = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    const other = failed.find((error) => !isAway(error));
    if (other) throw other;
    const isEnough =
      found.length > 0 ||
      (made().inForm('spread').seeks === 'work' && failed.length < nodes.length);
    if (failed.length > 0 && !isEnough) throw unavailable();
    return found;
  };

  const onAll = async (made: Made, values: unknown[]): Promise<unknown[]> => {
    try {
      const found = await pool.run(() => made().inForm('spread'), ...values);
      notice();
      return found;
    } catch (error) {
      if (!isAway(error)) throw error;
      notice(error);
      return await onEachNode(made, values);
    }
  };

  return async (made: Made, values: unknown[]): Promise<unknown[]> => {
    if (made().inForm('spread').seeks !== 'secret') return onAll(made, values);
    const name = nameOf(made().text, values);
    const known = firmOf.get(name);
    if (known) return onNode(made, values, [known]).catch(refuseIfAway);
    const found = (await onAll(made, values)) as RowOfFirm[];
    const [only] = found;
    if (found.length === 1 && typeof only?.firmId === 'string') {
      if (firmOf.size >= maxRemembered) firmOf.clear();
      firmOf.set(name, only.firmId);
    }
    return found;
  };
};

/** A secret's name: the statement that looks it up, and its digest. */
const nameOf = (text: string, [values]: unknown[]) =>
  [text, ...Object.values(values ?? {})]
    .map((value) => (Buffer.isBuffer(value) ? value.toString('hex') : String(value)))
    .join(' ');

/** Whether a node of the cluster is away, by what the coordinator says. */
const isAway = (error: unknown) =>
  (error as { code?: unknown } | null)?.code === '08006' ||
  (error instanceof Refusal && error.code === 'unavailable');

/** Throws the error; or `Refusal` unavailable if it says that a node is away. */
export const refuseIfAway = (error: unknown): never => {
  throw isAway(error) ? unavailable() : error;
};

// The coordinator knows it by itself: a node that is away is not asked.
const firmsByNode = statement(
  () => sql<{ firms: string[] }>`
    select array_agg(one.id::text) as firms
    from (select id from firm union all select '${sql.raw(noFirm)}') one
    join pg_dist_placement place
      on place.shardid = get_shard_id_for_distribution_column('job', one.id)
    group by place.groupid`,
);
