/** A real cluster of Citus, if TEST_CITUS_URL names one (test/support/cluster.ts). */
import { afterAll, expect, test } from 'bun:test';
import { databaseOnCluster, dropOnCluster, nodes, onEach, within } from '../../support/cluster.ts';
import { connect } from '../../support/database.ts';
import {
  type Caller,
  caller,
  comingAgain,
  owner,
  type Standing,
  startTestServer,
  usualBlueprint,
} from '../../support/firm.ts';
import { freePort } from '../../support/instances.ts';
import { run, runJson } from '../../support/terminal.ts';
import { everyStatement } from '../declared.ts';

const name = `test_${Bun.randomUUIDv7().replaceAll('-', '').slice(8)}`;
afterAll(() => dropOnCluster(name));

/** A value for a parameter of this type. Which one does not matter: no row has it. */
const sampleOf = (type: string): string => {
  const id = '01890000-0000-7000-8000-000000000001';
  if (type.endsWith('[]')) return type === 'uuid[]' ? `{${id}}` : '{1}';
  if (/^(timestamp|date)/.test(type)) return '2026-01-01';
  const values: Record<string, string> = {
    uuid: id,
    boolean: 'true',
    json: '{}',
    jsonb: '{}',
    bytea: '\\x00',
    interval: '1 day',
    'time without time zone': '10:00',
  };
  return values[type] ?? '1';
};

const throughCoordinator = 'pull to coordinator';

/** Why Citus refuses a statement, if it does, even if no row fits; and how it would execute it. */
const triedOut = async (text: string): Promise<{ why?: string; plan: string }> => {
  let plan = '';
  await sql.unsafe('begin');
  try {
    await sql.unsafe(`prepare tried as ${text}`);
    const [prepared] = await sql.unsafe<{ types: string[] }[]>(
      `select parameter_types::text[] as types from pg_prepared_statements where name = 'tried'`,
    );
    const values = (prepared?.types ?? []).map((type) => `'${sampleOf(type)}'`);
    const execute = `execute tried${values.length > 0 ? `(${values.join()})` : ''}`;
    if (/^\s*insert/.test(text)) {
      await sql.unsafe('savepoint explained');
      // Citus cannot explain some inserts whose rows pass the coordinator.
      plan = await sql
        .unsafe(`explain ${execute}`)
        .then(JSON.stringify, ({ message }) =>
          message === 'could not create distributed plan' ? throughCoordinator : '',
        );
      await sql.unsafe('rollback to explained');
    }
    await sql.unsafe(execute);
    return { plan };
  } catch (error) {
    const { code = '', message = '' } = error as Record<string, string>;
    // 22 and 23: the values fit no column or rule. The statement was sent to its node.
    return /^2[23]/.test(code) ? { plan } : { why: message, plan };
  } finally {
    await sql.unsafe('rollback');
    await sql.unsafe('deallocate tried').catch(() => {});
  }
};

const isThere = nodes.length > 2;
const onCluster = (title: string, work: () => Promise<void>) =>
  test.skipIf(!isThere)(
    isThere ? title : `${title} (skipped: TEST_CITUS_URL names no cluster)`,
    work,
  );

const coordinator = isThere ? await databaseOnCluster(name) : '';
const sql = connect(coordinator || 'postgres://nobody@127.0.0.1:9/none');
afterAll(() => sql.end());

type Firm = { id: string; node: number; port: number; calls: Caller };
const shared: Firm[] = [];
let made = 0;

/** Makes firms until two are on different nodes. They are those of other tests, if not `firms` are given. */
const firmsOnTwoNodes = async (url: string, firms = shared): Promise<[Firm, Firm]> => {
  for (;;) {
    const [one] = firms;
    const other = firms.find(({ node }) => node !== one?.node);
    if (one && other) return [one, other];
    const blueprint = JSON.stringify({ ...usualBlueprint, name: `Firm ${made}` });
    const words = ['firm', 'apply', ...(made > 0 ? ['--another'] : []), '-'];
    const { firm } = await runJson<Standing>(coordinator, words, blueprint);
    made += 1;
    const { key } = await runJson<{ key: string }>(coordinator, [
      ...['key', 'create', '--firm', firm.id, '--member', owner],
      ...['--scope', 'leads:read', 'leads:write', 'contacts:read'],
    ]);
    const [placed] = await sql<{ node: number; port: number }[]>`
      select groupid as node, nodeport as port from pg_dist_placement join pg_dist_node using (groupid)
      where shardid = get_shard_id_for_distribution_column('lead', ${firm.id}::uuid)`;
    const { node, port } = placed as { node: number; port: number };
    firms.push({ id: firm.id, node, port, calls: caller(url, key) });
  }
};

onCluster('`distribute` spreads a database once, and no second time', async () => {
  const { exitCode, err } = await run(coordinator, ['distribute', '--shards', '4']);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
  const again = await run(coordinator, ['distribute']);
  expect(again).toEqual({ exitCode: 1, out: '', err: 'This database is spread already.\n' });
});

/** Where notifications get their numbers, and the rows of several firms or of no table. */
const twoPhased = [
  'audit/seal.ts',
  'calendar/guests.ts',
  'leads/announce.ts',
  'leads/jobs.ts',
  'limitation/jobs.ts',
  'limitation/notice.ts',
  'matters/jobs.ts',
  'notifications/warned.ts',
  'tasks/task.ts',
];

onCluster(
  'a cluster of Citus takes every statement, and few of them pass the coordinator',
  async () => {
    const found: { file: string; why: string }[] = [];
    const passing = new Set<string>();
    // Postgres's own catalogue and the tables of a restore are not spread.
    const asked = (await everyStatement()).filter(({ file }) => !/^(postgres|backup)\//.test(file));
    expect(asked.length).toBeGreaterThan(350);
    for (const { file, spread, node } of asked) {
      for (const text of node === null ? [spread] : [spread, node]) {
        const { why, plan } = await triedOut(text);
        if (why !== undefined) found.push({ file, why });
        // Its rows pass the coordinator, and the write is committed in two phases.
        if (plan.includes(throughCoordinator)) passing.add(file.replace(/:.*/, ''));
      }
    }
    expect(found).toEqual([]);
    expect([...passing].sort()).toEqual(twoPhased);
  },
);

onCluster(
  'firms are served, and their audit logs fit, although two servers write at once',
  async () => {
    const [server, second] = [
      await startTestServer({ databaseUrl: coordinator }),
      await startTestServer({ databaseUrl: coordinator }),
    ];
    for (const { calls } of await firmsOnTwoNodes(server.url)) {
      const others = caller(second.url, calls.key);
      const made = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          (at % 2 ? calls : others).post('/v1/leads', {
            firstName: 'Zoe',
            lastName: `Quill ${at}`,
          }),
        ),
      );
      expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
      const { body: listed } = await calls.get('/v1/leads?limit=5');
      expect(listed.pagination.total).toBe(20);
      expect(listed.data).toHaveLength(5);
      const { body: found } = await others.get('/v1/search?q=quill+17');
      expect(found.data.map((one: { title: string }) => one.title)).toContain('Zoe Quill 17');
    }
    type Log = { entries: number; sealed: number; firstBad: unknown };
    for (let unsealed = 1; unsealed > 0; await Bun.sleep(200)) {
      const { firms: logs } = await runJson<{ firms: Log[] }>(coordinator, ['audit', 'verify']);
      expect(logs.map(({ firstBad }) => firstBad)).toEqual(logs.map(() => null));
      unsealed = logs.reduce((sum, { entries, sealed }) => sum + entries - sealed, 0);
    }
  },
);

onCluster('a write waits for a firm that moves, and comes again', async () => {
  const server = await startTestServer({ databaseUrl: coordinator });
  const [one] = await firmsOnTwoNodes(server.url);
  const calls = caller(server.url, one.calls.key);
  const create = () =>
    calls.post('/v1/leads', { firstName: 'Di' }, { 'Idempotency-Key': 'the move' });
  await sql.unsafe('begin');
  await sql`
    select citus_move_shard_placement(shardid, here.nodename, here.nodeport,
      other.nodename, other.nodeport, 'block_writes')
    from pg_dist_placement join pg_dist_node here using (groupid)
    join pg_dist_node other on other.groupid not in (0, here.groupid)
    where shardid = get_shard_id_for_distribution_column('lead', ${one.id}::uuid)`;
  const { status, headers } = await create().finally(() => sql.unsafe('rollback'));
  expect({ status, retry: headers.get('retry-after') }).toEqual({ status: 503, retry: '2' });
  expect((await create()).status).toBe(201);
});

/** Does the work while the coordinator cannot reach the node of this firm. */
const whileAway = async ({ node }: Firm, work: () => Promise<unknown>) => {
  const [found] = await sql<{ id: number; name: string; port: number }[]>`
    select nodeid as id, nodename as name, nodeport as port from pg_dist_node
    where groupid = ${node}`;
  const { id, name, port } = found as { id: number; name: string; port: number };
  // Nobody listens on port 9.
  await sql`select citus_update_node(${id}, '127.0.0.1', 9)`;
  try {
    await work();
  } finally {
    await sql`select citus_update_node(${id}, ${name}, ${port})`;
  }
};

const nodeIsAway =
  /^problem +The database's node 127\.0\.0\.1:9 is away: .+\n +Start its Postgres.+\n$/;

onCluster('a firm whose node is away waits, and the others go on', async () => {
  const metrics = `127.0.0.1:${await freePort()}`;
  const environment = { METRICS_ADDRESS: metrics };
  const server = await startTestServer({ databaseUrl: coordinator, environment });
  const [here, away] = await firmsOnTwoNodes(server.url);
  const at = (calls: Caller) => caller(server.url, calls.key);
  await whileAway(away, async () => {
    expect((await at(away.calls).get('/v1/leads')).status).toBe(503);
    expect((await at(here.calls).get('/v1/leads')).status).toBe(200);
    const lead = { firstName: 'Cy', lastName: 'Moss' };
    expect((await at(here.calls).post('/v1/leads', lead)).status).toBe(201);
    expect((await at(away.calls).post('/v1/leads', lead)).status).toBe(503);
    const { exitCode, out } = await run(coordinator, ['doctor']);
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: expect.stringMatching(nodeIsAway) });
    const figures = await (await fetch(`http://${metrics}/metrics`)).text();
    expect(figures).toContain('matterhorn_database_up 1\n');
    expect(figures).toMatch(/^matterhorn_jobs_due \d+$/m);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });
  expect((await comingAgain(at(away.calls)).get('/v1/leads')).status).toBe(200);
});

/** Has all jobs of a firm be due now, on its own node, which the coordinator may not reach. */
const makeDue = async (firm: Firm) => {
  const address = nodes.find((one) => Number(new URL(one).port) === firm.port) ?? '';
  await onEach(
    [within(address, name)],
    (node) => node`update job set run_at = now() where firm_id = ${firm.id}`,
  );
};

/** Waits until the owner of this firm was told of this lead, and all of its audit log is sealed. */
const toldAndSealed = async ({ id }: Firm, lastName: string) => {
  for (let isDone = false; !isDone; await Bun.sleep(200)) {
    const ofFirm = ['--firm', id];
    const inbox = await runJson<{ text: string }[]>(coordinator, [
      ...['inbox', '--member', owner],
      ...ofFirm,
    ]);
    const { firms: logs } = await runJson<{
      firms: { entries: number; sealed: number; firstBad: unknown }[];
    }>(coordinator, ['audit', 'verify', ...ofFirm]);
    expect(logs.map(({ firstBad }) => firstBad)).toEqual([null]);
    const isSealed = logs.every(({ entries, sealed }) => entries === sealed);
    isDone = isSealed && inbox.some(({ text }) => text.includes(lastName));
  }
};

onCluster(
  'jobs of other firms are done while a node is away, and those of its firms after it',
  async () => {
    const server = await startTestServer({ databaseUrl: coordinator });
    const [one, other] = await firmsOnTwoNodes(server.url, []);
    // One of both nodes would have the server's own jobs, if the coordinator had not.
    for (const [away, here] of [
      [one, other],
      [other, one],
    ] as const) {
      const lastName = `Of ${away.node}`;
      const create = ({ calls }: Firm) =>
        comingAgain(caller(server.url, calls.key)).post('/v1/leads', {
          firstName: 'Ann',
          lastName,
        });
      expect((await create(away)).status).toBe(201);
      await whileAway(away, async () => {
        await makeDue(away);
        expect((await create(here)).status).toBe(201);
        await makeDue(here);
        await toldAndSealed(here, lastName);
      });
      await toldAndSealed(away, lastName);
    }
  },
);
