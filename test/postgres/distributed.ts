/** A database on a cluster of Citus, spread over its nodes firm by firm. */
import { sql } from 'drizzle-orm';
import type { Session } from '../../src/postgres/session.ts';
import { type Given, statement } from '../../src/postgres/statement.ts';

/**
 * Spreads every table of an empty database in one transaction: those without a firm are copied to
 * every node, the others are cut into shards by firm. What is spread follows from the catalogue, so a
 * new table needs no line here.
 */
export const distribute = (session: Session, shards: number): Promise<void> =>
  session.transaction(async () => {
    // No volatile function may stand in a change.
    await session.command(`create or replace function moment() returns timestamptz
      language sql stable parallel restricted return statement_timestamp()`);
    // Tables that only refer to firms would otherwise be taken over before they are cut by firm.
    await session.command('set local citus.enable_local_reference_table_foreign_keys = off');
    // Their triggers only reach rows of the same firm.
    await session.command('set local citus.enable_unsafe_triggers = on');
    await session.command(`set local citus.multi_shard_modify_mode = 'sequential'`);
    // All tables are cut at the same places, so that a firm's rows are on one node.
    let like: string | undefined;
    for (const { name, hasFirm } of inOrder(await session.run(tables))) {
      const table = `public.${name}`;
      if (!hasFirm) await session.run(copy, { table });
      else if (like) await session.run(cutLike, { table, like });
      else await session.run(cut, { table, shards });
      if (hasFirm) like ??= table;
    }
  });

type Table = { name: string; hasFirm: boolean; refersTo: string[] };

/** Copied tables first; then each table after those that it refers to. */
const inOrder = (all: Table[]): Table[] => {
  const names = new Set(all.map(({ name }) => name));
  const ordered: Table[] = [];
  const isDone = new Set<string>();
  const add = (one: Table) => {
    if (isDone.has(one.name)) return;
    isDone.add(one.name);
    for (const name of one.refersTo.filter((other) => names.has(other))) {
      add(all.find((other) => other.name === name) as Table);
    }
    ordered.push(one);
  };
  for (const one of all.toSorted((a, b) => Number(a.hasFirm) - Number(b.hasFirm))) add(one);
  return ordered;
};

const tables = statement(
  () => sql<Table>`
    select relname::text as name,
      exists (select 1 from pg_attribute where attrelid = pg_class.oid and attname = 'firm_id'
        and not attisdropped) as "hasFirm",
      array_to_json(array(select other.relname::text from pg_constraint
        join pg_class other on other.oid = confrelid
        where contype = 'f' and conrelid = pg_class.oid and confrelid <> conrelid)) as "refersTo"
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and not exists (select 1 from pg_depend where classid = 'pg_class'::regclass
        and objid = pg_class.oid and deptype = 'e')
    order by relname`,
);

const copy = statement(
  ({ table }: Given<'table'>) => sql`select create_reference_table(${table}::text::regclass)`,
);

const cut = statement(
  ({ table, shards }: Given<{ table: string; shards: number }>) => sql`
    select create_distributed_table(${table}::text::regclass, 'firm_id',
      colocate_with => 'none', shard_count => ${shards}::int)`,
);

const cutLike = statement(
  ({ table, like }: Given<'table' | 'like'>) => sql`
    select create_distributed_table(${table}::text::regclass, 'firm_id', colocate_with => ${like}::text)`,
);
