import { afterAll, beforeAll, expect, test } from 'bun:test';
import net from 'node:net';
import { connect, ownDatabase } from '../support/database.ts';
import { type Firm, makeFirm, startTestServer } from '../support/firm.ts';

const databaseUrl = await ownDatabase();
const server = await startTestServer({ databaseUrl });
const sql = connect(databaseUrl, { max: 2 });
afterAll(() => sql.end());

let firm: Firm;
let least: object;
beforeAll(async () => {
  firm = await makeFirm(server);
  least = { practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2026-02-03' };
});

const description = 'x'.repeat(2 * 1024 * 1024);
const createLarge = () => firm.owner.post('/v1/matters', { ...least, description });

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
    expect(await writesThatWait()).toBe(1);
    expect((await firm.owner.post('/v1/leads', { lastName: 'Quill' })).status).toBe(201);
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
