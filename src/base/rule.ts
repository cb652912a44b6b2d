/**
 * What kind of rule a field breaks. The API's sentence is written where the rule is; other doors word
 * the kind for people (`wording.ts`). A rule without a kind is said alike everywhere.
 */
export type Kind =
  | { kind: 'needed' }
  | { kind: 'neededWithoutFirstName' }
  | { kind: 'anyName' }
  | { kind: 'day' }
  | { kind: 'tooLong'; max: number }
  | { kind: 'length'; max: number }
  | { kind: 'number'; from?: number | string; to?: number | string }
  | { kind: 'yesOrNo' }
  | { kind: 'choice' }
  | { kind: 'choose'; one: string }
  | { kind: 'choices' }
  | { kind: 'gone' }
  | { kind: 'recordOf'; noun: string }
  | { kind: 'ofAChoice' }
  | { kind: 'lines'; max: number }
  /** Said as it is, without the field's name. */
  | { kind: 'sentence'; words: string };

/** A rule in the API's words, and its kind. */
export type Rule = { rule: string; kind?: Kind | undefined };

export const ruleOf = (rule: string | Rule): Rule => (typeof rule === 'string' ? { rule } : rule);

/** A field that must be sent; `when` says in which case. */
export const isRequired = (when = ''): Rule => ({
  rule: `is required${when}`,
  kind: { kind: 'needed' },
});

/** A field that must hold a day. */
export const mustBeDay: Rule = {
  rule: 'must be a calendar date, YYYY-MM-DD',
  kind: { kind: 'day' },
};

/** A rule whose API words would not be a plain sentence behind a form's label: people read `words` instead. */
export const plainly = (words: string, rule: string): Rule => ({
  rule,
  kind: { kind: 'sentence', words },
});

/** A field that names a record by its id, if there is none: `isNotTheIdOf('a contact of the firm')`. */
export const isNotTheIdOf = (record: string): Rule => ({
  rule: `is not the id of ${record}`,
  kind: { kind: 'gone' },
});
