import type { Transaction } from '../postgres/pool.ts';

export type Job = {
  id: number;
  firmId: string;
  kind: string;
  ref: string | null;
  payload: Record<string, unknown>;
};

/**
 * A kind of job: its name and what it does, all of it in the transaction that removes the job.
 * Work that is not finished calls `again` instead of being removed: it runs again after so many
 * seconds. With `everySeconds` it is the server's own: there is one such job, and it never ends. With
 * `restSeconds` it finds work only where something was written: it says so by `again(restSeconds)`, and
 * comes earlier once a server that runs it has written something.
 *
 * Jobs of one firm that are due at once share a transaction where the kind is `together`; their
 * work is short, and never waits for another's. Sharing saves a fifth of the processor time of
 * creating a matter and telling its team (measured: 4.0 instead of 5.0 ms).
 */
export type JobKind = {
  kind: string;
  work(job: Job, transaction: Transaction, again: (afterSeconds: number) => void): Promise<void>;
  everySeconds?: number;
  restSeconds?: number;
  together?: true;
};

export type JobEnd = {
  kind: string;
  outcome: 'done' | 'again' | 'failed' | 'dead';
  milliseconds: number;
};
