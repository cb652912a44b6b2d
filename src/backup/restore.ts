import { sql } from 'drizzle-orm';
import { Refusal } from '../base/refusal.ts';
import type { Address } from '../postgres/connection.ts';
import {
  applyMigrations,
  keepMigrationsOut,
  knownMigrations,
  newestMigration,
  refuseUnfit,
  roleOf,
} from '../postgres/migrate.ts';
import { grantRights } from '../postgres/rights.ts';
import { openSession, type Session } from '../postgres/session.ts';
import { statement } from '../postgres/statement.ts';
import { newer } from './archive.ts';
import type { OnProgress } from './backup.ts';
import { hasRows, sequencesOf, settle, tablesOf } from './catalogue.ts';
import { load, ofNoFirm } from './load.ts';
import type { Manifest } from './manifest.ts';
import { type Examined, examine, proveRows } from './proof.ts';
import { grantAgain, removeOwn } from './replace.ts';

export type Restored = Examined & { leftOut: string[]; foreignKeys: number };

type RestoreOptions = {
  /** The database is only for Matterhorn: if it is empty, it may be dropped and made again. */
  isEmbedded: boolean;
  /** Also restore what was inconsistent when it was backed up. */
  anyway: boolean;
  /** The secret keys that open it, if it is encrypted. */
  identities?: readonly string[];
  signal?: AbortSignal;
  onProgress?: OnProgress;
  replaces?: Replacing;
};

/**
 * The database is not empty: the backup takes the place of everything in it, except what is in `others`
 * (`thingsOfOthers`). `alsoDone` is the end of the same transaction.
 */
export type Replacing = { others: string[]; alsoDone: (session: Session) => Promise<void> };

/**
 * Restores a backup that `checkArchive` has read into a database that is empty or not made yet, and
 * proves it, all in one transaction: the database gets everything, or stays as it was. An older
 * backup is loaded into the schema of its time, then the newer migrations are applied. Throws
 * `Refusal` if there is any data that it does not replace, if a server or command uses the database, or if something
 * differs.
 */
export const restoreBackup = async (
  { requests, owner }: { requests: Address; owner: Address },
  file: string,
  manifest: Manifest,
  { isEmbedded, anyway, identities = [], signal, onProgress = () => {}, replaces }: RestoreOptions,
): Promise<Restored> => {
  if (!(await knownMigrations()).includes(manifest.migration)) throw newer(manifest.version);
  const session = await openSession(owner, signal);
  try {
    await settle(session);
    // What it replaces may be of a newer program.
    if (!replaces) await refuseUnfit(session);
    if (!(await keepMigrationsOut(session)) || (await session.first(othersAtWork))) {
      throw new Refusal(
        'conflict',
        'A server or a command is using this database. Stop it, then restore.',
      );
    }
    const role = requests === owner ? undefined : await roleOf(requests);
    return await session.transaction(async () => {
      const grants = replaces ? await removeOwn(session, replaces.others) : [];
      const leaves = replaces ? await leftIn(session) : [];
      if (replaces) await applyMigrations(session, manifest.migration);
      else await makeSchema(session, manifest, isEmbedded);
      const loading = load(session, file, manifest, { identities, leaves, signal, onProgress });
      const { leftOut, foreignKeys } = await loading.catch(inWords);
      await proveRows(session, manifest, { leftOut, onProgress });
      await applyMigrations(session);
      await grantAgain(session, grants);
      if (role !== undefined) await grantRights(session, role);
      const examined = await examine(session, manifest, onProgress);
      if (examined.findings.length > 0 && !anyway) throw unsound(examined.findings);
      await replaces?.alsoDone(session);
      return { ...examined, leftOut, foreignKeys };
    });
  } finally {
    await session.close();
  }
};

/** The tables and sequences of others. */
const leftIn = async (session: Session): Promise<string[]> => [
  ...(await tablesOf(session)),
  ...(await sequencesOf(session)).map(({ name }) => name),
];

/** Rows that fit no column, break a rule or refer to nothing, according to Postgres. */
const inWords = (error: unknown): never => {
  if (!/^2[23]/.test(String((error as { code?: unknown }).code))) throw error;
  throw new Refusal(
    'conflict',
    'The rows of this backup do not fit together. Nothing was restored; use another backup.',
  );
};

/** Brings an empty database to the backup's schema. */
const makeSchema = async (session: Session, manifest: Manifest, isEmbedded: boolean) => {
  const applied = await newestMigration(session);
  await refuseUnlessEmpty(session, manifest, applied !== undefined);
  if (applied !== undefined && applied > manifest.migration) {
    if (!isEmbedded) {
      throw new Refusal(
        'conflict',
        'This database was prepared by a newer Matterhorn than the one that created the backup. Name a new, empty database in DATABASE_URL.',
      );
    }
    await session.command(
      'drop schema public cascade; drop schema drizzle cascade; create schema public',
    );
  }
  await applyMigrations(session, manifest.migration);
};

const refuseUnlessEmpty = async (session: Session, { tables }: Manifest, isMigrated: boolean) => {
  const ours = new Set(tables.map(({ name }) => name));
  for (const table of await tablesOf(session)) {
    if (!ours.has(table) || (isMigrated && ofNoFirm.includes(table))) continue;
    if (isMigrated && !(await hasRows(session, table))) continue;
    throw new Refusal(
      'conflict',
      'There is data in this database already, and a restore never overwrites. Name an empty one: another folder with --data, or another database in DATABASE_URL.',
    );
  }
};

const unsound = ([first, ...others]: string[]) => {
  const more = others.length > 0 ? ` And ${others.length} more.` : '';
  return new Refusal(
    'conflict',
    `${first}${more} That was so when the backup was created. Nothing was restored. Use another backup, or restore this one anyway with --anyway.`,
  );
};

/** Whether another server or command is connected. */
export const othersAtWork = statement(
  () => sql`
    select from pg_stat_activity
    where datname = current_database() and application_name = 'matterhorn'
      and pid <> pg_backend_pid() limit 1`,
);
