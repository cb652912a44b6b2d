import { sql } from 'drizzle-orm';
import { Refusal } from '../base/refusal.ts';
import type { Transaction } from '../postgres/pool.ts';
import { query, statement } from '../postgres/statement.ts';
import type { Repeatable } from './actor.ts';
import { keptAnswers } from './pruning.ts';
import { idempotency } from './table.ts';

const keepKey = statement(() =>
  query
    .insert(idempotency)
    .values({
      firmId: sql.placeholder('firmId'),
      keyFamilyId: sql.placeholder('keyFamilyId'),
      idempotencyKey: sql.placeholder('idempotencyKey'),
      fingerprint: sql.placeholder('fingerprint'),
      createdAt: sql`moment()`,
    } as never)
    .onConflictDoUpdate({
      target: [idempotency.firmId, idempotency.keyFamilyId, idempotency.idempotencyKey],
      set: { fingerprint: sql`excluded.fingerprint`, answer: null, createdAt: sql`moment()` },
      setWhere: sql`${idempotency.createdAt} <= moment() - ${keptAnswers}`,
    })
    .returning({ fingerprint: idempotency.fingerprint }),
);

const isThisKey = sql`${idempotency.firmId} = ${sql.placeholder('firmId')}
  and ${idempotency.keyFamilyId} = ${sql.placeholder('keyFamilyId')}
  and ${idempotency.idempotencyKey} = ${sql.placeholder('idempotencyKey')}`;

const keptAnswer = statement(() =>
  query
    .select({ fingerprint: idempotency.fingerprint, answer: idempotency.answer })
    .from(idempotency)
    .where(isThisKey),
);

const storeAnswer = statement(() =>
  query
    .update(idempotency)
    .set({ answer: sql.placeholder('answer') as never })
    .where(isThisKey),
);

/**
 * Takes the key for this write, or takes it over from an answer past its time, waiting for a twin
 * under way; gives the twin's answer if it has one. The row is held until the commit: none prunes it.
 * Throws `Refusal` conflict for a misused key, or when the twin takes too long.
 */
export const earlierAnswer = async (
  transaction: Transaction,
  firmId: string,
  repeatable: Repeatable,
): Promise<string | undefined> => {
  const taken = await transaction.first(keepKey, { firmId, ...repeatable }).catch((error) => {
    if (error?.code === lockNotAvailable) {
      throw new Refusal(
        'conflict',
        'A request with this Idempotency-Key is still under way. Repeat it in a moment.',
      );
    }
    throw error;
  });
  if (taken) return undefined;
  const kept = await transaction.first(keptAnswer, { firmId, ...repeatable });
  if (kept?.fingerprint !== repeatable.fingerprint || kept.answer === null) {
    throw new Refusal(
      'conflict',
      'This Idempotency-Key was used for another request. Send a new key with a new request.',
    );
  }
  return kept.answer;
};

/** Stores the answer that repeats of this write shall get, in its transaction. */
export const keepAnswer = (
  transaction: Transaction,
  firmId: string,
  repeatable: Repeatable,
  answer: unknown,
) => void transaction.run(storeAnswer, { firmId, ...repeatable, answer: JSON.stringify(answer) });

const lockNotAvailable = '55P03';
