import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { takeClock } from '../../support/clock.ts';
import { connect } from '../../support/database.ts';
import { marking } from '../../support/runner.ts';
import { until } from '../../support/until.ts';
import { place } from '../place.ts';

describe('A process that is killed', () => {
  const spawn = (databaseUrl: string) =>
    Bun.spawn([process.execPath, join(import.meta.dir, '../../support/runner.ts')], {
      env: { ...process.env, DATABASE_URL: databaseUrl },
      stdio: ['ignore', 'ignore', 'inherit'],
    });

  /** Starts one after the other until a job is dead, and the last until all others are done; how many it took. */
  const startUntilDead = async (
    databaseUrl: string,
    jobs: Awaited<ReturnType<typeof place>>['jobs'],
    areDone: () => Promise<boolean>,
  ) => {
    const isDead = async () => (await jobs()).some((job) => job.dead_at !== null);
    let starts = 0;
    while (!(await isDead()) && starts < 10) {
      const victim = spawn(databaseUrl);
      starts += 1;
      await Promise.race([victim.exited, until(isDead)]);
      if (await isDead()) {
        await until(areDone);
        victim.kill();
        await victim.exited;
      }
    }
    return starts;
  };

  test('leaves its due work to others, who take it over while the clock stands', async () => {
    const { databaseUrl, start, add, effects, jobs } = await place();
    await takeClock(databaseUrl);
    const sql = connect(databaseUrl);
    // Its start is counted before it is held: only what is held is the victim's.
    const isHeld = async () =>
      (await jobs())[0]?.starts === 1 &&
      (await sql`select from job where kind = 'hang' for update skip locked`).length === 0;
    for (let round = 0; round < 3; round += 1) {
      await add('hang');
      const victim = spawn(databaseUrl);
      await until(isHeld);
      const other = start(marking('hang'), marking('other'));
      await add('other');
      await until(async () => (await effects('other')).length === round + 1);
      expect(await effects('hang')).toHaveLength(round);
      victim.kill('SIGKILL');
      await until(async () => (await effects('hang')).length === round + 1);
      await other.stop();
    }
    await sql.end();
  });

  test('by one of its jobs is killed at most 7 times: then the job is dead; all others are done, once', async () => {
    const { databaseUrl, add, effects, jobs } = await place();
    await add('mark', 30, -5);
    await add('poison', 1, -5);
    await add('mark', 30, -5);
    const starts = await startUntilDead(
      databaseUrl,
      jobs,
      async () => (await effects('mark')).length === 60,
    );
    expect(starts).toBeLessThanOrEqual(7);
    expect(await jobs()).toMatchObject([{ kind: 'poison', dead_at: expect.any(Date) }]);
    expect((await jobs())[0]?.last_error).toBe('The process ended during this job 6 times.');
    const done = await effects('mark');
    expect({ done: done.length, distinct: new Set(done).size }).toEqual({ done: 60, distinct: 60 });
    expect(await effects('poison')).toEqual([]);
  });

  test("is told from several instances that count a job's start before one of them holds it", async () => {
    const { databaseUrl, sql, start, add, effects, jobs } = await place();
    const clock = await takeClock(databaseUrl);
    await add('slow');
    // As six instances leave it that have counted, and of which none has got so far as to hold it.
    await sql`update job set starts = 6`;
    start(marking('slow'), marking('mark'));
    // Whoever works the later one has looked at the other twice.
    for (const round of [1, 2, 3]) {
      await add('mark');
      await until(async () => (await effects('mark')).length === round);
    }
    expect(await jobs()).toMatchObject([{ kind: 'slow', starts: 6, dead_at: null }]);
    // One of them holds it now, and puts it off: nothing is held against it.
    await clock.step(9);
    await sql`update job set starts = 1`;
    await until(async () => (await effects('slow')).length === 1);
    expect(await jobs()).toHaveLength(0);
  });

  test('by one of several that were worked together is killed at most 7 times: the others are done, once', async () => {
    const { databaseUrl, sql, add, effects, jobs } = await place();
    await add('company', 20, -5);
    const poison = (await jobs())[7]?.id;
    await sql`update job set payload = '{"poisonous": true}' where id = ${poison}`;
    const starts = await startUntilDead(databaseUrl, jobs, async () => (await jobs()).length === 1);
    expect(starts).toBeLessThanOrEqual(7);
    expect(await jobs()).toMatchObject([{ id: poison, dead_at: expect.any(Date) }]);
    const done = await effects('company');
    expect({ done: done.length, distinct: new Set(done).size }).toEqual({ done: 19, distinct: 19 });
    expect(done).not.toContain(poison);
  });
});
