import { expect, test } from 'bun:test';
import { ownDatabase } from '../../../support/database.ts';
import { caller, makeFirm, startTestServer } from '../../../support/firm.ts';
import { expectNoneLeft, expectWhole, startLoad, untilAnswered, watchUnlooked } from '../load.ts';
import { startProxy, type Way } from '../proxy.ts';

// How long a server itself waits is tried here.
delete process.env.MATTERHORN_TEST_PATIENCE;

const unlooked = watchUnlooked();

/** A server whose database is behind a network of this test, with a firm on it. */
const standBehindProxy = async () => {
  const databaseUrl = await ownDatabase();
  const proxy = await startProxy(databaseUrl);
  const server = await startTestServer({ databaseUrl: proxy.url });
  const firm = await makeFirm({ url: server.url, databaseUrl });
  const key = firm.owner.key;
  await untilAnswered(server.url, key);
  return { databaseUrl, proxy, server, firm, key };
};

const silences: [string, Way[], Awaited<ReturnType<typeof standBehindProxy>>][] = [
  ['both ways', ['requests', 'answers'], await standBehindProxy()],
  ['on the way back only', ['answers'], await standBehindProxy()],
];
const unnoticed = await standBehindProxy();
const unsteady = await standBehindProxy();

test.concurrent.each(silences)(
  'while the network to Postgres is silent %s requests are refused within 8 s, and answered within 10 s of its return',
  async (_, ways, { databaseUrl, proxy, server, firm, key }) => {
    const load = startLoad(server.url, key);
    await Bun.sleep(1_000);
    proxy.blackHole(...ways);
    await Bun.sleep(9_000);
    const refused = load.statuses.get(503) ?? 0;
    proxy.heal();
    const milliseconds = await untilAnswered(server.url, key);
    await Bun.sleep(500);
    await load.finish();
    expect(refused).toBeGreaterThanOrEqual(8);
    expect(load.slowestMilliseconds()).toBeLessThan(15_000);
    expect(milliseconds).toBeLessThan(20_000);
    await expectWhole(databaseUrl, firm.id, load);
    await expectNoneLeft(databaseUrl, 5);
    expect(unlooked).toEqual([]);
  },
);

test.concurrent('after connections have gone dead unnoticed, one request is refused and the next one answered', async () => {
  const { databaseUrl, proxy, server, key } = unnoticed;
  const { get } = caller(server.url, key);
  await Promise.all(Array.from({ length: 40 }, () => get('/v1/leads')));
  const before = proxy.connections();
  expect(before).toBeGreaterThanOrEqual(3);
  proxy.forget();
  const since = performance.now();
  const first = await get('/v1/leads');
  expect(first.status).toBe(503);
  expect(performance.now() - since).toBeLessThan(15_000);
  for (let read = 0; read < 10; read += 1) expect((await get('/v1/leads')).status).toBe(200);
  expect(performance.now() - since).toBeLessThan(15_000);
  proxy.cut();
  await untilAnswered(server.url, key);
  await expectNoneLeft(databaseUrl, 5);
  expect(unlooked).toEqual([]);
});

test.concurrent('connections cut and reset under load, in the middle of a commit too, lose nothing that was acknowledged', async () => {
  const { databaseUrl, proxy, server, firm, key } = unsteady;
  const load = startLoad(server.url, key);
  for (let round = 0; round < 40; round += 1) {
    await Bun.sleep(60);
    // From here on more is under way when a connection ends.
    if (round === 20) proxy.delay(5);
    if (round % 4 === 0) proxy.cut();
    else proxy.resetAt('commit', round % 4 === 1 ? 'within' : 'answered');
  }
  await load.finish();
  expect(load.statuses.get(503) ?? 0).toBeGreaterThanOrEqual(20);
  expect(load.slowestMilliseconds()).toBeLessThan(15_000);
  await expectWhole(databaseUrl, firm.id, load);
  await expectNoneLeft(databaseUrl, 5);
  expect(unlooked).toEqual([]);
});
