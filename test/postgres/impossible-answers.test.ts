import { afterAll, beforeAll, expect, test } from 'bun:test';
import net from 'node:net';
import { readSettings } from '../../src/config.ts';
import { atEnd } from '../support/at-end.ts';
import { connect, ownDatabase } from '../support/database.ts';
import { caller, type Firm, makeFirm, startTestServer } from '../support/firm.ts';

const databaseUrl = await ownDatabase();
const sql = connect(databaseUrl);
afterAll(() => sql.end());
const setUp = await startTestServer({ databaseUrl });
let firm: Firm;
let neighbour: Firm;
beforeAll(async () => {
  firm = await makeFirm(setUp);
  neighbour = await makeFirm(setUp);
  await firm.owner.post('/v1/contacts', { firstName: 'Ada', lastName: 'Quill' });
});

const fillMatters = async () => {
  const practiceAreaId = neighbour.practiceAreas.Family?.id;
  const { body } = await neighbour.owner.post('/v1/contacts', { lastName: 'Rook' });
  for (let count = 0; count < 6; count += 1) {
    const matter = { practiceAreaId, openDate: '2026-02-03', clientContactIds: [body.data.id] };
    expect((await neighbour.owner.post('/v1/matters', matter)).status).toBe(201);
  }
};

test("a statement that fails after its first rows leaves others' answers as they are", async () => {
  await fillMatters();
  // The fourth row of the neighbour's list fails as one that takes too long.
  await sql.unsafe(`
    create function given_up(matter uuid) returns boolean language plpgsql as $$ begin
      if matter = (select id from matter where firm_id = '${neighbour.id}'
        order by ordinal desc offset 3 limit 1)
      then raise query_canceled; end if;
      return true;
    end $$;
    alter table matter_client rename to matter_client_stored;
    create view matter_client as select * from matter_client_stored where given_up(matter_id)`);
  const { url } = await startTestServer({
    databaseUrl,
    environment: { DATABASE_CONNECTIONS: '2' },
  });
  const good = caller(url, firm.owner.key);
  const slow = caller(url, neighbour.owner.key);
  for (let round = 0; round < 10; round += 1) {
    const lists = Array.from({ length: 4 }, () => slow.get('/v1/matters'));
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        await Bun.sleep(index);
        return good.get('/v1/contacts');
      }),
    );
    expect((await Promise.all(lists)).map(({ status }) => status)).toEqual(Array(4).fill(503));
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body.data).toEqual([expect.objectContaining({ lastName: 'Quill' })]);
      expect(body.pagination.total).toBe(1);
    }
  }
});

/** A network on which rows are lost, while `losing` says so; whatever else Postgres says arrives. */
const losingRows = async () => {
  const network = { url: '', losing: false };
  const address = readSettings({ DATABASE_URL: databaseUrl }).database;
  const target = typeof address === 'object' ? { path: address.path } : portOf(address ?? '');
  const listener = net.createServer((client) => {
    const server = net.connect(target);
    let held: Buffer = Buffer.alloc(0);
    server.on('data', (piece: Buffer) => {
      held = Buffer.concat([held, piece]);
      while (held.length > 4 && held.length > held.readUInt32BE(1)) {
        const length = held.readUInt32BE(1) + 1;
        const isRow = held[0] === 'D'.charCodeAt(0);
        if (!(network.losing && isRow)) client.write(held.subarray(0, length));
        held = held.subarray(length);
      }
    });
    client.on('data', (piece) => server.write(piece));
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => {});
      one.on('close', () => other.destroy());
    }
    atEnd(() => client.destroy());
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  atEnd(() => listener.close());
  const { username, password, pathname } = new URL(databaseUrl);
  const { port } = listener.address() as net.AddressInfo;
  network.url = `postgres://${username}:${password}@127.0.0.1:${port}${pathname}`;
  return network;
};

const portOf = (url: string) => {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port || 5432) };
};

test('a good key whose row is lost on its way is no wrong key: 503, and 200 soon after', async () => {
  const network = await losingRows();
  const { url } = await startTestServer({ databaseUrl: network.url });
  const good = caller(url, firm.owner.key);
  expect((await good.get('/v1/contacts')).status).toBe(200);
  network.losing = true;
  const refused = await good.get('/v1/contacts');
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).not.toBeNull();
  network.losing = false;
  expect((await good.get('/v1/contacts')).status).toBe(200);
});

test('a key is not refused as wrong where its answer lacks a field or comes twice', async () => {
  const { url } = await startTestServer({ databaseUrl });
  const wrong = await makeFirm({ url, databaseUrl });
  const key = await wrong.callerOf('ben@harrow.example');
  await sql`alter table role alter permissions drop not null`;
  await sql`update role set permissions = null where firm_id = ${wrong.id} and name = 'Attorney'`;
  expect((await key.get('/v1/contacts')).status).toBe(503);
  expect((await wrong.owner.get('/v1/contacts')).status).toBe(200);
  expect((await caller(url, '').get('/v1/contacts')).status).toBe(401);
});
