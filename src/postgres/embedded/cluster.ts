import {
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../../base/refusal.ts';
import { calledBy } from './account.ts';
import { isRoot } from './data-directory.ts';
import { checkShell } from './host.ts';
import { type Layout, makeOwn } from './layout.ts';
import { endLeftOvers, readOfCluster } from './leftovers.ts';
import type { Account } from './libc.ts';
import { tryLock } from './lock.ts';
import { freshPassword, keepPasswords, readPasswords, roles, writeNew } from './passwords.ts';
import { ended, launch, sentenceFrom, sizeOf, staleFilesOf } from './postmaster.ts';
import { isThrowAway, type Runtime, syncFolder } from './runtime.ts';

const carriedMajor = '18';
const leftOverPatienceMilliseconds = 10_000;

/**
 * Makes the cluster if there is none. Throws `Refusal` if it cannot, or if the present one cannot
 * be used.
 */
export const ensureCluster = async (
  layout: Layout,
  runtime: Runtime,
  say: (sentence: string) => void,
) => {
  await removeTempDirs(layout);
  if (!existsSync(join(layout.cluster, 'PG_VERSION'))) {
    refuseStrange(layout);
    return await makeCluster(layout, runtime, say);
  }
  refuseOtherVersion(layout);
  await takeOver(layout, say);
  refuseUnfit(layout);
  if (!existsSync(layout.passwordFile)) await renewPassword(layout, runtime, say);
};

const refuseOtherVersion = (layout: Layout) => {
  const [major = 'of an unknown version'] =
    /^\d+/.exec(readOfCluster(layout, 'PG_VERSION').text) ?? [];
  if (major !== carriedMajor) {
    throw new Refusal(
      'unavailable',
      `The data in ${layout.directory} was written by PostgreSQL ${major}, and this program carries ${carriedMajor}; create a backup with the version of Matterhorn that wrote it (\`matterhorn backup\`), and restore it with this one into a new data directory (\`matterhorn restore\`).`,
    );
  }
};

const refuseUnfit = (layout: Layout) => {
  const { uid, mode } = statSync(layout.cluster);
  if (uid !== layout.account.uid) {
    throw new Refusal(
      'unavailable',
      `${layout.cluster} does not belong to user ${calledBy(layout.account)}, which Postgres would run as; run this program as its owner, or give it back (chown -R).`,
    );
  }
  if ((mode & 0o027) !== 0) {
    throw new Refusal(
      'unavailable',
      `Other users may read or write ${layout.cluster}, and Postgres does not start so. Close it: chmod -R go-rwx ${layout.cluster}`,
    );
  }
};

/** Waits until no Postgres and no initdb uses the directory. */
export const untilUnused = async (layout: Layout) => {
  const deadline = performance.now() + leftOverPatienceMilliseconds;
  for (;;) {
    const lock = tryLock(layout.clusterLock);
    if (lock !== undefined) return lock.release();
    if (performance.now() > deadline) {
      throw new Refusal(
        'unavailable',
        `Another process still works on the database in ${layout.directory}; wait for its end, or stop it.`,
      );
    }
    await Bun.sleep(10);
  }
};

// An initdb whose program was killed runs on for a moment, holds the lock, and then cleans up after
// itself.
const removeTempDirs = async (layout: Layout) => {
  const left = readdirSync(layout.directory).filter((name) => name.startsWith('new-'));
  if (left.length === 0) return;
  await untilUnused(layout);
  for (const name of left) rmSync(join(layout.directory, name), { recursive: true, force: true });
};

const refuseStrange = (layout: Layout) => {
  if (!existsSync(layout.cluster)) return;
  throw new Refusal(
    'unavailable',
    `${layout.cluster} exists but holds no database; move it away, or name another data directory.`,
  );
};

/** Gives root's cluster that ran as nobody (up to release 0.2.0) to a user that is not shared. */
const takeOver = async (layout: Layout, say: (sentence: string) => void) => {
  const from = lstatSync(layout.cluster).uid;
  if (!isRoot() || from === layout.account.uid) return;
  await endLeftOvers(layout);
  await untilUnused(layout);
  say(
    `The database in ${layout.directory} is given to user ${calledBy(layout.account)}: the user it ran as is shared with other programs.`,
  );
  giveFolder(layout.cluster, from, layout.account);
};

/**
 * Gives a folder and its contents from one user to another. In the meantime the old owner may still
 * change names in it. So each file is opened relative to its opened folder, never through a link,
 * and a file with another owner or several names stays as it is.
 */
const giveFolder = (path: string, from: number, account: Account) => {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (found.isDirectory()) {
      for (const name of readdirSync(`/proc/self/fd/${file}`)) {
        const inside = `/proc/self/fd/${file}/${name}`;
        const kind = lstatSync(inside, { throwIfNoEntry: false });
        if (kind?.isDirectory() || kind?.isFile()) giveFolder(inside, from, account);
      }
    }
    if (found.uid !== from || (!found.isDirectory() && found.nlink !== 1)) return;
    fchownSync(file, account.uid, account.gid);
  } finally {
    closeSync(file);
  }
};

const makeCluster = async (layout: Layout, runtime: Runtime, say: (sentence: string) => void) => {
  checkShell();
  const { account } = layout;
  if (account.name === undefined) {
    throw new Refusal(
      'unavailable',
      `The user with uid ${account.uid} has no name in /etc/passwd, and without one Postgres makes no database; run as a named user or as root, or set DATABASE_URL.`,
    );
  }
  const tempDir = join(layout.directory, `new-${process.pid}`);
  mkdirSync(tempDir, { mode: 0o711 });
  try {
    const passwordFile = join(tempDir, 'password');
    writeNew(passwordFile, ensurePassword(layout), account);
    const unfinished = join(tempDir, 'pgdata');
    makeOwn(unfinished, account);
    const tryWith = (characterClass: string) =>
      initialize(layout, runtime, unfinished, passwordFile, characterClass);
    let failure = await tryWith('C.UTF-8');
    if (failure !== undefined && /locale/.test(failure)) {
      say('This system has no locale C.UTF-8: search will ignore letters outside ASCII.');
      failure = await tryWith('C');
    }
    if (failure !== undefined) {
      throw new Refusal('unavailable', `Making the database failed: ${failure}`);
    }
    renameSync(unfinished, layout.cluster);
    syncFolder(layout.directory);
  } finally {
    rmSync(tempDir, { recursive: true, force: true });
  }
};

const initialize = async (
  layout: Layout,
  runtime: Runtime,
  directory: string,
  passwordFile: string,
  characterClass: string,
) => {
  const logged = sizeOf(layout.log);
  const options = [`--pgdata=${directory}`, `--username=${roles.superuser}`];
  options.push(`--pwfile=${passwordFile}`);
  options.push('--auth=scram-sha-256', '--encoding=UTF8', '--data-checksums', '--no-instructions');
  options.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8');
  options.push('--locale=C', `--lc-ctype=${characterClass}`);
  if (isThrowAway()) options.push('--no-sync');
  const child = launch(layout, runtime, { program: 'initdb', options });
  await ended(child);
  return child.exitCode === 0 ? undefined : sentenceFrom(layout, logged, child);
};

const ensurePassword = (layout: Layout) => {
  const known = existsSync(layout.passwordFile) ? readPasswords(layout).superuser : undefined;
  const superuser = known ?? freshPassword();
  keepPasswords(layout, { superuser });
  return superuser;
};

/**
 * Has a Postgres that serves nobody else store a new password for the superuser. The other roles
 * follow.
 */
const renewPassword = async (layout: Layout, runtime: Runtime, say: (sentence: string) => void) => {
  await endLeftOvers(layout);
  const superuser = freshPassword();
  const logged = sizeOf(layout.log);
  const child = launch(layout, runtime, {
    program: 'postgres',
    options: ['--single', '-D', layout.cluster, '-c', 'log_min_error_statement=panic', 'postgres'],
    staleFiles: staleFilesOf(layout),
    input: `alter role ${roles.superuser} password '${superuser}'\n`,
  });
  await ended(child);
  if (child.exitCode !== 0) {
    throw new Refusal(
      'unavailable',
      `${layout.passwordFile}, which holds the passwords of the database, is missing, and making new ones failed: ${sentenceFrom(layout, logged, child)}`,
    );
  }
  keepPasswords(layout, { superuser });
  say(`${layout.passwordFile} was missing: the database has new passwords.`);
};
