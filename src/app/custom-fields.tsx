/** @jsxImportSource preact */
import type { CustomField } from '../custom-fields/custom-field.ts';
import { uncarriedTypes } from '../custom-fields/table.ts';
import type { Fields } from './fields.ts';
import {
  type About,
  changeFrom,
  type FieldsOf,
  FieldValues,
  newFrom,
  textsOf,
} from './records/field.tsx';
import {
  day,
  type Kind,
  line,
  lines,
  link,
  type NameOf,
  number,
  oneOrNone,
  phone,
  recordOf,
  several,
  unseen,
  yesOrNo,
} from './records/kinds.tsx';

/** What a page must know of a custom field. */
type Defined = Pick<CustomField, 'id' | 'name' | 'type' | 'options'>;

/** A record with custom fields. */
type Carrier = { customFields: Record<string, unknown> };

/** The firm's own fields of a kind of record, in the form of its other fields. */
export const customFields = <Of extends About>(
  defined: readonly Defined[],
  nameOf?: NameOf,
): FieldsOf<Of> =>
  Object.fromEntries(
    defined.filter(isStored).map((field) => [
      `field.${field.id}`,
      {
        label: field.name,
        kind: kindOf(field, nameOf),
        edit: {
          name: sentAs(field),
          value: ({ customFields }: Carrier) => customFields[field.name],
        },
        column: columnOf(field),
        ...filterOf(field),
      },
    ]),
  ) as FieldsOf<Of>;

/** Lists can be filtered by fields with options and by days. `fieldsIn` reads what is asked for. */
const filterOf = ({ id, type }: Defined) => {
  if (type === 'DATE') return { filter: { days: [`field.${id}.from`, `field.${id}.to`] } };
  if (!['SELECT', 'MULTI_SELECT', 'CHECKBOX'].includes(type)) return {};
  return { filter: { name: `field.${id}`, at: 'more', read: (text: string) => text } };
};

/** A line of a list that shows custom fields has their values, by the fields' ids. */
const columnOf = (field: Defined) => {
  const kind = kindOf(field);
  return {
    isExtra: true,
    class: kind === number ? 'number' : 'cut short',
    text: ({ customFields: { [field.id]: value } = {} }: Partial<Carrier>) => {
      if (field.type === 'CONTACT' || field.type === 'MATTER') {
        return value === null ? unseen : line.text(value);
      }
      const text = kind.text(value);
      const shown = kind.shown(text, {});
      return typeof shown === 'string' ? shown : text;
    },
  };
};

/** The custom fields among the columns that an address names. */
export const namedIn = <Of extends Defined>(columns: readonly string[], defined: readonly Of[]) =>
  columns.some((key) => key.startsWith('field.'))
    ? defined.filter((field) => columns.includes(`field.${field.id}`) && isStored(field))
    : [];

/** What the values of a custom field are. */
export const kindOf = (
  { type, options = [] }: Pick<CustomField, 'type'> & { options?: readonly string[] },
  nameOf?: NameOf,
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
      return recordOf('contact', nameOf);
    case 'MATTER':
      return recordOf('matter', nameOf);
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

// What follows is for contacts, until their fields are listed as those of leads and matters are.

export const CustomFieldControl = ({ field, value }: { field: CustomField; value: unknown }) => {
  const props = { name: sentAs(field), label: field.name, value: textOf(value) };
  return kindOf(field).control(props, {});
};

type CustomFieldValuesProps = {
  record: Carrier & { defined: readonly CustomField[] };
  /** The address for edits. Without it, the values cannot be edited. */
  action: string | undefined;
  nameOf: NameOf;
};

/** A record's custom fields. Each can be edited in place. */
export const CustomFieldValues = ({ record, action, nameOf }: CustomFieldValuesProps) => (
  <FieldValues
    fields={customFields(record.defined, nameOf)}
    record={record}
    choices={{}}
    action={action}
  />
);

/** The values of a record's custom fields, as its forms show and send them. */
export const customFieldTexts = (record: CustomFieldValuesProps['record']) =>
  textsOf(customFields(record.defined), record);

/** The custom fields that a form sent, by name; undefined if it sent none. */
export const customFieldsFrom = (fields: Fields, defined: readonly CustomField[]) =>
  changeFrom(customFields(defined), fields).customFields;

/** The custom fields that the form of a new record sent with a value, by name. */
export const filledFrom = (fields: Fields, defined: readonly CustomField[]) =>
  newFrom(customFields(defined), fields).customFields ?? {};
