import { describe, expect, test } from 'bun:test';
import { scopes } from '../../src/contents.ts';
import { connect, moveClock, ownDatabase, sharedDatabase } from '../support/database.ts';
import { attorney, caller, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { run } from '../support/terminal.ts';

const databaseUrl = await sharedDatabase();
const server = await startTestServer({ databaseUrl });

type Made = { id: string; key: string; name: string; scopes: string[]; expiresAt: string | null };
type Rotated = Made & { replaces: { id: string; expiresAt: string } };
type Listed = Made & {
  member: string;
  state: string;
  createdAt: string;
  lastUsedAt: string | null;
};

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

const rotate = (firm: Firm, id: string, ...words: string[]) =>
  firm.command<Rotated>(['key', 'rotate', id, ...words]);
const keysOf = (firm: Firm) => firm.command<Listed[]>(['key', 'list']);
const statusOf = async (key: string, at = server) =>
  (await caller(at.url, key).get('/v1/contacts')).status;

/** Fails with one sentence that holds this, and changes nothing. */
const expectRefused = async (firm: Firm, words: string[], sentence: string, url = databaseUrl) => {
  const before = await keysOf(firm);
  const ran = await run(url, ['key', 'rotate', ...words, '--firm', firm.id]);
  const exitCode = sentence.startsWith('--') ? 2 : 1;
  expect({ exitCode: ran.exitCode, out: ran.out }).toEqual({ exitCode, out: '' });
  expect(ran.err).toMatch(/^(--)?[A-Za-z].*\.\n$/);
  expect(ran.err).toContain(sentence);
  expect(await keysOf(firm)).toEqual(before);
};

describe('key rotate', () => {
  test('gives a new key for the same member, name and scopes, once, and says when the old one ends', async () => {
    const firm = await makeFirm(server);
    const words = ['key', 'create', '--member', attorney, '--name', 'Website form', '--scope'];
    const old = await firm.command<Made>([...words, 'contacts:read', 'leads:read']);
    const began = Date.now();
    const made = await rotate(firm, old.id);
    expect(made).toEqual({
      id: expect.any(String),
      key: expect.stringMatching(/^mh_[0-9A-Za-z]{36}$/),
      name: 'Website form',
      scopes: ['contacts:read', 'leads:read'],
      expiresAt: expect.stringMatching(/Z$/),
      replaces: { id: old.id, expiresAt: expect.stringMatching(/Z$/) },
    });
    expect(made.key).not.toBe(old.key);
    expect(made.id).not.toBe(old.id);
    const graceDays = (Date.parse(made.replaces.expiresAt) - began) / 1000 / day;
    expect(graceDays).toBeWithin(0.99, 1.01);
    const keys = (await keysOf(firm)).filter(({ name }) => name === 'Website form');
    expect(keys).toMatchObject([
      { id: old.id, member: attorney, state: 'expiring', expiresAt: made.replaces.expiresAt },
      {
        id: made.id,
        member: attorney,
        state: 'live',
        scopes: old.scopes,
        expiresAt: made.expiresAt,
      },
    ]);
    expect(JSON.stringify(keys)).not.toContain(made.key);
    const text = await run(databaseUrl, ['key', 'rotate', made.id, '--firm', firm.id]);
    expect(text.out).toMatch(/^mh_[0-9A-Za-z]{36}\n.*shown once.*\nThe old key ends .*\n$/);
    expect(text.err).toBe('');
  });

  test('both are good until the grace ends, and then the new one alone', async () => {
    const own = await ownDatabase();
    const there = await startTestServer({ databaseUrl: own });
    const firm = await makeFirm(there);
    const made = await rotate(firm, firm.owner.keyId, '--grace', '90m');
    const statuses = async () => [
      await statusOf(firm.owner.key, there),
      await statusOf(made.key, there),
    ];
    expect(await statuses()).toEqual([200, 200]);
    await moveClock(own, 89 * minute);
    expect(await statuses()).toEqual([200, 200]);
    await moveClock(own, 91 * minute);
    expect(await statuses()).toEqual([401, 200]);
    const states = (await keysOf(firm)).map(({ id, state }) => [id, state]);
    expect(states).toEqual([
      [firm.owner.keyId, 'expired'],
      [made.id, 'live'],
    ]);
  });

  test('the new key gets the same lifetime from now on; a key that never expires stays so', async () => {
    const own = await ownDatabase();
    const firm = await makeFirm({ url: '', databaseUrl: own });
    const words = ['key', 'create', '--member', owner, '--scope', 'leads:read', '--expires'];
    const never = await firm.command<Made>([...words, 'never']);
    await moveClock(own, 300 * day);
    expect((await rotate(firm, never.id)).expiresAt).toBeNull();
    const made = await rotate(firm, firm.owner.keyId);
    const [old] = (await keysOf(firm)).filter(({ id }) => id === firm.owner.keyId);
    const life = Date.parse(made.expiresAt ?? '') - Date.parse(old?.createdAt ?? '');
    expect(life / 1000 / day).toBeWithin(300 + 364.9, 300 + 365.1);
  });

  test('--grace 0 ends the old key at once; an old key never ends later than it would have', async () => {
    const own = await ownDatabase();
    const there = await startTestServer({ databaseUrl: own });
    const firm = await makeFirm(there);
    const made = await rotate(firm, firm.owner.keyId, '--grace', '0');
    expect([await statusOf(firm.owner.key, there), await statusOf(made.key, there)]).toEqual([
      401, 200,
    ]);
    await moveClock(own, 360 * day);
    const again = await rotate(firm, made.id, '--grace', '30d');
    expect(again.replaces).toEqual({ id: made.id, expiresAt: made.expiresAt as string });
    await moveClock(own, 366 * day);
    expect([await statusOf(made.key, there), await statusOf(again.key, there)]).toEqual([401, 200]);
  });

  test('--grace takes minutes, hours and days, at most thirty days', async () => {
    const firm = await makeFirm(server);
    let id = firm.owner.keyId;
    const times: [string, number][] = [
      ...([
        ['0m', 0],
        ['1m', minute],
        ['1h', hour],
        ['24h', day],
        ['7d', 7 * day],
        ['30d', 30 * day],
      ] as const),
    ].map(([text, seconds]) => [text, seconds]);
    for (const [text, seconds] of times) {
      const began = Date.now();
      const made = await rotate(firm, id, '--grace', text);
      const took = (Date.parse(made.replaces.expiresAt) - began) / 1000;
      expect(took).toBeWithin(seconds - 5, seconds + 60);
      id = made.id;
    }
    for (const wrong of ['', '1', '1y', '-1h', '1.5h', '31d', '721h', '99999d', 'h', '1 h', '1H']) {
      await expectRefused(firm, [id, `--grace=${wrong}`], '--grace must be');
    }
  });

  test('a revoked, an expired and a rotated key are refused, and so is one that is none of the firm', async () => {
    const own = await ownDatabase();
    const firm = await makeFirm({ url: '', databaseUrl: own });
    const other = await makeFirm({ url: '', databaseUrl: own });
    const refused = (id: string, sentence: string) => expectRefused(firm, [id], sentence, own);
    for (const id of [other.owner.keyId, '019f0000-0000-7000-8000-000000000000', 'x']) {
      await refused(id, 'matterhorn key list');
    }
    const made = await rotate(firm, firm.owner.keyId, '--grace', '7d');
    await refused(firm.owner.keyId, `Rotate ${made.id} instead.`);
    await firm.command(['key', 'revoke', made.id]);
    await refused(made.id, 'This key is revoked and cannot be rotated.');
    await moveClock(own, 8 * day);
    await refused(firm.owner.keyId, 'This key is expired and cannot be rotated.');
    expect(await keysOf(other)).toMatchObject([{ id: other.owner.keyId, state: 'live' }]);
  });

  test('rotated twice at the same moment it is rotated once', async () => {
    const firm = await makeFirm(server);
    const ran = await Promise.all(
      Array.from({ length: 4 }, () =>
        run(databaseUrl, ['key', 'rotate', firm.owner.keyId, '--firm', firm.id]),
      ),
    );
    expect(ran.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1, 1, 1]);
    expect(await keysOf(firm)).toHaveLength(2);
  });

  test('a member with fifty live keys has no room for one more, but for one in the place of another', async () => {
    const firm = await makeFirm(server);
    for (let made = 1; made < 50; made += 1) await firm.callerOf(owner, ['leads:read']);
    await expectRefused(firm, [firm.owner.keyId], '50 live keys');
    expect(await statusOf(firm.owner.key)).toBe(200);
    const made = await rotate(firm, firm.owner.keyId, '--grace', '0');
    expect([await statusOf(firm.owner.key), await statusOf(made.key)]).toEqual([401, 200]);
  });

  test('the audit log has the new key and the end of the old one, and neither of the keys', async () => {
    const firm = await makeFirm(server);
    type Entry = { action: string; recordKind: string; recordId: string; changes: object };
    const list = () => firm.command<Entry[]>(['audit', 'list']);
    const before = (await list()).length;
    const made = await rotate(firm, firm.owner.keyId, '--grace', '1h');
    const entries = (await list()).slice(before);
    expect(
      entries.map(({ action, recordKind, recordId }) => [action, recordKind, recordId]),
    ).toEqual([
      ['update', 'api_key', firm.owner.keyId],
      ['create', 'api_key', made.id],
    ]);
    expect(entries[0]?.changes).toEqual({
      expiresAt: { before: expect.any(String), after: made.replaces.expiresAt },
    });
    expect(entries[1]?.changes).toMatchObject({
      replaces: { before: null, after: firm.owner.keyId },
      familyId: { before: null, after: firm.owner.keyId },
      scopes: { before: null, after: [...scopes] },
    });
    expect(JSON.stringify(entries)).not.toContain(made.key);
    expect(JSON.stringify(entries)).not.toContain(firm.owner.key);
  });
});

describe('doctor', () => {
  test('warns of a key about to expire and says how to rotate it, and no longer once that is done', async () => {
    const own = await ownDatabase();
    const firm = await makeFirm({ url: '', databaseUrl: own });
    await moveClock(own, 340 * day);
    type Findings = { findings: { level: string; what: string; do: string }[] };
    const ofKeys = async () =>
      (JSON.parse((await run(own, ['doctor', '--json'])).out) as Findings).findings.filter(
        ({ what }) => what.startsWith('The key'),
      );
    expect(await ofKeys()).toMatchObject([
      {
        level: 'warning',
        what: expect.stringContaining(owner),
        do: `Put a new one in its place with \`matterhorn key rotate ${firm.owner.keyId}\`.`,
      },
    ] as never);
    await rotate(firm, firm.owner.keyId, '--grace', '7d');
    expect(await ofKeys()).toEqual([]);
  });
});

describe('A key and those it was rotated from are one caller', () => {
  test('a POST repeated with the new key gets the first answer, and creates nothing twice', async () => {
    const firm = await makeFirm(server);
    const stranger = await firm.callerOf(owner);
    const headers = { 'idempotency-key': 'form-1' };
    const lead = { lastName: 'Quill' };
    const first = await firm.owner.post('/v1/leads', lead, headers);
    const made = await rotate(firm, firm.owner.keyId);
    const third = await rotate(firm, made.id);
    for (const key of [made.key, third.key, firm.owner.key]) {
      const again = await caller(server.url, key).post('/v1/leads', lead, headers);
      expect(again.status).toBe(201);
      expect(again.body).toEqual(first.body);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
    }
    const elses = await stranger.post('/v1/leads', lead, headers);
    expect(elses.headers.get('idempotent-replayed')).toBeNull();
    expect((await firm.owner.get('/v1/leads')).body.pagination.total).toBe(2);
  });

  test('the rate is one for both: the new key brings no second budget', async () => {
    const limited = await startTestServer({ environment: { RATE_LIMIT: '0.001/5' } });
    const firm = await makeFirm(limited);
    const stranger = await firm.callerOf(owner);
    for (let call = 0; call < 5; call += 1)
      expect(await statusOf(firm.owner.key, limited)).toBe(200);
    const made = await rotate(firm, firm.owner.keyId);
    expect(await statusOf(made.key, limited)).toBe(429);
    expect(await statusOf(firm.owner.key, limited)).toBe(429);
    expect(await statusOf(stranger.key, limited)).toBe(200);
  });

  test("revoking one leaves the other as it is; a lead is the member's through either", async () => {
    const firm = await makeFirm(server);
    const made = await rotate(firm, firm.owner.keyId);
    await firm.command(['key', 'revoke', firm.owner.keyId]);
    expect([await statusOf(firm.owner.key), await statusOf(made.key)]).toEqual([401, 200]);
    const { body } = await caller(server.url, made.key).post('/v1/leads', { lastName: 'Quill' });
    type Entry = { memberId: string; keyId: string };
    const [entry] = await firm.command<Entry[]>(['audit', 'list', '--record', body.data.id]);
    expect(entry).toMatchObject({ memberId: firm.members[owner] as string, keyId: made.id });
  });
});

describe('key list', () => {
  test('says of each key whether it is good, when it ends and was last used, and what it may do', async () => {
    const own = await ownDatabase();
    const there = await startTestServer({ databaseUrl: own });
    const firm = await makeFirm(there);
    const make = async (...words: string[]) =>
      firm.command<Made>(['key', 'create', '--member', attorney, '--name', ...words]);
    await make('Few', '--scope', 'leads:read', 'leads:write', '--expires', 'never');
    const brief = await make(
      'Brief',
      '--scope',
      'leads:read',
      '--expires',
      new Date(Date.now() + 29 * day * 1000).toISOString(),
    );
    const gone = await make(
      'Gone',
      '--scope',
      'leads:read',
      '--expires',
      new Date(Date.now() + hour * 1000).toISOString(),
    );
    const out = await make('Out', '--scope', 'leads:read');
    await firm.command(['key', 'revoke', out.id]);
    expect(await statusOf(firm.owner.key, there)).toBe(200);
    await moveClock(own, 2 * hour);
    const keys = await keysOf(firm);
    expect(keys.map(({ name, state }) => [name, state])).toEqual([
      ...[
        ['API key', 'live'],
        ['Few', 'live'],
        ['Brief', 'expiring'],
        ['Gone', 'expired'],
        ['Out', 'revoked'],
      ],
    ]);
    for (let tries = 0; tries < 200 && !(await keysOf(firm))[0]?.lastUsedAt; tries += 1)
      await Bun.sleep(10);
    const [used, unused] = await keysOf(firm);
    expect(used?.lastUsedAt).toMatch(/Z$/);
    expect(used?.scopes).toEqual([...scopes]);
    expect(unused?.lastUsedAt).toBeNull();
    const { exitCode, out: text } = await run(own, ['key', 'list']);
    expect(exitCode).toBe(0);
    const lines = text.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^ID +KEY +NAME +MEMBER +STATE +EXPIRES +LAST USED +SCOPES$/);
    expect(lines[1]).toMatch(
      /ada@harrow\.example +live +\d{4}-\d\d-\d\d \d\d:\d\dZ +\d{4}-\d\d-\d\d \d\d:\d\dZ +everything$/,
    );
    expect(lines[2]).toMatch(
      /Few +ben@harrow\.example +live +never +never +leads:read leads:write$/,
    );
    expect(lines[3]).toContain(brief.id);
    expect(lines[4]).toContain(gone.id);
    expect(text).not.toContain(firm.owner.key);
  });

  test('a fresh database clock decides what is expired, as it does for requests', async () => {
    const own = await ownDatabase();
    const firm = await makeFirm({ url: '', databaseUrl: own });
    const sql = connect(own);
    await sql`update api_key set expires_at = moment() + interval '1 hour'`;
    await sql.end();
    expect((await keysOf(firm))[0]?.state).toBe('expiring');
    await moveClock(own, hour + 1);
    expect((await keysOf(firm))[0]?.state).toBe('expired');
  });
});
