import type { Transaction } from '../postgres/pool.ts';
import type { Statement } from '../postgres/statement.ts';
import { type NotificationKind, notificationKinds } from './table.ts';

/** The row that a statement returns for each notification it makes. */
export type Told = { kind: NotificationKind };

const delivered = new Map<NotificationKind, number>(notificationKinds.map((kind) => [kind, 0]));

/**
 * How many notifications of each kind this process has delivered. A burst's counts again when it
 * grows.
 */
export const deliveredByKind = (): ReadonlyMap<NotificationKind, number> => delivered;

/**
 * Sends a statement that delivers notifications, and counts them after the commit. Returns how many
 * there were. Nobody has to wait for that. It is 0 if the transaction fails.
 */
export const deliver = <Values extends unknown[]>(
  transaction: Pick<Transaction, 'run' | 'afterCommit'>,
  telling: () => Statement<Told, Values>,
  ...values: NoInfer<Values>
): Promise<number> => {
  const count = (told: Told[]) => {
    for (const { kind } of told) delivered.set(kind, (delivered.get(kind) ?? 0) + 1);
  };
  return transaction.run(telling, ...values).then(
    (told) => {
      transaction.afterCommit(() => count(told));
      return told.length;
    },
    // The transaction fails with it.
    () => 0,
  );
};
