/**
 * Servers are stopped and started again, under clients that try again if they cannot connect.
 * RESTARTS sets how often, EXECUTABLE uses an executable instead of the source tree.
 */
import { expect, test } from 'bun:test';
import { connect, ownDatabase } from '../../support/database.ts';
import { makeFirm } from '../../support/firm.ts';
import { freePort, type Instance, startInstance } from '../../support/instances.ts';
import { keepAliveClient } from '../../support/keep-alive.ts';

const restarts = Number(process.env.RESTARTS ?? 3);
const executable = process.env.EXECUTABLE;

/**
 * Clients that create leads and read them, and repeat a request only if nothing of an answer came.
 */
const startClients = (ports: number[], key: string, count: number) => {
  const acknowledged = new Map<string, string>();
  const broken: string[] = [];
  const figures = { requests: 0, refused: 0, unanswered: 0, cut: 0, toldToWait: 0 };
  let isFinishing = false;

  const run = async (index: number) => {
    const client = keepAliveClient(ports);
    const insist = async (method: string, path: string, more: object = {}, body?: string) => {
      const headers = { authorization: `Bearer ${key}`, ...more };
      for (let attempt = 0; attempt < 2_000; attempt += 1) {
        figures.requests += 1;
        const outcome = await client.send(method, path, headers, body);
        if (!('failure' in outcome)) {
          if (outcome.status !== 503 || !outcome.headers['retry-after']) return outcome;
          figures.toldToWait += 1;
        } else {
          figures[outcome.failure] += 1;
          if (outcome.failure === 'cut') break;
        }
        await Bun.sleep(5);
      }
      return undefined;
    };
    // Some hurry, some think between two requests; now and then one comes by a new connection.
    const restMilliseconds = index % 4 === 0 ? 400 : 0;
    while (!isFinishing) {
      const idempotencyKey = Bun.randomUUIDv7();
      const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey };
      const lead = JSON.stringify({ lastName: `Prospect ${idempotencyKey}` });
      const made = await insist('POST', '/v1/leads', headers, lead);
      if (made?.status !== 201) {
        broken.push(made ? `${made.status} ${made.text}` : 'the answer to a create was lost');
        continue;
      }
      const { id } = JSON.parse(made.text).data;
      acknowledged.set(idempotencyKey, id);
      const read = await insist('GET', `/v1/leads/${id}`);
      if (read?.status !== 200) broken.push(read ? `${read.status} to a read` : 'a read was lost');
      if (Math.random() < 0.05) client.close();
      await Bun.sleep(Math.random() * restMilliseconds);
    }
    client.close();
  };
  const running = Promise.all(Array.from({ length: count }, (_, index) => run(index)));
  return {
    acknowledged,
    broken,
    figures,
    async finish() {
      isFinishing = true;
      await running;
    },
  };
};

test(
  `a server told to stop under load, ${restarts} times in turn with another one, loses no request it accepted, and does none twice`,
  async () => {
    const databaseUrl = await ownDatabase();
    const ports = [await freePort(), await freePort()];
    const start = (port = 0) => startInstance(databaseUrl, { port, executable });
    const instances: Instance[] = [];
    for (const port of ports) instances.push(await start(port));
    const firm = await makeFirm({ url: instances[0]?.url ?? '', databaseUrl });
    const clients = startClients(ports, firm.owner.key, 8);
    const { figures, acknowledged } = clients;
    const stops: Awaited<ReturnType<Instance['stop']>>[] = [];
    for (let round = 0; round < restarts; round += 1) {
      const index = round % 2;
      const before = acknowledged.size;
      stops.push(await (instances[index] as Instance).stop());
      instances[index] = await start(ports[index]);
      while (acknowledged.size < before + 20) await Bun.sleep(5);
    }
    await clients.finish();
    const longestStop = Math.max(...stops.map(({ milliseconds }) => milliseconds));
    if (process.env.RESTARTS)
      console.log({ restarts, ...figures, created: acknowledged.size, longestStop });
    expect(stops.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
    expect(longestStop).toBeLessThan(25_000);
    expect(figures.cut).toBe(0);
    // A connection that is used while the server drains is let go in order. What is left is a new
    // one that comes at the very moment when the port closes.
    if (process.env.DRAIN_SECONDS !== '0')
      expect(figures.unanswered).toBeLessThanOrEqual(restarts / 2);
    expect(clients.broken).toEqual([]);
    expect(await storedOf(databaseUrl, firm.id)).toEqual({
      ids: [...acknowledged.values()].sort(),
      numbers: Array.from({ length: acknowledged.size }, (_, index) => index + 1),
      withoutItsOneEntry: [],
    });
  },
  180_000 + restarts * 15_000,
);

/** The firm's leads as they are stored, and those that were not recorded as created exactly once. */
const storedOf = async (databaseUrl: string, firmId: string) => {
  const sql = connect(databaseUrl);
  const leads = await sql`select id, number from lead where firm_id = ${firmId} order by ordinal`;
  const entries = await sql`select record_id, count(*)::int as count from audit_entry
    where firm_id = ${firmId} and record_kind = 'lead' and action = 'create' group by record_id`;
  await sql.end();
  const counts = new Map(entries.map((entry) => [entry.record_id, entry.count]));
  return {
    ids: leads.map(({ id }) => id).sort(),
    numbers: leads.map(({ number }) => Number(number.slice(2))),
    withoutItsOneEntry: leads.filter(({ id }) => counts.get(id) !== 1),
  };
};
