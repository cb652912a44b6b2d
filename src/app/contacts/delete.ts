import { readContact, removeContact } from '../../contacts/contact.ts';
import { readDeletedContact, restoreContact } from '../../contacts/deleted.ts';
import { deletedRecord } from '../deleted-record.tsx';
import { afterReturn } from '../left-out.tsx';
import { saying } from '../said.ts';
import { form, type Page, page, type Shown, type ShownPage, type Visit } from '../visit.ts';

type ContactVisit = Visit<'/contacts/:id'>;

const deleteContact = async ({ actor, parameters }: ContactVisit) => {
  const path = `/contacts/${parameters.id}`;
  const { name } = await readContact(actor, parameters.id);
  await removeContact(actor, parameters.id);
  const undo = { action: `${path}/restore`, fields: [] };
  return saying(`${path}/deleted`, `${name} is deleted.`, undo);
};

const restore = async ({ actor, parameters }: ContactVisit) =>
  afterReturn(`/contacts/${parameters.id}`, await restoreContact(actor, parameters.id));

const showDeleted = async ({ actor, parameters }: ContactVisit): Promise<Shown> => {
  const { id, name } = await readDeletedContact(actor, parameters.id);
  return deletedRecord({
    path: `/contacts/${id}`,
    name,
    place: '/contacts',
    nouns: 'contacts',
    words:
      'The contact is no longer in lists or in the search. Its leads and matters are without it.',
  });
};

const deletedPage = page(
  '/contacts/:id/deleted',
  { allOf: ['contacts:read', 'contacts:write'] },
  showDeleted,
);

/** Deletes a contact, and brings it back. `contactPage` shows what is refused. */
export const deletePages = (contactPage: ShownPage<'/contacts/:id'>): Page[] => [
  form('/contacts/:id/delete', 'contacts:write', deleteContact, contactPage),
  deletedPage,
  form('/contacts/:id/restore', 'contacts:write', restore, deletedPage, {
    said: 'Restored: {title}.',
  }),
];
