/** What members are warned of in their inbox: whoever else got in, or nearly did, is noticed. */
import { describe, expect, test } from 'bun:test';
import { Secret, TOTP } from 'otpauth';
import { openAuthenticator } from '../support/authenticator.ts';
import { takeClock } from '../support/clock.ts';
import { type JarBrowser, openBrowser } from '../support/cookie-jar.ts';
import { connect, ownDatabase } from '../support/database.ts';
import { type Firm, makeFirm, startTestServer } from '../support/firm.ts';
import { run } from '../support/terminal.ts';
import { untilItDoes } from '../support/until.ts';

const databaseUrl = await ownDatabase();
const clock = await takeClock(databaseUrl);
const started = await startTestServer({ databaseUrl });
/** Passkeys need a name in the address. */
const url = started.url.replace('127.0.0.1', 'localhost');
const sql = connect(databaseUrl);

const password = 'wet-stones-by-the-river';

const linkOf = async (firm: Firm, email: string, word: string) =>
  new URL((await firm.command<{ link: string }>(['member', word, '--member', email])).link)
    .pathname;

const newMember = async (firm: Firm) => {
  const email = `ada.${Bun.randomUUIDv7()}@harrow.example`;
  await firm.command(['member', 'add', '--email', email, '--name', 'Ada Roe', '--role', 'Owner']);
  const browser = openBrowser(url);
  const sent = await browser.send(await linkOf(firm, email, 'invite'), { password });
  expect(sent.status).toBe(303);
  return { email, browser };
};

const signIn = async (browser: JarBrowser, email: string, typed = password) => {
  // The clock stands: nobody signs in at the very moment at which they chose their password.
  await clock.step(1);
  return browser.send('/sign-in', { email, password: typed, to: '/inbox' });
};

/** Lets the runners do all that was put off by what has been stored. */
const settle = (firm: Firm) =>
  untilItDoes(
    async () => (await sql`select from job where firm_id = ${firm.firm.id}`).length === 0,
  );

/**
 * Until a failed sign-in of this minute is stored, with what it puts off: nobody else waits for that. One that comes late,
 * when the clock has been moved, stands for those of its minute.
 */
const untilNoted = async (firm: Firm, failedWith: string) => {
  const isNoted = async () =>
    (
      await sql`select from audit_entry where firm_id = ${firm.firm.id} and at > moment() - interval '1 minute'
        and changes #>> '{failedSignIn,after,with}' = ${failedWith}`
    ).length > 0;
  while (!(await isNoted())) await Bun.sleep(20);
};

type Notice = { kind: string; title: string; text: string; recordId: string | null };

const warnings = async (firm: Firm, email: string) => {
  await settle(firm);
  const notices = await firm.command<Notice[]>(['inbox', '--member', email]);
  return notices.filter(({ kind }) => kind === 'account.warned');
};
const titles = async (firm: Firm, email: string) =>
  (await warnings(firm, email)).map(({ title }) => title).sort();

const newBrowser = 'You signed in with a new browser';

describe('A member is warned in the inbox', () => {
  test('of a browser that is new to them, once; not of the one in which they chose their password', async () => {
    const firm = await makeFirm(started);
    const { email, browser } = await newMember(firm);
    await browser.send('/sign-out', {});
    await signIn(browser, email);
    expect(await titles(firm, email)).toEqual([]);
    const other = openBrowser(url);
    await signIn(other, email);
    await signIn(other, email);
    expect(await titles(firm, email)).toEqual([newBrowser]);
    const { text } = await browser.get('/inbox');
    expect(text).toContain(newBrowser);
    expect(text).toContain('href="/settings/me#sessions"');
    const [warning] = await warnings(firm, email);
    expect(`${warning?.title} ${warning?.text}`).not.toMatch(/\d|@|localhost/);
  });

  test('of a browser that a colleague brought, or whose cookie was made up', async () => {
    const firm = await makeFirm(started);
    const [one, other] = [await newMember(firm), await newMember(firm)];
    const shared = one.browser;
    const device = shared.jar.get('device');
    await signIn(shared, other.email);
    expect(shared.jar.get('device')).toBe(String(device));
    expect(await titles(firm, other.email)).toEqual([newBrowser]);
    await signIn(shared, one.email);
    await signIn(shared, other.email);
    expect(await titles(firm, one.email)).toEqual([]);
    expect(await titles(firm, other.email)).toEqual([newBrowser]);
    const stranger = openBrowser(url);
    stranger.jar.set('device', 'A'.repeat(43));
    await signIn(stranger, one.email);
    expect(stranger.jar.get('device')).not.toBe('A'.repeat(43));
    expect(await titles(firm, one.email)).toEqual([newBrowser]);
  });

  test('of wrong codes once in an hour, however many, and not of wrong passwords', async () => {
    const firm = await makeFirm(started);
    const { email, browser } = await newMember(firm);
    const secret = new Secret({ size: 20 }).base32;
    await sql`insert into authenticator (firm_id, member_id, secret, confirmed_at, last_step, created_at)
      select firm_id, id, ${secret}, moment(), 0, moment() from member where email = ${email}`;
    await clock.standAt(Math.ceil((await clock.now()) / 3_600_000) * 3_600_000);
    await signIn(openBrowser(url), email, 'a wrong password');
    await untilNoted(firm, 'password');
    expect(await titles(firm, email)).toEqual([]);
    const guess = async () => {
      await signIn(browser, email);
      for (let time = 0; time < 3; time += 1) {
        await browser.send('/sign-in/code', { code: '000000' });
      }
      await untilNoted(firm, 'code');
      await settle(firm);
    };
    for (let time = 0; time < 3; time += 1) {
      await guess();
      await clock.step(90);
    }
    expect(await titles(firm, email)).toEqual(['A wrong code at sign-in']);
    await clock.step(3_600);
    await guess();
    expect(await titles(firm, email)).toHaveLength(2);
    await signIn(browser, email);
    const code = new TOTP({ secret }).generate({ timestamp: await clock.now() });
    expect((await browser.send('/sign-in/code', { code, to: '/' })).status).toBe(303);
    expect(await titles(firm, email)).toHaveLength(2);
  });

  test('of a reset, of a new password and of a new passkey; after the reset each browser is new', async () => {
    const firm = await makeFirm(started);
    const { email, browser } = await newMember(firm);
    const changed = { present: password, password: 'another-good-password' };
    expect((await browser.send('/settings/me/password', changed)).status).toBe(303);
    expect(await titles(firm, email)).toEqual(['Your password was changed']);

    const { text } = await browser.send('/settings/me/passkeys/challenge', {});
    const { create } = JSON.parse(text);
    const answer = openAuthenticator(url).create(create);
    await browser.send('/settings/me/passkeys', { name: 'Green key', answer });
    expect(await titles(firm, email)).toContain('You have a new passkey');

    const fresh = openBrowser(url);
    await fresh.send(await linkOf(firm, email, 'reset'), { password });
    const after = await titles(firm, email);
    expect(after).toContain('Your password was reset by a link');
    expect(after).not.toContain(newBrowser);
    await signIn(browser, email);
    expect(await titles(firm, email)).toContain(newBrowser);
  });

  test('whatever they switched off; there is no switch for it', async () => {
    const firm = await makeFirm(started);
    const { email, browser } = await newMember(firm);
    expect((await browser.get('/settings/me')).text).not.toContain('account.warned');
    const words = ['notify', 'set', '--firm', firm.firm.id, '--member', email];
    const { exitCode } = await run(databaseUrl, [...words, 'account.warned', 'off']);
    expect(exitCode).not.toBe(0);
    const sent = await browser.send('/settings/me/notifications', {});
    expect(sent.status).toBe(303);
    await signIn(openBrowser(url), email);
    expect(await titles(firm, email)).toEqual([newBrowser]);
  });
});
