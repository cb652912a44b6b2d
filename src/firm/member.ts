import { sql } from 'drizzle-orm';
import { newId } from '../base/columns.ts';
import { invalid, Refusal } from '../base/refusal.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Actor } from '../record/actor.ts';
import { type Write, write } from '../record/write.ts';
import { listRoles, memberWithEmail } from './firm.ts';
import { member, role } from './table.ts';

/** A member as the administrator sees it. `deactivatedAt` null: active. */
export type MemberView = {
  id: string;
  email: string;
  name: string;
  role: string;
  /** Kinds of notification the member has switched off. */
  mutedKinds: string[];
  deactivatedAt: Date | null;
};

/** The role that always exists, holds every permission and cannot be changed. */
export const ownerRole = 'Owner';

/** Who is to join. Without a role: the only one besides Owner. */
export type NewMember = { email: string; name: string; role: string | undefined };

/**
 * Adds a member; whether the address and the name can be one has been looked at. Throws `Refusal`
 * for an address that is another member's, and an unknown role.
 */
export const addMember = async (actor: Actor, wish: NewMember): Promise<MemberView> => {
  const email = wish.email.trim().toLowerCase();
  const name = wish.name.trim();
  try {
    return await write(actor, async (w) => {
      const [roles, now] = await Promise.all([listRoles(w), w.now()]);
      const held = roleAmong(roles, wish.role);
      const added = {
        firmId: w.firmId,
        id: newId(),
        email,
        name,
        roleId: held.id,
        mutedKinds: [],
        deactivatedAt: null,
        createdAt: now,
        updatedAt: now,
      };
      w.create(member, added);
      return view(added, held.name);
    });
  } catch (error) {
    if ((error as Record<string, unknown>).constraint_name !== 'member_email') throw error;
    throw new Refusal(
      'conflict',
      'A member of the firm has this email address already. `matterhorn member list` shows them.',
    );
  }
};

/** An address that can be one at all: something, an @, something, without blanks; 255 characters. */
export const isEmailAddress = (text: string) =>
  text.length <= 255 && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(text.trim());

/**
 * Deactivates a member, or has them back. A deactivated one's keys are refused from the next request
 * on, and they are told of nothing. Again changes nothing. Throws `Refusal` for an unknown member,
 * and for the last active Owner.
 */
export const setActive = (actor: Actor, email: string, isActive: boolean): Promise<MemberView> =>
  write(actor, async (w) => {
    const { stored, roles, now } = await memberForChange(w, email);
    const deactivatedAt = isActive ? null : (stored.deactivatedAt ?? now);
    w.update(member, stored, { deactivatedAt, updatedAt: now });
    await mustHaveOwner(w);
    return view({ ...stored, deactivatedAt }, nameOf(roles, stored.roleId));
  });

/**
 * Gives a member another role: what their keys may do changes with the next request. Throws
 * `Refusal` for an unknown member or role, and where the last active Owner would lose that role.
 */
export const changeRole = (actor: Actor, email: string, roleName: string): Promise<MemberView> =>
  write(actor, async (w) => {
    const { stored, roles, now } = await memberForChange(w, email);
    const { id: roleId, name } = roleAmong(roles, roleName);
    w.update(member, stored, { roleId, updatedAt: now });
    await mustHaveOwner(w);
    return view(stored, name);
  });

const memberForChange = async (w: Write, email: string) => {
  const [stored, roles, now] = await Promise.all([
    memberWithEmail(w, email),
    listRoles(w),
    w.now(),
  ]);
  return { stored, roles, now };
};

type Role = typeof role.$inferSelect;

const roleAmong = (roles: Role[], name: string | undefined): Role => {
  const others = roles.filter((one) => !one.holdsAll);
  const found =
    name === undefined
      ? others.length === 1 && others[0]
      : roles.find((one) => one.name === name.trim());
  if (found) return found;
  const known = roles.map((one) => JSON.stringify(one.name)).join(', ');
  throw invalid(`The role must be one of the firm's: ${known}.`);
};

const nameOf = (roles: Role[], id: string) => roles.find((one) => one.id === id)?.name ?? '';

const view = (
  { id, email, name, mutedKinds, deactivatedAt }: Omit<MemberView, 'role'>,
  roleName: string,
): MemberView => ({ id, email, name, role: roleName, mutedKinds, deactivatedAt });

/**
 * To be asked last in every write that may take an Owner away. The role stays locked until the
 * commit, so that of two who leave at once the second is refused. Throws `Refusal` conflict.
 */
export const mustHaveOwner = async (w: Write) => {
  void w.run(ownerRoleHeld, { firmId: w.firmId });
  if (await w.first(activeOwner, { firmId: w.firmId })) return;
  throw new Refusal(
    'conflict',
    'A firm needs at least one active member whose role is Owner. Give somebody that role first.',
  );
};

// It does not hold up new members, whose rows refer to a role.
const ownerRoleHeld = statement(({ firmId }: Given<'firmId'>) =>
  query
    .select({ id: role.id })
    .from(role)
    .where(sql`${role.firmId} = ${firmId} and ${role.holdsAll}`)
    .for('no key update'),
);

const activeOwner = statement(({ firmId }: Given<'firmId'>) =>
  query
    .select({ id: member.id })
    .from(member)
    .innerJoin(role, sql`${role.firmId} = ${member.firmId} and ${role.id} = ${member.roleId}`)
    .where(
      sql`${member.firmId} = ${firmId} and ${member.deactivatedAt} is null and ${role.holdsAll}`,
    )
    .limit(1),
);
