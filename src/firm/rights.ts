import { and, eq, isNull } from 'drizzle-orm';
import { Refusal } from '../base/refusal.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Permission } from './permissions.ts';
import { member, role } from './table.ts';

/** What somebody may do: everything, or what is listed. */
type Rights = { holdsAll: boolean; permissions: readonly string[] };

/** What the actor may do: the administrator everything, a member what their role holds. */
export const rightsOf = async ({ firmId, memberId, first }: Reader): Promise<Rights> => {
  if (memberId === null) return { holdsAll: true, permissions: [] };
  return (await first(rights, { firmId, memberId })) ?? { holdsAll: false, permissions: [] };
};

const rights = statement(({ firmId, memberId }: Given<'firmId' | 'memberId'>) =>
  query
    .select({ holdsAll: role.holdsAll, permissions: role.permissions })
    .from(member)
    .innerJoin(role, and(eq(role.firmId, member.firmId), eq(role.id, member.roleId)))
    .where(and(eq(member.firmId, firmId), eq(member.id, memberId), isNull(member.deactivatedAt))),
);

/**
 * Nobody gives, takes or changes rights that they do not hold, and only an owner the role Owner.
 * Throws `Refusal` forbidden unless `own` covers `others`.
 */
export const mustCover = (own: Rights, others: Rights) => {
  if (own.holdsAll) return;
  if (others.holdsAll) {
    throw new Refusal(
      'forbidden',
      'Only an owner can give or take the role Owner, or change an owner.',
    );
  }
  const beyond = others.permissions.filter((one) => !own.permissions.includes(one));
  if (beyond.length === 0) return;
  throw new Refusal(
    'forbidden',
    `This change needs more than your own role allows: ${beyond.join(', ')}. An owner can do it.`,
  );
};

/** Throws `Refusal` forbidden, in the API's words, unless the actor's role holds the permission. */
export const mustHold = async (reader: Reader, permission: Permission) => {
  const own = await rightsOf(reader);
  if (own.holdsAll || own.permissions.includes(permission)) return;
  throw new Refusal(
    'forbidden',
    `The member who made this key lacks the permission ${permission}. An owner can give it to their role.`,
  );
};
