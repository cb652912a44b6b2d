import { beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { auditOf, totalOf } from '../support/expectations.ts';
import { type Firm, makeFirm, startTestServer } from '../support/firm.ts';
import { exchange } from '../support/raw.ts';
import { requests, unfinished } from './corpus/requests.ts';

const server = await startTestServer();
let firm: Firm;
/** What the firm holds when a test begins: as the one before left it. */
let known: unknown[];
beforeAll(async () => {
  firm = await makeFirm(server);
  known = await state();
});

const { host, hostname, port } = new URL(server.url);
const bytesOf = ({ of }: Pick<(typeof requests)[number], 'of'>) =>
  // Latin 1, so that each character is one byte.
  Buffer.from(of(host, `Authorization: Bearer ${firm.owner.key}`), 'latin1');

const state = async () => [await totalOf(firm.owner.get('/v1/leads')), await auditOf(firm)];

/** The statuses of all answers on a connection; `closed` if there is none. */
const statusesIn = (text: string) => {
  const found = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  return found.length > 0 ? found : ['closed'];
};

describe('A request in broken HTTP is refused or hung up on, answered once, and changes nothing:', () => {
  test.each(requests.map((request) => [request.name, request] as const))(
    '%s',
    async (_, request) => {
      const text = await exchange(server.url, bytesOf(request)).catch(() => '');
      const statuses = statusesIn(text);
      expect(statuses).toHaveLength(1);
      expect(request.answers).toContain(statuses[0] as number);
      expect(text).not.toContain('Smuggled');
      const before = known;
      known = await state();
      expect(known).toEqual(before);
    },
  );
});

test.each(['leads.example:443', 'http://leads.example/v1/leads', '/v1/leads'])(
  'after CONNECT %s the connection is closed: nothing else would be answered on it',
  async (target) => {
    const text = await exchange(
      server.url,
      Buffer.from(`CONNECT ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
    );
    expect(text).toMatch(/^HTTP\/1.1 40[45] /);
    expect(text).toMatch(/\nconnection: close\r\n/i);
  },
);

test('requests that never end hold nobody up, and nothing comes of them', async () => {
  const before = await state();
  const sockets = await Promise.all(
    Array.from({ length: 200 }, (_, index) => unfinished[index % unfinished.length]).map(
      (request) =>
        new Promise<ReturnType<typeof connect>>((resolve, reject) => {
          const socket = connect(Number(port), hostname, () => {
            if (request) socket.write(bytesOf(request));
            resolve(socket);
          });
          socket.on('error', reject);
        }),
    ),
  );
  const started = performance.now();
  for (let count = 0; count < 20; count += 1) {
    expect((await firm.owner.get('/v1/leads')).status).toBe(200);
  }
  expect(performance.now() - started).toBeLessThan(25_000);
  for (const [index, socket] of sockets.entries()) {
    // Some say good bye, some just go.
    if (index % 2) socket.end();
    else socket.resetAndDestroy();
    socket.on('error', () => {});
  }
  await Bun.sleep(50);
  expect(await state()).toEqual(before);
});

const atOnce = (line: (index: number) => string) => {
  const heads = Array.from({ length: 100 }, (_, index) => {
    const last = index === 99 ? 'Connection: close\r\n' : '';
    return `GET ${line(index)}\r\n${last}\r\n`;
  });
  return exchange(server.url, Buffer.from(heads.join(''))).catch(() => '');
};

test('a hundred requests sent at once on one connection are answered one by one', async () => {
  const text = await atOnce(() => `/healthz HTTP/1.1\r\nHost: ${host}`);
  expect(statusesIn(text)).toEqual(Array(100).fill(200));
});

test('those that wait for the database may be hung up on; what is answered is in order', async () => {
  const key = `Authorization: Bearer ${firm.owner.key}`;
  const text = await atOnce((at) => `/v1/leads?offset=${at} HTTP/1.1\r\nHost: ${host}\r\n${key}`);
  const offsets = [...text.matchAll(/"offset":(\d+)/g)].map(([, offset]) => Number(offset));
  expect(offsets).toEqual(offsets.map((_, index) => index));
  expect((await firm.owner.get('/v1/leads')).status).toBe(200);
});
