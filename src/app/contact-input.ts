import { type Fault, Refusal } from '../base/refusal.ts';
import { emailRule, isAddress, isNumber, phoneRule } from '../contacts/reachable.ts';

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
