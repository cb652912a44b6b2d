import { expect, test } from 'bun:test';
import { ownDatabase } from '../support/database.ts';
import { startTestServer } from '../support/firm.ts';
import { freePort } from '../support/instances.ts';
import { programWords } from '../support/program.ts';
import { environmentOf } from '../support/roles.ts';
import { run, runJson } from '../support/terminal.ts';

test('`ready` succeeds while the server answers requests, and says why when it does not', async () => {
  const databaseUrl = await ownDatabase();
  const server = await startTestServer({ databaseUrl });
  const { port } = new URL(server.url);
  expect(await run(databaseUrl, ['ready', '--port', port])).toEqual({
    exitCode: 0,
    out: 'The server is ready.\n',
    err: '',
  });
  expect(await runJson<object>(databaseUrl, ['ready', '--port', port])).toEqual({ ready: true });
  await server.stop();
  const { exitCode, out, err } = await run(databaseUrl, ['ready', '--port', port]);
  expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' });
  expect(err).toContain('No server answered at http://127.0.0.1:');
});

test('`ready` gives the reason of a server that is up but not ready', async () => {
  const why = 'The database is being upgraded.';
  const unready = Bun.serve({
    port: await freePort(),
    hostname: '127.0.0.1',
    fetch: () => Response.json({ error: { message: why } }, { status: 503 }),
  });
  try {
    const words = ['ready', '--port', String(unready.port), '--host', '0.0.0.0'];
    expect(await run('', words)).toEqual({ exitCode: 1, out: '', err: `${why}\n` });
  } finally {
    await unready.stop(true);
  }
});

test('`ready` asks the server itself, whatever proxy the machine names', async () => {
  const databaseUrl = await ownDatabase();
  const { url } = await startTestServer({ databaseUrl });
  const dead = `http://127.0.0.1:${await freePort()}`;
  const proxies = { HTTP_PROXY: dead, http_proxy: dead, NO_PROXY: '', no_proxy: '' };
  const child = Bun.spawn([...programWords(databaseUrl), 'ready', '--port', new URL(url).port], {
    env: { ...process.env, ...environmentOf(databaseUrl), ...proxies },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect({ out, err, exitCode: await child.exited }).toEqual({
    out: 'The server is ready.\n',
    err: '',
    exitCode: 0,
  });
});

test('`ready` says the status of something else that answers at the port', async () => {
  const other = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response('null', { status: 404 }),
  });
  try {
    const { exitCode, err } = await run('', ['ready', '--port', String(other.port)]);
    expect({ exitCode, err }).toEqual({ exitCode: 1, err: 'The server answered 404.\n' });
  } finally {
    await other.stop(true);
  }
});
