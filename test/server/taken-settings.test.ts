/** What keeps a server from starting that is to take its certificate itself: one right sentence each. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../../src/config.ts';
import { atEnd } from '../support/at-end.ts';
import { connect, ownDatabase } from '../support/database.ts';
import { hasDirectory, startDirectory } from '../support/directory.ts';
import { freePort, startInstance } from '../support/instances.ts';

const folder = mkdtempSync(join(tmpdir(), 'matterhorn-taken-'));
atEnd(() => rmSync(folder, { recursive: true, force: true }));

/** A directory that is never asked. */
const environment = async () => ({
  TLS_ACME: 'practice.example',
  TLS_ACME_TERMS: 'accepted',
  TLS_ACME_DIRECTORY: `https://127.0.0.1:${await freePort()}/dir`,
  TLS_ACME_HTTP_PORT: String(await freePort()),
  INSTALLATION_KEY: join(folder, 'installation.key'),
});

test('the settings say what is wrong with a name, an address and each other', () => {
  const read = (more: Record<string, string>) => () =>
    readSettings({ TLS_ACME: 'practice.example', ...more });
  for (const names of [
    ...['127.0.0.1', '[::1]', 'practice.example:443x', 'practice.example:8443', '*.example'],
    ...['https://practice.example', 'practice.example/x', 'ada@practice.example', 'a..b', '-a.b'],
    ...['practice.example,,127.0.0.1', '<script>.example', `${'a'.repeat(64)}.example`],
    Array.from({ length: 101 }, (_, at) => `p${at}.example`).join(),
  ]) {
    const wrong = read({ TLS_ACME: names });
    expect(wrong).toThrow("TLS_ACME must be the server's name in the DNS");
    expect(wrong).not.toThrow('<script>');
  }
  for (const [more, sentence] of [
    [{ TLS_CERT: '/c', TLS_KEY: '/k' }, 'Set either of them.'],
    [{ TLS_ACME_EMAIL: 'ada' }, 'TLS_ACME_EMAIL must be an email address'],
    [{ TLS_ACME_DIRECTORY: 'http://x.example/dir' }, 'TLS_ACME_DIRECTORY must be the address'],
    [{ TLS_ACME_TERMS: 'yes' }, 'TLS_ACME_TERMS must be accepted, or not be set.'],
    [{ TLS_ACME_HTTP_PORT: '0' }, 'TLS_ACME_HTTP_PORT must be a whole number'],
    [{ PUBLIC_URL: 'http://practice.example' }, 'PUBLIC_URL must begin with https://'],
    [{ PUBLIC_URL: 'https://other.example' }, 'have a name that TLS_ACME has too'],
    [{ DATABASE_URL: 'postgres://x/y' }, 'TLS_ACME needs INSTALLATION_KEY'],
  ] as const) {
    expect(read(more)).toThrow(sentence);
  }
  const { tls, publicUrl } = read({ TLS_ACME: 'Practice.Example, müller.example' })();
  expect(tls).toMatchObject({ names: ['practice.example', 'xn--mller-kva.example'] });
  expect(publicUrl).toBe('https://practice.example');
  expect(read({ PUBLIC_URL: 'https://practice.example:8443' })().publicUrl).toEndWith(':8443');
});

test('a start with a port of challenges that is taken says so, and how to choose another', async () => {
  const settings = await environment();
  const other = Bun.serve({
    ...{ hostname: '127.0.0.1', port: Number(settings.TLS_ACME_HTTP_PORT) },
    fetch: () => new Response(),
  });
  try {
    const starting = startInstance(await ownDatabase(), {
      ...{ host: '127.0.0.1', environment: settings },
    });
    await expect(starting).rejects.toThrow(
      `Port ${settings.TLS_ACME_HTTP_PORT} is taken by another program. Stop that one, or choose another in TLS_ACME_HTTP_PORT`,
    );
  } finally {
    await other.stop(true);
  }
});

test('a start without accepted terms names the directory whose terms they are, and makes nothing', async () => {
  const databaseUrl = await ownDatabase();
  const settings = { ...(await environment()), TLS_ACME_TERMS: '' };
  const starting = startInstance(databaseUrl, { host: '127.0.0.1', environment: settings });
  await expect(starting).rejects.toThrow(
    `A certificate is issued under terms that you accept: those of ${settings.TLS_ACME_DIRECTORY}. Read them, and set TLS_ACME_TERMS=accepted.`,
  );
  const sql = connect(databaseUrl);
  expect((await sql`select from certificate_account`).length).toBe(0);
  await sql.end();
});

test.skipIf(!hasDirectory)(
  'a start without accepted terms names their address, where the directory says it',
  async () => {
    const directory = await startDirectory();
    const starting = startInstance(await ownDatabase(), {
      host: '127.0.0.1',
      environment: { ...directory.environmentFor('practice.example'), TLS_ACME_TERMS: '' },
    });
    // What the terms of `pebble` are.
    await expect(starting).rejects.toThrow(
      'under terms that you accept: data:text/plain,Do%20what%20thou%20wilt. Read them',
    );
  },
);

test('a server whose directory is away serves, with a certificate of its own, until it is there', async () => {
  const databaseUrl = await ownDatabase();
  const settings = await environment();
  const server = await startInstance(databaseUrl, { host: '127.0.0.1', environment: settings });
  const answer = await fetch(`${server.url}/readyz`, { tls: { rejectUnauthorized: false } });
  expect(answer.status).toBe(200);
  const plain = await fetch(`http://127.0.0.1:${settings.TLS_ACME_HTTP_PORT}/`);
  expect([plain.status, plain.headers.get('retry-after')]).toEqual([503, '5']);
  expect((await server.stop()).exitCode).toBe(0);
});
