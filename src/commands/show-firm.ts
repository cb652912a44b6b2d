import { allCustomFields } from '../custom-fields/custom-field.ts';
import { listMembers } from '../firm/member.ts';
import { listRoles } from '../firm/role.ts';
import { leadStageList } from '../leads/stages.ts';
import { lead } from '../leads/table.ts';
import { allMatterTypes } from '../matter-types/matter-type.ts';
import { matter } from '../matters/table.ts';
import { allPracticeAreas } from '../practice-areas/list.ts';
import type { Reader } from '../record/actor.ts';
import { countOf } from '../register/register.ts';
import { table } from './terminal.ts';

/** How a firm works, part by part, in lines for people. */
export const linesOnFirm = async (
  reader: Reader,
  { id, name, timeZone }: { id: string; name: string; timeZone: string },
) => {
  const parts = await Promise.all(
    [roles, members, numbering, leadStages, practiceAreas, customFields].map((part) =>
      part(reader),
    ),
  );
  return [`${name}  ${id}`, `Time zone: ${timeZone}`, ...parts.flatMap((lines) => ['', ...lines])];
};

const roles = async (reader: Reader) => {
  const rows = (await listRoles(reader)).map((one) => [
    ...[one.name, one.holdsAll ? 'everything' : one.permissions.join(' ') || 'nothing'],
  ]);
  return table(['ROLE', 'MAY'], rows, '');
};

const members = async (reader: Reader) => {
  const rows = (await listMembers(reader)).map((one) => [
    ...[one.email, one.name, one.role, one.deactivatedAt ? 'deactivated' : 'active', one.id],
  ]);
  return table(['MEMBER', 'NAME', 'ROLE', 'STATE', 'ID'], rows, '');
};

const numbering = async (reader: Reader) => {
  const [leads, matters] = await Promise.all([countOf(reader, lead), countOf(reader, matter)]);
  const rows = [
    ['leads', leads.numberFormat ?? 'not set up: none can be made'],
    ['matters', matters.numberFormat ?? 'not set up: none can be made'],
  ];
  return table(['NUMBERS OF', 'FORMAT'], rows, '');
};

const leadStages = async (reader: Reader) => {
  const rows = (await leadStageList.all(reader)).map((one) => [one.name, one.id]);
  return table(['LEAD STAGE', 'ID'], rows, 'No lead stages.');
};

const practiceAreas = async (reader: Reader) => {
  const [areas, types] = await Promise.all([allPracticeAreas(reader), allMatterTypes(reader)]);
  const rows = areas.flatMap((area) => [
    [area.name, '', '', area.id],
    ...area.stages.map((one) => ['', 'stage', one.name, one.id]),
    ...types
      .filter((type) => type.practiceAreaId === area.id)
      .map((one) => ['', 'matter type', one.name, one.id]),
  ]);
  return table(['PRACTICE AREA', '', '', 'ID'], rows, 'No practice areas.');
};

const customFields = async (reader: Reader) => {
  const rows = (await allCustomFields(reader)).map(({ name, appliesTo, type, options, id }) => [
    ...[name, appliesTo.toLowerCase(), type, options.join(', '), id],
  ]);
  return table(['CUSTOM FIELD', 'ON', 'TYPE', 'OPTIONS', 'ID'], rows, 'No custom fields.');
};
