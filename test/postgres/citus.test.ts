/**
 * A real cluster of Citus. TEST_CITUS_URL has the addresses of its nodes, the coordinator first, with
 * commas between them; databases are made and dropped there, so each names a superuser:
 * postgres://postgres@127.0.0.1:5601/postgres,postgres://postgres@127.0.0.1:5602/postgres
 */
import { afterAll, expect, test } from 'bun:test';
import type postgres from 'postgres';
import { readSettings } from '../../src/config.ts';
import { migrate } from '../../src/postgres/migrate.ts';
import { openSession } from '../../src/postgres/session.ts';
import { spread } from '../../src/postgres/spread/distribute.ts';
import { connect } from '../support/database.ts';
import { everyStatement } from './declared.ts';

const nodes = (process.env.TEST_CITUS_URL ?? '').split(',').filter(Boolean);
const name = `test_${Bun.randomUUIDv7().replaceAll('-', '').slice(8)}`;

const within = (address: string) => {
  const url = new URL(address);
  url.pathname = `/${name}`;
  return url.href;
};

const onEach = async (addresses: string[], work: (sql: postgres.Sql) => Promise<unknown>) => {
  for (const address of addresses) {
    const sql = connect(address);
    await work(sql);
    await sql.end();
  }
};

afterAll(() => onEach(nodes, (sql) => sql.unsafe(`drop database if exists ${name} with (force)`)));

/** An empty database on the cluster, migrated and spread. */
const spreadDatabase = async (): Promise<string> => {
  await onEach(nodes, (sql) => sql.unsafe(`create database ${name}`));
  await onEach(nodes.map(within), (sql) => sql.unsafe('create extension citus'));
  const [coordinator = '', ...workers] = nodes.map(within);
  await onEach([coordinator], async (sql) => {
    const { hostname, port } = new URL(coordinator);
    await sql`select citus_set_coordinator_host(${hostname}, ${Number(port)})`;
    for (const worker of workers.map((one) => new URL(one))) {
      await sql`select citus_add_node(${worker.hostname}, ${Number(worker.port)})`;
    }
  });
  const address = readSettings({ DATABASE_URL: coordinator }).database ?? '';
  await migrate(address);
  const session = await openSession(address);
  await session.transaction(() => spread(session, 4));
  await session.close();
  return coordinator;
};

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

/** Why Citus refuses a statement; undefined if it takes it, even if no row fits. */
const refusalOf = async (sql: postgres.Sql, text: string): Promise<string | undefined> => {
  await sql.unsafe('begin');
  try {
    await sql.unsafe(`prepare tried as ${text}`);
    const [prepared] = await sql.unsafe<{ types: string[] }[]>(
      `select parameter_types::text[] as types from pg_prepared_statements where name = 'tried'`,
    );
    const values = (prepared?.types ?? []).map((type) => `'${sampleOf(type)}'`);
    await sql.unsafe(`execute tried${values.length > 0 ? `(${values.join()})` : ''}`);
    return undefined;
  } catch (error) {
    const { code = '', message = '' } = error as Record<string, string>;
    // 22 and 23: the values fit no column or rule. The statement was sent to its node.
    return /^2[23]/.test(code) ? undefined : message;
  } finally {
    await sql.unsafe('rollback');
    await sql.unsafe('deallocate tried').catch(() => {});
  }
};

const title = 'a cluster of Citus takes every statement';

test.skipIf(nodes.length < 2)(
  nodes.length < 2 ? `${title} (skipped: TEST_CITUS_URL names no cluster)` : title,
  async () => {
    const sql = connect(await spreadDatabase());
    const found: { file: string; why: string }[] = [];
    // Postgres's own catalogue and the tables of a restore are not spread.
    const asked = (await everyStatement()).filter(({ file }) => !/^(postgres|backup)\//.test(file));
    expect(asked.length).toBeGreaterThan(350);
    for (const { file, spread, node } of asked) {
      for (const text of node === null ? [spread] : [spread, node]) {
        const why = await refusalOf(sql, text);
        if (why !== undefined) found.push({ file, why });
      }
    }
    await sql.end();
    expect(found).toEqual([]);
  },
  120_000,
);
