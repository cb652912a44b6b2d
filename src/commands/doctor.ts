import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { firmsLeftUnsealed } from '../audit/seal.ts';
import { newestBackup } from '../backup/schedule.ts';
import { Refusal } from '../base/refusal.ts';
import { readSettings, type Settings } from '../config.ts';
import type { Address } from '../postgres/connection.ts';
import { borrowEmbedded, directoryOf } from '../postgres/embedded/embedded.ts';
import { knownMigrations, migrationsTable, refuseUnfit } from '../postgres/migrate.ts';
import { openDatabase, type Runs } from '../postgres/pool.ts';
import { excessOf } from '../postgres/rights.ts';
import { openSession } from '../postgres/session.ts';
import { examineKey, examineOrigins } from './doctor-key.ts';
import {
  clock,
  deadJobs,
  firmsNotSetUp,
  firmsWithoutOwner,
  keysAboutToExpire,
  lateJobs,
  migrations,
} from './doctor-questions.ts';
import { type Finding, problem, warning } from './finding.ts';
import { keyFileFor } from './installation.ts';
import { sentenceOf } from './sentence.ts';
import {
  type Addresses,
  addressesOf,
  type CommonOptions,
  print,
  say,
  type Terminal,
  withCommonOptions,
} from './terminal.ts';

/** `doctor`. */
export const doctorCommand = (program: Command, terminal: Terminal) => {
  withCommonOptions(program.command('doctor'))
    .description('check everything an administrator would, and say what to do')
    .addHelpText('after', '\nExample:\n  matterhorn doctor')
    .action(async (options: CommonOptions) => {
      const findings = await examineAll(terminal, options);
      const problems = findings.filter(({ level }) => level === 'problem').length;
      print(terminal, options, { ok: problems === 0, findings }, lines(findings));
      if (problems > 0) {
        const count = problems === 1 ? '1 problem' : `${problems} problems`;
        throw new Refusal('conflict', `The doctor found ${count}. Each says what to do.`);
      }
    });
};

const lines = (findings: Finding[]) =>
  findings.length === 0
    ? ['Everything is as it should be.']
    : findings.flatMap((one) => [`${one.level.padEnd(7)}  ${one.what}`, `         ${one.do}`]);

/** Everything that is not as it should be. Changes nothing, not even an outdated schema. */
const examineAll = async (terminal: Terminal, options: CommonOptions): Promise<Finding[]> => {
  const settings = readSettings(terminal.environment);
  const keyFile = keyFileFor(terminal, options);
  const data = settings.database
    ? await examineDatabase(addressesOf(settings, undefined), keyFile)
    : await examineEmbedded(terminal, options, keyFile);
  return [...data, ...(await examineBackups(settings)), ...examinePublicUrl(settings)];
};

const examinePublicUrl = ({ publicUrl }: Settings): Finding[] =>
  publicUrl?.startsWith('http://')
    ? [
        warning(
          "PUBLIC_URL begins with http://: passwords and clients' data cross the network unencrypted.",
          'Put a proxy that speaks HTTPS in front, or set TLS_CERT and TLS_KEY, and PUBLIC_URL=https://….',
        ),
      ]
    : [];

const examineBackups = async ({ backups }: Settings): Promise<Finding[]> => {
  if (!backups) return [];
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

const examineEmbedded = async (
  terminal: Terminal,
  { data }: CommonOptions,
  keyFile: string | undefined,
): Promise<Finding[]> => {
  const directory = directoryOf(data);
  if (!existsSync(join(directory, 'pgdata'))) {
    return [
      problem(
        `There is no data in ${data}.`,
        'Name the data directory with --data, set DATABASE_URL, or make it with `matterhorn serve`.',
      ),
    ];
  }
  const disk = await examineDisk(directory);
  try {
    const embedded = await borrowEmbedded({
      dataDirectory: data,
      say: (sentence) => say(terminal, sentence),
    });
    try {
      return [...disk, ...(await examineDatabase(embedded, keyFile))];
    } finally {
      await embedded.stop();
    }
  } catch (error) {
    return [...disk, toBePutRight(error)];
  }
};

const toBePutRight = (error: unknown) =>
  problem(sentenceOf(error), 'Correct this, then run `matterhorn doctor` again.');

const gibibyte = 1024 ** 3;

const examineDisk = async (directory: string): Promise<Finding[]> => {
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

const examineDatabase = async (
  { requests, owner }: Addresses,
  keyFile: string | undefined,
): Promise<Finding[]> => {
  try {
    const lacks = await examineSchema(owner);
    if (lacks.length > 0) return lacks;
    const database = openDatabase(requests, 2);
    try {
      const findings = await Promise.all([
        ...examinations.map((examination) => examination(database)),
        examineKey(database, keyFile),
      ]);
      return findings.flat();
    } finally {
      await database.close();
    }
  } catch (error) {
    return [toBePutRight(error)];
  }
};

/** Unlike the pool, a session says why nobody answers. */
const examineSchema = async (owner: Address): Promise<Finding[]> => {
  const session = await openSession(owner);
  try {
    await refuseUnfit(session);
    return await examineMigrations(session);
  } finally {
    await session.close();
  }
};

/** Without these, nothing else can be asked. */
const examineMigrations = async (database: Runs): Promise<Finding[]> => {
  const known = await knownMigrations();
  const isMade = (await database.first(migrationsTable))?.name;
  const rows = isMade ? await database.run(migrations) : [];
  const applied = new Set(rows.map(({ when }) => Number(when)));
  const missing = known.filter((when) => !applied.has(when)).length;
  if (missing > 0) {
    const what = `The database lacks ${missing} of ${known.length} migrations.`;
    return [
      problem(what, 'Start the server with this version, `matterhorn serve`: it applies them.'),
    ];
  }
  return [];
};

type Examination = (database: Runs) => Promise<Finding[]>;

const examinations: Examination[] = [
  examineOrigins,
  async (database) => {
    const { count, oldestSeconds } = (await database.first(lateJobs)) ?? { count: 0 };
    if (!count) return [];
    const what = `${many(count, 'job is', 'jobs are')} late, by up to ${Math.round(Number(oldestSeconds))} seconds.`;
    return [problem(what, 'Start the server if it is not running; if it is, look at its log.')];
  },
  async (database) => {
    const { count, kinds } = (await database.first(deadJobs)) ?? { count: 0 };
    if (!count) return [];
    const what = `${many(count, 'job has', 'jobs have')} failed for good (${kinds}).`;
    const todo =
      'See why with `matterhorn job list --dead`, then have them run again with `matterhorn job retry --all`.';
    return [problem(what, todo)];
  },
  async (database) => {
    const count = (await database.run(firmsLeftUnsealed)).length;
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
  async (database) =>
    (await database.run(keysAboutToExpire)).map(({ firm, name, id, email, expiresOn }) =>
      warning(
        `The key ${quoted(name)} of ${email} at ${quoted(firm)} expires on ${expiresOn}.`,
        `Put a new one in its directory with \`matterhorn key rotate ${id}\`.`,
      ),
    ),
  async (database) =>
    (await database.run(firmsWithoutOwner)).map(({ firm }) =>
      problem(
        `The firm ${quoted(firm)} has no active owner.`,
        'Give an active member the role with `matterhorn member role EMAIL Owner`.',
      ),
    ),
  async (database) =>
    (await database.run(firmsNotSetUp)).map(({ firm, lacks }) =>
      warning(
        `The firm ${quoted(firm)} has no ${lacks}.`,
        'Add what it needs to its blueprint, and apply it with `matterhorn firm apply FILE`.',
      ),
    ),
];

const many = (count: number, one: string, more: string) =>
  count === 1 ? `1 ${one}` : `${count} ${more}`;

const quoted = (text: string) => JSON.stringify(text);
