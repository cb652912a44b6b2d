import { invalidField } from './refusal.ts';
import { isLonger } from './shapes.ts';

/** How long a name may be: of a member, a role, a stage, a field, a key. */
export const longestName = 255;

/** A name without blanks around it, of 1 to 255 characters. Throws `Refusal` naming the field. */
export const shortText = (field: string, text: string): string => {
  const trimmed = text.trim();
  if (trimmed && !isLonger(trimmed, longestName)) return trimmed;
  throw invalidField(field, `must be 1 to ${longestName} characters`);
};
