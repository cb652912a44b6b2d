import { beforeAll, describe, expect, test } from 'bun:test';
import { blockLengths } from '../../../src/register/register.ts';

import {
  attorney,
  type Caller,
  comingAgain,
  type Firm,
  makeFirm,
  startTestServer,
} from '../../support/firm.ts';

const blockSize = blockLengths.short;

const server = await startTestServer({ environment: { DATABASE_CONNECTIONS: '8' } });

/** Does something for each index, some at a time. */
const each = async (count: number, work: (index: number) => Promise<void>) => {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
};

type Made = { id: string; publicId: string; isPrivate: boolean; by: Caller };

describe('A list longer than the register’s blocks', () => {
  const count = blockSize + 250;
  let firm: Firm;
  let ben: Caller;
  let live: Made[];
  beforeAll(async () => {
    firm = await makeFirm(server);
    const owner = comingAgain(firm.owner);
    ben = comingAgain(await firm.callerOf(attorney));
    const made: Made[] = [];
    await each(count, async (index) => {
      const by = index % 3 ? owner : ben;
      const body = { lastName: 'Quill', isPrivate: index % 25 === 0 };
      made.push({ ...(await by.post('/v1/leads', body)).body.data, by });
    });
    const numberOf = ({ publicId }: Made) => Number(publicId.slice(2));
    made.sort((one, other) => numberOf(other) - numberOf(one));
    await each(count, async (index) => {
      const { id, by } = made[index] as Made;
      if (index % 29 === 0) await by.delete(`/v1/leads/${id}`);
      if (index % 29 === 1) await by.patch(`/v1/leads/${id}`, { isPrivate: index % 2 === 0 });
    });
    live = made
      .map((one, index) => (index % 29 === 1 ? { ...one, isPrivate: index % 2 === 0 } : one))
      .filter((_, index) => index % 29 !== 0);
  });

  const readAll = async (caller: Caller) => {
    const seen: string[] = [];
    let path: string | undefined = '/v1/leads?limit=100';
    const totals = new Set<number>();
    while (path) {
      const { headers, body } = await caller.get(path);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      totals.add(body.pagination.total);
      path = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    return { seen, totals: [...totals] };
  };

  test('is read to its end: every record the reader may see once, newest first, the total true', async () => {
    const visibleToBen = live.filter(({ isPrivate, by }) => !isPrivate || by === ben);
    for (const [caller, expected] of [
      [firm.owner, live],
      [ben, visibleToBen],
    ] as const) {
      const { seen, totals } = await readAll(caller);
      expect(seen).toEqual(expected.map(({ id }) => id));
      expect(totals).toEqual([expected.length]);
      expect(expected.length).toBeGreaterThan(blockSize);
    }
  });

  test.each([-2, -1, 0, 1, 2, 30])(
    'a page around a block’s edge is the right one: %d',
    async (by) => {
      const offset = blockSize + by;
      for (const caller of [firm.owner, ben]) {
        const all = caller === ben ? live.filter((one) => !one.isPrivate || one.by === ben) : live;
        const { data } = (await caller.get(`/v1/leads?limit=3&offset=${offset}`)).body;
        const expected = all.slice(offset, offset + 3);
        expect(data.map(({ id }: { id: string }) => id)).toEqual(expected.map(({ id }) => id));
      }
    },
  );
});
