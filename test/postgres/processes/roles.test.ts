/** Requests run as a role that owns nothing: what an attacker could do who gets a statement through. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { readSettings } from '../../../src/config.ts';
import { startEmbedded } from '../../../src/postgres/embedded/embedded.ts';
import { migrate } from '../../../src/postgres/migrate.ts';
import { connect, emptyDatabase, ownDatabase } from '../../support/database.ts';
import { makeFirm, startTestServer } from '../../support/firm.ts';
import { startInstance } from '../../support/instances.ts';
import { environmentOf, requestsOf } from '../../support/roles.ts';
import { expectSentence, run, runJson } from '../../support/terminal.ts';

/** Postgres 15 names who may; later ones say that permission is denied. */
const refused = /permission denied|only roles|must be (superuser|owner|member|able)|must have/i;

/** Statements that no request needs, and what Postgres says to each. */
const forbidden: [string, RegExp][] = [
  [`copy firm from program 'touch /tmp/matterhorn-was-here'`, refused],
  [`copy firm to program 'cat'`, refused],
  [`copy firm to '/tmp/matterhorn-was-here'`, refused],
  [`copy firm from '/etc/passwd'`, refused],
  [`select pg_read_file('/etc/passwd')`, refused],
  [`select pg_read_binary_file('postgresql.conf')`, refused],
  [`select pg_ls_dir('.')`, refused],
  [`select lo_import('/etc/passwd')`, refused],
  [`create extension file_fdw`, /permission denied|not available|extension/],
  [`create table mine (a int)`, refused],
  [`create function mine() returns int language sql return 1`, refused],
  [`alter table audit_entry disable trigger all`, /must be owner/],
  [`alter table firm add column mine text`, /must be owner/],
  [`drop trigger audit_entry_append_only on audit_entry`, /must be owner/],
  [
    `create trigger mine before insert on firm for each row execute function refuse_change()`,
    refused,
  ],
  [`drop table firm`, /must be owner/],
  [`truncate firm`, refused],
  [`delete from audit_entry`, refused],
  [`update audit_entry set action = 'read'`, refused],
  [`truncate audit_entry`, refused],
  [`delete from audit_seal`, refused],
  [`update audit_seal set hash = ''`, refused],
  [`update drizzle.__drizzle_migrations set created_at = 0`, refused],
  [
    `create or replace function transaction_offset() returns bigint language sql return 0`,
    /permission denied|must be owner/,
  ],
  [`alter role current_user superuser`, refused],
  [`create role mine`, refused],
  [`create database mine`, refused],
  [`alter system set fsync = off`, refused],
  [`set session_replication_role = replica`, refused],
  [`set role matterhorn_owner`, /permission denied|does not exist/],
];

const expectHeldBack = async (sql: postgres.Sql) => {
  // Postgres only warns that this gave nothing: what follows shows it.
  await sql.unsafe('grant all on audit_entry, audit_seal, firm to current_user').catch(() => {});
  for (const [statement, reason] of forbidden) {
    const outcome = await sql.unsafe(statement).then(
      () => 'done',
      (error) => String(error.message),
    );
    expect([statement, outcome]).toEqual([statement, expect.stringMatching(reason)]);
  }
};

describe('The role that serves requests', () => {
  test('on a database of DATABASE_URL reaches no file, no program, no trigger and no right', async () => {
    const server = await startTestServer();
    const firm = await makeFirm(server);
    const sql = connect(requestsOf(server.databaseUrl));
    afterAll(() => sql.end());
    const [{ before } = { before: 0 }] = await sql`select count(*)::int as before from audit_entry
      where firm_id = ${firm.id}`;
    expect(before).toBeGreaterThan(0);
    await expectHeldBack(sql);
    const [after] = await sql`select count(*)::int as before from audit_entry
      where firm_id = ${firm.id}`;
    expect(after?.before).toBe(before);
  });

  test('on the embedded database neither, and cannot make temporary tables or become another', async () => {
    const { sql, stop } = await embeddedServer();
    const as = await sql('matterhorn_requests');
    await expectHeldBack(as);
    await expect(as.unsafe('create temporary table mine (a int)')).rejects.toThrow('permission');
    await expect(as.unsafe('set session authorization matterhorn')).rejects.toThrow('permission');
    const owned = await as`select from pg_class where pg_get_userbyid(relowner) = current_user`;
    expect(owned).toHaveLength(0);
    // The one that migrates is no superuser either.
    const owner = await sql('matterhorn_owner');
    await expect(owner.unsafe(`select pg_read_file('/etc/passwd')`)).rejects.toThrow('permission');
    await expect(owner.unsafe('delete from audit_entry')).rejects.toThrow('permission denied');
    await stop();
  });

  test('may use a table that a later migration makes, and only add to one that is append-only', async () => {
    const databaseUrl = await ownDatabase();
    const sql = connect(databaseUrl);
    afterAll(() => sql.end());
    await sql.unsafe(`
      alter default privileges in schema public revoke all on tables from matterhorn_tests_requests;
      alter default privileges in schema public revoke all on sequences from matterhorn_tests_requests;
      create table later (id bigserial primary key, name text);
      create table later_log (id bigserial primary key, name text);
      create trigger later_log_append_only before update or delete on later_log
        for each row execute function refuse_change()`);
    const requests = connect(requestsOf(databaseUrl));
    afterAll(() => requests.end());
    await expect(requests`select from later`.then()).rejects.toThrow('permission denied');
    const { database, databaseOwner } = readSettings(environmentOf(databaseUrl));
    await migrate(databaseOwner ?? '', database);
    await requests.unsafe(`insert into later (name) values ('a'); update later set name = 'b';
      delete from later; insert into later_log (name) values ('a')`);
    await expect(requests`delete from later_log`.then()).rejects.toThrow('permission denied');
    await expect(requests`truncate later`.then()).rejects.toThrow('permission denied');
  });
});

describe('Data of before', () => {
  test('a data directory with one role, as 0.2.0 leaves it, has the three after the next start', async () => {
    const first = await embeddedServer();
    await first.stop();
    // Without the server: its statements would stand in the way of these.
    const postgresAlone = await startEmbedded({
      dataDirectory: first.data,
      say: () => {},
      onGaveUp: () => {},
    });
    const superuser = postgres({ ...postgresAlone.superuser, max: 1, onnotice: () => {} });
    await superuser.unsafe(`
      reassign owned by matterhorn_owner to matterhorn;
      drop owned by matterhorn_owner, matterhorn_requests;
      grant all on database postgres to public;
      drop role matterhorn_requests; drop role matterhorn_owner`);
    await superuser.end();
    await postgresAlone.stop();
    const passwords = await readFile(join(first.data, 'pgpass'), 'utf8');
    const [line = ''] = passwords.split('\n').filter((one) => one.includes(':matterhorn:'));
    await writeFile(join(first.data, 'pgpass'), `${line}\n`);

    const second = await embeddedServer(first.data);
    await expectHeldBack(await second.sql('matterhorn_requests'));
    const owners = await (await second.sql('matterhorn_owner'))`
      select distinct pg_get_userbyid(relowner) as owner from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'S')`;
    expect(owners.map(({ owner }) => owner)).toEqual(['matterhorn_owner']);
    const { exitCode, out } = await run('', ['doctor', '--data', first.data, '--json']);
    expect(exitCode).toBe(0);
    expect(out).not.toContain('role');
    await second.stop();
  });

  test('a data directory whose passwords are lost gets new ones', async () => {
    const first = await embeddedServer();
    await first.stop();
    await rm(join(first.data, 'pgpass'));
    const second = await embeddedServer(first.data);
    const sql = await second.sql('matterhorn_requests');
    expect(await sql`select 1 as one`).toHaveLength(1);
    await second.stop();
  });
});

describe('Two addresses', () => {
  test('of different databases are refused', async () => {
    const [one, other] = [await emptyDatabase(), await ownDatabase()];
    const ran = await run(one, ['firm', 'list'], '', { DATABASE_URL: requestsOf(other) });
    expectSentence(ran, 'DATABASE_URL and DATABASE_OWNER_URL name different databases.');
  });

  test('or one: the doctor says what requests could do too much', async () => {
    const databaseUrl = await ownDatabase();
    const more = { DATABASE_URL: databaseUrl, DATABASE_OWNER_URL: '' };
    const { exitCode, out } = await run(databaseUrl, ['doctor'], '', more);
    expect(exitCode).toBe(0);
    expect(out).toContain('with more rights than they need: it may do everything, as a superuser.');
    expect(out).toContain('DATABASE_OWNER_URL');
    const found = await runJson<object>(databaseUrl, ['doctor']);
    expect(found).toMatchObject({ ok: true, findings: [] });
  });

  test('or only the one that serves requests: the doctor asks for the owner’s', async () => {
    const made = await ownDatabase();
    await makeFirm({ url: '', databaseUrl: made });
    const file = join(tmpdir(), `matterhorn-${Bun.randomUUIDv7()}.backup`);
    for (const [databaseUrl, words] of [
      [made, ['backup', file]],
      [await emptyDatabase(), ['firm', 'list']],
    ] as const) {
      const requests = requestsOf(databaseUrl);
      for (const owner of ['', requests]) {
        const more = { DATABASE_URL: requests, DATABASE_OWNER_URL: owner };
        const { exitCode, out } = await run(databaseUrl, ['doctor'], '', more);
        expect(exitCode).toBe(1);
        expect(out).toStartWith(
          'problem  The role "matterhorn_tests_requests" may not change the tables, and DATABASE_OWNER_URL names nobody who may',
        );
        expect(out).toContain('Name the user that owns the tables in DATABASE_OWNER_URL');
        const refused = await run(databaseUrl, [...words], '', more);
        expectSentence(refused, 'the user that owns the tables in DATABASE_OWNER_URL');
      }
    }
    expect((await run(made, ['doctor'])).exitCode).toBe(0);
  });

  test('the owner alone is no setting', async () => {
    const ran = await run('', ['firm', 'list'], '', { DATABASE_OWNER_URL: 'postgres://a@b/c' });
    expectSentence(ran, 'DATABASE_OWNER_URL is set without DATABASE_URL');
  });
});

const embeddedServer = async (data?: string) => {
  const directory = data ?? (await mkdtemp(join(tmpdir(), 'matterhorn-roles-')));
  const environment = { MATTERHORN_TEST_FSYNC: 'off' };
  const server = await startInstance('', { data: directory, environment });
  afterAll(() => rm(directory, { recursive: true, force: true }));
  const clients: postgres.Sql[] = [];
  /** A connection as one of the cluster's roles, by the password that is kept for it. */
  const sql = async (username: string) => {
    const lines = (await readFile(join(directory, 'pgpass'), 'utf8')).split('\n');
    const password = lines.find((line) => line.includes(`:${username}:`))?.split(':')[4];
    const path = join(directory, 'run/.s.PGSQL.5432');
    const options = { path, username, password: password ?? '', database: 'postgres', max: 1 };
    const client = postgres({ ...options, onnotice: () => {} });
    clients.push(client);
    return client;
  };
  const stop = async () => {
    for (const client of clients) await client.end();
    await server.stop();
  };
  return { data: directory, sql, stop };
};
