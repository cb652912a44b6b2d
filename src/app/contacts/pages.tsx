/** @jsxImportSource preact */

import { createContact } from '../../contacts/contact.ts';
import { contactNotes } from '../../contacts/notes.ts';
import { readContacts } from '../../contacts/overview.ts';
import { type CustomField, customFieldsOn } from '../../custom-fields/custom-field.ts';
import { countOfContacts } from '../../matters/of-contacts.ts';
import { contactChoicesOf } from '../../views/choices.ts';
import { customFields } from '../custom-fields.tsx';
import { deletePages } from '../deleted-record.tsx';
import type { Fields } from '../fields.ts';
import { useFrame } from '../frame.tsx';
import { Island } from '../island.tsx';
import { answerKnown, knownBy } from '../leads/known.tsx';
import { type Known, KnownList } from '../leads/known-list.tsx';
import { Empty } from '../page-parts.tsx';
import { byName, controlsOf } from '../records/field.tsx';
import { editForm, NewForm, newPages } from '../records/forms.tsx';
import { first } from '../records/kinds.tsx';
import { recordList } from '../records/record-list.tsx';
import { noteForms } from '../timeline.tsx';
import { form, type Page, page, type Visit } from '../visit.ts';
import { contactDeletion, contactEdit, contactFrom } from './changes.ts';
import { contactPage } from './contact-page.tsx';
import { type Contact, contactFields, filterIn, onlyOf, WhoIsIt } from './fields.tsx';
import { mergePages } from './merge.tsx';

const noCounts = { leads: 0, matters: 0 };

const Nothing = () => {
  const { admits } = useFrame();
  return (
    <Empty text="The firm has no contacts yet. Every new lead adds one.">
      {admits('/settings/imports') && (
        <a class="button" href="/settings/imports">
          Import contacts
        </a>
      )}
    </Empty>
  );
};

/** The firm's contacts as a list, and as a file. */
const { showList, listForms } = recordList<Contact>({
  list: 'contacts',
  noun: 'contact',
  fields: contactFields,
  foundBy: 'Name, email, phone',
  nameOf: ({ name }) => name,
  filterIn,
  choicesOf: ({ actor }) => contactChoicesOf(actor),
  read: async (actor, filter, order, part) => {
    const { rows, total } = await readContacts(actor, filter, order, part);
    const counts = await countOfContacts(
      actor,
      rows.map(({ id }) => id),
    );
    const lines = rows.map((row) => ({ ...row, ...(counts.get(row.id) ?? noCounts) }));
    return { rows: lines, total, countOf: null };
  },
  Nothing,
});

const showNew = async (visit: Visit) => {
  const { actor, refused } = visit;
  const [defined, known] = await Promise.all([
    customFieldsOn(actor, 'CONTACT'),
    refused ? knownBy(visit, refused.fields) : [],
  ]);
  return <NewContact defined={defined} known={known} />;
};

const { companyName, emails, phones } = contactFields;
const { lastName } = onlyOf.PERSON;
const firstName = { ...onlyOf.PERSON.firstName, kind: first(onlyOf.PERSON.firstName.kind) };

const made = { list: 'contacts', noun: 'contact' } as const;

type NewContactProps = { defined: readonly CustomField[]; known: Known[] };

/** The form of a new contact. While a name, a number or an address is typed, known people are named. */
const NewContact = ({ defined, known }: NewContactProps) => {
  const { refused } = useFrame().visit;
  const own = customFields<Contact>(defined);
  const names = Object.keys(byName(own));
  const isOpen = refused?.refusal.faults.some(({ field }) => names.includes(field)) ?? false;
  return (
    <NewForm {...made}>
      <WhoIsIt value={refused?.fields.text('type') ?? 'PERSON'} />
      <div class="pair of-person">{controlsOf({ firstName, lastName }, {})}</div>
      {controlsOf({ companyName }, {})}
      <div class="pair of-company">{controlsOf(onlyOf.COMPANY, {})}</div>
      <Island name="known" of={KnownList} props={{ known, ask: '/contacts/known' }} />
      {controlsOf({ emails, phones }, {})}
      {names.length > 0 && (
        <details class="more-fields" open={isOpen}>
          <summary>More fields</summary>
          <div class="form">{controlsOf(own, {})}</div>
        </details>
      )}
    </NewForm>
  );
};

const makeContact = async ({ actor }: Visit, fields: Fields) => {
  const defined = await customFieldsOn(actor, 'CONTACT');
  const { id } = await createContact(actor, contactFrom(fields, defined));
  return `/contacts/${id}`;
};

const contactsPage = page('/contacts', 'contacts:read', showList);
const [newPage, newForm] = newPages({ ...made, show: showNew, make: makeContact });

export const contactPages: Page[] = [
  contactsPage,
  ...listForms(contactsPage),
  newPage,
  newForm,
  form('/contacts/known', 'contacts:write', answerKnown, newPage),
  contactPage,
  editForm(contactPage, 'contacts:write', contactEdit),
  ...noteForms(contactPage, 'contacts:write', contactNotes),
  ...deletePages(contactDeletion, contactPage),
  ...mergePages(contactPage),
];
