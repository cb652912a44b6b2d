import { expect, test } from 'bun:test';
import { ownDatabase } from '../support/database.ts';
import { startTestServer } from '../support/firm.ts';
import { freePort } from '../support/instances.ts';
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
