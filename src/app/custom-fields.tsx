/** @jsxImportSource preact */
import type { CustomField, DefinedField } from '../custom-fields/custom-field.ts';
import { uncarriedTypes } from '../custom-fields/table.ts';
import { namesAmong } from '../leads/timeline.ts';
import type { About, FieldsOf } from './records/field.tsx';
import {
  day,
  type Kind,
  line,
  lines,
  link,
  number,
  oneOrNone,
  phone,
  recordOf,
  type SeenNames,
  several,
  unseen,
  wordsOf,
  yesOrNo,
} from './records/kinds.tsx';
import type { Visit } from './visit.ts';

/** A record with custom fields. */
type Carrier = { customFields: Record<string, unknown> };

/** The firm's own fields of a kind of record, in the form of its other fields. */
export const customFields = <Of extends About>(
  defined: readonly DefinedField[],
  names?: SeenNames,
): FieldsOf<Of> =>
  Object.fromEntries(
    defined.filter(isStored).map((field) => {
      const kind = kindOf(field, names);
      return [
        `field.${field.id}`,
        {
          label: field.name,
          kind,
          edit: {
            name: sentAs(field),
            value: ({ customFields }: Carrier) => customFields[field.name],
          },
          column: columnOf(field, kind),
          ...filterOf(field),
        },
      ];
    }),
  ) as FieldsOf<Of>;

/** Lists can be filtered by fields with options and by days. `fieldsIn` reads what is asked for. */
const filterOf = ({ id, type }: DefinedField) => {
  if (type === 'DATE') return { filter: { days: [`field.${id}.from`, `field.${id}.to`] } };
  if (!['SELECT', 'MULTI_SELECT', 'CHECKBOX'].includes(type)) return {};
  return { filter: { name: `field.${id}`, at: 'more', read: (text: string) => text } };
};

/** A line of a list that shows custom fields has their values, by the fields' ids. */
const columnOf = (field: DefinedField, kind: Kind) => ({
  isExtra: true,
  class: kind === number ? 'number' : 'cut short',
  text: ({ customFields: { [field.id]: value } = {} }: Partial<Carrier>) => {
    if (field.type === 'CONTACT' || field.type === 'MATTER') {
      return value === null ? unseen : line.text(value);
    }
    return wordsOf(kind, value, {});
  },
});

/** The custom fields among the columns that an address names. */
export const namedIn = <Of extends DefinedField>(
  columns: readonly string[],
  defined: readonly Of[],
) =>
  columns.some((key) => key.startsWith('field.'))
    ? defined.filter((field) => columns.includes(`field.${field.id}`) && isStored(field))
    : [];

/** What the values of a custom field are. */
export const kindOf = (
  { type, options = [] }: Pick<CustomField, 'type'> & { options?: readonly string[] },
  names?: SeenNames,
): Kind => {
  const labels = options.map((value) => ({ value, name: value }));
  switch (type) {
    case 'LONG_TEXT':
      return lines;
    case 'NUMBER':
    case 'CURRENCY':
      return number;
    case 'DATE':
      return day;
    case 'CHECKBOX':
      return yesOrNo;
    case 'SELECT':
      return oneOrNone(labels);
    case 'MULTI_SELECT':
      return several(labels);
    case 'URL':
      return link;
    case 'PHONE':
      return phone;
    case 'CONTACT':
      return recordOf('contact', names);
    case 'MATTER':
      return recordOf('matter', names);
    default:
      return line;
  }
};

/** The name of a custom field in a form. */
export const sentAs = ({ name }: Pick<CustomField, 'name'>): string => `customFields.${name}`;

/** Whether Matterhorn stores the field's values: not for a file, a formula or a signature. */
export const isStored = ({ type }: Pick<CustomField, 'type'>) =>
  !(uncarriedTypes as readonly string[]).includes(type);

/** A value as its control shows and sends it. */
export const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.join('\n') : line.text(value);

type OfRecord = { defined: readonly DefinedField[]; customFields: Record<string, unknown> };

/**
 * The names of the contacts and matters that a record's custom fields refer to, as far as the
 * visitor may see them.
 */
export const namesInValues = async (
  { actor, may }: Pick<Visit, 'actor' | 'may'>,
  { defined, customFields }: OfRecord,
): Promise<SeenNames> => {
  const named = defined.filter(
    ({ type }) =>
      (type === 'CONTACT' && may('contacts:read')) || (type === 'MATTER' && may('matters:read')),
  );
  const ids = named.flatMap(({ name }) => (customFields[name] as string | null) ?? []);
  return Object.fromEntries(await namesAmong(actor, ids));
};
