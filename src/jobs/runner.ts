import { noFirm } from '../base/columns.ts';
import { describeError, log, millisecondsSince } from '../base/log.ts';
import { Refusal } from '../base/refusal.ts';
import type { Database } from '../postgres/pool.ts';
import type { Shared } from './batch.ts';
import type { JobEnd, JobKind } from './kind.ts';
import { callBack, dueBatch, dueJobs, ensure, revive, uncountStarts, untilNext } from './queue.ts';
import { runRound } from './round.ts';

export type Runner = {
  /** Milliseconds since the last round ended; if large, the loop is stuck or the database away. */
  beatAgeMilliseconds(): number;
  /** Takes no more jobs. Resolves when those under way are done, or will not be in time. */
  stop(): Promise<void>;
};

const pollMilliseconds = 1_000;
// An idle server does little else than look. What is enqueued here still runs in time: only what a command
// enqueues may wait for so long.
const quietPollMilliseconds = 5_000;
const quietAfterMilliseconds = 30_000;
const restedSeconds = 5;
const heldMilliseconds = 250;
const leastRestMilliseconds = 10;
// A round that found something to do lasts at least this long, so that jobs that become due in the
// meantime are looked up together.
const gatherMilliseconds = 50;
// The database takes back what a job did that is not done by then.
const stopMilliseconds = 10_000;

const sleepers = new Set<() => void>();

/** Wakes the runners of this process: something is due now. Others find it at their next poll. */
export const wakeRunners = () => {
  for (const wake of sleepers) wake();
};

/**
 * Runs due jobs until it is stopped. Each runs in one transaction with its own removal, holding
 * its row: an effect happens once, and a killed process's jobs are free the moment it is gone.
 * Any number of runners, in any number of processes, may share a database. `onEnd` is told how each
 * run of a job ended; so is the log, save of the server's own jobs when all is well.
 */
export const startRunner = (
  database: Database,
  kinds: JobKind[],
  onEnd: (end: JobEnd) => void = () => {},
): Runner => {
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
  // Kinds this program does not know are left to one that does.
  const known = [...byName.keys()];
  const own = kinds.filter(({ everySeconds }) => everySeconds).map(({ kind }) => kind);
  const shared: Shared = {
    database,
    kinds: byName,
    onEnd,
    uncounted: [],
    apart: new Set(),
    watched: new Map(),
  };
  const resting = kinds.filter(({ restSeconds }) => restSeconds).map(({ kind }) => kind);
  let isStopping = false;
  let beat = performance.now();
  let foundAt = performance.now();
  let calledBackAt = performance.now();
  let wake = () => {};
  let hasOwn = false;
  // At the start, and behind a full batch.
  let mayBeMore = true;

  /** Something was written here: the server's own jobs that rest have work again. */
  const callBackResting = async () => {
    const sinceLast = millisecondsSince(calledBackAt);
    if (sinceLast < pollMilliseconds || database.grewMillisecondsAgo() > sinceLast) return;
    calledBackAt = performance.now();
    await database.run(callBack, { kinds: resting, seconds: restedSeconds });
  };

  const isQuiet = () =>
    Math.min(database.grewMillisecondsAgo(), millisecondsSince(foundAt)) > quietAfterMilliseconds;

  /** One round. Returns for how many milliseconds to rest after it. */
  const goRound = async (): Promise<number> => {
    const began = performance.now();
    if (!hasOwn) hasOwn = await makeOwn(database, own);
    await takeBackStarts(shared);
    if (resting.length > 0) await callBackResting();
    // When there is nothing to do, this is all that is asked.
    const most = jitter(isQuiet() ? quietPollMilliseconds : pollMilliseconds);
    const rest = mayBeMore ? 0 : await restUntilNext(database, known, most);
    mayBeMore = false;
    beat = performance.now();
    if (rest > 0) {
      forgetSuspects(shared);
      return rest;
    }
    const due = await database.run(dueJobs, { known, own });
    if (due.length === 0) forgetSuspects(shared);
    if (due.some(({ firmId }) => firmId !== noFirm)) foundAt = performance.now();
    const done = await runRound(shared, due, () => isStopping);
    beat = performance.now();
    mayBeMore = due.length >= dueBatch;
    if (done > 0) {
      if (!mayBeMore) await Bun.sleep(gatherMilliseconds - millisecondsSince(began));
      return 0;
    }
    // Due jobs that could not be claimed are held by another instance.
    return due.length > 0 ? jitter(heldMilliseconds) : leastRestMilliseconds;
  };

  const loop = async () => {
    let restMilliseconds = 100;
    while (!isStopping) {
      const woken = new Promise<void>((resolve) => (wake = resolve));
      sleepers.add(wake);
      try {
        restMilliseconds = await goRound();
      } catch (error) {
        // The database is away: say so once in a while, and come back.
        log('warn', 'job runner waits for the database', describeError(error));
        restMilliseconds = jitter(Math.min(5_000, Math.max(100, restMilliseconds * 2)));
      }
      if (restMilliseconds > 0 && !isStopping)
        await Promise.race([woken, Bun.sleep(restMilliseconds)]);
      sleepers.delete(wake);
    }
  };

  const running = loop();
  return {
    beatAgeMilliseconds: () => performance.now() - beat,
    async stop() {
      isStopping = true;
      wake();
      await Promise.race([running, Bun.sleep(stopMilliseconds)]);
    },
  };
};

/** Nothing is due: whatever was suspected has ended. */
const forgetSuspects = ({ apart, watched }: Shared) => {
  apart.clear();
  watched.clear();
};

/**
 * Makes the server's own jobs that are missing, and starts the dead ones again. Says whether it could: the
 * node that has them may be away. Looking for due jobs then says so, or fails.
 */
const makeOwn = async (database: Database, own: string[]): Promise<boolean> => {
  try {
    for (const kind of own) {
      await database.run(ensure, { kind });
      await database.run(revive, { kind });
    }
    return true;
  } catch (error) {
    if (!isAway(error)) throw error;
    return false;
  }
};

/** Takes back the starts that do not count. Those of firms whose node is away are taken back later. */
const takeBackStarts = async ({ database, uncounted }: Shared) => {
  for (const next of uncounted.splice(0)) {
    await database.run(uncountStarts, next).catch((error) => {
      uncounted.push(next);
      if (!isAway(error)) throw error;
    });
  }
};

const isAway = (error: unknown) => error instanceof Refusal && error.code === 'unavailable';

/** For how long there is nothing to do, in milliseconds, but `most` of them. */
const restUntilNext = async (
  database: Database,
  known: string[],
  most: number,
): Promise<number> => {
  const next = await database.run(untilNext, { known });
  const waits = next.flatMap(({ seconds }) => (seconds === null ? [] : Number(seconds) * 1000));
  const wait = Math.min(most, ...waits);
  return wait > 0 ? Math.max(leastRestMilliseconds, wait) : 0;
};

const jitter = (milliseconds: number) => milliseconds * (0.8 + Math.random() * 0.4);
