/**
 * An upgrade of a database elsewhere: the copy before it, who is kept away meanwhile, and what going back puts back and
 * what it leaves alone. `bun run upgrade` tries the whole of it with two versions.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { readdirSync, statSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ownNames } from '../../src/backup/replace.ts';
import {
  answersOf,
  expectRefused,
  furnishedFirm,
  notDurable,
  ownFolder,
} from '../support/backup.ts';
import { areSpread } from '../support/cluster.ts';
import { connect, ownDatabase } from '../support/database.ts';
import { startTestServer } from '../support/firm.ts';
import { programWords } from '../support/program.ts';
import { environmentOf } from '../support/roles.ts';
import { keyFileOf, type Ran, run } from '../support/terminal.ts';

/** One part of an upgrade, in a process of its own that ends with its standard input. */
const step = async (databaseUrl: string, folder: string, words: string[]): Promise<Ran> => {
  const line = [...programWords(databaseUrl), 'upgrade-data', ...words, '--data', folder];
  const child = Bun.spawn(line, {
    env: {
      ...process.env,
      ...environmentOf(databaseUrl),
      ...notDurable,
      INSTALLATION_KEY: keyFileOf(databaseUrl),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { exitCode: await child.exited, out, err };
};

const mustStep = async (databaseUrl: string, folder: string, words: string[]) => {
  const { exitCode, err } = await step(databaseUrl, folder, words);
  if (exitCode !== 0) throw new Error(`${words.join(' ')}: ${err}`);
};

const source = async () => {
  const databaseUrl = await ownDatabase();
  const sql = connect(databaseUrl);
  afterAll(() => sql.end());
  return { databaseUrl, sql, folder: await ownFolder() };
};

type Doctor = { lastUpgrade: { result: string; to: string; why?: string } | null };
type Sql = Awaited<ReturnType<typeof source>>['sql'];

const commentOn = async (sql: Sql) =>
  (await sql`select obj_description('drizzle.__drizzle_migrations'::regclass) as comment`)[0]
    ?.comment as string | null;

/** What a newer version does to the data. */
const changeAsNewer = async (sql: Sql, databaseUrl: string) => {
  const requests = new URL(environmentOf(databaseUrl).DATABASE_URL).username;
  await sql.unsafe(`
    alter table firm add column newer text;
    alter table lead drop column value cascade;
    create type newer_kind as enum ('one');
    create table of_newer (id int primary key, kind newer_kind);
    grant select on of_newer to ${requests};
    create function of_newer() returns int language sql as 'select 1';
    create view newer_view as select id from of_newer;
    drop table task cascade;
    create or replace function moment() returns timestamptz language sql volatile return '2001-01-01'::timestamptz;
    insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', 9999999999999);`);
};

/** What the database's owner has there beside Matterhorn. */
const makeOwnThings = (sql: Sql) =>
  sql.unsafe(`
    create table harrow_report (id int generated always as identity primary key, title text);
    insert into harrow_report (title) values ('Before');
    create view harrow_titles as select title from harrow_report;
    create function harrow_count() returns bigint language sql as 'select count(*) from harrow_report';
    grant select on lead to public`);

describe.skipIf(areSpread)('Going back to the copy of before an upgrade', () => {
  test('puts all data back as it was, and leaves alone what is not Matterhorn’s', async () => {
    const { databaseUrl, sql, folder } = await source();
    const server = await startTestServer({ databaseUrl });
    const firm = await furnishedFirm(server);
    const before = await answersOf(server.url, firm);
    await server.stop();
    await makeOwnThings(sql);

    await mustStep(databaseUrl, folder, ['copy', '9.9.9']);
    const [copy = ''] = readdirSync(folder);
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^database-before-upgrade-/)]);
    expect(statSync(join(folder, copy)).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, copy, 'data.backup')).mode & 0o777).toBe(0o600);
    // What others store now could be lost.
    expectRefused(await run(databaseUrl, ['firm', 'list']), 'An upgrade from');
    const doctor = await run(databaseUrl, ['doctor']);
    expect(doctor).toMatchObject({ exitCode: 1, out: expect.stringContaining('An upgrade from') });

    await changeAsNewer(sql, databaseUrl);
    await sql`insert into harrow_report (title) values ('Meanwhile')`;
    await mustStep(databaseUrl, folder, ['back', 'It failed.']);

    expect(readdirSync(folder)).toEqual([]);
    const again = await startTestServer({ databaseUrl });
    expect(await answersOf(again.url, firm)).toEqual(before);
    await again.stop();
    const left = await sql`select title from harrow_report order by id`;
    expect(left.map(({ title }) => title)).toEqual(['Before', 'Meanwhile']);
    await sql`insert into harrow_report (title) values ('After')`;
    expect([
      ...(await sql`select harrow_count()::int as count from harrow_titles limit 1`),
    ]).toEqual([{ count: 3 }]);
    const [seen] = await sql`select has_table_privilege('public', 'lead', 'select') as may,
      to_regclass('of_newer') as "table", to_regclass('newer_view') as view,
      to_regtype('newer_kind') as kind, to_regproc('of_newer') as function`;
    expect({ ...seen }).toEqual({ may: true, table: null, view: null, kind: null, function: null });
    expect((await run(databaseUrl, ['audit', 'verify'])).exitCode).toBe(0);
    const { lastUpgrade } = JSON.parse(
      (await run(databaseUrl, ['doctor', '--json'])).out,
    ) as Doctor;
    expect(lastUpgrade).toMatchObject({ result: 'went back', to: '9.9.9', why: 'It failed.' });
    // It is done once.
    await mustStep(databaseUrl, folder, ['back', 'It failed.']);
  });

  test('is done by the next server of that version, and of no other place', async () => {
    const { databaseUrl, sql, folder } = await source();
    const server = await startTestServer({ databaseUrl });
    const firm = await furnishedFirm(server);
    const before = await answersOf(server.url, firm);
    await server.stop();
    await mustStep(databaseUrl, folder, ['copy', '9.9.9']);
    await changeAsNewer(sql, databaseUrl);
    const mark = JSON.parse((await commentOn(sql)) ?? '{}');
    const elsewhere = structuredClone(mark);
    elsewhere.upgrades.upgrade.folder = join(folder, 'not-here');
    elsewhere.upgrades.upgrade.machine = { name: 'other', id: '1' };
    const setComment = (value: object) =>
      sql.unsafe(
        `comment on table drizzle.__drizzle_migrations is '${JSON.stringify(value).replaceAll("'", "''")}'`,
      );
    await setComment(elsewhere);
    expectRefused(await serveOnce(databaseUrl, folder), 'on the machine other');
    expectRefused(await step(databaseUrl, folder, ['check']), 'on the machine other');
    expectRefused(await step(databaseUrl, folder, ['back', 'No.']), 'on the machine other');
    await setComment(mark);
    const { exitCode } = await serveOnce(databaseUrl, folder);
    expect(exitCode).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
    const again = await startTestServer({ databaseUrl });
    expect(await answersOf(again.url, firm)).toEqual(before);
    await again.stop();
  });
});

/** Serves until it is ready or ends. */
const serveOnce = async (databaseUrl: string, folder: string): Promise<Ran> => {
  const line = [...programWords(databaseUrl), 'serve', '--port', '0', '--json'];
  const child = Bun.spawn(line, {
    cwd: folder,
    env: {
      ...process.env,
      ...environmentOf(databaseUrl),
      DRAIN_SECONDS: '0',
      MATTERHORN_LOG: 'quiet',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const errors = child.stderr.text();
  let out = '';
  for await (const piece of child.stdout) {
    out += new TextDecoder().decode(piece);
    child.kill('SIGTERM');
  }
  const exitCode = await child.exited;
  return { exitCode, out: exitCode === 0 ? out : '', err: await errors };
};

describe.skipIf(areSpread)('An upgrade is not begun, and nothing is changed,', () => {
  const nothingChanged = async (sql: Sql, folder: string) => {
    expect(readdirSync(folder)).toEqual([]);
    expect(await commentOn(sql)).toBe(null);
  };

  test('while another server uses the database', async () => {
    const { databaseUrl, sql, folder } = await source();
    const server = await startTestServer({ databaseUrl });
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expectRefused(
      await step(databaseUrl, folder, ['copy', '9.9.9']),
      'Stop every server of it, on all machines',
    );
    await nothingChanged(sql, folder);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    await server.stop();
  });

  test('if something of the owner’s own would be lost by going back', async () => {
    const { databaseUrl, sql, folder } = await source();
    for (const [make, name, remove] of [
      ['create view leads_seen as select id from lead', 'view leads_seen', 'drop view leads_seen'],
      [
        'create table billing (firm_id uuid references firm (id))',
        'constraint billing_firm_id_fkey on table billing',
        'drop table billing',
      ],
    ] as const) {
      await sql.unsafe(make);
      expectRefused(await step(databaseUrl, folder, ['copy', '9.9.9']), name);
      await nothingChanged(sql, folder);
      await sql.unsafe(remove);
    }
    await mustStep(databaseUrl, folder, ['copy', '9.9.9']);
  });

  test('without the owner’s address, or where there is no data', async () => {
    const { databaseUrl, folder } = await source();
    const { DATABASE_URL } = environmentOf(databaseUrl);
    const child = Bun.spawn(
      [...programWords(databaseUrl), 'upgrade-data', 'check', '--data', folder],
      { env: { ...process.env, DATABASE_URL }, stdio: ['pipe', 'pipe', 'pipe'] },
    );
    expect(await child.stderr.text()).toContain('in DATABASE_OWNER_URL');
    expect(await child.exited).toBe(1);
  });
});

test.skipIf(areSpread)('What the migrations make is known by its name', async () => {
  const { sql } = await source();
  const found = await sql`
    select relname::text as name from pg_class where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p', 'v', 'm') and not exists (select from pg_depend
        where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
    union select proname::text from pg_proc where pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend
        where classid = 'pg_proc'::regclass and objid = pg_proc.oid and deptype = 'e')
    union select typname::text from pg_type where typnamespace = 'public'::regnamespace
      and typtype in ('e', 'd')`;
  const names = ownNames();
  expect(found.length).toBeGreaterThan(50);
  expect(found.map(({ name }) => name).filter((name) => !names.has(name))).toEqual([]);
});

test.skipIf(areSpread)(
  'A copy that was killed before it was whole replaces nothing, and is removed',
  async () => {
    const { databaseUrl, sql, folder } = await source();
    await mustStep(databaseUrl, folder, ['copy', '9.9.9']);
    const [copy = ''] = readdirSync(folder);
    await rename(join(folder, copy, 'data.backup'), join(folder, copy, 'data.backup.unfinished'));
    await sql`create table made_since (id int)`;
    await mustStep(databaseUrl, folder, ['back', 'It was interrupted.']);
    expect(readdirSync(folder)).toEqual([]);
    expect([...(await sql`select to_regclass('made_since')::text as name`)]).toEqual([
      { name: 'made_since' },
    ]);
    expect((await run(databaseUrl, ['firm', 'list'])).exitCode).toBe(0);
    // Killed even before the mark.
    await mkdir(join(folder, 'database-before-upgrade-killed'));
    await mustStep(databaseUrl, folder, ['copy', '9.9.9']);
    expect(readdirSync(folder)).toHaveLength(1);
  },
);
