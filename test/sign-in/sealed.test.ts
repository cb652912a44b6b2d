/** The secrets of second factors are sealed with a key that is not in the database. */

import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOTP } from 'otpauth';
import { makeInstallationKey, readInstallationKey } from '../../src/base/installation-key.ts';
import { sealsOf } from '../../src/base/seal.ts';
import { readSettings } from '../../src/config.ts';
import { startServer } from '../../src/server.ts';
import { memberBrowser } from '../support/app.ts';
import { connect, moveClock, ownDatabase } from '../support/database.ts';
import { attorney, bookkeeper, type Firm, makeFirm, owner } from '../support/firm.ts';
import { textIn, textsIn } from '../support/html.ts';
import { environmentOf } from '../support/roles.ts';
import { run } from '../support/terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'matterhorn-sealed-'));
afterAll(() => rmSync(folder, { recursive: true }));

const password = 'wet-stones-by-the-river';
type Key = ReturnType<typeof makeInstallationKey>;
const newKey = (name: string) =>
  makeInstallationKey(join(folder, `${name}-${crypto.randomUUID()}`));

const start = (databaseUrl: string, key?: Key) => {
  const settings = readSettings({
    RATE_LIMIT: 'off',
    DATABASE_CONNECTIONS: '5',
    DRAIN_SECONDS: '0',
    ...environmentOf(databaseUrl),
  });
  const where = { host: '127.0.0.1', port: 0 };
  const server = startServer(settings.database ?? '', settings, where, {
    key,
    keyFile: key?.file,
  });
  afterAll(() => server.stop());
  return { url: server.url, databaseUrl };
};

type Server = ReturnType<typeof start>;

let ahead = 0;

/** The next code: no code is good twice, so the clock goes on first. */
const codeNow = async (databaseUrl: string, secret: string) => {
  ahead += 90;
  await moveClock(databaseUrl, ahead);
  const sql = connect(databaseUrl);
  const [row] = await sql`select extract(epoch from moment()) * 1000 as now`;
  await sql.end();
  return new TOTP({ secret }).generate({ timestamp: Number(row?.now) });
};

/** Sets up an authenticator in the application; returns its secret and a recovery code. */
const setUp = async (server: Server, firm: Firm, email: string) => {
  const browser = await memberBrowser(server, firm, email);
  const begun = await browser.send('/settings/me/authenticator', {});
  const secret = textIn(begun.text, '#totp').replaceAll(' ', '');
  // The proof of who one is lasts 15 minutes, longer than the clock is moved.
  const code = await codeNow(server.databaseUrl, secret);
  const confirmed = await browser.send('/settings/me/authenticator/confirm', { code });
  const codes = textsIn(confirmed.text, '#recovery-codes code');
  expect(codes).toHaveLength(10);
  return { secret, recovery: codes };
};

const stored = async (databaseUrl: string, firm: Firm) => {
  const sql = connect(databaseUrl);
  const rows = await sql`select secret from authenticator where firm_id = ${firm.id}`;
  await sql.end();
  return rows.map(({ secret }) => secret as string);
};

/** Signs in by a reset link and a code; whether it let them in. */
const signsIn = async (server: Server, firm: Firm, email: string, code: string) => {
  const { link } = await firm.command<{ link: string }>(['member', 'reset', '--member', email]);
  const send = (path: string, fields: Record<string, string>, cookie = '') =>
    fetch(server.url + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin', origin: server.url, cookie },
      body: new URLSearchParams(fields),
    });
  const half = await send(new URL(link).pathname, { password });
  const [cookie = ''] = (half.headers.get('set-cookie') ?? '').split(';');
  expect(cookie).toContain('code=');
  const whole = await send('/sign-in/code', { code, to: '/inbox' }, cookie);
  return {
    status: whole.status,
    isIn: /session=[\w-]{43}/.test(whole.headers.get('set-cookie') ?? ''),
  };
};

const yes = { status: 303, isIn: true };
const no = { status: 422, isIn: false };

const untilSealed = async (databaseUrl: string, firm: Firm) => {
  for (let left = 2_400; left > 0; left -= 1) {
    const all = await stored(databaseUrl, firm);
    if (all.every((one) => one.startsWith('sealed1.'))) return all;
    await Bun.sleep(25);
  }
  throw new Error('Nothing was sealed.');
};

describe('The secret of a second factor', () => {
  test('is not in the database as it is, and its codes sign in, on each of two instances', async () => {
    const databaseUrl = await ownDatabase();
    const key = newKey('key');
    const [one, other] = [
      start(databaseUrl, key),
      start(databaseUrl, readInstallationKey(key.file)),
    ];
    const firm = await makeFirm(one);
    const { secret } = await setUp(one, firm, owner);
    const [only = ''] = await stored(databaseUrl, firm);
    expect(only).toMatch(/^sealed1\.[0-9a-f]{16}\.[\w-]{60,}$/);
    expect(only).not.toContain(secret);
    for (const server of [one, other]) {
      expect(await signsIn(server, firm, owner, await codeNow(databaseUrl, secret))).toEqual(yes);
    }
    expect(await signsIn(other, firm, owner, '000000')).toEqual(no);
  });

  test('stays as it is without a key, and is sealed at the first start with one', async () => {
    const databaseUrl = await ownDatabase();
    const bare = start(databaseUrl);
    const firm = await makeFirm(bare);
    const { secret } = await setUp(bare, firm, owner);
    const other = await setUp(bare, firm, attorney);
    expect((await stored(databaseUrl, firm)).sort()).toEqual([secret, other.secret].sort());
    const without = { INSTALLATION_KEY: '' };
    const warned = await run(databaseUrl, ['doctor'], '', without);
    expect(warned.out).toContain('Each secret of 2 second factors is stored as it is');
    const key = newKey('first');
    const [one, two] = [start(databaseUrl, key), start(databaseUrl, key)];
    await untilSealed(databaseUrl, firm);
    expect(await signsIn(one, firm, owner, await codeNow(databaseUrl, secret))).toEqual(yes);
    expect(await signsIn(two, firm, attorney, await codeNow(databaseUrl, other.secret))).toEqual(
      yes,
    );
    const healed = await run(databaseUrl, ['doctor'], '', { INSTALLATION_KEY: key.file });
    expect(healed.out).not.toContain('second factor');
  });

  test('in a database restored beside another key: no start fails, recovery codes work, and owners reset', async () => {
    const databaseUrl = await ownDatabase();
    const before = newKey('before');
    const home = start(databaseUrl, before);
    const firm = await makeFirm(home);
    const ada = await setUp(home, firm, owner);
    const ben = await setUp(home, firm, attorney);
    const cy = await setUp(home, firm, bookkeeper);
    const away = start(databaseUrl, newKey('another'));
    expect(await signsIn(away, firm, owner, await codeNow(databaseUrl, ada.secret))).toEqual(no);
    expect(await signsIn(away, firm, owner, ada.recovery[0] ?? '')).toEqual(yes);
    const max = await memberBrowser(away, firm, bookkeeper);
    const page = `/settings/members/${firm.members[attorney]}`;
    expect((await max.send(`${page}/second-factor`, {})).status).toBe(403);
    expect((await stored(databaseUrl, firm)).length).toBe(3);
    const owners = await memberBrowser(away, firm, owner);
    expect((await owners.get(page)).text).toContain('Remove the authenticator');
    expect((await owners.send(`${page}/second-factor`, {})).status).toBe(303);
    expect((await stored(databaseUrl, firm)).length).toBe(2);
    const words = ['member', 'reset', '--member', bookkeeper, '--second-factor'];
    await firm.command(words);
    expect((await stored(databaseUrl, firm)).length).toBe(1);
    expect([ben, cy].map(({ recovery }) => recovery.length)).toEqual([10, 10]);
    // The key is back: what was sealed with it is read again.
    const back = start(databaseUrl, before);
    expect(await signsIn(back, firm, owner, await codeNow(databaseUrl, ada.secret))).toEqual(yes);
  });

  test('is sealed anew with another key while the old one can be read', async () => {
    const databaseUrl = await ownDatabase();
    const old = newKey('old');
    const server = start(databaseUrl, old);
    const firm = await makeFirm(server);
    const { secret } = await setUp(server, firm, owner);
    const file = join(folder, 'new.key');
    const withNew = { INSTALLATION_KEY: file };
    const lost = await run(
      databaseUrl,
      ['audit', 'key', '--new', '--old', `${file}.no`],
      '',
      withNew,
    );
    expect(lost).toMatchObject({ exitCode: 1, out: '' });
    const made = await run(databaseUrl, ['audit', 'key', '--new'], '', withNew);
    expect(made.exitCode).toBe(0);
    const found = await run(databaseUrl, ['doctor'], '', withNew);
    expect(found.out).toContain(
      'The secret of 1 second factor is sealed with a key that is not here',
    );
    const again = await run(databaseUrl, ['audit', 'key', '--old', old.file], '', withNew);
    expect(again.out).toContain('Second factors sealed anew: 1.');
    expect((await run(databaseUrl, ['doctor'], '', withNew)).out).not.toContain('second factor');
    const next = start(databaseUrl, readInstallationKey(file));
    expect(await signsIn(next, firm, owner, await codeNow(databaseUrl, secret))).toEqual(yes);
  });
});

describe('A sealed text', () => {
  test('opens only for its own row and unchanged, and no two are the same', async () => {
    const seals = sealsOf(newKey('rows'));
    const [one, two] = [await seals.seal('SECRET', 'row 1'), await seals.seal('SECRET', 'row 1')];
    expect(one).not.toBe(two);
    expect(await seals.open(one, 'row 1')).toBe('SECRET');
    expect(await seals.open(one, 'row 2')).toBeUndefined();
    for (const at of [30, one.length - 2]) {
      const changed = one.slice(0, at) + (one[at] === 'A' ? 'B' : 'A') + one.slice(at + 1);
      expect(await seals.open(changed, 'row 1')).toBeUndefined();
    }
    expect(await sealsOf(undefined).open(one, 'row 1')).toBeUndefined();
    expect(await sealsOf(newKey('other')).open(one, 'row 1')).toBeUndefined();
    for (const broken of ['sealed1.', 'sealed1.x', one.slice(0, 30)]) {
      expect(await seals.open(broken, 'row 1')).toBeUndefined();
    }
  });
});
