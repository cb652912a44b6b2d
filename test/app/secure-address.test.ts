/** What the application says and accepts where its address begins with https. */
import { describe, expect, test } from 'bun:test';
import { certificateFiles } from '../support/certificate.ts';
import { makeFirm, owner, startTestServer } from '../support/firm.ts';
import { sessionOf } from '../support/session.ts';

const publicUrl = 'https://practice.harrow.example';
const plain = await startTestServer();
const named = await startTestServer({ environment: { PUBLIC_URL: publicUrl } });

const ask = (url: string, request: RequestInit) =>
  fetch(url, { redirect: 'manual', ...request, tls: { rejectUnauthorized: false } });

describe('Strict-Transport-Security', () => {
  const header = async (environment: Record<string, string>, host: string) => {
    const server = await startTestServer({ environment });
    const said: (string | null)[] = [];
    for (const path of ['/healthz', '/v1/leads', '/sign-in', '/nowhere']) {
      const answer = await ask(server.url + path, { headers: { host, accept: 'text/html' } });
      said.push(answer.headers.get('strict-transport-security'));
    }
    expect(new Set(said).size).toBe(1);
    return said[0];
  };
  const secured = certificateFiles().environment;
  const year = 'max-age=31536000';
  const behind = { PUBLIC_URL: publicUrl };

  for (const [title, environment, host, expected] of [
    ['is said behind a proxy with an https PUBLIC_URL', behind, 'practice.harrow.example', year],
    ['is said with a certificate, under a name', secured, 'practice.harrow.example:3000', year],
    ['is not said to localhost', secured, 'localhost:3000', null],
    ['is not said to an address', secured, '10.0.0.4:3000', null],
    ['is not said to an IPv6 address', secured, '[::1]:3000', null],
    ['is not said to localhost beside a name', { ...secured, ...behind }, 'localhost', null],
    ['is not said with an address as PUBLIC_URL', { PUBLIC_URL: 'https://10.0.0.4' }, 'x', null],
    ['is not said with a plain PUBLIC_URL', { PUBLIC_URL: 'http://practice.example' }, 'x', null],
    ['is not said over http', {}, 'practice.harrow.example', null],
  ] as const) {
    test(title, async () => expect(await header(environment, host)).toBe(expected));
  }
});

test('Over https only the cookie that a neighbouring host cannot plant signs in', async () => {
  const firm = await makeFirm(named);
  const token = await sessionOf(named, firm, owner);
  const statusWith = async (server: { url: string }, name: string) => {
    const headers = { accept: 'text/html', cookie: `${name}=${token}` };
    return (await ask(`${server.url}/settings/me`, { headers })).status;
  };
  expect(await statusWith(named, 'session')).toBe(303);
  expect(await statusWith(named, '__Host-session')).toBe(200);
  expect(await statusWith(plain, 'session')).toBe(200);
});

describe('A form, where PUBLIC_URL is set,', () => {
  const send = async (headers: Record<string, string>) => {
    const answer = await ask(`${named.url}/preferences`, {
      method: 'POST',
      body: new URLSearchParams({ theme: 'dark' }),
      headers: { accept: 'text/html', ...headers },
    });
    return { status: answer.status, text: await answer.text() };
  };
  const here = { host: 'practice.harrow.example' };

  test('is taken from a page at PUBLIC_URL', async () => {
    for (const headers of [
      { origin: publicUrl },
      { ...here, origin: publicUrl, 'sec-fetch-site': 'same-origin' },
      { ...here, 'sec-fetch-site': 'same-origin' },
      { ...here, origin: 'null', 'sec-fetch-site': 'same-origin' },
    ]) {
      expect({ headers, status: (await send(headers)).status }).toEqual({ headers, status: 303 });
    }
  });

  test('is refused from every other address, with a link to PUBLIC_URL', async () => {
    for (const headers of [
      { host: 'evil.example', origin: 'http://evil.example' },
      { host: 'evil.example', origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
      { host: 'evil.example', 'sec-fetch-site': 'same-origin' },
      { ...here, origin: 'http://practice.harrow.example', 'sec-fetch-site': 'same-origin' },
      { ...here, origin: publicUrl, 'sec-fetch-site': 'cross-site' },
      { ...here, origin: 'null' },
      here,
    ]) {
      const { status, text } = await send(headers);
      expect({ headers, status }).toEqual({ headers, status: 403 });
      expect(text).toContain(`<a href="${publicUrl}/">${publicUrl}</a>`);
    }
  });
});
