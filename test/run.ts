/**
 * Runs the tests on a real Postgres: the one of TEST_DATABASE_URL (a server on which databases may
 * be created), or an embedded one made for this run. Prints its progress, the failures with all
 * output of their file, and the counts. Without arguments it runs the fast lane; `slow` is the other
 * lane, and `all` is both (support/lanes.ts). What lies in a folder `alone` runs after the others, one file at a time. `leads` is
 * the folder test/leads, and `leads/limits.test.ts` a file of it. Options of `bun test` work too;
 * `--verbose` shows everything.
 *
 * A file that fails, fails the run. With CI set it runs once more by itself, only to say whether it
 * fails again.
 */
import { existsSync, statfsSync, statSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, freemem, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startEmbedded } from '../src/postgres/embedded/embedded.ts';
import { leftByRun, newFilesIn } from './support/after-run.ts';
import { areSpread, nodes } from './support/cluster.ts';
import { embeddedUrl } from './support/embedded.ts';
import { filesFor, isAlone, isSlow, slowFolders } from './support/lanes.ts';
import { type Outcome, readOutcomes } from './support/outcomes.ts';
import { buildProgram } from './support/program.ts';
import { followProgress } from './support/progress.ts';
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
  return {
    url: embeddedUrl(embedded.superuser),
    stop: async () => {
      await embedded.stop();
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
};

const isVerbose = process.argv.includes('--verbose');
const words = process.argv.slice(2).filter((word) => word !== '--verbose');
const options = words.filter((word) => word.startsWith('--'));
const names = words.filter((word) => !word.startsWith('--'));
const isAll = names.join() === 'all';
const isFast = names.length === 0;
const isSlowLane = names.join() === 'slow';
/** `leads` means the folder test/leads, not every path that has these letters somewhere. */
const pathOf = (name: string) => {
  const folder = join('test', name.replace(/^test\/|\/$/g, ''));
  const found = statSync(join(repository, folder), { throwIfNoEntry: false });
  return found?.isDirectory() ? `${folder}/` : name;
};
const fastLane = slowFolders.map((folder) => `--path-ignore-patterns=**/${folder}/**`);
const named = isSlowLane ? filesFor(repository, options).filter(isSlow) : names.map(pathOf);
const chosen = isAll ? [] : isFast ? fastLane : named;

if (!process.env.TMPDIR && (await fitsInMemory())) process.env.TMPDIR = memory;
const given = process.env.TEST_DATABASE_URL;
const server = given ? { url: given, stop: async () => {} } : await startOwnServer();
for (const address of areSpread ? nodes : [server.url]) await makeRequestsRole(address);
// Tests wait for what must come: on a busy machine that may take long. The limit proves nothing: it
// ends what would never end.
const timeout = '--timeout=600000';
// Loading all modules costs more than most files of tests: a worker loads them once for all its
// files. The slowest files of the last run begin first, so that none is left alone at the end. Where
// there was no run, test/slow-files.json says which they are, in milliseconds.
// Each worker compiles what runs often for itself, which costs seconds: more of them than processors
// pay where tests wait for Postgres, and more yet where they wait for programs, as in the slow lane.
// Where CI is set, steadiness is worth more than speed.
const beyondProcessors = isFast ? 1 : process.env.CI ? 2 : 3;
const workers = Math.min(8, availableParallelism() + beyondProcessors);
const preload = `--preload=${join(import.meta.dir, 'support/left-behind.ts')}`;
const aloneLater = '--path-ignore-patterns=**/alone/**';
const usual = [`--parallel=${workers}`, '--no-isolate', timeout];
const byItself = (file: string) => [resolve(repository, file), timeout, ...options];
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
    cmd: ['bun', 'test', preload, ...words, '--reporter=junit', `--reporter-outfile=${reportPath}`],
    cwd: repository,
    env: {
      ...process.env,
      ...savings,
      TMPDIR: ofThisRun,
      TEST_DATABASE_URL: server.url,
      MATTERHORN_LOG: 'quiet',
      // A busy machine may stand still for longer than a server lets its callers wait.
      MATTERHORN_TEST_PATIENCE: '5',
    },
    stdio: ['ignore', isVerbose ? 'inherit' : 'ignore', 'pipe'],
  });
/**
 * The calls of `bun test` that this run consists of: most files at once, then one at a time, each in a
 * process of its own.
 */
const calls = (): string[][] => {
  const words = [...options, ...chosen];
  const files = filesFor(repository, words);
  const [alone, others] = [files.filter(isAlone), files.filter((file) => !isAlone(file))];
  const atOnce = [...usual, ...timings, ...words];
  if (alone.length === 0) return [atOnce];
  const oneByOne = alone.map((file) => byItself(file));
  return others.length === 0 ? oneByOne : [[...atOnce, aloneLater], ...oneByOne];
};
const filesBefore = newFilesIn(repository);
const building = isAll || isSlowLane ? buildProgram(builtProgram) : undefined;
let tests: ReturnType<typeof spawnTests> | undefined;
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    isInterrupted = true;
    tests?.kill(signal);
  });
}

const { follow, suspects } = followProgress(isVerbose);
const outsideTests = '(an error outside of its tests)';

/** Runs tests to their end; `summary` is what `bun test` says last. */
const runTests = async (words: string[], reportPath: string) => {
  tests = spawnTests(words, reportPath);
  const summary = await follow(tests.stderr);
  return { summary, exitCode: await tests.exited, outcomes: await readOutcomes(reportPath) };
};

/** Whether a file passes by itself, in a process of its own; if not, the names of what fails. */
const runByItself = async (file: string): Promise<string[]> => {
  const path = join(ofThisRun, `${file.replaceAll('/', '-')}.xml`);
  const { exitCode, outcomes } = await runTests(byItself(file), path);
  const failed = outcomes.get(file)?.failed ?? [];
  return exitCode !== 0 && failed.length === 0 ? [outsideTests] : failed;
};

/** Of more files than these it is plain that they do not fail by chance. */
const maxDiagnosed = 6;

/** Runs the files that failed once more, and says how they did. They have failed all the same. */
const diagnose = async (outcomes: Map<string, Outcome>) => {
  const files = [...outcomes].filter(([, { failed }]) => failed.length > 0);
  if (!process.env.CI || isInterrupted || files.length > maxDiagnosed) return;
  console.error('\nThese tests failed. To say more of them, each of their files runs by itself:');
  for (const [file, { failed }] of files) {
    for (const name of failed) console.error(`  ${file}: ${name}`);
  }
  const told: string[] = [];
  for (const [file] of files) {
    const failed = await runByItself(file);
    told.push(
      failed.length === 0
        ? `  ${file} passed: it fails by chance or beside others`
        : `  ${file} failed again: ${failed.join(', ')}`,
    );
  }
  console.error(`\nBy themselves:\n${told.join('\n')}`);
};

const outcomes = new Map<string, Outcome>();
const summaries: string[] = [];
let exitCode = 0;
for (const [at, words] of calls().entries()) {
  if (isInterrupted) {
    exitCode ||= 1;
    break;
  }
  const ran = await runTests(words, join(ofThisRun, `${at}.xml`));
  for (const [file, outcome] of ran.outcomes) outcomes.set(file, outcome);
  summaries.push(ran.summary.trim());
  exitCode ||= ran.exitCode;
}
for (const file of suspects) {
  const outcome = outcomes.get(file) ?? { passed: 0, skipped: 0, failed: [] };
  if (outcome.failed.length === 0) outcome.failed.push(outsideTests);
  outcomes.set(file, outcome);
}
const sum = (count: (outcome: Outcome) => number) =>
  [...outcomes.values()].reduce((total, outcome) => total + count(outcome), 0);
const filesRun = summaries
  .map((said) => Number(said.match(/^Ran \d+ tests? across (\d+) files?/m)?.[1] ?? Infinity))
  .reduce((total, count) => total + count, 0);
const isAccountedFor = sum(({ failed }) => failed.length) > 0 && outcomes.size >= filesRun;
if (outcomes.size === 0 || (exitCode !== 0 && !isAccountedFor)) console.error(summaries.join('\n'));
if (isAccountedFor) await diagnose(outcomes);
await building?.exited;
const left = isInterrupted ? [] : await leftByRun(ofThisRun, server.url);
// Whoever works on the repository beside the tests may make files; nobody does where CI is set.
if (process.env.CI) {
  for (const file of newFilesIn(repository)) if (!filesBefore.has(file)) left.push(`file ${file}`);
}
if (left.length > 0) console.error(`\nThe run leaves behind:\n  ${left.join('\n  ')}`);
await server.stop();
await rm(ofThisRun, { recursive: true, force: true });
const [passed, failed, skipped] = [
  sum((outcome) => outcome.passed),
  // A run that broke off, or failed for no file's sake, stays a failed run.
  sum((outcome) => outcome.failed.length) + Number(exitCode !== 0 && !isAccountedFor) + left.length,
  sum((outcome) => outcome.skipped),
];
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failed > 0 ? 1 : 0);
