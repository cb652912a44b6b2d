/** @jsxImportSource preact */
/**
 * A record's fields are listed once, in `<record>/fields.tsx`. Its details, its forms and what they
 * send, its list with filters and file, and its history follow from that. A page that wants a field
 * elsewhere takes it out by its name: `const { stage, ...rows } = leadFields`.
 */
import type { ComponentChild, VNode } from 'preact';
import type { Permission } from '../../firm/permissions.ts';
import type { Fields as Sent } from '../fields.ts';
import type { RowFrame } from '../frame.tsx';
import type { ValueProps } from '../values.tsx';
import { type Kind, severalOf } from './kinds.tsx';

/** What the fields of a kind of record are about. */
export type About = {
  /** The record as its page reads it, and as its list does. */
  record: object;
  line: object;
  /** What its verbs take. */
  body: object;
  /** What its list is filtered and sorted by. */
  filter: object;
  sort: string;
  /** What the firm has to choose from. */
  choices: object;
};

/** A field: how it is called, what its value is, and where it appears. */
export type Field<Of extends About> = {
  label: string;
  /** Its label where there is little room: in the head of a column, and in the bar of filters. */
  short?: string;
  /** What is said if it has no value: by default `None`. */
  none?: string;
  kind: Kind<Of['choices']>;
  /** In details and forms. */
  edit?: Named<Of> & {
    /** It has its place among the details also if it is empty. */
    stands?: true;
    /** The value among the details, if its kind does not say how to show it. */
    shown?(record: Of['record']): ComponentChild;
  };
  /** In the list and its file. Its key is its name in the address. */
  column?: {
    sort?: Of['sort'];
    /** The cell's classes: `line-1`, `line-2` for a phone, `number`, `cut`, `nowrap`. */
    class?: string;
    /** The row's name, which is always shown. */
    isHead?: boolean;
    /** Only who has this permission may see it. */
    needs?: Permission;
    /** It is shown only if it is chosen. */
    isExtra?: boolean;
    /** Its text, or the name that the line has for it. */
    text: Name<Of['line']> | ((line: Of['line'], frame: RowFrame) => string);
    /** The cell, if it is more than the text. */
    cell?(line: Of['line'], frame: RowFrame): ComponentChild;
  };
  /** In the address of the list: by its value, or by the days from one to another. */
  filter?: ByValue<Of['filter']> | { days: readonly [Name<Of['filter']>, Name<Of['filter']>] };
};

type Name<Of> = keyof Of & string;

/** A field's name in forms and on the wire. The record has its value by the same name, or by another. */
type Named<Of extends About> =
  | { name: Name<Of['body']> & Name<Of['record']>; value?: undefined }
  | {
      name: Name<Of['body']> | `customFields.${string}`;
      value(record: Of['record']): unknown;
    };

type ByValue<Asked> = {
  [Key in Name<Asked>]: {
    name: Key;
    /** What a text asks for; null if it says nothing that can be asked for. */
    read(text: string, self: string): Asked[Key] | null;
    /** Where its control is. Without one, only links ask for it. */
    at?: 'bar' | 'more';
    /** Records without a value can be asked for. */
    orNone?: boolean;
    /** The text in words, if it is no option. */
    said?(text: string): string;
  };
}[Name<Asked>];

export type FieldsOf<Of extends About> = Readonly<Record<string, Field<Of>>>;

/** Lists the fields of a kind of record, in their order everywhere. */
export const fieldsOf =
  <Of extends About>() =>
  <Key extends string>(fields: Record<Key, Field<Of>>) =>
    fields;

/** Those of them that forms have. */
const editable = <Of extends About>(fields: FieldsOf<Of>) =>
  Object.values(fields).flatMap(({ edit, ...field }) => {
    if (!edit) return [];
    return [{ ...field, ...edit, value: (record: Of['record']) => valueIn<Of>(edit, record) }];
  });

/** A field's value in a record. */
export const valueIn = <Of extends About>({ name, value }: Named<Of>, record: Of['record']) =>
  value ? value(record) : (record as Readonly<Record<string, unknown>>)[name];

type RecordProps<Of extends About> = {
  record: Of['record'];
  choices: Of['choices'];
  /** The address for edits. Without it, nothing can be edited. */
  action: string | undefined;
};

/** A record's values with their labels, for its details. Each can be edited in place. */
export const valuesOf = <Of extends About>(
  fields: FieldsOf<Of>,
  { record, choices, action }: RecordProps<Of>,
): ValueProps[] =>
  editable(fields).map(({ name, label, none, kind, stands, value, shown }) => {
    const text = kind.text(value(record));
    return {
      label,
      none,
      stands,
      shown: shown ? shown(record) : kind.shown(text, choices),
      action,
      names: [name, severalOf(name)],
      children: kind.control({ name, label, value: text }, choices),
    };
  });

/**
 * The controls of a form: with the texts of a record, or empty for a new one. They are no component,
 * because the form's summary looks for the labels of its parts.
 */
export const controlsOf = <Of extends About>(
  fields: FieldsOf<Of>,
  choices: Of['choices'],
  texts: Readonly<Record<string, string>> = {},
): VNode[] =>
  editable(fields).map(({ name, label, kind }) =>
    kind.control({ name, label, value: texts[name] ?? '' }, choices),
  );

/** The fields by their names in forms and on the wire, as the history has them. */
export const byName = <Of extends About>(fields: FieldsOf<Of>) =>
  Object.fromEntries(editable(fields).map((field) => [field.name, field]));

/** What a form sent, as the verbs take it: null for what was emptied. */
export const changeFrom = <Of extends About>(fields: FieldsOf<Of>, sent: Sent) =>
  bodyOf<Of>(valuesFrom(fields, sent));

/** The same for a new record. What was left empty gets the usual value. */
export const newFrom = <Of extends About>(fields: FieldsOf<Of>, sent: Sent) =>
  bodyOf<Of>(valuesFrom(fields, sent).filter(([, value]) => value !== null && value !== ''));

const valuesFrom = <Of extends About>(fields: FieldsOf<Of>, sent: Sent) =>
  editable(fields)
    .filter(({ name }) => sent.has(name) || sent.has(severalOf(name)))
    .map(({ name, kind }) => [name, kind.sent(sent, name)] as const);

/** They are not checked yet. */
const bodyOf = <Of extends About>(
  values: (readonly [name: string, value: unknown])[],
): Partial<Of['body']> => {
  const isCustom = ([name]: readonly [string, unknown]) => name.startsWith('customFields.');
  const { false: own = [], true: custom = [] } = Object.groupBy(
    values,
    (one) => `${isCustom(one)}`,
  );
  const customFields = custom.map(([name, value]) => [name.replace('customFields.', ''), value]);
  return {
    ...(Object.fromEntries(own) as Partial<Of['body']>),
    ...(custom.length > 0 && { customFields: Object.fromEntries(customFields) }),
  };
};

/** A record's values, as its forms show and send them. */
export const textsOf = <Of extends About>(fields: FieldsOf<Of>, record: Of['record']) =>
  Object.fromEntries(
    editable(fields).map(({ name, kind, value }) => [name, kind.text(value(record))]),
  );
