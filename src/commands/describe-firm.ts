import { customFieldsOn } from '../custom-fields/custom-field.ts';
import { listMembers } from '../firm/firm.ts';
import { listLeadStages } from '../leads/stages.ts';
import { allMatterTypes } from '../matter-types/matter-type.ts';
import { allPracticeAreas } from '../practice-areas/list.ts';
import type { Reader } from '../record/actor.ts';

/** What stands, ids by name (commands.md, Blueprint). */
export const describeFirm = async (reader: Reader, { id, name }: { id: string; name: string }) => {
  const [members, leadStages, areas, types, ...fields] = await Promise.all([
    listMembers(reader),
    listLeadStages(reader),
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
    practiceAreas: Object.fromEntries(
      areas.map((area) => [
        area.name,
        {
          id: area.id,
          stages: idsByName(area.stages),
          matterTypes: idsByName(types.filter((type) => type.practiceAreaId === area.id)),
        },
      ]),
    ),
    customFields: { contact, matter, lead },
  };
};

const idsByName = (list: { id: string; name: string }[]): Record<string, string> =>
  Object.fromEntries(list.map(({ id, name }) => [name, id]));
