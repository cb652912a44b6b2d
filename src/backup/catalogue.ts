/** What Postgres itself knows of our tables. A new table needs no line for the backup. */
import { type SQL, sql } from 'drizzle-orm';
import type { Runs } from '../postgres/pool.ts';
import type { Session } from '../postgres/session.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Sequence, TableSum } from './manifest.ts';

/** Runs a statement made for the moment, which names tables as they are found. */
const ask = <Row>(database: Runs, text: SQL) => database.run(statement(() => text as SQL<Row>));

/** A name in a statement, whatever characters it has. */
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** A table in a statement. */
export const named = (table: string) => `public.${quoted(table)}`;

/** Whatever settings the database has, the same row must give the same text. */
export const settle = (session: Session) =>
  session.command(`set search_path = public; set timezone = 'UTC'; set datestyle = 'ISO, MDY';
    set intervalstyle = 'postgres'; set extra_float_digits = 1; set bytea_output = 'hex'`);

/**
 * The tables that are backed up: all except unlogged ones, which a crash may empty, and those of
 * extensions. Drizzle's record of migrations is in a schema of its own.
 */
export const tablesOf = async (database: Runs): Promise<string[]> =>
  (await database.run(tables)).map(({ name }) => name);

const tables = statement(
  () => sql<{ name: string }>`
    select relname::text as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relpersistence = 'p'
      and not exists (select from pg_depend where classid = 'pg_class'::regclass
        and objid = pg_class.oid and deptype = 'e')
    order by relname`,
);

/**
 * A statement for each table whose records a register counts, known by its column `ordinal`. It
 * gives each record's firm, kind and ordinal, whether it is live, and whether it is live and
 * private.
 */
export const countedRecords = async (database: Runs): Promise<SQL[]> => {
  const found = await database.run(countedTables);
  return found.map(({ name, hasPrivate }) =>
    sql.raw(`select firm_id, '${name}' as kind, ordinal, deleted_at is null as is_live,
      deleted_at is null and ${hasPrivate ? 'is_private' : 'false'} as is_private from ${named(name)}`),
  );
};

const countedTables = statement(
  () => sql<{ name: string; hasPrivate: boolean }>`
    select relname::text as name, bool_or(attname = 'is_private') as "hasPrivate"
    from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    where relnamespace = 'public'::regnamespace and relkind = 'r'
    group by relname having bool_or(attname = 'ordinal') order by relname`,
);

/** How many rows a table has, their checksum, and how long the longest is, as bytes of text. */
export const sumOf = async (
  database: Runs,
  table: string,
): Promise<TableSum & { longest: number; mostBytes: number }> => {
  type Row = { rows: number; checksum: string; longest: number; mostBytes: number };
  const [sum] = await ask<Row>(
    database,
    sql`select count(*)::float8 as rows,
        coalesce(sum(hashtextextended(line, 0)), 0)::text as checksum,
        coalesce(max(octet_length(line)), 0) as longest,
        ${maxBytesOf(table)} as "mostBytes"
      from (select "the row"::text as line from ${sql.raw(named(table))} as "the row" offset 0) lines`,
  );
  return { name: table, ...(sum as Row) };
};

/**
 * A row as JSON is never longer: a character of its text takes at most six bytes, and each column
 * its name, quotes, a colon, a comma, and four bytes for `null` or `true` if the text has none.
 */
const maxBytesOf = (table: string) => sql`
  (6 * coalesce(sum(octet_length(line)), 0) + count(*) * (3 + (
    select coalesce(sum(6 * octet_length(attname::text) + 10), 0) from pg_attribute
    where attrelid = ${sql.raw(`'${named(table).replaceAll("'", "''")}'`)}::regclass
      and attnum > 0 and not attisdropped)))::float8`;

export const hasRows = async (database: Runs, table: string) =>
  (await ask(database, sql`select from ${sql.raw(named(table))} limit 1`)).length > 0;

/** The names of a table's columns that are stored as given, as a list for a statement. */
export const columnsOf = async (database: Runs, table: string): Promise<string> => {
  const columns = await database.run(storedColumns, { table: named(table) });
  return columns.map(({ name }) => quoted(name)).join(', ');
};

const storedColumns = statement(
  ({ table }: Given<'table'>) => sql<{ name: string }>`
    select attname::text as name from pg_attribute
    where attrelid = ${table}::text::regclass and attnum > 0
      and not attisdropped and attgenerated = ''
    order by attnum`,
);

/** The state of each sequence. Uncommitted numbers count too: a number is never given twice. */
export const sequencesOf = async (database: Runs): Promise<Sequence[]> => {
  const found: Sequence[] = [];
  for (const { name } of await database.run(sequenceNames)) {
    const [place] = await ask<Omit<Sequence, 'name'>>(
      database,
      sql`select last_value::text as "lastValue", is_called as "isCalled" from ${sql.raw(named(name))}`,
    );
    if (place) found.push({ name, ...place });
  }
  return found;
};

const sequenceNames = statement(
  () => sql<{ name: string }>`
    select relname::text as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'S' and relpersistence = 'p'
    order by relname`,
);

/** Sets a sequence to its stored state; false if there is none of that name. */
export const setSequence = async (database: Runs, { name, lastValue, isCalled }: Sequence) =>
  (await database.run(set, { name: named(name), lastValue, isCalled: String(isCalled) })).length >
  0;

const set = statement(
  ({ lastValue, isCalled, name }: Given<'lastValue' | 'isCalled' | 'name'>) => sql`
    select setval(found, ${lastValue}::bigint, ${isCalled}::text::boolean)
    from to_regclass(${name}) as found where found is not null`,
);

/** Sequences that would give a number that their column already has. */
export const sequencesBehind = async (database: Runs): Promise<string[]> => {
  const behind: string[] = [];
  for (const { sequence, table, column } of await database.run(ownedSequences)) {
    const from = sql.raw(`${named(table)}, ${named(sequence)} as "the sequence"`);
    const rows = await ask(
      database,
      sql`select from ${from} group by last_value, is_called
        having max(${sql.raw(quoted(column))}) >= last_value + is_called::int`,
    );
    if (rows.length > 0) behind.push(sequence);
  }
  return behind;
};

const ownedSequences = statement(
  () => sql<{ sequence: string; table: string; column: string }>`
    select sequence.relname::text as sequence, owner.relname::text as "table", attname::text as column
    from pg_depend
    join pg_class sequence on sequence.oid = objid and sequence.relkind = 'S'
    join pg_class owner on owner.oid = refobjid
    join pg_attribute on attrelid = refobjid and attnum = refobjsubid
    where classid = 'pg_class'::regclass and refclassid = 'pg_class'::regclass
      and deptype in ('a', 'i') and owner.relnamespace = 'public'::regnamespace`,
);

/** What can be removed from a table and added again, each by a command. */
export type Detachable = { table: string; off: string; on: string };

export const foreignKeysOf = (database: Runs): Promise<Detachable[]> => database.run(foreignKeys);

const foreignKeys = statement(
  () => sql<Detachable>`
    select conrelid::regclass::text as "table",
      format('alter table %s drop constraint %I', conrelid::regclass, conname) as off,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname,
        pg_get_constraintdef(oid)) as on
    from pg_constraint
    where contype = 'f' and conparentid = 0 and connamespace = 'public'::regnamespace
    order by conrelid::regclass::text, conname`,
);

/** The triggers of all tables. A backup's rows contain what triggers have kept. */
export const triggersOf = (database: Runs): Promise<Detachable[]> => database.run(triggers);

const triggers = statement(
  () => sql<Detachable>`
    select tgrelid::regclass::text as "table",
      format('alter table %s disable trigger %I', tgrelid::regclass, tgname) as off,
      format('alter table %s enable trigger %I', tgrelid::regclass, tgname) as on
    from pg_trigger join pg_class on pg_class.oid = tgrelid
    where relnamespace = 'public'::regnamespace and not tgisinternal and tgenabled = 'O'
    order by tgrelid::regclass::text, tgname`,
);

/** The indexes of all tables, except those that a constraint needs. */
export const indexesOf = (database: Runs): Promise<Detachable[]> => database.run(indexes);

const indexes = statement(
  () => sql<Detachable>`
    select indrelid::regclass::text as "table", format('drop index %s', indexrelid::regclass) as off,
      pg_get_indexdef(indexrelid) as on
    from pg_index join pg_class on pg_class.oid = indexrelid
    where relnamespace = 'public'::regnamespace and not relispartition
      and not exists (select from pg_constraint
        where conindid = indexrelid and contype in ('p', 'u', 'x'))
    order by indexrelid::regclass::text`,
);
