import { newId } from '../base/columns.ts';
import { invalid } from '../base/refusal.ts';
import { customFieldsOn } from '../custom-fields/custom-field.ts';
import { type CustomFieldHolder, customField } from '../custom-fields/table.ts';
import { listLeadStages } from '../leads/stages.ts';
import { leadStage } from '../leads/table.ts';
import { addMatterType, allMatterTypes } from '../matter-types/matter-type.ts';
import { allPracticeAreas } from '../practice-areas/list.ts';
import { addPracticeArea, addStage } from '../practice-areas/practice-area.ts';
import type { Write } from '../record/write.ts';
import type { Blueprint } from './blueprint.ts';

/** Adds lead stages and puts them in the blueprint's order; others follow. */
export const applyLeadStages = async (w: Write, { leadStages = [] }: Blueprint, kept: string[]) => {
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

/** Adds practice areas, their stages and matter types. Of several of one name the oldest is meant. */
export const applyPracticeAreas = async (
  w: Write,
  { practiceAreas = [] }: Blueprint,
  kept: string[],
) => {
  const [standing, types, now] = await Promise.all([
    allPracticeAreas(w),
    allMatterTypes(w),
    w.now(),
  ]);
  for (const wanted of practiceAreas) {
    const name = wanted.name.trim();
    const sameName = standing.filter((one) => one.name === name);
    const [found] = sameName;
    if (sameName.length > 1) kept.push(severalNamed(name, sameName.length));
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

const severalNamed = (name: string, count: number) =>
  `There are ${count} practice areas ${JSON.stringify(name)}; the blueprint is taken to mean the oldest.`;

const missing = (wanted: string[] = [], present: string[]) => {
  const trimmed = new Set(wanted.map((name) => name.trim()));
  return [...trimmed].filter((name) => !present.includes(name));
};

/** Adds custom fields, and options to those that stand. Throws `Refusal` where a type differs. */
export const applyCustomFields = async (
  w: Write,
  { customFields = [] }: Blueprint,
  kept: string[],
) => {
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
          `The custom field ${JSON.stringify(name)} is of type ${stored.type}, and a type cannot be changed. Leave it so, or give a field of the other type a new name.`,
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
export const noteKept = (kept: string[], what: string, standing: string[], wanted: string[]) => {
  const named = new Set(wanted.map((name) => name.trim()));
  for (const name of standing) {
    if (!named.has(name))
      kept.push(`The ${what} ${JSON.stringify(name)} is not in the blueprint and stays.`);
  }
};
