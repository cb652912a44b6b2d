/** What a restore refuses, each with a sentence, and the database is as it was. */
import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { complaintsOf, expectRefused, ownFolder } from '../support/backup.ts';
import { sealAll, tamper } from '../support/chain.ts';
import { connect, emptyDatabase, ownDatabase } from '../support/database.ts';
import { makeFirm, startTestServer } from '../support/firm.ts';
import { keyFileOf, run, runJson } from '../support/terminal.ts';

const folder = await ownFolder();

/** A small firm's backup, made once; `bytes` as they lie in the file. */
const whole = await (async () => {
  const databaseUrl = await ownDatabase();
  await makeFirm({ url: '', databaseUrl });
  const file = join(folder, 'whole.backup');
  await runJson(databaseUrl, ['backup', file]);
  return { databaseUrl, file, bytes: Buffer.from(await Bun.file(file).bytes()) };
})();

const written = async (name: string, bytes: Uint8Array) => {
  const file = join(folder, name);
  await Bun.write(file, bytes);
  return file;
};

/** The backup with its text replaced, sound as a file. */
const rewritten = async (name: string, change: (text: string) => string) => {
  const { bytes } = whole;
  const changed = change(Bun.zstdDecompressSync(bytes).toString());
  const text = changed.slice(0, changed.lastIndexOf('{"end"'));
  const sha256 = new Bun.CryptoHasher('sha256').update(text).digest('hex');
  return written(name, Bun.zstdCompressSync(`${text}${JSON.stringify({ end: { sha256 } })}\n`));
};

/** What a file unpacks to; undefined if it does not. */
const unpacked = (bytes: Buffer) => {
  try {
    return Bun.zstdDecompressSync(bytes);
  } catch {
    return undefined;
  }
};

const tablesIn = async (databaseUrl: string) => {
  const sql = connect(databaseUrl);
  const rows = await sql`select tablename from pg_tables where schemaname in ('public', 'drizzle')`;
  await sql.end();
  return rows.length;
};

describe('A restore refuses', () => {
  test('a file that is damaged at any place, cut off, or longer than it was', async () => {
    const { bytes } = whole;
    const target = await emptyDatabase();
    let refused = 0;
    const places = [12, 30, 0.25, 0.5, 0.75, bytes.length - 5, bytes.length - 1];
    for (const place of places.map((one) => (one < 1 ? Math.floor(one * bytes.length) : one))) {
      const damaged = Buffer.from(bytes);
      damaged[place] = (damaged[place] ?? 0) ^ 0x10;
      // A few bits of a compressed file mean nothing: without them it holds the same text.
      if (unpacked(damaged)?.equals(Bun.zstdDecompressSync(bytes))) continue;
      refused += 1;
      const file = await written('damaged.backup', damaged);
      expectRefused(await run(target, ['restore', file]), 'damaged or cut off');
    }
    expect(refused).toBeGreaterThanOrEqual(places.length - 2);
    for (const length of [
      5,
      100,
      Math.floor(bytes.length / 2),
      bytes.length - 4,
      bytes.length - 1,
    ]) {
      const file = await written('cut.backup', bytes.subarray(0, length));
      expectRefused(await run(target, ['restore', file]), 'damaged or cut off');
    }
    const longer = await written('longer.backup', Buffer.concat([bytes, Buffer.from('x')]));
    expectRefused(await run(target, ['restore', longer]), 'damaged or cut off');
    // Whole lines cut off, and the rest packed well.
    const text = Bun.zstdDecompressSync(bytes).toString().split('\n');
    for (const lines of [1, 2, text.length - 10, text.length - 2]) {
      const packed = Bun.zstdCompressSync(`${text.slice(0, lines).join('\n')}\n`);
      const file = await written('lines.backup', packed);
      expectRefused(await run(target, ['restore', file]), 'damaged or cut off');
    }
    expect(await tablesIn(target)).toBe(0);
  });

  test('what is no backup', async () => {
    const target = await emptyDatabase();
    const texts = ['', 'x', '{"matterhorn":"backup"}', '\x28\xb5\x2f'];
    for (const text of texts) {
      const file = await written('no.backup', Buffer.from(text, 'latin1'));
      expectRefused(await run(target, ['restore', file]), 'is not a backup of Matterhorn');
    }
    for (const text of ['hello\n', '{}\n', 'null\n', '{"matterhorn":"audit"}\n[]\n']) {
      const file = await written('no.backup', Bun.zstdCompressSync(text));
      expectRefused(await run(target, ['restore', file]), 'is not a backup of Matterhorn');
    }
    expectRefused(await run(target, ['restore', join(folder, 'nothing')]), 'does not exist');
    expectRefused(await run(target, ['restore', folder]), 'is a folder');
    expect(await tablesIn(target)).toBe(0);
  });

  test('what a newer Matterhorn made', async () => {
    const target = await emptyDatabase();
    const format = await rewritten('format.backup', (text) =>
      text.replace('"format":2', '"format":3'),
    );
    expectRefused(await run(target, ['restore', format]), 'newer Matterhorn');
    const schema = await rewritten('schema.backup', (text) =>
      text.replace(/"migration":\d+/, '"migration":9999999999999'),
    );
    expectRefused(await run(target, ['restore', schema, '--unsigned']), 'newer Matterhorn');
    expect(await tablesIn(target)).toBe(0);
  });

  test('rows that are not those that were backed up, though the file is sound', async () => {
    const changes: [what: string, change: (text: string) => string, sentence: string][] = [
      [
        'another value',
        (text) => text.replace('"name":"Ada Harrow"', '"name":"Ada Harlow"'),
        'The table member did not come out as it was backed up',
      ],
      [
        'a row less',
        (text) =>
          text
            .replace(/("name":"audit_entry","rows":)(\d+)/, (_, name, rows) => `${name}${rows - 1}`)
            .replace(/(\n\{"table":"audit_entry"\})\n[^\n]*/, '$1'),
        'The table audit_entry did not come out as it was backed up',
      ],
      [
        'a row twice',
        (text) =>
          text
            .replace(
              /("name":"member","rows":)(\d+)/,
              (_, name, rows) => `${name}${Number(rows) + 1}`,
            )
            .replace(/(\n\{"table":"member"\})(\n[^\n]*)/, '$1$2$2'),
        'do not fit together',
      ],
      [
        'a reference that leads nowhere',
        (text) => text.replace(/"id":"[^"]*"(,"name":"Owner")/, `"id":"${Bun.randomUUIDv7()}"$1`),
        'do not fit together',
      ],
      [
        'a value of another type',
        (text) => text.replace('"holds_all":true', '"holds_all":"maybe"'),
        'do not fit together',
      ],
      [
        'another end of the audit log',
        (text) => text.replace(/"seals":"\d+"/, '"seals":"7"'),
        'does not end where the backup says',
      ],
    ];
    const text = Bun.zstdDecompressSync(whole.bytes).toString();
    for (const [what, change, sentence] of changes) {
      expect([what, change(text) === text]).toEqual([what, false]);
      const target = await emptyDatabase();
      const file = await rewritten('changed.backup', change);
      expectRefused(await run(target, ['restore', file, '--unsigned']), sentence);
      expect([what, await tablesIn(target)]).toEqual([what, 0]);
    }
    const file = await rewritten('unchanged.backup', (text) => text);
    const target = await emptyDatabase();
    expectRefused(await run(target, ['restore', file]), 'is not signed');
    expect(await tablesIn(target)).toBe(0);
    const restored = await run(target, ['restore', file, '--unsigned']);
    const complaints = complaintsOf(restored);
    expect({ exitCode: restored.exitCode, complaints }).toEqual({ exitCode: 0, complaints: '' });
    expect(restored.out).toContain('Not signed');
  });

  test('to overwrite: a firm, or anything else that is there', async () => {
    const { databaseUrl, file } = whole;
    const before = await runJson(databaseUrl, ['firm', 'list']);
    expectRefused(await run(databaseUrl, ['restore', file]), 'never overwrites');
    expect(await runJson<unknown>(databaseUrl, ['firm', 'list'])).toEqual(before);
    const foreign = await emptyDatabase();
    const sql = connect(foreign);
    await sql`create table contact as select 'of another program' as name`;
    expectRefused(await run(foreign, ['restore', file]), 'never overwrites');
    expect(await sql`select name from contact`).toHaveLength(1);
    await sql.end();
    expectRefused(await run(databaseUrl, ['backup', file]), 'is there already');
    expect(existsSync(`${file}.unfinished`)).toBe(false);
  });

  test('a database where a server is at work, and takes it once that is stopped', async () => {
    const { file } = whole;
    const target = await ownDatabase();
    const server = await startTestServer({ databaseUrl: target });
    while (!(await fetch(`${server.url}/readyz`)).ok) await Bun.sleep(20);
    const sql = connect(target);
    // The server's own jobs are there now.
    while ((await sql`select from job`).length === 0) await Bun.sleep(20);
    expectRefused(await run(target, ['restore', file]), 'Stop it, then restore.');
    expect(await sql`select from firm`).toHaveLength(0);
    await server.stop();
    expect((await run(target, ['restore', file])).exitCode).toBe(0);
    expect(await sql`select from firm`).toHaveLength(1);
    await sql.end();
  });
});

describe('The signature of a backup', () => {
  test('says which installation made it; what was changed or forged since is refused', async () => {
    const { databaseUrl, file, bytes } = whole;
    const own = await runJson<{ fingerprint: string }>(databaseUrl, ['audit', 'key']);
    const target = await emptyDatabase();
    const wrong = ['restore', file, '--signed-by', '0'.repeat(32)];
    expectRefused(await run(target, wrong), `signed by key ${own.fingerprint}`);
    const forged = await written(
      'forged.backup',
      Bun.zstdCompressSync(
        Bun.zstdDecompressSync(bytes)
          .toString()
          .replace(
            /"signature":"./,
            (start) => start.slice(0, -1) + (start.endsWith('A') ? 'B' : 'A'),
          ),
      ),
    );
    expectRefused(await run(target, ['restore', forged, '--unsigned']), 'signature');
    expect(await tablesIn(target)).toBe(0);

    const elsewhere = await run(target, ['restore', file, '--signed-by', own.fingerprint]);
    expect(elsewhere.exitCode).toBe(0);
    expect(elsewhere.out).toContain(`Signed by another installation: key ${own.fingerprint}`);
    const next = await runJson<{ fingerprint: string }>(target, ['audit', 'key']);
    expect(next.fingerprint).not.toBe(own.fingerprint);
    expect(elsewhere.out).toContain(`signed by key ${next.fingerprint}`);

    const again = await emptyDatabase();
    const keyFile = { INSTALLATION_KEY: keyFileOf(databaseUrl) };
    const here = await run(again, ['restore', file], '', keyFile);
    expect(here.out).toContain(`Signed by this installation, key ${own.fingerprint}`);
  });

  test('is not what keeps a file from filling the machine: it may not unpack to more than it states', async () => {
    const text = Bun.zstdDecompressSync(whole.bytes).toString();
    const [manifest = ''] = text.split('\n');
    const bombs = {
      'one line': `${manifest}\n${' '.repeat(300_000_000)}`,
      'many lines': `${manifest}\n${'{}\n'.repeat(5_000_000)}`,
      'no manifest': '{'.repeat(300_000_000),
    };
    for (const [name, content] of Object.entries(bombs)) {
      const file = await written('bomb.backup', Bun.zstdCompressSync(content));
      const target = await emptyDatabase();
      expectRefused(await run(target, ['restore', file, '--unsigned']), 'more than it states');
      expect([name, await tablesIn(target)]).toEqual([name, 0]);
    }
  });
});

describe('Data that did not add up when it was backed up', () => {
  test('is refused, named, and restored all the same with --anyway', async () => {
    const databaseUrl = await ownDatabase();
    const firm = await makeFirm({ url: '', databaseUrl });
    await sealAll(databaseUrl);
    const sql = connect(databaseUrl);
    await tamper(
      sql,
      (transaction) => transaction`update audit_entry set request_id = 'other'
      where id = (select min(id) + 2 from audit_entry)`,
    );
    await sql`update register set live = live + 1 where kind = 'practice_area'`;
    await sql`select setval('audit_entry_id_seq', 1)`;
    await sql.end();
    const file = join(folder, 'unsound.backup');
    await runJson(databaseUrl, ['backup', file]);
    const target = await emptyDatabase();
    expectRefused(await run(target, ['restore', file]), '--anyway');
    expect(await tablesIn(target)).toBe(0);
    const proof = await runJson<{ findings: string[] }>(target, ['restore', file, '--anyway']);
    expect(proof.findings).toEqual([
      `The register of firm ${firm.id} does not count its practice_area records.`,
      'The sequence audit_entry_id_seq is behind its column.',
      expect.stringContaining(`The audit log of firm ${firm.id} does not fit its seals`),
    ]);
    expect((await run(target, ['audit', 'verify'])).exitCode).toBe(1);
  });
});

describe('A backup refuses', () => {
  test('if there is nothing to back up, or no place for it', async () => {
    const { databaseUrl } = whole;
    const file = join(folder, 'none.backup');
    expectRefused(await run(await emptyDatabase(), ['backup', file]), 'nothing to back up');
    expectRefused(
      await run(databaseUrl, ['backup', join(folder, 'no', 'x')]),
      'There is no folder',
    );
    mkdirSync(join(folder, 'taken'));
    expectRefused(await run(databaseUrl, ['backup', join(folder, 'taken')]), 'is there already');
    expect(existsSync(file) || existsSync(`${file}.unfinished`)).toBe(false);
    expect((await run(databaseUrl, ['backup'])).exitCode).toBe(2);
    expect((await run(databaseUrl, ['restore', 'a', 'b'])).exitCode).toBe(2);
  });
});
