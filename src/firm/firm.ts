import { and, asc, eq } from 'drizzle-orm';
import { invalid, Refusal } from '../base/refusal.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { firm, member, role } from './table.ts';

const firms = statement(() => query.select().from(firm).orderBy(asc(firm.createdAt), asc(firm.id)));

/** All firms of this database, oldest first. */
export const listFirms = (database: Runs) => database.run(firms);

/**
 * The firm with this id, or the only one where no id is given. Throws `Refusal` not_found for an
 * unknown id, invalid_request where there is none or a choice must be made.
 */
export const findFirm = async (database: Runs, id: string | undefined) => {
  const all = await listFirms(database);
  if (id !== undefined) {
    const found = all.find((one) => one.id === id);
    if (!found)
      throw new Refusal('not_found', 'No firm has this id. `matterhorn firm list` shows them.');
    return found;
  }
  const [only, another] = all;
  if (!only) throw invalid('There is no firm yet. Make one with `matterhorn firm apply FILE`.');
  if (another)
    throw invalid(
      'There are several firms: say which with --firm ID. `matterhorn firm list` shows them.',
    );
  return only;
};

const members = statement(({ firmId }: Given<'firmId'>) =>
  query
    .select({
      id: member.id,
      email: member.email,
      name: member.name,
      roleId: member.roleId,
      role: role.name,
      mutedKinds: member.mutedKinds,
      deactivatedAt: member.deactivatedAt,
    })
    .from(member)
    .innerJoin(role, and(eq(role.firmId, member.firmId), eq(role.id, member.roleId)))
    .where(eq(member.firmId, firmId))
    .orderBy(asc(member.createdAt), asc(member.id)),
);

/** The firm's members, oldest first, deactivated ones included. */
export const listMembers = (reader: Pick<Reader, 'run' | 'firmId'>) =>
  reader.run(members, { firmId: reader.firmId });

const memberByEmail = statement(({ firmId, email }: Given<'firmId' | 'email'>) =>
  query
    .select()
    .from(member)
    .where(and(eq(member.firmId, firmId), eq(member.email, email)))
    .for('no key update'),
);

/** The member with this email address, held against changes until the commit. Throws `Refusal` not_found. */
export const memberWithEmail = async (reader: Reader, email: string) => {
  const found = await reader.first(memberByEmail, {
    firmId: reader.firmId,
    email: email.trim().toLowerCase(),
  });
  if (!found) {
    throw new Refusal(
      'not_found',
      'No member of the firm has this email address. `matterhorn member list` shows them.',
    );
  }
  return found;
};

const memberById = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .select()
    .from(member)
    .where(and(eq(member.firmId, firmId), eq(member.id, id)))
    .for('no key update'),
);

/** The member with this id, held against changes until the commit. Throws `Refusal` not_found. */
export const memberWithId = async (reader: Reader, id: string) => {
  const found = await reader.first(memberById, { firmId: reader.firmId, id });
  if (!found) throw new Refusal('not_found', 'No member of the firm has this id.');
  return found;
};

const roles = statement(({ firmId }: Given<'firmId'>) =>
  query.select().from(role).where(eq(role.firmId, firmId)).orderBy(asc(role.name)),
);

/** The firm's roles by name. */
export const listRoles = (reader: Pick<Reader, 'run' | 'firmId'>) =>
  reader.run(roles, { firmId: reader.firmId });
