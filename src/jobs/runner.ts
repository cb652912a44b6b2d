import { describeError, log, millisecondsSince, wordsOf } from '../base/log.ts';
import { Refusal } from '../base/refusal.ts';
import type { Database, Transaction } from '../postgres/pool.ts';
import {
  claim,
  countFailure,
  countStarts,
  type Due,
  dueBatch,
  dueJobs,
  ensure,
  noFirm,
  postpone,
  remove,
  revive,
  type Started,
  uncountStarts,
  untilNext,
} from './queue.ts';

/** A job as it is handed to its work. */
export type Job = {
  id: number;
  firmId: string;
  kind: string;
  ref: string | null;
  payload: Record<string, unknown>;
};

/**
 * A kind of job: its name and what it does, all of it in the transaction that removes the job.
 * Work that is not finished calls `again` instead of being removed: it comes again after so many
 * seconds. With `everySeconds` it is the server's own: there is one such job, and it never ends.
 * Jobs of one firm that are due at once share a transaction where the kind is `together`: their
 * work is short, and never waits for another's.
 */
export type JobKind = {
  kind: string;
  work(job: Job, transaction: Transaction, again: (afterSeconds: number) => void): Promise<void>;
  everySeconds?: number;
  together?: true;
};

/** How one turn of a job ended. */
export type JobEnd = {
  kind: string;
  outcome: 'done' | 'again' | 'failed' | 'dead';
  milliseconds: number;
};

export type Runner = {
  /** Milliseconds since the loop last got round; it is stuck or the database away when this is large. */
  beatAgeMilliseconds(): number;
  /** Takes no more jobs; resolves when those under way are done, or will not be in time. */
  stop(): Promise<void>;
};

const atOnce = 4;
const pollMilliseconds = 1_000;
const heldMilliseconds = 250;
// A round that found something to do lasts so long: what comes due meanwhile is looked up once.
const gatherMilliseconds = 50;
// So long a round may begin jobs before it looks again at what is due.
const roundMilliseconds = 500;
const usualMostFailures = 20;
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
 * Any number of runners, in any number of processes, may share a database. `onEnd` is told of every
 * turn; the log as well, save of the server's own jobs when all is well.
 */
export const startRunner = (
  database: Database,
  kinds: JobKind[],
  onEnd: (end: JobEnd) => void = () => {},
): Runner => {
  const kindOf = new Map(kinds.map((kind) => [kind.kind, kind]));
  // Kinds this program does not know are left to one that does.
  const known = [...kindOf.keys()];
  const own = kinds.filter(({ everySeconds }) => everySeconds).map(({ kind }) => kind);
  let stopping = false;
  let beat = performance.now();
  let wake = () => {};
  // Starts that say nothing against the job: the database's absence ended them, or another job's failure.
  const uncounted: { firmId: string; ids: string[] }[] = [];
  // Jobs whose company did not get through; each is to show by itself how it fares.
  const apart = new Set<string>();

  const loop = async () => {
    let restMilliseconds = 100;
    while (!stopping) {
      const woken = new Promise<void>((resolve) => (wake = resolve));
      sleepers.add(wake);
      const began = performance.now();
      try {
        await settle();
        const due = await database.run(dueJobs, { known, own });
        if (due.length === 0) apart.clear();
        const done = await runAll(due);
        beat = performance.now();
        if (done > 0) {
          restMilliseconds = 0;
          if (due.length < dueBatch) await Bun.sleep(gatherMilliseconds - millisecondsSince(began));
        }
        // What is due and not to be had is at another instance's hands.
        else restMilliseconds = due.length > 0 ? heldMilliseconds : await restUntilNext();
      } catch (error) {
        // The database is away: say so once in a while, and come back.
        log('warn', 'job runner waits for the database', describeError(error));
        restMilliseconds = Math.min(5_000, Math.max(100, restMilliseconds * 2));
      }
      if (restMilliseconds > 0 && !stopping)
        await Promise.race([woken, Bun.sleep(jitter(restMilliseconds))]);
      sleepers.delete(wake);
    }
  };

  let isSettled = false;
  /** Makes the server's own jobs, once, and takes back starts that did not count. */
  const settle = async () => {
    for (const { kind, everySeconds } of isSettled ? [] : kinds) {
      if (!everySeconds) continue;
      await database.run(ensure, { kind });
      await database.run(revive, { kind });
    }
    isSettled = true;
    for (let [next] = uncounted; next; [next] = uncounted) {
      await database.run(uncountStarts, next);
      uncounted.shift();
    }
  };

  const restUntilNext = async () => {
    const next = await database.first(untilNext, { known });
    const milliseconds = next?.seconds == null ? pollMilliseconds : Number(next.seconds) * 1000;
    return Math.min(pollMilliseconds, Math.max(10, milliseconds));
  };

  const runAll = async (due: Due[]): Promise<number> => {
    let done = 0;
    const until = performance.now() + roundMilliseconds;
    const takeTurns = async (queue: Due[][]) => {
      for (let next = queue.shift(); next && !stopping; next = queue.shift()) {
        if (await runTogether(next)) done += 1;
        if (performance.now() > until) return;
      }
    };
    const fresh = together(due.filter(({ crashes }) => crashes <= 0));
    // A backlog is worked off turn by turn: requests, which people wait for, are to notice little.
    const lanes = due.length >= dueBatch ? 1 : atOnce;
    const turns = Array.from({ length: lanes }, () =>
      takeTurns(fresh).catch((error) => {
        // The database is away: the others finish what they have, and take no more.
        fresh.length = 0;
        throw error;
      }),
    );
    await Promise.allSettled(turns);
    await Promise.all(turns);
    // A job that was begun and not ended may have taken its process with it: alone, and the least
    // suspect first, so that the others of that moment are not taken for poisonous in its place.
    const suspects = due.filter(({ crashes }) => crashes > 0);
    suspects.sort((one, other) => one.crashes - other.crashes);
    await takeTurns(suspects.map((suspect) => [suspect]));
    return done;
  };

  // One that was begun before may be the one that fails, and keeps to itself.
  const together = (due: Due[]): Due[][] => {
    const company = ({ kind, firmId, id, starts }: Due) =>
      kindOf.get(kind)?.together && starts === 0 && !apart.has(id) ? `${kind} ${firmId}` : id;
    return [...Map.groupBy(due, company).values()];
  };

  /** One turn of jobs of one firm and kind; whether any of them was to be had. */
  const runTogether = async (due: Due[]): Promise<boolean> => {
    const [{ kind, firmId }] = due as [Due];
    const { work, everySeconds } = kindOf.get(kind) as JobKind;
    const began = performance.now();
    const end = (one: Started, outcome: JobEnd['outcome'], error?: unknown) => {
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
    const ids = due.map(({ id }) => id);
    const starts = due.map((one) => one.starts);
    const started = await database.run(countStarts, { firmId, ids, starts });
    const living = new Map<string, Started>();
    for (const one of started) {
      if (one.isDead) end(one, 'dead', new Error(one.lastError));
      else living.set(one.id, one);
    }
    const [first] = living.values();
    if (!first) return started.length > 0;
    const these = { firmId, ids: [...living.keys()] };
    try {
      return await database.transaction(async (transaction) => {
        const claimed = await transaction.run(claim, these);
        const finished: string[] = [];
        for (const job of claimed) {
          let seconds = everySeconds;
          await work(job, transaction, (afterSeconds) => {
            seconds = afterSeconds;
          });
          if (seconds === undefined) finished.push(String(job.id));
          else void transaction.run(postpone, { firmId, id: String(job.id), seconds });
          const outcome = seconds === everySeconds ? 'done' : 'again';
          const one = living.get(String(job.id)) as Started;
          transaction.afterCommit(() => end(one, outcome));
        }
        if (finished.length > 0) void transaction.run(remove, { firmId, ids: finished });
        return claimed.length > 0;
      });
    } catch (error) {
      const isAway = error instanceof Refusal && error.code === 'unavailable';
      const isCompany = living.size > 1;
      if (isAway || isCompany) uncounted.push(these);
      if (isCompany) {
        for (const id of living.keys()) apart.add(id);
        log('warn', 'jobs taken apart', {
          kind,
          firmId,
          jobs: living.size,
          ...describeError(error),
        });
      }
      if (isAway) throw error;
      if (isCompany) return true;
      const mostFailures = everySeconds ? null : usualMostFailures;
      const failure = { firmId, id: first.id, mostFailures, error: wordsOf(error) };
      const [failed] = await database.run(countFailure, failure);
      end(first, failed?.isDead ? 'dead' : 'failed', error);
      return true;
    }
  };

  const running = loop();
  return {
    beatAgeMilliseconds: () => performance.now() - beat,
    async stop() {
      stopping = true;
      wake();
      await Promise.race([running, Bun.sleep(stopMilliseconds)]);
    },
  };
};

const jitter = (milliseconds: number) => milliseconds * (0.8 + Math.random() * 0.4);
