/**
 * Runs the tests on a real Postgres: the one of TEST_DATABASE_URL (an address of a server on which
 * databases may be created), or an embedded one made for this run. Further arguments go to `bun test`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../src/postgres/embedded/embedded.ts';

const repository = join(import.meta.dir, '..');

const startOwnServer = async () => {
  process.env.MATTERHORN_TEST_FSYNC = 'off';
  const dataDirectory = await mkdtemp(join(tmpdir(), 'matterhorn-test-'));
  const embedded = await startEmbedded({
    dataDirectory,
    say: () => {},
    onGaveUp: (sentence) => console.error(sentence),
  });
  delete process.env.MATTERHORN_TEST_FSYNC;
  const { path, username, password, database } = embedded.address;
  const folder = encodeURIComponent(path.slice(0, path.lastIndexOf('/')));
  return {
    url: `postgres://${username}:${encodeURIComponent(password)}@${folder}/${database}`,
    stop: async () => {
      await embedded.stop();
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
};

const given = process.env.TEST_DATABASE_URL;
const server = given ? { url: given, stop: async () => {} } : await startOwnServer();
// The tests kill processes and wait for others: on a shared build machine one that lost a race
// against the machine is asked once more. What fails twice fails.
const again = process.env.CI ? ['--retry=1'] : [];
const tests = Bun.spawn({
  cmd: ['bun', 'test', '--parallel=4', '--timeout=60000', ...again, ...process.argv.slice(2)],
  cwd: repository,
  env: { ...process.env, TEST_DATABASE_URL: server.url, MATTERHORN_LOG: 'quiet' },
  stdio: ['ignore', 'inherit', 'pipe'],
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal));

let tail = '';
const decoder = new TextDecoder();
for await (const chunk of tests.stderr) {
  process.stderr.write(chunk);
  tail = (tail + decoder.decode(chunk, { stream: true })).slice(-2_000);
}
const exitCode = await tests.exited;
await server.stop();
const countOf = (word: string) =>
  /\d+/.exec(tail.match(new RegExp(`^ *\\d+ ${word}$`, 'm'))?.[0] ?? '0')?.[0];
console.log(`${countOf('pass')} passed, ${countOf('fail')} failed`);
process.exit(exitCode);
