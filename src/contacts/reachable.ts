import { invalidField } from '../base/refusal.ts';
import { plainly } from '../base/rule.ts';
import { cutName } from '../base/short-text.ts';

/** Whether somebody can be written to there. */
export const isAddress = (text: string) => /^[^\s@,;<>]+@[^\s@,;<>]+$/.test(text);

const leastDigits = 3;
/** Whether somebody can be called there. */
export const isNumber = (text: string) => (text.match(/\d/g)?.length ?? 0) >= leastDigits;

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
    const texts = [sent ?? []].flat();
    const wrong = texts.find((text) => text !== '' && !held.includes(text) && !isValid(text));
    if (wrong === undefined) return;
    // Of several, people read which one it is.
    throw texts.length > 1
      ? invalidField(field, plainly(`“${cutName(wrong)}” ${rule}`, rule))
      : invalidField(field, rule);
  };

export const emailRule = 'must be an email address, for example ada@harrow.example';
export const phoneRule = 'must be a phone number, for example 020 7946 0991';

export const validateEmail = validating(isAddress, emailRule);

export const validatePhone = validating(isNumber, phoneRule);
