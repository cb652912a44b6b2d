/**
 * The job table as its runners use it: what is due, and how a job is started, ended and postponed.
 */

import { sql } from 'drizzle-orm';
import { noFirm } from '../base/columns.ts';
import { acrossFirms, forCluster } from '../postgres/citus/forms.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import { job } from './table.ts';

/**
 * How many of the longest-waiting jobs, and how many of the newest due ones, are looked at
 * together.
 */
export const dueBatch = 25;

/** A job whose process ended during it so often is given up. */
export const maxCrashes = 6;

/** A due job: how often it was started, and how often its process ended during it. */
export type Due = {
  id: string;
  firmId: string;
  kind: string;
  starts: number;
  crashes: number;
  /** When it was looked for, by the database's clock. */
  now: string;
};

const dueColumns = sql.raw(
  'id::text as id, firm_id::text as "firmId", kind, starts, starts - failures as crashes',
);

// Asked once, so that an index leads to what is due. Otherwise Postgres asks the clock for each job, and every look
// reads all jobs that are due later. A spread database's clock needs no such care.
const present = forCluster(sql`(select moment())`, sql`moment()`);

const isDue = ({ known }: Given<{ known: string[] }>) => sql`
  ${job.deadAt} is null and ${job.runAt} <= ${present} and ${job.kind} = any(${known}::text[])${acrossFirms(job.firmId)}`;

// Asked node by node, each looks for it among its own firms.
const isOfNoFirm = forCluster(
  sql.raw(`firm_id = '${noFirm}'`),
  sql.raw(`firm_id::text = '${noFirm}'`),
);

// The server's own jobs come first, then the longest-waiting and the newest due ones in turn:
// behind a hundred thousand overdue jobs, a job that should run soon does not wait for all of them.
// (`job.id` is the number; plain `id` would be its text in the answer, which no index sorts.)
export const dueJobs = statement(
  (given: Given<{ own: string[]; known: string[] }>) => sql<Due>`
    with own as (
      select ${dueColumns}, 0 as rank from job
      where ${isOfNoFirm} and dedupe_key = any(${given.own}::text[]) and ${isDue(given)}
    ),
    oldest as (
      select ${dueColumns}, row_number() over (order by run_at, id) * 2 - 1 as rank
      from job where ${isDue(given)} order by run_at, job.id limit ${sql.raw(String(dueBatch))}
    ),
    newest as (
      select ${dueColumns}, row_number() over (order by run_at desc, id desc) * 2 as rank
      from job where ${isDue(given)} order by run_at desc, job.id desc limit ${sql.raw(String(dueBatch))}
    )
    select id, "firmId", kind, starts, crashes, moment()::text as now from (
      table own union all table oldest union all table newest
    ) as due
    group by id, "firmId", kind, starts, crashes order by min(rank)`,
);

export const untilNext = statement(
  ({ known }: Given<{ known: string[] }>) => sql<{ seconds: string | null }>`
    select extract(epoch from min(run_at) - moment()) as seconds from job
    where dead_at is null and kind = any(${known}::text[])${acrossFirms(job.firmId)}`,
);

type OneJob = { firmId: string; id: string };
type SeveralJobs = { firmId: string; ids: string[] };

const isThisJob = ({ firmId, id }: Given<OneJob>) =>
  sql`${job.firmId} = ${firmId} and ${job.id} = ${id}`;
const isOneOfThese = (given: Given<SeveralJobs>) =>
  sql`${job.firmId} = ${given.firmId} and ${job.id} = any(${given.ids}::bigint[])`;

/** A job whose start was counted. It is dead if its process has ended during it too often. */
export type Started = { id: string; isDead: boolean; lastError: string; requestId: string | null };

// Only an instance that saw the present count may add to it. So instances that look at the same
// moment do not add up to a job that looks poisonous. A job that another instance holds is skipped.
export const countStarts = statement(
  (given: Given<SeveralJobs & { starts: number[]; now: string }>) => sql<Started>`
    update job set starts = starts + 1,
      dead_at = case when starts - failures >= ${sql.raw(String(maxCrashes))}
        then ${given.now}::timestamptz end,
      last_error = case when starts - failures >= ${sql.raw(String(maxCrashes))}
        then 'The process ended during this job ' || (starts - failures)::text || ' times.' else last_error end
    where (firm_id, id) in (
      select firm_id, id from job
      where ${isOneOfThese(given)} and dead_at is null
        and starts = (${given.starts}::int[])[array_position(${given.ids}::bigint[], ${job.id})]
      for update skip locked)
    returning id::text as id, dead_at is not null as "isDead", last_error as "lastError",
      payload->>'requestId' as "requestId"`,
);

export const claim = statement((given: Given<SeveralJobs>) =>
  query
    .select({ id: job.id, firmId: job.firmId, kind: job.kind, ref: job.ref, payload: job.payload })
    .from(job)
    .where(sql`${isOneOfThese(given)} and ${job.deadAt} is null and ${job.runAt} <= moment()`)
    .orderBy(job.id)
    .for('update', { skipLocked: true }),
);

export const remove = statement((given: Given<SeveralJobs>) =>
  query.delete(job).where(isOneOfThese(given)),
);

type Failed = { isDead: boolean };

/** `spread` lets jobs that failed together come again at different moments. */
type Failure = { error: string; maxFailures: number | null; now: string; spread: number };

export const countFailure = statement(
  (given: Given<OneJob & Failure>) => sql<Failed>`
    update job set failures = failures + 1, last_error = ${given.error},
      run_at = (${given.now}::timestamptz at time zone 'UTC'
        + least(interval '1 hour', interval '2 seconds' * power(2, least(failures, 12)))
        * ${given.spread}::float8) at time zone 'UTC',
      dead_at = case when failures + 1 >= ${given.maxFailures}::int
        then ${given.now}::timestamptz end
    where ${isThisJob(given)}
    returning dead_at is not null as "isDead"`,
);

// Skip a job that another instance has claimed: waiting for it would hold up all others.
export const uncountStarts = statement(
  (given: Given<SeveralJobs>) => sql`
    update job set starts = greatest(0, starts - 1) where (firm_id, id) in (
      select firm_id, id from job where ${isOneOfThese(given)} for update skip locked)`,
);

// Not if another instance has ended it meanwhile, so that it comes again later.
export const putOff = statement(
  (given: Given<SeveralJobs & { seconds: number }>) => sql`
    update job set starts = greatest(0, starts - 1),
      run_at = moment() + make_interval(secs => ${given.seconds}::float8)
    where (firm_id, id) in (
      select firm_id, id from job
      where ${isOneOfThese(given)} and run_at <= moment() for update skip locked)`,
);

export const postpone = statement(
  (given: Given<OneJob & { seconds: number }>) => sql`
    update job set starts = 0, failures = 0, last_error = null,
      run_at = moment() + make_interval(secs => ${given.seconds}::float8)
    where ${isThisJob(given)}`,
);

/**
 * How many jobs are due, late (by half a minute) and dead, and how long the oldest has waited. While a node of a
 * spread database is away, each other one gives a row.
 */
export const jobFigures = statement(
  () => sql<{ due: number; late: number; dead: number; oldestSeconds: string }>`
    with one as (select dead_at is not null as is_dead, moment() - run_at as overdue from job
      where true${acrossFirms(job.firmId)})
    select count(*) filter (where not is_dead and overdue >= '0')::int as due,
      count(*) filter (where not is_dead and overdue >= '30 seconds')::int as late,
      count(*) filter (where is_dead)::int as dead,
      greatest(0, extract(epoch from max(overdue) filter (where not is_dead))) as "oldestSeconds"
    from one`,
);

/** The database's present time, as text. */
export const clock = statement(() => sql<{ now: string }>`select moment()::text as now`);

const nextRun = statement(
  ({ kind }: Given<'kind'>) => sql<{ runAt: string; now: string }>`
    select run_at as "runAt", moment() as now from job
    where firm_id = ${sql.raw(`'${noFirm}'`)} and dedupe_key = ${kind}`,
);

/**
 * When one of the server's own jobs runs next, and the database's present time; undefined before
 * any server ran.
 */
export const nextRunOf = async (database: Runs, kind: string) => {
  const next = await database.first(nextRun, { kind });
  return next && { runAt: new Date(next.runAt), now: new Date(next.now) };
};

/** Those of the server's own jobs that rest for this long, or longer, are due now; not one that is under way. */
export const callBack = statement(
  (given: Given<{ kinds: string[]; seconds: number }>) => sql`
    update job set run_at = moment() where firm_id = ${sql.raw(`'${noFirm}'`)} and id in (
      select job.id from job where firm_id = ${sql.raw(`'${noFirm}'`)}
        and dedupe_key = any(${given.kinds}::text[])
        and run_at >= moment() + make_interval(secs => ${given.seconds}::float8)
      for update skip locked)`,
);

// Makes the job if it is missing. One that another instance is running is left alone, and not
// waited for.
export const ensure = statement(
  ({ kind }: Given<'kind'>) => sql`
    insert into job (firm_id, kind, dedupe_key, payload, run_at)
    values (${sql.raw(`'${noFirm}'`)}, ${kind}, ${kind}, '{}', moment())
    on conflict (firm_id, dedupe_key) do nothing`,
);

export const revive = statement(
  ({ kind }: Given<'kind'>) => sql`
    update job set dead_at = null, starts = 0, failures = 0
    where firm_id = ${sql.raw(`'${noFirm}'`)} and kind = ${kind} and dead_at is not null`,
);
