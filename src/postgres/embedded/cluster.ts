import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { checkShell } from './host.ts';
import type { Layout } from './layout.ts';
import { type Lock, tryLock } from './lock.ts';
import { isRoot } from './place.ts';
import { plainError } from './plain-error.ts';
import { ended, launch, sentenceFrom, sizeOf } from './postmaster.ts';
import { isThrowAway, type Runtime, syncFolder } from './runtime.ts';

/** The only role, and the database that initdb makes. */
export const ROLE = 'matterhorn';
export const DATABASE = 'postgres';

const MAJOR = '18';
const LEFT_OVER_PATIENCE_MS = 10_000;

/** Makes the cluster if there is none. Throws a plain sentence if it cannot, or if it is another's. */
export const ensureCluster = async (
  layout: Layout,
  runtime: Runtime,
  say: (sentence: string) => void,
): Promise<void> => {
  await clearWorkshops(layout);
  const versionFile = join(layout.cluster, 'PG_VERSION');
  if (!existsSync(versionFile)) {
    refuseForeign(layout);
    return await makeCluster(layout, runtime, say);
  }
  const major = readFileSync(versionFile, 'utf8').trim();
  if (major !== MAJOR) {
    throw plainError(
      `The data in ${layout.directory} was written by PostgreSQL ${major}, and this program carries ${MAJOR}; make a backup with the version of Matterhorn that wrote it (\`matterhorn backup\`), and restore it with this one into a new data directory (\`matterhorn restore\`).`,
    );
  }
  if (statSync(layout.cluster).uid !== layout.account.uid) {
    throw plainError(
      `${layout.cluster} does not belong to user ${layout.account.name ?? layout.account.uid}, whom Postgres would run as; run this program as its owner or as root, or give it back (chown -R).`,
    );
  }
};

// An initdb whose program was killed is still at work for a moment, holding the lock, and then
// tidies up after itself.
const clearWorkshops = async (layout: Layout): Promise<void> => {
  const left = readdirSync(layout.directory).filter((name) => name.startsWith('new-'));
  if (left.length === 0) return;
  const deadline = performance.now() + LEFT_OVER_PATIENCE_MS;
  let lock: Lock | undefined;
  while (!(lock = tryLock(layout.clusterLock, { owner: layout.owner }))) {
    if (performance.now() > deadline) {
      throw plainError(
        `Another process still makes the database in ${layout.directory}; wait for its end, or stop it.`,
      );
    }
    await Bun.sleep(10);
  }
  lock.release();
  for (const name of left) rmSync(join(layout.directory, name), { recursive: true, force: true });
};

const refuseForeign = (layout: Layout): void => {
  if (!existsSync(layout.cluster)) return;
  throw plainError(
    `${layout.cluster} exists but holds no database; move it away, or name another data directory.`,
  );
};

const makeCluster = async (
  layout: Layout,
  runtime: Runtime,
  say: (sentence: string) => void,
): Promise<void> => {
  checkShell();
  if (layout.account.name === undefined) {
    throw plainError(
      `The user with uid ${layout.account.uid} has no name in /etc/passwd, and without one Postgres makes no database; run as a named user or as root, or set DATABASE_URL.`,
    );
  }
  const workshop = join(layout.directory, `new-${process.pid}`);
  makeOwn(layout, workshop);
  try {
    const passwordFile = join(workshop, 'password');
    writeNew(passwordFile, ensurePassword(layout, workshop), layout.account);
    const unfinished = join(workshop, 'pgdata');
    const tryWith = (characterClass: string) =>
      initdb(layout, runtime, unfinished, passwordFile, characterClass);
    let failure = await tryWith('C.UTF-8');
    if (failure !== undefined && /locale/.test(failure)) {
      say('This system has no locale C.UTF-8: search will ignore letters outside ASCII.');
      failure = await tryWith('C');
    }
    if (failure !== undefined) throw plainError(`Making the database failed: ${failure}`);
    renameSync(unfinished, layout.cluster);
    syncFolder(layout.directory);
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
};

const initdb = async (
  layout: Layout,
  runtime: Runtime,
  directory: string,
  passwordFile: string,
  characterClass: string,
): Promise<string | undefined> => {
  const logged = sizeOf(layout.log);
  const options = [`--pgdata=${directory}`, `--username=${ROLE}`, `--pwfile=${passwordFile}`];
  options.push('--auth=scram-sha-256', '--encoding=UTF8', '--data-checksums', '--no-instructions');
  options.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8');
  options.push('--locale=C', `--lc-ctype=${characterClass}`);
  if (isThrowAway()) options.push('--no-sync');
  const child = launch(layout, runtime, { program: 'initdb', options });
  await ended(child);
  return child.exitCode === 0 ? undefined : sentenceFrom(layout, logged, child);
};

const makeOwn = (layout: Layout, directory: string): void => {
  mkdirSync(directory, { mode: 0o700 });
  if (isRoot()) chownSync(directory, layout.account.uid, layout.account.gid);
};

/** The password of the only role. Throws a plain sentence if its file is not there or not readable. */
export const readPassword = (layout: Layout): string => {
  if (!existsSync(layout.passwordFile)) {
    throw plainError(
      `${layout.passwordFile}, which holds the password of the database, is missing; restore it from a backup of the data directory.`,
    );
  }
  const password = readFileSync(layout.passwordFile, 'utf8').trim().split(':').at(-1);
  if (password) return password;
  throw plainError(`${layout.passwordFile} is empty; restore it from a backup.`);
};

// In the form that psql reads too (PGPASSFILE).
const ensurePassword = (layout: Layout, workshop: string): string => {
  if (existsSync(layout.passwordFile)) return readPassword(layout);
  const password = Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('hex');
  const unfinished = join(workshop, 'pgpass');
  writeNew(unfinished, `*:*:*:${ROLE}:${password}\n`, layout.owner);
  renameSync(unfinished, layout.passwordFile);
  return password;
};

const writeNew = (
  path: string,
  text: string,
  owner: { uid: number; gid: number } | undefined,
): void => {
  const file = openSync(path, 'wx', 0o600);
  writeSync(file, text);
  if (owner !== undefined && isRoot()) fchownSync(file, owner.uid, owner.gid);
  fsyncSync(file);
  closeSync(file);
  chmodSync(path, 0o600);
};
