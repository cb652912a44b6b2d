/** The user of this machine that works on the data. Root never works on another user's data. */
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isCompiled } from '../../base/compiled.ts';
import { Refusal } from '../../base/refusal.ts';
import { closedFolder, directoryFor, isElsewhere, isRoot } from './data-directory.ts';
import { checkHost } from './host.ts';
import { type Account, accountNamed, accountOfUid, become } from './libc.ts';
import { strangersOn } from './path-owners.ts';

/** The user that Postgres runs as when root starts it. Nothing else on the machine runs as it. */
const ownUser = 'matterhorn-postgres';
const makeOwnUser = [
  ...['useradd', '--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent'],
  ...['--shell', '/usr/sbin/nologin', ownUser],
];

/** A user's name in a sentence. */
export const calledBy = ({ uid, name }: Account) => name ?? `with uid ${uid}`;

/**
 * For a command that root runs on a data directory: if the directory belongs to another user, this
 * process becomes that user for good, before it touches anything there, and says so. Throws
 * `Refusal` if others could still change where the path leads, or if becoming the user fails.
 */
export const leaveRoot = (asked: string, say: (sentence: string) => void) => {
  if (!isRoot()) return;
  checkHost();
  const directory = directoryFor(asked);
  const owner = ownerOf(asked, directory);
  if (owner === undefined) return;
  const program = isCompiled ? undefined : closedProgram(owner);
  if (program !== undefined) {
    throw new Refusal(
      'forbidden',
      `${directory} belongs to user ${calledBy(owner)}, and root does not work on the data of others; that user may not enter ${program}, where this program lies. Put the program where everybody may read it, and run it as that user: ${asUser(owner)}`,
    );
  }
  if (!become(owner) || isRoot()) {
    throw new Refusal(
      'forbidden',
      `${directory} belongs to user ${calledBy(owner)}, and becoming that user failed. Run this as that user: ${asUser(owner)}`,
    );
  }
  say(
    `${directory} belongs to user ${calledBy(owner)}: this runs as that user, not as root. Better: ${asUser(owner)}`,
  );
};

/** Root needs no `sudo` for it, which not every machine has. */
const asUser = ({ name, uid, gid }: Account) =>
  name === undefined
    ? `setpriv --reuid ${uid} --regid ${gid} --clear-groups matterhorn …`
    : `runuser -u ${name} -- matterhorn …`;

/** Throws `Refusal` if root would work on another user's data. */
export const refuseForeign = (asked: string, directory: string) => {
  const owner = isRoot() ? ownerOf(asked, directory) : undefined;
  if (owner === undefined) return;
  throw new Refusal(
    'forbidden',
    `${directory} belongs to user ${calledBy(owner)}, and root does not use another user's data. Run this as that user: ${asUser(owner)}`,
  );
};

// The owner of a folder or link on the path decides where it leads.
const ownerOf = (asked: string, directory: string): Account | undefined => {
  const uid = statSync(directory, { throwIfNoEntry: false })?.uid ?? 0;
  const strangers = [
    ...strangersOn(directory),
    ...(isElsewhere(asked, directory) ? [] : strangersOn(asked)),
  ];
  const other = strangers.find((step) => step.uid !== 0 && step.uid !== uid);
  if (other !== undefined) {
    throw new Refusal(
      'forbidden',
      `The path to ${directory} goes through ${other.path}, which belongs to user ${calledBy(accountOf(other.uid))}, and root does not follow it. Name a data directory in a folder of root's own, or move this one there.`,
    );
  }
  if (uid !== 0) return accountOf(uid);
  const [open] = strangers;
  if (open === undefined) return undefined;
  throw new Refusal(
    'forbidden',
    `Users other than root may write to ${open.path}, and could change what root does in ${directory}. Close it (chmod go-w ${open.path}), or name another data directory.`,
  );
};

const accountOf = (uid: number): Account => accountOfUid(uid) ?? { uid, gid: uid };

const closedProgram = (account: Account) =>
  [dirname(process.execPath), import.meta.dir]
    .map((folder) => closedFolder(account, folder))
    .find((folder) => folder !== undefined);

/**
 * The user that Postgres runs as: the current user; for root on its own directory, the owner of the
 * cluster, or a special user that is made if it is missing. Throws `Refusal`, which says how to
 * make one.
 */
export const accountFor = (directory: string, say: (sentence: string) => void): Account => {
  if (!isRoot()) {
    const uid = process.geteuid?.() ?? 0;
    return accountOfUid(uid) ?? { uid, gid: process.getegid?.() ?? 0 };
  }
  const uid = statSync(join(directory, 'pgdata'), { throwIfNoEntry: false })?.uid ?? 0;
  // Other programs may run as nobody too. Releases up to 0.2.0 allowed that.
  if (uid !== 0 && uid !== accountNamed('nobody')?.uid) return accountOf(uid);
  const account = accountNamed(ownUser) ?? madeAccount(say);
  if (account !== undefined) return account;
  throw new Refusal(
    'unavailable',
    `Postgres does not run as root, and needs a user of its own on this machine. Make one (${makeOwnUser.join(' ')}), or run this program as a user other than root.`,
  );
};

const madeAccount = (say: (sentence: string) => void) => {
  try {
    Bun.spawnSync(makeOwnUser, {
      env: { PATH: '/usr/sbin:/sbin:/usr/bin:/bin' },
      stdio: ['ignore', 'ignore', 'ignore'],
    });
  } catch {
    // There is no such program on this machine.
  }
  const account = accountNamed(ownUser);
  if (account !== undefined) {
    say(`Postgres does not run as root: the system user ${ownUser} was made for it.`);
  }
  return account;
};
