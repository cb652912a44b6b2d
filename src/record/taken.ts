import { constraintOf } from '../base/constraint.ts';
import { Refusal } from '../base/refusal.ts';

/**
 * For the `catch` of a write that stores something unique: if it broke the constraint of this name,
 * the error becomes a `Refusal` conflict with this message.
 */
export const refuseTaken =
  (constraint: string, message: string) =>
  (error: unknown): never => {
    if (constraintOf(error) !== constraint) throw error;
    throw new Refusal('conflict', message);
  };
