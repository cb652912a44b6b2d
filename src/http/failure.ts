import { NotFoundError, ParseError, ValidationError } from 'elysia';
import { explain, type Issue, sentenceOf } from '../base/explain.ts';
import { describeError, log } from '../base/log.ts';
import { invalid, notFound, Refusal, type RefusalCode, unavailable } from '../base/refusal.ts';

/** The HTTP status of each refusal (docs/contract.md, Errors; Requests). */
export const statusOf: Record<RefusalCode, number> = {
  invalid_request: 400,
  invalid_custom_field: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_configured: 409,
  conflict: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
};

/**
 * A failure as a refusal. Anything unexpected is a bug: it is logged here, and its text stays in
 * the log.
 */
export const asRefusal = (error: unknown, requestId: unknown): Refusal => {
  if (error instanceof Refusal) return error;
  if (error instanceof NotFoundError)
    return new Refusal('not_found', 'There is nothing at this path.');
  if (error instanceof ParseError) return invalid('The request body is not valid JSON.');
  // The only parameter is a record's id. One that cannot be decoded is the id of no record.
  if (error instanceof ValidationError && error.type === 'params') return notFound();
  if (error instanceof ValidationError && error.type !== 'response') return invalid(wordsOf(error));
  // Nobody will read this answer. It says what happened, so that the log does not show a failure of
  // ours.
  if (error instanceof DOMException && error.name === 'AbortError')
    return invalid('The request ended before it was complete.');
  if (isPassing(error)) {
    log('warn', 'statement given up', { requestId, ...describeError(error) });
    return codeOf(error) === diskFull
      ? unavailable(
          "The disk of the server's database is full: nothing can be stored, but reading works.",
        )
      : unavailable();
  }
  log('error', 'request failed', { requestId, ...describeError(error) });
  return new Refusal(
    'internal_error',
    `The request could not be completed. The log has more under the request id ${requestId}.`,
  );
};

// Statement timeout, lock timeout, deadlock, serialization, disk full, too many connections.
const diskFull = '53100';
const passing = new Set(['57014', '55P03', '40P01', '40001', diskFull, '53300']);
const codeOf = (error: unknown) => (error as { code?: string } | null)?.code ?? '';
const isPassing = (error: unknown) => passing.has(codeOf(error));

const wordsOf = (error: ValidationError): string => {
  const issue = error.valueError as Issue | undefined;
  return issue
    ? sentenceOf(explain(issue, 'The request body'))
    : 'The request does not have the expected shape.';
};
