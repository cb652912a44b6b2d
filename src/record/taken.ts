import { Refusal } from '../base/refusal.ts';

/**
 * For the `catch` of a write that stores something unique: if it broke the constraint of this name,
 * the error becomes a `Refusal` conflict with this message.
 */
export const refuseTaken =
  (constraint: string, message: string) =>
  (error: unknown): never => {
    if ((error as { constraint_name?: string }).constraint_name !== constraint) throw error;
    throw new Refusal('conflict', message);
  };
