import { describe, expect, test } from 'bun:test';
import { takeClock } from '../support/clock.ts';
import { ownDatabase } from '../support/database.ts';
import { caller, makeFirm, startTestServer } from '../support/firm.ts';

const start = (limit: string, at: { databaseUrl?: string } = {}) =>
  startTestServer({ ...at, environment: { RATE_LIMIT: limit } });

describe('Too many requests, with several instances on one database', () => {
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
    // So slowly that none comes back while the six are answered, however busy the machine is.
    const server = await start('0.001/2');
    const firm = await makeFirm(server);
    const second = await firm.callerOf('ada@harrow.example');
    const third = await Promise.all(
      Array.from({ length: 6 }, () => firm.owner.get('/v1/contacts')),
    );
    expect(third.filter(({ status }) => status === 429).length).toBeGreaterThan(2);
    expect((await second.get('/v1/contacts')).status).toBe(200);
  });
});
