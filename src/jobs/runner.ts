import { sql } from 'drizzle-orm';
import { describeError, log } from '../base/log.ts';
import { Refusal } from '../base/refusal.ts';
import type { Database, Runs, Transaction } from '../postgres/pool.ts';
import { query, statement } from '../postgres/statement.ts';
import { job } from './table.ts';

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
 */
export type JobKind = {
  kind: string;
  work(job: Job, transaction: Transaction, again: (afterSeconds: number) => void): Promise<void>;
  everySeconds?: number;
};

/** The firm of jobs that belong to none. */
export const noFirm = '00000000-0000-0000-0000-000000000000';

export type Runner = {
  /** Milliseconds since the loop last got round; it is stuck or the database away when this is large. */
  beatAgeMilliseconds(): number;
  /** Takes no more jobs; resolves when those under way are done. */
  stop(): Promise<void>;
};

const atOnce = 4;
const batch = 25;
const pollMilliseconds = 1_000;
const heldMilliseconds = 250;
// So long a round may begin jobs before it looks again at what is due.
const roundMilliseconds = 500;
const usualMostFailures = 20;
const mostCrashes = 6;

const sleepers = new Set<() => void>();

/** Wakes the runners of this process: something is due now. Others find it at their next poll. */
export const wakeRunners = () => {
  for (const wake of sleepers) wake();
};

/**
 * Runs due jobs until it is stopped. Each runs in one transaction with its own removal, holding
 * its row: an effect happens once, and a killed process's jobs are free the moment it is gone.
 * Any number of runners, in any number of processes, may share a database.
 */
export const startRunner = (database: Database, kinds: JobKind[]): Runner => {
  const kindOf = new Map(kinds.map((kind) => [kind.kind, kind]));
  // Written for Postgres by hand: kinds this program does not know are left to one that does.
  const known = listed(kinds);
  const own = listed(kinds.filter(({ everySeconds }) => everySeconds));
  let stopping = false;
  let beat = performance.now();
  let wake = () => {};
  // Starts of jobs that the database's absence ended: they say nothing against the job.
  const uncounted: { firmId: string; id: string }[] = [];

  const loop = async () => {
    let restMilliseconds = 100;
    while (!stopping) {
      const woken = new Promise<void>((resolve) => (wake = resolve));
      sleepers.add(wake);
      try {
        await settle();
        const due = await database.run(dueJobs, { known, own });
        const done = await runAll(due);
        beat = performance.now();
        if (done > 0) restMilliseconds = 0;
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
    for (const ids of uncounted.splice(0)) await database.run(uncountStart, ids);
  };

  const restUntilNext = async () => {
    const next = await database.first(untilNext, { known });
    const milliseconds = next?.seconds == null ? pollMilliseconds : Number(next.seconds) * 1000;
    return Math.min(pollMilliseconds, Math.max(10, milliseconds));
  };

  const runAll = async (due: Due[]): Promise<number> => {
    let done = 0;
    const until = performance.now() + roundMilliseconds;
    const takeTurns = async (queue: Due[]) => {
      for (let next = queue.shift(); next && !stopping; next = queue.shift()) {
        if (await runOne(next)) done += 1;
        if (performance.now() > until) return;
      }
    };
    const fresh = due.filter(({ crashes }) => crashes === 0);
    // A backlog is worked off one by one: requests, which people wait for, are to notice little.
    const lanes = due.length >= batch ? 1 : atOnce;
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
    await takeTurns(suspects.sort((one, other) => one.crashes - other.crashes));
    return done;
  };

  const runOne = async (due: Due): Promise<boolean> => {
    const ids = { firmId: due.firmId, id: due.id };
    const [started] = await database.run(countStart, { ...ids, starts: due.starts });
    if (!started || started.isDead) return started !== undefined;
    try {
      return await database.transaction(async (transaction) => {
        const [claimed] = await transaction.run(claim, ids);
        if (!claimed) return false;
        const { work, everySeconds } = kindOf.get(claimed.kind) as JobKind;
        let seconds = everySeconds;
        await work(claimed, transaction, (afterSeconds) => {
          seconds = afterSeconds;
        });
        if (seconds === undefined) void transaction.run(remove, ids);
        else void transaction.run(postpone, { ...ids, seconds });
        return true;
      });
    } catch (error) {
      if (error instanceof Refusal && error.code === 'unavailable') {
        uncounted.push(ids);
        throw error;
      }
      log('error', 'job failed', { kind: due.kind, job: due.id, ...describeError(error) });
      const mostFailures = kindOf.get(due.kind)?.everySeconds ? null : usualMostFailures;
      await database.run(countFailure, { ...ids, mostFailures, error: wordsOf(error) });
      return true;
    }
  };

  const running = loop();
  return {
    beatAgeMilliseconds: () => performance.now() - beat,
    async stop() {
      stopping = true;
      wake();
      await running;
    },
  };
};

const listed = (kinds: JobKind[]) => `{${kinds.map(({ kind }) => kind).join()}}`;

const jitter = (milliseconds: number) => milliseconds * (0.8 + Math.random() * 0.4);

const wordsOf = (error: unknown) =>
  (error instanceof Error ? error.message : 'unknown').slice(0, 2_000);

type Due = { id: string; firmId: string; kind: string; starts: number; crashes: number };

const dueColumns = sql.raw(
  'id::text as id, firm_id::text as "firmId", kind, starts, starts - failures as crashes',
);

const isDue = sql`${job.deadAt} is null and ${job.runAt} <= moment()
  and ${job.kind} = any(${sql.placeholder('known')}::text[])`;

// The server's own come first, then what has waited longest and what has just become due, in turn:
// behind a hundred thousand overdue jobs nothing that should happen shortly waits for them all.
const dueJobs = statement(
  () => sql<Due>`
    with own as (
      select ${dueColumns}, 0 as place from job
      where firm_id = ${sql.raw(`'${noFirm}'`)}
        and dedupe_key = any(${sql.placeholder('own')}::text[]) and ${isDue}
    ),
    oldest as (
      select ${dueColumns}, row_number() over (order by run_at, id) * 2 - 1 as place
      from job where ${isDue} order by run_at, id limit ${sql.raw(String(batch))}
    ),
    newest as (
      select ${dueColumns}, row_number() over (order by run_at desc, id desc) * 2 as place
      from job where ${isDue} order by run_at desc, id desc limit ${sql.raw(String(batch))}
    )
    select id, "firmId", kind, starts, crashes from (
      table own union all table oldest union all table newest
    ) as due
    group by id, "firmId", kind, starts, crashes order by min(place)`,
);

const untilNext = statement(
  () => sql<{ seconds: string | null }>`
    select extract(epoch from min(run_at) - moment()) as seconds from job
    where dead_at is null and kind = any(${sql.placeholder('known')}::text[])`,
);

const isThisJob = sql`${job.firmId} = ${sql.placeholder('firmId')} and ${job.id} = ${sql.placeholder('id')}`;

// Only the instance that saw the present count may add to it, so that instances which look at the
// same moment do not add up to a poisonous job. One that another holds is passed over.
const countStart = statement(
  () => sql<{ isDead: boolean }>`
    update job set starts = starts + 1,
      dead_at = case when starts - failures >= ${sql.raw(String(mostCrashes))} then moment() end,
      last_error = case when starts - failures >= ${sql.raw(String(mostCrashes))}
        then 'The process ended during this job ' || (starts - failures) || ' times.' else last_error end
    where (firm_id, id) in (
      select firm_id, id from job
      where ${isThisJob} and starts = ${sql.placeholder('starts')} and dead_at is null
      for update skip locked)
    returning dead_at is not null as "isDead"`,
);

const claim = statement(() =>
  query
    .select({ id: job.id, firmId: job.firmId, kind: job.kind, ref: job.ref, payload: job.payload })
    .from(job)
    .where(sql`${isThisJob} and ${job.deadAt} is null and ${job.runAt} <= moment()`)
    .for('update', { skipLocked: true }),
);

const remove = statement(() => query.delete(job).where(isThisJob));

const countFailure = statement(
  () => sql`
    update job set failures = failures + 1, last_error = ${sql.placeholder('error')},
      run_at = moment() + least(interval '1 hour', interval '2 seconds' * power(2, least(failures, 12)))
        * (0.8 + random() * 0.4),
      dead_at = case when failures + 1 >= ${sql.placeholder('mostFailures')}::int then moment() end
    where ${isThisJob}`,
);

const uncountStart = statement(
  () => sql`update job set starts = greatest(0, starts - 1) where ${isThisJob}`,
);

const postpone = statement(
  () => sql`
    update job set starts = 0, failures = 0, last_error = null,
      run_at = moment() + make_interval(secs => ${sql.placeholder('seconds')}::float8)
    where ${isThisJob}`,
);

const nextRun = statement(
  () => sql<{ runAt: string; now: string }>`
    select run_at as "runAt", moment() as now from job
    where firm_id = ${sql.raw(`'${noFirm}'`)} and dedupe_key = ${sql.placeholder('kind')}`,
);

/** When one of the server's own jobs comes next, and the database's present; undefined before any server ran. */
export const nextRunOf = async (database: Runs, kind: string) => {
  const next = await database.first(nextRun, { kind });
  return next && { runAt: new Date(next.runAt), now: new Date(next.now) };
};

// Made where it is missing, taken back where it died; one that another instance is running is left
// alone, and not waited for.
const ensure = statement(
  () => sql`
    insert into job (firm_id, kind, dedupe_key, payload, run_at)
    values (${sql.raw(`'${noFirm}'`)}, ${sql.placeholder('kind')}, ${sql.placeholder('kind')}, '{}', moment())
    on conflict (firm_id, dedupe_key) do nothing`,
);

const revive = statement(
  () => sql`
    update job set dead_at = null, starts = 0, failures = 0
    where firm_id = ${sql.raw(`'${noFirm}'`)} and kind = ${sql.placeholder('kind')} and dead_at is not null`,
);
