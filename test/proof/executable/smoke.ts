/**
 * Tries the executable as its user does: copied alone to an empty folder, started, asked, stopped.
 * `bun test/proof/executable/smoke.ts EXECUTABLE`; prints what it saw and ends with 1 where something is wrong.
 */
import { readdir, rm } from 'node:fs/promises';
import { endAll } from '../../support/at-end.ts';
import { openAuthenticator } from '../../support/authenticator.ts';
import { certificateFiles } from '../../support/certificate.ts';
import { ask, askEveryDoor, type Keys, keysFrom } from '../../support/every-door.ts';
import { check, placeAlone } from '../../support/executable.ts';

const { folder, executable, environment } = await placeAlone(
  process.argv[2] ?? 'dist/matterhorn',
  'smoke',
);
const start = (settings: Record<string, string> = {}) =>
  Bun.spawn([executable, 'demo', '--json', '--port', '0', '--data', 'data'], {
    cwd: folder,
    env: { ...environment, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });

type Greeting = { url: string; signInLink: string; key: string };

/** What it prints when it is ready, and how long that took. */
const greetingOf = async (process: ReturnType<typeof start>) => {
  const started = performance.now();
  let text = '';
  const decoder = new TextDecoder();
  const reader = process.stdout.getReader();
  while (!text.includes('\n')) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  reader.releaseLock();
  const milliseconds = Math.round(performance.now() - started);
  return { ...(JSON.parse(text) as Greeting), milliseconds };
};

const command = async (...words: string[]) => {
  const ran = Bun.spawn([executable, ...words], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { out: await ran.stdout.text(), exitCode: await ran.exited };
};

const stop = async (process: ReturnType<typeof start>) => {
  process.kill('SIGTERM');
  return Promise.race([process.exited, Bun.sleep(25_000).then(() => -1)]);
};

/** Passkeys are only there under a name, and their library only at first use. */
const signsInByPasskey = async (url: string, cookie: string) => {
  const here = url.replace('127.0.0.1', 'localhost');
  const send = (path: string, fields: Record<string, string>, as = 'text/html') =>
    fetch(here + path, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(fields),
      headers: { cookie, accept: as, 'sec-fetch-site': 'same-origin' },
    });
  const ask = async (path: string) => (await send(path, {}, 'application/json')).json();
  const device = openAuthenticator(here);
  const made = device.create((await ask('/settings/me/passkeys/challenge')).create);
  await send('/settings/me/passkeys', { name: 'Smoke', answer: made });
  const signed = device.sign((await ask('/sign-in/passkey/challenge')).sign);
  const answer = await send('/sign-in/passkey', { answer: signed });
  return answer.headers.get('set-cookie')?.startsWith('session=') ?? false;
};

const first = start();
try {
  const { url, signInLink, key, milliseconds } = await greetingOf(first);
  console.log(`first start: ${milliseconds} ms`);
  const welcome = await (await fetch(signInLink)).text();
  check('the link shows one button', welcome.includes('Open the demonstration'));
  const opened = await fetch(signInLink, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin', origin: url, accept: 'text/html' },
    body: new URLSearchParams(),
  });
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
  check('the link signs in', opened.status === 303 && cookie.startsWith('session='));
  const inside = async (path: string) =>
    (await fetch(url + path, { headers: { cookie, accept: 'text/html' } })).text();
  check('the home page names the firm', (await inside('/')).includes('Harrow &amp; Lane'));
  check('the leads page shows a caller', (await inside('/leads')).includes('Tabitha Greer'));
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const created = await fetch(`${url}/v1/leads`, {
    method: 'POST',
    headers,
    body: '{"lastName":"Quill"}',
  });
  const { data } = (await created.json()) as { data: { id: string; publicId: string } };
  check('a lead is created', created.status === 201 && data.publicId === 'L-0044');
  const read = await (await fetch(`${url}/v1/leads/${data.id}`, { headers })).text();
  check('it is read', read.includes('"name":"Quill"'));
  const listed = (await (await fetch(`${url}/v1/leads`, { headers })).json()) as {
    pagination: { total: number };
  };
  check('it is listed', listed.pagination.total === 44);
  const described = (await (await fetch(`${url}/v1/openapi.json`)).json()) as { openapi: string };
  check('the API description is there without a key', described.openapi.startsWith('3.1'));
  const wrongDoors = async (address: string, keys: Keys) => {
    const { answered, expected } = await askEveryDoor(address, keys);
    return answered.filter((line, at) => line !== expected[at]);
  };
  // Under another host the browser would have come over HTTPS, and have the other cookie.
  const both = `${cookie}; __Host-${cookie}`;
  const shut = await wrongDoors(url, await keysFrom(url, key, both));
  check(`every door answers ${shut.join(' ')}`.trimEnd(), shut.length === 0);
  // This ends the session of the cookie.
  check('a passkey is made, and signs in', await signsInByPasskey(url, cookie));
  const audit = await command('audit', 'list', '--json', '--data', 'data');
  check('a command works while it serves', audit.exitCode === 0 && audit.out.includes(data.id));
  check('it stops in order on SIGTERM', (await stop(first)) === 0);
  check(
    'nothing is left beside the data',
    (await readdir(folder)).sort().join() === 'data,matterhorn',
  );

  const second = start();
  const again = await greetingOf(second);
  console.log(`next start: ${again.milliseconds} ms`);
  check('it starts again on its data', again.key !== key && again.signInLink !== signInLink);
  check('it stops again', (await stop(second)) === 0);

  const files = certificateFiles();
  const third = start(files.environment);
  const secured = await greetingOf(third);
  check('it speaks HTTPS with a certificate', secured.url.startsWith('https://'));
  const invited = await ask(secured.signInLink, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin', origin: secured.url, accept: 'text/html' },
    body: new URLSearchParams(),
  });
  const session = invited.headers.get('set-cookie')?.split(';')[0] ?? '';
  check('the link signs in over HTTPS', session.startsWith('__Host-session='));
  const keys = await keysFrom(secured.url, secured.key, session);
  const wrong = await wrongDoors(secured.url, keys);
  check(`every door answers over HTTPS ${wrong.join(' ')}`.trimEnd(), wrong.length === 0);
  check('it stops with open streams', (await stop(third)) === 0);
  check(
    'a command works without a server',
    (await command('firm', 'list', '--data', 'data')).out.includes('Harrow'),
  );
  const says = (await command('version')).out;
  const isWhole = /^\d+\.\d+\.\d+(-dev\+\S+)?\ncommit [0-9a-f]{7,}(-dirty)?\nbuilt on [\d-]{10}\n$/;
  check('it says its version, its commit and its day', isWhole.test(says));
} finally {
  first.kill('SIGKILL');
  await endAll();
  await rm(folder, { recursive: true, force: true });
}
process.exit();
