import {
  closeSync,
  constants,
  copyFileSync,
  fchownSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  statfsSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import { isCompiled } from '../../base/compiled.ts';
import { checkPrograms } from './host.ts';
import { LAUNCHER, LAUNCHER_SAYS, type Order } from './launcher.ts';
import { type Layout, makeSocketFolder } from './layout.ts';
import { endLeftOvers, postmasterFile } from './leftovers.ts';
import { plainError } from './plain-error.ts';
import type { Runtime } from './runtime.ts';
import { settings } from './settings.ts';

const LOG_LIMIT_BYTES = 10 * 1024 * 1024;
const POLL_MS = 5;

/**
 * Starts a program of the runtime through the launcher, as the user of Postgres; its messages go
 * to the log. It ends when this process does. Never call this from a worker: the kernel takes the
 * end of the calling thread for the end of the parent.
 */
export const launch = (
  layout: Layout,
  runtime: Runtime,
  task: { program: 'initdb' | 'postgres'; options: string[]; staleFile?: string },
): Subprocess => {
  const program = join(runtime.directory, 'bin', task.program);
  const order: Order = {
    program,
    commandLine: [program, ...task.options],
    environment: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      LD_LIBRARY_PATH: runtime.libraries,
    },
    lock: layout.clusterLock,
    account: layout.account,
    parent: process.pid,
    ...(layout.owner && { lockOwner: layout.owner }),
    ...(task.staleFile && { staleFile: task.staleFile }),
  };
  const log = openLog(layout);
  const child = Bun.spawn(launcherCommand(), {
    cwd: '/',
    env: { [LAUNCHER]: JSON.stringify(order) },
    stdin: 'ignore',
    stdout: log,
    stderr: log,
  });
  closeSync(log);
  // A command that forgets to stop must not hang: when it ends, Postgres does.
  child.unref();
  return child;
};

// The running executable itself, even if a newer one has taken its path meanwhile.
const launcherCommand = (): string[] =>
  isCompiled ? ['/proc/self/exe'] : [process.execPath, join(import.meta.dir, 'launcher.ts')];

const openLog = (layout: Layout): number => {
  if (sizeOf(layout.log) > LOG_LIMIT_BYTES) renameSync(layout.log, `${layout.log}.1`);
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  const file = openSync(layout.log, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  const { owner } = layout;
  if (owner !== undefined && fstatSync(file).uid !== owner.uid) {
    fchownSync(file, owner.uid, owner.gid);
  }
  return file;
};

/** Empties the log, keeping a copy, if it has grown large under a running Postgres. */
export const boundLog = (layout: Layout): void => {
  if (sizeOf(layout.log) <= LOG_LIMIT_BYTES) return;
  copyFileSync(layout.log, `${layout.log}.1`);
  truncateSync(layout.log);
};

/** The size of a file in bytes, 0 if it is not there. */
export const sizeOf = (path: string): number =>
  statSync(path, { throwIfNoEntry: false })?.size ?? 0;

const ROOM_BYTES = 32 * 1024 * 1024;

/** Whether the disk is full: the log says so, unless there was no room for that either. */
const isDiskFull = (layout: Layout, from: number): boolean => {
  const { bavail, bsize } = statfsSync(layout.directory);
  const says = /No space left on device|Disk quota exceeded/.test(readLog(layout, from));
  // As much as Postgres needs to get going: two files of its write-ahead log.
  return says || bavail * bsize < ROOM_BYTES;
};

/** Why the program ended, from what the log says since it had `from` bytes. */
export const sentenceFrom = (layout: Layout, from: number, child: Subprocess): string => {
  const lines = readLog(layout, from).split('\n').filter(Boolean);
  const ours = lines.find((line) => line.startsWith(LAUNCHER_SAYS));
  if (ours !== undefined) return ours.slice(LAUNCHER_SAYS.length);
  // The last word is then about something that follows from it.
  if (isDiskFull(layout, from)) {
    return `the disk of ${layout.directory} is full; free some space, and try again.`;
  }
  const grave = /^.*?\b(FATAL|PANIC|error): */;
  const line = lines.findLast((line) => grave.test(line));
  return `${line?.replace(grave, '') ?? `it ended with ${howEnded(child)}`} (its log is ${layout.log}).`;
};

/** The signal or exit code that the process ended with. */
export const howEnded = (child: Subprocess | undefined): string =>
  String(child?.signalCode ?? `exit code ${child?.exitCode}`);

const readLog = (layout: Layout, from: number): string => {
  const file = openSync(layout.log, 'r');
  const bytes = Buffer.alloc(Math.min(64 * 1024, Math.max(0, fstatSync(file).size - from)));
  readSync(file, bytes, 0, bytes.length, fstatSync(file).size - bytes.length);
  closeSync(file);
  return bytes.toString();
};

/** Whether the process has ended. */
export const hasEnded = (child: Subprocess): boolean =>
  child.exitCode !== null || child.signalCode !== null;

/** Waits until the process has ended, at most so long; says whether it has. */
export const ended = async (child: Subprocess, withinMs = Number.POSITIVE_INFINITY) => {
  const deadline = performance.now() + withinMs;
  while (!hasEnded(child) && performance.now() < deadline) await Bun.sleep(POLL_MS);
  return hasEnded(child);
};

/**
 * Starts the server on the cluster and waits until it accepts connections, as long as recovery
 * takes. `started` gets the process at once. Throws a plain sentence if the server ends instead,
 * with the code ENOSPC where that is because the disk is full.
 */
export const startPostmaster = async (
  layout: Layout,
  runtime: Runtime,
  started: (child: Subprocess) => void,
): Promise<Subprocess> => {
  makeSocketFolder(layout);
  await endLeftOvers(layout);
  const logged = sizeOf(layout.log);
  const options = ['-D', layout.cluster];
  for (const [name, value] of Object.entries(settings(layout))) {
    options.push('-c', `${name}=${value}`);
  }
  const before = postmasterFile(layout)?.written;
  const staleFile = join(layout.cluster, 'postmaster.pid');
  const child = launch(layout, runtime, { program: 'postgres', options, staleFile });
  started(child);
  while (!hasEnded(child)) {
    const file = postmasterFile(layout);
    const isNew = file?.pid === child.pid && file.written !== before;
    if (isNew && file.status === 'ready') return child;
    await Bun.sleep(POLL_MS);
  }
  checkPrograms(runtime);
  const error = plainError(`Postgres did not start: ${sentenceFrom(layout, logged, child)}`);
  throw isDiskFull(layout, logged) ? Object.assign(error, { code: 'ENOSPC' }) : error;
};

const STOPPING: [NodeJS.Signals, number][] = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
];

/** Ends the server in order, ever more firmly if it does not. */
export const stopPostmaster = async (child: Subprocess): Promise<void> => {
  for (const [signal, patienceMs] of STOPPING) {
    if (hasEnded(child)) return;
    child.kill(signal);
    if (await ended(child, patienceMs)) return;
  }
};
