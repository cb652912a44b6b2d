/**
 * What the role that serves requests may do. It owns nothing. So a statement that should never have
 * been sent can neither change a table or a trigger, nor reach files and programs of the server,
 * nor rewrite the audit log.
 */
import { sql } from 'drizzle-orm';
import type { Runs } from './pool.ts';
import type { Session } from './session.ts';
import { type Given, statement } from './statement.ts';

/**
 * Gives a role its rights on every table and sequence that this session's role owns, and takes away
 * excess ones. They follow from the catalogue: a new table needs no line here. Rights that are
 * right are left alone, so usually nothing is written. A role that owns the tables keeps its
 * rights.
 */
export const grantRights = async (session: Session, role: string): Promise<void> => {
  for (const { command } of await session.run(lackingRights, { role })) {
    await session.command(command);
  }
};

// A table with a trigger that refuses changes (drizzle/0002_storage.sql) is only added to. The
// record of the migrations is only read.
const lackingRights = statement(
  ({ role }: Given<'role'>) => sql<{ command: string }>`
    with asked as (
      select oid, rolname from pg_roles where rolname = ${role} and not rolsuper
    ), relation as (
      select pg_class.oid, relkind, nspname, format('%I.%I', nspname, relname) as name,
        nspname = 'public' as is_added_to,
        nspname = 'public' and not exists (select from pg_trigger
          join pg_proc on pg_proc.oid = tgfoid
          where tgrelid = pg_class.oid and proname = 'refuse_change') as is_changed
      from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where nspname in ('public', 'drizzle') and relkind in ('r', 'p', 'v', 'm', 'S')
        and pg_has_role(relowner, 'usage')
        and not pg_has_role((select oid from asked), relowner, 'usage')
        and not exists (select from pg_depend where classid = 'pg_class'::regclass
          and objid = pg_class.oid and deptype = 'e')
    ), wanted as (
      select relation.name, 'table' as kind, privilege, has_table_privilege(asked.oid, relation.oid, privilege) as has,
        case when privilege = 'select' then true when privilege = 'insert' then is_added_to
          when privilege in ('update', 'delete') then is_changed else false end as should
      from asked, relation,
        unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) privilege
      where relkind <> 'S'
      union all
      select relation.name, 'sequence', 'usage', has_sequence_privilege(asked.oid, relation.oid, 'usage'), is_added_to
      from asked, relation where relkind = 'S'
      union all
      select quote_ident(nspname), 'schema', 'usage', has_schema_privilege(asked.oid, pg_namespace.oid, 'usage'), true
      from asked, pg_namespace where nspname in ('public', 'drizzle')
    )
    select format(case when should then 'grant %s on %s %s to %I' else 'revoke %s on %s %s from %I' end,
      string_agg(privilege, ', '), kind, name, (select rolname from asked)) as command
    from wanted where has <> should group by kind, name, should order by kind, name`,
);

/**
 * The role of a connection, and whether it may migrate the database: it owns the tables, or may make
 * them where there are none.
 */
export const mayMigrate = async (owner: Runs): Promise<{ role: string; may: boolean }> =>
  (await owner.first(rightToMigrate)) ?? { role: '', may: false };

const rightToMigrate = statement(
  () => sql<{ role: string; may: boolean }>`
    select current_user::text as role, coalesce(
      (select pg_has_role(relowner, 'usage') from pg_class where oid = to_regclass('public.firm')),
      has_database_privilege(current_database(), 'create')
        and has_schema_privilege('public', 'create')) as may`,
);

/** What the role of a connection may do that no request needs; empty if there is nothing. */
export const excessOf = async (requests: Runs): Promise<{ role: string; excess: string[] }> => {
  const { role = '', ...found } = (await requests.first(excessiveRights)) ?? {};
  const excess = Object.entries(found).flatMap(([name, has]) => (has ? [words[name] ?? name] : []));
  return { role, excess };
};

const words: Record<string, string> = {
  isSuperuser: 'may do everything, as a superuser',
  administers: 'may make roles or databases',
  reachesServer: "may reach the server's files or programs",
  owns: 'owns the tables, and may change them and their triggers',
  rewritesLog: 'may change the audit log',
};

const excessiveRights = statement(
  () => sql<{ role: string } & Record<keyof typeof words, boolean>>`
    select rolname::text as role, rolsuper as "isSuperuser",
      not rolsuper and (rolcreaterole or rolcreatedb or rolreplication or rolbypassrls) as administers,
      not rolsuper and exists (select from pg_roles power where power.rolname in
        ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files')
        and pg_has_role(power.oid, 'member')) as "reachesServer",
      not rolsuper and exists (select from pg_class where relkind in ('r', 'p')
        and relnamespace = 'public'::regnamespace and pg_has_role(relowner, 'member')) as owns,
      not rolsuper and exists (select from pg_trigger join pg_proc on pg_proc.oid = tgfoid
        where proname = 'refuse_change'
        and has_table_privilege(tgrelid, 'update, delete, truncate')) as "rewritesLog"
    from pg_roles where rolname = current_user`,
);
