import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { fileSentenceOf } from '../base/file-error.ts';
import type { InstallationKey } from '../base/installation-key.ts';
import { describeError, log } from '../base/log.ts';
import { Refusal } from '../base/refusal.ts';
import type { ScheduledBackups, Settings } from '../config.ts';
import type { Address } from '../postgres/connection.ts';
import { openSession, type Session } from '../postgres/session.ts';
import { statement } from '../postgres/statement.ts';
import { makeBackup } from './backup.ts';
import { rowsIn } from './manifest.ts';
import { rememberBackup } from './remembered.ts';

const lookEveryMilliseconds = 30_000;
const dayMilliseconds = 86_400_000;
const toleratedFutureMilliseconds = 60_000;

/** A finished backup in the folder: when it began, and whether somebody asked for it. */
export type BackupFile = { name: string; at: Date; isByHand: boolean; bytes: number };

/** The folder of backups, as a person looks after it. */
export type Backups = ScheduledBackups & {
  /** Whether they are encrypted for somebody. */
  isEncrypted: boolean;
  /** The finished backups, newest first. Throws if the folder cannot be read. */
  list(): Promise<BackupFile[]>;
  /**
   * Makes one now, beside those of the schedule, and removes the oldest that were made so. Returns
   * its name. Throws `Refusal` conflict while another is being made.
   */
  makeNow(): Promise<string>;
  /** Ends a backup under way, and nothing of it is left. */
  stop(): Promise<void>;
};

/** Whose backups they are: the key that signs them, and where the embedded database is. */
type Whose = { key?: InstallationKey | undefined; dataDirectory?: string | undefined };
type Making = Whose & { signal: AbortSignal; recipients: readonly string[] };

/** How many backups that somebody asked for are kept. */
export const keptByHand = 5;

/**
 * Makes a backup in a folder whenever the newest one there is old enough, and removes the oldest.
 * Any number of instances may share database and folder: one of them makes each backup. A failure
 * is logged, and tried again. Undefined where no folder is set.
 */
export const startScheduledBackups = (
  address: Address,
  { backups, backupRecipients: recipients }: Pick<Settings, 'backups' | 'backupRecipients'>,
  { key, dataDirectory }: Whose = {},
): Backups | undefined => {
  if (!backups) return undefined;
  const stopping = new AbortController();
  const { signal } = stopping;
  const options = { signal, key, dataDirectory, recipients };
  const loop = async () => {
    while (!signal.aborted) {
      const rest = await backUpIfDue(address, backups, options).catch((error) => {
        if (!signal.aborted) log('error', 'scheduled backup failed', reasonOf(error));
        return lookEveryMilliseconds * 10;
      });
      await restFor(rest, signal);
    }
  };
  const running = loop();
  let byHand: Promise<unknown> = Promise.resolve();
  return {
    ...backups,
    isEncrypted: recipients.length > 0,
    list: () => listBackups(backups.directory),
    makeNow: () => {
      const making = backUpByHand(address, backups, options);
      byHand = Promise.allSettled([byHand, making]);
      return making;
    },
    async stop() {
      stopping.abort(new Refusal('unavailable', 'The server stops.'));
      await Promise.all([running, byHand]);
    },
  };
};

const listBackups = async (directory: string): Promise<BackupFile[]> => {
  const names = await readdir(directory);
  const found = names.flatMap((name) => {
    const stamp = stampOf(name);
    return stamp?.isFinished ? [{ name, at: stamp.at, isByHand: stamp.isByHand }] : [];
  });
  const files = await Promise.all(
    found.map(async (file) => ({ ...file, bytes: (await stat(join(directory, file.name))).size })),
  );
  return files.sort((one, other) => other.at.getTime() - one.at.getTime());
};

const backUpByHand = async (
  address: Address,
  { directory }: ScheduledBackups,
  options: Making,
): Promise<string> => {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const session = await openSession(address, options.signal);
  try {
    const isOurTurn = (await session.first(takeTurn))?.isOurs;
    if (!isOurTurn) throw new Refusal('conflict', 'A backup is already running.');
    const name = nameFor(new Date(), '.by-hand');
    await makeInFolder(session, join(directory, name), options);
    const older = (await listBackups(directory)).filter(({ isByHand }) => isByHand);
    for (const file of older.slice(keptByHand)) {
      await rm(join(directory, file.name), { force: true });
    }
    return name;
  } finally {
    await session.close();
  }
};

const makeInFolder = async (session: Session, file: string, options: Making) => {
  const begun = performance.now();
  const { manifest, bytes } = await makeBackup(session, file, options);
  if (options.dataDirectory) await rememberBackup(options.dataDirectory, new Date(manifest.madeAt));
  const seconds = Math.round((performance.now() - begun) / 100) / 10;
  const { firms } = manifest;
  log('info', 'backup made', { file, bytes, rows: rowsIn(manifest), seconds, firms });
};

/** A failure that somebody can solve becomes a sentence. Others are logged as they are. */
const reasonOf = (error: unknown) => {
  const message = error instanceof Refusal ? error.message : fileSentenceOf(error);
  return message ? { message } : describeError(error);
};

const restFor = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    const wake = () => {
      clearTimeout(timer);
      resolve();
    };
    if (signal.aborted) wake();
    else signal.addEventListener('abort', wake, { once: true });
  });

/** Returns how many milliseconds to rest until the next look. */
const backUpIfDue = async (
  address: Address,
  { directory, everyMilliseconds, keep }: ScheduledBackups,
  options: Making,
): Promise<number> => {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const untilDue = async () => {
    const newest = await newestBackup(directory, Date.now());
    return newest ? newest.getTime() + everyMilliseconds - Date.now() : 0;
  };
  const rest = await untilDue();
  if (rest > 0) return Math.min(rest, lookEveryMilliseconds);
  const session = await openSession(address, options.signal);
  try {
    const isOurTurn = (await session.first(takeTurn))?.isOurs;
    // Another instance may have made it a moment ago.
    if (!isOurTurn || (await untilDue()) > 0) return lookEveryMilliseconds;
    await removeUnfinished(directory);
    const file = join(directory, nameFor(new Date()));
    await makeInFolder(session, file, options);
    await removeOldest(directory, keep);
  } finally {
    await session.close();
  }
  return Math.min(everyMilliseconds, lookEveryMilliseconds);
};

// Held until the session ends for any reason.
const takeTurn = statement(
  () => sql<{ isOurs: boolean }>`
    select pg_try_advisory_lock(hashtext('matterhorn scheduled backup')) as "isOurs"`,
);

const pattern =
  /^matterhorn-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z(\.by-hand)?\.backup(\.unfinished)?$/;

/** The name of a backup that began at a moment: `matterhorn-2026-11-21T09-30-00Z.backup`. */
const nameFor = (at: Date, byHand = '') =>
  `matterhorn-${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z${byHand}.backup`;

type Stamp = { at: Date; isByHand: boolean; isFinished: boolean };

const stampOf = (name: string): Stamp | undefined => {
  const [, day, hours, minutes, seconds, byHand, unfinished] = pattern.exec(name) ?? [];
  if (!day) return undefined;
  const at = new Date(`${day}T${hours}:${minutes}:${seconds}Z`);
  return { at, isByHand: Boolean(byHand), isFinished: !unfinished };
};

/**
 * The finished backups of the schedule in a folder, oldest first. Those with a time in the future,
 * from a clock that was wrong, do not count and are left alone until that time.
 */
const backupsIn = async (directory: string, now: number) =>
  (await readdir(directory))
    .map((name) => ({ name, stamp: stampOf(name) }))
    .flatMap(({ name, stamp }) =>
      stamp?.isFinished && !stamp.isByHand ? [{ name, at: stamp.at.getTime() }] : [],
    )
    .filter(({ at }) => at < now + toleratedFutureMilliseconds)
    .sort((one, other) => one.at - other.at);

/** When the newest backup in a folder began. Throws if the folder cannot be read. */
export const newestBackup = async (directory: string, now: number): Promise<Date | undefined> => {
  const at = (await backupsIn(directory, now)).at(-1)?.at;
  return at === undefined ? undefined : new Date(at);
};

const removeOldest = async (directory: string, keep: number) => {
  for (const { name } of (await backupsIn(directory, Date.now())).slice(0, -keep)) {
    await rm(join(directory, name), { force: true });
  }
};

/** Removes what a killed backup left, once none can be in progress. */
const removeUnfinished = async (directory: string) => {
  for (const name of await readdir(directory)) {
    if (stampOf(name)?.isFinished !== false) continue;
    const path = join(directory, name);
    const touched = (await stat(path)).mtimeMs;
    if (touched < Date.now() - dayMilliseconds) await rm(path, { force: true });
  }
};
