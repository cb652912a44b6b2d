import { readContact, updateContact } from '../../contacts/contact.ts';
import { customFieldsOn } from '../../custom-fields/custom-field.ts';
import type { Actor, Reader } from '../../record/actor.ts';
import { customFieldTexts } from '../custom-fields.tsx';
import { changedOnly, type Fields } from '../fields.ts';
import { changeFrom, textsOf } from './fields.tsx';

/** What a contact's fields hold now, as its forms send them. */
export const contactTexts = async (reader: Reader, id: string) => {
  const [contact, defined] = await Promise.all([
    readContact(reader, id),
    customFieldsOn(reader, 'CONTACT'),
  ]);
  const custom = customFieldTexts({ defined, customFields: contact.customFields });
  return { ...textsOf(contact), ...custom };
};

/** Changes a contact by a form on its page or on its lead's page. Throws as `updateContact` does. */
export const changeContactBy = async (actor: Actor, id: string, fields: Fields) => {
  const [now, defined] = await Promise.all([
    readContact(actor, id),
    customFieldsOn(actor, 'CONTACT'),
  ]);
  await updateContact(actor, id, changeFrom(changedOnly(fields), now, defined));
};
