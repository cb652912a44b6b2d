/**
 * The schema may be spread over several databases by firm (docs/scaling.md): every table is either
 * small reference data, or belongs to a firm, and then so do all of its keys and what it refers to.
 */
import { afterAll, expect, test } from 'bun:test';
import { connect, sharedDatabase } from '../support/database.ts';

const sql = connect(await sharedDatabase());
afterAll(() => sql.end());

/** Copied whole to every database: few rows, seldom changed. */
const referenceTables = [
  'certificate',
  'certificate_account',
  'certificate_challenge',
  'firm',
  'setup_link',
];

const tables = await sql<{ name: string; hasFirm: boolean }[]>`
  select relname as name, exists (select from pg_attribute where attrelid = pg_class.oid
    and attname = 'firm_id' and attnotnull and not attisdropped) as "hasFirm"
  from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace order by 1`;

test('every table belongs to a firm, or is small reference data', () => {
  expect(tables.length).toBeGreaterThan(20);
  const others = tables.filter(({ hasFirm }) => !hasFirm).map(({ name }) => name);
  expect(others).toEqual(referenceTables);
});

test('every key of a table that belongs to a firm contains the firm', async () => {
  const keys = await sql<{ name: string; of: string; columns: string[] }[]>`
    select index_class.relname as name, table_class.relname as of, array(
      select attname::text from pg_attribute
      where attrelid = indrelid and attnum = any(indkey::int2[])) as columns
    from pg_index
    join pg_class index_class on index_class.oid = indexrelid
    join pg_class table_class on table_class.oid = indrelid
    where indisunique and table_class.relnamespace = 'public'::regnamespace
      and not table_class.relname = any(${referenceTables})`;
  expect(keys.length).toBeGreaterThanOrEqual(tables.length - referenceTables.length);
  expect(keys.filter(({ columns }) => !columns.includes('firm_id'))).toEqual([]);
});

test('every table that belongs to a firm has a primary key', async () => {
  const without = await sql`
    select relname from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
      and not exists (select from pg_index where indrelid = pg_class.oid and indisprimary)`;
  expect([...without]).toEqual([]);
});

test('what a table refers to belongs to the same firm, or is reference data', async () => {
  const references = await sql<{ name: string; from: string; to: string; pairs: string[] }[]>`
    select conname as name, from_class.relname as from, to_class.relname as to, array(
      select from_column.attname || ' to ' || to_column.attname
      from unnest(conkey, confkey) as pair (from_number, to_number)
      join pg_attribute from_column on from_column.attrelid = conrelid and from_column.attnum = from_number
      join pg_attribute to_column on to_column.attrelid = confrelid and to_column.attnum = to_number) as pairs
    from pg_constraint
    join pg_class from_class on from_class.oid = conrelid
    join pg_class to_class on to_class.oid = confrelid
    where contype = 'f' and from_class.relnamespace = 'public'::regnamespace`;
  expect(references.length).toBeGreaterThan(20);
  const astray = references.filter(
    ({ from, to, pairs }) =>
      referenceTables.includes(from) ||
      (!referenceTables.includes(to) && !pairs.includes('firm_id to firm_id')),
  );
  expect(astray).toEqual([]);
});
