/** Signing in as a browser does it: forms, cookies and links that are handed over. */
import { describe, expect, test } from 'bun:test';
import { takeClock } from '../support/clock.ts';
import { openBrowser, type Sent } from '../support/cookie-jar.ts';
import { connect, moveClock, ownDatabase } from '../support/database.ts';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';

const server = await startTestServer({ databaseUrl: await ownDatabase() });

const password = `wet-stones-${crypto.randomUUID()}`;
const pathOf = (link: string) => new URL(link).pathname;

const inviteLink = async (firm: Firm, email: string, word = 'invite') =>
  pathOf((await firm.command<{ link: string }>(['member', word, '--member', email])).link);

const shownIn = ({ text }: Sent, names: string[]) => names.filter((name) => text.includes(name));

/** Gives a member a password by an invitation, in a browser of theirs. */
const join = async (firm: Firm, email: string, url = server.url) => {
  const browser = openBrowser(url);
  const sent = await browser.send(await inviteLink(firm, email), { password });
  expect(sent).toMatchObject({ status: 303, location: '/' });
  return browser;
};

/** A member of a firm, with a password, and an address that no other firm of the database has. */
const newMember = async (firm: Firm, role = 'Owner', url = server.url) => {
  const email = `ada.${Bun.randomUUIDv7()}@harrow.example`;
  await firm.command(['member', 'add', '--email', email, '--name', 'Ada Roe', '--role', role]);
  return { email, browser: await join(firm, email, url) };
};

const signIn = (browser: ReturnType<typeof openBrowser>, email: string, typed = password) =>
  browser.send('/sign-in', { email, password: typed, to: '/inbox' });

describe('Signing in', () => {
  test('a member whom an invitation gave a password signs in, and goes where they wanted', async () => {
    const { email } = await newMember(await makeFirm(server));
    const browser = openBrowser(server.url);
    const sent = await signIn(browser, ` ${email.toUpperCase()} `);
    expect(sent).toMatchObject({ status: 303, location: '/inbox' });
    expect(sent.cookie).toMatch(
      /^session=[\w-]{43}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=\d+$/,
    );
    expect((await browser.get('/inbox')).status).toBe(200);
  });

  test('a wrong password, an unknown address and a member without a password get the same words', async () => {
    const firm = await makeFirm(server);
    await join(firm, owner);
    const bare = (text: string) =>
      text.replaceAll(/value="[^"]*"/g, '').replaceAll(/\/assets\/[\w.-]+/g, '');
    const answers = await Promise.all(
      [`${Bun.randomUUIDv7()}@x.example`, owner, attorney].map((email) =>
        signIn(openBrowser(server.url), email, 'not the right password'),
      ),
    );
    for (const { status, cookie, text } of answers) {
      expect({ status, cookie }).toEqual({ status: 422, cookie: '' });
      expect(text).toContain('The email or the password is not right');
      expect(text).toContain('role="alert"');
      expect(bare(text)).toBe(bare(answers[0]?.text ?? ''));
    }
  });

  test('of two firms with the same address it is the one whose password fits', async () => {
    const [one, other] = [await makeFirm(server), await makeFirm(server)];
    const { email } = await newMember(one);
    await other.command(['member', 'add', '--email', email, '--name', 'Ada', '--role', 'Owner']);
    const typed = 'another-password-altogether';
    await openBrowser(server.url).send(await inviteLink(other, email), { password: typed });
    const browser = openBrowser(server.url);
    await signIn(browser, email, typed);
    expect((await browser.get('/')).text).toContain(other.firm.name);
    expect((await browser.get('/')).text).not.toContain(one.firm.name);
  });

  test('a person with the same password in two firms chooses the firm', async () => {
    const [one, other] = [await makeFirm(server), await makeFirm(server)];
    const { email } = await newMember(one);
    await other.command(['member', 'add', '--email', email, '--name', 'Ada', '--role', 'Owner']);
    await openBrowser(server.url).send(await inviteLink(other, email), { password });
    const names = [one.firm.name, other.firm.name];
    const browser = openBrowser(server.url);
    const asked = await signIn(browser, email);
    expect({ status: asked.status, cookie: asked.cookie }).toEqual({ status: 200, cookie: '' });
    expect(shownIn(asked, names)).toEqual(names);
    const wrong = await signIn(openBrowser(server.url), email, 'not the right password');
    expect({ status: wrong.status, names: shownIn(wrong, names) }).toEqual({
      status: 422,
      names: [],
    });
    const [member] =
      asked.text.split(`<span>${other.firm.name}`)[0]?.match(/[\w-]{36}(?=[^<]*>$)/) ?? [];
    const chosen = await browser.send('/sign-in', {
      email,
      password,
      member: String(member),
      to: '/inbox',
    });
    expect(chosen).toMatchObject({ status: 303, location: '/inbox' });
    expect(shownIn(await browser.get('/'), names)).toEqual([other.firm.name]);
  });

  test('a cookie that a browser brings along is never taken over', async () => {
    const { email } = await newMember(await makeFirm(server));
    const browser = openBrowser(server.url);
    browser.jar.set('session', 'A'.repeat(43));
    await signIn(browser, email);
    expect(browser.jar.get('session')).not.toBe('A'.repeat(43));
    const stranger = openBrowser(server.url);
    stranger.jar.set('session', 'A'.repeat(43));
    expect((await stranger.get('/')).status).toBe(303);
  });

  test('a form that another site sends signs nobody in', async () => {
    const { email } = await newMember(await makeFirm(server));
    for (const headers of [
      { 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.example' },
      { 'sec-fetch-site': 'same-site', origin: server.url },
    ]) {
      const { status, cookie } = await signIn(openBrowser(server.url, headers), email);
      expect({ status, cookie }).toEqual({ status: 403, cookie: '' });
    }
  });

  test('hostile text is refused in the same words, and stands nowhere as markup', async () => {
    for (const email of [`"><script>alert(1)</script>`, `' or 1=1 --`, 'x'.repeat(5000)]) {
      const { status, cookie, text } = await signIn(openBrowser(server.url), email, email);
      expect({ status, cookie }).toEqual({ status: 422, cookie: '' });
      expect(text).not.toContain('<script>alert');
    }
  });

  test('who tries too often is slowed; a member elsewhere still signs in', async () => {
    const slow = await startTestServer({
      databaseUrl: server.databaseUrl,
      environment: { RATE_LIMIT: '20/600', TRUSTED_PROXIES: '127.0.0.1' },
    });
    const { email } = await newMember(await makeFirm(server));
    const from = (address: string) => openBrowser(slow.url, { 'x-forwarded-for': address });
    let slowed = 0;
    for (let tried = 0; tried < 25; tried += 1) {
      const { text } = await signIn(from('203.0.113.7'), email, 'wrong password');
      if (text.includes('Too many attempts')) slowed += 1;
    }
    expect(slowed).toBeGreaterThan(0);
    expect((await signIn(from('203.0.113.7'), email)).cookie).toBe('');
    expect((await signIn(from('203.0.113.8'), email)).status).toBe(303);
  });
});

describe('A failed attempt', () => {
  test('is in the audit log and in the settings: one a minute, and none for unknown addresses', async () => {
    const own = await startTestServer({ databaseUrl: await ownDatabase() });
    const firm = await makeFirm(own);
    const { email, browser } = await newMember(firm, 'Owner', own.url);
    const failures = async () => {
      const log = await firm.command<Entry[]>(['audit', 'list']);
      return log.filter(({ changes }) => 'failedSignIn' in changes);
    };
    const untilThere = async (count: number) => {
      for (let left = 40; left > 0 && (await failures()).length < count; left -= 1) {
        await Bun.sleep(50);
      }
      return failures();
    };
    const attempt = (typed: string) => signIn(openBrowser(own.url), typed, 'wrong password');
    expect((await browser.get('/settings/me')).text).toContain('There were no failed attempts');
    for (const typed of [email, email, `${Bun.randomUUIDv7()}@x.example`, email]) {
      await attempt(typed);
    }
    const [first, ...more] = await untilThere(1);
    expect(first).toMatchObject({ recordKind: 'member', memberId: null });
    expect(first?.changes.failedSignIn?.after).toMatchObject({
      with: 'password',
      address: '127.0.0.1',
    });
    expect(more).toEqual([]);
    const { text } = await browser.get('/settings/me');
    expect(text).toContain('Last failed attempt');
    expect(text).toContain('a wrong password');
    expect((await browser.get('/settings/audit')).text).toContain('failed sign-in as');
    await moveClock(own.databaseUrl, 61);
    await attempt(email);
    expect((await untilThere(2)).length).toBe(2);
  });
});

type Entry = {
  recordKind: string;
  memberId: string | null;
  changes: { failedSignIn?: { after: object } };
};

describe('A session', () => {
  const isIn = async (browser: ReturnType<typeof openBrowser>) =>
    (await browser.get('/inbox')).status === 200;

  test('ends by signing out: its cookie is good for nothing afterwards', async () => {
    const { browser } = await newMember(await makeFirm(server));
    const token = browser.jar.get('session') ?? '';
    expect((await browser.send('/sign-out', {})).location).toBe('/sign-in');
    const thief = openBrowser(server.url);
    thief.jar.set('session', token);
    expect(await isIn(thief)).toBe(false);
  });

  test('ends when its member is deactivated, and stays so when they are activated again', async () => {
    const firm = await makeFirm(server);
    const { email, browser } = await newMember(firm);
    await firm.command(['member', 'deactivate', email]);
    expect(await isIn(browser)).toBe(false);
    expect((await signIn(openBrowser(server.url), email)).status).toBe(422);
    await firm.command(['member', 'activate', email]);
    expect(await isIn(browser)).toBe(false);
    expect((await signIn(openBrowser(server.url), email)).status).toBe(303);
  });

  test('ends after 12 hours without use, and after 30 days in any case', async () => {
    const own = { databaseUrl: await ownDatabase(), url: '' };
    const clock = await takeClock(own.databaseUrl);
    own.url = (await startTestServer(own)).url;
    const firm = await makeFirm(own);
    const { browser } = await newMember(firm, 'Owner', own.url);
    const began = await clock.now();
    const hour = 3_600;
    const passed = (seconds: number) => clock.standAt(began + seconds * 1000);
    const sql = connect(own.databaseUrl);
    // A request does not wait for the stamp of its use.
    const untilStamped = async () => {
      while (
        (await sql`select from session where seen_at > moment() - interval '1 hour'`).length === 0
      )
        await Bun.sleep(5);
    };
    for (let hours = 11; hours < 30 * 24; hours += 11) {
      await passed(hours * hour);
      expect(await isIn(browser)).toBe(true);
      await untilStamped();
    }
    await passed(30 * 24 * hour + 60);
    expect(await isIn(browser)).toBe(false);
    const { browser: idle } = await newMember(firm, 'Owner', own.url);
    await passed((30 * 24 + 13) * hour);
    expect(await isIn(idle)).toBe(false);
    await sql.end();
  });
});

describe('A page whose session has ended', () => {
  test('is led back to, also if a form was sent; nothing is done until then', async () => {
    const firm = await makeFirm(server);
    const { email, browser } = await newMember(firm);
    const own = await newMember(firm);
    const send = (headers: Record<string, string>) =>
      fetch(`${server.url}/contacts/new`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ lastName: 'Roe' }),
        headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin', ...headers },
      });
    const from = (referer: string) => send({ referer });
    const led = async (referer: string) => (await from(referer)).headers.get('location');
    expect(await led(`${server.url}/contacts/new?x=1`)).toBe(
      '/sign-in?to=%2Fcontacts%2Fnew%3Fx%3D1',
    );
    expect(await led('https://elsewhere.example/steal')).toBe('/sign-in?to=%2F');
    expect(await led('nothing')).toBe('/sign-in?to=%2F');

    // A script names the member of its page. What that page contains is not sent as another member.
    const cookie = `session=${browser.jar.get('session')}`;
    const scripted = { cookie, 'x-sent-by': 'page' };
    const other = await send({ ...scripted, 'x-member': Bun.randomUUIDv7() });
    expect(other.status).toBe(401);
    const [, member = ''] = /data-member="([^"]+)"/.exec((await browser.get('/')).text) ?? [];
    const stranger = openBrowser(server.url);
    const wrong = await stranger.send('/sign-in', { email: own.email, password, member });
    expect({ status: wrong.status, cookie: wrong.cookie }).toEqual({ status: 422, cookie: '' });
    expect(wrong.text).toContain('another member’s');
    expect((await stranger.send('/sign-in', { email, password, member })).status).toBe(303);
    expect((await firm.owner.get('/v1/contacts')).body.pagination.total).toBe(0);
    expect((await send({ ...scripted, 'x-member': member })).status).toBe(200);
    expect((await firm.owner.get('/v1/contacts')).body.pagination.total).toBe(1);
  });
});

describe('A one-time link', () => {
  test('works once; looking at it uses nothing up', async () => {
    const firm = await makeFirm(server);
    const path = await inviteLink(firm, attorney);
    const browser = openBrowser(server.url);
    expect((await browser.get(path)).text).toContain('Ben Lane');
    expect((await browser.send(path, { password: 'too short' })).status).toBe(422);
    expect((await browser.send(path, { password })).status).toBe(303);
    const second = openBrowser(server.url);
    const again = await second.send(path, { password: 'somebody-elses-choice' });
    expect({ status: again.status, cookie: again.cookie }).toEqual({ status: 410, cookie: '' });
    const spent = await second.get(path);
    expect(spent.text).toContain('already used');
    // The answer does not tell whether there ever was such a link.
    const unknown = await second.get(`/welcome/${'A'.repeat(43)}`);
    expect(spent.status).toBe(410);
    expect([unknown.status, unknown.text]).toEqual([spent.status, spent.text]);
  });

  test('is no longer good once another is made, or after its time', async () => {
    const own = await startTestServer({ databaseUrl: await ownDatabase() });
    const firm = await makeFirm(own);
    const [first, second] = [await inviteLink(firm, owner), await inviteLink(firm, owner)];
    const reset = await inviteLink(firm, owner, 'reset');
    const isGood = async (path: string) =>
      (await openBrowser(own.url).get(path)).text.includes('Ada Harrow');
    expect(await Promise.all([first, second, reset].map(isGood))).toEqual([false, true, true]);
    await moveClock(own.databaseUrl, 3_601);
    expect(await Promise.all([second, reset].map(isGood))).toEqual([true, false]);
    await moveClock(own.databaseUrl, 7 * 86_400 + 1);
    expect(await isGood(second)).toBe(false);
  });

  test('a new password by a reset ends every session, and the old password', async () => {
    const firm = await makeFirm(server);
    const { email, browser } = await newMember(firm);
    const reset = await inviteLink(firm, email, 'reset');
    await openBrowser(server.url).send(reset, { password: 'quite-another-password' });
    expect((await browser.get('/')).status).toBe(303);
    expect((await signIn(openBrowser(server.url), email)).status).toBe(422);
  });

  test('no secret is in the audit log', async () => {
    const firm = await makeFirm(server);
    const { browser } = await newMember(firm);
    const log = JSON.stringify(await firm.command(['audit', 'list']));
    expect(log).toContain('"recordKind":"session"');
    expect(log).not.toMatch(/argon2|digest|hash/);
    expect(log).not.toContain(browser.jar.get('session') ?? '-');
  });
});
