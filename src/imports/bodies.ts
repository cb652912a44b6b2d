/**
 * Turns rows into the bodies that verbs take. Each function throws a `Refusal` that names the
 * column.
 */
import { checked } from '../base/checked.ts';
import { numberFrom } from '../base/numbers.ts';
import { invalidField } from '../base/refusal.ts';
import { emailsFrom, phonesFrom } from '../contacts/addresses.ts';
import { mergeName } from '../contacts/name.ts';
import { validateEmail } from '../contacts/reachable.ts';
import { type NewContact, nameFields, newContact } from '../contacts/wire.ts';
import { type CustomField, mergeCustomFields } from '../custom-fields/custom-field.ts';
import { maxLabels } from '../custom-fields/wire.ts';
import type { ByPeople } from '../leads/lead.ts';
import { leadValues } from '../leads/table.ts';
import { leadLabels, type NewLead, newLead, newLeadByPeople } from '../leads/wire.ts';
import type { Reader } from '../record/actor.ts';
import { type DayOrder, dayFrom, dayOrTimeFrom, yesOrNoFrom } from './cells.ts';
import type { FirmLists, Plan, RowValues } from './plan.ts';

/** The names of a row, and whether it is a person or a company. */
const namesIn = (values: RowValues): Pick<NewContact, 'type' | (typeof nameFields)[number]> => {
  const names = textsIn(values, nameFields);
  const full = values.one('fullName');
  const isCompany =
    typeIn(values) ?? (names.companyName && !names.firstName && !names.lastName && !full);
  if (isCompany === true || isCompany === 'COMPANY') {
    return { type: 'COMPANY', ...names, companyName: names.companyName ?? full ?? '' };
  }
  const parts = full && !names.firstName && !names.lastName ? partsOf(full) : {};
  return { type: 'PERSON', ...names, ...parts };
};

/** The texts of these fields, as they are in the row. */
const textsIn = <Field extends string>(values: RowValues, fields: readonly Field[]) =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const text = values.one(field);
      return text === undefined ? [] : [[field, text]];
    }),
  ) as Partial<Record<Field, string>>;

const typeIn = (values: RowValues): 'PERSON' | 'COMPANY' | undefined => {
  const text = values.one('type')?.toLowerCase();
  if (text === undefined) return undefined;
  if (/^(person|individual|people|p|privatperson|natürliche person)$/.test(text)) return 'PERSON';
  if (/^(company|business|organi[sz]ation|firm|c|firma|unternehmen|juristische person)$/.test(text))
    return 'COMPANY';
  throw invalidField('type', 'must be Person or Company');
};

/** A full name in its parts: `Quill, Zoe`, or the last word as last name. */
const partsOf = (full: string): { firstName?: string; lastName: string } => {
  const [last = '', first] = full.split(',').map((part) => part.trim());
  if (first) return { firstName: first, lastName: last };
  const words = full.split(/\s+/);
  const lastName = words.pop() ?? '';
  return words.length > 0 ? { firstName: words.join(' '), lastName } : { lastName };
};

export const contactIn = async (
  reader: Reader,
  plan: Plan,
  values: RowValues,
): Promise<NewContact> => {
  const emails = values.all('emails').flatMap(partsOfCell);
  validateEmail('emails', emails);
  const body = checked(newContact, {
    ...namesIn(values),
    emails,
    phones: values.all('phones'),
    ...(await customFieldsIn(reader, plan, values)),
  });
  mergeName(body);
  emailsFrom(body.emails ?? []);
  phonesFrom(body.phones ?? []);
  return body;
};

const ownFields = Object.keys(leadLabels).filter((name) => name in newLead.properties);

/** A new lead as the verb takes it. */
export type ImportedLead = { body: NewLead; byPeople: ByPeople };

export const leadIn = async (
  reader: Reader,
  plan: Plan,
  values: RowValues,
): Promise<ImportedLead> => {
  const { areas, leadStages, members } = plan.firmLists;
  const area = named('practiceArea', values.one('practiceArea'), areas);
  const stage = named('stage', values.one('stage'), leadStages);
  const [email, phone] = [values.one('emails'), values.one('phones')];
  validateEmail('emails', email);
  const step = values.one('nextTouch');
  const { nextTouch, ...body } = checked(newLeadByPeople, {
    ...namesIn(values),
    ...textsIn(values, ownFields),
    ...(email && { email }),
    ...(phone && { phone }),
    ...(area && { practiceAreaId: area.id }),
    ...(stage && { leadStageColumnId: stage.id }),
    ...worthIn(values),
    ...(step && { nextTouch: dayOrTimeFrom(step, plan.mapping.dayOrder) ?? step }),
    ...(await customFieldsIn(reader, plan, values)),
  });
  mergeName(body);
  const assigneeIds = partsOfCell(values.one('assignee')).map((text) =>
    memberNamed('assignee', text, members),
  );
  return { body, byPeople: { assigneeIds: [...new Set(assigneeIds)], nextTouch } };
};

/** Several entries in a cell. */
const partsOfCell = (cell = '') =>
  cell
    .split(/[;|\n]/, maxLabels + 1)
    .map((one) => one.trim())
    .filter(Boolean);

const worthIn = (values: RowValues) => {
  const text = values.one('value')?.toUpperCase();
  const value = leadValues.find((one) => one === text);
  if (text !== undefined && !value) {
    throw invalidField('value', 'must be Lowest, Low, Medium, High or Highest');
  }
  return value && { value };
};

/** The entry of a list that a cell names, in capitals or not. */
export const named = <One extends { name: string }>(
  field: string,
  text: string | undefined,
  all: readonly One[],
): One | undefined => {
  if (text === undefined) return undefined;
  const found =
    all.find(({ name }) => name === text) ??
    all.find(({ name }) => name.toLowerCase() === text.toLowerCase());
  if (!found)
    throw invalidField(
      field,
      'is not known in the firm: add it in the settings, or correct the row',
    );
  return found;
};

/** The id of the active member whom a cell names, by name or email. */
export const memberNamed = (field: string, text: string, all: FirmLists['members']): string => {
  const asked = text.toLowerCase();
  const found = all.find(
    ({ name, email, deactivatedAt }) =>
      deactivatedAt === null && [name.toLowerCase(), email.toLowerCase()].includes(asked),
  );
  if (found) return found.id;
  throw invalidField(field, 'is not an active member of the firm: correct it or leave it empty');
};

/** The values of the custom fields that a row fills, checked like those of the API. */
export const customFieldsIn = async (reader: Reader, plan: Plan, values: RowValues) => {
  if (values.fields.length === 0) return {};
  const customFields = Object.fromEntries(
    values.fields.map(({ field, text }) => [
      field.name,
      meantBy(field, text, plan.mapping.dayOrder),
    ]),
  );
  await mergeCustomFields(reader, plan.firmLists.defined, {}, customFields);
  return { customFields };
};

const optionLike = (options: readonly string[], text: string) =>
  options.find((one) => one === text) ??
  options.find((one) => one.toLowerCase() === text.toLowerCase()) ??
  text;

const meantBy = ({ type, options }: CustomField, text: string, order: DayOrder): unknown => {
  switch (type) {
    case 'NUMBER':
    case 'CURRENCY':
      return numberFrom(text) ?? text;
    case 'CHECKBOX':
      return yesOrNoFrom(text) ?? text;
    case 'DATE':
      return dayFrom(text, order) ?? text;
    case 'SELECT':
      return optionLike(options, text);
    case 'MULTI_SELECT':
      return [...new Set(partsOfCell(text).map((one) => optionLike(options, one)))];
    default:
      return text;
  }
};
