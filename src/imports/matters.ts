/** Turns a row into a matter. */
import { checked } from '../base/checked.ts';
import { invalidField } from '../base/refusal.ts';
import { isRequired } from '../base/rule.ts';
import type { Imported } from '../matters/matter.ts';
import { longestFormerNumber } from '../matters/type-and-former-number.ts';
import { limits, type NewMatter, newMatter } from '../matters/wire.ts';
import type { Reader } from '../record/actor.ts';
import { customFieldsIn, memberNamed, named } from './bodies.ts';
import { dayFrom } from './cells.ts';
import type { Namesake } from './duplicates.ts';
import type { Plan, RowValues } from './plan.ts';

/** A new matter as the verb takes it, and the values that come from another program. */
export type ImportedMatter = { body: NewMatter; imported: Imported };

/** A new matter. Throws `Refusal` that names the column. */
export const matterIn = async (
  reader: Reader,
  plan: Plan,
  values: RowValues,
  clientsOf: (name: string) => Namesake[],
): Promise<ImportedMatter> => {
  const area = areaIn(plan, values);
  const stage = named('stage', values.one('stage'), area.stages);
  const types = plan.firmLists.types.filter(({ practiceAreaId }) => practiceAreaId === area.id);
  const type = named('matterType', values.one('matterType'), types);
  const status = statusIn(values);
  const [title, description] = [values.one('title'), values.one('description')];
  const days = {
    closeDate: dayIn(plan, values, 'closeDate'),
    solDate: dayIn(plan, values, 'solDate'),
  };
  const body = checked(newMatter, {
    practiceAreaId: area.id,
    openDate: dayIn(plan, values, 'openDate') ?? plan.today,
    ...(stage && { practiceAreaStageColumnId: stage.id }),
    ...(title && { title }),
    ...(description && { description }),
    ...(days.closeDate && { closeDate: days.closeDate }),
    ...(days.solDate && { solDate: days.solDate }),
    ...(status === 'DRAFT' && { status }),
    clientContactIds: clientIds(values, clientsOf),
    team: teamIn(plan, values),
    ...(await customFieldsIn(reader, plan, values)),
  });
  const isArchived = status === 'ARCHIVE';
  const imported = { formerNumber: formerIn(values), matterTypeId: type?.id ?? null, isArchived };
  return { body, imported };
};

const areaIn = ({ firmLists, mapping }: Plan, values: RowValues) => {
  const area =
    named('practiceArea', values.one('practiceArea'), firmLists.areas) ??
    firmLists.areas.find(({ id }) => id === mapping.practiceAreaId);
  if (!area) throw invalidField('practiceArea', isRequired());
  if (area.stages.length === 0)
    throw invalidField('practiceArea', 'has no stage yet: add one first');
  return area;
};

const statuses: [RegExp, 'ACTIVE' | 'DRAFT' | 'ARCHIVE'][] = [
  [/^(open|opened|active|current)$/, 'ACTIVE'],
  [/^(pending|draft|new)$/, 'DRAFT'],
  [/^(closed|archived?|inactive|done)$/, 'ARCHIVE'],
];

const statusIn = (values: RowValues) => {
  const text = values.one('status')?.toLowerCase();
  if (text === undefined) return 'ACTIVE';
  const [, status] = statuses.find(([words]) => words.test(text)) ?? [];
  if (!status) throw invalidField('status', 'must be Open, Pending or Closed');
  return status;
};

const dayIn = (
  { mapping }: Plan,
  values: RowValues,
  field: 'openDate' | 'closeDate' | 'solDate',
) => {
  const text = values.one(field);
  if (text === undefined) return undefined;
  const day = dayFrom(text, mapping.dayOrder);
  if (!day) throw invalidField(field, 'must be a date in the chosen date format');
  return day;
};

const formerIn = (values: RowValues): string | null => {
  const former = values.one('formerNumber')?.normalize('NFC') ?? null;
  if (former && [...former].length > longestFormerNumber) {
    throw invalidField('formerNumber', `must have at most ${longestFormerNumber} characters`);
  }
  return former;
};

/** The names of a row's clients, each in all ways in which it can be written. */
export const clientNames = (values: RowValues): string[][] => {
  const person = [values.one('clientFirstName'), values.one('clientLastName')]
    .filter(Boolean)
    .join(' ');
  const own = person || values.one('clientCompany');
  const full = values.one('client')?.split(/[;|\n]/, limits.clients + 1) ?? [];
  return [...(own ? [own] : []), ...(own ? [] : full)]
    .map((name) => name.trim())
    .filter(Boolean)
    .map((name) => {
      const [last, first] = name.split(',').map((part) => part.trim());
      return first ? [name, `${first} ${last}`] : [name];
    });
};

const clientIds = (values: RowValues, clientsOf: (name: string) => Namesake[]): string[] => {
  const email = values.one('clientEmail')?.toLowerCase();
  const ids = clientNames(values).map((ways) => {
    const all = ways.map(clientsOf).find((found) => found.length > 0) ?? [];
    const like = email ? all.filter(({ emails }) => emails.includes(email)) : [];
    const [found, another] = like.length > 0 ? like : all;
    if (!found)
      throw invalidField('client', 'is not among the contacts: import the contacts first');
    if (another) {
      throw invalidField('client', 'is the name of several contacts: add a column with the email');
    }
    return found.id;
  });
  return [...new Set(ids)];
};

const parts = [
  { field: 'responsibleAttorney', role: 'RESPONSIBLE_ATTORNEY' },
  { field: 'originatingAttorney', role: 'ORIGINATING_ATTORNEY' },
  { field: 'responsibleStaff', role: 'RESPONSIBLE_STAFF' },
] as const;

const teamIn = ({ firmLists }: Plan, values: RowValues) =>
  parts.flatMap(({ field, role }) => {
    const text = values.one(field);
    return text === undefined
      ? []
      : [{ memberId: memberNamed(field, text, firmLists.members), role }];
  });
