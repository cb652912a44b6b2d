/** The Postgres inside the program, used if DATABASE_URL is not set. */
import { existsSync } from 'node:fs';
import { Refusal } from '../../base/refusal.ts';
import { refuseForeign } from './account.ts';
import { refuseDuringUpgrade, upgradeIn } from './before-upgrade.ts';
import { ensureCluster } from './cluster.ts';
import { directoryFor, isElsewhere } from './data-directory.ts';
import { inPlainWords } from './file-failures.ts';
import { type Guarded, keepRunning } from './guard.ts';
import { checkHost } from './host.ts';
import { type Layout, layOut, makeDirectory, socketOf } from './layout.ts';
import { postmasterFile } from './leftovers.ts';
import { type Holder, holderOf, type Lock, tryLock } from './lock.ts';
import { addressesIn, ensureRoles, type RoleAddress } from './roles.ts';
import { ensureRuntime, removeOtherRuntimes } from './runtime.ts';
import { settleUpgrade } from './upgrade.ts';

/**
 * A running Postgres, and how to reach it: requests and jobs use a role that owns nothing;
 * migrations and backups use the owner of the tables. Only tests need the superuser.
 * `dataDirectory` is where the data really is. `stop` may be called twice.
 */
export type EmbeddedPostgres = {
  requests: RoleAddress;
  owner: RoleAddress;
  superuser: RoleAddress;
  dataDirectory: string;
  stop(): Promise<void>;
};

type Report = {
  say(sentence: string): void;
  onGaveUp(sentence: string): void;
  /** Keeps this process busy while Postgres starts; no connection is opened before it ends. */
  meanwhile?: Promise<unknown>;
};

const commandPatienceMilliseconds = 10_000;
const readyPatienceMilliseconds = 60_000;
const silenceMilliseconds = 500;
const pollMilliseconds = 20;

/**
 * The directory that will really hold the data if this one is asked for. It differs only for root,
 * below a folder that others may not enter. Changes nothing.
 */
export const directoryOf = (dataDirectory: string) => directoryFor(dataDirectory);

/**
 * For the server: takes the data directory for itself, makes what is missing, starts Postgres, and
 * restarts it if it ends, at most five times a minute; then it calls `onGaveUp`. Waits a few
 * seconds for commands that use the directory. If an upgrade from this version was interrupted, the
 * data is put back first. Throws `Refusal` if another server has it, or if this machine or directory
 * does not allow it.
 */
export const startEmbedded = (
  options: { dataDirectory: string; isTrial?: boolean } & Report,
): Promise<EmbeddedPostgres> =>
  withDataDirectory(options, async (layout) => {
    sayWhere(layout, options);
    const lock = await takeForServer(layout, options.say);
    try {
      await settleUpgrade(layout, options.isTrial ?? false);
    } catch (error) {
      lock.release();
      throw error;
    }
    return await runUnder(lock, layout, options, async () => undefined);
  });

/**
 * For a command: uses the Postgres that a server or another command runs on the directory, or
 * starts one until `stop`. That waits for other commands that use it too. Throws `Refusal` if the
 * holder of the directory does not become ready, or as startEmbedded does.
 */
export const borrowEmbedded = (options: {
  dataDirectory: string;
  say(sentence: string): void;
}): Promise<EmbeddedPostgres> =>
  withDataDirectory(options, async (layout) => {
    const sayOnce = once(options.say);
    const begun = performance.now();
    while (performance.now() - begun < readyPatienceMilliseconds) {
      refuseDuringUpgrade(layout.directory);
      const lock = tryLock(layout.serverLock, { holder: self('command') });
      if (lock !== undefined) {
        // What the upgrade did while this waited for the lock.
        if (upgradeIn(layout.directory)) {
          lock.release();
          continue;
        }
        if (!existsSync(layout.cluster)) sayWhere(layout, options);
        const report = { say: options.say, onGaveUp: options.say };
        return await runUnder(lock, layout, report, () => borrowersGone(layout, options.say));
      }
      const shared = await share(layout);
      if (shared !== undefined) return shared;
      if (performance.now() - begun > silenceMilliseconds) {
        sayOnce(`Waiting for the Postgres in ${layout.directory} to become ready.`);
      }
      await Bun.sleep(pollMilliseconds);
    }
    const holder = holderOf(layout.serverLock);
    throw new Refusal(
      'unavailable',
      `${whoIs(holder)} holds ${layout.directory}, but its Postgres does not become ready. Look at its messages, or stop it and try again.`,
    );
  });

/** Does something with a data directory that this user may use. Throws `Refusal` as the others do. */
export const withDataDirectory = async <Value>(
  options: { dataDirectory: string; say(sentence: string): void },
  act: (layout: Layout) => Promise<Value>,
): Promise<Value> => {
  checkHost();
  let directory = options.dataDirectory;
  try {
    directory = directoryFor(options.dataDirectory);
    refuseForeign(options.dataDirectory, directory);
    const layout = layOut(directory, options.say);
    makeDirectory(layout);
    // Somebody else may have made it a moment ago.
    refuseForeign(options.dataDirectory, directory);
    return await act(layout);
  } catch (error) {
    throw inPlainWords(error, directory);
  }
};

const sayWhere = (
  layout: Layout,
  options: { dataDirectory: string; say(sentence: string): void },
): void => {
  if (!isElsewhere(options.dataDirectory, layout.directory)) return;
  options.say(
    `The data is kept in ${layout.directory}: Postgres does not run as root, and user ${layout.account.name ?? layout.account.uid} may not enter ${options.dataDirectory}.`,
  );
};

const once = (say: (sentence: string) => void): ((sentence: string) => void) => {
  let hasSaid = false;
  return (sentence) => {
    if (!hasSaid) say(sentence);
    hasSaid = true;
  };
};

const self = (role: Holder['role']): Holder => ({ role, pid: process.pid });

const whoIs = (holder: Holder | undefined): string =>
  holder === undefined ? 'Another process' : `A ${holder.role} (pid ${holder.pid})`;

const takeForServer = async (layout: Layout, say: (sentence: string) => void): Promise<Lock> => {
  const sayOnce = once(say);
  const begun = performance.now();
  for (;;) {
    const lock = tryLock(layout.serverLock, { holder: self('server') });
    if (lock !== undefined) return lock;
    const waitedMilliseconds = performance.now() - begun;
    const holder = holderOf(layout.serverLock);
    // For a moment the file may still name the previous holder.
    if (holder?.role === 'server' && waitedMilliseconds > 200) {
      throw new Refusal(
        'unavailable',
        `Another server (pid ${holder.pid}) is already using ${layout.directory}; stop it first, or name another data directory.`,
      );
    }
    if (waitedMilliseconds > commandPatienceMilliseconds) {
      throw new Refusal(
        'unavailable',
        `${whoIs(holder)} is still using ${layout.directory}; let it finish or stop it, and start again.`,
      );
    }
    if (waitedMilliseconds > silenceMilliseconds) {
      sayOnce(`Waiting for ${whoIs(holder).toLowerCase()} that is using ${layout.directory}.`);
    }
    await Bun.sleep(pollMilliseconds);
  }
};

const runUnder = async (
  lock: Lock,
  layout: Layout,
  report: Report,
  beforeStop: () => Promise<Lock | undefined>,
): Promise<EmbeddedPostgres> => {
  try {
    const guarded = await run(layout, report);
    let stopped: Promise<void> | undefined;
    const stop = async () => {
      const borrowers = await beforeStop();
      await guarded.stop();
      lock.release();
      borrowers?.release();
    };
    return {
      ...addressesIn(layout),
      dataDirectory: layout.directory,
      stop: () => (stopped ??= stop()),
    };
  } catch (error) {
    lock.release();
    throw error;
  }
};

const run = async (layout: Layout, report: Report): Promise<Guarded> => {
  const runtime = await ensureRuntime(layout);
  await ensureCluster(layout, runtime, report.say);
  const guarded = await keepRunning(layout, runtime, report);
  try {
    await report.meanwhile;
    await ensureRoles(layout);
  } catch (error) {
    await guarded.stop();
    throw error;
  }
  removeOtherRuntimes(layout, runtime);
  return guarded;
};

const share = async (layout: Layout): Promise<EmbeddedPostgres | undefined> => {
  const borrowed = tryLock(layout.borrowersLock, { kind: 'shared' });
  if (borrowed === undefined) return undefined;
  if (postmasterFile(layout)?.status === 'ready' && (await answers(socketOf(layout)))) {
    let isReleased = false;
    const stop = async () => {
      if (!isReleased) borrowed.release();
      isReleased = true;
    };
    // The server may be of a release with one role.
    await ensureRoles(layout);
    return { ...addressesIn(layout), dataDirectory: layout.directory, stop };
  }
  borrowed.release();
  return undefined;
};

const answers = async (path: string) => {
  if (!existsSync(path)) return false;
  try {
    const socket = await Bun.connect({ unix: path, socket: { data() {} } });
    socket.end();
    return true;
  } catch {
    return false;
  }
};

const borrowersGone = async (layout: Layout, say: (sentence: string) => void): Promise<Lock> => {
  const sayOnce = once(say);
  const begun = performance.now();
  for (;;) {
    const lock = tryLock(layout.borrowersLock);
    if (lock !== undefined) return lock;
    if (performance.now() - begun > silenceMilliseconds) {
      sayOnce('Waiting for another command that uses the same Postgres.');
    }
    await Bun.sleep(pollMilliseconds);
  }
};
