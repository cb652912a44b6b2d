import { invalidField } from '../base/refusal.ts';

const isAddress = (text: string) => /^[^\s@,;<>]+@[^\s@,;<>]+$/.test(text);

const leastDigits = 3;
const isNumber = (text: string) => (text.match(/\d/g)?.length ?? 0) >= leastDigits;

/**
 * The API takes any text as an email or a phone, because losing a lead is worse than a wrong
 * address. A person at a form can still correct it: throws `Refusal` for a text that nobody can be
 * written to or called at. `held` are those that the record has already: they are let pass.
 */
const validating =
  (isValid: (text: string) => boolean, rule: string) =>
  (
    field: string,
    sent: string | readonly string[] | undefined,
    held: readonly string[] = [],
  ): void => {
    const fresh = [sent ?? []].flat().filter((text) => text !== '' && !held.includes(text));
    if (!fresh.every(isValid)) throw invalidField(field, rule);
  };

export const validateEmail = validating(
  isAddress,
  'must be an email address, for example ada@harrow.example',
);

export const validatePhone = validating(
  isNumber,
  'must be a phone number, for example 020 7946 0991',
);
