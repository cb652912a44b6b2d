/**
 * One batch: jobs of one firm and kind that run in one transaction. Most batches have one job.
 */
import { noFirm } from '../base/columns.ts';
import { describeError, log, millisecondsSince, wordsOf } from '../base/log.ts';
import { Refusal } from '../base/refusal.ts';
import type { Database, Transaction } from '../postgres/pool.ts';
import type { Job, JobEnd, JobKind } from './kind.ts';
import {
  claim,
  clock,
  countFailure,
  countStarts,
  type Due,
  postpone,
  putOff,
  remove,
  type Started,
} from './queue.ts';

export type Shared = {
  database: Database;
  kinds: Map<string, JobKind>;
  onEnd: (end: JobEnd) => void;
  /** Starts not counted against the job: the database's absence ended them, or another job's failure. */
  uncounted: { firmId: string; ids: string[] }[];
  /** Jobs of a failed batch, to be tried again one at a time. */
  apart: Set<string>;
  /** Jobs that seem to have ended their process too often: how often, and since when (milliseconds, database's clock). */
  watched: Map<string, { crashes: number; since: number }>;
};

const usualMaxFailures = 20;
const awaySeconds = 5;

/**
 * Runs due jobs of one firm and kind. Says whether any of them could be had: another instance may
 * have them. A failure is written into the job; throws only `Refusal` unavailable.
 */
export const runBatch = async (shared: Shared, due: Due[]): Promise<boolean> => {
  const [{ firmId, kind: name, now }] = due as [Due];
  const kind = shared.kinds.get(name) as JobKind;
  const end = endingOf(shared, kind, firmId);
  const ids = due.map(({ id }) => id);
  const starts = due.map((one) => one.starts);
  const started = await shared.database.run(countStarts, { firmId, ids, starts, now });
  for (const one of started) if (one.isDead) end(one, 'dead', new Error(one.lastError));
  const living = started.filter(({ isDead }) => !isDead);
  if (living.length === 0) return started.length > 0;
  try {
    return await workAll(shared, kind, firmId, living, end);
  } catch (error) {
    await keepFailure(shared, kind, firmId, living, error, end);
    return true;
  }
};

/** Does the work of all these jobs and removes them. Says whether any of them could be claimed. */
const workAll = (
  { database }: Shared,
  kind: JobKind,
  firmId: string,
  living: Started[],
  end: End,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    const claimed = await transaction.run(claim, { firmId, ids: living.map(({ id }) => id) });
    const finished: string[] = [];
    for (const job of claimed) {
      const id = String(job.id);
      const seconds = await workOne(kind, job, transaction);
      if (seconds === undefined) finished.push(id);
      else void transaction.run(postpone, { firmId, id, seconds });
      const isUsual = seconds === kind.everySeconds || seconds === kind.restSeconds;
      const outcome = isUsual ? 'done' : 'again';
      const one = living.find((started) => started.id === id) as Started;
      transaction.afterCommit(() => end(one, outcome));
    }
    if (finished.length > 0) void transaction.run(remove, { firmId, ids: finished });
    return claimed.length > 0;
  });

/** Does the work of one job. Returns after how many seconds it comes again; undefined: never. */
const workOne = async ({ work, everySeconds }: JobKind, job: Job, transaction: Transaction) => {
  let seconds = everySeconds;
  await work(job, transaction, (afterSeconds) => {
    seconds = afterSeconds;
  });
  return seconds;
};

/** The failure of several jobs is held against none of them: which one failed shows when each is alone. */
const keepFailure = async (
  { database, uncounted, apart }: Shared,
  { kind, everySeconds }: JobKind,
  firmId: string,
  living: Started[],
  error: unknown,
  end: End,
) => {
  const isAway = error instanceof Refusal && error.code === 'unavailable';
  const ids = living.map(({ id }) => id);
  // If the job can be reached, only a part of the database is away that its work needs.
  const putsOff = () => database.run(putOff, { firmId, ids, seconds: awaySeconds });
  if (isAway && living.length === 1 && (await isDone(putsOff()))) return;
  if (isAway || living.length > 1) uncounted.push({ firmId, ids });
  if (living.length > 1) {
    for (const id of ids) apart.add(id);
    log('warn', 'jobs taken apart', { kind, firmId, jobs: ids.length, ...describeError(error) });
  }
  if (isAway) throw error;
  const [only, ...others] = living;
  if (!only || others.length > 0) return;
  const maxFailures = everySeconds ? null : usualMaxFailures;
  const present = await database.first(clock);
  const [failed] = await database.run(countFailure, {
    firmId,
    id: only.id,
    maxFailures,
    error: wordsOf(error),
    now: present?.now as string,
    spread: 0.8 + Math.random() * 0.4,
  });
  end(only, failed?.isDead ? 'dead' : 'failed', error);
};

const isDone = (work: Promise<unknown>) =>
  work.then(
    () => true,
    () => false,
  );

type End = (one: Started, outcome: JobEnd['outcome'], error?: unknown) => void;

/** Tells how a job ended: to `onEnd`, and to the log save of the server's own jobs when all is well. */
const endingOf = ({ onEnd }: Shared, { kind, everySeconds }: JobKind, firmId: string): End => {
  const began = performance.now();
  return (one, outcome, error) => {
    const ended = { kind, outcome, milliseconds: millisecondsSince(began) };
    onEnd(ended);
    const isWell = outcome === 'done' || outcome === 'again';
    if (isWell && everySeconds) return;
    log(isWell ? 'info' : 'error', 'job', {
      ...ended,
      job: one.id,
      requestId: one.requestId ?? undefined,
      ...(firmId === noFirm ? {} : { firmId }),
      ...(isWell ? {} : describeError(error)),
    });
  };
};
