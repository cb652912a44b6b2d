import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../../../../src/postgres/embedded/embedded.ts';
import { migrate } from '../../../../src/postgres/migrate.ts';
import { connect } from '../../../support/database.ts';
import { embeddedUrl } from '../../../support/embedded.ts';
import { makeFirm, startTestServer } from '../../../support/firm.ts';
import { expectNoneLeft, expectWhole, startLoad, untilAnswered, watchUnlooked } from '../load.ts';

const unlooked = watchUnlooked();
const gaveUp: string[] = [];
const dataDirectory = await mkdtemp(join(tmpdir(), 'matterhorn-killed-'));
const postgres = await startEmbedded({
  dataDirectory,
  say: () => {},
  onGaveUp: (sentence) => gaveUp.push(sentence),
});
afterAll(async () => {
  await postgres.stop();
  await rm(dataDirectory, { recursive: true, force: true });
});
const databaseUrl = embeddedUrl(postgres.superuser);
await migrate(postgres.superuser);
const server = await startTestServer({ databaseUrl });

/** The process that Postgres' own processes belong to. */
const postmaster = async (): Promise<number> => {
  const admin = connect(databaseUrl);
  const [row] = await admin`select current_setting('data_directory') as folder`;
  await admin.end();
  return Number((await readFile(join(row?.folder, 'postmaster.pid'), 'utf8')).split('\n')[0]);
};

/** One of the server's connections, preferably at work; asks again while there is none to see. */
const backend = async (act: 'look' | 'terminate'): Promise<number> => {
  for (;;) {
    const admin = connect(databaseUrl);
    const rows = await admin`
      select pid, ${act === 'terminate'} and pg_terminate_backend(pid) as ended from (
        select pid from pg_stat_activity where application_name = 'matterhorn'
        order by state = 'idle', random() limit 1) as one`.catch(() => []);
    await admin.end({ timeout: 0 });
    if (rows[0]) return rows[0].pid;
    await Bun.sleep(20);
  }
};

/** Kills a process of Postgres; gives the milliseconds until the server answers again. */
const killAndWait = async (pid: number, url: string, key: string): Promise<number> => {
  const since = performance.now();
  process.kill(pid, 'SIGKILL');
  // What it leaves behind may answer for a moment longer.
  await Bun.sleep(150);
  await untilAnswered(url, key);
  return performance.now() - since;
};

test('a Postgres killed five times under load loses nothing that was acknowledged, and is used again within 10 s', async () => {
  const firm = await makeFirm(server);
  const load = startLoad(server.url, firm.owner.key);
  const milliseconds: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    await Bun.sleep(1_000);
    const before = load.acknowledged.size;
    milliseconds.push(await killAndWait(await postmaster(), server.url, firm.owner.key));
    while (load.acknowledged.size < before + 8) await Bun.sleep(10);
  }
  await load.finish();
  expect(Math.max(...milliseconds)).toBeLessThan(20_000);
  expect(load.slowestMilliseconds()).toBeLessThan(20_000);
  expect(gaveUp).toEqual([]);
  await expectWhole(databaseUrl, firm.id, load);
  await expectNoneLeft(databaseUrl, 5);
  expect(unlooked).toEqual([]);
});

test('single connections ended by Postgres or killed under load lose nothing that was acknowledged', async () => {
  const firm = await makeFirm(server);
  const load = startLoad(server.url, firm.owner.key);
  const milliseconds: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    await Bun.sleep(200);
    await backend('terminate');
    milliseconds.push(await untilAnswered(server.url, firm.owner.key));
  }
  for (let round = 0; round < 2; round += 1) {
    await Bun.sleep(300);
    // Postgres then ends all the others and recovers.
    milliseconds.push(await killAndWait(await backend('look'), server.url, firm.owner.key));
  }
  await load.finish();
  expect(Math.max(...milliseconds)).toBeLessThan(20_000);
  expect(load.slowestMilliseconds()).toBeLessThan(20_000);
  await expectWhole(databaseUrl, firm.id, load);
  await expectNoneLeft(databaseUrl, 5);
  expect(unlooked).toEqual([]);
});
