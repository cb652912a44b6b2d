/** The short words a caller's program can act on; each has one HTTP status (api/errors.ts). */
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
 * An answer with an error body: expected, and written for the person who must act.
 * Anything else that is thrown is a bug: it is logged and answered with a fixed text.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  /**
   * @param code what happened, in the contract's words (docs/contract.md, Errors)
   * @param message one or two sentences: the field, the rule, what to do; never the caller's own
   * text
   * @param headers answer headers that belong to this refusal, such as `retry-after`
   * @param faults fields and their rules apart, for a page that shows each rule beside its field
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
 * A field that breaks its rule: `field` is its path as it is sent (`team[1].memberId`,
 * `customFields.Source`), `rule` goes on after it (`must be a calendar date, YYYY-MM-DD`). Where two
 * people edited the same field, `now` is what the other one has made of it.
 */
export type Fault = { field: string; rule: string; now?: string };

/** A field breaks its rule: 400 invalid_request, with field and rule also apart. */
export const invalidField = (field: string, rule: string, advice = '') =>
  new Refusal('invalid_request', `${field} ${rule}.${advice && ` ${advice}`}`, {}, [
    { field, rule },
  ]);

/** What was sent breaks a rule that belongs to no single field: 400 invalid_request. */
export const invalid = (message: string) => new Refusal('invalid_request', message);

/** No record of the firm has that id: 404, the same words for unknown, foreign, deleted and hidden. */
export const notFound = (message = 'No record has this id.') => new Refusal('not_found', message);

/** A field names a record that the firm does not have: 404, with field and rule also apart. */
export const notFoundField = (field: string, rule: string) =>
  new Refusal('not_found', `${field} ${rule}.`, {}, [{ field, rule }]);

/** The database cannot be reached at the moment, or another `reason`: 503, worth trying again. */
export const unavailable = (reason = 'The database cannot be reached at the moment.') =>
  new Refusal('unavailable', `${reason} Nothing is lost; try again in a few seconds.`, {
    'retry-after': '2',
  });
