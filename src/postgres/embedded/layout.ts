import { chmodSync, chownSync, lstatSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Refusal } from '../../base/refusal.ts';
import { accountFor, calledBy } from './account.ts';
import { closedFolder, isRoot } from './data-directory.ts';
import type { Account } from './libc.ts';

/** Where everything of one data directory is, and who owns it. */
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
  /**
   * The user that Postgres runs as. It owns the cluster and the socket; the current user owns the
   * rest.
   */
  account: Account;
};

/**
 * Characters that paths must not contain: the loader splits at some, initdb quotes others badly.
 */
export const awkwardCharacters = /[:;"$\\`\n]/;

/** The path of the socket, with the name that Postgres gives it. */
export const socketOf = (layout: Layout) => join(layout.socketFolder, '.s.PGSQL.5432');

/** Where everything in a data directory is. For root it may make the user that Postgres runs as. */
export const layOut = (directory: string, say: (sentence: string) => void): Layout => {
  const inside = (name: string) => join(directory, name);
  return {
    directory,
    serverLock: inside('server.lock'),
    borrowersLock: inside('borrowers.lock'),
    clusterLock: inside('cluster.lock'),
    runtimes: inside('runtime'),
    cluster: inside('pgdata'),
    passwordFile: inside('pgpass'),
    socketFolder: inside('run'),
    log: inside('postgres.log'),
    account: accountFor(directory, say),
  };
};

/** Makes the data directory if it is missing. Throws `Refusal` if Postgres cannot use it. */
export const makeDirectory = ({ directory, account }: Layout) => {
  if (awkwardCharacters.test(directory)) {
    throw new Refusal(
      'unavailable',
      `The data directory ${JSON.stringify(directory)} has one of : ; " $ \\ \` or a line break in its path, which the Postgres programs do not accept. Name another.`,
    );
  }
  if (statSync(directory, { throwIfNoEntry: false }) === undefined) {
    mkdirSync(dirname(directory), { recursive: true, mode: 0o755 });
    // In root's own directory, the user of Postgres may reach the cluster, but not list the
    // directory. Another command may make it at this moment.
    mkdirSync(directory, { recursive: true, mode: isRoot() ? 0o711 : 0o700 });
    if (isRoot()) chmodSync(directory, 0o711);
  } else if (isRoot() && (statSync(directory).mode & 0o001) === 0) {
    chmodSync(directory, (statSync(directory).mode & 0o777) | 0o011);
  }
  const closed = closedFolder(account, directory);
  if (closed !== undefined) {
    throw new Refusal(
      'unavailable',
      `Postgres runs as user ${calledBy(account)}, who may not enter ${closed}; allow that (chmod o+x ${closed}), or move the data directory ${directory} elsewhere.`,
    );
  }
};

/** Makes the folder of the socket if it is missing. It is Postgres's own, closed to all others. */
export const makeSocketFolder = ({ socketFolder, account }: Layout) => {
  const found = lstatSync(socketFolder, { throwIfNoEntry: false });
  const isOurs = found?.isDirectory() && found.uid === account.uid;
  if (isOurs && ((found?.mode ?? 0) & 0o777) === 0o700) return;
  // Nobody else may write in its parent directory, so nothing can replace it.
  rmSync(socketFolder, { recursive: true, force: true });
  makeOwn(socketFolder, account);
};

/** Makes a folder that only the user of Postgres may use. */
export const makeOwn = (folder: string, account: Account) => {
  mkdirSync(folder, { mode: 0o700 });
  if (isRoot()) chownSync(folder, account.uid, account.gid);
};
