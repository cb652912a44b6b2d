import { type Fault, Refusal } from '../../base/refusal.ts';
import { readContact, removeContact } from '../../contacts/contact.ts';
import { readDeletedContact, restoreContact } from '../../contacts/deleted.ts';
import {
  emailRule,
  isAddress,
  isNumber,
  phoneRule,
  validateEmail,
  validatePhone,
} from '../../contacts/reachable.ts';
import { type ContactFull, contactChange, newContact } from '../../contacts/wire.ts';
import type { CustomField } from '../../custom-fields/custom-field.ts';
import { changeContact } from '../../leads/contact.ts';
import { customFields } from '../custom-fields.tsx';
import type { Deletion } from '../deleted-record.tsx';
import { checked, type Fields } from '../fields.ts';
import { newFrom } from '../records/field.tsx';
import { editOf } from '../records/forms.tsx';
import { type Contact, contactFields, onlyOf } from './fields.tsx';

/** How a contact's values are edited, on its page or on its lead's page. */
export const contactEdit = editOf<Contact>({
  fields: contactFields,
  holder: 'CONTACT',
  read: readContact,
  change: async (actor, id, sent) => {
    const body = withAddresses(sent, await readContact(actor, id));
    return changeContact(actor, id, checked(contactChange, body));
  },
});

/**
 * The contact that a form makes. What the form hides for its type is left out, though it was typed
 * before. Throws `Refusal` for what is wrong in its fields.
 */
export const contactFrom = (fields: Fields, defined: readonly CustomField[]) => {
  const hidden = fields.text('type') === 'COMPANY' ? onlyOf.PERSON : onlyOf.COMPANY;
  const all = { ...contactFields, ...customFields<Contact>(defined) };
  const asked = Object.entries(all).filter(([key]) => !(key in hidden));
  const typed = newFrom<Contact>(Object.fromEntries(asked), fields);
  return checked(newContact, {
    type: 'PERSON',
    ...withAddresses(typed, { emails: [], phones: [] }),
  });
};

/** How a contact is deleted and comes back. */
export const contactDeletion: Deletion = {
  list: 'contacts',
  remove: removeContact,
  readDeleted: async (reader, id) => ({
    name: (await readDeletedContact(reader, id)).name,
    words:
      'The contact is no longer in lists or in the search. Its leads and matters stay, without the contact.',
  }),
  restore: restoreContact,
};

/** A form sends addresses as texts. */
type Sent = { emails?: string[]; phones?: string[] };

/** The first of the addresses that were sent is the main one. Those that stay keep their labels. */
const withAddresses = (sent: object, now: Pick<ContactFull, 'emails' | 'phones'>) => {
  const { emails, phones } = sent as Sent;
  const heldEmails = now.emails.map(({ address }) => address);
  validateEmail('emails', emails, heldEmails);
  const heldPhones = now.phones.map(({ number }) => number);
  validatePhone('phones', phones, heldPhones);
  const labelIn = (labels: readonly { label: string | null }[], place: number) => ({
    label: labels[place]?.label ?? null,
  });
  return {
    ...sent,
    ...(emails && {
      emails: emails.map((address, at) => ({
        address,
        isPrimary: at === 0,
        ...labelIn(now.emails, heldEmails.indexOf(address)),
      })),
    }),
    ...(phones && {
      phones: phones.map((number, at) => ({
        number,
        isPrimary: at === 0,
        ...labelIn(now.phones, heldPhones.indexOf(number)),
      })),
    }),
  };
};

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
