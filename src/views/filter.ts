import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import { customFieldsOn } from '../custom-fields/custom-field.ts';
import { dayKeys, textKey } from '../custom-fields/found-by.ts';
import type { CustomFieldHolder, CustomFieldType } from '../custom-fields/table.ts';
import type { Given } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { isOfFirm } from '../search-text/index-keys.ts';
import { keysOfBeginnings } from '../search-text/known-words.ts';
import { runLengths, spacedOut, wordsOf } from '../search-text/search-text.ts';

/**
 * A custom field by its id: a label of a SELECT or MULTI_SELECT, `true` or `false` of a CHECKBOX, a
 * text; or days from and to of a DATE.
 */
export type FieldFilter = {
  field: string;
  is: string | null;
  from: string | null;
  to: string | null;
};

/** Whether a filter asks for nothing but a status. */
export const isUnfiltered = ({ status, ...further }: { status: unknown }): boolean =>
  Object.values(further).every(
    (asked) => asked === null || (Array.isArray(asked) && !asked.length),
  );

const maxWords = 10;

/** The words that a filter asks for, as statements take them. */
export type Words = {
  /** What a `findable_by` must be like. */
  patterns: string[];
  /** The index has at least one of these for a record that may pass; empty if it is not asked. */
  keys: string[];
};

/** The words typed into a filter: a record passes if it has words that begin with each of them. */
export const filterWords = async (reader: Reader, q: string | null): Promise<Words> => {
  const words = wordsOf(q ?? '')
    .slice(0, maxWords)
    .map(spacedOut);
  const longest = words
    .flatMap((word) => word.split(' '))
    .toSorted((one, other) => other.length - one.length)[0];
  return {
    patterns: words.map((word) => `% ${word}%`),
    keys: longest ? await keysOfBeginnings(reader, longest) : [],
  };
};

/**
 * The rows of `lead` or `matter` to filter: of all that the index names if it is asked, else of the
 * whole table. The words themselves are compared by `passes`.
 */
export const rowsNamed = (
  table: 'lead' | 'matter',
  { firmId, keys }: Given<{ firmId: string } & Words>,
  usesIndex: boolean,
): SQL => {
  const [record, long] = [sql.raw(table), sql.raw(String(runLengths.long))];
  if (!usesIndex) return record;
  const runs = sql`generate_series(0, (select last_ordinal / ${long} from register
    where firm_id = ${firmId} and kind = ${sql.raw(`'${table}'`)}))`;
  return sql`(
    select * from ${record}
    where findable_keys(firm_id, ordinal, findable_by) && array(
        select hashtextextended(part, uuid_hash_extended(${firmId}, -1 - run))
        from unnest(${keys}::text[]) part, ${runs} run)
      and ${isOfFirm(sql`firm_id`, firmId)} and deleted_at is null) ${record}`;
};

/** Whether a column is the id that is asked for; `none` asks for an empty one, null for any. */
export const isThisId = (column: SQL, asked: Placeholder) => sql`
  (${asked}::text is null or ${column} is not distinct from nullif(${asked}::text, 'none')::uuid)`;

/** Whether a column holds what is asked; `none` asks for an empty one, null for any. */
export const isOrNone = (column: SQL, asked: Placeholder) =>
  sql`(${asked}::text is null or coalesce(${column}, 'none') = ${asked}::text)`;

export const isLikeAll = (text: SQL, patterns: Placeholder) =>
  sql`(cardinality(${patterns}::text[]) = 0 or ${text} like all(${patterns}::text[]))`;

/** The custom fields that a filter asks for, as statements take them. */
export type FieldConditions = {
  /** JSON that `hasFields` takes. */
  fields: string;
  /** The index has all of these for a record that passes. */
  fieldTexts: string[];
  /** If days are asked for, the index has at least one of these for a record that passes. */
  fieldDays: string[];
};

/**
 * The custom fields to filter by: those that the firm has. A saved view may name one that was removed
 * since. `isInIndex` says that the keys alone tell what passes, `hasRange` that days are asked for.
 */
export const fieldConditions = async (
  reader: Reader,
  appliesTo: CustomFieldHolder,
  asked: readonly FieldFilter[],
): Promise<FieldConditions & { hasRange: boolean; isInIndex: boolean }> => {
  const defined = asked.length > 0 ? await customFieldsOn(reader, appliesTo) : [];
  const typeOf = new Map(defined.map(({ id, type }) => [id, type]));
  const known = asked.filter(({ field }) => typeOf.has(field));
  const labels = known.flatMap(({ field, is }) => (is === null ? [] : [[field, is] as const]));
  const held = labels.map(([field, is]) => [field, heldFor(typeOf.get(field), is)] as const);
  const [range = null, ...others] = known
    .filter(({ from, to }) => from !== null || to !== null)
    .map(({ field, from, to }) => ({ field, from: from ?? firstDay, to: to ?? lastDay }));
  return {
    fields: JSON.stringify({ labels: Object.fromEntries(held), range, others }),
    fieldTexts: labels.map(([field, label]) => textKey(field, label)),
    fieldDays: range ? dayKeys(range.field, range.from, range.to) : [],
    hasRange: range !== null,
    isInIndex:
      labels.every(([field]) => typeOf.get(field) === 'SELECT') &&
      (range === null || typeOf.get(range.field) === 'DATE') &&
      others.length === 0,
  };
};

/** What a record that passes contains in a field of this type. */
const heldFor = (type: CustomFieldType | undefined, is: string): unknown => {
  if (type === 'MULTI_SELECT') return [is];
  return type === 'CHECKBOX' && (is === 'true' || is === 'false') ? is === 'true' : is;
};

const [firstDay, lastDay] = ['0001-01-01', '9999-12-31'];

/**
 * Whether a record's custom fields hold what is asked of them; `fields` is JSON. Labels and the first
 * range are compared without a look into a list for each record, which took three times as long.
 */
export const hasFields = (values: SQL, fields: Placeholder) => {
  const asked = (path: string) => sql`(${fields}::jsonb #> ${sql.raw(`'{${path}}'`)})`;
  const text = (path: string) => sql`(${fields}::jsonb #>> ${sql.raw(`'{${path}}'`)})`;
  return sql`((${asked('labels')} = '{}' or ${values} @> ${asked('labels')})
    and (${asked('range')} = 'null' or coalesce(
      ${values} ->> ${text('range,field')} between ${text('range,from')} and ${text('range,to')}, false))
    and (${asked('others')} = '[]' or not exists (
      select from jsonb_to_recordset(${asked('others')}) as asked (field text, "from" text, "to" text)
      where not coalesce(${values} ->> asked.field between asked."from" and asked."to", false))))`;
};
