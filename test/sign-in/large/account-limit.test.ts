/**
 * Guessing at one account, from as many addresses as one likes: at most 100 failures an hour, and the
 * member still gets in. The limit on addresses is off, this one is not.
 */
import { describe, expect, test } from 'bun:test';
import { Secret, TOTP } from 'otpauth';
import { accountRate } from '../../../src/app/sign-in/limits.ts';
import { takeClock } from '../../support/clock.ts';
import { type JarBrowser, openBrowser } from '../../support/cookie-jar.ts';
import { connect, ownDatabase } from '../../support/database.ts';
import { type Firm, makeFirm, startTestServer } from '../../support/firm.ts';

const databaseUrl = await ownDatabase();
const clock = await takeClock(databaseUrl);
const server = await startTestServer({
  databaseUrl,
  environment: { TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT: 'off' },
});
const sql = connect(databaseUrl);

const password = 'wet-stones-by-the-river';
const secondsPerPlace = 1 / accountRate.perSecond;

let networks = 0;
/** An address in a network that nobody used before. */
const newAddress = () => `10.${(networks >> 8) & 255}.${networks++ & 255}.7`;

const from = (address = newAddress()) => openBrowser(server.url, { 'x-forwarded-for': address });

const newMember = async (firm: Firm, at = newAddress()) => {
  const email = `ada.${Bun.randomUUIDv7()}@harrow.example`;
  await firm.command(['member', 'add', '--email', email, '--name', 'Ada Roe', '--role', 'Owner']);
  const browser = from(at);
  await follow(firm, email, browser);
  return { email, browser };
};

const follow = async (firm: Firm, email: string, browser: JarBrowser) => {
  const { link } = await firm.command<{ link: string }>(['member', 'invite', '--member', email]);
  expect(await browser.send(new URL(link).pathname, { password })).toMatchObject({ status: 303 });
};

const signIn = (browser: JarBrowser, email: string, typed = password) =>
  browser.send('/sign-in', { email, password: typed, to: '/inbox' });

/** One guess from each browser; how many were not refused for coming too early. */
const guess = async (email: string, browsers: JarBrowser[]) => {
  let admitted = 0;
  for (const browser of browsers) {
    const { status } = await signIn(browser, email, 'a wrong password');
    expect([422, 429]).toContain(status);
    if (status === 422) admitted += 1;
  }
  return admitted;
};

const many = (count: number, address?: string) =>
  Array.from({ length: count }, () => from(address));

/** Gives a member an authenticator that was confirmed long ago. */
const giveAuthenticator = async (firm: Firm, email: string) => {
  const secret = new Secret({ size: 20 }).base32;
  await sql`insert into authenticator (firm_id, member_id, secret, confirmed_at, last_step, created_at)
    select firm_id, id, ${secret}, moment(), 0, moment() from member
    where firm_id = ${firm.firm.id} and email = ${email}`;
  return async () => new TOTP({ secret }).generate({ timestamp: await clock.now() });
};

describe('Guessing at one account', () => {
  test('there are at most 100 failures in an hour, from whatever addresses; Retry-After says when', async () => {
    const { burst, perSecond } = accountRate;
    expect(burst + perSecond * 3_600).toBeLessThanOrEqual(100);
    const { email } = await newMember(await makeFirm(server));
    expect(await guess(email, many(burst + 6))).toBe(burst);
    const early = await signIn(from(), email, 'a wrong password');
    expect(early.status).toBe(429);
    expect(early.text).toContain('Too many attempts. Wait ');
    expect(early.text).toContain(`value="${email}"`);
    const wait = Number(early.headers.get('retry-after'));
    expect(wait).toBeWithin(1, 61);
    await clock.step(wait - 2);
    expect(await guess(email, many(2))).toBe(0);
    await clock.step(2);
    for (let place = 0; place < 4; place += 1) {
      expect(await guess(email, many(3))).toBe(1);
      await clock.step(secondsPerPlace);
    }
  });

  test('an address without a member is counted and answered alike', async () => {
    const { email } = await newMember(await makeFirm(server));
    const nobody = `${Bun.randomUUIDv7()}@harrow.example`;
    const answers = [];
    for (const account of [email, nobody]) {
      const statuses = [];
      for (const browser of many(accountRate.burst + 2)) {
        const { status, headers } = await signIn(browser, account, 'a wrong password');
        statuses.push(`${status} ${headers.get('retry-after')}`);
      }
      answers.push(statuses);
    }
    expect(answers[0]).toEqual(answers[1] ?? []);
    expect(answers[0]?.at(-1)).toStartWith('429');
  });

  test('a browser that signed in to the account before gets in at once, also from an attacker’s address', async () => {
    const { email, browser } = await newMember(await makeFirm(server), '192.0.2.7');
    await browser.send('/sign-out', {});
    await guess(email, [...many(accountRate.burst + 1), ...many(3, '192.0.2.7')]);
    expect((await signIn(from('192.0.2.7'), email)).status).toBe(429);
    expect((await signIn(browser, email)).status).toBe(303);
    const [name = '', value = ''] = [...browser.jar].find(([one]) => one === 'device') ?? [];
    expect(value).toMatch(/^[\w-]{43}$/);

    const other = await newMember(await makeFirm(server));
    await guess(other.email, many(accountRate.burst));
    const thief = from();
    thief.jar.set(name, value);
    expect((await signIn(thief, other.email)).status).toBe(429);
    thief.jar.set(name, 'A'.repeat(43));
    expect((await signIn(thief, other.email)).status).toBe(429);
  });

  test('a known browser has places of its own, and no more of them', async () => {
    const { email, browser } = await newMember(await makeFirm(server));
    await browser.send('/sign-out', {});
    expect(await guess(email, Array(accountRate.burst + 3).fill(browser))).toBe(accountRate.burst);
    expect((await signIn(from(), email)).status).toBe(303);
  });

  test('a new browser gets in within 60 seconds, while many addresses take each place that comes', async () => {
    const { email } = await newMember(await makeFirm(server));
    const attackers = many(8);
    // After ten attempts none of them is new.
    for (let round = 0; round < 10; round += 1) await guess(email, attackers);
    const member = from();
    let waited = 0;
    for (; waited < 60; waited += 10) {
      await guess(email, attackers);
      if ((await signIn(member, email)).status === 303) break;
      await clock.step(10);
    }
    expect(waited).toBeLessThan(60);
    // Later in the attack it does not wait at all: places are kept for the new ones.
    for (let passed = 0; passed < 12; passed += 1) {
      await clock.step(secondsPerPlace);
      await guess(email, attackers);
    }
    expect((await signIn(from(), email)).status).toBe(303);
  });

  test('an attacker’s neighbours count as new, but not a whole network of theirs', async () => {
    const { email } = await newMember(await makeFirm(server));
    await guess(email, many(accountRate.burst, '198.51.100.1'));
    expect((await signIn(from('198.51.100.2'), email)).status).toBe(303);
    const { email: other } = await newMember(await makeFirm(server));
    const network = Array.from({ length: 32 }, (_, at) => from(`2001:db8:7:${at}::1`));
    await guess(other, network);
    await clock.step(60 * 20);
    await guess(other, many(10, '203.0.113.9'));
    await guess(other, many(20, '203.0.113.9'));
    expect((await signIn(from('2001:db8:7:ff::1'), other)).status).toBe(429);
    expect((await signIn(from('2001:db8:8::1'), other)).status).toBe(303);
  });

  test('signing in is no failure: it takes no place away', async () => {
    const { email } = await newMember(await makeFirm(server));
    for (let time = 0; time < accountRate.burst + 4; time += 1) {
      expect((await signIn(from('192.0.2.9'), email)).status).toBe(303);
    }
  });

  test('two instances count together, and a restart forgets nothing', async () => {
    const environment = { TRUSTED_PROXIES: '127.0.0.1' };
    const { email } = await newMember(await makeFirm(server));
    const second = await startTestServer({ databaseUrl, environment });
    const there = (url: string) => openBrowser(url, { 'x-forwarded-for': newAddress() });
    expect(await guess(email, many(accountRate.burst - 5))).toBe(accountRate.burst - 5);
    const rest = Array.from({ length: 8 }, () => there(second.url));
    expect(await guess(email, rest)).toBe(5);
    await second.stop();
    const third = await startTestServer({ databaseUrl, environment });
    expect(await guess(email, [there(third.url)])).toBe(0);
    await third.stop();
  });

  test('a password typed to prove oneself again is counted for the session', async () => {
    const { browser } = await newMember(await makeFirm(server));
    const wrong = { to: '/settings/me', password: 'a wrong password' };
    for (let time = 0; time < accountRate.burst; time += 1) {
      expect((await browser.send('/settings/me/confirm', wrong)).status).toBe(422);
    }
    const present = { present: password, password: 'another-good-password' };
    expect((await browser.send('/settings/me/password', present)).status).toBe(429);
    await clock.step(secondsPerPlace);
    expect((await browser.send('/settings/me/password', present)).status).toBe(303);
  });
});

describe('Codes', () => {
  test('after five wrong ones the started sign-in ends, also for the right code', async () => {
    const firm = await makeFirm(server);
    const { email } = await newMember(firm);
    const codeNow = await giveAuthenticator(firm, email);
    const browser = from();
    const start = async () =>
      expect((await signIn(browser, email)).location).toStartWith('/sign-in/code');
    const type = (code: string) => browser.send('/sign-in/code', { code, to: '/inbox' });
    await start();
    for (let time = 1; time <= 5; time += 1) {
      const { status, text } = await type('000000');
      expect(status).toBe(422);
      expect(text.includes('There were too many wrong codes')).toBe(time === 5);
    }
    expect(await type(await codeNow())).toMatchObject({ status: 422, cookie: '' });
    await start();
    expect(await type(await codeNow())).toMatchObject({ status: 303, location: '/inbox' });
  });

  test('wrong ones are failures of the account, with the wrong passwords', async () => {
    const firm = await makeFirm(server);
    const { email } = await newMember(firm);
    await giveAuthenticator(firm, email);
    let wrong = 0;
    while (wrong < accountRate.burst - 2) {
      const browser = from();
      await signIn(browser, email);
      for (let time = 0; time < 5 && wrong < accountRate.burst - 2; time += 1, wrong += 1) {
        expect((await browser.send('/sign-in/code', { code: '111111' })).status).toBe(422);
      }
    }
    expect(await guess(email, many(5))).toBe(2);
    expect((await signIn(from(), email)).status).toBe(429);
  });
});
