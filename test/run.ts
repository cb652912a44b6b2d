/**
 * Runs the tests on a real Postgres: the one of TEST_DATABASE_URL (a server on which databases may
 * be created), or an embedded one made for this run. Prints its progress, the failures with all
 * output of their file, and the counts. Arguments choose what runs: `leads` is the folder
 * test/leads. Other arguments of `bun test` work too; `--verbose` shows everything.
 *
 * The tests kill processes and wait for others, which a busy build machine can upset. With CI set,
 * files that failed run a second time when all others are done, each in a process of its own, and
 * the run says what failed at first. A file that fails twice fails the run.
 */
import { existsSync, statfsSync, statSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../src/postgres/embedded/embedded.ts';
import { areSpread, nodes } from './support/cluster.ts';
import { type Outcome, readOutcomes } from './support/outcomes.ts';
import { buildProgram } from './support/program.ts';
import { makeRequestsRole } from './support/roles.ts';

const repository = join(import.meta.dir, '..');

const memory = '/dev/shm';
const leastRoomBytes = 6 * 1024 ** 3;

/**
 * Whether what the tests leave for a moment can be kept in memory. They make and remove thousands of
 * files of databases, which costs a disk's file system much processor time.
 */
const fitsInMemory = async () => {
  if (!existsSync(memory)) return false;
  const { bavail, bsize } = statfsSync(memory);
  if (bavail * bsize < leastRoomBytes || freemem() < leastRoomBytes) return false;
  // Some systems run no program there.
  const folder = await mkdtemp(join(memory, 'matterhorn-test-'));
  const program = join(folder, 'true');
  const isRun = await copyFile('/bin/true', program)
    .then(() => Bun.spawnSync([program]).success)
    .catch(() => false);
  await rm(folder, { recursive: true, force: true });
  return isRun;
};

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

if (!process.env.TMPDIR && (await fitsInMemory())) process.env.TMPDIR = memory;
const given = process.env.TEST_DATABASE_URL;
const server = given ? { url: given, stop: async () => {} } : await startOwnServer();
for (const address of areSpread ? nodes : [server.url]) await makeRequestsRole(address);
// Tests wait for what must come: on a busy machine that may take long.
const timeout = '--timeout=180000';
// Loading all modules costs more than most files of tests: a worker loads them once for all its
// files. The slowest files of the last run begin first, so that none is left alone at the end. Where
// there was no run, test/slow-files.json says which they are, in milliseconds.
const workers = Math.min(8, availableParallelism() + 3);
const usual = [`--parallel=${workers}`, '--no-isolate', timeout];
const ofLastRun = '--timings=node_modules/.cache/timings.json';
const timings = [ofLastRun, '--timings=test/slow-files.json', '--update-timings'];
// What the tests leave behind, also when they are killed, is removed with it. The name is short:
// the path of a socket may have some hundred letters.
const ofThisRun = await mkdtemp(join(tmpdir(), 'mh-'));
// A Postgres does not run as root, but as a user of its own, who must get into it.
await chmod(ofThisRun, 0o711);
// Compiling every source file anew costs most of a program's start. Short programs gain nothing
// from the last of the compilers, which costs more than it saves.
const builtProgram = join(ofThisRun, 'matterhorn');
const savings = { TEST_PROGRAM: builtProgram, BUN_JSC_useFTLJIT: '0' };
const spawnTests = (words: string[], reportPath: string) =>
  Bun.spawn({
    cmd: ['bun', 'test', ...words, '--reporter=junit', `--reporter-outfile=${reportPath}`],
    cwd: repository,
    env: {
      ...process.env,
      ...savings,
      TMPDIR: ofThisRun,
      TEST_DATABASE_URL: server.url,
      MATTERHORN_LOG: 'quiet',
    },
    stdio: ['ignore', isVerbose ? 'inherit' : 'ignore', 'pipe'],
  });
const reportPath = join(ofThisRun, 'all.xml');
const isWholeRun = chosen.every((word) => word.startsWith('--'));
const building = isWholeRun ? buildProgram(builtProgram) : undefined;
let tests = spawnTests([...usual, ...timings, ...chosen], reportPath);
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    isInterrupted = true;
    tests.kill(signal);
  });
}

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

/** Files that had an error outside of their tests. */
const suspects = new Set<string>();
const mentioned = /test\/[^\s:]+?\.test\.tsx?/g;
let headBefore = '';

/** What one file of tests said: shown where something of it failed, without the lines that passed. */
const endFile = (lines: string[]) => {
  const head = lines.find(isHead);
  if (!head) return;
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
  seen.passed += count('(pass)');
  seen.failed += count('(fail)');
  const isWorthReading = lines.some((line) => /^\(fail\)|^error:|^# Unhandled|^✗/.test(line));
  const shown = isVerbose ? lines : isWorthReading ? lines.filter(isNotPassed) : [];
  if (shown.length > 0) console.error(`\n${shown.join('\n')}`);
  const unhandled = lines.findIndex((line) => line.startsWith('# Unhandled'));
  if (unhandled >= 0) {
    const named = lines.slice(unhandled).join('\n').match(mentioned);
    // What a file writes last may arrive when the next one has begun.
    for (const file of named ?? `${headBefore}${head}`.match(mentioned) ?? []) suspects.add(file);
  }
  headBefore = head;
  sayHowFar();
};

const isNotPassed = (line: string) => !line.startsWith('(pass)');
const isHead = (line: string) => /^\S+\.test\.tsx?:$/.test(line);
const isSummary = (line: string) => /^\d+ tests? (failed|skipped):$|^ +\d+ pass$/.test(line);

/** Reads what a run says, file by file; gives the rest, which is its summary. */
const follow = async (output: ReadableStream<Uint8Array>): Promise<string> => {
  const lines: string[] = [];
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of output) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) {
      if (isHead(line) || isSummary(line)) endFile(lines.splice(0));
      lines.push(line);
    }
  }
  if (!lines.some((line) => isSummary(line))) endFile(lines.slice());
  return [...lines, rest].join('\n');
};

const outsideTests = '(an error outside of its tests)';

/** Runs one file again, in a process of its own. */
const runAlone = async (file: string): Promise<Outcome> => {
  const path = join(ofThisRun, `${file.replaceAll('/', '-')}.xml`);
  const options = words.filter((word) => word.startsWith('--'));
  tests = spawnTests([`./${file}`, timeout, ...options], path);
  await follow(tests.stderr);
  const exitCode = await tests.exited;
  const outcome = (await readOutcomes(path)).get(file) ?? { passed: 0, skipped: 0, failed: [] };
  if (exitCode !== 0 && outcome.failed.length === 0) outcome.failed.push(outsideTests);
  return outcome;
};

/** More files than these do not fail by chance. */
const mostAgain = 6;

/** Runs the files that failed once more; their outcomes are then those of the second try. */
const runAgain = async (outcomes: Map<string, Outcome>) => {
  const files = [...outcomes].filter(([, { failed }]) => failed.length > 0);
  if (!process.env.CI || isInterrupted || files.length > mostAgain) return;
  console.error('\nThese tests failed. Their files run once more, each in a process of its own:');
  for (const [file, { failed }] of files) {
    for (const name of failed) console.error(`  ${file}: ${name}`);
  }
  const told: string[] = [];
  for (const [file] of files) {
    const second = await runAlone(file);
    outcomes.set(file, second);
    const { failed } = second;
    told.push(
      `  ${file}: ${failed.length === 0 ? 'passed' : `failed again: ${failed.join(', ')}`}`,
    );
  }
  console.error(`\nAt the second try:\n${told.join('\n')}`);
};

const summary = await follow(tests.stderr);
const exitCode = await tests.exited;
if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
const outcomes = await readOutcomes(reportPath);
for (const file of suspects) {
  const outcome = outcomes.get(file) ?? { passed: 0, skipped: 0, failed: [] };
  if (outcome.failed.length === 0) outcome.failed.push(outsideTests);
  outcomes.set(file, outcome);
}
const sum = (count: (outcome: Outcome) => number) =>
  [...outcomes.values()].reduce((total, outcome) => total + count(outcome), 0);
const filesRun = Number(summary.match(/^Ran \d+ tests? across (\d+) files?/m)?.[1] ?? Infinity);
const isAccountedFor = sum(({ failed }) => failed.length) > 0 && outcomes.size >= filesRun;
if (outcomes.size === 0 || (exitCode !== 0 && !isAccountedFor)) console.error(summary.trim());
if (isAccountedFor) await runAgain(outcomes);
await building?.exited;
await server.stop();
await rm(ofThisRun, { recursive: true, force: true });
const [passed, failed, skipped] = [
  sum((outcome) => outcome.passed),
  sum((outcome) => outcome.failed.length),
  sum((outcome) => outcome.skipped),
];
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
// A run that broke off, or failed for no file's sake, stays a failed run.
process.exit(isAccountedFor ? Math.min(failed, 1) : exitCode);
