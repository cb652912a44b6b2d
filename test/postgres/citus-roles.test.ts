/** Two roles on a cluster, neither of them a superuser, if TEST_CITUS_URL names one (test/support/cluster.ts). */
import { afterAll, expect, test } from 'bun:test';
import { databaseOnCluster, dropOnCluster, nodes, onEach, within } from '../support/cluster.ts';
import { usualBlueprint } from '../support/firm.ts';
import { run } from '../support/terminal.ts';

const name = `test_${Bun.randomUUIDv7().replaceAll('-', '').slice(8)}`;
const roles = [`${name}_owner`, `${name}_requests`] as const;
const isThere = nodes.length > 2;
if (isThere) {
  afterAll(async () => {
    await dropOnCluster(name);
    await onEach(nodes, (sql) => sql.unsafe(`drop role ${roles.join()}`));
  });
}

test.skipIf(!isThere)(
  'an owner that is no superuser spreads the database, and the numbers of its log continue',
  async () => {
    const coordinator = await databaseOnCluster(name);
    const onNodes = nodes.map((node) => within(node, name));
    const [owner, requests] = roles.map((role) => {
      const url = new URL(coordinator);
      url.username = role;
      url.password = 'of the test';
      return url.href;
    });
    await onEach(onNodes, (sql) =>
      sql.unsafe(`set citus.enable_ddl_propagation = off;
      create role ${roles[0]} login password 'of the test';
      create role ${roles[1]} login password 'of the test';
      alter database ${name} owner to ${roles[0]}`),
    );
    const environment = { DATABASE_URL: requests ?? '', DATABASE_OWNER_URL: owner ?? '' };
    const succeeds = async (words: string[], input = '') => {
      const { exitCode, err, out } = await run(coordinator, words, input, environment);
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
      return out;
    };
    await succeeds(['distribute', '--shards', '2']);
    await succeeds(['firm', 'apply', '-'], JSON.stringify({ ...usualBlueprint, name: 'Harrow' }));
    // As after a move to a node that counts fewer transactions.
    await onEach([owner ?? ''], (sql) =>
      sql.unsafe(`create or replace function transaction_offset() returns bigint
      language sql stable return -100000000::bigint`),
    );
    expect(await succeeds(['audit', 'verify'])).toContain('fit');
    // What they may do in between, to lock and to empty, they may not do afterwards.
    await onEach([owner ?? ''], async (sql) => {
      const may = await sql`
      select relname from pg_class where relname in ('audit_entry', 'audit_seal', 'audit_signature')
        and has_table_privilege(oid, 'update, delete, truncate')`;
      expect(may).toHaveLength(0);
      const [offset] = await sql`select transaction_offset() > -100000000 as "hasGrown"`;
      expect(offset?.hasGrown).toBeTrue();
    });
  },
);
