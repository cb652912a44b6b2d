/**
 * Changes of who a member is. They are here and not with the member, because the links by which the
 * member signs in end with them.
 */

import { Refusal } from '../base/refusal.ts';
import { shortText } from '../base/short-text.ts';
import {
  addressTaken,
  emailFrom,
  type MemberView,
  memberWithId,
  mustHaveOwner,
  type NewMember,
  viewMember,
} from '../firm/member.ts';
import { mustCover, rightsOf } from '../firm/rights.ts';
import { roleToGive } from '../firm/role.ts';
import { member } from '../firm/table.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { endLinks } from './link.ts';

/**
 * Changes a member's name, address or role. A new role counts from the next request with their keys
 * on. Links that were made for another role or address end. Throws `Refusal` as `addMember` does; not_found for the member; forbidden for one with more
 * rights than the actor; conflict if the last active owner would lose that role.
 */
export const updateMember = (
  actor: Acting,
  id: string,
  change: Partial<NewMember>,
): Promise<MemberView> =>
  write(actor, async (w) => {
    const { stored, held, own, now } = await memberForChange(w, id);
    const given = change.roleId === undefined ? held : await roleToGive(w, change.roleId);
    mustCover(own, given);
    const fields = {
      email: change.email === undefined ? stored.email : emailFrom(change.email),
      name: change.name === undefined ? stored.name : shortText('name', change.name),
      roleId: given.id,
      updatedAt: now,
    };
    w.update(member, stored, fields);
    const isSame = stored.email === fields.email && stored.roleId === fields.roleId;
    if (!isSame) await endLinks(w, id, now);
    if (held.holdsAll && !given.holdsAll) await mustHaveOwner(w);
    return viewMember({ ...stored, ...fields }, given.name);
  }).catch(addressTaken);

/**
 * Deactivates a member, or activates them again. A deactivated member's keys are refused from the
 * next request on, their links end, and they get no notifications. Repeating it changes nothing. Throws `Refusal`
 * not_found, forbidden for a member with more rights than the actor, and conflict for the actor, whom a
 * colleague deactivates, and for the last active owner.
 */
export const setActive = (actor: Acting, id: string, isActive: boolean): Promise<MemberView> =>
  write(actor, async (w) => {
    const { stored, held, now } = await memberForChange(w, id);
    if (!isActive && id === w.memberId) throw notOneself();
    const deactivatedAt = isActive ? null : (stored.deactivatedAt ?? now);
    w.update(member, stored, { deactivatedAt, updatedAt: now });
    if (!isActive) await endLinks(w, id, now);
    if (held.holdsAll && !isActive) await mustHaveOwner(w);
    return viewMember({ ...stored, deactivatedAt }, held.name);
  });

const notOneself = () =>
  new Refusal(
    'conflict',
    'Nobody can deactivate themselves. Ask a colleague who may change members.',
  );

/**
 * The member and their role, locked until the commit, and the rights of the actor, which cover
 * theirs.
 */
const memberForChange = async (w: Write, id: string) => {
  const [stored, own, now] = await Promise.all([memberWithId(w, id), rightsOf(w), w.now()]);
  const held = await roleToGive(w, stored.roleId);
  mustCover(own, held);
  return { stored, held, own, now };
};
