import { type Context, ValidationError } from 'elysia';
import { Refusal } from '../base/refusal.ts';
import { asRefusal, statusOf } from '../http/failure.ts';
import { refusalsPath } from './docs.ts';

/**
 * Writes a failure as an answer: status, headers, and `{ error: { code, message } }`. `Link` leads to
 * what the code means.
 */
export const answerFailure = (error: unknown, set: Context['set']) => {
  const refusal = asRefusal(error, set.headers['x-request-id']);
  set.status = statusOf[refusal.code];
  set.headers.link = `<${refusalsPath}#${refusal.code}>; rel="help"`;
  Object.assign(set.headers, refusal.headers);
  return { error: { code: refusal.code, message: refusal.message } };
};

/** Whether a failure says that the request does not have the expected shape. */
export const isAboutShape = (error: unknown) =>
  (error instanceof ValidationError && error.type === 'body') ||
  (error instanceof Refusal &&
    (error.code === 'invalid_request' || error.code === 'payload_too_large'));
