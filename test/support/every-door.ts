/** Every kind of door of a server, asked as clients of every kind name it: over http and over https. */
import { dial } from './raw.ts';

/** What opens the doors: a key, a session's cookie, a feed's path, and the id of a lead. */
export type Keys = { key: string; cookie: string; feed: string; leadId: string };

/** Opens what only a member can: makes a lead with the key, and a calendar feed in a session. */
export const keysFrom = async (url: string, key: string, cookie: string): Promise<Keys> => {
  const made = await ask(`${url}/v1/leads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': json },
    body: '{"lastName":"Hollis"}',
  });
  const { data } = (await made.json()) as { data: { id: string } };
  const page = await ask(`${url}/settings/me/feed`, {
    method: 'POST',
    headers: { cookie, accept: 'text/html', 'sec-fetch-site': 'same-origin', origin: url },
    body: new URLSearchParams(),
  });
  const [feed = ''] = /\/calendar\/feed\/[\w-]{43}\.ics/.exec(await page.text()) ?? [];
  return { key, cookie, feed, leadId: data.id };
};

/** Asks a server whose certificate nobody knows. */
export const ask = (url: string, request: RequestInit = {}) =>
  fetch(url, { redirect: 'manual', ...request, tls: { rejectUnauthorized: false } });

/** How a client may name the server in its Host; without one it speaks HTTP/1.0. */
export const hosts = [
  'x',
  'x:8443',
  '[::1]',
  '[::1]:8443',
  'localhost',
  'practice.harrow.example:443',
  'a b',
  undefined,
];

type Door = { asks: string; headers?: string[]; body?: string; answers: string };

const json = 'application/json';
const html = 'text/html';
const form = ['Content-Type: application/x-www-form-urlencoded', 'Sec-Fetch-Site: same-origin'];

const doorsFor = ({ key, cookie, feed, leadId }: Keys): Door[] => {
  const bearer = `Authorization: Bearer ${key}`;
  const member = [`Cookie: ${cookie}`, 'Accept: text/html'];
  const page = ['Accept: text/html'];
  return [
    { asks: 'GET /v1/leads', headers: [bearer], answers: `200 ${json}` },
    { asks: 'GET /v1/leads?limit=1&offset=0', headers: [bearer], answers: `200 ${json}` },
    { asks: `GET /v1/leads/${leadId}`, headers: [bearer], answers: `200 ${json}` },
    {
      asks: 'POST /v1/leads',
      headers: [bearer, `Content-Type: ${json}`],
      body: '{"lastName":"Quill"}',
      answers: `201 ${json}`,
    },
    { asks: 'GET /v1/leads', answers: `401 ${json}` },
    { asks: 'DELETE /v1/leads', headers: [bearer], answers: `405 ${json}` },
    { asks: 'GET /', headers: member, answers: `200 ${html}` },
    { asks: 'GET /', answers: `200 ${json}` },
    { asks: `GET /leads/${leadId}`, headers: member, answers: `200 ${html}` },
    { asks: 'GET /leads?view=list', headers: member, answers: `200 ${html}` },
    { asks: 'GET /inbox', headers: page, answers: '303 none' },
    { asks: 'GET /sign-in', headers: page, answers: `200 ${html}` },
    {
      asks: 'POST /sign-in',
      headers: [...page, ...form],
      // Another account each time: failures are counted by account.
      body: `email=${crypto.randomUUID()}%40x.example`,
      answers: `422 ${html}`,
    },
    { asks: 'GET /setup?token=none', headers: page, answers: `410 ${html}` },
    { asks: 'GET /welcome/none', headers: page, answers: `410 ${html}` },
    { asks: 'GET /nowhere/at/all', headers: page, answers: `404 ${html}` },
    { asks: 'GET /live', headers: member, answers: '200 text/event-stream' },
    { asks: `GET ${feed}`, answers: '200 text/calendar' },
    { asks: 'GET /docs', answers: `200 ${html}` },
    { asks: 'GET /v1/openapi.json', answers: `200 ${json}` },
    { asks: 'GET /healthz', answers: `200 ${json}` },
    { asks: 'GET /readyz', answers: `200 ${json}` },
    { asks: 'GET /version', answers: `200 ${json}` },
  ];
};

/** What each door answers under each host, and what it should, as lines that can be compared. */
export const askEveryDoor = async (url: string, keys: Keys) => {
  const [answered, expected]: [string[], string[]] = [[], []];
  for (const host of hosts) {
    for (const { asks, headers = [], body = '', answers } of doorsFor(keys)) {
      const version = host === undefined ? 'HTTP/1.0' : 'HTTP/1.1';
      const lines = [
        `${asks} ${version}`,
        ...(host === undefined ? [] : [`Host: ${host}`]),
        'Connection: close',
        `Content-Length: ${body.length}`,
        ...headers,
      ];
      const what = `${asks} at ${host ?? 'no host'}:`;
      answered.push(`${what} ${await beginningOf(url, `${lines.join('\r\n')}\r\n\r\n${body}`)}`);
      expected.push(`${what} ${answers}`);
    }
  }
  return { answered, expected };
};

/** The status and the type of an answer, from its beginning: live updates have no end. */
const beginningOf = async (url: string, request: string) => {
  const head = await new Promise<string>((resolve, reject) => {
    let text = '';
    const socket = dial(url, () => socket.write(request));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (text.includes('\r\n\r\n')) socket.destroy();
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
    socket.setTimeout(60_000, () => socket.destroy(new Error(`No answer to ${request}`)));
  });
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(head) ?? [];
  const [, type = 'none'] = /^content-type: ([^\r;]+)/im.exec(head) ?? [];
  return `${status} ${type}`;
};
