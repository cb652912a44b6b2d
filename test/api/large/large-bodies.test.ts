import { afterAll, beforeAll, expect, test } from 'bun:test';
import net from 'node:net';
import { connect, ownDatabase } from '../../support/database.ts';
import { comingAgain, type Firm, makeFirm, startTestServer } from '../../support/firm.ts';

const databaseUrl = await ownDatabase();
const server = await startTestServer({ databaseUrl });
const sql = connect(databaseUrl, { max: 2 });
afterAll(() => sql.end());

let firm: Firm;
let least: object;
beforeAll(async () => {
  firm = await makeFirm(server);
  least = { practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2026-02-03' };
  // The first matter of a firm makes its register, which a test holds.
  expect((await firm.owner.post('/v1/matters', least)).status).toBe(201);
});

const description = 'x'.repeat(2 * 1024 * 1024);
const createLarge = () => comingAgain(firm.owner).post('/v1/matters', { ...least, description });

const writesThatWait = async () => {
  const [row] = await sql`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`;
  return row?.count;
};

test('what large bodies hold is stored one by one, and others are not kept waiting for it', async () => {
  const release = Promise.withResolvers<void>();
  const held = sql.begin(async (holding) => {
    await holding`select from register where firm_id = ${firm.id} and kind = 'matter' for update`;
    await release.promise;
  });
  const creating = [createLarge(), createLarge(), createLarge()];
  while ((await writesThatWait()) === 0) await Bun.sleep(20);
  for (let look = 0; look < 10; look += 1) {
    await Bun.sleep(50);
    expect(await writesThatWait()).toBeLessThan(2);
    const lead = await comingAgain(firm.owner).post('/v1/leads', { lastName: 'Quill' });
    expect(lead.status).toBe(201);
  }
  release.resolve();
  await held;
  for (const { status, body } of await Promise.all(creating)) {
    expect(status).toBe(201);
    expect(body.data.description === description).toBe(true);
  }
});

test('a large body that breaks off leaves its turn to the next', async () => {
  const { hostname, port } = new URL(server.url);
  const head = [
    ...['POST /v1/matters HTTP/1.1', 'Host: a', 'Content-Type: application/json'],
    ...[`Authorization: Bearer ${firm.owner.key}`, 'Content-Length: 9000000'],
  ].join('\r\n');
  const breakOff = () =>
    new Promise<void>((resolve) => {
      const socket = net.connect(Number(port), hostname, () => {
        socket.write(`${head}\r\n\r\n{"description":"${'x'.repeat(500_000)}`);
        setTimeout(() => socket.destroy(), 200);
      });
      socket.on('close', () => resolve());
    });
  await Promise.all(Array.from({ length: 8 }, breakOff));
  expect((await createLarge()).status).toBe(201);
});

test('a small body that does not come to its end is cut with an answer', async () => {
  const { hostname, port } = new URL(server.url);
  const head = `POST /v1/leads HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nAuthorization: Bearer ${firm.owner.key}\r\n`;
  const said = await Promise.all(
    ['Content-Length: 500', 'Transfer-Encoding: chunked'].map(
      (length) =>
        new Promise<string>((resolve) => {
          let text = '';
          const socket = net.connect(Number(port), hostname, () =>
            socket.write(`${head}${length}\r\n\r\n`),
          );
          const drip = setInterval(
            () => socket.write(length.endsWith('0') ? 'x' : '1\r\nx\r\n'),
            500,
          );
          socket.on('data', (piece) => {
            text += piece;
          });
          socket.on('error', () => {});
          socket.on('close', () => {
            clearInterval(drip);
            resolve(text);
          });
        }),
    ),
  );
  for (const text of said) {
    expect(text).toMatch(/^HTTP\/1.1 400 /);
    expect(text).toMatch(/\nconnection: close\r\n/i);
  }
});
