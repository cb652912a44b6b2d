import { eq, sql } from 'drizzle-orm';
import { newId } from '../base/columns.ts';
import { invalid } from '../base/refusal.ts';
import { customFieldsOn } from '../custom-fields/custom-field.ts';
import { type CustomFieldHolder, customField } from '../custom-fields/table.ts';
import { listRoles } from '../firm/firm.ts';
import { firm, member, role } from '../firm/table.ts';
import { listLeadStages } from '../leads/stages.ts';
import { leadStage } from '../leads/table.ts';
import { addMatterType, allMatterTypes } from '../matter-types/matter-type.ts';
import type { Database } from '../postgres/pool.ts';
import { insertInto, query, statement } from '../postgres/statement.ts';
import { allPracticeAreas } from '../practice-areas/list.ts';
import { addPracticeArea, addStage } from '../practice-areas/practice-area.ts';
import { administrator } from '../record/actor.ts';
import { countOf } from '../record/register.ts';
import { type RecordKind, register } from '../record/table.ts';
import { type Write, write } from '../record/write.ts';
import { type Blueprint, ownerRole } from './blueprint.ts';

/**
 * Makes a firm from a blueprint, or brings the one of that name up to it, in one transaction: adds
 * and renames, never removes. Gives the firm's id, and in words what stands and the blueprint does
 * not name. Throws `Refusal` where the blueprint cannot be met.
 */
export const applyBlueprint = async (database: Database, blueprint: Blueprint) => {
  try {
    return await bringUp(database, blueprint);
  } catch (error) {
    // Another made the firm at the same moment: now it is there to be brought up.
    if ((error as Record<string, unknown>).constraint_name !== 'firm_name') throw error;
    return await bringUp(database, blueprint);
  }
};

const bringUp = async (database: Database, blueprint: Blueprint) => {
  const name = blueprint.name.trim();
  const found = await database.first(firmByName, { name });
  const firmId = found?.id ?? newId();
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

const registered: RecordKind[] = ['contact', 'lead', 'matter', 'practice_area', 'matter_type'];

const makeFirm = async (w: Write, name: string) => {
  w.create(firm, { id: w.firmId, name, createdAt: await w.now() });
  w.create(role, {
    firmId: w.firmId,
    id: newId(),
    name: ownerRole,
    permissions: [],
    holdsAll: true,
  });
  for (const kind of registered)
    void w.run(insertInto(register, ['firmId', 'kind']), { firmId: w.firmId, kind });
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
  const owner = idOfRole.get(ownerRole);
  const rolesAfter = new Map(
    standing.map((one) => [one.email, one.deactivatedAt ? undefined : one.roleId]),
  );
  for (const wanted of members) {
    const email = wanted.email.trim().toLowerCase();
    const roleId = idOfRole.get(wanted.role.trim()) as string;
    const fields = { name: wanted.name.trim(), roleId, updatedAt: now };
    const stored = standing.find((one) => one.email === email);
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
    rolesAfter.set(email, roleId);
  }
  if (![...rolesAfter.values()].includes(owner)) {
    throw invalid('A firm needs at least one member whose role is Owner. Add one to members.');
  }
  noteKept(
    kept,
    'member',
    standing.map((one) => one.email),
    members.map((one) => one.email.toLowerCase()),
  );
};

const allMembers = statement(() =>
  query
    .select()
    .from(member)
    .where(eq(member.firmId, sql.placeholder('firmId'))),
);

const applyNumbering = async (w: Write, { numbering = {} }: Blueprint) => {
  for (const kind of ['lead', 'matter'] as const) {
    const format = numbering[kind]?.trim();
    const { numberFormat } = await countOf(w, kind);
    if (format === undefined || format === numberFormat) continue;
    void w.run(setFormat, { firmId: w.firmId, kind, format });
    w.record('update', firm, w.firmId, {
      [`numbering.${kind}`]: { before: numberFormat, after: format },
    });
  }
};

const setFormat = statement(
  () => sql`update register set number_format = ${sql.placeholder('format')}
    where firm_id = ${sql.placeholder('firmId')} and kind = ${sql.placeholder('kind')}`,
);

const applyLeadStages = async (w: Write, { leadStages = [] }: Blueprint, kept: string[]) => {
  const [standing, now] = await Promise.all([listLeadStages(w), w.now()]);
  const wanted = leadStages.map((name) => name.trim());
  const names = [
    ...wanted,
    ...standing.map((one) => one.name).filter((name) => !wanted.includes(name)),
  ];
  names.forEach((name, position) => {
    const stored = standing.find((one) => one.name === name);
    if (stored) w.update(leadStage, stored, { position });
    else w.create(leadStage, { firmId: w.firmId, id: newId(), name, position, createdAt: now });
  });
  noteKept(
    kept,
    'lead stage',
    standing.map((one) => one.name),
    wanted,
  );
};

const applyPracticeAreas = async (w: Write, { practiceAreas = [] }: Blueprint, kept: string[]) => {
  const [standing, types, now] = await Promise.all([
    allPracticeAreas(w),
    allMatterTypes(w),
    w.now(),
  ]);
  for (const wanted of practiceAreas) {
    const name = wanted.name.trim();
    const found = standing.find((one) => one.name === name);
    const area = found ?? { ...(await addPracticeArea(w, { name })).area, stages: [] };
    let position = area.stages.length;
    for (const stage of missing(
      wanted.stages,
      area.stages.map((one) => one.name),
    )) {
      addStage(w, area.id, stage, position, now);
      position += 1;
    }
    const present = types.filter((one) => one.practiceAreaId === area.id).map((one) => one.name);
    for (const type of missing(wanted.matterTypes, present)) await addMatterType(w, area.id, type);
    noteKept(
      kept,
      `stage of ${name}`,
      area.stages.map((one) => one.name),
      wanted.stages ?? [],
    );
    noteKept(kept, `matter type of ${name}`, present, wanted.matterTypes ?? []);
  }
  noteKept(
    kept,
    'practice area',
    standing.map((one) => one.name),
    practiceAreas.map((one) => one.name),
  );
};

const missing = (wanted: string[] = [], present: string[]) => {
  const trimmed = new Set(wanted.map((name) => name.trim()));
  return [...trimmed].filter((name) => !present.includes(name));
};

const applyCustomFields = async (w: Write, { customFields = [] }: Blueprint, kept: string[]) => {
  for (const appliesTo of ['CONTACT', 'MATTER', 'LEAD'] as CustomFieldHolder[]) {
    const [standing, now] = await Promise.all([customFieldsOn(w, appliesTo), w.now()]);
    const wanted = customFields.filter((field) => field.on.toUpperCase() === appliesTo);
    let position = standing.length;
    for (const { name: sent, type, options = [] } of wanted) {
      const name = sent.trim();
      const stored = standing.find((one) => one.name === name);
      const labels = options.map((label) => label.trim());
      if (stored && stored.type !== type) {
        throw invalid(
          `The custom field ${JSON.stringify(name)} is of type ${stored.type}; its type cannot be changed.`,
        );
      }
      if (stored) {
        w.update(customField, stored, { options: [...new Set([...labels, ...stored.options])] });
        continue;
      }
      w.create(customField, {
        ...{ firmId: w.firmId, id: newId(), appliesTo, name, type },
        ...{ options: [...new Set(labels)], position, createdAt: now },
      });
      position += 1;
    }
    noteKept(
      kept,
      `${appliesTo.toLowerCase()} field`,
      standing.map((one) => one.name),
      wanted.map((one) => one.name),
    );
  }
};

/** What stands and the blueprint does not name stays: said, so that nobody believes it removed. */
const noteKept = (kept: string[], what: string, standing: string[], wanted: string[]) => {
  const named = new Set(wanted.map((name) => name.trim()));
  for (const name of standing) {
    if (!named.has(name))
      kept.push(`The ${what} ${JSON.stringify(name)} is not in the blueprint and stays.`);
  }
};
