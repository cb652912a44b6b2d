import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { isCompiled } from '../base/compiled.ts';
import { Refusal } from '../base/refusal.ts';
import { isSpread, spread } from './citus/distribute.ts';
import { continueNumbers } from './citus/numbers.ts';
import { keepRowsOfNoFirm } from './citus/of-no-firm.ts';
import type { Address } from './connection.ts';
import { grantRights } from './rights.ts';
import { openSession, type Session } from './session.ts';
import { type Given, statement } from './statement.ts';
import { refuseDuringUpgradeOf } from './upgrade-mark.ts';

const migrationsFolder = join(import.meta.dir, isCompiled ? 'drizzle' : '../../drizzle');

const oldestMajorVersion = 15;

/**
 * Brings the database to this program's schema, as its owner and under a lock, so that any number
 * of instances may start at once. Gives the role of `requests` its rights. Throws `Refusal` for a
 * database that cannot be used, if the two addresses lead to different databases, and while an upgrade
 * is under way other than `ofUpgrade`.
 */
export const migrate = async (
  owner: Address,
  requests: Address = owner,
  ofUpgrade?: string,
): Promise<void> => {
  const session = await openSession(owner);
  try {
    await session.run(waitForTurn);
    await refuseDuringUpgradeOf(session, ofUpgrade);
    await refuseUnfit(session);
    const role = requests === owner ? undefined : await roleIn(owner, requests);
    const isSpreadOut = await isSpread(session);
    await session.transaction(async () => {
      const applied = await applyMigrations(session);
      if (isSpreadOut && applied > 0) await spread(session, 0);
      if (role !== undefined) await grantRights(session, role);
    });
    if (!isSpreadOut) return;
    await continueNumbers(session);
    await keepRowsOfNoFirm(session);
  } finally {
    await session.close();
  }
};

/** As `roleOf`, but the two addresses of an embedded database lead to the same one. */
const roleIn = async (owner: Address, requests: Address): Promise<string> => {
  if (typeof owner === 'string' || typeof requests === 'string') return roleOf(requests);
  const isSame = owner.path === requests.path && owner.database === requests.database;
  return isSame ? requests.username : roleOf(requests);
};

/**
 * The role of an address. Throws `Refusal` if the address leads to another database than the one
 * that this process has locked against migrations.
 */
export const roleOf = async (requests: Address): Promise<string> => {
  const session = await openSession(requests);
  try {
    if ((await session.first(takeTurnIfFree))?.isOurs) {
      throw new Refusal(
        'conflict',
        'DATABASE_URL and DATABASE_OWNER_URL name different databases. Name the same one in both, each with its own user.',
      );
    }
    return (await session.first(currentRole))?.role ?? '';
  } finally {
    await session.close();
  }
};

/**
 * Applies this program's migrations that the database lacks, inside a transaction: all of them, or
 * those up to the one made at `upTo`. Records them as Drizzle does, since drizzle-kit reads that. Returns
 * how many it applied.
 */
export const applyMigrations = async (
  session: Session,
  upTo = Number.POSITIVE_INFINITY,
): Promise<number> => {
  const applied = (await newestMigration(session)) ?? 0;
  const newest = Math.max(...(await knownMigrations()));
  // Most starts find nothing to do, and need not read the files.
  const migrations = applied < newest ? migrationsOfProgram() : [];
  const lacking = migrations.filter(
    ({ folderMillis }) => folderMillis > applied && folderMillis <= upTo,
  );
  if (lacking.length > 0) {
    await session.command('create schema if not exists drizzle');
    await session.command(`create table if not exists drizzle.__drizzle_migrations
    (id serial primary key, hash text not null, created_at bigint)`);
  }
  const isSpreadOut = await isSpread(session);
  // Its transaction takes triggers from now on.
  if (isSpreadOut && lacking.length > 0) await spread(session, 0);
  for (const { folderMillis: when, hash, sql: commands } of lacking) {
    for (const command of commands) {
      await session.command(command);
      // A new table must be spread before it can refer to one that is.
      if (isSpreadOut && /^\s*create table/i.test(command)) await spread(session, 0);
    }
    await session.run(account, { hash, when });
  }
  if (upTo >= newest && !isSpreadOut) await session.run(continueNumbersHere);
  return lacking.length;
};

/**
 * Throws `Refusal` for a database that cannot be used: its Postgres is too old, its encoding cannot
 * store every letter, or a newer program made it.
 */
export const refuseUnfit = async (session: Session): Promise<void> => {
  const { major = 0, encoding = '' } = (await session.first(serverSettings)) ?? {};
  if (Number(major) < oldestMajorVersion) {
    throw new Refusal(
      'unavailable',
      `This database is PostgreSQL ${major}; Matterhorn needs ${oldestMajorVersion} or newer. Upgrade it, or name another one in DATABASE_URL.`,
    );
  }
  if (encoding !== 'UTF8') {
    throw new Refusal(
      'unavailable',
      `The encoding of this database is ${encoding}, in which not every name can be written. Create one with the encoding UTF8 and name that in DATABASE_URL; \`pg_dump\` carries over what is in this one.`,
    );
  }
  const newest = (await newestMigration(session)) ?? 0;
  if (newest > Math.max(...(await knownMigrations()))) {
    throw new Refusal(
      'unavailable',
      'This database was made by a newer Matterhorn. Run that version or a newer one; this one changes nothing in it.',
    );
  }
};

/** When the newest applied migration was made; undefined if none was applied. */
export const newestMigration = async (session: Session): Promise<number | undefined> => {
  if (!(await session.first(migrationsTable))?.name) return undefined;
  const newest = (await session.first(newestApplied))?.newest;
  return newest == null ? undefined : Number(newest);
};

/** This program's migrations, in the order they are applied. */
export const migrationsOfProgram = () => readMigrationFiles({ migrationsFolder });

/** When each of this program's migrations was made, in the order they are applied. */
export const knownMigrations = async (): Promise<number[]> => {
  const journal = (await Bun.file(join(migrationsFolder, 'meta/_journal.json')).json()) as {
    entries: { when: number }[];
  };
  return journal.entries.map((entry) => entry.when);
};

const lock = sql.raw(`hashtext('matterhorn migrations')`);
const waitForTurn = statement(() => sql`select pg_advisory_lock(${lock})`);
const takeTurnIfFree = statement(
  () => sql<{ isOurs: boolean }>`select pg_try_advisory_lock(${lock}) as "isOurs"`,
);

/**
 * Keeps others from migrating the database until the session ends. False if somebody is migrating
 * it.
 */
export const keepMigrationsOut = async (session: Session): Promise<boolean> =>
  (await session.first(takeTurnIfFree))?.isOurs ?? false;

const currentRole = statement(() => sql<{ role: string }>`select current_user::text as role`);

const serverSettings = statement(
  () => sql<{ major: string; encoding: string }>`
    select current_setting('server_version_num')::int / 10000 as major,
      current_setting('server_encoding') as encoding`,
);

/** The table of Drizzle's record of migrations; null if none was applied yet. */
export const migrationsTable = statement(
  () => sql<{ name: string | null }>`
    select to_regclass('drizzle.__drizzle_migrations')::text as name`,
);

const newestApplied = statement(
  () => sql<{ newest: string | null }>`
    select max(created_at)::text as newest from drizzle.__drizzle_migrations`,
);

const account = statement(
  (
    given: Given<{ hash: string; when: number }>,
  ) => sql`insert into drizzle.__drizzle_migrations (hash, created_at)
    values (${given.hash}, ${given.when}::bigint)`,
);

// drizzle/0003_transaction_numbers.sql says why.
const continueNumbersHere = statement(() => sql`select continue_transaction_numbers()`);
