import {
  chmodSync,
  chownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  rmdirSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Account } from './libc.ts';
import { accountFor, closedFolder, isRoot, placeFor, shortHash } from './place.ts';
import { plainError } from './plain-error.ts';

/** Where everything of one data directory lies, and whom it belongs to. */
export type Layout = {
  directory: string;
  serverLock: string;
  borrowersLock: string;
  clusterLock: string;
  runtimes: string;
  cluster: string;
  passwordFile: string;
  socketFolder: string;
  log: string;
  /** Who owns the files around the cluster; undefined if simply whoever makes them. */
  owner: { uid: number; gid: number } | undefined;
  /** Who Postgres runs as, and owns the cluster. */
  account: Account;
};

const LONGEST_SOCKET_PATH = 80;
/** What paths must not contain: the loader splits at some, initdb quotes badly for the shell. */
export const AWKWARD = /[:;"$\\`\n]/;

/** The path of the socket, named as Postgres names it. */
export const socketOf = (layout: Layout): string => join(layout.socketFolder, '.s.PGSQL.5432');

/** Where everything lies for the data directory asked for. Touches nothing. */
export const layOut = (asked: string): Layout => {
  const directory = placeFor(asked);
  const account = accountFor(directory);
  const inside = (name: string) => join(directory, name);
  const fits = Buffer.byteLength(inside('run/.s.PGSQL.5432')) <= LONGEST_SOCKET_PATH;
  const found = statSync(directory, { throwIfNoEntry: false });
  const owner = isRoot() && found !== undefined && found.uid !== 0 ? found : undefined;
  return {
    directory,
    serverLock: inside('server.lock'),
    borrowersLock: inside('borrowers.lock'),
    clusterLock: inside('cluster.lock'),
    runtimes: inside('runtime'),
    cluster: inside('pgdata'),
    passwordFile: inside('pgpass'),
    socketFolder: fits ? inside('run') : `/tmp/matterhorn-${shortHash(directory)}`,
    log: inside('postgres.log'),
    owner: owner && { uid: owner.uid, gid: owner.gid },
    account,
  };
};

/** Makes the data directory if it is not there. Throws a plain sentence if Postgres cannot use it. */
export const makeDirectory = (layout: Layout): void => {
  const { directory, account } = layout;
  if (AWKWARD.test(directory)) {
    throw plainError(
      `The data directory ${JSON.stringify(directory)} has one of : ; " $  \` or a line break in its path, which the Postgres programs do not bear; name another.`,
    );
  }
  // Root's own directory must let the user of Postgres through to the cluster, but not look.
  const foreign = isRoot() && layout.owner === undefined;
  if (statSync(directory, { throwIfNoEntry: false }) === undefined) {
    mkdirSync(dirname(directory), { recursive: true, mode: 0o755 });
    mkdirSync(directory, { mode: foreign ? 0o711 : 0o700 });
    if (foreign) chmodSync(directory, 0o711);
  } else if (foreign && (statSync(directory).mode & 0o001) === 0) {
    chmodSync(directory, (statSync(directory).mode & 0o777) | 0o011);
  }
  const closed = closedFolder(account, directory);
  if (closed !== undefined) {
    throw plainError(
      `Postgres runs as user ${account.name ?? account.uid}, who may not enter ${closed}; allow that (chmod o+x ${closed}), or move the data directory ${directory} elsewhere.`,
    );
  }
};

/** Makes the folder of the socket if it is not there: Postgres's own, closed to all others. */
export const makeSocketFolder = (layout: Layout): void => {
  const { socketFolder, account } = layout;
  const found = lstatSync(socketFolder, { throwIfNoEntry: false });
  if (found === undefined) {
    mkdirSync(socketFolder, { mode: 0o700 });
    if (isRoot()) chownSync(socketFolder, account.uid, account.gid);
    return;
  }
  if (!found.isDirectory() || found.uid !== account.uid) {
    throw plainError(
      `${socketFolder} must be a directory of user ${account.name ?? account.uid} alone, for the socket of Postgres; remove it and start again.`,
    );
  }
  if ((found.mode & 0o777) !== 0o700) chmodSync(socketFolder, 0o700);
};

/** Removes the folder of the socket if it lies outside the data directory and is empty. */
export const removeSocketFolder = (layout: Layout): void => {
  if (dirname(layout.socketFolder) === layout.directory) return;
  try {
    rmdirSync(layout.socketFolder);
  } catch {
    // Not there, or not empty: the next start looks at it.
  }
};

/** Makes a folder of ours inside the data directory if it is not there. */
export const makeFolder = (layout: Layout, path: string): void => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  mkdirSync(path, { mode: 0o755 });
  if (layout.owner !== undefined) lchownSync(path, layout.owner.uid, layout.owner.gid);
};
