/**
 * A backup goes wherever Matterhorn runs: from its own database to any Postgres and back, to a user
 * who is no superuser, and from an older release to this one.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { expectRefused, notDurable, oddTexts, ownFolder, startCommand } from '../support/backup.ts';
import { countUnsealed, sealAll, tamper } from '../support/chain.ts';
import { addressOf, connect, emptyDatabase, ownDatabase } from '../support/database.ts';
import { caller, makeFirm, startTestServer } from '../support/firm.ts';
import { startInstance } from '../support/instances.ts';
import { run, runJson } from '../support/terminal.ts';

const folder = await ownFolder();

type Firms = { id: string; name: string }[];
type Proof = { rows: number; findings: string[] };

/** Runs a command on a data directory, in a process of its own, as an administrator does. */
const at = async <Document>(data: string, words: string[]): Promise<Document> => {
  const { exitCode, out, err } = await startCommand('', [
    ...words,
    '--data',
    data,
    '--json',
  ]).exited();
  if (exitCode !== 0) throw new Error(`${words.join(' ')} ended with ${exitCode}: ${err}`);
  return JSON.parse(out) as Document;
};

/** The first release's database, as its tests of upgrades keep it. */
const firstRelease = async () => {
  const kept = join(import.meta.dir, '../upgrades/0.1.0');
  const databaseUrl = await emptyDatabase();
  const sql = connect(databaseUrl);
  const dump = await Bun.file(join(kept, 'database.sql.gz')).bytes();
  await sql.unsafe(new TextDecoder().decode(Bun.gunzipSync(dump)));
  const [applied] = await sql`select count(*)::int as count from drizzle.__drizzle_migrations`;
  const { key, firmId } = (await Bun.file(join(kept, 'answers.json')).json()) as Record<
    string,
    string
  >;
  return {
    databaseUrl,
    sql,
    applied: applied?.count as number,
    key: key ?? '',
    firmId: firmId ?? '',
  };
};

describe('A backup', () => {
  test('goes from the embedded database of a running server to any Postgres, and to another embedded one', async () => {
    const first = join(folder, 'first');
    const server = await startInstance('', { data: first, environment: notDurable });
    const blueprint = join(folder, 'firm.json');
    const member = { email: 'ada@harrow.example', name: oddTexts[2], role: 'Owner' };
    const document = {
      name: oddTexts[0],
      members: [member],
      numbering: { lead: 'L-{####}' },
      leadStages: ['New'],
    };
    await Bun.write(blueprint, JSON.stringify(document));
    await at(first, ['firm', 'apply', blueprint]);
    const words = ['--member', member.email, '--scope', 'leads:read', 'leads:write'];
    const { key } = await at<{ key: string }>(first, ['key', 'create', ...words]);
    const made = await caller(server.url, key).post('/v1/leads', { lastName: oddTexts[1] });
    expect(made.status).toBe(201);
    const files = ['a', 'b'].map((name) => join(folder, name)) as [string, string];
    const backupsSay = async () => {
      const { findings } = await at<{ findings: { what: string }[] }>(first, ['doctor']);
      return findings.map(({ what }) => what).filter((what) => what.includes('backup'));
    };
    // Versions before 0.3.0 noted nowhere that they made one.
    expect(await backupsSay()).toEqual([
      'This server knows of no backup; versions before 0.3.0 did not note theirs. If this disk fails, everything since your last one is lost.',
    ]);
    const summary = await at<{ rows: number }>(first, ['backup', files[0]]);
    expect(await backupsSay()).toEqual([]);
    await Bun.write(join(first, 'newest-backup'), '2026-01-31T10:00:00.000Z');
    expect(await backupsSay()).toEqual([
      'The newest backup is of 2026-01-31, and the server creates none by itself.',
    ]);
    await server.stop();

    const sound = { rows: summary.rows, findings: [] };
    const external = await emptyDatabase();
    expect(await runJson<Proof>(external, ['restore', files[0]])).toMatchObject(sound);
    await runJson(external, ['backup', files[1]]);
    const second = join(folder, 'second');
    expect(await at<Proof>(second, ['restore', files[1]])).toMatchObject(sound);
    const last = await startInstance('', { data: second, environment: notDurable });
    const { body } = await caller(last.url, key).get(`/v1/leads/${made.body.data.id}`);
    expect(body).toEqual(made.body);
    const next = await caller(last.url, key).post('/v1/leads', { lastName: 'Next' });
    expect(next.body.data.publicId).toBe('L-0002');
    await last.stop();
  });

  test('goes to a user who owns a database and nothing else', async () => {
    const databaseUrl = await ownDatabase();
    const firm = await makeFirm({ url: '', databaseUrl });
    const source = connect(databaseUrl);
    // From a cluster that has counted further: the restore must continue the numbers.
    await tamper(
      source,
      (transaction) => transaction`update audit_entry set
      xid = (xid::text::bigint + 5000000000)::text::xid8`,
    );
    await source.end();
    const file = join(folder, 'plain');
    await runJson(databaseUrl, ['backup', file]);
    const role = `plain_${Bun.randomUUIDv7().slice(-12)}`;
    const admin = connect(addressOf('postgres'));
    afterAll(async () => {
      await admin.unsafe(`drop database if exists ${role} with (force)`);
      await admin.unsafe(`drop role if exists ${role}`);
      await admin.end();
    });
    await admin.unsafe(`create role ${role} login password 'plain'`);
    await admin.unsafe(`create database ${role} owner ${role}`);
    const url = new URL(addressOf(role));
    const target = Object.assign(url, { username: role, password: 'plain' }).href;
    expect(await runJson<Proof>(target, ['restore', file])).toMatchObject({ findings: [] });
    expect(await runJson<Firms>(target, ['firm', 'list'])).toMatchObject([{ id: firm.id }]);
    const server = await startTestServer({ databaseUrl: target });
    expect(
      (await caller(server.url, firm.owner.key).post('/v1/leads', { lastName: 'Quill' })).status,
    ).toBe(201);
    const again = join(folder, 'plain-again');
    expect((await run(target, ['backup', again])).exitCode).toBe(0);
    await sealAll(target);
    expect(await countUnsealed(target)).toBe(0);
    expect((await run(target, ['audit', 'verify'])).exitCode).toBe(0);
    // The log is still closed to changes by its owner, as before.
    const sql = connect(target);
    for (const change of [
      'update audit_entry set changes = changes',
      'delete from audit_seal',
      'truncate audit_entry',
    ]) {
      expect(await sql.unsafe(change).catch(({ code }) => code)).toBe('42501');
    }
    await sql.end();
    await server.stop();
  });
});

describe('A backup of an older release', () => {
  test('is made as it stands, and comes back into this one', async () => {
    const { databaseUrl, sql, applied, key, firmId } = await firstRelease();
    const file = join(folder, 'old');
    await runJson(databaseUrl, ['backup', file]);
    // It was backed up before anything of this release was applied to it.
    expect(await sql`select from drizzle.__drizzle_migrations`).toHaveLength(applied);
    await sql.end();

    const target = await emptyDatabase();
    expect(await runJson<Proof>(target, ['restore', file])).toMatchObject({ findings: [] });
    expect(await runJson<Firms>(target, ['firm', 'list'])).toMatchObject([{ id: firmId }]);
    const server = await startTestServer({ databaseUrl: target });
    const { status, body } = await caller(server.url, key).get('/v1/leads');
    expect(status).toBe(200);
    expect(body.data.length).toBeGreaterThan(0);
    await server.stop();
    expect((await run(target, ['audit', 'verify'])).exitCode).toBe(0);
    const restored = connect(target);
    const count = (await restored`select from drizzle.__drizzle_migrations`).length;
    expect(count).toBeGreaterThan(applied);
    await restored.end();

    // A database that this release has prepared already has newer tables than the backup.
    const prepared = await ownDatabase();
    expectRefused(await run(prepared, ['restore', file]), 'a new, empty database');
    expect(await runJson<Firms>(prepared, ['firm', 'list'])).toEqual([]);
    // Its own it makes from nothing again.
    const data = join(folder, 'prepared');
    const idle = await startInstance('', { data, environment: notDurable });
    await idle.stop();
    expect(await at<Proof>(data, ['restore', file])).toMatchObject({ findings: [] });
  });

  test('goes into a database that a server has prepared for its first firm', async () => {
    const file = join(folder, 'of-a-firm');
    const databaseUrl = await ownDatabase();
    await makeFirm({ url: '', databaseUrl });
    await runJson(databaseUrl, ['backup', file]);
    const prepared = await ownDatabase();
    const sql = connect(prepared);
    await sql`insert into setup_link (token, created_at) values ('a', now())`;
    await sql`insert into certificate_account values ('https://directory.example', 'sealed', now())`;
    await sql`
      insert into certificate (directory, names, next_try_at)
      values ('https://directory.example', 'practice.example', now())`;
    expect(await runJson<Proof>(prepared, ['restore', file])).toMatchObject({ findings: [] });
    for (const table of ['setup_link', 'certificate', 'certificate_account'])
      expect({ table, left: [...(await sql`select from ${sql(table)}`)] }).toEqual({
        table,
        left: [],
      });
    await sql.end();
  });
});
