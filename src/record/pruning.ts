import { sql } from 'drizzle-orm';
import type { Transaction } from '../postgres/pool.ts';
import { type Statement, statement } from '../postgres/statement.ts';

/** Rows removed in one transaction: few enough that nobody waits for their locks. */
export const pruneBatch = 500;

/**
 * The work of a recurring job: removes a batch of rows that the statement finds to be out of date,
 * and runs again at once while there are more. The statement removes at most `pruneBatch` rows.
 */
export const prune =
  (removeBatch: () => Statement<unknown>) =>
  async (_job: unknown, transaction: Transaction, again: (afterSeconds: number) => void) => {
    const removed = await transaction.run(removeBatch);
    if (removed.length === pruneBatch) again(0);
  };

/** How long an answer is kept for repeats. Older ones are never given again (`write.ts`). */
export const keptAnswers = sql.raw(`interval '24 hours'`);

const removeAnswers = statement(
  () => sql`
    delete from idempotency where (firm_id, key_family_id, idempotency_key) in (
      select firm_id, key_family_id, idempotency_key from idempotency
      where created_at <= moment() - ${keptAnswers}
      order by created_at limit ${sql.raw(String(pruneBatch))} for update skip locked)
    returning 1`,
);

/** Removes answers under an Idempotency-Key after a day. */
export const answerPruning = {
  kind: 'prune_answers',
  everySeconds: 600,
  work: prune(removeAnswers),
};
