import { type SQL, sql } from 'drizzle-orm';
import { acrossFirms } from '../postgres/citus/forms.ts';
import type { Transaction } from '../postgres/pool.ts';
import { type Given, type Statement, statement } from '../postgres/statement.ts';

/** Rows removed in one transaction: few enough that nobody waits for their locks. */
export const pruneBatch = 500;

/** What is out of date: the firms that have some, and how at most `pruneBatch` rows of one are removed. */
type Outdated = {
  firms: () => Statement<{ firmId: string }>;
  remove: () => Statement<unknown, [values: { firmId: string }]>;
};

/**
 * The work of a recurring job: removes what is out of date, firm by firm, and runs again at once
 * while there may be more.
 */
export const prune =
  (...all: Outdated[]) =>
  async (_job: unknown, transaction: Transaction, again: (afterSeconds: number) => void) => {
    let isFull = false;
    for (const { firms, remove } of all) {
      let removed = 0;
      for (const { firmId } of await transaction.run(firms)) {
        removed += (await transaction.run(remove, { firmId })).length;
        if (removed >= pruneBatch) break;
      }
      isFull ||= removed >= pruneBatch;
    }
    if (isFull) again(0);
  };

/** The further condition of a query inside of a condition: that its column of the firm has the same firm, or one of the same. */
type Within = (column: SQL) => SQL;

/** The rows of a table that are out of date. With the firm, `key` is the table's primary key. */
export const outdated = (
  table: string,
  key: string,
  isOld: SQL | ((within: Within) => SQL),
): Outdated => {
  const [name, columns] = [sql.raw(table), sql.raw(key)];
  const old = (within: Within) => (typeof isOld === 'function' ? isOld(within) : isOld);
  return {
    firms: statement(
      () => sql<{ firmId: string }>`
        select distinct firm_id::text as "firmId" from (
          select firm_id from ${name} where ${old(acrossFirms)}${acrossFirms(sql`firm_id`)}
          limit ${sql.raw(String(4 * pruneBatch))}) old`,
    ),
    remove: statement(
      ({ firmId }: Given<'firmId'>) => sql`
        delete from ${name} where firm_id = ${firmId}::uuid and (${columns}) in (
          select ${columns} from ${name} where firm_id = ${firmId}::uuid
            and ${old((column) => sql` and ${column} = ${firmId}::uuid`)}
          limit ${sql.raw(String(pruneBatch))} for update skip locked)
        returning 1`,
    ),
  };
};

/** How long an answer is kept for repeats: longer than a weekend's queue waits. Older ones are never given again (`write.ts`). */
export const keptAnswers = sql.raw(`interval '7 days'`);

/** Removes answers under an Idempotency-Key after seven days. */
export const answerPruning = {
  kind: 'prune_answers',
  everySeconds: 600,
  work: prune(
    outdated(
      'idempotency',
      'key_family_id, idempotency_key',
      sql`created_at <= moment() - ${keptAnswers}`,
    ),
  ),
};
