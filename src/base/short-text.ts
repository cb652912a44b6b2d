import { invalidField } from './refusal.ts';
import { isLonger } from './shapes.ts';

/** How long the name of a member, role, stage, field or key may be. */
export const longestName = 255;

/** A name of 1 to 255 characters, without blanks at its ends. Throws `Refusal` naming the field. */
export const shortText = (field: string, text: string): string => {
  const trimmed = text.trim();
  if (trimmed && !isLonger(trimmed, longestName)) return trimmed;
  throw invalidField(field, {
    rule: `must be 1 to ${longestName} characters`,
    kind: { kind: 'length', max: longestName },
  });
};

/** The first `longestName` characters of a name, without blanks at its ends: none of them is cut in two. */
export const cutName = (text: string): string =>
  [...text.trim().slice(0, 2 * longestName)].slice(0, longestName).join('').toWellFormed().trim();
