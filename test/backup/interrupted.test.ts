/** A backup or restore that is stopped half-way, however, leaves nothing half: no file, no firm. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expectRefused, gateIn, ownFolder, startCommand } from '../support/backup.ts';
import { emptyDatabase, ownDatabase } from '../support/database.ts';
import { makeFirm, startTestServer } from '../support/firm.ts';
import { run, runJson } from '../support/terminal.ts';

/** A firm, and a gate that every backup of it comes to, near its end. */
const source = async () => {
  const databaseUrl = await ownDatabase();
  const server = await startTestServer({ databaseUrl });
  const firm = await makeFirm(server);
  expect((await firm.owner.post('/v1/leads', { lastName: 'Early' })).status).toBe(201);
  const gate = await gateIn(databaseUrl);
  await gate.inBackup();
  return { databaseUrl, server, firm, gate };
};

describe('A backup that is stopped half-way', () => {
  test('holds nobody up, on one connection, and leaves no file after Ctrl-C', async () => {
    const { databaseUrl, firm, gate } = await source();
    const folder = await ownFolder();
    const file = join(folder, 'x.backup');
    const [before] = await gate.sql`select count(*)::int as count from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend'`;
    const backup = startCommand(databaseUrl, ['backup', file]);
    await gate.reached();
    // What is not finished has another name, and is for its owner alone.
    expect(readdirSync(folder)).toEqual(['x.backup.unfinished']);
    expect(statSync(`${file}.unfinished`).mode & 0o777).toBe(0o600);
    const [during] = await gate.sql`select count(*)::int as count from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend'`;
    expect(during?.count).toBeLessThanOrEqual(before?.count + 1);
    // Every kind of write goes on while it lasts.
    const { status, body } = await firm.owner.post('/v1/leads', { lastName: 'Late' });
    expect(status).toBe(201);
    expect((await firm.owner.patch(`/v1/leads/${body.data.id}`, { value: 'LOW' })).status).toBe(
      200,
    );
    expect((await firm.owner.delete(`/v1/leads/${body.data.id}`)).status).toBe(200);
    expect((await run(databaseUrl, ['doctor'])).exitCode).toBe(0);
    expectRefused(await backup.end('SIGINT'), 'Stopped.');
    expect(readdirSync(folder)).toEqual([]);
    await gate.isLeft();
  });

  test('leaves no file when the database ends it, and none under its name when it is killed', async () => {
    const { databaseUrl, gate } = await source();
    const folder = await ownFolder();
    const file = join(folder, 'x.backup');
    const ended = startCommand(databaseUrl, ['backup', file]);
    await gate.sql`select pg_terminate_backend(${await gate.reached()})`;
    expectRefused(await ended.exited(), 'The database cannot be reached');
    expect(readdirSync(folder)).toEqual([]);

    const killed = startCommand(databaseUrl, ['backup', file]);
    await gate.reached();
    await killed.end('SIGKILL');
    expect(readdirSync(folder)).toEqual(['x.backup.unfinished']);
    await gate.open();
    expectRefused(await run(databaseUrl, ['backup', file]), `${file}.unfinished is there already`);
    expectRefused(
      await run(databaseUrl, ['restore', `${file}.unfinished`]),
      'not a backup of Matterhorn',
    );
    expect((await run(databaseUrl, ['backup', join(folder, 'y.backup')])).exitCode).toBe(0);
  });

  test('holds what was there when it began, and no later', async () => {
    const { databaseUrl, firm, gate } = await source();
    const file = join(await ownFolder(), 'x.backup');
    const backup = startCommand(databaseUrl, ['backup', file, '--json']);
    await gate.reached();
    expect((await firm.owner.post('/v1/leads', { lastName: 'Late' })).status).toBe(201);
    await gate.open();
    const { exitCode, out } = await backup.exited();
    expect([exitCode, JSON.parse(out).tables.lead]).toEqual([0, 1]);
    const target = await emptyDatabase();
    const proof = await runJson<{ leftOut: string[] }>(target, ['restore', '--unsigned', file]);
    // What others keep beside our tables is said to be left out.
    expect(proof.leftOut).toEqual(['zz_gate']);
    const server = await startTestServer({ databaseUrl: target });
    const response = await fetch(`${server.url}/v1/leads`, {
      headers: { authorization: `Bearer ${firm.owner.key}` },
    });
    expect(((await response.json()) as { data: object[] }).data).toHaveLength(1);
  });
});

/** A backup of such a firm, for all restores. */
const file = await (async () => {
  const { databaseUrl, gate } = await source();
  await gate.open();
  const made = join(await ownFolder(), 'x.backup');
  expect((await run(databaseUrl, ['backup', made])).exitCode).toBe(0);
  return made;
})();

describe('A restore that is stopped half-way', () => {
  const begun = async () => {
    const target = await ownDatabase();
    const gate = await gateIn(target);
    await gate.inRestore();
    const restore = startCommand(target, ['restore', file]);
    const pid = await gate.reached();
    const expectEmpty = async () => {
      await gate.isLeft();
      expect(await runJson<object[]>(target, ['firm', 'list'])).toEqual([]);
      const [rows] = await gate.sql`select (select count(*) from audit_entry)::int as entries,
        (select count(*) from contact)::int as contacts, (select count(*) from job)::int as jobs`;
      expect(rows).toEqual({ entries: 0, contacts: 0, jobs: 0 } as never);
      const [kept] =
        await gate.sql`select (select count(*) from pg_constraint where contype = 'f')::int
        as keys, (select count(*) from pg_indexes where schemaname = 'public')::int as indexes`;
      expect(kept?.keys).toBeGreaterThan(20);
      expect(kept?.indexes).toBeGreaterThan(50);
    };
    const finish = async () => {
      await gate.open();
      const proof = await runJson<{ rows: number; findings: string[] }>(target, ['restore', file]);
      expect(proof.findings).toEqual([]);
      expect(await runJson<object[]>(target, ['firm', 'list'])).toHaveLength(1);
    };
    return { restore, gate, pid, target, expectEmpty, finish };
  };

  test.each(['SIGKILL', 'SIGINT'] as const)(
    'leaves the database empty after %s, and it can be restored into',
    async (signal) => {
      const { restore, expectEmpty, finish } = await begun();
      const ended = await restore.end(signal);
      if (signal === 'SIGINT') expectRefused(ended, 'Stopped. Everything is as it was before.');
      await expectEmpty();
      await finish();
    },
  );

  test('leaves the database empty when the database ends it', async () => {
    const { restore, gate, pid, expectEmpty, finish } = await begun();
    await gate.sql`select pg_terminate_backend(${pid})`;
    expectRefused(await restore.exited(), 'The database cannot be reached');
    await expectEmpty();
    await finish();
  });

  test('lets nobody else restore or start on the database at the same time', async () => {
    const { restore, gate, target } = await begun();
    expectRefused(await run(target, ['restore', file]), 'Stop it, then restore.');
    const listing = startCommand(target, ['firm', 'list', '--json']);
    await gate.open();
    expect((await restore.exited()).exitCode).toBe(0);
    // It came while nothing was there, waited, and sees all of it.
    const { exitCode, out } = await listing.exited();
    expect([exitCode, JSON.parse(out)]).toEqual([0, [expect.anything()]]);
    expect(existsSync(file)).toBe(true);
  });
});
