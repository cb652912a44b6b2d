import { resource, usualBodyLimitBytes } from '../record/resource.ts';
import {
  createContact,
  listContacts,
  readContact,
  removeContact,
  updateContact,
} from './contact.ts';
import { contact } from './table.ts';
import { contactChange, contactFull, contactRow, examples, newContact } from './wire.ts';

export const contacts = resource({
  name: 'contacts',
  noun: 'contact',
  description: 'People and companies the firm deals with.',
  shapes: { row: contactRow, full: contactFull, create: newContact, update: contactChange },
  examples,
  includes: { externalId: {} },
  told: { table: contact },
  refusals: { create: ['invalid_custom_field'], update: ['invalid_custom_field'] },
  bodyLimitBytes: usualBodyLimitBytes,
  list: listContacts,
  read: readContact,
  create: createContact,
  update: updateContact,
  remove: removeContact,
});
