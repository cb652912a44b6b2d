import { type Rule, ruleOf } from './rule.ts';

/** Short words that a caller's program can act on. Each has one HTTP status (http/failure.ts). */
export type RefusalCode =
  | 'invalid_request'
  | 'invalid_custom_field'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'not_configured'
  | 'conflict'
  | 'precondition_failed'
  | 'payload_too_large'
  | 'rate_limited'
  | 'unavailable'
  | 'internal_error';

/**
 * An expected failure, worded for the person who must act on it. Anything else that is thrown is a
 * bug: it is logged, and answered with a fixed text.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  /**
   * @param code what happened, in the contract's words (docs/contract.md, Errors)
   * @param message one or two sentences: the field, the rule, what to do; never the caller's own
   * text
   * @param headers answer headers of this refusal, for example `retry-after`
   * @param faults each field with its rule, so that a page can show the rule beside the field
   */
  constructor(
    readonly code: RefusalCode,
    message: string,
    readonly headers: Record<string, string> = {},
    readonly faults: readonly Fault[] = [],
  ) {
    super(message);
  }
}

/**
 * A field that breaks its rule. `field` is its path as it is sent (`team[1].memberId`,
 * `customFields.Source`). `rule` completes the API's sentence (`must be a calendar date, YYYY-MM-DD`), `kind` is for other doors. If
 * two people edited the same field, `now` is the other person's value, and `by` is who stored it, if
 * that is known: in another window also the same person, `isSelf`. A rule that several fields break
 * together is said `at` one of them.
 */
export type Fault = Rule & {
  field: string;
  now?: string;
  by?: { name: string; isSelf: boolean; at: Date } | undefined;
  at?: string;
};

/** A field breaks its rule: 400 invalid_request. Field and rule are also given separately. */
export const invalidField = (field: string, broken: string | Rule, advice = '') => {
  const rule = ruleOf(broken);
  return new Refusal('invalid_request', `${field} ${rule.rule}.${advice && ` ${advice}`}`, {}, [
    { field, ...rule },
  ]);
};

/** The choice that a field names. Throws `Refusal` invalid_request for a text that is none of them. */
export const oneOf = <Choice extends string>(
  field: string,
  choices: readonly Choice[],
  value: string,
): Choice => {
  const chosen = choices.find((one) => one === value);
  if (chosen !== undefined) return chosen;
  throw invalidField(field, { rule: 'must be one of the choices', kind: { kind: 'choice' } });
};

/** What was sent breaks a rule that belongs to no single field: 400 invalid_request. */
export const invalid = (message: string) => new Refusal('invalid_request', message);

/**
 * No record of the firm has that id: 404. The words are the same for unknown, foreign, deleted and
 * hidden.
 */
export const notFound = (message = 'No record has this id.') => new Refusal('not_found', message);

/**
 * A field names a record that the firm does not have: 404. Field and rule are also given
 * separately. `list` says where
 * a caller of the API finds the ids: `GET /v1/contacts`.
 */
export const notFoundField = (field: string, broken: string | Rule, list?: string) => {
  const advice = list ? ` Ids are listed by \`${list}\`.` : '';
  const { rule, kind } = ruleOf(broken);
  return new Refusal('not_found', `${field} ${rule}.${advice}`, {}, [{ field, rule, kind }]);
};

/** The database cannot be reached, or another `reason`: 503, worth trying again. */
export const unavailable = (reason = 'The database cannot be reached at the moment.') =>
  new Refusal('unavailable', `${reason} Nothing is lost; try again in a few seconds.`, {
    'retry-after': '2',
  });
