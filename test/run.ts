/**
 * Runs the tests on a real Postgres: the one of TEST_DATABASE_URL (a server on which databases may
 * be created), or an embedded one made for this run. Prints its progress, the failures with all
 * output of their file, and the counts. Arguments choose what runs: `leads` is the folder
 * test/leads. Other arguments of `bun test` work too; `--verbose` shows everything.
 */
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../src/postgres/embedded/embedded.ts';
import { makeRequestsRole } from './support/roles.ts';

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
  const { path, username, password, database } = embedded.superuser;
  const folder = encodeURIComponent(path.slice(0, path.lastIndexOf('/')));
  return {
    url: `postgres://${username}:${encodeURIComponent(password)}@${folder}/${database}`,
    stop: async () => {
      await embedded.stop();
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
};

const words = process.argv.slice(2).filter((word) => word !== '--verbose');
const isVerbose = process.argv.includes('--verbose');
/** `leads` means the folder test/leads, not every path that has these letters somewhere. */
const chosen = words.map((word) => {
  const folder = join('test', word.replace(/^test\/|\/$/g, ''));
  const found = statSync(join(repository, folder), { throwIfNoEntry: false });
  return found?.isDirectory() ? `${folder}/` : word;
});

const given = process.env.TEST_DATABASE_URL;
const server = given ? { url: given, stop: async () => {} } : await startOwnServer();
await makeRequestsRole(server.url);
// The tests kill processes and wait for others. On a shared build machine, a test that was too slow
// gets a second try. A test that fails twice fails.
const again = process.env.CI ? ['--retry=1'] : [];
// Loading all modules costs more than most files of tests: a worker loads them once for all its
// files. The slowest files of the last run begin first, so that none is left alone at the end. Where
// there was no run, test/slow-files.json says which they are, in milliseconds.
const workers = Math.min(8, availableParallelism() + 2);
const usual = [`--parallel=${workers}`, '--no-isolate', '--timeout=60000'];
const ofLastRun = '--timings=node_modules/.cache/timings.json';
const timings = [ofLastRun, '--timings=test/slow-files.json', '--update-timings'];
const tests = Bun.spawn({
  cmd: ['bun', 'test', ...usual, ...timings, ...again, ...chosen],
  cwd: repository,
  env: { ...process.env, TEST_DATABASE_URL: server.url, MATTERHORN_LOG: 'quiet' },
  stdio: ['ignore', isVerbose ? 'inherit' : 'ignore', 'pipe'],
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal));

const seen = { passed: 0, failed: 0 };
const startedAt = performance.now();
let saidAt = startedAt;

const sayHowFar = () => {
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const { passed, failed } = seen;
  const line = `${seconds} s: ${passed} passed, ${failed} failed`;
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`);
  else if (performance.now() - saidAt > sayEveryMilliseconds) {
    saidAt = performance.now();
    console.error(line);
  }
};
const sayEveryMilliseconds = 30_000;

/** What one file of tests said: shown where something of it failed, without the lines that passed. */
const endFile = (lines: string[]) => {
  if (!lines.some(isHead)) return;
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
  seen.passed += count('(pass)');
  seen.failed += count('(fail)');
  const isWorthReading = lines.some((line) => /^\(fail\)|^error:|^# Unhandled/.test(line));
  const shown = isVerbose ? lines : isWorthReading ? lines.filter(isNotPassed) : [];
  if (shown.length > 0) console.error(`\n${shown.join('\n')}`);
  sayHowFar();
};

const isNotPassed = (line: string) => !line.startsWith('(pass)');
const isHead = (line: string) => /^\S+\.test\.tsx?:$/.test(line);
const isSummary = (line: string) => /^\d+ tests? (failed|skipped):$|^ +\d+ pass$/.test(line);

const lines: string[] = [];
let rest = '';
const decoder = new TextDecoder();
for await (const chunk of tests.stderr) {
  const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
  rest = parts.pop() ?? '';
  for (const line of parts) {
    if (isHead(line) || isSummary(line)) endFile(lines.splice(0));
    lines.push(line);
  }
}
const summary = [...lines, rest].join('\n');
const exitCode = await tests.exited;
await server.stop();
if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
const counted = (word: string) =>
  Number(summary.match(new RegExp(`^ *(\\d+) ${word}$`, 'm'))?.[1] ?? 0);
const [passed, failed, skipped] = [counted('pass'), counted('fail'), counted('skip')];
if (passed + failed === 0) console.error(summary.trim());
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(exitCode);
