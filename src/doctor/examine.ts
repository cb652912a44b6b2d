/** Everything about an installation that is not as it should be, as one finding each. */
import { statfs } from 'node:fs/promises';
import { firmsLeftUnsealed } from '../audit/seal.ts';
import { rememberedBackup } from '../backup/remembered.ts';
import { newestBackup } from '../backup/schedule.ts';
import type { ScheduledBackups, Settings } from '../config.ts';
import type { Runs } from '../postgres/pool.ts';
import { excessOf, mayMigrate } from '../postgres/rights.ts';
import { type Finding, problem, warning } from './finding.ts';
import { examineKey, examineOrigins } from './key.ts';
import {
  clock,
  deadJobs,
  firmsNotSetUp,
  firmsWithoutOwner,
  keysAboutToExpire,
  lateJobs,
} from './questions.ts';

/**
 * Whether backups are made: in the folder of the settings, or else of the embedded database at all.
 * A database elsewhere may be backed up there.
 */
export const examineBackups = async (
  { backups, backupRecipients }: Settings,
  dataDirectory: string | undefined,
): Promise<Finding[]> => {
  if (!backups) return dataDirectory === undefined ? [] : examineRemembered(dataDirectory);
  const inClear = backupRecipients.length === 0 ? [notEncrypted(backups.directory)] : [];
  return [...(await examineFolder(backups)), ...inClear];
};

const notEncrypted = (directory: string) =>
  warning(
    `The backups in ${directory} are not encrypted.`,
    'Run `matterhorn backup key`, put its first key into the setting BACKUP_RECIPIENT, keep the second one elsewhere, and restart the server.',
  );

const examineFolder = async (backups: ScheduledBackups): Promise<Finding[]> => {
  const { directory, everyMilliseconds } = backups;
  const todo = 'Start the server if it is not running; if it is, look at its log for why.';
  try {
    const newest = await newestBackup(directory, Date.now());
    if (!newest) return [problem(`There is no backup in ${directory} yet.`, todo)];
    if (Date.now() - newest.getTime() < 2 * everyMilliseconds) return [];
    return [problem(`The newest backup in ${directory} is of ${newest.toISOString()}.`, todo)];
  } catch {
    return [problem(`The folder of backups, ${directory}, is not there or cannot be read.`, todo)];
  }
};

const weekMilliseconds = 7 * 86_400_000;

/** Findings where no folder is set, from what the data directory remembers. */
const examineRemembered = async (dataDirectory: string): Promise<Finding[]> => {
  const newest = await rememberedBackup(dataDirectory);
  if (newest && Date.now() - newest.getTime() < weekMilliseconds) return [];
  const what = newest
    ? `The newest backup is of ${newest.toISOString().slice(0, 10)}, and the server creates none by itself.`
    : 'This server knows of no backup; versions before 0.3.0 did not note theirs. If this disk fails, everything since your last one is lost.';
  const todo =
    'Name a folder in the setting BACKUP_DIR and restart the server: it then creates a backup every day. To create one now, run `matterhorn backup FILE`.';
  return [warning(what, todo)];
};

const gibibyte = 1024 ** 3;

/** Findings about the disk that a folder is on. */
export const examineDisk = async (directory: string): Promise<Finding[]> => {
  const { bavail, blocks, bsize } = await statfs(directory);
  return diskFindings(directory, bavail * bsize, blocks * bsize);
};

/** Findings about a disk's free space. */
export const diskFindings = (
  directory: string,
  freeBytes: number,
  totalBytes: number,
): Finding[] => {
  const free = `${(freeBytes / gibibyte).toFixed(1)} GiB`;
  const what = `The disk of ${directory} has ${free} left.`;
  if (freeBytes < gibibyte / 2) {
    return [problem(what, 'Free some space now: when it is full, nothing can be stored.')];
  }
  if (freeBytes < 2 * gibibyte || freeBytes < totalBytes / 20) {
    return [warning(what, 'Free some space, or move the data directory to a larger disk.')];
  }
  return [];
};

/** Whether this session's role, the owner's, can do what only the owner of the tables can. */
export const examineOwner = async (owner: Runs): Promise<Finding[]> => {
  const { role, may } = await mayMigrate(owner);
  if (may) return [];
  const what = `The role ${quoted(role)} may not change the tables, and DATABASE_OWNER_URL names nobody who may: upgrades, backups and restores fail.`;
  return [
    problem(
      what,
      'Name the user that owns the tables in DATABASE_OWNER_URL, beside DATABASE_URL (docs/scaling.md, Two roles).',
    ),
  ];
};

/**
 * Findings about what is in a database: about one firm and the server, or about all firms where
 * `firmId` is null.
 */
export const examineData = async (
  database: Runs,
  { firmId, keyFile }: { firmId: string | null; keyFile: string | undefined },
): Promise<Finding[]> => {
  const findings = await Promise.all([
    ...examinations.map((examination) => examination(database, firmId)),
    examineKey(database, keyFile),
  ]);
  return findings.flat();
};

type Examination = (database: Runs, firmId: string | null) => Promise<Finding[]>;

const examinations: Examination[] = [
  examineOrigins,
  async (database, firmId) => {
    const { count, oldestSeconds } = (await database.first(lateJobs, { firmId })) ?? { count: 0 };
    if (!count) return [];
    const what = `${many(count, 'job is', 'jobs are')} late, by up to ${Math.round(Number(oldestSeconds))} seconds.`;
    return [problem(what, 'Start the server if it is not running; if it is, look at its log.')];
  },
  async (database, firmId) => {
    const { count, kinds } = (await database.first(deadJobs, { firmId })) ?? { count: 0 };
    if (!count) return [];
    const what = `${many(count, 'job has', 'jobs have')} failed for good (${kinds}).`;
    const todo =
      'See why with `matterhorn job list --dead`, then have them run again with `matterhorn job retry --all`.';
    return [problem(what, todo)];
  },
  async (database, firmId) => {
    const unsealed = await database.run(firmsLeftUnsealed);
    const count = unsealed.filter((one) => firmId === null || one.firmId === firmId).length;
    if (!count) return [];
    const what = `${count === 1 ? 'One firm has' : `${count} firms have`} audit entries older than a minute that are not sealed.`;
    const todo = 'Start the server if it is not running; if it is, run `matterhorn audit verify`.';
    return [problem(what, todo)];
  },
  async (database) => {
    const { role, excess } = await excessOf(database);
    if (excess.length === 0) return [];
    const what = `Requests run as the database's role ${quoted(role)}, with more rights than they need: it ${excess.join(', and ')}.`;
    const todo =
      'Give requests a role of their own in DATABASE_URL, and name the owner of the tables in DATABASE_OWNER_URL (docs/scaling.md, Two roles).';
    return [warning(what, todo)];
  },
  async (database) => {
    const asked = Date.now();
    const now = Number((await database.first(clock))?.now);
    const answered = Date.now();
    const seconds = (now - (asked + answered) / 2) / 1000;
    if (Math.abs(seconds) < 2 + (answered - asked) / 2000) return [];
    const direction = seconds > 0 ? 'ahead of' : 'behind';
    const what = `The database's clock is ${Math.abs(seconds).toFixed(0)} seconds ${direction} this machine's.`;
    return [warning(what, 'Have both machines take their time from a time server (NTP).')];
  },
  async (database, firmId) =>
    (await database.run(keysAboutToExpire, { firmId })).map(
      ({ firm, name, id, email, expiresOn }) =>
        warning(
          `The key ${quoted(name)} of ${email} at ${quoted(firm)} expires on ${expiresOn}.`,
          `Put a new one in its place with \`matterhorn key rotate ${id}\`.`,
          '/settings/keys',
        ),
    ),
  async (database, firmId) =>
    (await database.run(firmsWithoutOwner, { firmId })).map(({ firm }) =>
      problem(
        `The firm ${quoted(firm)} has no active owner.`,
        'Give an active member the role with `matterhorn member role EMAIL Owner`.',
      ),
    ),
  async (database, firmId) =>
    (await database.run(firmsNotSetUp, { firmId })).map(({ firm, lacks }) =>
      warning(
        `The firm ${quoted(firm)} has no ${lacks}.`,
        'Add what it needs to its blueprint, and apply it with `matterhorn firm apply FILE`.',
        '/settings/numbering',
      ),
    ),
];

const many = (count: number, one: string, more: string) =>
  count === 1 ? `1 ${one}` : `${count} ${more}`;

const quoted = (text: string) => JSON.stringify(text);
