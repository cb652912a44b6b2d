/**
 * Tries the executable as its user does: copied alone to an empty folder, started, asked, stopped.
 * `bun test/executable/smoke.ts EXECUTABLE`; prints what it saw and ends with 1 where something is wrong.
 */
import { readdir, rm } from 'node:fs/promises';
import { check, placeAlone } from '../support/executable.ts';

const { folder, executable, environment } = await placeAlone(
  process.argv[2] ?? 'dist/matterhorn',
  'smoke',
);
const start = () =>
  Bun.spawn([executable, 'demo', '--port', '0', '--data', 'data'], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });

/** What it prints until it is ready, and how long that took. */
const greetingOf = async (process: ReturnType<typeof start>) => {
  const started = performance.now();
  let text = '';
  const decoder = new TextDecoder();
  const reader = process.stdout.getReader();
  while (!text.includes('Ctrl-C')) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  reader.releaseLock();
  return { text, milliseconds: Math.round(performance.now() - started) };
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

const first = start();
try {
  const { text, milliseconds } = await greetingOf(first);
  console.log(`first start: ${milliseconds} ms`);
  const [url = '', key = ''] = [/http:\/\/\S+/.exec(text)?.[0], /mh_\w{36}/.exec(text)?.[0]];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const created = await fetch(`${url}/v1/leads`, {
    method: 'POST',
    headers,
    body: '{"lastName":"Quill"}',
  });
  const { data } = (await created.json()) as { data: { id: string; publicId: string } };
  check('a lead is created', created.status === 201 && data.publicId === 'L-0001');
  const read = await (await fetch(`${url}/v1/leads/${data.id}`, { headers })).text();
  check('it is read', read.includes('"name":"Quill"'));
  const listed = (await (await fetch(`${url}/v1/leads`, { headers })).json()) as {
    pagination: { total: number };
  };
  check('it is listed', listed.pagination.total === 1);
  const described = (await (await fetch(`${url}/v1/openapi.json`)).json()) as { openapi: string };
  check('the API description is there without a key', described.openapi.startsWith('3.1'));
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
  check('it starts again on its data', again.text.includes('mh_'));
  check('it stops again', (await stop(second)) === 0);
  check(
    'a command works without a server',
    (await command('firm', 'list', '--data', 'data')).out.includes('Harrow'),
  );
  check('version', /^\d+\.\d+\.\d+\n$/.test((await command('version')).out));
} finally {
  first.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
}
process.exit();
