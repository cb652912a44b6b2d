/** Passkeys by the forms that carry them, with a device in software: what is accepted, and what never is. */
import { describe, expect, test } from 'bun:test';
import { memberBrowser } from '../support/app.ts';
import { openAuthenticator } from '../support/authenticator.ts';
import { moveClock, ownDatabase } from '../support/database.ts';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { visitorWith } from '../support/visitor.ts';

const started = await startTestServer({ databaseUrl: await ownDatabase() });
/** The same server under a name: addresses of numbers have no passkeys. */
const server = { ...started, url: started.url.replace('127.0.0.1', 'localhost') };

type Member = Awaited<ReturnType<typeof memberBrowser>>;
type Device = ReturnType<typeof openAuthenticator>;

type Row = Record<string, unknown>;

const stranger = visitorWith(server.url, '');

const challengeFor = async (member: Member) => {
  const { text } = await member.send('/settings/me/passkeys/challenge', {}, asScript);
  return (JSON.parse(text) as { create: Parameters<Device['create']>[0] }).create;
};

const asScript = { accept: 'application/json', 'x-sent-by': 'island' };

const challenge = async () => {
  const { text } = await stranger.post('/sign-in/passkey/challenge', {}, asScript);
  return (JSON.parse(text) as { sign: { challenge: string } }).sign;
};

const addPasskey = (member: Member, answer: string, name = 'Green key') =>
  member.send('/settings/me/passkeys', { name, answer });

/** A member with a passkey, and the device that keeps it. */
const memberWithPasskey = async (firm: Firm, email = owner) => {
  const member = await memberBrowser(server, firm, email);
  const device = openAuthenticator(server.url);
  const added = await addPasskey(member, device.create(await challengeFor(member)));
  expect(added.status).toBe(303);
  return { member, device };
};

const signIn = (answer: string) => stranger.post('/sign-in/passkey', { answer, to: '/inbox' });
const refused = { status: 422, location: null };
const isRefused = async (answer: string) => {
  const sent = await signIn(answer);
  expect(sent).toMatchObject(refused);
  expect(sent.text).toContain('This passkey was not accepted');
};

describe('A passkey', () => {
  test('is added, signs in, says when it was used, and is removed', async () => {
    const firm = await makeFirm(server);
    const { member, device } = await memberWithPasskey(firm);
    expect((await member.get('/settings/me')).text).toContain('not used yet');
    expect(await signIn(device.sign(await challenge()))).toMatchObject({
      status: 303,
      location: '/inbox',
    });
    const { text } = await member.get('/settings/me');
    expect(text).not.toContain('not used yet');
    const [, id = ''] = /passkeys\/([\w-]{36})\/remove/.exec(text) ?? [];
    const log = await firm.command<{ recordKind: string; changes: Row }[]>(['audit', 'list']);
    const [added, signedIn, browser] = log.slice(-3);
    expect(browser?.changes).toEqual({ knownBrowser: { before: null, after: 'added' } });
    expect(signedIn).toMatchObject({
      recordKind: 'session',
      changes: { signedInWith: { after: 'passkey' } },
    });
    expect(added).toMatchObject({
      recordKind: 'passkey',
      changes: { name: { after: 'Green key' } },
    });
    expect(added?.changes).not.toHaveProperty('publicKey');
    const other = await memberBrowser(server, firm, attorney);
    expect((await other.send(`/settings/me/passkeys/${id}/remove`, {})).status).toBe(404);
    expect((await member.send(`/settings/me/passkeys/${id}/remove`, {})).status).toBe(303);
    await isRefused(device.sign(await challenge()));
    expect((await member.get('/settings/me')).text).not.toContain('Green key');
  });

  test('signs a challenge once, and only within five minutes', async () => {
    const { device } = await memberWithPasskey(await makeFirm(server));
    const given = await challenge();
    const answer = device.sign(given);
    expect((await signIn(answer)).status).toBe(303);
    await isRefused(answer);
    await isRefused(device.sign(given));
    const late = await challenge();
    await moveClock(server.databaseUrl, 301);
    await isRefused(device.sign(late));
    await moveClock(server.databaseUrl, 0);
    await isRefused(device.sign({ challenge: 'bWFkZS11cA' }));
  });

  test('of another site, another address, a copied device or another member is not accepted', async () => {
    const firm = await makeFirm(server);
    const { device } = await memberWithPasskey(firm);
    const other = await memberBrowser(server, firm, attorney);
    const { user } = await challengeFor(other);
    for (const lie of [
      { origin: 'https://elsewhere.example' },
      { origin: server.url.replace('localhost', '127.0.0.1') },
      { host: 'elsewhere.example' },
      { counter: 1 },
      { userHandle: user.id },
      { userHandle: '' },
      { userHandle: 'x'.repeat(400) },
    ]) {
      await isRefused(device.sign(await challenge(), lie));
    }
    await isRefused(openAuthenticator(server.url).sign(await challenge()));
    expect((await signIn(device.sign(await challenge()))).status).toBe(303);
  });

  test('of a deactivated member signs nobody in', async () => {
    const firm = await makeFirm(server);
    const { device } = await memberWithPasskey(firm, attorney);
    await firm.command(['member', 'deactivate', attorney]);
    await isRefused(device.sign(await challenge()));
    await firm.command(['member', 'activate', attorney]);
    expect((await signIn(device.sign(await challenge()))).status).toBe(303);
  });

  test('what is no answer of a browser is refused, and stands nowhere as markup', async () => {
    const client = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const { challenge: given } = await challenge();
    for (const answer of [
      ...['{', 'null', '[]', '"<img onerror=alert(1)>"', '{"response":null}', 'x'.repeat(60_000)],
      JSON.stringify({ response: { clientDataJSON: client({ challenge: 7 }) } }),
      JSON.stringify({ id: 7, response: { clientDataJSON: client({ challenge: given }) } }),
    ]) {
      await isRefused(answer);
    }
    expect((await signIn('')).text).toContain('needs a browser that runs scripts');
    expect((await signIn('x'.repeat(70_000))).status).toBe(413);
  });

  test('is offered nowhere at an address of numbers; a proof of who one is comes first', async () => {
    const firm = await makeFirm(server);
    const member = await memberBrowser(started, firm, owner);
    const { text } = await member.get('/settings/me');
    expect(text).toContain('Passkeys need https and a domain name.');
    expect(text).not.toContain('Add a passkey');
    expect((await visitorWith(started.url, '').get('/sign-in')).text).not.toContain(
      'Use a passkey',
    );
    expect((await stranger.get('/sign-in')).text).toContain('Use a passkey');
    const sent = await member.send('/settings/me/passkeys/challenge', {}, asScript);
    expect(sent.status).toBe(422);
    await moveClock(server.databaseUrl, 16 * 60);
    const late = await memberBrowser(server, firm, owner);
    await moveClock(server.databaseUrl, 32 * 60);
    const asked = await late.send('/settings/me/passkeys/challenge', {}, asScript);
    expect(JSON.parse(asked.text).goTo).toStartWith('/settings/me/confirm?');
  });
});

describe('A new passkey', () => {
  test('is its maker’s: another member, another site or a second time is refused', async () => {
    const firm = await makeFirm(server);
    const [member, other] = [
      await memberBrowser(server, firm, owner),
      await memberBrowser(server, firm, attorney),
    ];
    const device = openAuthenticator(server.url);
    const begun = await challengeFor(member);
    expect(await addPasskey(other, device.create(begun))).toMatchObject(refused);
    const wrongSite = device.create(begun, { origin: 'https://elsewhere.example' });
    expect(await addPasskey(member, wrongSite)).toMatchObject(refused);
    // That try has used the challenge up.
    expect(await addPasskey(member, device.create(begun))).toMatchObject(refused);
    const good = device.create(await challengeFor(member));
    expect((await addPasskey(member, good)).status).toBe(303);
    expect(await addPasskey(member, good)).toMatchObject(refused);
    const copied = await addPasskey(other, device.create(await challengeFor(other)));
    expect(copied).toMatchObject(refused);
    expect(copied.text).toContain('This passkey is known already');
    const unnamed = openAuthenticator(server.url).create(await challengeFor(member));
    const bare = await addPasskey(member, unnamed, ' ');
    expect(bare).toMatchObject(refused);
    expect(bare.text).toContain('aria-invalid');
  });
});
