/** "My settings" as a browser without scripts uses them: forms, pages and cookies. */

import { describe, expect, test } from 'bun:test';
import { TOTP } from 'otpauth';
import { memberBrowser } from '../support/app.ts';
import { moveClock, ownDatabase } from '../support/database.ts';
import { auditOf } from '../support/expectations.ts';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { partsIn, textIn, textsIn } from '../support/html.ts';

const server = await startTestServer({ databaseUrl: await ownDatabase() });
const password = `wet-stones-${crypto.randomUUID()}`;

type Answer = { status: number; location: string | null; text: string };

/** A browser of a member's own, signed in with a password. */
const join = async (
  firm: Firm,
  email: string,
  agent = 'Mozilla/5.0 (Windows NT 10.0) Firefox/140.0',
) => {
  let cookie = '';
  const ask = async (path: string, body?: Record<string, string> | [string, string][]) => {
    const answer = await fetch(server.url + path, {
      method: body ? 'POST' : 'GET',
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        'user-agent': agent,
        cookie,
        ...(body && { 'sec-fetch-site': 'same-origin' }),
      },
      ...(body && { body: new URLSearchParams(body as Record<string, string>) }),
    });
    const given = answer.headers.get('set-cookie')?.split(';')[0];
    if (given?.startsWith('session=')) cookie = given;
    const location = answer.headers.get('location');
    return { status: answer.status, location, text: await answer.text() } satisfies Answer;
  };
  const invited = await firm.command<{ link: string }>(['member', 'invite', '--member', email]);
  const welcomed = await ask(new URL(invited.link).pathname, { password });
  expect(welcomed.status).toBe(303);
  return { get: (path: string) => ask(path), send: ask };
};

describe('/settings/me', () => {
  test('switches notifications off and on for oneself, and for nobody else', async () => {
    const firm = await makeFirm(server);
    const [ada, ben] = [await join(firm, owner), await join(firm, attorney)];
    const page = (await ada.get('/settings/me')).text;
    for (const name of ['New lead created', 'Added to a matter', 'Matter archived']) {
      expect(page).toContain(name);
    }
    const sent = await ada.send('/settings/me/notifications', [
      ['kinds', 'lead.new'],
      ['kinds', 'matter.added'],
    ]);
    expect(sent).toMatchObject({ status: 303 });
    const isOn = async (browser: typeof ada, kind: string) =>
      partsIn((await browser.get('/settings/me')).text, `[value="${kind}"][checked]`).length === 1;
    expect([await isOn(ada, 'lead.new'), await isOn(ada, 'event.cancelled')]).toEqual([
      true,
      false,
    ]);
    expect(await isOn(ben, 'event.cancelled')).toBe(true);
    const odd = await ada.send('/settings/me/notifications', { kinds: '<xyzzy>' });
    expect(odd.status).toBe(422);
    expect(odd.text).not.toContain('<xyzzy>');
  });

  test('a new password signs out every other browser, and needs the present one', async () => {
    const firm = await makeFirm(server);
    const ben = await join(firm, attorney);
    const wrong = await ben.send('/settings/me/password', {
      present: 'no',
      password: 'cold-water-on-slate',
    });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('role="alert"');
    expect(wrong.text).not.toContain('cold-water-on-slate');
    const changed = await ben.send('/settings/me/password', {
      present: password,
      password: 'cold-water-on-slate',
    });
    expect(changed.status).toBe(303);
    expect((await ben.get('/settings/me')).status).toBe(200);
  });

  test('shows where one is signed in, and signs out there', async () => {
    const firm = await makeFirm(server);
    const first = await join(firm, attorney);
    const second = await join(
      firm,
      attorney,
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1',
    );
    // An invitation that is used again sets a new password and ends the other sessions.
    expect((await first.get('/settings/me')).status).toBe(303);
    const page = await second.get('/settings/me');
    expect(page.text).toContain('Safari on iPhone');
    expect(page.text).toContain('this browser');
    const others = await second.send('/settings/me/sessions/end-others', {});
    expect(others.status).toBe(303);
    expect((await second.get('/settings/me')).status).toBe(200);
    const foreign = await second.send(`/settings/me/sessions/${Bun.randomUUIDv7()}/end`, {});
    expect(foreign.status).toBe(404);
  });

  test('an authenticator: set up, confirmed, asked for at sign-in, its recovery codes shown once', async () => {
    const firm = await makeFirm(server);
    const email = `dee.${Bun.randomUUIDv7()}@harrow.example`;
    await firm.command(['member', 'add', '--email', email, '--name', 'Dee Roe', '--role', 'Owner']);
    const dee = await join(firm, email);
    const begun = await dee.send('/settings/me/authenticator', {});
    expect(begun.status).toBe(200);
    const secret = textIn(begun.text, '#totp').replaceAll(' ', '');
    expect(secret.length).toBeGreaterThanOrEqual(32);
    const codeNow = () => new TOTP({ secret }).generate();
    const confirmed = await dee.send('/settings/me/authenticator/confirm', { code: codeNow() });
    expect(confirmed.status).toBe(200);
    const codes = textsIn(confirmed.text, '#recovery-codes code');
    expect(codes).toHaveLength(10);
    expect((await dee.get('/settings/me')).text).not.toContain(String(codes[0]));
    const log = JSON.stringify(await auditOf(firm));
    expect(log).not.toContain(secret);

    const half = await dee.send('/sign-in', { email, password, to: '/inbox' });
    expect(half.location).toStartWith('/sign-in/code');
    expect((await dee.get('/inbox')).status).toBe(303);
  });

  test('a secret is set up only soon after a proof of who one is; later the password is asked for', async () => {
    const databaseUrl = await ownDatabase();
    const own = await startTestServer({ databaseUrl });
    const firm = await makeFirm(own);
    const saved = server.url;
    Object.assign(server, { url: own.url });
    try {
      const ben = await join(firm, attorney);
      await moveClock(databaseUrl, 16 * 60);
      const asked = await ben.send('/settings/me/authenticator', {});
      expect(asked).toMatchObject({ status: 303 });
      expect(asked.location).toStartWith('/settings/me/confirm?to=');
      const wrong = await ben.send('/settings/me/confirm', { to: '/settings/me', password: 'no' });
      expect(wrong.status).toBe(422);
      const right = await ben.send('/settings/me/confirm', { to: '/settings/me', password });
      expect(right).toMatchObject({ status: 303, location: '/settings/me' });
      expect((await ben.send('/settings/me/authenticator', {})).status).toBe(200);
    } finally {
      Object.assign(server, { url: saved });
    }
  });

  test('in a demonstration, where nobody has a password, nothing is asked for', async () => {
    const firm = await makeFirm(server);
    const ada = await memberBrowser(server, firm, owner, 'demonstration');
    expect((await ada.send('/settings/me/authenticator', {})).status).toBe(200);
    const made = await ada.send(`/settings/members/${firm.members[attorney]}/link`, {});
    expect({ status: made.status, isShown: made.text.includes('/welcome/') }).toEqual({
      status: 200,
      isShown: true,
    });
    expect((await ada.get('/settings/me')).text).not.toContain('Present password');
    const later = await memberBrowser(server, firm, owner, 'unproven');
    expect((await later.send('/settings/me/authenticator', {})).status).toBe(303);
  });

  test('a form from elsewhere changes nothing', async () => {
    const firm = await makeFirm(server);
    const ben = await join(firm, attorney);
    const before = (await ben.get('/settings/me')).text;
    const forged = await fetch(`${server.url}/settings/me/notifications`, {
      method: 'POST',
      headers: { accept: 'text/html', 'sec-fetch-site': 'cross-site' },
      body: new URLSearchParams(),
      redirect: 'manual',
    });
    expect([303, 403]).toContain(forged.status);
    expect((await ben.get('/settings/me')).text.length).toBe(before.length);
  });
});
