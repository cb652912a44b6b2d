import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statfsSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import { isCompiled } from '../../base/compiled.ts';
import { Refusal } from '../../base/refusal.ts';
import { checkPrograms } from './host.ts';
import { launcherSays, type Order, orderVariable } from './launcher.ts';
import { type Layout, makeSocketFolder, socketOf } from './layout.ts';
import { endLeftOvers, postmasterFile } from './leftovers.ts';
import type { Runtime } from './runtime.ts';
import { settings } from './settings.ts';

const maxLogBytes = 10 * 1024 * 1024;
const pollMilliseconds = 5;

/**
 * Starts a program of the runtime through the launcher, as the user of Postgres. Its messages go to
 * the log. It ends when this process ends. Never call this from a worker: the kernel treats the end
 * of the calling thread as the end of the parent.
 */
export const launch = (
  layout: Layout,
  runtime: Runtime,
  task: {
    program: 'initdb' | 'postgres';
    options: string[];
    staleFiles?: string[];
    input?: string;
  },
): Subprocess => {
  const program = join(runtime.directory, 'bin', task.program);
  const order: Order = {
    program,
    commandLine: [program, ...task.options],
    environment: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      LD_LIBRARY_PATH: runtime.libraries,
      ...givingBack,
    },
    lock: layout.clusterLock,
    account: layout.account,
    parent: process.pid,
    staleFiles: task.staleFiles ?? [],
  };
  const log = openLog(layout);
  const child = Bun.spawn(launcherCommand(), {
    cwd: '/',
    env: { [orderVariable]: JSON.stringify(order) },
    stdin: task.input === undefined ? 'ignore' : Buffer.from(task.input),
    stdout: log,
    stderr: log,
  });
  closeSync(log);
  // A command that forgets to stop Postgres must not hang. Postgres ends with it.
  child.unref();
  return child;
};

// What a statement needed for a moment, a connection gives back to the system. By itself glibc learns from large
// pieces to keep tens of megabytes.
const givingBack = {
  MALLOC_TRIM_THRESHOLD_: '131072',
  MALLOC_TOP_PAD_: '65536',
  MALLOC_MMAP_THRESHOLD_: '131072',
};

// The running executable itself, even if a newer one was put at its path.
const launcherCommand = () =>
  isCompiled ? ['/proc/self/exe'] : [process.execPath, join(import.meta.dir, 'launcher.ts')];

const openLog = (layout: Layout) => {
  if (sizeOf(layout.log) > maxLogBytes) renameSync(layout.log, `${layout.log}.1`);
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  return openSync(layout.log, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
};

/** If the log has grown large under a running Postgres, keeps a copy and empties it. */
export const boundLog = (layout: Layout) => {
  if (sizeOf(layout.log) <= maxLogBytes) return;
  const copy = `${layout.log}.1`;
  // The copy is a new file: whatever has its name is removed first.
  rmSync(copy, { force: true });
  copyFileSync(layout.log, copy, constants.COPYFILE_EXCL);
  truncateSync(layout.log);
};

/** The size of a file in bytes; 0 if it is missing. */
export const sizeOf = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;

const neededBytes = 32 * 1024 * 1024;

/** Whether the disk is full: the log says so, unless there was no room for that either. */
const isDiskFull = (layout: Layout, from: number) => {
  const { bavail, bsize } = statfsSync(layout.directory);
  const says = /No space left on device|Disk quota exceeded/.test(readLog(layout, from));
  // Postgres needs this much to start: two files of its write-ahead log.
  return says || bavail * bsize < neededBytes;
};

/** Why the program ended, from what was logged after the first `from` bytes. */
export const sentenceFrom = (layout: Layout, from: number, child: Subprocess) => {
  const lines = readLog(layout, from).split('\n').filter(Boolean);
  const ours = lines.find((line) => line.startsWith(launcherSays));
  if (ours !== undefined) return ours.slice(launcherSays.length);
  // The last line then is about a consequence of it.
  if (isDiskFull(layout, from)) {
    return `the disk of ${layout.directory} is full; free some space, and try again.`;
  }
  const grave = /^.*?\b(FATAL|PANIC|error): */;
  const line = lines.findLast((line) => grave.test(line));
  const said = line?.replace(grave, '') ?? lines.slice(-maxLines).join(' ');
  return `${said.slice(0, maxCharacters) || `it ended with ${howEnded(child)}`} (its log is ${layout.log}).`;
};

// Before a program knows where to log, it says a few lines, which are the last.
const maxLines = 4;
const maxCharacters = 500;

/** The signal or exit code that the process ended with. */
export const howEnded = (child: Subprocess | undefined) =>
  String(child?.signalCode ?? `exit code ${child?.exitCode}`);

const readLog = (layout: Layout, from: number) => {
  const file = openSync(layout.log, constants.O_RDONLY | constants.O_NOFOLLOW);
  const bytes = Buffer.alloc(Math.min(64 * 1024, Math.max(0, fstatSync(file).size - from)));
  readSync(file, bytes, 0, bytes.length, fstatSync(file).size - bytes.length);
  closeSync(file);
  return bytes.toString();
};

export const hasEnded = (child: Subprocess) => child.exitCode !== null || child.signalCode !== null;

/** Waits until the process has ended, but not longer than given. Says whether it has. */
export const ended = async (child: Subprocess, withinMilliseconds = Number.POSITIVE_INFINITY) => {
  const deadline = performance.now() + withinMilliseconds;
  while (!hasEnded(child) && performance.now() < deadline) await Bun.sleep(pollMilliseconds);
  return hasEnded(child);
};

/**
 * Starts the server on the cluster and waits until it accepts connections, however long recovery
 * takes. `started` gets the process at once. Throws `Refusal` if the server ends instead, with the
 * cause `fullDisk` if the disk is full.
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
  for (const [name, value] of Object.entries(settings())) {
    options.push('-c', `${name}=${value}`);
  }
  const before = postmasterFile(layout)?.written;
  const child = launch(layout, runtime, {
    program: 'postgres',
    options,
    staleFiles: staleFilesOf(layout),
  });
  started(child);
  while (!hasEnded(child)) {
    const file = postmasterFile(layout);
    const isNew = file?.pid === child.pid && file.written !== before;
    if (isNew && file.status === 'ready') return child;
    await Bun.sleep(pollMilliseconds);
  }
  checkPrograms(runtime);
  const isFull = isDiskFull(layout, logged);
  const why = sentenceFrom(layout, logged, child);
  const wayOut = isFull || isHeld(layout, logged) ? '' : ` ${ifDamaged}`;
  const error = new Refusal('unavailable', `Postgres did not start: ${why}${wayOut}`);
  throw isFull ? Object.assign(error, { cause: fullDisk }) : error;
};

const ifDamaged =
  'If the data is damaged, restore your newest backup into a new data directory: `matterhorn restore FILE --data FOLDER`.';

/** Whether another process has what this start needs. The data then is as it should be. */
const isHeld = (layout: Layout, from: number) => {
  const logged = readLog(layout, from);
  return logged.includes(launcherSays) || /lock file .* already exists/.test(logged);
};

/**
 * What a killed Postgres leaves and the next one would believe as long as any process has its
 * number: the killed one, not reaped yet, or a stranger.
 */
export const staleFilesOf = (layout: Layout) => [
  join(layout.cluster, 'postmaster.pid'),
  `${socketOf(layout)}.lock`,
];

/** The cause of a failed start that heals by itself. */
export const fullDisk = 'full disk';

const stopSignals: [NodeJS.Signals, number][] = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
];

/** Ends the server in order, and more firmly if it does not end. */
export const stopPostmaster = async (child: Subprocess) => {
  for (const [signal, patienceMilliseconds] of stopSignals) {
    if (hasEnded(child)) return;
    child.kill(signal);
    if (await ended(child, patienceMilliseconds)) return;
  }
};
