/**
 * A backup holds everything of one moment while others write, and comes back elsewhere as it was:
 * the same answers, numbers that go on, nothing told twice (docs/backups.md).
 */
import { describe, expect, test } from 'bun:test';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { getTableName } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { answersOf, furnishedFirm, ownFolder } from '../support/backup.ts';
import { sealAll } from '../support/chain.ts';
import { connect, emptyDatabase, moveClock, ownDatabase } from '../support/database.ts';
import {
  attorney,
  type Caller,
  caller,
  makeFirm,
  owner,
  startTestServer,
} from '../support/firm.ts';
import { runJson } from '../support/terminal.ts';

type Summary = { rows: number; bytes: number; tables: Record<string, number>; firms: object[] };
type Proof = {
  tables: number;
  rows: number;
  foreignKeys: number;
  logs: { firmId: string; entries: number; sealed: number; firstBad: unknown }[];
  leftOut: string[];
  findings: string[];
};
type Notice = { kind: string; recordId: string | null };

/** Creates leads, four at a time, until told to stop; gives how many were acknowledged. */
const keepWriting = (by: Caller) => {
  let isOver = false;
  let written = 0;
  const writer = async () => {
    while (!isOver) {
      const { status } = await by.post('/v1/leads', { lastName: `Lead ${written}` });
      expect(status).toBe(201);
      written += 1;
    }
  };
  const writers = Array.from({ length: 4 }, writer);
  return {
    written: () => written,
    stop: async () => {
      isOver = true;
      await Promise.all(writers);
      return written;
    },
  };
};

/** What the commands say of a firm; who used a key last is noted a little later, so keys are not in it. */
const saidOf = (databaseUrl: string, firmId: string) =>
  Promise.all(
    [
      ...['event', 'task', 'audit'].map((noun) => [noun, 'list']),
      ...[owner, attorney].map((member) => ['inbox', '--member', member]),
      ['firm', 'show'],
    ].map((words) => runJson(databaseUrl, [...words, '--firm', firmId])),
  );

describe('A backup made while the server serves', () => {
  test('is of one moment, holds nobody up, and comes back elsewhere as it was', async () => {
    const source = await ownDatabase();
    const server = await startTestServer({ databaseUrl: source });
    const quiet = await furnishedFirm(server);
    const busy = await makeFirm(server);
    const once = { 'idempotency-key': 'form-1' };
    const first = await quiet.owner.post('/v1/leads', { lastName: 'Once' }, once);
    const pending = first.body.data.id as string;
    await sealAll(source);
    const file = join(await ownFolder(), 'all.backup');

    const writing = keepWriting(busy.owner);
    while (writing.written() < 20) await Bun.sleep(5);
    const before = writing.written();
    const summary = await runJson<Summary>(source, ['backup', file]);
    const written = await writing.stop();
    // The writers continued, so there are now more leads than were backed up.
    const backedUp = (summary.tables.lead ?? 0) - 2;
    expect(backedUp).toBeGreaterThanOrEqual(before);
    expect(written).toBeGreaterThan(backedUp);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(file).size).toBe(summary.bytes);
    expect(summary.firms).toHaveLength(2);
    const answers = await answersOf(server.url, quiet);
    const listed = await saidOf(source, quiet.id);
    await server.stop();

    const target = await emptyDatabase();
    const proof = await runJson<Proof>(target, ['restore', file]);
    expect(proof).toMatchObject({ rows: summary.rows, leftOut: [], findings: [] });
    expect(proof.tables).toBe(Object.keys(summary.tables).length);
    expect(proof.foreignKeys).toBeGreaterThan(20);
    expect(proof.logs.map(({ firmId }) => firmId).sort()).toEqual([quiet.id, busy.id].sort());
    expect(proof.logs.map(({ firstBad }) => firstBad)).toEqual([null, null]);
    expect(proof.logs.find(({ firmId }) => firmId === quiet.id)?.sealed).toBeGreaterThan(30);

    // Time has come for what was pending; before that nothing was told.
    expect(await saidOf(target, quiet.id)).toEqual(listed);
    await moveClock(target, 120);
    const restored = await startTestServer({ databaseUrl: target });
    expect(await answersOf(restored.url, quiet)).toEqual(answers);
    const replay = await caller(restored.url, quiet.owner.key).post(
      '/v1/leads',
      { lastName: 'Once' },
      once,
    );
    expect([replay.status, replay.body]).toEqual([201, first.body]);
    expect(replay.headers.get('idempotent-replayed')).toBe('true');

    const told = async () => {
      const words = ['inbox', '--member', owner, '--firm', quiet.id];
      const notices = await runJson<Notice[]>(target, words);
      return notices.filter(({ recordId }) => recordId === pending).length;
    };
    while ((await told()) === 0) await Bun.sleep(50);
    expect(await told()).toBe(1);

    // Every lead that was backed up is there, without a gap, and the next goes on behind them.
    const again = caller(restored.url, busy.owner.key);
    const { body } = await again.get('/v1/leads?limit=1');
    expect(body.pagination.total).toBe(backedUp);
    const numbers = [];
    for (let offset = 0; offset < backedUp; offset += 100) {
      const page = await again.get(`/v1/leads?limit=100&offset=${offset}`);
      numbers.push(...page.body.data.map(({ publicId }: { publicId: string }) => publicId));
    }
    const expected = Array.from(
      { length: backedUp },
      (_, index) => `L-${String(index + 1).padStart(4, '0')}`,
    );
    expect(numbers.sort()).toEqual(expected);
    const next = await again.post('/v1/leads', { lastName: 'Next' });
    expect(next.body.data.publicId).toBe(`L-${String(backedUp + 1).padStart(4, '0')}`);

    await restored.stop();
    expect(await told()).toBe(1);
    await sealAll(target);
    const { firms } = await runJson<{ firms: { unsealed: number; firstBad: unknown }[] }>(target, [
      'audit',
      'verify',
    ]);
    expect(firms.map(({ unsealed, firstBad }) => ({ unsealed, firstBad }))).toEqual(
      Array(2).fill({ unsealed: 0, firstBad: null }),
    );
    // A backup of restored data, restored again, is still the same.
    const second = join(await ownFolder(), 'again.backup');
    const sums = await runJson<Summary>(target, ['backup', second]);
    const third = await emptyDatabase();
    expect(await runJson<Proof>(third, ['restore', second])).toMatchObject({
      rows: sums.rows,
      findings: [],
    });
    expect(await saidOf(third, quiet.id)).toEqual(await saidOf(target, quiet.id));
  });

  test('holds every table of the house', async () => {
    const source = await ownDatabase();
    const { tables } = await runJson<Summary>(source, [
      'backup',
      join(await ownFolder(), 'x.backup'),
    ]);
    const folders = readdirSync(join(import.meta.dir, '../../src'), { withFileTypes: true });
    const named: string[] = [];
    for (const { name } of folders.filter((one) => one.isDirectory())) {
      const path = join(import.meta.dir, '../../src', name, 'table.ts');
      if (!(await Bun.file(path).exists())) continue;
      const parts = Object.values((await import(path)) as object);
      named.push(
        ...parts.filter((part) => part instanceof PgTable).map((table) => getTableName(table)),
      );
    }
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !(name in tables))).toEqual([]);
    // What is only spent rate is left out.
    expect(tables).not.toHaveProperty('rate_bucket');
    const sql = connect(source);
    const stored = await sql`select tablename as name from pg_tables where schemaname = 'public'`;
    await sql.end();
    expect(stored.map(({ name }) => name).filter((name) => !(name in tables))).toEqual([
      'passkey_challenge',
      'rate_bucket',
    ]);
  });
});
