import { sql } from 'drizzle-orm';
import { Refusal } from '../base/refusal.ts';
import type { Transaction } from '../postgres/pool.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Actor, Repeatable } from './actor.ts';
import { keptAnswers } from './pruning.ts';
import { idempotency } from './table.ts';

type OneKey = { firmId: string; keyFamilyId: string; idempotencyKey: string };

const keepKey = statement((given: Given<OneKey & { fingerprint: string }>) =>
  query
    .insert(idempotency)
    .values({
      firmId: given.firmId,
      keyFamilyId: given.keyFamilyId,
      idempotencyKey: given.idempotencyKey,
      fingerprint: given.fingerprint,
      createdAt: sql`moment()`,
    })
    .onConflictDoUpdate({
      target: [idempotency.firmId, idempotency.keyFamilyId, idempotency.idempotencyKey],
      set: {
        fingerprint: sql`excluded.fingerprint`,
        answer: null,
        createdAt: sql`excluded.created_at`,
      },
      setWhere: sql`excluded.created_at - ${idempotency.createdAt} >= ${keptAnswers}`,
    })
    .returning({ fingerprint: idempotency.fingerprint }),
);

const isThisKey = (given: Given<OneKey>) => sql`${idempotency.firmId} = ${given.firmId}
  and ${idempotency.keyFamilyId} = ${given.keyFamilyId}
  and ${idempotency.idempotencyKey} = ${given.idempotencyKey}`;

const keptAnswer = statement((given: Given<OneKey>) =>
  query
    .select({ fingerprint: idempotency.fingerprint, answer: idempotency.answer })
    .from(idempotency)
    .where(isThisKey(given)),
);

const storeAnswer = statement(
  (given: Given<OneKey & { answer: string }>) => sql`
    update ${idempotency} set answer = ${given.answer} where ${isThisKey(given)}`,
);

/**
 * Takes the key for this write, or takes it over from an outdated answer. Waits for an identical
 * request under way, and returns its answer if it has one. The row is locked until the commit, so
 * it is not pruned. Throws `Refusal` conflict for a misused key, or if the other request takes too
 * long.
 */
export const earlierAnswer = async (
  transaction: Transaction,
  firmId: string,
  repeatable: Repeatable,
): Promise<string | undefined> => {
  const taken = await transaction.first(keepKey, { firmId, ...repeatable }).catch((error) => {
    // Postgres names the row that it waited for. A shard that moves to another node has none.
    if (error?.code === lockNotAvailable && error.where) {
      throw new Refusal('conflict', 'The same request is still under way. Repeat it in a moment.');
    }
    throw error;
  });
  if (taken) return undefined;
  const kept = await transaction.first(keptAnswer, { firmId, ...repeatable });
  const isSame =
    kept?.fingerprint === repeatable.fingerprint ||
    kept?.fingerprint === repeatable.formerFingerprint?.();
  if (!kept || !isSame || kept.answer === null) {
    throw new Refusal(
      'conflict',
      'This Idempotency-Key was used for another request. Send a new key with a new request.',
    );
  }
  return kept.answer;
};

/** Whether the write that this actor is about to make was made before, under the same key. */
export const isDone = async ({ firmId, repeatable, first }: Actor): Promise<boolean> =>
  repeatable !== undefined &&
  typeof (await first(keptAnswer, { firmId, ...repeatable }))?.answer === 'string';

/** Stores the answer for repeats of this write, in its transaction. A repeat of one that answers nothing gets null. */
export const keepAnswer = (
  transaction: Transaction,
  firmId: string,
  repeatable: Repeatable,
  answer: unknown,
) => {
  const kept = JSON.stringify(answer ?? null);
  void transaction.run(storeAnswer, { firmId, ...repeatable, answer: kept });
};

const lockNotAvailable = '55P03';
