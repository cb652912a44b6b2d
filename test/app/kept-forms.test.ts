/** A form that its member must sign in for, or prove themselves for: nothing of it is lost. */

import { describe, expect, test } from 'bun:test';
import { pages } from '../../src/app/pages.ts';
import { connect, ownDatabase } from '../support/database.ts';
import { makeFirm, owner, startTestServer } from '../support/firm.ts';
import { attributeIn, partsIn } from '../support/html.ts';
import { visitorOf } from '../support/visitor.ts';

// Elsewhere, members of other firms may have the same address and password.
const server = await startTestServer({ databaseUrl: await ownDatabase() });
const sql = connect(server.databaseUrl);
const password = `wet-stones-${crypto.randomUUID()}`;

type Sent = Record<string, string | string[]>;

const bodyOf = (fields: Sent) => {
  const body = new URLSearchParams();
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat()) body.append(name, value);
  }
  return body;
};

/** A browser without a script: it keeps its cookie, and sends a form on where it is told to (307). */
const openBrowser = () => {
  let cookie = '';
  const send = async (
    path: string,
    fields: Sent,
  ): Promise<{ status: number; text: string; path: string }> => {
    const answer = await fetch(server.url + path, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        cookie,
        'sec-fetch-site': 'same-origin',
        'sec-fetch-mode': 'navigate',
        referer: `${server.url}/leads/new`,
      },
      body: bodyOf(fields),
    });
    const given = answer.headers.get('set-cookie')?.split(';')[0];
    if (given) cookie = given;
    const next = answer.headers.get('location') ?? '';
    if (answer.status === 307) return send(next, fields);
    return { status: answer.status, text: await answer.text(), path: next || path };
  };
  return { send, signOut: () => (cookie = '') };
};

const keptIn = (page: string) => attributeIn(page, '[name=kept]', 'value');

/** A text of a waiting form as no page has it. */
const madeUp = (text: string) => Buffer.from(text).toString('base64url');

/** The form on a page that sends what waited: where to, and what. */
const waitingIn = (text: string) => {
  const [form] = partsIn(text, 'form.form[data-whole]');
  const fields = partsIn(form ?? '', '[type=hidden]').map((one) => [
    one.getAttribute('name') ?? '',
    one.getAttribute('value') ?? '',
  ]);
  return { action: form?.getAttribute('action') ?? '', fields };
};

/** The names of a page's fields for a password or a code. */
const secretsIn = async (text: string) => {
  const names: string[] = [];
  const element = (input: HTMLRewriterTypes.Element) =>
    void names.push(input.getAttribute('name') ?? '');
  await new HTMLRewriter()
    .on('input[type=password]', { element })
    .on('input[autocomplete=one-time-code]', { element })
    .transform(new Response(text))
    .text();
  return names;
};

const join = async () => {
  const firm = await makeFirm(server);
  const browser = openBrowser();
  const { link } = await firm.command<{ link: string }>(['member', 'invite', '--member', owner]);
  expect((await browser.send(new URL(link).pathname, { password })).status).toBe(303);
  return { firm, browser };
};

describe('Without a script', () => {
  test('what was typed while the session ended waits for the sign-in, and is sent then', async () => {
    const { firm, browser } = await join();
    browser.signOut();
    const typed = {
      lastName: 'O’Quill & "Söhne"',
      phone: '020 7946 0991',
      assigneeIds: ['a', 'b'],
    };
    const asked = await browser.send('/leads/new', typed);
    expect(asked.path).toStartWith('/sign-in?to=%2Fleads%2Fnew&form=%2Fleads%2Fnew');
    expect(asked.text).toContain('name="password"');
    const kept = keptIn(asked.text);
    const signIn = { email: owner, kept, to: '/leads/new' };
    const wrong = await browser.send('/sign-in', { ...signIn, password: 'not it, not at all' });
    expect(wrong.status).toBe(422);
    expect(keptIn(wrong.text)).toBe(kept);
    const signedIn = await browser.send('/sign-in', { ...signIn, password });
    expect(signedIn.status).toBe(200);
    expect(waitingIn(signedIn.text)).toEqual({
      action: '/leads/new',
      fields: [
        ['lastName', typed.lastName],
        ['phone', typed.phone],
        ['assigneeIds', 'a'],
        ['assigneeIds', 'b'],
      ],
    });
    expect((await firm.owner.get('/v1/leads')).body.pagination.total).toBe(0);
    const sent = await browser.send('/leads/new', { lastName: typed.lastName });
    expect(sent.status).toBe(303);
    expect((await firm.owner.get('/v1/leads')).body.data).toMatchObject([
      { contact: { name: typed.lastName } },
    ]);
  });

  test('every field of a form goes along to the proof, and a secret does not', async () => {
    const { firm, browser } = await join();
    await sql`update session set proven_at = moment() - interval '1 hour' where firm_id = ${firm.id}`;
    const typed = { name: 'Website', expires: '30', scopes: ['leads:read', 'leads:write'] };
    const asked = await browser.send('/settings/keys', { ...typed, password: 'secret' });
    expect(asked.path).toStartWith('/settings/me/confirm?to=');
    expect(asked.text).toContain('Confirm that it is you');
    expect(asked.text).toContain('You are about to create a key.');
    const kept = keptIn(asked.text);
    expect(Buffer.from(kept, 'base64url').toString()).not.toContain('secret');
    const wrong = await browser.send('/settings/me/confirm', { kept, password: 'not it' });
    expect(wrong.status).toBe(422);
    expect(keptIn(wrong.text)).toBe(kept);
    const proven = await browser.send('/settings/me/confirm', { kept, password });
    expect(waitingIn(proven.text)).toEqual({
      action: '/settings/keys',
      fields: [
        ['name', 'Website'],
        ['expires', '30'],
        ['scopes', 'leads:read'],
        ['scopes', 'leads:write'],
      ],
    });
    expect(
      (await browser.send('/settings/keys', { ...typed, id: Bun.randomUUIDv7() })).status,
    ).toBe(200);
  });

  test('nothing is kept of a field for a password or a code, on whichever page it is', async () => {
    const { firm } = await join();
    const ada = await visitorOf(server, firm, owner);
    const shown = [(await ada.post('/settings/me/authenticator')).text];
    for (const { method, path } of pages) {
      if (method === 'GET' && !path.includes(':')) shown.push((await ada.get(path)).text);
    }
    const names = new Set((await Promise.all(shown.map(secretsIn))).flat());
    expect([...names].sort()).toEqual([
      'clientSecret',
      'code',
      'password',
      'present',
      'refreshToken',
    ]);
    // The last one is filled by a passkey.
    const typed = Object.fromEntries(
      [...names, 'answer'].map((name) => [name, `secret of ${name}`]),
    );
    const { text } = await openBrowser().send('/leads/new', { lastName: 'Quill', ...typed });
    const kept = new URLSearchParams(Buffer.from(keptIn(text), 'base64url').toString());
    expect([...kept.keys()]).toEqual(['/leads/new', 'lastName']);
  });

  test('a form is sent to this application only, whatever came along', async () => {
    const { browser } = await join();
    for (const kept of [
      madeUp('https%3A%2F%2Felsewhere.example%2F=&a=b'),
      madeUp('%2F%2Felsewhere.example%2F=&a=b'),
      madeUp('\0\ud800'),
      madeUp(`%2Fleads=${'&a=b'.repeat(6_000)}`),
      'nonsense',
    ]) {
      const { status, text } = await browser.send('/settings/me/confirm', { kept, password });
      expect(status).toBe(200);
      expect(waitingIn(text).action).toBe('/');
      expect(text).not.toContain('elsewhere.example');
    }
  });

  test('who has no password proves themselves with a passkey, or is told what to do', async () => {
    const { firm, browser } = await join();
    await sql`update session set proven_at = null where firm_id = ${firm.id}`;
    await sql`delete from password where firm_id = ${firm.id}`;
    const asked = await browser.send('/settings/keys', { name: 'Website' });
    expect(asked.text).toContain(
      'You have no password, and no passkey that works at this address.',
    );
    expect(asked.text).not.toContain('name="password"');
    const passkey = await browser.send('/settings/me/confirm/passkey', { answer: '{}' });
    expect(passkey.status).toBe(422);
  });
});
