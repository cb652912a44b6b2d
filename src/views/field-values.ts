/** The values of custom fields that a list shows as columns. */
import { type Placeholder, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { contact } from '../contacts/table.ts';
import type { CustomField } from '../custom-fields/custom-field.ts';
import { lead } from '../leads/table.ts';
import { matter } from '../matters/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { canSeeContact, type Viewer, viewerOf } from '../visibility/visibility.ts';

/** Values by the ids of their fields. Instead of a record's id, its name; null if the reader may not see it. */
export type FieldValues = Readonly<Record<string, unknown>>;

type Asked = {
  fields: readonly Pick<CustomField, 'id' | 'type'>[];
  /** A longer text is cut, and ends with `…`. */
  maxLetters: number;
  seesContacts: boolean;
  seesMatters: boolean;
};

/**
 * The values that these records hold in some of their custom fields, by the records' ids, in one
 * statement. Who asks may see the records.
 */
export const fieldValuesOf = async (
  reader: Reader,
  kind: Listed,
  ids: readonly string[],
  { fields, ...asked }: Asked,
): Promise<ReadonlyMap<string, FieldValues>> => {
  if (fields.length === 0 || ids.length === 0) return new Map();
  const ofType = (wanted: CustomField['type']) =>
    fields.filter(({ type }) => type === wanted).map(({ id }) => id);
  const rows = await reader.run(valuesOf[kind], {
    ...viewerOf(reader),
    ...asked,
    ids: [...ids],
    fields: fields.map(({ id }) => id),
    contactFields: ofType('CONTACT'),
    matterFields: ofType('MATTER'),
  });
  return new Map(rows.map(({ id, values }) => [id, values]));
};

type Values = Viewer &
  Omit<Asked, 'fields'> &
  Record<'ids' | 'fields' | 'contactFields' | 'matterFields', string[]>;

const valuesIn = (table: typeof contact | typeof lead | typeof matter) => {
  const record = alias(table, 'record');
  return statement((given: Given<Values>) => {
    const text = sql`field.value #>> '{}'`;
    // The id is read only of a field that holds one.
    const idIn = (fields: Placeholder) =>
      sql`case when field.key = any(${fields}::text[]) then (${text})::uuid end`;
    return sql<{ id: string; values: FieldValues }>`
      select ${record.id}, json_object_agg(field.key, case
          when field.key = any(${given.contactFields}::text[]) then to_jsonb(${contact.name})
          when field.key = any(${given.matterFields}::text[]) then to_jsonb(${matter.number})
          when jsonb_typeof(field.value) <> 'string' or length(${text}) <= ${given.maxLetters}::int
            then field.value
          else to_jsonb(left(${text}, ${given.maxLetters}::int) || '…') end) as values
      from unnest(${given.ids}::uuid[]) asked (id)
      join ${table} ${record} on ${record.firmId} = ${given.firmId} and ${record.id} = asked.id
      cross join lateral jsonb_each(${record.customFields}) field
      left join ${contact} on ${given.seesContacts}::boolean and ${contact.firmId} = ${record.firmId}
        and ${contact.id} = ${idIn(given.contactFields)} and ${contact.deletedAt} is null
        and ${canSeeContact(given)}
      left join ${matter} on ${given.seesMatters}::boolean and ${matter.firmId} = ${record.firmId}
        and ${matter.id} = ${idIn(given.matterFields)}
      where field.key = any(${given.fields}::text[])
      group by ${record.id}`;
  });
};

/** A kind of record that has a list. */
export type Listed = keyof typeof valuesOf;

const valuesOf = { contact: valuesIn(contact), lead: valuesIn(lead), matter: valuesIn(matter) };
