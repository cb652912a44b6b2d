import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import { apart, wordsOf } from '../findable/findable.ts';

/** A custom field by its id: the label chosen of a SELECT, or days from and to of a DATE. */
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

/** How many words of a search are looked for. */
const mostWords = 10;

/** What a `findable_by` must be like that holds each of the words typed. */
export const patternsOf = (q: string | null): string[] =>
  wordsOf(q ?? '')
    .slice(0, mostWords)
    .map((word) => `% ${apart(word)}%`);

/** Whether a column holds what is asked; `none` asks for an empty one, null for any. */
export const isOrNone = (column: SQL, asked: Placeholder) =>
  sql`(${asked}::text is null or coalesce(${column}, 'none') = ${asked}::text)`;

/** Whether a column of days lies within these, both inclusive; null is no bound. */
export const isBetween = (column: SQL, from: Placeholder, to: Placeholder) => sql`
  (${from}::date is null or ${column} >= ${from}::date)
  and (${to}::date is null or ${column} <= ${to}::date)`;

/** Whether a text is like each of the patterns. */
export const isLikeAll = (text: SQL, patterns: Placeholder) =>
  sql`(cardinality(${patterns}::text[]) = 0 or ${text} like all(${patterns}::text[]))`;

/** Whether a record's custom fields hold what is asked of them; `fields` is JSON. */
export const hasFields = (
  values: SQL,
  fields: Placeholder,
) => sql`(${fields}::text = '[]' or not exists (
  select from jsonb_to_recordset(${fields}::jsonb) as asked (field text, "is" text, "from" text, "to" text)
  where not coalesce((asked."is" is null or ${values} ->> asked.field = asked."is")
    and (asked."from" is null or ${values} ->> asked.field >= asked."from")
    and (asked."to" is null or ${values} ->> asked.field <= asked."to"), false)))`;
