/** Where the data is, and who may reach it there. */
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Refusal } from '../../base/refusal.ts';
import { strangersOn } from './path-owners.ts';

// Releases up to 0.2.0 used the first; it may be the home of a service's user.
const directoriesOfRoot = ['/var/lib/matterhorn', '/var/lib/matterhorn-root'];

export const isRoot = () => process.geteuid?.() === 0;

/**
 * The directory that really holds the data. It differs from the one asked for only for root: if the
 * user that Postgres runs as may not enter, or others could change what root does there, new data
 * goes below /var/lib/matterhorn-root, under a name made from the path. An existing cluster stays.
 * Changes nothing. Throws `Refusal` if the path is a file.
 */
export const directoryFor = (asked: string): string => {
  const wanted = realPathOf(resolve(asked));
  const found = statSync(wanted, { throwIfNoEntry: false });
  if (found !== undefined && !found.isDirectory()) {
    throw new Refusal(
      'unavailable',
      `The path ${wanted} is a file, not a folder. Name another one.`,
    );
  }
  if (!isRoot() || existsSync(join(wanted, 'pgdata'))) return wanted;
  const name = `${nameFrom(basename(dirname(wanted)))}-${shortHash(wanted)}`;
  const elsewhere = directoriesOfRoot.map((directory) => join(directory, name));
  const standing = elsewhere.find((directory) => existsSync(join(directory, 'pgdata')));
  if (standing !== undefined) return standing;
  if (found !== undefined && found.uid !== 0) return wanted;
  const isOpen = closedFolder(anybody, wanted) === undefined && strangersOn(asked).length === 0;
  return isOpen ? wanted : (elsewhere.at(-1) as string);
};

const nameFrom = (text: string) => text.replace(/[^\w.-]/g, '').slice(0, 40) || 'data';

/** Whether the data is in another directory than the one asked for. */
export const isElsewhere = (asked: string, directory: string) =>
  realPathOf(resolve(asked)) !== directory;

/** Eight characters that identify a path. */
export const shortHash = (path: string) =>
  new Bun.CryptoHasher('sha256').update(path).digest('hex').slice(0, 8);

const realPathOf = (path: string): string => {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(realPathOf(parent), basename(path));
};

const anybody = { uid: -1, gid: -1 };

/**
 * The topmost folder on the way to `directory` that the user may not enter, if there is one. Root's
 * own data directory counts as open: root opens it.
 */
export const closedFolder = (
  account: { uid: number; gid: number },
  directory: string,
): string | undefined => {
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

/** Whether root may let others pass through the directory: it is root's, and only for our data. */
const mayBeOpened = (directory: string) => {
  const found = statSync(directory);
  if (!isRoot() || found.uid !== 0 || !found.isDirectory()) return false;
  const names = readdirSync(directory);
  return names.length === 0 || names.includes('server.lock');
};
