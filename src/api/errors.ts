import { type Context, ValidationError } from 'elysia';
import { Refusal } from '../base/refusal.ts';
import { asRefusal, statusOf } from '../http/failure.ts';

/** Puts a failure on the wire: status, headers, and `{ error: { code, message } }`. */
export const answerFailure = (error: unknown, set: Context['set']) => {
  const refusal = asRefusal(error, set.headers['x-request-id']);
  set.status = statusOf[refusal.code];
  Object.assign(set.headers, refusal.headers);
  return { error: { code: refusal.code, message: refusal.message } };
};

/** Whether a failure says that what was sent does not have the shape asked for. */
export const isAboutShape = (error: unknown) =>
  (error instanceof ValidationError && error.type === 'body') ||
  (error instanceof Refusal &&
    (error.code === 'invalid_request' || error.code === 'payload_too_large'));
