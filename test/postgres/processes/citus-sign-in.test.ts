/** Signing in on a real cluster of Citus, if TEST_CITUS_URL names one (test/support/cluster.ts). */
import { afterAll, expect, test } from 'bun:test';
import { databaseOnCluster, dropOnCluster, nodes } from '../../support/cluster.ts';
import { type JarBrowser, openBrowser } from '../../support/cookie-jar.ts';
import { connect } from '../../support/database.ts';
import { type Standing, startTestServer, usualBlueprint } from '../../support/firm.ts';
import { run, runJson } from '../../support/terminal.ts';

const name = `test_${Bun.randomUUIDv7().replaceAll('-', '').slice(8)}`;
const isThere = nodes.length > 2;
if (isThere) afterAll(() => dropOnCluster(name));

const password = 'wet-stones-by-the-river';

test.skipIf(!isThere)(
  'while a node is away, members of firms on the others sign in, also with a cookie that nobody knows any more',
  async () => {
    const coordinator = await databaseOnCluster(name);
    expect((await run(coordinator, ['distribute', '--shards', '4'])).exitCode).toBe(0);
    const sql = connect(coordinator);
    const server = await startTestServer({ databaseUrl: coordinator });
    const url = server.url.replace('127.0.0.1', 'localhost');

    /** The owner of a new firm, who has chosen a password, and the node of the firm. */
    const newOwner = async (number: number) => {
      const blueprint = JSON.stringify({ ...usualBlueprint, name: `Firm ${number}` });
      const { firm } = await runJson<Standing>(
        coordinator,
        ['firm', 'apply', '-', ...(number > 1 ? ['--another'] : [])],
        blueprint,
      );
      const email = `ada.${number}@harrow.example`;
      const of = ['--firm', firm.id];
      await run(coordinator, [
        ...['member', 'add', '--email', email, '--name', 'Ada Roe', '--role', 'Owner'],
        ...of,
      ]);
      const invite = ['member', 'invite', '--member', email, ...of];
      const { link } = await runJson<{ link: string }>(coordinator, invite);
      const sent = await openBrowser(url).send(new URL(link).pathname, { password });
      expect(sent.status).toBe(303);
      const [placed] = await sql<{ node: number }[]>`
        select groupid as node from pg_dist_placement
        where shardid = get_shard_id_for_distribution_column('member', ${firm.id}::uuid)`;
      return { email, node: placed?.node ?? 0 };
    };
    const away = await newOwner(1);
    let here = await newOwner(2);
    for (let number = 3; here.node === away.node; number += 1) here = await newOwner(number);

    const signIn = async (browser: JarBrowser, { email }: { email: string }) =>
      (await browser.send('/sign-in', { email, password, to: '/inbox' })).status;
    const stale = openBrowser(url);
    stale.jar.set('device', 'A'.repeat(43));
    const [was] = await sql<{ id: number; host: string; port: number }[]>`
      select nodeid as id, nodename as host, nodeport as port from pg_dist_node
      where groupid = ${away.node}`;
    const { id, host, port } = was as { id: number; host: string; port: number };
    // Nobody listens on port 9.
    await sql`select citus_update_node(${id}, '127.0.0.1', 9)`;
    try {
      expect(await signIn(openBrowser(url), away)).toBe(503);
      expect(await signIn(openBrowser(url), here)).toBe(303);
      expect(await signIn(stale, here)).toBe(303);
      expect((await stale.get('/inbox')).status).toBe(200);
    } finally {
      await sql`select citus_update_node(${id}, ${host}, ${port})`;
      await sql.end();
    }
  },
);
