import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import { isId, newId } from '../base/columns.ts';
import { notFound, Refusal } from '../base/refusal.ts';
import { shortText } from '../base/short-text.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { nameInTurn, refuseLike, refuseTakenName } from '../record/taken.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import type { Permission } from './permissions.ts';
import { mustCover, rightsOf } from './rights.ts';
import { member, role } from './table.ts';

/** The role that always exists, holds every permission and cannot be changed. */
export const ownerRole = 'Owner';

/** A role to be made. The caller has checked that its permissions are ones of `contents.ts`. */
type NewRole = { name: string; permissions: Permission[] };

/** The firm's roles by name. */
export const listRoles = (reader: Pick<Reader, 'run' | 'firmId'>) =>
  reader.run(roles, { firmId: reader.firmId });

const roles = statement(({ firmId }: Given<'firmId'>) =>
  query
    .select()
    .from(role)
    .where(and(eq(role.firmId, firmId), isNull(role.deletedAt)))
    .orderBy(asc(role.name)),
);

/**
 * Makes a role. Throws `Refusal` forbidden for a permission that the actor does not hold, and
 * conflict for a name that another role has.
 */
export const createRole = (actor: Acting, input: NewRole) =>
  write(actor, async (w) => {
    await nameInTurn(w, list);
    refuseLike(w, ofFirm, await listRoles(w), input.name);
    const made = {
      firmId: w.firmId,
      id: newId(),
      name: shortText('name', input.name),
      permissions: inOrder(input.permissions),
      holdsAll: false,
    };
    mustCover(await rightsOf(w), made);
    w.create(role, made);
    return viewRole(made);
  }).catch(nameTaken);

/**
 * Changes a role's name or permissions; they count from the next request of its members' keys on.
 * Throws `Refusal` not_found; forbidden for a permission, given or taken, that the actor does not
 * hold; conflict for the role Owner and for a name that another role has.
 */
export const updateRole = (actor: Acting, id: string, change: Partial<NewRole>) =>
  write(actor, async (w) => {
    if (change.name !== undefined) await nameInTurn(w, list);
    const [stored, own] = await Promise.all([roleForChange(w, id), rightsOf(w)]);
    if (change.name !== undefined) {
      refuseLike(w, ofFirm, await listRoles(w), change.name, stored);
    }
    const fields = {
      name: change.name === undefined ? stored.name : shortText('name', change.name),
      permissions: change.permissions ? inOrder(change.permissions) : stored.permissions,
    };
    mustCover(own, stored);
    mustCover(own, { holdsAll: false, permissions: fields.permissions });
    w.update(role, stored, fields);
    return viewRole({ ...stored, ...fields });
  }).catch(nameTaken);

/**
 * Gives several roles the permissions that they are to have, all of it or nothing. Throws `Refusal`
 * as `updateRole` does.
 */
export const setPermissions = (actor: Acting, wishes: Map<string, Permission[]>) =>
  write(actor, async (w) => {
    for (const [id, permissions] of wishes) await updateRole(w, id, { permissions });
  });

/**
 * Removes a role. Throws `Refusal` not_found; forbidden for a role with more rights than the actor;
 * conflict for the role Owner and for a role that a member has, deactivated or not.
 */
export const removeRole = (actor: Acting, id: string) =>
  write(actor, async (w) => {
    const [stored, own] = await Promise.all([roleForChange(w, id), rightsOf(w)]);
    mustCover(own, stored);
    if (await w.first(memberInRole, { firmId: w.firmId, roleId: id })) {
      throw new Refusal(
        'conflict',
        `Members have the role ${JSON.stringify(stored.name)}. Give them another role first.`,
      );
    }
    w.remove(role, stored, await w.now());
  });

/** The role for a member, kept until the commit. Throws `Refusal` not_found. */
export const roleToGive = async (w: Write, id: string) => {
  const found = isId(id) ? await w.first(roleKept, { firmId: w.firmId, id }) : undefined;
  if (!found) throw notFound('The firm has no such role.');
  return found;
};

const roleForChange = async (w: Write, id: string) => {
  const found = isId(id) ? await w.first(roleHeld, { firmId: w.firmId, id }) : undefined;
  if (!found) throw notFound('The firm has no such role.');
  if (!found.holdsAll) return found;
  throw new Refusal('conflict', 'The role Owner always exists and cannot be changed.');
};

const list = 'role';
const ofFirm = 'role of the firm';
const nameTaken = refuseTakenName('role_name', ofFirm);

const inOrder = (permissions: Permission[]) => [...new Set(permissions)].sort();

const viewRole = ({ id, name, permissions, holdsAll }: typeof role.$inferInsert) => ({
  id,
  name,
  permissions,
  holdsAll,
});

const roleWithId = ({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .select()
    .from(role)
    .where(and(eq(role.firmId, firmId), eq(role.id, id), isNull(role.deletedAt)));

// New and changed members refer to a role. They and its removal wait for each other.
const roleHeld = statement((given: Given<'firmId' | 'id'>) => roleWithId(given).for('update'));
const roleKept = statement((given: Given<'firmId' | 'id'>) => roleWithId(given).for('key share'));

const memberInRole = statement(
  ({ firmId, roleId }: Given<'firmId' | 'roleId'>) => sql<object>`
    select from ${member} where ${member.firmId} = ${firmId} and ${member.roleId} = ${roleId} limit 1`,
);
