import { describe, expect, test } from 'bun:test';
import { takeClock } from '../support/clock.ts';
import { ownDatabase } from '../support/database.ts';
import { caller, makeFirm, startTestServer } from '../support/firm.ts';

const start = (limit: string, at: { databaseUrl?: string } = {}) =>
  startTestServer({ ...at, environment: { RATE_LIMIT: limit } });

/** Calls through three instances at once for this long; counts the admitted calls. */
const press = async (servers: { url: string }[], key: string, seconds: number, clients: number) => {
  let admitted = 0;
  const statuses = new Set<number>();
  const end = performance.now() + seconds * 1000;
  const client = async (index: number) => {
    const { get } = caller(servers[index % servers.length]?.url ?? '', key);
    while (performance.now() < end) {
      const { status } = await get('/v1/contacts?limit=1');
      statuses.add(status);
      if (status === 200) admitted += 1;
      else await Bun.sleep(20);
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  return { admitted, statuses, took: (performance.now() - began) / 1000 };
};

describe('Too many requests, with several instances on one database', () => {
  test('the limit holds for all of them together: never above burst and rate, hardly below', async () => {
    const servers = [await start('20/30'), await start('20/30'), await start('20/30')];
    const firm = await makeFirm(servers[0] as (typeof servers)[number]);
    const { admitted, statuses, took } = await press(servers, firm.owner.key, 2, 12);
    const budget = 30 + 20 * took;
    expect(admitted).toBeLessThanOrEqual(Math.floor(budget));
    expect(admitted).toBeGreaterThanOrEqual(Math.floor(budget * 0.7));
    expect([...statuses].sort()).toEqual([200, 429]);
  });

  test('a client that waits as long as Retry-After says succeeds, on whichever instance', async () => {
    const databaseUrl = await ownDatabase();
    const clock = await takeClock(databaseUrl);
    const servers = [await start('2/4', { databaseUrl }), await start('2/4', { databaseUrl })];
    const firm = await makeFirm(servers[0] as (typeof servers)[number]);
    const calls = servers.map(({ url }) => caller(url, firm.owner.key));
    for (let round = 0; round < 3; round += 1) {
      let refused = await (calls[0] as (typeof calls)[number]).get('/v1/contacts');
      while (refused.status === 200)
        refused = await (calls[0] as (typeof calls)[number]).get('/v1/contacts');
      expect(refused.status).toBe(429);
      await clock.step(Number(refused.headers.get('retry-after')));
      const other = calls[round % 2] as (typeof calls)[number];
      expect((await other.get('/v1/contacts')).status).toBe(200);
    }
  });

  test("one key's budget is not another's", async () => {
    const server = await start('1/2');
    const firm = await makeFirm(server);
    const second = await firm.callerOf('ada@harrow.example');
    const third = await Promise.all(
      Array.from({ length: 6 }, () => firm.owner.get('/v1/contacts')),
    );
    expect(third.filter(({ status }) => status === 429).length).toBeGreaterThan(2);
    expect((await second.get('/v1/contacts')).status).toBe(200);
  });
});
