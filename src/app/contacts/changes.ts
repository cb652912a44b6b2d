import { readContact, removeContact } from '../../contacts/contact.ts';
import { readDeletedContact, restoreContact } from '../../contacts/deleted.ts';
import { validateEmail, validatePhone } from '../../contacts/reachable.ts';
import { type ContactFull, contactChange, newContact } from '../../contacts/wire.ts';
import { type CustomField, customFieldsOn } from '../../custom-fields/custom-field.ts';
import { changeContact } from '../../leads/contact.ts';
import type { Actor, Reader } from '../../record/actor.ts';
import { customFields } from '../custom-fields.tsx';
import type { Deletion } from '../deleted-record.tsx';
import { changedOnly, checked, type Fields } from '../fields.ts';
import { changeFrom, newFrom, textsOf } from '../records/field.tsx';
import { type Contact, contactFields, onlyOf } from './fields.tsx';

const fieldsWith = (defined: readonly CustomField[]) => ({
  ...contactFields,
  ...customFields<Contact>(defined),
});

/** What a contact's fields hold now, as its forms send them. */
export const contactTexts = async (reader: Reader, id: string) => {
  const [contact, defined] = await Promise.all([
    readContact(reader, id),
    customFieldsOn(reader, 'CONTACT'),
  ]);
  return textsOf(fieldsWith(defined), contact);
};

/** Changes a contact by a form on its page or on its lead's page. Throws as `changeContact` does. */
export const changeContactBy = async (actor: Actor, id: string, fields: Fields) => {
  const [now, defined] = await Promise.all([
    readContact(actor, id),
    customFieldsOn(actor, 'CONTACT'),
  ]);
  const sent = withAddresses(changeFrom(fieldsWith(defined), changedOnly(fields)), now);
  await changeContact(actor, id, checked(contactChange, sent));
};

/**
 * The contact that a form makes. What the form hides for its type is left out, though it was typed
 * before. Throws `Refusal` for what is wrong in its fields.
 */
export const contactFrom = (fields: Fields, defined: readonly CustomField[]) => {
  const hidden = fields.text('type') === 'COMPANY' ? onlyOf.PERSON : onlyOf.COMPANY;
  const asked = Object.entries(fieldsWith(defined)).filter(([key]) => !(key in hidden));
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
      'The contact is no longer in lists or in the search. Its leads and matters are without it.',
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
