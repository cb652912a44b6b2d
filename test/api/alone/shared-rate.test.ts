import { expect, test } from 'bun:test';
import { caller, makeFirm, startTestServer } from '../../support/firm.ts';

const start = () => startTestServer({ environment: { RATE_LIMIT: '20/30' } });

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

test('the limit holds for all instances on one database together: never above burst and rate, hardly below', async () => {
  const servers = [await start(), await start(), await start()];
  const firm = await makeFirm(servers[0] as (typeof servers)[number]);
  const { admitted, statuses, took } = await press(servers, firm.owner.key, 2, 12);
  const budget = 30 + 20 * took;
  expect(admitted).toBeLessThanOrEqual(Math.floor(budget));
  expect(admitted).toBeGreaterThanOrEqual(Math.floor(budget * 0.7));
  expect([...statuses].sort()).toEqual([200, 429]);
});
