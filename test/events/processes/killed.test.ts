import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../../../src/postgres/embedded/embedded.ts';
import { migrate } from '../../../src/postgres/migrate.ts';
import { ownDatabase } from '../../support/database.ts';
import { embeddedUrl } from '../../support/embedded.ts';
import { startTestServer } from '../../support/firm.ts';
import { startKilled } from '../../support/killed-instances.ts';
import { chanceOf } from '../../support/random.ts';
import { writeAndFollow } from '../writers.ts';

test('twenty writers whose servers are killed: each event once, in the order of the log, hidden ones never', async () => {
  const databaseUrl = await ownDatabase();
  const { random } = chanceOf(20);
  const servers = await startKilled(databaseUrl, 2, random, 700);
  await writeAndFollow(databaseUrl, servers.anyUrl, 15, servers.during);
  expect(servers.kills()).toBeGreaterThan(0);
});

test('the same while Postgres is killed', async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'matterhorn-killed-'));
  const postgres = await startEmbedded({ dataDirectory, say: () => {}, onGaveUp: () => {} });
  afterAll(async () => {
    await postgres.stop();
    await rm(dataDirectory, { recursive: true, force: true });
  });
  const databaseUrl = embeddedUrl(postgres.superuser);
  await migrate(postgres.superuser);
  const server = await startTestServer({ databaseUrl });
  let kills = 0;
  const during = async (work: () => Promise<void>) => {
    let isOver = false;
    const done = work().finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await Bun.sleep(400);
      const file = join(dataDirectory, 'pgdata/postmaster.pid');
      const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0]);
      if (isOver || !pid || kills === 4) continue;
      process.kill(pid, 'SIGKILL');
      kills += 1;
      await Bun.sleep(3_000);
    }
    await done;
  };
  await writeAndFollow(databaseUrl, () => server.url, 25, during);
  expect(kills).toBeGreaterThan(0);
});
