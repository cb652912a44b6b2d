import { customFieldsOn } from '../custom-fields/custom-field.ts';
import { listMembers } from '../firm/member.ts';
import { leadStageList } from '../leads/stages.ts';
import { allMatterTypes } from '../matter-types/matter-type.ts';
import { allPracticeAreas } from '../practice-areas/list.ts';
import type { Reader } from '../record/actor.ts';

/**
 * The firm's parts, ids by name (docs/contract.md, Blueprint). If several have one name, the oldest
 * gets it, as in a blueprint; the others' names have their ids added.
 */
export const describeFirm = async (reader: Reader, { id, name }: { id: string; name: string }) => {
  const [members, leadStages, areas, types, ...fields] = await Promise.all([
    listMembers(reader),
    leadStageList.all(reader),
    allPracticeAreas(reader),
    allMatterTypes(reader),
    customFieldsOn(reader, 'CONTACT'),
    customFieldsOn(reader, 'MATTER'),
    customFieldsOn(reader, 'LEAD'),
  ]);
  const [contact, matter, lead] = fields.map(idsByName);
  return {
    firm: { id, name },
    members: Object.fromEntries(members.map((one) => [one.email, one.id])),
    leadStages: idsByName(leadStages),
    practiceAreas: byName(areas, (area) => ({
      id: area.id,
      stages: idsByName(area.stages),
      matterTypes: idsByName(types.filter((type) => type.practiceAreaId === area.id)),
    })),
    customFields: { contact, matter, lead },
  };
};

type IdAndName = { id: string; name: string };

const idsByName = (list: IdAndName[]) => byName(list, ({ id }) => id);

const byName = <One extends IdAndName, Value>(list: One[], viewOf: (one: One) => Value) => {
  const seen = new Set<string>();
  const named = list.map((one): [string, Value] => {
    const name = seen.has(one.name) ? `${one.name} (${one.id})` : one.name;
    seen.add(one.name);
    return [name, viewOf(one)];
  });
  return Object.fromEntries(named);
};
