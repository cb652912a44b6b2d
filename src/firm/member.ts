import { and, asc, eq, isNull, type Placeholder, sql } from 'drizzle-orm';
import { newId } from '../base/columns.ts';
import { invalidField, notFound, Refusal } from '../base/refusal.ts';
import { shortText } from '../base/short-text.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { refuseTaken } from '../record/taken.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { mustCover, rightsOf } from './rights.ts';
import { ownerRole, roleToGive } from './role.ts';
import { firm, member, role, usuallyMailed } from './table.ts';

/** A member as others see them. `deactivatedAt` null: active. */
export type MemberView = {
  id: string;
  email: string;
  name: string;
  role: string;
  /** Kinds of notification that the member has switched off. */
  mutedKinds: string[];
  deactivatedAt: Date | null;
};

export type NewMember = { email: string; name: string; roleId: string };

/**
 * Adds a member. Throws `Refusal`: invalid_request for a text that is no email address or no name;
 * not_found for the role; forbidden for a role that the actor cannot give; conflict for an address
 * that another member has.
 */
export const addMember = (actor: Acting, input: NewMember): Promise<MemberView> =>
  write(actor, async (w) => {
    const email = emailFrom(input.email);
    const name = shortText('name', input.name);
    const [given, own, now] = await Promise.all([
      roleToGive(w, input.roleId),
      rightsOf(w),
      w.now(),
    ]);
    mustCover(own, given);
    const added = {
      firmId: w.firmId,
      id: newId(),
      email,
      name,
      roleId: given.id,
      mutedKinds: [],
      mailedKinds: usuallyMailed,
      morningKinds: [],
      deactivatedAt: null,
      createdAt: now,
      updatedAt: now,
    };
    w.create(member, added);
    return viewMember(added, given.name);
  }).catch(addressTaken);

/** How long the email address of a member or a guest may be. */
export const longestAddress = 255;

/**
 * Whether a text can be an address at all: something, an @, something, no blanks; not too long.
 */
export const isEmailAddress = (text: string) =>
  text.length <= longestAddress && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(text.trim());

/** An address as it is stored. Throws `Refusal` for a text that is none. */
export const emailFrom = (text: string) => {
  if (isEmailAddress(text)) return asStored(text);
  throw invalidField('email', 'must be an email address, for example ada@harrow.example');
};

/** Addresses are compared without regard to case. */
const asStored = (email: string) => email.trim().toLowerCase();

/** For the `catch` of a write that adds a member or changes their address. */
export const addressTaken = refuseTaken(
  'member_email',
  'A member of the firm has this email address already.',
);

/** A stored member, with the name of their role, as others see them. */
export const viewMember = (
  { id, email, name, mutedKinds, deactivatedAt }: Omit<MemberView, 'role'>,
  roleName: string,
): MemberView => ({ id, email, name, role: roleName, mutedKinds, deactivatedAt });

/**
 * To be called last in every write that may take an owner away. The role stays locked until the
 * commit: of two owners who leave at once, the second is refused. Throws `Refusal` conflict.
 */
export const mustHaveOwner = async (w: Write) => {
  void w.run(ownerRoleHeld, { firmId: w.firmId });
  if (await w.first(activeOwner, { firmId: w.firmId })) return;
  throw new Refusal(
    'conflict',
    'A firm needs at least one active member with the role Owner. Give somebody that role first.',
  );
};

// This lock does not hold up new members, whose rows refer to a role.
const ownerRoleHeld = statement(({ firmId }: Given<'firmId'>) =>
  query
    .select({ id: role.id })
    .from(role)
    .where(and(eq(role.firmId, firmId), role.holdsAll))
    .for('no key update'),
);

const activeOwner = statement(({ firmId }: Given<'firmId'>) =>
  query
    .select({ id: member.id })
    .from(member)
    .innerJoin(role, and(eq(role.firmId, member.firmId), eq(role.id, member.roleId)))
    .where(and(eq(member.firmId, firmId), isNull(member.deactivatedAt), role.holdsAll))
    .limit(1),
);

/** The names of the firm's active owners: they can do what others may not. */
export const ownersAmong = (all: Awaited<ReturnType<typeof listMembers>>) =>
  all.filter((one) => one.role === ownerRole && !one.deactivatedAt).map(({ name }) => name);

/** The firm's members, oldest first, including deactivated ones; `awayUntil` is the last day of who is away today. */
export const listMembers = (reader: Pick<Reader, 'run' | 'firmId'>) =>
  reader.run(members, { firmId: reader.firmId });

/** The last day away, as text, of a `member` who is away today; null for the others. */
export const awayUntil = (
  firmId: Placeholder,
) => sql`case when (select (moment() at time zone time_zone)::date from ${firm}
    where ${firm.id} = ${firmId}) between ${member.awayFrom} and ${member.awayUntil}
    then ${member.awayUntil}::text end`;

const members = statement(({ firmId }: Given<'firmId'>) =>
  query
    .select({
      id: member.id,
      email: member.email,
      name: member.name,
      roleId: member.roleId,
      role: role.name,
      mutedKinds: member.mutedKinds,
      mailRefusedAt: member.mailRefusedAt,
      deactivatedAt: member.deactivatedAt,
      awayUntil: sql<string | null>`${awayUntil(firmId)}`,
    })
    .from(member)
    .innerJoin(role, and(eq(role.firmId, member.firmId), eq(role.id, member.roleId)))
    .where(eq(member.firmId, firmId))
    .orderBy(asc(member.createdAt), asc(member.id)),
);

/** The member with this email address, in any case; undefined if there is none. */
export const memberWithEmail = (reader: Reader, email: string) =>
  reader.first(memberByEmail, { firmId: reader.firmId, email: asStored(email) });

const memberByEmail = statement(({ firmId, email }: Given<'firmId' | 'email'>) =>
  query
    .select()
    .from(member)
    .where(and(eq(member.firmId, firmId), eq(member.email, email))),
);

/** The member with this id, locked against changes until the commit. Throws `Refusal` not_found. */
export const memberWithId = async (reader: Reader, id: string) => {
  const found = await reader.first(memberById, { firmId: reader.firmId, id });
  if (!found) throw notFound('No member of the firm has this id.');
  return found;
};

const memberById = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .select()
    .from(member)
    .where(and(eq(member.firmId, firmId), eq(member.id, id)))
    .for('no key update'),
);
