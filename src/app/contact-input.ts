import { type Fault, invalidField, Refusal } from '../base/refusal.ts';

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

const emailRule = 'must be an email address, for example ada@harrow.example';
const phoneRule = 'must be a phone number, for example 020 7946 0991';

export const validateEmail = validating(isAddress, emailRule);

export const validatePhone = validating(isNumber, phoneRule);

const names = ['firstName', 'lastName', 'companyName'] as const;

/** What a form asks of the person of a new record. */
export type PersonTyped = {
  [Name in (typeof names)[number] | 'email' | 'phone']?: string | undefined;
};

/**
 * Throws `Refusal` for the person of a new record, with all that is wrong: no name at all, which all
 * three fields show, and an email or a phone that is none.
 */
export const validatePerson = (person: PersonTyped): void => {
  const { email, phone } = person;
  const rule = 'must not all be empty';
  const nameless = names.map(
    (field): Fault => ({
      field,
      rule,
      kind: { kind: 'anyName' },
      ...(field !== names[0] && { at: names[0] }),
    }),
  );
  const faults: Fault[] = [
    ...(names.some((name) => person[name]) ? [] : nameless),
    ...(phone && !isNumber(phone) ? [{ field: 'phone', rule: phoneRule }] : []),
    ...(email && !isAddress(email) ? [{ field: 'email', rule: emailRule }] : []),
  ];
  if (faults.length > 0) throw new Refusal('invalid_request', 'Correct the fields.', {}, faults);
};
