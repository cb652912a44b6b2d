import { expect, test } from 'bun:test';
import {
  attorney,
  bookkeeper,
  makeFirm,
  owner,
  startTestServer,
  usualBlueprint,
} from '../support/firm.ts';
import { partsIn, textIn } from '../support/html.ts';
import { visitorOf } from '../support/visitor.ts';

const server = await startTestServer();

const ask = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.url + path, { redirect: 'manual', headers });

const asBrowser = { accept: 'text/html,application/xhtml+xml' };

test('a browser that is not signed in is sent to sign in, and back afterwards', async () => {
  const answer = await ask('/inbox?show=unread', asBrowser);
  expect(answer.status).toBe(303);
  expect(answer.headers.get('location')).toBe('/sign-in?to=%2Finbox%3Fshow%3Dunread');
});

test('a program that asks at the root is told what the server is', async () => {
  const answer = await ask('/');
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ name: 'Matterhorn', documents: '/docs' });
});

test('an unknown address is a page for browsers and an envelope for programs', async () => {
  const page = await ask('/nowhere', asBrowser);
  expect(page.status).toBe(404);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(await page.text()).toContain('Nothing is here');
  const envelope = await ask('/nowhere');
  expect(envelope.status).toBe(404);
  expect(await envelope.json()).toMatchObject({ error: { code: 'not_found' } });
});

test('assets are kept for good, and compressed as the browser takes them', async () => {
  const page = await (await ask('/nowhere', asBrowser)).text();
  const paths = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path);
  expect(paths.length).toBe(3);
  for (const path of paths) {
    const answer = await ask(path ?? '', { 'accept-encoding': 'br' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toContain('immutable');
    expect((await answer.text()).length).toBeGreaterThan(100);
  }
});

test('a form that another site sends is refused', async () => {
  const answer = await fetch(`${server.url}/preferences`, {
    method: 'POST',
    body: new URLSearchParams({ theme: 'dark' }),
    headers: { ...asBrowser, origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' },
    redirect: 'manual',
  });
  expect(answer.status).toBe(403);
  expect(answer.headers.has('set-cookie')).toBe(false);
});

test('a one-time link that is over has a page of its own, 410, which says why and leads on', async () => {
  const firm = await makeFirm(server);
  const ada = await visitorOf(server, firm, owner);
  const token = 'A'.repeat(43);
  for (const path of [`/welcome/${token}`, `/setup?token=${token}`]) {
    const seen = await ada.get(path);
    expect(seen.status).toBe(410);
    expect(partsIn(seen.text, 'body.sign-in').length).toBe(1);
    expect(seen.text).toContain('This link no longer works');
    expect(seen.text).toContain('you are signed in as ');
    expect(seen.text).toContain('href="/"');
    const visited = await (await ask(path, asBrowser)).text();
    expect(visited).toContain('href="/sign-in"');
    expect(visited).not.toContain('you are signed in');
    const sent = await ada.post(path.split('?')[0] ?? '', { token, password: 'x' });
    expect({ path, status: sent.status }).toEqual({ path, status: 410 });
    expect(sent.text).toContain('This link no longer works');
    expect(sent.text).not.toContain('Nothing is here');
  }
});

test('who is refused by their role reads what it does not include, and every owner who can help, but nobody who has left', async () => {
  const [eve, gone] = ['eve@harrow.example', 'gil@harrow.example'];
  const firm = await makeFirm(server, {
    members: [
      ...usualBlueprint.members,
      { email: eve, name: 'Eve Stone', role: 'Owner' },
      { email: gone, name: 'Gil Gray', role: 'Owner' },
    ],
  });
  const ada = await visitorOf(server, firm, owner);
  const left = await ada.post(`/settings/members/${firm.members[gone]}/deactivate`);
  expect(left.status).toBe(303);
  const lead = (await firm.owner.post('/v1/leads', { lastName: 'Quill' })).body.data;
  const [ben, cy] = await Promise.all(
    [attorney, bookkeeper].map((email) => visitorOf(server, firm, email)),
  );
  const help = 'Ada Harrow or Eve Stone can give you access.';
  for (const [refused, what] of [
    [await cy?.get('/leads'), 'page'],
    [await ben?.get('/settings/roles'), 'page'],
    [await cy?.post(`/leads/${lead.id}/status`, { status: 'ARCHIVE' }), 'change'],
    [await ben?.post('/settings/roles/new', { name: 'Mine' }), 'change'],
  ] as const) {
    expect(refused?.status).toBe(403);
    const said = textIn(refused?.text ?? '', '[role=alert]');
    expect(said).toBe(`Your role does not include this ${what}.${help}`);
    expect(refused?.text).not.toMatch(/Quill|Gil Gray/);
  }
});
