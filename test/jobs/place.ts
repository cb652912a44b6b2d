/** Where the tests of jobs take place. */
import { afterAll } from 'bun:test';
import type { Runner } from '../../src/jobs/runner.ts';
import { connect, ownDatabase } from '../support/database.ts';
import { runnerOn } from '../support/runner.ts';

/** A database without a server, and what tests of the runner do with it. */
export const place = async () => {
  const databaseUrl = await ownDatabase();
  const sql = connect(databaseUrl);
  await sql`create table effect (job bigint, kind text, process int,
    commit xid8 default pg_current_xact_id())`;
  const runners: Runner[] = [];
  afterAll(async () => {
    for (const runner of runners) await runner.stop();
    await sql.end();
  });
  const start = (...kinds: Parameters<typeof runnerOn>[1]) => {
    const runner = runnerOn(databaseUrl, kinds);
    runners.push(runner);
    return runner;
  };
  /** Jobs of a kind, due in this many seconds. */
  const add = (kind: string, count = 1, seconds = 0) =>
    sql`insert into job (firm_id, kind, dedupe_key, payload, run_at)
      select ${firmId}, ${kind}, ${kind} || ' ' || gen_random_uuid(), '{}',
        moment() + make_interval(secs => ${seconds}) from generate_series(1, ${count}::int)`;
  const jobs = () => sql`
    select id, kind, starts, failures, last_error, dead_at,
      extract(epoch from run_at - moment())::float8 as seconds from job order by id`;
  const effects = async (kind: string) =>
    (await sql`select job from effect where kind = ${kind}`).map((row) => row.job as string);
  return { databaseUrl, sql, start, add, jobs, effects };
};

export const firmId = '019f0000-0000-7000-8000-00000000f123';
export const otherFirmId = '019f0000-0000-7000-8000-00000000f124';
