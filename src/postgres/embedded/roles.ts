import { sql } from 'drizzle-orm';
import { openSession, type Session } from '../session.ts';
import { type Given, statement } from '../statement.ts';
import { type Layout, socketOf } from './layout.ts';
import { freshPassword, keepPasswords, type Passwords, readPasswords, roles } from './passwords.ts';

/** The database that initdb makes. */
const database = 'postgres';

/** How to reach the database of a data directory as one of its roles. */
export type RoleAddress = { path: string; username: string; password: string; database: string };

/** The address of each role. Throws `Refusal` if the passwords are missing. */
export const addressesIn = (layout: Layout) => {
  const passwords = readPasswords(layout);
  const as = (role: keyof typeof roles): RoleAddress => ({
    path: socketOf(layout),
    username: roles[role],
    password: passwords[role] ?? '',
    database,
  });
  return { requests: as('requests'), owner: as('owner'), superuser: as('superuser') };
};

/**
 * Gives a running cluster its three roles: makes missing ones, and gives the owner what the
 * superuser owns in clusters of releases up to 0.2.0. Several processes may do so at once. Where the
 * passwords of all three are kept, this was done.
 */
export const ensureRoles = async (layout: Layout) => {
  const { owner, requests } = readPasswords(layout);
  if (owner !== undefined && requests !== undefined) return;
  const session = await openSession(addressesIn(layout).superuser);
  try {
    await session.run(waitForTurn);
    // The process that had the lock before may have made them.
    const passwords = readPasswords(layout);
    await session.transaction(async () => {
      await ensureRole(session, 'owner', passwords);
      await ensureRole(session, 'requests', passwords);
      const [handedOver, closed] = await Promise.all([
        session.run(handOver, { owner: roles.owner }),
        session.run(closeDatabase, { requests: roles.requests }),
      ]);
      for (const { command } of [...handedOver, ...closed]) await session.command(command);
    });
    const known = readPasswords(layout);
    if (known.owner !== passwords.owner || known.requests !== passwords.requests) {
      keepPasswords(layout, passwords);
    }
  } finally {
    await session.close();
  }
};

const ensureRole = async (session: Session, role: 'owner' | 'requests', passwords: Passwords) => {
  const name = roles[role];
  const exists = (await session.first(findRole, { name })) !== undefined;
  if (exists && passwords[role] !== undefined) return;
  passwords[role] ??= freshPassword();
  if (!exists) await session.command(`create role ${name} login`);
  await session.command(`alter role ${name} password '${passwords[role]}'`);
};

const waitForTurn = statement(() => sql`select pg_advisory_lock(hashtext('matterhorn roles'))`);

const findRole = statement(
  ({ name }: Given<'name'>) => sql`select from pg_roles where rolname = ${name}`,
);

// Members of an extension stay with its owner. A column's sequence goes with its table.
const handOver = statement(
  ({ owner }: Given<'owner'>) => sql<{ command: string }>`
    with mine as (select oid, nspname from pg_namespace
      where nspname in ('public', 'drizzle'))
    select format('alter database %I owner to %I', datname, ${owner}::text) as command
    from pg_database where datname = current_database() and datdba = 10
    union all
    select format('alter schema %I owner to %I', nspname, ${owner}::text)
    from mine join pg_namespace using (oid, nspname) where nspowner = 10
    union all
    select format('alter table %I.%I owner to %I', nspname, relname, ${owner}::text)
    from pg_class join mine on mine.oid = relnamespace
    where relowner = 10 and relkind in ('r', 'p', 'v', 'm', 'S')
      and not exists (select from pg_depend where classid = 'pg_class'::regclass
        and objid = pg_class.oid and deptype in ('e', 'a', 'i'))
    union all
    select format('alter routine %s owner to %I', pg_proc.oid::regprocedure, ${owner}::text)
    from pg_proc join mine on mine.oid = pronamespace
    where proowner = 10 and not exists (select from pg_depend
      where classid = 'pg_proc'::regclass and objid = pg_proc.oid and deptype = 'e')
    union all
    select format('alter type %I.%I owner to %I', nspname, typname, ${owner}::text)
    from pg_type join mine on mine.oid = typnamespace
    where typowner = 10 and typtype in ('e', 'd') and not exists (select from pg_depend
      where classid = 'pg_type'::regclass and objid = pg_type.oid and deptype = 'e')`,
);

// No other role may connect. Requests make no tables, not even temporary ones.
const closeDatabase = statement(
  ({ requests }: Given<'requests'>) => sql<{ command: string }>`
    select format('revoke all on database %I from public', datname) as command from pg_database
    where datname = current_database()
      and (datacl is null or exists (select from aclexplode(datacl) where grantee = 0))
    union all
    select format('grant connect on database %I to %I', datname, ${requests}::text) from pg_database
    where datname = current_database() and not exists (select from aclexplode(datacl)
      join pg_roles on pg_roles.oid = grantee and rolname = ${requests}::text)`,
);
