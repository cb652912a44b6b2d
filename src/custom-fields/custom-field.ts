import { and, asc, eq, sql } from 'drizzle-orm';
import { isCalendarDate } from '../base/calendar-date.ts';
import { isId } from '../base/columns.ts';
import { quoted } from '../base/quoted.ts';
import { notFound, Refusal } from '../base/refusal.ts';
import type { Rule } from '../base/rule.ts';
import { isLonger } from '../base/shapes.ts';
import { contact } from '../contacts/table.ts';
import { matter } from '../matters/table.ts';
import { type Given, query, shortStatement, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { canSeeContact, type Viewer, viewerOf } from '../visibility/visibility.ts';
import {
  type CustomFieldHolder,
  type CustomFieldType,
  type CustomValue,
  customField,
  customFieldHolders,
  type StoredValues,
  uncarriedTypes,
} from './table.ts';
import { longestText, maxLabels } from './wire.ts';

/** A field's definition, as values are checked against it. */
export type CustomField = typeof customField.$inferSelect;

/** What of a field is asked of its values, and shown with them. */
export type DefinedField = Pick<CustomField, 'id' | 'name' | 'type' | 'options'>;

const fields = shortStatement(({ firmId, appliesTo }: Given<'firmId' | 'appliesTo'>) =>
  query
    .select()
    .from(customField)
    .where(and(eq(customField.firmId, firmId), eq(customField.appliesTo, appliesTo)))
    .orderBy(asc(customField.position), asc(customField.id)),
);

/** The firm's fields on one kind of record, in their order. */
export const customFieldsOn = (reader: Reader, appliesTo: CustomFieldHolder) =>
  reader.run(fields, { firmId: reader.firmId, appliesTo });

const fieldById = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .select()
    .from(customField)
    .where(and(eq(customField.firmId, firmId), eq(customField.id, id))),
);

/** All custom fields of the firm: those of contacts, then of matters, then of leads. */
export const allCustomFields = async (reader: Reader): Promise<CustomField[]> => {
  const lists = customFieldHolders.map((holder) => customFieldsOn(reader, holder));
  return (await Promise.all(lists)).flat();
};

/** One custom field of the firm. Throws `Refusal` not_found. */
export const readCustomField = async (reader: Reader, id: string): Promise<CustomField> => {
  const found = await reader.first(fieldById, { firmId: reader.firmId, id });
  if (!found) throw notFound();
  return found;
};

/** The two custom field properties of a single answer. */
export const viewCustomFields = (defined: readonly DefinedField[], stored: StoredValues) => {
  const carried = defined.filter((field) => isCarried(field.type));
  return {
    // fromEntries defines keys, so that a field may be called `__proto__`.
    customFields: Object.fromEntries(carried.map(({ id, name }) => [name, stored[id] ?? null])),
    unsupportedCustomFields: defined
      .filter((field) => !isCarried(field.type))
      .map(({ id, name, type }) => ({ id, name, type })),
  };
};

const isCarried = (type: CustomFieldType) => !(uncarriedTypes as readonly string[]).includes(type);

/**
 * Merges the values sent into the stored ones, key by key; null clears. Throws `Refusal`
 * invalid_custom_field for an unknown name, a value of the wrong type, a field that the API cannot
 * carry and an id that is not the firm's (docs/contract.md, Records).
 */
export const mergeCustomFields = async (
  reader: Reader,
  defined: CustomField[],
  stored: StoredValues,
  sent: Record<string, unknown> | undefined,
): Promise<StoredValues> => {
  const byName = new Map(defined.map((field) => [field.name, field]));
  const merged = { ...stored };
  for (const [name, value] of Object.entries(sent ?? {})) {
    const field = byName.get(name);
    if (!field)
      throw unwritable(name, '', {
        rule: 'is not the name of a custom field of this kind of record',
      });
    if (!isCarried(field.type))
      throw unwritable(name, '', { rule: `is a ${field.type} field, which the API cannot write` });
    if (value === null) {
      delete merged[field.id];
      continue;
    }
    const expectation = await refuse(reader, field, value);
    if (expectation) {
      throw unwritable(name, `is a ${field.type} field: it `, {
        rule: `must be ${expectation.rule} or null`,
        kind: expectation.kind,
      });
    }
    merged[field.id] = value as CustomValue;
  }
  return merged;
};

const unwritable = (name: string, what: string, broken: Rule) =>
  new Refusal('invalid_custom_field', `customFields[${quoted(name)}] ${what}${broken.rule}.`, {}, [
    { field: `customFields.${name}`, ...broken },
  ]);

/** What the value should have been, in words; undefined if it is right. */
const refuse = async (
  reader: Reader,
  field: CustomField,
  value: unknown,
): Promise<Rule | undefined> => {
  if (field.type === 'CONTACT' || field.type === 'MATTER') {
    const known =
      typeof value === 'string' && isId(value) && (await exists[field.type](reader, value));
    const noun = field.type.toLowerCase();
    return known
      ? undefined
      : {
          rule: `the id of a ${noun} of the firm, as \`GET /v1/${noun}s\` lists them,`,
          kind: { kind: 'recordOf', noun },
        };
  }
  return expectationOf(field, value);
};

/** The rule for values that need no look at the firm's records. */
const expectationOf = ({ type, options }: CustomField, value: unknown): Rule | undefined => {
  switch (type) {
    case 'LONG_TEXT':
      return typeof value === 'string' ? undefined : { rule: 'a string' };
    case 'NUMBER':
    case 'CURRENCY':
      return typeof value === 'number' && Number.isFinite(value)
        ? undefined
        : { rule: 'a number', kind: { kind: 'number' } };
    case 'CHECKBOX':
      return typeof value === 'boolean'
        ? undefined
        : { rule: 'true or false', kind: { kind: 'yesOrNo' } };
    case 'DATE':
      return isCalendarDate(value)
        ? undefined
        : { rule: 'a calendar date, YYYY-MM-DD', kind: { kind: 'day' } };
    case 'SELECT':
      return options.includes(value as string)
        ? undefined
        : { rule: `one of its options${listed(options)}`, kind: { kind: 'choice' } };
    case 'MULTI_SELECT':
      return isListOf(options, value)
        ? undefined
        : {
            rule: `an array of its options${listed(options)}, each once, at most ${maxLabels}`,
            kind: { kind: 'choices' },
          };
    default:
      return typeof value === 'string' && !isLonger(value, longestText)
        ? undefined
        : {
            rule: `a string of at most ${longestText} characters`,
            kind: { kind: 'tooLong', max: longestText },
          };
  }
};

const maxListed = 20;

/** The first options of a field, so that a caller need not look them up. */
const listed = (options: string[]) => {
  const named = options.slice(0, maxListed).map(quoted).join(', ');
  const more = options.length - maxListed;
  return ` (${named}${more > 0 ? ` and ${more} more` : ''})`;
};

const isListOf = (options: string[], value: unknown) =>
  Array.isArray(value) &&
  value.length <= maxLabels &&
  new Set(value).size === value.length &&
  value.every((label) => options.includes(label));

const contactExists = statement(
  (given: Given<Viewer & { id: string }>) => sql<{ known: boolean }>`
    select true as known from ${contact}
    where ${contact.firmId} = ${given.firmId} and ${contact.id} = ${given.id}
      and ${contact.deletedAt} is null and ${canSeeContact(given)}`,
);

const matterExists = statement(
  ({ firmId, id }: Given<'firmId' | 'id'>) => sql<{ known: boolean }>`
    select true as known from ${matter}
    where ${matter.firmId} = ${firmId} and ${matter.id} = ${id} and ${matter.deletedAt} is null`,
);

const exists = {
  CONTACT: async (reader: Reader, id: string) =>
    (await reader.first(contactExists, { ...viewerOf(reader), id })) !== undefined,
  MATTER: async (reader: Reader, id: string) =>
    (await reader.first(matterExists, { firmId: reader.firmId, id })) !== undefined,
};
