import { invalidField, Refusal } from '../base/refusal.ts';
import { isRequired } from '../base/rule.ts';
import { nameFields } from './wire.ts';

/** The parts of a person's or company's name as they are stored: trimmed, null if missing. */
export type ContactName = {
  type: 'PERSON' | 'COMPANY';
} & Record<(typeof nameFields)[number], string | null>;

type SentName = { type?: 'PERSON' | 'COMPANY' } & {
  [Field in (typeof nameFields)[number]]?: string | null;
};

/**
 * Merges the name sent into the stored one, if there is one. Throws `Refusal` if a PERSON would
 * have neither firstName nor lastName, or a COMPANY no companyName (docs/contract.md, Leads).
 */
export const mergeName = (sent: SentName, stored?: ContactName): ContactName => {
  const parts = nameFields.map((field) => [
    field,
    sent[field] === undefined ? (stored?.[field] ?? null) : trimmed(sent[field]),
  ]);
  const name = { ...Object.fromEntries(parts), type: sent.type ?? stored?.type ?? 'PERSON' };
  checkName(name);
  return name;
};

/** A text without white space at its ends; null if nothing is left. */
export const trimmed = (text: string | null | undefined): string | null => text?.trim() || null;

const checkName = (name: ContactName) => {
  if (name.type === 'PERSON' && !name.firstName && !name.lastName) {
    throw nameless();
  }
  if (name.type === 'COMPANY' && !name.companyName) {
    throw invalidField('companyName', isRequired(' for a COMPANY'));
  }
};

const nameless = () =>
  new Refusal(
    'invalid_request',
    'A PERSON needs firstName or lastName. Send at least one, or type COMPANY.',
    {},
    [
      {
        field: 'lastName',
        rule: 'is required where there is no first name',
        kind: { kind: 'neededWithoutFirstName' },
      },
    ],
  );

/**
 * A contact's name: first, middle and last name, or the company's name (docs/contract.md, Records).
 */
export const displayName = (name: ContactName): string =>
  name.type === 'COMPANY'
    ? (name.companyName ?? '')
    : [name.firstName, name.middleName, name.lastName].filter(Boolean).join(' ');
