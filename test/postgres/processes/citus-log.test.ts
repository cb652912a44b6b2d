/** Audit logs on a real cluster of Citus, if TEST_CITUS_URL names one (test/support/cluster.ts). */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { databaseOnCluster, dropOnCluster, nodes, onEach, within } from '../../support/cluster.ts';
import { connect } from '../../support/database.ts';
import {
  caller,
  owner,
  type Standing,
  startTestServer,
  usualBlueprint,
} from '../../support/firm.ts';
import { run, runJson } from '../../support/terminal.ts';

const name = `test_${Bun.randomUUIDv7().replaceAll('-', '').slice(8)}`;
const isThere = nodes.length > 2;
let coordinator = '';
if (isThere) {
  beforeAll(async () => {
    coordinator = await databaseOnCluster(name);
    expect((await run(coordinator, ['distribute', '--shards', '4'])).exitCode).toBe(0);
  });
  afterAll(() => dropOnCluster(name));
}

const apply = async (words: string[], blueprint: object) =>
  (
    await runJson<Standing>(
      coordinator,
      ['firm', 'apply', ...words, '-'],
      JSON.stringify(blueprint),
    )
  ).firm;

type Log = { entries: number; sealed: number; firstBad: unknown };

test.skipIf(!isThere)(
  'a firm without numbering of leads is sealed, has a head, and fits',
  async () => {
    await startTestServer({ databaseUrl: coordinator });
    const { numbering: _, ...blueprint } = usualBlueprint;
    const firm = await apply([], { ...blueprint, name: 'Bare firm' });
    for (let isSealed = false; !isSealed; await Bun.sleep(200)) {
      const { firms: logs } = await runJson<{ firms: Log[] }>(coordinator, [
        ...['audit', 'verify', '--firm', firm.id],
      ]);
      isSealed = logs.every(({ entries, sealed }) => entries > 0 && entries === sealed);
    }
    const { out } = await run(coordinator, ['audit', 'head', '--json']);
    expect(out).toContain(firm.id);
  },
);

test.skipIf(!isThere)(
  'an entry gets its number by an index, not by reading all entries of its firm',
  async () => {
    const server = await startTestServer({ databaseUrl: coordinator });
    const firm = await apply(['--another'], { ...usualBlueprint, name: 'Busy firm' });
    const { key } = await runJson<{ key: string }>(coordinator, [
      ...['key', 'create', '--firm', firm.id, '--member', owner, '--scope', 'leads:write'],
    ]);
    const { post } = caller(server.url, key);
    for (let at = 0; at < 40; at += 1)
      expect((await post('/v1/leads', { lastName: `Quill ${at}` })).status).toBe(201);
    const sql = connect(coordinator);
    const [place] = await sql<{ shard: string; port: number }[]>`
      select 'audit_entry_' || shardid as shard, nodeport as port
      from pg_dist_placement join pg_dist_node using (groupid)
      where shardid = get_shard_id_for_distribution_column('audit_entry', ${firm.id}::uuid)`;
    await sql.end();
    const node = nodes.find((one) => Number(new URL(one).port) === place?.port) ?? '';
    await onEach([within(node, name)], async (worker) => {
      const [{ source = '' } = {}] = await worker<{ source: string }[]>`
        select prosrc as source from pg_proc where proname = 'number_entry'`;
      // What the function asks, as it stands on the firm's node.
      const asked = /format\('([\s\S]*?)',\s+tg_relid/.exec(source)?.[1] ?? '';
      const text = asked
        .replaceAll("''", "'")
        .replace('%s', place?.shard ?? '')
        .replace('$1', `'${firm.id}'`);
      const plan = JSON.stringify(await worker.unsafe(`explain (analyze, costs off) ${text}`));
      expect(plan).toContain('Index');
      expect(plan).not.toContain('Sort');
    });
  },
);
