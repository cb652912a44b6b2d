import { sql } from 'drizzle-orm';
import { Refusal } from '../../base/refusal.ts';
import type { Session } from '../session.ts';
import { type Given, statement } from '../statement.ts';
import { numberEntries, spreadFunctions, whetherSpread } from './functions.ts';

/**
 * Spreads the database over the nodes of its cluster: tables without a firm are copied to every node, the
 * others are cut into shards by firm, with their rows. What is spread follows from the catalogue, so a new
 * table needs no line here. In a database that is spread already, it spreads the tables that a migration
 * has added, and gives the functions their form again.
 */
export const spread = async (session: Session, shards: number): Promise<Spread> => {
  const all = await session.run(tables);
  const isNew = !all.some(({ isSpread }) => isSpread);
  const added = inOrder(all).filter(({ isSpread }) => !isSpread);
  // Tables that only refer to firms would otherwise be taken over before they are cut by firm.
  await session.command('set local citus.enable_local_reference_table_foreign_keys = off');
  // Their triggers only reach rows of the same firm.
  await session.command('set local citus.enable_unsafe_triggers = on');
  await session.command(`set local citus.multi_shard_modify_mode = 'sequential'`);
  for (const command of spreadFunctions) await session.command(command);
  // All tables are cut at the same places, so that a firm's rows are on one node.
  let like = all.find(({ isSpread, hasFirm }) => isSpread && hasFirm)?.name;
  for (const { name, hasFirm } of added) {
    const table = `public.${name}`;
    if (!hasFirm) await session.run(copy, { table });
    else if (like) await session.run(cutLike, { table, like: `public.${like}` });
    else await session.run(cut, { table, shards });
    if (hasFirm) like ??= name;
  }
  if (isNew) for (const command of numberEntries) await session.command(command);
  const { count: nodes = 0 } = (await session.first(workers)) ?? {};
  return { tables: added.length, nodes };
};

/** How many tables were spread, and over how many nodes. */
export type Spread = { tables: number; nodes: number };

/** Whether the session's database is spread over the nodes of a cluster. */
export const isSpread = async (session: Session): Promise<boolean> =>
  (await session.first(whetherSpread))?.isSpread ?? false;

/** Throws `Refusal` conflict, with what to do, if the database cannot be spread now. */
export const refuseUnspreadable = async (session: Session): Promise<void> => {
  if (!(await session.first(extension))?.isThere) {
    throw new Refusal(
      'conflict',
      'This database is not on a cluster of Citus. Run `create extension citus` in it on every node first.',
    );
  }
  if (((await session.first(workers))?.count ?? 0) === 0) {
    throw new Refusal(
      'conflict',
      'The coordinator knows no other node. Name them with `select citus_add_node(…)` first.',
    );
  }
  if (await isSpread(session)) throw new Refusal('conflict', 'This database is spread already.');
  const { count } = (await session.first(others)) ?? { count: 0 };
  if (count > 0) {
    throw new Refusal('conflict', 'Servers or commands use this database. Stop them first.');
  }
};

/** Removes the rows that stay hidden on the coordinator when tables with rows are spread. */
export const removeLocalCopies = async (session: Session): Promise<void> => {
  await session.command('set local citus.enable_unsafe_triggers = on');
  const guarded = await session.run(truncateGuards);
  for (const { table, name } of guarded) {
    await session.command(`alter table ${table} disable trigger ${name}`);
    // Not even the owner of the audit log may empty it (drizzle/0002_storage.sql).
    await session.command(`grant truncate on ${table} to current_user`);
  }
  await session.run(truncateLocal);
  for (const { table, name } of guarded) {
    await session.command(`revoke truncate on ${table} from current_user`);
    await session.command(`alter table ${table} enable trigger ${name}`);
  }
};

const truncateGuards = statement(
  () => sql<{ table: string; name: string }>`
    select tgrelid::regclass::text as table, quote_ident(tgname) as name from pg_trigger
    join pg_proc on pg_proc.oid = tgfoid
    where proname = 'refuse_change' and tgtype & 32 <> 0 and not tgisinternal`,
);

const truncateLocal = statement(
  () => sql`select truncate_local_data_after_distributing_table(logicalrelid)
    from pg_dist_partition where partmethod = 'h'`,
);

type Table = { name: string; hasFirm: boolean; isSpread: boolean; refersTo: string[] };

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
      exists (select 1 from pg_dist_partition where logicalrelid = pg_class.oid) as "isSpread",
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

const extension = statement(
  () => sql<{ isThere: boolean }>`
    select exists (select from pg_extension where extname = 'citus') as "isThere"`,
);

const workers = statement(
  () => sql<{ count: number }>`
    select count(*)::int as count from pg_dist_node where isactive and shouldhaveshards`,
);

const others = statement(
  () => sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name = 'matterhorn' and pid <> pg_backend_pid()`,
);
