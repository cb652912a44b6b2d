/** What `matterhorn upgrade` does with the data directory of the built-in Postgres. */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../../base/refusal.ts';
import { version } from '../../version.ts';
import {
  goBackBeforeUpgrade,
  keepBeforeUpgrade,
  type Upgrade,
  upgradeIn,
} from './before-upgrade.ts';
import { untilUnused } from './cluster.ts';
import { isRoot } from './data-directory.ts';
import type { Layout } from './layout.ts';
import { endLeftOvers } from './leftovers.ts';
import { holderOf, type Lock, tryLock } from './lock.ts';

const stopPatienceMilliseconds = 90_000;
const pollMilliseconds = 5;
/** Room for what a start writes before it is known whether it works. */
const marginBytes = 100 * 1024 * 1024;

/** Throws `Refusal` if the data cannot be copied as it is: a part of it lies elsewhere, or there is no room. */
export const mayBeCopied = (layout: Layout) => {
  const needed = sizeOfFolder(layout.cluster) + marginBytes;
  const { bavail, bsize } = statfsSync(layout.directory);
  if (bavail * bsize >= needed) return;
  throw new Refusal(
    'unavailable',
    `The disk of ${layout.directory} has ${megabytes(bavail * bsize)} left, and the copy of the data needs ${megabytes(needed)}. Free some space and try again. Nothing was changed.`,
  );
};

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1_000_000)} MB`;

const sizeOfFolder = (folder: string): number => {
  let bytes = 0;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) bytes += sizeOfFolder(path);
    else if (found?.isSymbolicLink()) throw elsewhere(path);
    else bytes += found?.size ?? 0;
  }
  return bytes;
};

const elsewhere = (path: string) =>
  new Refusal(
    'conflict',
    `${path} is a link: a part of the data lies elsewhere, and a copy would lack it. Create a backup, stop the server and replace the executable by hand. Nothing was changed.`,
  );

/**
 * Takes the directory from the server that has it, which ends in order, and copies its data. Throws
 * `Refusal` if it does not end, or if the disk is full; then everything is as before.
 */
export const copyForUpgrade = async (layout: Layout, upgrade: Upgrade, stopped: () => void) => {
  const lock = await takeFromServer(layout, stopped);
  try {
    await keepBeforeUpgrade(layout.directory, upgrade, async (folder) => {
      await endLeftOvers(layout);
      await untilUnused(layout);
      copyFolder(layout.cluster, join(folder, 'pgdata'));
      copyFileSync(layout.passwordFile, join(folder, 'pgpass'));
    });
  } finally {
    lock.release();
  }
};

const takeFromServer = async (layout: Layout, stopped: () => void): Promise<Lock> => {
  const begun = performance.now();
  let told: number | undefined;
  for (;;) {
    const lock = tryLock(layout.serverLock, {
      holder: { role: 'command', pid: process.pid },
    });
    if (lock !== undefined) {
      if (told !== undefined) stopped();
      return lock;
    }
    const holder = holderOf(layout.serverLock);
    if (holder?.role === 'server' && holder.pid !== told) {
      process.kill(holder.pid, 'SIGTERM');
      told = holder.pid;
    }
    if (performance.now() - begun > stopPatienceMilliseconds) {
      throw new Refusal(
        'unavailable',
        `A ${holder?.role ?? 'process'} (pid ${holder?.pid}) still uses ${layout.directory}. Wait for its end or stop it, then upgrade again.`,
      );
    }
    await Bun.sleep(pollMilliseconds);
  }
};

/**
 * Before the server's Postgres starts, with the directory's lock held: if an upgrade from this very version
 * was interrupted, its data is put back. In a trial, throws `Refusal` if there would be no way back.
 */
export const settleUpgrade = async (layout: Layout, isTrial: boolean) => {
  const upgrade = upgradeIn(layout.directory);
  if (isTrial && upgrade?.to !== version) {
    throw new Refusal('conflict', 'This trial has no copy of the data. Upgrade again.');
  }
  if (upgrade?.from === version) await putBack(layout, 'It was interrupted.');
};

/** Returns the data to what it was before the upgrade, as `goBackBeforeUpgrade` does. */
export const goBackEmbedded = async (layout: Layout, why: string) => {
  const lock = await takeFromServer(layout, () => {});
  try {
    await putBack(layout, why);
  } finally {
    lock.release();
  }
};

const putBack = (layout: Layout, why: string) =>
  goBackBeforeUpgrade(layout.directory, why, async (folder) => {
    const [copy, after] = [join(folder, 'pgdata'), join(folder, 'pgdata.after')];
    if (existsSync(join(folder, 'pgpass'))) {
      renameSync(join(folder, 'pgpass'), layout.passwordFile);
    }
    if (!existsSync(copy)) return;
    if (existsSync(layout.cluster)) {
      await endLeftOvers(layout);
      await untilUnused(layout);
      rmSync(after, { recursive: true, force: true });
      renameSync(layout.cluster, after);
    }
    renameSync(copy, layout.cluster);
  });

/**
 * Copies a folder with its owners and modes. Its owner may not be this process's user, so no link is
 * followed: each file is opened relative to its opened folder.
 */
const copyFolder = (from: string, to: string) => {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;
  const folder = openSync(from, O_RDONLY | O_NOFOLLOW | O_DIRECTORY);
  try {
    mkdirSync(to, { mode: 0o700 });
    for (const name of readdirSync(`/proc/self/fd/${folder}`)) {
      const source = `/proc/self/fd/${folder}/${name}`;
      const target = join(to, name);
      const kind = lstatSync(source);
      if (kind.isDirectory()) copyFolder(source, target);
      else if (kind.isSymbolicLink()) throw elsewhere(join(from, name));
      else if (kind.isFile()) {
        const file = openSync(source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
        try {
          // Where the file system can, the copy shares the blocks of the original.
          copyFileSync(`/proc/self/fd/${file}`, target, constants.COPYFILE_FICLONE);
          giveAs(target, fstatSync(file));
        } finally {
          closeSync(file);
        }
      }
    }
    giveAs(to, fstatSync(folder));
  } finally {
    closeSync(folder);
  }
};

const giveAs = (path: string, { uid, gid, mode }: { uid: number; gid: number; mode: number }) => {
  chmodSync(path, mode & 0o777);
  if (isRoot()) lchownSync(path, uid, gid);
};
