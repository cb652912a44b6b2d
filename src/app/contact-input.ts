import { invalidField } from '../base/refusal.ts';

const isAddress = (text: string) => /^[^\s@,;<>]+@[^\s@,;<>]+$/.test(text);

const leastDigits = 3;
const isNumber = (text: string) => (text.match(/\d/g)?.length ?? 0) >= leastDigits;

/**
 * The API takes any text as an email or a phone, because losing a lead is worse than a wrong
 * address. A person at a form can still correct it: throws `Refusal` for a text that nobody can be
 * written to or called at. `held` are those that the record has already: they are let pass.
 */
export const validateContactInput = (
  field: string,
  kind: 'email' | 'phone',
  sent: string | readonly string[] | undefined,
  held: readonly string[] = [],
): void => {
  const isPlausible = kind === 'email' ? isAddress : isNumber;
  const fresh = [sent ?? []].flat().filter((text) => text !== '' && !held.includes(text));
  if (fresh.every(isPlausible)) return;
  throw invalidField(
    field,
    kind === 'email'
      ? 'must be an email address, for example ada@harrow.example'
      : 'must be a phone number, for example 020 7946 0991',
  );
};
