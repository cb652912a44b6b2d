/** Who can write to the database, with every trigger off, cannot rewrite the audit log unseen. */
import { afterAll, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type postgres from 'postgres';
import { chainStart, entryColumns, type StoredEntry, sealOf } from '../../../src/audit/chain.ts';
import type { Standing } from '../../../src/audit/verify.ts';
import { makeInstallationKey } from '../../../src/base/installation-key.ts';
import { sealAll, tamper } from '../../support/chain.ts';
import { connect, ownDatabase } from '../../support/database.ts';
import { makeFirm } from '../../support/firm.ts';
import { expectSentence, keyFileOf, run, runJson } from '../../support/terminal.ts';

const folder = await mkdtemp(join(tmpdir(), 'matterhorn-proof-'));
afterAll(() => rm(folder, { recursive: true }));

/** A database with a firm whose log is sealed and signed in several turns. */
const signedDatabase = async () => {
  const databaseUrl = await ownDatabase();
  const firm = await makeFirm({ url: '', databaseUrl });
  const key = makeInstallationKey(keyFileOf(databaseUrl));
  await sealAll(databaseUrl, key);
  const sql = connect(databaseUrl);
  afterAll(() => sql.end());
  for (let round = 0; round < 3; round += 1) {
    await addEntries(sql, firm.id, 3);
    await sealAll(databaseUrl, key);
  }
  return { databaseUrl, firm, key, sql };
};

const addEntries = (sql: postgres.Sql, firmId: string, count: number) =>
  sql`
    insert into audit_entry (firm_id, at, action, record_kind, record_id, request_id, changes)
    select ${firmId}, moment(), 'update', 'contact', gen_random_uuid(), 'by hand ' || n, '{}'
    from generate_series(1, ${count}::int) n`;

/** What somebody does who knows how the chain is made, and can write everything in the database. */
const resealAll = async (broken: postgres.TransactionSql, firmId: string) => {
  const entries = (await broken.unsafe(
    `select ${entryColumns.queryChunks.map((chunk) => (chunk as { value: string[] }).value.join('')).join('')}
     from audit_entry entry where firm_id = '${firmId}' order by entry.xid, entry.id`,
  )) as unknown as StoredEntry[];
  await broken`delete from audit_seal where firm_id = ${firmId}`;
  let hash = chainStart(firmId);
  for (const [place, entry] of entries.entries()) {
    hash = await sealOf(hash, firmId, entry);
    await broken`insert into audit_seal values (${firmId}, ${place + 1}, ${entry.id}, ${hash})`;
  }
};

const rewrite = (sql: postgres.Sql, firmId: string, seal: number) =>
  tamper(sql, async (broken) => {
    await broken`update audit_entry set request_id = 'of nobody' where (firm_id, id) in (
      select firm_id, entry_id from audit_seal where firm_id = ${firmId} and seal_number = ${seal})`;
    await resealAll(broken, firmId);
  });

const verify = async (databaseUrl: string, words: string[] = []) => {
  const ran = await run(databaseUrl, ['audit', 'verify', '--json', ...words]);
  const { firms } = JSON.parse(ran.out || '{"firms":[]}') as { firms: Standing[] };
  return { ...ran, firms, bad: firms.find(({ firstBad }) => firstBad)?.firstBad };
};

describe('A chain that is signed', () => {
  test('says how far, by which installation', async () => {
    const { databaseUrl, sql } = await signedDatabase();
    const [{ count } = { count: 0 }] = await sql`select count(*)::int from audit_seal`;
    const { fingerprint } = await runJson<{ fingerprint: string }>(databaseUrl, ['audit', 'key']);
    const { exitCode, firms } = await verify(databaseUrl);
    expect(exitCode).toBe(0);
    expect(firms[0]?.signed).toEqual([
      { key: fingerprint, isOurs: true, seals: String(count), signedAt: expect.any(String) },
    ]);
    const { out } = await run(databaseUrl, ['audit', 'verify']);
    expect(out).toContain(`Signed up to seal ${count}`);
    expect(out).toContain(`by this installation, key ${fingerprint}`);
  });

  test('rewritten and sealed again by SQL is named, with the part that a signature encloses', async () => {
    const { databaseUrl, firm, sql } = await signedDatabase();
    const [last] = await sql`select count(*)::int as count from audit_seal`;
    const seals = last?.count;
    // The turns ended at seals - 9, - 6, - 3 and the last.
    await rewrite(sql, firm.id, seals - 4);
    const { exitCode, bad } = await verify(databaseUrl);
    expect(exitCode).toBe(1);
    const [first] = await sql`select entry_id from audit_seal where seal_number = ${seals - 5}`;
    expect(bad).toMatchObject({ what: 'rewritten', id: first?.entry_id });
    expect(bad?.explanation).toContain(`up to seal ${seals - 3}`);
    const text = await run(databaseUrl, ['audit', 'verify']);
    expect(text.out).toContain(`rewritten: entry ${first?.entry_id}`);
  });

  test('rewritten with its signatures deleted, or made by another key, is named by the heads kept beside the key', async () => {
    const { databaseUrl, firm, sql } = await signedDatabase();
    await rewrite(sql, firm.id, 2);
    await tamper(sql, (broken) => broken`delete from audit_signature`);
    expect((await verify(databaseUrl)).bad?.what).toBe('rewritten');
    const foreign = makeInstallationKey(join(folder, `${Bun.randomUUIDv7()}.key`));
    await sealAll(databaseUrl, foreign);
    expect((await verify(databaseUrl)).bad?.what).toBe('rewritten');
  });

  test('is not signed again by the server once it was rewritten, and nothing new makes it good', async () => {
    const { databaseUrl, firm, key, sql } = await signedDatabase();
    await tamper(sql, async (broken) => {
      await broken`update audit_entry set request_id = 'of nobody'
        where id = (select min(id) from audit_entry)`;
      await broken`delete from audit_seal`;
      await broken`delete from audit_signature`;
    });
    await sealAll(databaseUrl, key);
    await addEntries(sql, firm.id, 3);
    await sealAll(databaseUrl, key);
    expect(await sql`select from audit_signature`).toHaveLength(0);
    expect((await verify(databaseUrl)).bad?.what).toBe('rewritten');
  });

  test('cut off is named, whatever was written and sealed since', async () => {
    const { databaseUrl, firm, key, sql } = await signedDatabase();
    const [last] = await sql`select max(seal_number)::int as number from audit_seal`;
    const cut = last?.number - 4;
    await tamper(sql, async (broken) => {
      await broken`delete from audit_entry where id in (
        select entry_id from audit_seal where seal_number > ${cut})`;
      await broken`delete from audit_seal where seal_number > ${cut}`;
      await broken`delete from audit_signature where seal_number > ${cut}`;
    });
    const { exitCode, bad } = await verify(databaseUrl);
    expect({ exitCode, what: bad?.what }).toEqual({ exitCode: 1, what: 'cut off' });
    await addEntries(sql, firm.id, 9);
    await sealAll(databaseUrl, key);
    expect((await verify(databaseUrl)).bad?.what).toBe('rewritten');
  });

  test('that is older than the key is signed as it stands, once, and goes on', async () => {
    const databaseUrl = await ownDatabase();
    const firm = await makeFirm({ url: '', databaseUrl });
    await sealAll(databaseUrl);
    const sql = connect(databaseUrl);
    const [before] = await sql`select max(seal_number)::int as number from audit_seal`;
    const key = makeInstallationKey(keyFileOf(databaseUrl));
    await sealAll(databaseUrl, key);
    expect(await sql`select seal_number::int as at from audit_signature`).toEqual([
      { at: before?.number },
    ] as never);
    await addEntries(sql, firm.id, 2);
    await sealAll(databaseUrl, key);
    expect(await sql`select from audit_signature`).toHaveLength(2);
    expect((await verify(databaseUrl)).exitCode).toBe(0);
    await rewrite(sql, firm.id, 1);
    expect((await verify(databaseUrl)).bad?.what).toBe('rewritten');
    await sql.end();
  });
});

describe('A head kept elsewhere', () => {
  test('is printed by `audit head`, and proves by any of its forms that the log continues it', async () => {
    const { databaseUrl, firm, key, sql } = await signedDatabase();
    const text = (await run(databaseUrl, ['audit', 'head'])).out;
    const json = (await run(databaseUrl, ['audit', 'head', '--json'])).out;
    const [head] = JSON.parse(json).firms;
    expect(text).toContain(head.hash);
    const files = {
      'heads.txt': text,
      'heads.json': json,
      'log.ndjson': `{"event":"start"}\n${JSON.stringify({ level: 'info', event: 'audit head', ...head })}\n`,
      'export.ndjson': (await run(databaseUrl, ['audit', 'export'])).out,
    };
    const named = [head.hash, join(folder, `${Bun.randomUUIDv7()}.backup`)];
    await runJson(databaseUrl, ['backup', named[1]]);
    for (const [name, content] of Object.entries(files)) {
      const file = join(folder, `${Bun.randomUUIDv7()}-${name}`);
      await Bun.write(file, content);
      named.push(file);
    }
    await addEntries(sql, firm.id, 2);
    await sealAll(databaseUrl, key);
    for (const against of named) {
      const { exitCode, out, err } = await run(databaseUrl, [
        'audit',
        'verify',
        '--against',
        against,
      ]);
      expect([against, exitCode, err]).toEqual([against, 0, '']);
      expect(out).toContain('continue');
    }
    // Even who holds the key and everything beside it cannot make the chain continue the head.
    await rewrite(sql, firm.id, 2);
    await tamper(sql, (broken) => broken`delete from audit_signature`);
    for (const file of [key.file, `${key.file}.heads`]) rmSync(file);
    await sealAll(databaseUrl, makeInstallationKey(key.file));
    expect((await run(databaseUrl, ['audit', 'verify'])).exitCode).toBe(0);
    for (const against of named) {
      const ran = await run(databaseUrl, ['audit', 'verify', '--against', against]);
      expect([against, ran.exitCode]).toEqual([against, 1]);
    }
  });

  test('of another database, or none at all, is refused in words', async () => {
    const { databaseUrl } = await signedDatabase();
    const missing = await run(databaseUrl, ['audit', 'verify', '--against', '0'.repeat(64)]);
    expect(missing.exitCode).toBe(1);
    expect(missing.err).toContain('No log has the head');
    const file = join(folder, 'none.txt');
    await Bun.write(file, 'nothing here\n');
    expectSentence(
      await run(databaseUrl, ['audit', 'verify', '--against', file]),
      'no head of an audit log',
    );
    expectSentence(
      await run(databaseUrl, ['audit', 'verify', '--against', join(folder, 'nowhere')]),
      'does not exist',
    );
  });
});

describe('An export', () => {
  test('holds the signature of its head, which a program of others verifies by the public key', async () => {
    const { databaseUrl, key } = await signedDatabase();
    const file = join(folder, `${Bun.randomUUIDv7()}.ndjson`);
    await runJson(databaseUrl, ['audit', 'export', file]);
    const text = await Bun.file(file).text();
    const verified = async (content: string, publicKey: string) => {
      await Bun.write(file, content);
      const program = join(import.meta.dir, '../verify-export.ts');
      const child = Bun.spawn([process.execPath, program, file, publicKey], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      return { said: await child.stderr.text(), exitCode: await child.exited };
    };
    expect(await verified(text, key.publicKey)).toEqual({ said: '', exitCode: 0 });
    const other = makeInstallationKey(join(folder, `${Bun.randomUUIDv7()}.key`));
    expect((await verified(text, other.publicKey)).said).toContain('not signed by this key');
    const forged = text.replaceAll(key.publicKey, other.publicKey);
    expect((await verified(forged, other.publicKey)).said).toContain('does not fit');
  });
});

describe('The key of the installation', () => {
  test("is its owner's alone; one that others may read, or a link, is not taken", async () => {
    const { databaseUrl, key } = await signedDatabase();
    expect(statSync(key.file).mode & 0o777).toBe(0o600);
    expect(statSync(`${key.file}.heads`).mode & 0o777).toBe(0o600);
    chmodSync(key.file, 0o644);
    expectSentence(await run(databaseUrl, ['audit', 'verify']), 'may be read or changed by others');
    chmodSync(key.file, 0o600);
    renameSync(key.file, `${key.file}.moved`);
    symlinkSync(`${key.file}.moved`, key.file);
    expectSentence(await run(databaseUrl, ['audit', 'verify']), 'is a link');
    rmSync(key.file);
    await Bun.write(key.file, 'no key');
    chmodSync(key.file, 0o600);
    expectSentence(await run(databaseUrl, ['audit', 'verify']), 'holds no installation key');
  });

  test('is made again only when asked for', async () => {
    const { databaseUrl, key } = await signedDatabase();
    expectSentence(await run(databaseUrl, ['audit', 'key', '--new']), 'There is a key');
    rmSync(key.file);
    expectSentence(await run(databaseUrl, ['audit', 'key']), 'There is no key');
    const file = join(folder, `${Bun.randomUUIDv7()}.backup`);
    const { out } = await run(databaseUrl, ['backup', file]);
    expect(out).toContain('Not signed. The installation key');
    expect(existsSync(key.file)).toBe(false);
    const made = await runJson<{ publicKey: string }>(databaseUrl, ['audit', 'key', '--new']);
    expect(made.publicKey).not.toBe(key.publicKey);
    expect(statSync(key.file).mode & 0o777).toBe(0o600);
  });
});
