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

/** `Refusal` conflict for a name that another one has: `nameTaken('role of the firm')`. */
export const nameTaken = (noun: string) =>
  new Refusal('conflict', `Another ${noun} has this name already.`);

/** `refuseTaken` for the constraint that keeps names apart. */
export const refuseTakenName = (constraint: string, noun: string) =>
  refuseTaken(constraint, nameTaken(noun).message);
