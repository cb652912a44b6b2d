/** Migrations of a spread database, if TEST_CITUS_URL names a cluster (test/support/cluster.ts). */
import { afterAll, expect, test } from 'bun:test';
import { spread } from '../../src/postgres/citus/distribute.ts';
import { applyMigrations, knownMigrations } from '../../src/postgres/migrate.ts';
import { openSession } from '../../src/postgres/session.ts';
import { databaseOnCluster, dropOnCluster, nodes } from '../support/cluster.ts';
import { connect } from '../support/database.ts';
import { usualBlueprint } from '../support/firm.ts';
import { run, runJson } from '../support/terminal.ts';

const name = `test_${Bun.randomUUIDv7().replaceAll('-', '').slice(8)}`;
const isThere = nodes.length > 2;
if (isThere) afterAll(() => dropOnCluster(name));

/** Since then, tables were added, and others changed. */
const earlier = 20;

test.skipIf(!isThere)(
  'a database that an earlier release spread is upgraded, and new tables are spread',
  async () => {
    const coordinator = await databaseOnCluster(name);
    const session = await openSession(coordinator);
    const known = await knownMigrations();
    const spreadOut = await session.transaction(async () => {
      await applyMigrations(session, known[earlier]);
      return spread(session, 2);
    });
    await session.close();

    const { firm } = await runJson<{ firm: { id: string } }>(
      coordinator,
      ['firm', 'apply', '-'],
      JSON.stringify({ ...usualBlueprint, name: 'Harrow' }),
    );
    const sql = connect(coordinator);
    const [tables] = await sql`
      select count(*)::int as all, count(logicalrelid)::int as spread
      from pg_class left join pg_dist_partition on logicalrelid = pg_class.oid
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
        and not exists (select from pg_depend where classid = 'pg_class'::regclass
          and objid = pg_class.oid and deptype = 'e')`;
    await sql.end();
    expect(tables?.spread).toBe(tables?.all);
    expect(tables?.all).toBeGreaterThan(spreadOut.tables);
    const { out } = await run(coordinator, ['audit', 'verify', '--firm', firm.id]);
    expect(out).toContain('fit');
    expect(await run(coordinator, ['distribute'])).toMatchObject({
      err: 'This database is spread already.\n',
    });
  },
);
