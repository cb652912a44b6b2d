/** @jsxImportSource preact */
import type { CustomField } from '../custom-fields/custom-field.ts';
import { type CustomFieldType, uncarriedTypes } from '../custom-fields/table.ts';
import { Field, useField } from './field.tsx';
import { type Fields, originalName } from './fields.ts';
import { Choice, Day, type Option, Text, TextArea } from './form.tsx';
import { DayWords } from './moments.tsx';
import { Value } from './values.tsx';
import { safeLink } from './words.tsx';

export const sentAs = (field: Pick<CustomField, 'name'>) => `customFields.${field.name}`;

/** Whether Matterhorn stores the field's values: not for a file, a formula or a signature. */
export const isStored = ({ type }: Pick<CustomField, 'type'>) =>
  !(uncarriedTypes as readonly string[]).includes(type);

const yesOrNo: Option[] = [
  { value: 'true', name: 'Yes' },
  { value: 'false', name: 'No' },
];

/** A value as its control shows and sends it. */
export const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.join('\n') : String(value);
};

export const CustomFieldControl = ({ field, value }: { field: CustomField; value: unknown }) => {
  const props = { name: sentAs(field), label: field.name, value: textOf(value) };
  switch (field.type) {
    case 'LONG_TEXT':
      return <TextArea {...props} rows={5} />;
    case 'NUMBER':
    case 'CURRENCY':
      return <Text {...props} inputmode="decimal" />;
    case 'DATE':
      return <Day {...props} />;
    case 'CHECKBOX':
      return <Choice {...props} options={yesOrNo} none="None" />;
    case 'SELECT':
      return <Choice {...props} options={asOptions(field.options)} none="None" />;
    case 'MULTI_SELECT':
      return <Several {...props} options={asOptions(field.options)} />;
    case 'CONTACT':
    case 'MATTER':
      return (
        <Text
          {...props}
          hint={`Paste the address of the ${field.type === 'CONTACT' ? 'contact' : 'matter'}’s page`}
        />
      );
    default:
      return <Text {...props} type={inputTypes[field.type] ?? 'text'} />;
  }
};

// Browsers would refuse an address without a scheme as a URL, so only the server checks it.
const inputTypes: Partial<Record<CustomFieldType, 'tel'>> = { PHONE: 'tel' };

const asOptions = (labels: readonly string[]): Option[] =>
  labels.map((label) => ({ value: label, name: label }));

/** A control to choose several of a list. */
const Several = (props: {
  name: string;
  label: string;
  value: string;
  options: readonly Option[];
}) => {
  const field = useField(props, props.value);
  const chosen = new Set(field.value.split('\n'));
  return (
    <Field {...props} field={field} hint="Hold Ctrl to choose several">
      <select class="input" {...field.control} multiple size={Math.min(8, props.options.length)}>
        {props.options.map(({ value, name }) => (
          <option value={value} selected={chosen.has(value)}>
            {name}
          </option>
        ))}
      </select>
      <input type="hidden" name={`several.${props.name}`} value="on" />
    </Field>
  );
};

const Link = ({ address }: { address: string }) => {
  const href = safeLink(address);
  return href ? <a href={href}>{address}</a> : <span>{address}</span>;
};

/**
 * Gives the name of the record that a field's value refers to; undefined if the reader may not see
 * it.
 */
export type NameOf = (id: string) => string | undefined;

/** A custom field's value as people read it; null if there is none. */
const customFieldWords = (field: CustomField, value: unknown, nameOf?: NameOf) => {
  if (value === null || value === undefined || value === '') return null;
  if (Array.isArray(value)) return value.length > 0 ? value.join(', ') : null;
  const text = String(value);
  switch (field.type) {
    case 'CHECKBOX':
      return value === true ? 'Yes' : 'No';
    case 'DATE':
      return <DayWords day={text} />;
    case 'URL':
      return <Link address={text} />;
    case 'CONTACT':
    case 'MATTER': {
      const name = nameOf?.(text);
      const path = field.type === 'CONTACT' ? '/contacts' : '/matters';
      return name ? <a href={`${path}/${text}`}>{name}</a> : 'One that you may not see';
    }
    default:
      return text;
  }
};

type CustomFieldValuesProps = {
  record: { defined: readonly CustomField[]; customFields: Record<string, unknown> };
  /** The address for edits. Without it, the values cannot be edited. */
  action: string | undefined;
  nameOf: NameOf;
};

/** A record's custom fields. Each can be edited in place. */
export const CustomFieldValues = ({
  record: { defined, customFields },
  action,
  nameOf,
}: CustomFieldValuesProps) => (
  <>
    {defined.filter(isStored).map((field) => (
      <Value
        label={field.name}
        shown={customFieldWords(field, customFields[field.name], nameOf)}
        action={action}
        names={[sentAs(field), `several.${sentAs(field)}`]}
      >
        <CustomFieldControl field={field} value={customFields[field.name]} />
      </Value>
    ))}
  </>
);

/** The values of a record's custom fields, as its forms show and send them. */
export const customFieldTexts = ({ defined, customFields }: CustomFieldValuesProps['record']) =>
  Object.fromEntries(
    defined.filter(isStored).map((field) => [sentAs(field), textOf(customFields[field.name])]),
  );

const anId = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/** The field's value from what a control sent: numbers for numbers, null for nothing. */
const valueFrom = (field: CustomField, fields: Fields): unknown => {
  const name = sentAs(field);
  if (field.type === 'MULTI_SELECT') {
    const chosen = fields
      .all(name)
      .flatMap((one) => one.split('\n'))
      .filter(Boolean);
    return chosen.length > 0 ? chosen : null;
  }
  const text = field.type === 'LONG_TEXT' ? (fields.raw(name) ?? '') : (fields.text(name) ?? '');
  if (text === '') return null;
  switch (field.type) {
    case 'NUMBER':
    case 'CURRENCY':
      return /^[-+]?\d[\d\s,]*(\.\d+)?$/.test(text) ? Number(text.replaceAll(/[\s,]/g, '')) : text;
    case 'CHECKBOX':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'CONTACT':
    case 'MATTER':
      return anId.exec(text)?.[0] ?? text;
    default:
      return text;
  }
};

/** The custom fields that a form sent, by name; undefined if it sent none. */
export const customFieldsFrom = (
  fields: Fields,
  defined: readonly CustomField[],
): Record<string, unknown> | undefined => {
  const sent = defined.filter(
    (field) => fields.has(sentAs(field)) || fields.has(`several.${sentAs(field)}`),
  );
  if (sent.length === 0) return undefined;
  return Object.fromEntries(sent.map((field) => [field.name, valueFrom(field, fields)]));
};

/** The custom fields that the form of a new record sent with a value, by name. */
export const filledFrom = (fields: Fields, defined: readonly CustomField[]) =>
  Object.fromEntries(
    Object.entries(customFieldsFrom(fields, defined) ?? {}).filter(([, value]) => value !== null),
  );

/** A form's fields as texts, several choices joined into one, so that two edits can be compared. */
export const joined = (fields: Fields, names: readonly string[]): Fields => {
  const several = new Set(names);
  const isSeveral = (name: string) => several.has(name) && !name.startsWith(originalName(''));
  return {
    ...fields,
    raw: (name) => (isSeveral(name) ? fields.all(name).join('\n') : fields.raw(name)),
  };
};
