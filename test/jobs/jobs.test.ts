import { describe, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { noFirm } from '../../src/base/columns.ts';
import type { JobKind } from '../../src/jobs/kind.ts';
import { wakeRunners } from '../../src/jobs/runner.ts';
import { statement } from '../../src/postgres/statement.ts';
import { takeClock } from '../support/clock.ts';
import { connect, ownDatabase } from '../support/database.ts';
import { makeFirm, startTestServer } from '../support/firm.ts';
import { marking } from '../support/runner.ts';
import { run, runJson } from '../support/terminal.ts';
import { until } from '../support/until.ts';
import { firmId, otherFirmId, place } from './place.ts';

const endConnection = statement(() => sql`select pg_terminate_backend(pg_backend_pid())`);

describe('A job', () => {
  test("runs when it is due, by the database's clock, and not before", async () => {
    const { databaseUrl, start, add, effects, jobs } = await place();
    const clock = await takeClock(databaseUrl);
    await add('mark', 1, 3_600);
    await add('before', 1, 3_599.999);
    start(marking('mark'), marking('before'));
    await clock.step(3_599.999);
    await until(async () => (await effects('before')).length === 1);
    expect(await effects('mark')).toEqual([]);
    await clock.step(0.001);
    await until(async () => (await effects('mark')).length === 1);
    expect(await jobs()).toHaveLength(0);
  });

  test('is done once, however many instances look for it', async () => {
    const { start, add, effects, jobs } = await place();
    await add('mark', 300);
    for (let instance = 0; instance < 4; instance += 1) start(marking('mark'));
    await until(async () => (await jobs()).length === 0);
    const done = await effects('mark');
    expect(done).toHaveLength(300);
    expect(new Set(done).size).toBe(300);
  });

  test('that fails leaves no effect, comes again after 2 seconds, doubled each time up to an hour, and is dead after 20 times', async () => {
    const { databaseUrl, start, add, jobs, effects } = await place();
    const clock = await takeClock(databaseUrl);
    await add('fails');
    const kind = marking('fails');
    const fails: typeof kind = {
      kind: 'fails',
      async work(...words) {
        await kind.work(...words);
        throw new Error(`It is broken. ${'x'.repeat(5_000)}`);
      },
    };
    start(fails, marking('mark'));
    for (let failures = 1; failures <= 20; failures += 1) {
      wakeRunners();
      await until(async () => (await jobs())[0]?.failures === failures);
      const [job] = await jobs();
      const expected = Math.min(3_600, 2 ** failures);
      expect(job?.seconds).toBeLessThanOrEqual(expected * 1.2);
      expect(job?.seconds).toBeGreaterThanOrEqual(expected * 0.8);
      expect(job?.dead_at === null).toBe(failures < 20);
      expect(job?.last_error).toStartWith('It is broken.');
      expect(job?.last_error.length).toBeLessThanOrEqual(2_000);
      await clock.step(job?.seconds + 0.1);
    }
    await clock.step(10 * 3_600);
    // Who does this one has looked at what is due.
    await add('mark');
    wakeRunners();
    await until(async () => (await effects('mark')).length === 1);
    expect((await jobs())[0]).toMatchObject({ failures: 20, starts: 20 });
    expect(await effects('fails')).toEqual([]);
  });

  test('of a kind this program does not know is left as it is', async () => {
    const { start, add, jobs, effects } = await place();
    await add('from_the_future', 60, -60);
    await add('mark');
    start(marking('mark'));
    await until(async () => (await effects('mark')).length === 1);
    const left = await jobs();
    expect(left).toHaveLength(60);
    for (const job of left) expect(job).toMatchObject({ starts: 0, failures: 0, dead_at: null });
  });

  test('that has just become due does not wait behind thousands that are overdue', async () => {
    const { start, add, jobs, effects } = await place();
    await add('slow', 4_000, -600);
    start(
      marking('slow', { first: () => Bun.sleep(4) }),
      marking('mark'),
      marking('own', { everySeconds: 1 }),
    );
    await until(async () => (await effects('slow')).length > 10);
    for (let round = 0; round < 3; round += 1) {
      await add('mark');
      await until(async () => (await effects('mark')).length === round + 1);
      expect((await jobs()).length).toBeGreaterThan(1_000);
    }
    expect((await effects('own')).length).toBeGreaterThan(0);
  });

  test('under way is finished when the runner stops, and none is begun after', async () => {
    const { start, add, effects, jobs } = await place();
    await add('slow', 20);
    let begun = 0;
    const runner = start(
      marking('slow', {
        first: () => {
          begun += 1;
          return Bun.sleep(300);
        },
      }),
    );
    await until(async () => begun > 0);
    await runner.stop();
    const done = await effects('slow');
    expect(done).toHaveLength(begun);
    expect(await jobs()).toHaveLength(20 - begun);
  });
});

describe('Jobs that are worked together', () => {
  const commits = async (sql: ReturnType<typeof connect>) =>
    (await sql`select count(*)::int as jobs, kind
      from effect group by commit, kind order by kind, jobs`) as unknown as {
      jobs: number;
      kind: string;
    }[];

  test('share one transaction where they are of one firm and kind, and no other', async () => {
    const { sql, start, add, jobs } = await place();
    await add('company', 12);
    await add('others', 3);
    await add('alone', 4);
    await sql`insert into job (firm_id, kind, dedupe_key, payload, run_at)
      select ${otherFirmId}, 'company', n::text, '{}', moment() from generate_series(1, 5) n`;
    await add('company', 1, 3_600);
    start(
      marking('company', { together: true }),
      marking('others', { together: true }),
      marking('alone'),
    );
    await until(async () => (await jobs()).length === 1);
    expect((await commits(sql)).map(({ jobs, kind }) => `${jobs} ${kind}`)).toEqual([
      ...Array(4).fill('1 alone'),
      '5 company',
      '12 company',
      '3 others',
    ]);
    expect((await jobs())[0]).toMatchObject({ kind: 'company', starts: 0, failures: 0 });
  });

  test('are each done once, however many instances look for them', async () => {
    const { sql, start, add, jobs } = await place();
    await add('company', 500);
    for (let instance = 0; instance < 4; instance += 1)
      start(marking('company', { together: true }));
    await until(async () => (await jobs()).length === 0);
    const [all] =
      await sql`select count(*)::int as done, count(distinct job)::int as different from effect`;
    expect(all).toEqual({ done: 500, different: 500 });
    const max = Math.max(...(await commits(sql)).map(({ jobs }) => jobs));
    expect(max).toBeGreaterThan(5);
  });

  test('are done each by itself where one of them fails: it alone leaves nothing, and is counted', async () => {
    const { databaseUrl, sql, start, add, jobs, effects } = await place();
    const clock = await takeClock(databaseUrl);
    await add('company', 9);
    const [, , , failing] = await jobs();
    let tries = 0;
    start(
      marking('company', {
        together: true,
        first: ({ id }) => {
          if (String(id) !== failing?.id) return;
          tries += 1;
          throw new Error('It is broken.');
        },
      }),
    );
    await until(async () => (await jobs()).length === 1 && (await jobs())[0]?.failures === 1);
    expect(await effects('company')).toHaveLength(8);
    expect(new Set(await effects('company')).size).toBe(8);
    expect(await effects('company')).not.toContain(failing?.id);
    expect((await jobs())[0]).toMatchObject({
      id: failing?.id,
      starts: 1,
      last_error: 'It is broken.',
    });
    expect(tries).toBe(2);
    // When it comes again, it does not spoil what has become due since.
    await sql`insert into job (firm_id, kind, dedupe_key, payload, run_at)
      select ${firmId}, 'company', 'later ' || n, '{}', moment() + interval '10 seconds'
      from generate_series(1, 6) n`;
    await clock.step(11);
    wakeRunners();
    await until(async () => (await jobs()).length === 1 && (await jobs())[0]?.failures === 2);
    expect((await commits(sql)).map(({ jobs }) => jobs)).toEqual([...Array(8).fill(1), 6]);
    expect(tries).toBe(3);
  });

  test('are done each by itself where one of them costs the connection, and it is not held against any', async () => {
    const { databaseUrl, sql, start, add, jobs, effects } = await place();
    const clock = await takeClock(databaseUrl);
    await add('company', 9);
    const [, , , costly] = await jobs();
    const kind = marking('company', { together: true });
    let tries = 0;
    start({
      ...kind,
      async work(job, transaction, again) {
        if (String(job.id) === costly?.id && (tries += 1) < 5) await transaction.run(endConnection);
        await kind.work(job, transaction, again);
      },
    });
    // What cost a connection is put off for some seconds, and the runner rests.
    const untilLater = (holds: () => Promise<boolean>) =>
      until(async () => {
        await clock.step(5);
        wakeRunners();
        return holds();
      });
    await untilLater(async () => (await effects('company')).length === 8);
    expect(await jobs()).toMatchObject([{ id: costly?.id, failures: 0, dead_at: null }]);
    await untilLater(async () => (await jobs()).length === 0);
    expect((await commits(sql)).map(({ jobs }) => jobs)).toEqual(Array(9).fill(1));
    expect(new Set(await effects('company')).size).toBe(9);
    expect(tries).toBe(5);
  });

  test('are put off each for itself where their work goes on', async () => {
    const { sql, start, add, jobs } = await place();
    await add('company', 6);
    const kind = marking('company', { together: true });
    const goesOn = new Set((await jobs()).slice(0, 2).map(({ id }) => id));
    start({
      ...kind,
      async work(job, transaction, again) {
        await kind.work(job, transaction, again);
        if (goesOn.delete(String(job.id))) again(0);
      },
    });
    await until(async () => (await jobs()).length === 0);
    expect((await commits(sql)).map(({ jobs }) => jobs)).toEqual([2, 6]);
  });
});

describe("The server's own jobs", () => {
  test('come once each time, whatever the number of instances', async () => {
    const { databaseUrl, start, add, effects, jobs } = await place();
    const clock = await takeClock(databaseUrl);
    // Each instance has something that only it does: when that is done, it has looked.
    const looks = ['one', 'two', 'three', 'four'];
    for (const look of looks) start(marking('own', { everySeconds: 60 }), marking(look));
    for (let round = 1; round <= 4; round += 1) {
      await until(async () => (await effects('own')).length === round);
      for (const look of looks) await add(look);
      wakeRunners();
      for (const look of looks) await until(async () => (await effects(look)).length === round);
      expect(await effects('own')).toHaveLength(round);
      expect(await jobs()).toHaveLength(1);
      await clock.step(61);
      wakeRunners();
    }
  });

  test('never die of failing, and come again as usual once they succeed', async () => {
    const { databaseUrl, start, effects, jobs } = await place();
    const clock = await takeClock(databaseUrl);
    let failures = 0;
    start(
      marking('own', {
        everySeconds: 60,
        first: () => {
          if (failures < 22) throw new Error(`Failure ${(failures += 1)}.`);
        },
      }),
    );
    for (let round = 1; round <= 22; round += 1) {
      await until(async () => (await jobs())[0]?.failures === round);
      await clock.step(4_400);
      wakeRunners();
    }
    await until(async () => (await effects('own')).length === 1);
    expect(failures).toBe(22);
    await until(async () => (await jobs())[0]?.failures === 0);
    const [job] = await jobs();
    expect(job).toMatchObject({ starts: 0, last_error: null, dead_at: null });
    expect(job?.seconds).toBeLessThanOrEqual(60);
  });

  test('that rest come when their time is over, or once their server has written something', async () => {
    const { databaseUrl, sql, start, add, jobs, effects } = await place();
    const clock = await takeClock(databaseUrl);
    await sql`insert into job (firm_id, kind, dedupe_key, payload, run_at)
      values (${noFirm}, 'own', 'own', '{}', moment() + interval '4 seconds')`;
    let count = 0;
    let looks = 0;
    const own: JobKind = {
      kind: 'own',
      work: async (_job, _transaction, again) => {
        count += 1;
        again(60);
      },
    };
    const look: JobKind = {
      kind: 'look',
      work: async () => {
        looks += 1;
      },
    };
    start({ ...own, everySeconds: 5, restSeconds: 60 }, look, marking('writes'));
    /** Has the runner do a job that writes nothing: then it has looked at what is due. */
    const hasLooked = async () => {
      const before = looks;
      await add('look');
      wakeRunners();
      await until(async () => looks > before && (await jobs()).length === 1);
    };
    // It asks at most once a second whether something was written, and its start counts as that.
    const started = performance.now();
    while (performance.now() - started < 1_500) await hasLooked();
    await hasLooked();
    await clock.step(3);
    await hasLooked();
    expect(count).toBe(0);
    await clock.step(1);
    wakeRunners();
    const rests = async () => (await jobs())[0]?.seconds === 60;
    await until(rests);
    expect(count).toBe(1);
    await hasLooked();
    expect(count).toBe(1);
    await add('writes');
    wakeRunners();
    await until(async () => count === 2);
    expect(await effects('writes')).toHaveLength(1);
  });

  test('stand once on a database that several servers share, and survive their restarts', async () => {
    const databaseUrl = await ownDatabase();
    const servers = [];
    for (let server = 0; server < 3; server += 1)
      servers.push(await startTestServer({ databaseUrl }));
    const sql = connect(databaseUrl);
    const own = async () =>
      (await sql`select kind from job where firm_id = ${noFirm} order by kind`).map(
        (row) => row.kind,
      );
    const pruned = [
      'answers',
      'bulk_changes',
      'dead_letters',
      'imports',
      'mails',
      'notifications',
      'sign_in',
    ].concat('webhook_deliveries');
    const all = [
      ...['audit_seal', 'holiday_guard', 'limitation_guard', 'mail_guard'],
      ...pruned.map((kind) => `prune_${kind}`),
      ...['send_mails', 'webhook_look'],
    ];
    await until(async () => (await own()).length === all.length);
    expect(await own()).toEqual(all);
    await servers[0]?.stop();
    // A server that starts makes what is missing, and then has dead ones run again.
    await sql`update job set dead_at = moment() where firm_id = ${noFirm}`;
    servers.push(await startTestServer({ databaseUrl }));
    await until(async () => (await sql`select from job where dead_at is not null`).length === 0);
    expect(await own()).toEqual(all);
    for (const server of servers) await server.stop();
    await sql.end();
  });
});

describe('job list and job retry', () => {
  type Listed = { id: string; kind: string; state: string; lastError: string | null };

  test('show dead, late and waiting jobs, and have dead ones run again', async () => {
    const { databaseUrl, sql, start, add, effects } = await place();
    await add('mark', 1, 3_600);
    await add('late', 1, -31);
    await add('dead', 3);
    await sql`update job set dead_at = moment(), failures = 20, starts = 20, last_error = 'It is broken.'
      where kind = 'dead'`;
    const all = await runJson<Listed[]>(databaseUrl, ['job', 'list']);
    expect(all.map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      ...Array(3).fill('dead dead'),
      'late late',
      'mark waiting',
    ]);
    const dead = await runJson<Listed[]>(databaseUrl, ['job', 'list', '--dead']);
    expect(dead).toHaveLength(3);
    expect(dead[0]).toMatchObject({ firmId, failures: 20, lastError: 'It is broken.' });
    const text = await run(databaseUrl, ['job', 'list', '--dead']);
    expect(text.out).toContain('It is broken.');

    start(marking('dead'));
    const [one] = dead;
    expect(await runJson(databaseUrl, ['job', 'retry', one?.id ?? ''])).toEqual({ retried: 1 });
    await until(async () => (await effects('dead')).length === 1);
    expect(await effects('dead')).toEqual([one?.id ?? '']);
    expect(await runJson(databaseUrl, ['job', 'retry', '--all'])).toEqual({ retried: 2 });
    await until(async () => (await effects('dead')).length === 3);
    expect(await runJson(databaseUrl, ['job', 'retry', '--all'])).toEqual({ retried: 0 });
    expect(await runJson<Listed[]>(databaseUrl, ['job', 'list', '--dead'])).toEqual([]);
    const none = await run(databaseUrl, ['job', 'list', '--dead']);
    expect(none).toEqual({ exitCode: 0, out: 'There are no such jobs.\n', err: '' });
  });

  test('an id that no dead job has, or neither id nor --all, is refused in one sentence', async () => {
    const { databaseUrl, add } = await place();
    await add('mark', 1, 3_600);
    const [waiting] = await runJson<Listed[]>(databaseUrl, ['job', 'list']);
    for (const id of [waiting?.id ?? '', '999999', 'x', '-1', '99999999999999999999']) {
      const { exitCode, err } = await run(databaseUrl, ['job', 'retry', '--', id]);
      expect({ exitCode, err }).toEqual({
        exitCode: 1,
        err: expect.stringMatching(/^No dead job .*\n$/),
      });
    }
    for (const words of [[], [waiting?.id ?? '', '--all']]) {
      const { exitCode, err } = await run(databaseUrl, ['job', 'retry', ...words]);
      expect({ exitCode, err }).toEqual({
        exitCode: 2,
        err: expect.stringMatching(
          /^error: either the id of a dead job is needed, or --all\..*\n$/,
        ),
      });
    }
  });

  test("--firm keeps to one firm's jobs", async () => {
    const { databaseUrl, sql, add } = await place();
    const firm = await makeFirm({ url: '', databaseUrl });
    await add('dead', 2);
    await sql`insert into job (firm_id, kind, dedupe_key, payload, run_at)
      values (${firm.id}, 'dead', 'theirs', '{}', moment())`;
    await sql`update job set dead_at = moment()`;
    expect(await firm.command<Listed[]>(['job', 'list', '--dead'])).toHaveLength(1);
    expect(await firm.command(['job', 'retry', '--all'])).toEqual({ retried: 1 });
    expect(await runJson<Listed[]>(databaseUrl, ['job', 'list', '--dead'])).toHaveLength(2);
  });
});
