import { afterAll, describe, expect, test } from 'bun:test';
import { readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonicalJson, type StoredEntry, sealOf, textOf } from '../../../src/audit/chain.ts';
import type { Standing } from '../../../src/audit/verify.ts';
import { startCommand } from '../../support/backup.ts';
import { countUnsealed, sealAll, sealOnce, tamper } from '../../support/chain.ts';
import { connect, moveClock, ownDatabase } from '../../support/database.ts';
import { unknownId } from '../../support/expectations.ts';
import { makeFirm, startTestServer } from '../../support/firm.ts';
import { expectSentence, run, runJson } from '../../support/terminal.ts';
import { isWhole } from '../../support/whole.ts';

const folder = await mkdtemp(join(tmpdir(), 'matterhorn-chain-'));
afterAll(() => rm(folder, { recursive: true }));

const quill = { firstName: 'Zoe', lastName: 'Quill', email: 'zoe@quill.example' };

/** A database with a firm and some records, no server on it: nothing is sealed behind the test's back. */
const quietDatabase = async (leads = 3) => {
  const databaseUrl = await ownDatabase();
  const server = await startTestServer({ databaseUrl });
  const firm = await makeFirm(server);
  for (let lead = 0; lead < leads; lead += 1) await firm.owner.post('/v1/leads', quill);
  await server.stop();
  const sql = connect(databaseUrl);
  afterAll(() => sql.end());
  return { databaseUrl, firm, sql };
};

/** Entries made by hand, this many in each transaction. */
const addEntries = (sql: ReturnType<typeof connect>, firmId: string, count: number) =>
  sql`
    insert into audit_entry (firm_id, at, action, record_kind, record_id, request_id, changes)
    select ${firmId}, moment(), 'update', 'contact', gen_random_uuid(), 'by hand ' || n,
      jsonb_build_object('name', jsonb_build_object('before', n, 'after', 'Ünïcode “' || n || '”'))
    from generate_series(1, ${count}::int) n`;

const verify = async (databaseUrl: string, words: string[] = []) => {
  const ran = await run(databaseUrl, ['audit', 'verify', '--json', ...words]);
  return { ...ran, firms: (JSON.parse(ran.out) as { firms: Standing[] }).firms };
};

const firstBadOf = async (databaseUrl: string) => {
  const { exitCode, err, firms } = await verify(databaseUrl);
  const bad = firms.map(({ firstBad }) => firstBad).filter((firstBad) => firstBad !== null);
  if (bad.length > 0) expect({ exitCode, err }).toEqual({ exitCode: 1, err: expect.any(String) });
  else expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
  return bad[0];
};

describe('The seal of an entry', () => {
  test.each(['', 'x'])(
    'is the hash of the seal before and its text, also where that is made in pieces (%p)',
    async (first) => {
      const changes = { title: { before: null, after: `${first}${'😀"\n'.repeat(400_000)}` } };
      const entry: StoredEntry = {
        ...{ id: '7', xid: '8', at: 0, action: 'create', recordKind: 'matter' },
        ...{ recordId: unknownId, memberId: null, keyId: null, requestId: 'one' },
        changes: JSON.stringify(changes),
      };
      const before = '0'.repeat(64);
      const whole = new Bun.CryptoHasher('sha256').update(before + textOf(unknownId, entry));
      expect(await sealOf(before, unknownId, entry)).toBe(whole.digest('hex'));
    },
  );
});

describe('The canonical text of an entry', () => {
  test('is RFC 8785: sorted by UTF-16 units, no white space, texts and numbers as JavaScript prints them', () => {
    const given = JSON.parse(
      '{"\\u20ac":"Euro","\\r":"CR","\\ufb33":"Dalet","1":"One","\\ud83d\\ude00":"Smile","\\u0080":"Control","\\u00f6":"O",' +
        '"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/",' +
        '"literals":[null,true,false],"__proto__":{"b":1,"a":2}}',
    );
    expect(canonicalJson(given)).toBe(
      '{"\\r":"CR","1":"One","__proto__":{"a":2,"b":1},"literals":[null,true,false],' +
        '"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/","\u0080":"Control","ö":"O","€":"Euro","😀":"Smile","\ufb33":"Dalet"}',
    );
  });
});

describe('Sealing', () => {
  test('an entry waits for older transactions that are still open, and is sealed after theirs', async () => {
    const { databaseUrl, firm, sql } = await quietDatabase(0);
    await sealAll(databaseUrl);
    const slow = connect(databaseUrl);
    await slow`begin`;
    await addEntries(slow, firm.id, 1);
    await addEntries(sql, firm.id, 2);
    await sealOnce(databaseUrl);
    expect(await countUnsealed(databaseUrl)).toBe(2);
    await slow`commit`;
    await slow.end();
    await sealAll(databaseUrl);
    const order = await sql`
      select request_id from audit_entry entry join audit_seal seal using (firm_id)
      where seal.entry_id = entry.id order by seal_number desc limit 3`;
    expect(order.map((row) => row.request_id)).toEqual(['by hand 2', 'by hand 1', 'by hand 1']);
    expect(await firstBadOf(databaseUrl)).toBeUndefined();
  });

  test('a rolled-back write leaves no entry and no gap', async () => {
    const { databaseUrl, firm, sql } = await quietDatabase(0);
    await sql`begin`;
    await addEntries(sql, firm.id, 5);
    await sql`rollback`;
    await addEntries(sql, firm.id, 5);
    await sealAll(databaseUrl);
    const { firms } = await verify(databaseUrl);
    expect(firms[0]).toMatchObject({ unsealed: 0, firstBad: null });
    expect(firms[0]?.sealed).toBe(firms[0]?.entries as number);
  });

  test('several instances at once, while writes go on, make one chain per firm', async () => {
    const { databaseUrl, firm, sql } = await quietDatabase(0);
    const firmIds = [firm.id, ...Array.from({ length: 4 }, () => crypto.randomUUID())];
    let isWriting = true;
    const sealers = Array.from({ length: 4 }, async () => {
      while (isWriting) await sealOnce(databaseUrl);
    });
    for (let round = 0; round < 15; round += 1) {
      for (const firmId of firmIds) await addEntries(sql, firmId, 37);
    }
    isWriting = false;
    await Promise.all(sealers);
    await sealAll(databaseUrl);
    const { firms, exitCode } = await verify(databaseUrl);
    expect(exitCode).toBe(0);
    expect(firms).toHaveLength(5);
    for (const { entries, sealed, firstBad } of firms) {
      expect({ firstBad, lost: entries - sealed }).toEqual({ firstBad: null, lost: 0 });
      expect(entries).toBeGreaterThanOrEqual(15 * 37);
    }
  });

  test("a firm whose log was tampered with does not keep others' from being sealed", async () => {
    const { databaseUrl, firm, sql } = await quietDatabase();
    const other = crypto.randomUUID();
    await addEntries(sql, other, 3);
    await sealAll(databaseUrl);
    await tamper(
      sql,
      (broken) => broken`delete from audit_entry where (firm_id, id) in (
        select firm_id, entry_id from audit_seal where firm_id = ${firm.id}
        order by seal_number desc limit 1)`,
    );
    await addEntries(sql, firm.id, 3);
    await addEntries(sql, other, 3);
    await sealAll(databaseUrl);
    expect(await countUnsealed(databaseUrl)).toBe(0);
    const { firms } = await verify(databaseUrl);
    expect(firms.map(({ firstBad }) => firstBad?.what ?? null).sort()).toEqual(['missing', null]);
  });
});

describe('audit verify', () => {
  test('says how many entries are sealed, and the head, of every firm or the one asked for', async () => {
    // A server, however short it runs, might have sealed some of them.
    const databaseUrl = await ownDatabase();
    const firm = await makeFirm({ url: '', databaseUrl });
    const sql = connect(databaseUrl);
    afterAll(() => sql.end());
    const before = await verify(databaseUrl);
    expect(before).toMatchObject({ exitCode: 0, err: '' });
    const [{ entries } = { entries: 0 }] = before.firms;
    expect(before.firms).toEqual([
      {
        firmId: firm.id,
        entries,
        sealed: 0,
        unsealed: entries,
        head: null,
        signed: [],
        firstBad: null,
      },
    ]);
    await sealAll(databaseUrl);
    const [last] = await sql`select hash from audit_seal order by seal_number desc limit 1`;
    const sealed = {
      entries,
      sealed: entries,
      unsealed: 0,
      head: last?.hash,
      signed: [],
      firstBad: null,
    };
    expect((await verify(databaseUrl)).firms).toEqual([{ firmId: firm.id, ...sealed }]);
    await addEntries(sql, crypto.randomUUID(), 2);
    expect((await verify(databaseUrl)).firms).toHaveLength(2);
    expect((await verify(databaseUrl, ['--firm', firm.id])).firms).toHaveLength(1);
    const text = await run(databaseUrl, ['audit', 'verify']);
    expect(text.exitCode).toBe(0);
    expect(text.out).toContain(`${entries} entries, ${entries} sealed`);
    expect(text.out).toContain(last?.hash);
  });

  test('walks logs longer than a page', async () => {
    const { databaseUrl, firm, sql } = await quietDatabase(0);
    for (let round = 0; round < 9; round += 1) await addEntries(sql, firm.id, 333);
    await sealAll(databaseUrl);
    const [standing] = (await verify(databaseUrl)).firms;
    expect(standing).toMatchObject({ unsealed: 0, firstBad: null });
    expect(standing?.sealed).toBeGreaterThan(9 * 333);
    await tamper(
      sql,
      (broken) => broken`update audit_entry set request_id = 'by nobody' where (firm_id, id) in (
        select firm_id, entry_id from audit_seal where seal_number = 2345)`,
    );
    const [entry] = await sql`select entry_id from audit_seal where seal_number = 2345`;
    expect(await firstBadOf(databaseUrl)).toMatchObject({ id: entry?.entry_id, what: 'changed' });
  });

  const flips = isWhole ? 100 : columns.length;

  test(`finds one flipped bit anywhere, in any column of any entry or seal: ${flips} of ${flips}`, async () => {
    const { databaseUrl, sql, firm } = await quietDatabase(6);
    await addEntries(sql, crypto.randomUUID(), 4);
    await firm.command(['key', 'list']);
    await sealAll(databaseUrl);
    const found: string[] = [];
    for (let round = 0; found.length < flips; round += 1) {
      const flip = await flipOneBit(sql, columns[round % columns.length] as Column);
      if (!flip) continue;
      const bad = await firstBadOf(databaseUrl);
      if (!bad) throw new Error(`Not found: ${flip.what}`);
      found.push(bad.what);
      await flip.undo();
    }
    expect(found).toHaveLength(flips);
    expect(await firstBadOf(databaseUrl)).toBeUndefined();
  });

  test('names the entry, its record and what is wrong with it', async () => {
    const { databaseUrl, sql } = await quietDatabase(4);
    await sealAll(databaseUrl);
    const [one] = await sql`
      select entry.* from audit_entry entry join audit_seal seal using (firm_id)
      where seal.entry_id = entry.id and seal_number = 7`;
    const record = { recordKind: one?.record_kind, recordId: one?.record_id };
    const at = sql`firm_id = ${one?.firm_id} and id = ${one?.id}`;
    const sealAt = sql`firm_id = ${one?.firm_id} and entry_id = ${one?.id}`;
    const cases = [
      ['changed', record, sql`update audit_entry set action = 'create!' where ${at}`],
      ['changed', record, sql`update audit_entry set changes = '{}' where ${at}`],
      ['changed', record, sql`update audit_seal set hash = repeat('0', 64) where ${sealAt}`],
      ['missing', { recordKind: null, recordId: null }, sql`delete from audit_entry where ${at}`],
      ['unsealed', record, sql`delete from audit_seal where ${sealAt}`],
      ['out of order', record, sql`update audit_entry set xid = '9999999999' where ${at}`],
      ['out of order', record, sql`update audit_entry set xid = '9999999999999999999' where ${at}`],
    ] as const;
    for (const [what, names, change] of cases) {
      await sql.unsafe('create table kept as table audit_entry');
      await sql.unsafe('create table kept_seal as table audit_seal');
      await tamper(sql, (broken) => broken`${change}`);
      expect(await firstBadOf(databaseUrl)).toMatchObject({ id: one?.id, what, ...names });
      const text = await run(databaseUrl, ['audit', 'verify']);
      expect(text.exitCode).toBe(1);
      expect(text.out).toContain(`${what}: entry ${one?.id}`);
      await tamper(sql, async (restored) => {
        await restored`delete from audit_entry`;
        await restored`delete from audit_seal`;
        await restored`insert into audit_entry table kept`;
        await restored`insert into audit_seal table kept_seal`;
        await restored`drop table kept, kept_seal`;
      });
      expect(await firstBadOf(databaseUrl)).toBeUndefined();
    }
  });

  test('finds entries removed with their seals, also the last ones by a head kept elsewhere, and entries slipped in', async () => {
    const { databaseUrl, sql, firm } = await quietDatabase(4);
    await sealAll(databaseUrl);
    await tamper(sql, async (broken) => {
      await broken`create table kept as table audit_entry`;
      await broken`
        delete from audit_entry where id in (select entry_id from audit_seal where seal_number in (4, 5))`;
      await broken`delete from audit_seal where seal_number in (4, 5)`;
    });
    expect(await firstBadOf(databaseUrl)).toMatchObject({ what: 'missing', id: null });
    const other = await quietDatabase(1);
    await sealAll(other.databaseUrl);
    await tamper(
      other.sql,
      (broken) => broken`
        insert into audit_entry (firm_id, xid, at, action, record_kind, record_id, request_id, changes)
        select firm_id, xid, at, action, record_kind, record_id, 'slipped in', changes
        from audit_entry where id in (select entry_id from audit_seal where seal_number = 3)`,
    );
    expect(await firstBadOf(other.databaseUrl)).toMatchObject({ what: 'unsealed' });
    expect(firm.id).not.toBe(other.firm.id);
  });

  test('an entry is unsealed for too long when it is a minute old and the sealer has run since', async () => {
    const { databaseUrl, firm, sql } = await quietDatabase(0);
    await sealAll(databaseUrl);
    await addEntries(sql, firm.id, 1);
    const hour = 60 * 60;
    await moveClock(databaseUrl, hour);
    // No server was running, so nothing is wrong.
    expect(await firstBadOf(databaseUrl)).toBeUndefined();
    await sql`update job set run_at = moment() where kind = 'audit_seal'`;
    expect(await firstBadOf(databaseUrl)).toMatchObject({
      what: 'unsealed',
      recordKind: 'contact',
    });
    await sealAll(databaseUrl);
    expect(await firstBadOf(databaseUrl)).toBeUndefined();
  });

  test('is not misled by what is written and sealed while it walks', async () => {
    const { databaseUrl, firm, sql } = await quietDatabase(0);
    await addEntries(sql, firm.id, 3_000);
    await sealAll(databaseUrl);
    let isWriting = true;
    const writing = (async () => {
      while (isWriting) {
        await addEntries(sql, firm.id, 20);
        await Bun.sleep(5);
      }
    })();
    const sealing = (async () => {
      while (isWriting) await sealOnce(databaseUrl);
    })();
    for (let round = 0; round < 5; round += 1) {
      expect(await firstBadOf(databaseUrl)).toBeUndefined();
    }
    isWriting = false;
    await Promise.all([writing, sealing]);
  });
});

describe('audit export', () => {
  const byOthers = async (text: string, head?: string) => {
    const file = join(folder, `${Bun.randomUUIDv7()}.ndjson`);
    await Bun.write(file, text);
    const program = join(import.meta.dir, '../verify-export.ts');
    const child = Bun.spawn([process.execPath, program, file, ...(head ? [head] : [])], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = await new Response(child.stderr).text();
    return { exitCode: await child.exited, said };
  };

  test('verifies without this program; a line changed, removed, moved or added does not', async () => {
    const { databaseUrl, sql, firm } = await quietDatabase(5);
    const odd = { lineSeparator: '\u2028', quoted: '"\\/\u0007', astral: '😀', number: 1e21 };
    await sql`
      insert into audit_entry (firm_id, at, action, record_kind, record_id, request_id, changes)
      values (${firm.id}, moment(), 'update', 'contact', ${unknownId}, '\u2028', ${sql.json(odd)})`;
    await sealAll(databaseUrl);
    await addEntries(sql, firm.id, 2);
    const { out, exitCode } = await run(databaseUrl, ['audit', 'export', '-']);
    expect(exitCode).toBe(0);
    expect(await byOthers(out)).toEqual({ exitCode: 0, said: '' });

    const lines = out.trimEnd().split('\n');
    const { head } = JSON.parse(lines.at(-1) ?? '');
    expect(head).toMatchObject({
      firmId: firm.id,
      entries: lines.length - 1,
      sealed: lines.length - 3,
    });
    const without = (index: number) => lines.filter((_, place) => place !== index);
    const tampered = [
      without(4),
      without(0),
      without(lines.length - 1),
      lines.with(2, lines[3] ?? '').with(3, lines[2] ?? ''),
      lines.toSpliced(3, 0, lines[3] ?? ''),
      lines.with(5, (lines[5] ?? '').replace('"create"', '"update"')),
      lines.with(5, (lines[5] ?? '').replace(/"xid":"\d/, '"xid":"')),
      lines.with(
        lines.length - 1,
        JSON.stringify({ head: { ...head, hash: head.hash.replace(/^./, 'x') } }),
      ),
    ];
    for (let round = 0; round < 20; round += 1) tampered.push(flipDigit(lines, round * 7));
    for (const version of tampered) {
      expect((await byOthers(`${version.join('\n')}\n`)).exitCode).toBe(1);
    }
  });

  test('writes the same to a file; a head kept from earlier proves that nothing before it is gone', async () => {
    const { databaseUrl, sql, firm } = await quietDatabase(2);
    await sealAll(databaseUrl);
    const first = (await run(databaseUrl, ['audit', 'export', '-'])).out;
    const { head } = JSON.parse(first.trimEnd().split('\n').at(-1) ?? '');
    await addEntries(sql, firm.id, 3);
    await sealAll(databaseUrl);
    const file = join(folder, 'later.ndjson');
    expect(await runJson(databaseUrl, ['audit', 'export', file])).toEqual({ file });
    const later = await Bun.file(file).text();
    expect(later).toBe((await run(databaseUrl, ['audit', 'export'])).out);
    expect(await byOthers(later, head.hash)).toEqual({ exitCode: 0, said: '' });
    // Without the last entry and its seal the chain fits, and the head says that it is another one.
    await tamper(sql, async (broken) => {
      const [last] = await broken`
        delete from audit_seal where seal_number > ${head.sealed - 1} returning entry_id`;
      expect(last).toBeDefined();
      await broken`delete from audit_entry where not exists (
        select from audit_seal where entry_id = audit_entry.id)`;
    });
    expect(await firstBadOf(databaseUrl)).toBeUndefined();
    const shorter = (await run(databaseUrl, ['audit', 'export'])).out;
    expect((await byOthers(shorter)).exitCode).toBe(0);
    expect((await byOthers(shorter, head.hash)).exitCode).toBe(1);
  });
});

describe('The file of an audit export', () => {
  test("is its owner's alone, new, and there as a whole or not at all", async () => {
    const { databaseUrl } = await quietDatabase(3);
    const place = await mkdtemp(join(folder, 'export-'));
    const file = join(place, 'log.ndjson');
    expect((await run(databaseUrl, ['audit', 'export', file])).exitCode).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const before = await Bun.file(file).text();
    expectSentence(await run(databaseUrl, ['audit', 'export', file]), `${file} is there already`);
    expect(await Bun.file(file).text()).toBe(before);

    const large = join(place, 'large.ndjson');
    const program = join(import.meta.dir, '../../../src/main.ts');
    const line = `trap '' XFSZ; ulimit -f 1; exec ${process.execPath} ${program} audit export ${large}`;
    const child = Bun.spawn(['sh', '-c', line], {
      env: { ...process.env, DATABASE_URL: databaseUrl },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    const sentence = `The file ${large}.unfinished would be larger than this user or disk allows.`;
    expectSentence({ exitCode: await child.exited, out, err }, sentence);
    expect(readdirSync(place)).toEqual(['log.ndjson']);
  });

  test('is not there, nor a part of it, when the export is stopped', async () => {
    const { databaseUrl, sql } = await quietDatabase(3);
    const place = await mkdtemp(join(folder, 'stopped-'));
    const ran = await sql.begin(async (holding) => {
      await holding`lock table audit_seal`;
      const command = startCommand(databaseUrl, ['audit', 'export', join(place, 'log.ndjson')]);
      while (readdirSync(place).length === 0) await Bun.sleep(10);
      expect(readdirSync(place)).toEqual(['log.ndjson.unfinished']);
      return command.end('SIGINT');
    });
    expectSentence(ran, 'Stopped. Everything is as it was before.');
    expect(readdirSync(place)).toEqual([]);
  });
});

/** Changes one hexadecimal digit or letter of an entry's line, other than in names of members. */
const flipDigit = (lines: string[], line: number) => {
  const index = line % (lines.length - 3);
  const text = lines[index] ?? '';
  const id = /"recordId":"([0-9a-f-]+)"/.exec(text)?.[1] ?? '';
  const at = line % 8;
  const flipped = id.slice(0, at) + (id[at] === '0' ? '1' : '0') + id.slice(at + 1);
  return lines.with(index, text.replace(id, flipped));
};

type Column = { table: 'audit_entry' | 'audit_seal'; name: string; flip: (text: string) => string };

const randomBelow = (limit: number) => Math.floor(Math.random() * limit);

const flipInteger = (text: string) =>
  String(BigInt.asIntN(64, BigInt(text) ^ (1n << BigInt(randomBelow(64)))));
const flipUnsigned = (text: string) =>
  String(BigInt.asUintN(64, BigInt(text) ^ (1n << BigInt(randomBelow(64)))));
const flipUuid = (text: string) => {
  const places = [...text].flatMap((character, place) => (character === '-' ? [] : [place]));
  const place = places[randomBelow(places.length)] ?? 0;
  const digit = Number.parseInt(text[place] ?? '0', 16) ^ (1 << randomBelow(4));
  return text.slice(0, place) + digit.toString(16) + text.slice(place + 1);
};
/** One of the low bits of one byte that stays a byte of ASCII. */
const flipText = (text: string): string => {
  const place = randomBelow(text.length);
  const code = text.charCodeAt(place) ^ (1 << randomBelow(5));
  return code > 127
    ? flipText(text)
    : text.slice(0, place) + String.fromCharCode(code) + text.slice(place + 1);
};
const flipMoment = (text: string) =>
  new Date((new Date(text).getTime() ^ (1 << randomBelow(30))) | 0).toISOString();
/** A bit that leaves it JSON, of another value. */
const flipJson = (text: string): string => {
  for (;;) {
    const flipped = flipText(text);
    try {
      if (!Bun.deepEquals(JSON.parse(flipped), JSON.parse(text))) return flipped;
    } catch {}
  }
};

const columns: Column[] = [
  ...(['firm_id', 'record_id', 'member_id', 'key_id'] as const).map((name) => ({
    table: 'audit_entry' as const,
    name,
    flip: flipUuid,
  })),
  ...(['action', 'record_kind', 'request_id'] as const).map((name) => ({
    table: 'audit_entry' as const,
    name,
    flip: flipText,
  })),
  { table: 'audit_entry', name: 'id', flip: flipInteger },
  { table: 'audit_entry', name: 'xid', flip: flipUnsigned },
  { table: 'audit_entry', name: 'at', flip: flipMoment },
  { table: 'audit_entry', name: 'changes', flip: flipJson },
  { table: 'audit_seal', name: 'firm_id', flip: flipUuid },
  { table: 'audit_seal', name: 'seal_number', flip: flipInteger },
  { table: 'audit_seal', name: 'entry_id', flip: flipInteger },
  { table: 'audit_seal', name: 'hash', flip: flipText },
];

/** Flips a bit of this column in a row drawn by lot; undefined where Postgres itself refuses it. */
const flipOneBit = async (sql: ReturnType<typeof connect>, { table, name, flip }: Column) => {
  const [row] = await sql.unsafe(
    `select ctid::text as place, ${name}::text as text from ${table} where ${name} is not null order by random() limit 1`,
  );
  if (!row) return undefined;
  const text = flip(row.text);
  const type = name === 'changes' ? '::jsonb' : name === 'at' ? '::timestamptz' : '';
  const set = async (from: string, value: string) => {
    let place = '';
    await tamper(sql, async (broken) => {
      const [moved] = await broken.unsafe(
        `update ${table} set ${name} = $1::text${type || `::${typeOf[name] ?? 'text'}`} where ctid = $2::tid returning ctid::text as place`,
        [value, from],
      );
      place = moved?.place;
    });
    return place;
  };
  try {
    const place = await set(row.place, text);
    return {
      what: `${table}.${name} from ${row.text} to ${text}`,
      undo: () => set(place, row.text),
    };
  } catch (error) {
    if ((error as { code?: string }).code === '23505') return undefined;
    throw error;
  }
};

const typeOf: Record<string, string> = {
  firm_id: 'uuid',
  record_id: 'uuid',
  member_id: 'uuid',
  key_id: 'uuid',
  id: 'bigint',
  xid: 'xid8',
  seal_number: 'bigint',
  entry_id: 'bigint',
};
