import { invalid } from '../base/refusal.ts';
import { customFieldsOn } from '../custom-fields/custom-field.ts';
import { createCustomField, updateCustomField } from '../custom-fields/definition.ts';
import { listSourceFields, setSourceField } from '../custom-fields/source-field.ts';
import type { CustomFieldHolder } from '../custom-fields/table.ts';
import { leadStageList } from '../leads/stages.ts';
import { allMatterTypes, createMatterType } from '../matter-types/matter-type.ts';
import { allPracticeAreas } from '../practice-areas/list.ts';
import {
  createPracticeArea,
  expectLimitationDate,
  updatePracticeArea,
} from '../practice-areas/practice-area.ts';
import type { Write } from '../record/write.ts';
import type { Blueprint } from './blueprint.ts';

/** Adds lead stages and puts them in the blueprint's order; others follow. */
export const applyLeadStages = async (w: Write, { leadStages = [] }: Blueprint, kept: string[]) => {
  const standing = await leadStageList.all(w);
  const wanted = leadStages.map((name) => name.trim());
  const wantedIds: string[] = [];
  for (const name of wanted) {
    const found = standing.find((one) => one.name === name);
    wantedIds.push(found?.id ?? (await leadStageList.add(w, name)));
  }
  const others = standing.map(({ id }) => id).filter((id) => !wantedIds.includes(id));
  await leadStageList.order(w, [...wantedIds, ...others]);
  noteKept(
    kept,
    'lead stage',
    standing.map((one) => one.name),
    wanted,
  );
};

/**
 * Adds practice areas, their stages and matter types. If several have one name, the oldest is
 * meant.
 */
export const applyPracticeAreas = async (
  w: Write,
  { practiceAreas = [] }: Blueprint,
  kept: string[],
) => {
  const [standing, types] = await Promise.all([allPracticeAreas(w), allMatterTypes(w)]);
  for (const wanted of practiceAreas) {
    const name = wanted.name.trim();
    const sameName = standing.filter((one) => one.name === name);
    const [found] = sameName;
    if (sameName.length > 1) kept.push(severalNamed(name, sameName.length));
    const area = found ?? (await createPracticeArea(w, { name }));
    const present = area.stages.map((one) => one.name);
    const stages = missing(wanted.stages, present).map((stage) => ({ name: stage }));
    if (stages.length > 0) {
      await updatePracticeArea(w, area.id, { stages: [...area.stages, ...stages] });
    }
    if (wanted.expectsLimitationDate !== undefined) {
      await expectLimitationDate(w, area.id, wanted.expectsLimitationDate);
    }
    const ofArea = types.filter((one) => one.practiceAreaId === area.id).map((one) => one.name);
    for (const type of missing(wanted.matterTypes, ofArea)) {
      await createMatterType(w, { practiceAreaId: area.id, name: type });
    }
    noteKept(kept, `stage of ${name}`, present, wanted.stages ?? []);
    noteKept(kept, `matter type of ${name}`, ofArea, wanted.matterTypes ?? []);
  }
  noteKept(
    kept,
    'practice area',
    standing.map((one) => one.name),
    practiceAreas.map((one) => one.name),
  );
};

const severalNamed = (name: string, count: number) =>
  `There are ${count} practice areas ${JSON.stringify(name)}; the blueprint changes the oldest.`;

const missing = (wanted: string[] = [], present: string[]) => {
  const trimmed = new Set(wanted.map((name) => name.trim()));
  return [...trimmed].filter((name) => !present.includes(name));
};

/** Adds custom fields, and options to existing ones. Throws `Refusal` if a type differs. */
export const applyCustomFields = async (
  w: Write,
  { customFields = [] }: Blueprint,
  kept: string[],
) => {
  for (const appliesTo of ['CONTACT', 'MATTER', 'LEAD'] as CustomFieldHolder[]) {
    const standing = await customFieldsOn(w, appliesTo);
    const wanted = customFields.filter((field) => field.on.toUpperCase() === appliesTo);
    for (const { name: sent, type, options = [] } of wanted) {
      const name = sent.trim();
      const stored = standing.find((one) => one.name === name);
      if (stored && stored.type !== type) {
        throw invalid(
          `The custom field ${JSON.stringify(name)} is of type ${stored.type}, and a type cannot be changed. Keep the type, or give the new field another name.`,
        );
      }
      if (stored)
        await updateCustomField(w, stored.id, { options: [...options, ...stored.options] });
      else await createCustomField(w, { appliesTo, name, type, options });
    }
    noteKept(
      kept,
      `${appliesTo.toLowerCase()} field`,
      standing.map((one) => one.name),
      wanted.map((one) => one.name),
    );
  }
};

/**
 * Chooses the field of leads that says where a lead came from. Throws `Refusal` if leads have no
 * such field, or one that holds neither a text nor a choice.
 */
export const applySourceField = async (w: Write, { sourceField }: Blueprint) => {
  if (sourceField === undefined) return;
  const name = sourceField.trim();
  const found = (await listSourceFields(w)).find((field) => field.name === name);
  if (!found) {
    throw invalid(
      `sourceField is ${JSON.stringify(name)}, and leads have no custom field of this name that is a TEXT or a SELECT. Add it to customFields, or correct the name.`,
    );
  }
  await setSourceField(w, found.id);
};

/**
 * Things that are not in the blueprint stay. They are named, so that nobody believes that they were
 * removed.
 */
export const noteKept = (kept: string[], what: string, standing: string[], wanted: string[]) => {
  const named = new Set(wanted.map((name) => name.trim()));
  for (const name of standing) {
    if (!named.has(name))
      kept.push(`The ${what} ${JSON.stringify(name)} is not in the blueprint and stays.`);
  }
};
