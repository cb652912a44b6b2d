import { eq, sql } from 'drizzle-orm';
import { newId } from '../base/columns.ts';
import { listRoles } from '../firm/firm.ts';
import { mustHaveOwner, ownerRole } from '../firm/member.ts';
import { firm, member, role } from '../firm/table.ts';
import type { Database } from '../postgres/pool.ts';
import { query, statement } from '../postgres/statement.ts';
import { administrator } from '../record/actor.ts';
import { type Write, write } from '../record/write.ts';
import { changeNumberFormat, numberFormatOf } from '../register/numbering.ts';
import { applyCustomFields, applyLeadStages, applyPracticeAreas, noteKept } from './apply-lists.ts';
import type { Blueprint } from './blueprint.ts';

/**
 * Makes a firm from a blueprint, or brings the one of that name up to it, in one transaction: adds
 * and renames, never removes. A new firm gets the id `newFirmId`. Gives the firm's id, and in words
 * what stands and the blueprint does not name. Throws `Refusal` where the blueprint cannot be met.
 */
export const applyBlueprint = async (
  database: Database,
  blueprint: Blueprint,
  newFirmId = newId(),
) => {
  try {
    return await bringUp(database, blueprint, newFirmId);
  } catch (error) {
    // Another made the firm at the same moment: now it is there to be brought up.
    if ((error as Record<string, unknown>).constraint_name !== 'firm_name') throw error;
    return await bringUp(database, blueprint, newFirmId);
  }
};

const bringUp = async (database: Database, blueprint: Blueprint, newFirmId: string) => {
  const name = blueprint.name.trim();
  const found = await database.first(firmByName, { name });
  const firmId = found?.id ?? newFirmId;
  const kept: string[] = [];
  await write(administrator(database, firmId), async (w) => {
    if (!found) await makeFirm(w, name);
    await applyRoles(w, blueprint, kept);
    await applyMembers(w, blueprint, kept);
    await applyNumbering(w, blueprint);
    await applyLeadStages(w, blueprint, kept);
    await applyPracticeAreas(w, blueprint, kept);
    await applyCustomFields(w, blueprint, kept);
  });
  return { firmId, kept };
};

const firmByName = statement(() =>
  query
    .select()
    .from(firm)
    .where(eq(firm.name, sql.placeholder('name'))),
);

const makeFirm = async (w: Write, name: string) => {
  w.create(firm, { id: w.firmId, name, createdAt: await w.now() });
  w.create(role, {
    firmId: w.firmId,
    id: newId(),
    name: ownerRole,
    permissions: [],
    holdsAll: true,
  });
};

const applyRoles = async (w: Write, { roles = [] }: Blueprint, kept: string[]) => {
  const standing = await listRoles(w);
  for (const wanted of roles) {
    const name = wanted.name.trim();
    const permissions = [...new Set(wanted.permissions)].sort();
    const stored = standing.find((one) => one.name === name);
    if (stored) w.update(role, stored, { permissions });
    else w.create(role, { firmId: w.firmId, id: newId(), name, permissions, holdsAll: false });
  }
  noteKept(
    kept,
    'role',
    standing.map((one) => one.name),
    [ownerRole, ...roles.map((one) => one.name)],
  );
};

const applyMembers = async (w: Write, { members }: Blueprint, kept: string[]) => {
  const [roles, standing, now] = await Promise.all([
    listRoles(w),
    w.run(allMembers, { firmId: w.firmId }),
    w.now(),
  ]);
  const idOfRole = new Map(roles.map((one) => [one.name, one.id]));
  for (const wanted of members) {
    const email = wanted.email.trim().toLowerCase();
    const roleId = idOfRole.get(wanted.role.trim()) as string;
    const fields = { name: wanted.name.trim(), roleId, updatedAt: now };
    const stored = standing.find((one) => one.email === email);
    if (stored?.deactivatedAt) kept.push(staysDeactivated(email));
    if (stored) w.update(member, stored, fields);
    else
      w.create(member, {
        firmId: w.firmId,
        id: newId(),
        email,
        ...fields,
        mutedKinds: [],
        createdAt: now,
      });
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
  `The member ${JSON.stringify(email)} is deactivated and stays so; \`matterhorn member activate\` has them back.`;

const allMembers = statement(() =>
  query
    .select()
    .from(member)
    .where(eq(member.firmId, sql.placeholder('firmId'))),
);

const applyNumbering = async (w: Write, { numbering = {} }: Blueprint) => {
  for (const kind of ['lead', 'matter'] as const) {
    const format = numbering[kind]?.trim();
    const numberFormat = await numberFormatOf(w, kind);
    if (format === undefined || format === numberFormat) continue;
    changeNumberFormat(w, kind, format);
    w.record('update', firm, w.firmId, {
      [`numbering.${kind}`]: { before: numberFormat, after: format },
    });
  }
};
