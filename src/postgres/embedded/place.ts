import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Account, accountNamed, accountOfUid } from './libc.ts';
import { plainError } from './plain-error.ts';

const SYSTEM_PLACE = '/var/lib/matterhorn';

/** Whether this process is root. */
export const isRoot = (): boolean => process.geteuid?.() === 0;

/**
 * The directory that really holds the data. It differs from the one asked for only for root: the
 * user that Postgres then runs as may not enter, say, /root, so the data lies below
 * /var/lib/matterhorn under a name made from the path asked for. A cluster that exists stays.
 */
export const placeFor = (asked: string): string => {
  const wanted = realPathOf(resolve(asked));
  if (!isRoot()) return wanted;
  const hash = shortHash(wanted);
  const name =
    basename(dirname(wanted))
      .replace(/[^\w.-]/g, '')
      .slice(0, 40) || 'data';
  const elsewhere = join(SYSTEM_PLACE, `${name}-${hash}`);
  if (existsSync(join(wanted, 'pgdata'))) return wanted;
  if (existsSync(join(elsewhere, 'pgdata'))) return elsewhere;
  return closedFolder(accountFor(wanted), wanted) === undefined ? wanted : elsewhere;
};

/** Whether the place of the data is another one than the path asked for names. */
export const isElsewhere = (asked: string, directory: string): boolean =>
  realPathOf(resolve(asked)) !== directory;

/** Eight characters that stand for a path. */
export const shortHash = (path: string): string =>
  new Bun.CryptoHasher('sha256').update(path).digest('hex').slice(0, 8);

const realPathOf = (path: string): string => {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(realPathOf(parent), basename(path));
};

/** The user that Postgres runs as: this one; for root the owner of the data, or nobody. */
export const accountFor = (directory: string): Account => {
  if (!isRoot()) {
    const uid = process.geteuid?.() ?? 0;
    return accountOfUid(uid) ?? { uid, gid: process.getegid?.() ?? 0 };
  }
  for (const path of [join(directory, 'pgdata'), directory]) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && found.uid !== 0) {
      return accountOfUid(found.uid) ?? { uid: found.uid, gid: found.gid };
    }
  }
  const nobody = accountNamed('nobody');
  if (nobody !== undefined) return nobody;
  throw plainError(
    `Postgres refuses to run as root and there is no user nobody; give ${directory} to another user (chown), or run this program as one.`,
  );
};

/** The topmost folder on the way into `directory` that the user may not enter, if there is one. */
export const closedFolder = (account: Account, directory: string): string | undefined => {
  for (const folder of [...foldersAbove(directory), directory]) {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    const mayEnter =
      found.uid === account.uid
        ? found.mode & 0o100
        : found.gid === account.gid
          ? found.mode & 0o010
          : found.mode & 0o001;
    if (!mayEnter && !(folder === directory && mayBeOpened(directory))) return folder;
  }
  return undefined;
};

const foldersAbove = (directory: string): string[] => {
  const parent = dirname(directory);
  return parent === directory ? [] : [...foldersAbove(parent), parent];
};

/** Whether root may let others pass through the directory: it is root's and for our data alone. */
export const mayBeOpened = (directory: string): boolean => {
  const found = statSync(directory);
  if (!isRoot() || found.uid !== 0 || !found.isDirectory()) return false;
  const names = readdirSync(directory);
  return names.length === 0 || names.includes('server.lock');
};
