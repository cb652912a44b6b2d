import { sql } from 'drizzle-orm';
import { acrossFirms } from '../postgres/citus/forms.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { outdated, prune, pruneBatch } from '../record/pruning.ts';

/** A job as an administrator sees it. `late`: due for more than half a minute. */
export type ListedJob = {
  id: string;
  kind: string;
  state: 'waiting' | 'late' | 'dead';
  firmId: string;
  ref: string | null;
  runAt: string;
  starts: number;
  failures: number;
  lastError: string | null;
  deadAt: string | null;
};

export const maxListed = 500;

const jobs = statement(
  ({ onlyDead, firmId }: Given<{ firmId: string | null; onlyDead: boolean }>) => sql<ListedJob>`
    select id::text as id, kind, firm_id::text as "firmId", ref::text as ref, starts, failures,
      run_at as "runAt", last_error as "lastError", dead_at as "deadAt",
      case when dead_at is not null then 'dead'
        when run_at <= moment() - interval '30 seconds' then 'late' else 'waiting' end as state
    from job
    where (${onlyDead}::boolean is false or dead_at is not null)
      and (${firmId}::uuid is null or firm_id = ${firmId}::uuid)
      ${acrossFirms(sql`firm_id`)}
    order by dead_at, run_at, id limit ${sql.raw(String(maxListed))}`,
);

/**
 * Dead jobs first, then the others in the order they are due; those of one firm if its id is given.
 */
export const listJobs = async (
  database: Runs,
  { onlyDead, firmId }: { onlyDead: boolean; firmId: string | null },
): Promise<ListedJob[]> => {
  const rows = await database.run(jobs, { onlyDead, firmId });
  const moment = (text: string) => new Date(text).toISOString();
  return rows.map((row) => ({
    ...row,
    runAt: moment(row.runAt),
    deadAt: row.deadAt && moment(row.deadAt),
  }));
};

type Dead = { firmId: string | null; id: string | null };

const isDeadOne = ({ id }: Given<{ id: string | null }>) => sql`
  dead_at is not null and (${id}::bigint is null or job.id = ${id}::bigint)`;

const firmsWithDead = statement(
  (given: Given<Dead>) => sql<{ firmId: string }>`
    select distinct firm_id::text as "firmId" from job
    where ${isDeadOne(given)} and (${given.firmId}::uuid is null or firm_id = ${given.firmId}::uuid)${acrossFirms(sql`firm_id`)}`,
);

const reviveBatch = statement(
  (given: Given<{ firmId: string; id: string | null }>) => sql<{ id: string }>`
    update job set dead_at = null, starts = 0, failures = 0, run_at = moment()
    where firm_id = ${given.firmId}::uuid and id in (
      select job.id from job where firm_id = ${given.firmId}::uuid and ${isDeadOne(given)}
      order by job.id limit ${sql.raw(String(pruneBatch))} for update skip locked)
    returning id::text as id`,
);

/**
 * Runs dead jobs again, all of them or the one with this id, and returns how many. The audit log
 * has no entry of it: a job is not a record of the firm, and its effects have entries of their own.
 */
export const retryJobs = async (database: Runs, { id, firmId }: Dead): Promise<number> => {
  let retried = 0;
  for (const one of await database.run(firmsWithDead, { id, firmId })) {
    for (let more = true; more; ) {
      const { length } = await database.run(reviveBatch, { id, firmId: one.firmId });
      retried += length;
      more = length === pruneBatch;
    }
  }
  return retried;
};

/** Removes dead jobs 30 days after they died. */
export const deadLetterPruning = {
  kind: 'prune_dead_letters',
  everySeconds: 3_600,
  work: prune(outdated('job', 'id', sql`dead_at <= moment() - interval '30 days'`)),
};
