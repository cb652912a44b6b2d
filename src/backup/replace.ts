/**
 * What is Matterhorn's in a database, and what is its owner's: going back to a backup replaces the first, and leaves
 * the second alone.
 */
import { sql } from 'drizzle-orm';
import { Refusal } from '../base/refusal.ts';
import { migrationsOfProgram } from '../postgres/migrate.ts';
import type { Runs } from '../postgres/pool.ts';
import type { Session } from '../postgres/session.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { tablesOf } from './catalogue.ts';

/** A table, function or the like by its catalogue and its number there; `name` is for people. */
type Thing = { key: string; name: string; isOwn: boolean };

/** A right of a role on a table, as the command that gives it. */
export type Grant = { table: string; command: string };

/** The names of the tables and functions that this program's migrations make. */
export const ownNames = (): Set<string> => {
  const text = migrationsOfProgram()
    .flatMap((migration) => migration.sql)
    .join('\n');
  return new Set([...text.matchAll(making)].map(([, name = '']) => name));
};

const making =
  /\bcreate\s+(?:or\s+replace\s+)?(?:unlogged\s+)?(?:table|function|view|type|sequence)\s+(?:if\s+not\s+exists\s+)?"?(\w+)(?![\w.])/gi;

/**
 * Everything in the database that is not Matterhorn's, each by its key. Throws `Refusal` if some of it would be lost
 * with Matterhorn's tables, or if this role may not remove them. Changes nothing; others wait for the tables meanwhile.
 */
export const thingsOfOthers = async (session: Session): Promise<string[]> => {
  const others = (await thingsIn(session)).filter(({ isOwn }) => !isOwn).map(({ key }) => key);
  await session.command('begin');
  try {
    await removeOwn(session, others);
  } finally {
    await session.command('rollback');
  }
  return others;
};

/**
 * Removes Matterhorn's tables and functions, inside a transaction: everything in the schema that `others` does not
 * name, also what a newer version has made. Returns the rights of other roles on the tables, as commands.
 */
export const removeOwn = async (session: Session, others: string[]): Promise<Grant[]> => {
  const kept = new Set(others);
  const before = (await thingsIn(session)).filter(({ key }) => kept.has(key));
  const grants = await session.run(grantsOfOthers);
  await session.command(`set local lock_timeout = '${lockPatience}'`);
  try {
    for (const { key, command } of await session.run(removable)) {
      if (!kept.has(key)) await session.command(command);
    }
  } catch (error) {
    throw inWords(error);
  }
  await session.command('delete from drizzle.__drizzle_migrations; set local lock_timeout = 0');
  const left = new Set((await thingsIn(session)).map(({ key }) => key));
  const lost = before.find(({ key }) => !left.has(key));
  if (lost) throw depends(lost.name);
  return grants;
};

/** Gives rights again, on the tables that are there. */
export const grantAgain = async (session: Session, grants: Grant[]) => {
  const there = new Set(await tablesOf(session));
  for (const { table, command } of grants) if (there.has(table)) await session.command(command);
};

const lockPatience = '60s';

const inWords = (error: unknown) => {
  const { code } = error as { code?: unknown };
  if (code === '55P03') {
    return new Refusal(
      'conflict',
      'Another program uses Matterhorn’s tables in this database. End it, and try again.',
    );
  }
  if (code === '42501') {
    return new Refusal(
      'forbidden',
      'Not all of Matterhorn’s tables and functions belong to the user of DATABASE_OWNER_URL. Name the user that owns them (docs/scaling.md, Two roles).',
    );
  }
  return error;
};

const depends = (name: string) =>
  new Refusal(
    'conflict',
    `In this database there is something of your own that uses Matterhorn’s tables, and going back would lose it: ${name}. Remove it before the upgrade, and make it again after it.`,
  );

const thingsIn = async (database: Runs): Promise<Thing[]> => {
  const names = JSON.stringify([...ownNames()]);
  return database.run(things, { names });
};

// Of Postgres itself there is nothing among them. The record of migrations is kept, and emptied.
const things = statement(
  ({ names }: Given<'names'>) => sql<Thing>`
    with space as (
      select oid, nspname from pg_namespace
      where nspname not in ('information_schema', 'drizzle') and nspname !~ '^pg_'
    ), own_name as (select json_array_elements_text(${names}::text::json) as name
    ), relation as (
      select pg_class.oid, nspname = 'public' and (relname in (select name from own_name)
        or exists (select from pg_depend join pg_class owner on owner.oid = refobjid
          where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype in ('a', 'i')
            and refclassid = 'pg_class'::regclass and owner.relnamespace = pg_class.relnamespace
            and owner.relname in (select name from own_name))) as is_own
      from pg_class join space on space.oid = relnamespace
      where relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    ), thing as (
      select 'pg_class'::regclass as of, oid, is_own from relation
      union all
      select 'pg_proc'::regclass, pg_proc.oid,
        nspname = 'public' and proname in (select name from own_name)
      from pg_proc join space on space.oid = pronamespace
      union all
      select 'pg_type'::regclass, pg_type.oid,
        nspname = 'public' and typname in (select name from own_name)
      from pg_type join space on space.oid = typnamespace where typtype in ('e', 'd', 'r')
      union all
      select 'pg_constraint'::regclass, pg_constraint.oid, is_own
      from pg_constraint join relation on relation.oid = conrelid where contype = 'f'
      union all
      select 'pg_trigger'::regclass, pg_trigger.oid, is_own
      from pg_trigger join relation on relation.oid = tgrelid where not tgisinternal
    )
    select of::oid || ':' || oid as key, pg_describe_object(of, oid, 0) as name, is_own as "isOwn"
    from thing order by of, oid`,
);

// Views go before tables, and functions after them: columns use them.
const removable = statement(
  () => sql<{ key: string; command: string }>`
    select key, format('drop %s if exists %s cascade', kind, name) as command
    from (
      select 'pg_class'::regclass::oid || ':' || oid as key, oid::regclass::text as name,
        case relkind when 'v' then 'view' when 'm' then 'materialized view'
          when 'f' then 'foreign table' when 'S' then 'sequence' else 'table' end as kind,
        case when relkind in ('v', 'm') then 1 when relkind = 'S' then 3 else 2 end as place,
        'pg_class'::regclass as of, oid
      from pg_class where relnamespace = 'public'::regnamespace
        and relkind in ('r', 'p', 'v', 'm', 'f', 'S') and not relispartition
        and not exists (select from pg_depend where classid = 'pg_class'::regclass
          and objid = pg_class.oid and deptype in ('a', 'i'))
      union all
      select 'pg_proc'::regclass::oid || ':' || oid, oid::regprocedure::text,
        case prokind when 'a' then 'aggregate' when 'p' then 'procedure' else 'function' end,
        4, 'pg_proc'::regclass, oid
      from pg_proc where pronamespace = 'public'::regnamespace
      union all
      select 'pg_type'::regclass::oid || ':' || oid, oid::regtype::text,
        case typtype when 'd' then 'domain' else 'type' end, 5, 'pg_type'::regclass, oid
      from pg_type where typnamespace = 'public'::regnamespace and typtype in ('e', 'd', 'r')
    ) found
    where not exists (select from pg_depend
      where classid = found.of and objid = found.oid and deptype = 'e')
    order by place, found.oid`,
);

const grantsOfOthers = statement(
  () => sql<Grant>`
    select relname::text as "table", format('grant %s on public.%I to %s', privilege_type, relname,
      case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end) as command
    from pg_class, aclexplode(relacl)
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and grantee <> relowner
    order by relname, grantee, privilege_type`,
);
