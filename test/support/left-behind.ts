/**
 * Loaded before the tests of a process (`bun test --preload`): a file fails if it leaves a process, a
 * listening server, a runner of jobs or a file in the temporary folder behind. What no file can be
 * asked about is looked for at the end of the whole run (support/after-run.ts).
 */
import { afterAll, beforeAll } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isOfBrowser, keptPorts, runningRunners } from './kept.ts';

// A folder of this process alone: what is new in it was left by the file that has just run. The
// name is short because the paths of sockets must be. Another user's Postgres must get into it.
const folder = join(tmpdir(), `w${process.pid}`);
mkdirSync(folder);
chmodSync(folder, 0o711);
process.env.TMPDIR = folder;

const textOf = (path: string) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

/** Every browser of this process ends with it. */
const isBrowser = (command: string) => /chrom/.test(command);

/** A process that has just been started has no words yet: only what the system calls it. */
const commandOf = (pid: string) =>
  textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim() || textOf(`/proc/${pid}/comm`).trim();

const childProcesses = (): string[] =>
  (existsSync('/proc/self/task') ? readdirSync('/proc/self/task') : [])
    .flatMap((task) => textOf(`/proc/self/task/${task}/children`).split(' '))
    .filter((pid) => pid && !/^State:\s*Z/m.test(textOf(`/proc/${pid}/status`)))
    .map((pid) => [pid, commandOf(pid)] as const)
    .filter(([, command]) => command && !isBrowser(command))
    .map(([pid, command]) => `process ${pid}: ${command.slice(0, 200)}`);

/** The ports on which this process listens. */
const ports = (): number[] => {
  const own = new Set(
    (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd') : []).map((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${fd}`))?.[1];
      } catch {
        return undefined;
      }
    }),
  );
  return ['/proc/self/net/tcp', '/proc/self/net/tcp6'].flatMap((table) =>
    textOf(table)
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === '0A' && own.has(inode ?? ''))
      .map(([, local = '']) => Number.parseInt(local.split(':').at(-1) ?? '', 16)),
  );
};

const files = () => readdirSync(folder).filter((name) => !isOfBrowser(name));

/** What there is, each in words. */
const look = () => [
  ...childProcesses(),
  ...ports()
    .filter((port) => !keptPorts.has(port))
    .map((port) => `a server on port ${port}`),
  ...files().map((file) => `file ${join(folder, file)}`),
  ...(runningRunners.size > 0 ? [`${runningRunners.size} runners of jobs`] : []),
];

let before: string[] = [];
const left = () => look().filter((one) => !before.includes(one));

beforeAll(() => {
  before = look();
});

const longestEndMilliseconds = 60_000;

// What was told to end may need a moment for it, longer than a hook usually gets.
afterAll(async () => {
  const until = performance.now() + longestEndMilliseconds;
  while (left().length > 0 && performance.now() < until) await Bun.sleep(50);
  const found = left();
  if (found.length > 0) throw new Error(`This file leaves behind: ${found.join('; ')}`);
}, 90_000);
