/**
 * An upgrade where the data is in a database of DATABASE_URL. Its copy is a backup in a folder on this machine. A mark in
 * the database keeps others away from before the copy is begun until the newer version answers, or until the data is put
 * back: that and the end of the mark are one transaction. So whatever is killed, whichever version starts next here knows
 * what to do: the one before puts the data back, and loses nothing; the newer one goes on.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { checkArchive } from '../backup/archive.ts';
import { makeBackup } from '../backup/backup.ts';
import { thingsOfOthers } from '../backup/replace.ts';
import { othersAtWork, restoreBackup } from '../backup/restore.ts';
import { describeError, log } from '../base/log.ts';
import { writeNewFile } from '../base/new-file.ts';
import { Refusal } from '../base/refusal.ts';
import { isSpread } from '../postgres/citus/distribute.ts';
import type { Address } from '../postgres/connection.ts';
import type { LastUpgrade } from '../postgres/embedded/before-upgrade.ts';
import { keepMigrationsOut, newestMigration, refuseUnfit } from '../postgres/migrate.ts';
import { mayMigrate } from '../postgres/rights.ts';
import { openSession, type Session } from '../postgres/session.ts';
import {
  isThisMachine,
  markIn,
  type OutsideUpgrade,
  setMark,
  thisMachine,
  underWay,
} from '../postgres/upgrade-mark.ts';
import { version } from '../version.ts';

type Addresses = { requests: Address; owner: Address };

const folderName = 'database-before-upgrade-';
const backupIn = (folder: string) => join(folder, 'data.backup');
const keptIn = (folder: string) => join(folder, 'kept.json');
const headsIn = (folder: string) => join(folder, 'heads');

/** What the copy has beside the backup: whose things stay, and where the kept heads of the audit log are. */
type Kept = { others: string[]; headsFile: string | null };

/**
 * The upgrade that was interrupted, if it was on this machine. Throws `Refusal` if it is on another one, and if there is
 * none, where this database cannot be upgraded. Removes what an upgrade that has ended left behind.
 */
export const checkOutside = (owner: Address): Promise<OutsideUpgrade | undefined> =>
  inSession(owner, async (session) => {
    const { upgrade } = await markIn(session);
    if (upgrade) {
      if (isHere(upgrade)) return upgrade;
      throw underWay(upgrade);
    }
    await removeLeftBehind(session);
    await refuseUnfit(session);
    if ((await newestMigration(session)) === undefined) {
      throw new Refusal(
        'not_configured',
        'The database of DATABASE_URL has no data of Matterhorn, so there is nothing to upgrade. Put the new file in place by hand.',
      );
    }
    const { role, may } = await mayMigrate(session);
    if (!may) {
      throw new Refusal(
        'forbidden',
        `The role “${role}” may not change the tables. Name the user that owns them in DATABASE_OWNER_URL, beside DATABASE_URL (docs/scaling.md, Two roles).`,
      );
    }
    if (await isSpread(session)) throw spreadOut;
    return undefined;
  });

const spreadOut = new Refusal(
  'conflict',
  'This database is spread over several nodes, and one file cannot hold a copy of it. Stop every server, back up each node (docs/scaling.md), put the new file in place by hand, and start the servers.',
);

/**
 * Marks the database, and copies its data to a new folder in `parent`, while no server uses it. Throws `Refusal` if one
 * does, or if the data could not be put back; then everything is as before.
 */
export const copyOutside = (
  owner: Address,
  parent: string,
  { to, headsFile }: { to: string; headsFile: string | undefined },
): Promise<void> =>
  inSession(owner, async (session) => {
    if (!(await keepMigrationsOut(session)) || !(await isAlone(session, stopPatience))) {
      throw othersUse;
    }
    const mark = await markIn(session);
    if (mark.upgrade) throw underWay(mark.upgrade);
    const others = await thingsOfOthers(session);
    // What was killed before the mark is empty.
    for (const name of readdirSync(parent).filter((one) => one.startsWith(folderName))) {
      rmSync(join(parent, name), { recursive: true });
    }
    const id = crypto.randomUUID();
    const folder = join(parent, `${folderName}${id}`);
    mkdirSync(folder, { mode: 0o700 });
    const begunAt = new Date().toISOString();
    const upgrade = { id, from: version, to, begunAt, folder, machine: thisMachine() };
    try {
      await setMark(session, { ...mark, upgrade });
      const kept: Kept = { others, headsFile: headsFile ?? null };
      await writeNewFile(keptIn(folder), (writeOn) => writeOn(JSON.stringify(kept)));
      if (headsFile && existsSync(headsFile)) {
        const heads = readFileSync(headsFile);
        await writeNewFile(headsIn(folder), (writeOn) => writeOn(heads));
      }
      await makeBackup(session, backupIn(folder));
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      await setMark(session, mark);
      throw error;
    }
  });

const othersUse = new Refusal(
  'conflict',
  'Another server or a command uses the database of DATABASE_URL. Stop every server of it, on all machines, and run this command again; then put the new executable in place on the other machines, and start them. Nothing was changed.',
);

/**
 * For a server, before it migrates: puts the data back if an upgrade from this very version was interrupted. Returns the
 * upgrade to this version that it goes on with. Throws `Refusal` if it may not serve during an upgrade.
 */
export const settleOutside = async (
  addresses: Addresses,
  isTrial: boolean,
): Promise<OutsideUpgrade | undefined> => {
  const upgrade = await inSession(addresses.owner, async (session) => {
    const { upgrade: found, leftBehind } = await markIn(session);
    if (leftBehind) await removeLeftBehind(session);
    return found;
  });
  if (isTrial && upgrade?.to !== version) {
    throw new Refusal('conflict', 'This trial has no copy of the data. Upgrade again.');
  }
  if (!upgrade) return undefined;
  if (!isHere(upgrade)) throw underWay(upgrade);
  if (upgrade.to === version) return upgrade;
  await goBackOutside(addresses, 'It was interrupted.');
  return undefined;
};

/** From its first answer on, nothing goes back. */
export const endOutside = (owner: Address, upgrade: OutsideUpgrade): Promise<void> =>
  inSession(owner, async (session) => {
    await setMark(session, ended(upgrade, 'upgraded'));
    log('info', 'upgraded', { from: upgrade.from, to: upgrade.to });
    await removeLeftBehind(session);
  });

/**
 * Puts data back that an upgrade from this version copied, when the servers of the upgrade have ended. It may be killed
 * at any moment and be called again. Does nothing if no upgrade is under way.
 */
export const goBackOutside = async (addresses: Addresses, why: string): Promise<void> => {
  const { owner } = addresses;
  const upgrade = await inSession(owner, async (session) => (await markIn(session)).upgrade);
  if (!upgrade) return;
  const { folder, from, to } = upgrade;
  // Another version would bring the data to its own schema.
  if (from !== version || !isHere(upgrade)) throw underWay(upgrade);
  const end = (session: Session) => setMark(session, ended(upgrade, 'went back', why));
  const file = backupIn(folder);
  // Without one, it was killed before anything was tried.
  if (existsSync(file)) {
    const { others, headsFile } = JSON.parse(readFileSync(keptIn(folder), 'utf8')) as Kept;
    const { manifest } = await checkArchive(file);
    await inSession(owner, (session) => isAlone(session, endPatience));
    // Heads that are newer than the log would say that it was cut off; older ones are right with either.
    if (headsFile) putBack(headsIn(folder), headsFile);
    const replaces = { others, alsoDone: end };
    await restoreBackup(addresses, file, manifest, { isEmbedded: false, anyway: true, replaces });
  } else await inSession(owner, end);
  log('info', 'upgrade went back', { from, to, why });
  await inSession(owner, removeLeftBehind);
};

const putBack = (copy: string, file: string) => {
  if (!existsSync(copy)) return rmSync(file, { force: true });
  copyFileSync(copy, `${file}.back`);
  renameSync(`${file}.back`, file);
};

const ended = (
  { from, to, folder, machine }: OutsideUpgrade,
  result: LastUpgrade['result'],
  why?: string,
) => {
  const last: LastUpgrade = { from, to, at: new Date().toISOString(), result, ...(why && { why }) };
  return { last, leftBehind: { folder, machine } };
};

/** The copy may be visible to this user by its name only. */
const isHere = ({ folder, machine }: Pick<OutsideUpgrade, 'folder' | 'machine'>) =>
  existsSync(folder) || isThisMachine(machine);

/** Removes the copy of an upgrade that has ended, if it lies here. */
const removeLeftBehind = async (session: Session) => {
  const { leftBehind, ...mark } = await markIn(session);
  if (!leftBehind || !isHere(leftBehind)) return;
  try {
    rmSync(leftBehind.folder, { recursive: true, force: true });
    await setMark(session, mark);
  } catch (error) {
    log('warn', 'copy of before the upgrade not removed', describeError(error));
  }
};

// A connection of a server that has just ended may still be there.
const stopPatience = 3_000;
/** One that was killed in the middle of a statement is noticed after some seconds. */
const endPatience = 60_000;
const pollMilliseconds = 50;

/** Whether no server or command uses the database, or has stopped using it after some time. */
const isAlone = async (session: Session, patienceMilliseconds: number): Promise<boolean> => {
  const begun = performance.now();
  while (await session.first(othersAtWork)) {
    if (performance.now() - begun > patienceMilliseconds) return false;
    await Bun.sleep(pollMilliseconds);
  }
  return true;
};

const inSession = async <Value>(
  address: Address,
  work: (session: Session) => Promise<Value>,
): Promise<Value> => {
  const session = await openSession(address);
  try {
    return await work(session);
  } finally {
    await session.close();
  }
};
