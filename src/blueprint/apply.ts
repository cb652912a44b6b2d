import { newId } from '../base/columns.ts';
import { constraintOf } from '../base/constraint.ts';
import { Refusal } from '../base/refusal.ts';
import { changeFirm, createFirm, listFirms } from '../firm/firm.ts';
import { addMember, listMembers, mustHaveOwner } from '../firm/member.ts';
import { setNumberFormat } from '../firm/numbering.ts';
import type { Permission } from '../firm/permissions.ts';
import { createRole, listRoles, ownerRole, updateRole } from '../firm/role.ts';
import { notHiredReasonList, usualReasons } from '../leads/reasons.ts';
import type { Database } from '../postgres/pool.ts';
import { administrator } from '../record/actor.ts';
import { type Write, write } from '../record/write.ts';
import { updateMember } from '../sign-in/member-change.ts';
import {
  applyCustomFields,
  applyLeadStages,
  applyPracticeAreas,
  applySourceField,
  noteKept,
} from './apply-lists.ts';
import type { Blueprint } from './blueprint.ts';

type ApplyOptions = {
  /** Whether a firm may be made in addition to existing ones. */
  another?: boolean | undefined;
  newFirmId?: string;
};

/**
 * Makes a firm from a blueprint, or brings the firm of that name up to it, in one transaction. Adds
 * and changes, never removes. Returns the firm's id, and in words what exists but is not in the
 * blueprint. Throws `Refusal` if the blueprint cannot be met, and if it would make a second firm
 * without `another`.
 */
export const applyBlueprint = async (
  database: Database,
  blueprint: Blueprint,
  options: ApplyOptions = {},
) => {
  try {
    return await bringUp(database, blueprint, options);
  } catch (error) {
    // Somebody else made the firm at the same moment. It exists now: bring it up to the blueprint.
    if (constraintOf(error) !== 'firm_name') throw error;
    return await bringUp(database, blueprint, options);
  }
};

const bringUp = async (
  database: Database,
  blueprint: Blueprint,
  { another = false, newFirmId = newId() }: ApplyOptions,
) => {
  const name = blueprint.name.trim();
  const firms = await listFirms(database);
  const found = firms.find((one) => one.name === name);
  const [first] = firms;
  if (!found && first && !another) throw wouldBeSecond(first.name);
  const firmId = found?.id ?? newFirmId;
  const kept = await write(administrator(database, firmId), (w) =>
    found ? changeToFit(w, blueprint) : makeFirm(w, blueprint),
  );
  return { firmId, kept };
};

/** Makes the firm whose id the write has, from a blueprint, with the usual reasons for not being hired. */
export const makeFirm = async (w: Write, blueprint: Blueprint) => {
  await createFirm(w, blueprint.name, blueprint.timeZone);
  await notHiredReasonList.begin(w, usualReasons);
  return applyParts(w, blueprint);
};

const changeToFit = async (w: Write, blueprint: Blueprint) => {
  const { timeZone } = blueprint;
  if (timeZone !== undefined) await changeFirm(w, { timeZone });
  return applyParts(w, blueprint);
};

/** Applies all parts of a blueprint. Returns, in words, what exists but is not in the blueprint. */
const applyParts = async (w: Write, blueprint: Blueprint): Promise<string[]> => {
  const kept: string[] = [];
  await applyRoles(w, blueprint, kept);
  await applyMembers(w, blueprint, kept);
  for (const kind of ['lead', 'matter'] as const) {
    const format = blueprint.numbering?.[kind];
    if (format !== undefined) await setNumberFormat(w, kind, format);
  }
  await applyLeadStages(w, blueprint, kept);
  await applyPracticeAreas(w, blueprint, kept);
  await applyCustomFields(w, blueprint, kept);
  await applySourceField(w, blueprint);
  return kept;
};

const wouldBeSecond = (name: string) =>
  new Refusal(
    'conflict',
    `This would make a second firm beside ${JSON.stringify(name)}. To give that one another name, run \`matterhorn firm rename\`; to make a second firm, add --another.`,
  );

const applyRoles = async (w: Write, { roles = [] }: Blueprint, kept: string[]) => {
  const standing = await listRoles(w);
  for (const wanted of roles) {
    const name = wanted.name.trim();
    const permissions = wanted.permissions as Permission[];
    const stored = standing.find((one) => one.name === name);
    if (stored) await updateRole(w, stored.id, { permissions });
    else await createRole(w, { name, permissions });
  }
  noteKept(
    kept,
    'role',
    standing.map((one) => one.name),
    [ownerRole, ...roles.map((one) => one.name)],
  );
};

const applyMembers = async (w: Write, { members }: Blueprint, kept: string[]) => {
  const [roles, standing] = await Promise.all([listRoles(w), listMembers(w)]);
  const idOfRole = new Map(roles.map((one) => [one.name, one.id]));
  // Owners first: another owner may lose the role afterwards.
  const isOwner = ({ role }: { role: string }) => role.trim() === ownerRole;
  for (const wanted of members.toSorted((a, b) => Number(isOwner(b)) - Number(isOwner(a)))) {
    const email = wanted.email.trim().toLowerCase();
    const name = wanted.name.trim();
    const roleId = idOfRole.get(wanted.role.trim()) as string;
    const stored = standing.find((one) => one.email === email);
    if (stored?.deactivatedAt) kept.push(staysDeactivated(email));
    if (!stored) await addMember(w, { email, name, roleId });
    else if (stored.name !== name || stored.roleId !== roleId) {
      await updateMember(w, stored.id, { name, roleId });
    }
  }
  await mustHaveOwner(w);
  noteKept(
    kept,
    'member',
    standing.map((one) => one.email),
    members.map((one) => one.email.toLowerCase()),
  );
};

const staysDeactivated = (email: string) =>
  `The member ${JSON.stringify(email)} is deactivated and stays so. \`matterhorn member activate\` lets them back in.`;
