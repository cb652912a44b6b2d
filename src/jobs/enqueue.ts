import { sql } from 'drizzle-orm';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Write } from '../record/write.ts';
import { wakeRunners } from './runner.ts';
import { job } from './table.ts';

/** Something to do later. Enqueued twice under one `dedupeKey`, it is done once. */
export type NewJob = {
  kind: string;
  dedupeKey: string;
  ref: string;
  payload?: Record<string, unknown>;
  /** From now, by the database's clock. */
  afterSeconds: number;
};

/** Enqueues a job in the write's transaction: the job exists if and only if the write does. */
export const enqueue = (w: Write, input: NewJob) => {
  const payload = { ...input.payload, requestId: w.author.requestId };
  const at = w.author.at ?? null;
  void w.run(insertJob, { firmId: w.firmId, ...input, payload, at });
  if (input.afterSeconds === 0) w.afterCommit(wakeRunners);
};

const insertJob = statement(
  (given: Given<Required<NewJob> & { firmId: string; at: Date | null }>) =>
    query
      .insert(job)
      .values({
        firmId: given.firmId,
        kind: given.kind,
        dedupeKey: given.dedupeKey,
        ref: given.ref,
        payload: given.payload,
        runAt: sql`coalesce(${given.at}::timestamptz, moment()) + make_interval(secs => ${given.afterSeconds})`,
      })
      .onConflictDoNothing(),
);
