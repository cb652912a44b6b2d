/** Databases for tests: made from a migrated template, so that each costs a fraction of a second. */
import { join } from 'node:path';
import postgres from 'postgres';
import { readSettings } from '../../src/config.ts';
import { withCluster } from '../../src/postgres/citus/database.ts';
import { migrate } from '../../src/postgres/migrate.ts';
import { type Database, openDatabase } from '../../src/postgres/pool.ts';
import { atEnd } from './at-end.ts';
import {
  areSpread,
  copyOnCluster,
  databaseOnCluster,
  dropOnCluster,
  onEveryNode,
} from './cluster.ts';
import { environmentOf, shareNewTables } from './roles.ts';
import { runJson } from './terminal.ts';

const server = () => {
  const url = process.env.TEST_DATABASE_URL;
  if (url) return url;
  throw new Error('Run the tests with `npm test`: they need a Postgres, which it starts.');
};

/** The address of another database on the tests' server. */
export const addressOf = (name: string) => {
  const url = new URL(server());
  url.pathname = `/${name}`;
  return url.href;
};

/** A client for what no door offers: looking at stored rows, moving the clock. */
export const connect = (url: string, options: postgres.Options<Record<string, never>> = {}) => {
  const address = readSettings({ DATABASE_URL: url }).database ?? '';
  const common = { max: 1, onnotice: () => {}, ...options };
  return typeof address === 'string'
    ? postgres(address, common)
    : postgres({ ...address, ...common });
};

const open = (url: string, size: number) =>
  withCluster(openDatabase(readSettings(environmentOf(url)).database ?? '', size));

let kept: Database | undefined;

/**
 * Does what a test does without a door. On the shared database it uses connections that this
 * process keeps: a new one costs more than most of what is done with it. On any other database it
 * leaves none open.
 */
export const onDatabase = async <Value>(
  url: string,
  work: (database: Database) => Promise<Value>,
): Promise<Value> => {
  // A laboratory brings its own Postgres, and has no shared database.
  const isShared = process.env.TEST_DATABASE_URL && url === addressOf(shared);
  if (isShared) return work((kept ??= open(url, 8)));
  const database = open(url, 2);
  return work(database).finally(() => database.close());
};

/**
 * Whether the server admits nobody without a password. An external one may trust everybody it
 * knows.
 */
export const asksForPasswords = async (sql: postgres.Sql) => {
  const trusting = await sql`select from pg_hba_file_rules where auth_method = 'trust'`;
  return trusting.length === 0;
};

const journal = await Bun.file(join(import.meta.dir, '../../drizzle/meta/_journal.json')).text();
const template = `template_${Bun.hash(journal).toString(36)}`;

const shared = `matterhorn_${Bun.hash(journal).toString(36)}`;

/** The database that the tests of this run share; each of them makes its own firm in it. */
export const sharedDatabase = () => prepared(shared, false);

/** A database of a test's own, for tests that move the clock or break things; dropped afterwards. */
export const ownDatabase = () => prepared(freshName(), true);

/** An empty database of a test's own, as an administrator creates one; dropped afterwards. */
export const emptyDatabase = async () => {
  const name = freshName();
  const admin = connect(server());
  await admin`create database ${admin(name)}`;
  await admin.end();
  atEnd(() => drop(name));
  return addressOf(name);
};

const freshName = () => `test_${Bun.randomUUIDv7().replaceAll('-', '').slice(8)}`;

const prepared = async (name: string, isOwn: boolean): Promise<string> => {
  const admin = connect(server());
  // Files run in parallel: the first one makes the template, the others wait for it.
  await admin`set lock_timeout = 0`;
  await admin`select pg_advisory_lock(hashtext(${template}))`;
  if (!(await exists(admin, template))) {
    if (areSpread) await databaseOnCluster(template);
    else await admin`create database ${admin(template)}`;
    const { database, databaseOwner } = readSettings(environmentOf(addressOf(template)));
    await migrate(databaseOwner ?? '', database);
    if (areSpread) await runJson(addressOf(template), ['distribute', '--shards', '2']);
    const sql = connect(addressOf(template));
    await shareNewTables(sql);
    await sql.end();
  }
  if (!(await exists(admin, name))) {
    if (areSpread) await copyOnCluster(name, template);
    // Copied as files: to log each page costs more than a checkpoint.
    else await admin`create database ${admin(name)} template ${admin(template)} strategy file_copy`;
  }
  await admin.end();
  if (isOwn) atEnd(() => drop(name));
  return addressOf(name);
};

const exists = async (admin: postgres.Sql, name: string) =>
  (await admin`select 1 from pg_database where datname = ${name}`).length > 0;

const drop = async (name: string) => {
  if (areSpread) return dropOnCluster(name);
  const admin = connect(server());
  await admin`drop database if exists ${admin(name)} with (force)`;
  await admin.end();
};

/** On a cluster the clock may not be volatile in a change. */
export const clockKind = areSpread ? 'stable' : 'volatile';

/**
 * Sets the database's clock ahead by this many seconds, for every instance on it: the one thing
 * that tests replace. Call it again to move it further. Time continues from there.
 */
export const moveClock = async (url: string, seconds: number) => {
  await setMoment(url, `clock_timestamp() + interval '${Number(seconds)} seconds'`);
};

/**
 * A stored moment, moved by an interval such as `-1 hour`, for an update. On a cluster nothing that
 * follows the session's time zone may change a column.
 */
export const movedBy = (sql: postgres.Sql, column: string, interval: string) =>
  sql`(${sql(column)} at time zone 'UTC' + ${interval}::interval) at time zone 'UTC'`;

/** Has the database take this expression for the present moment, on each of its nodes. */
export const setMoment = async (url: string, expression: string) => {
  for (const address of onEveryNode(url)) {
    const sql = connect(address);
    await sql.unsafe(`${areSpread ? 'set citus.enable_ddl_propagation = off;' : ''}
      create or replace function moment() returns timestamptz language sql ${clockKind}
      parallel restricted return ${expression}`);
    await sql.end();
  }
};
