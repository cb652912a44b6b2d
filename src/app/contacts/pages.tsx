/** @jsxImportSource preact */
import { createContact, readContact, updateContact } from '../../contacts/contact.ts';
import { type ContactFull, nameFields } from '../../contacts/wire.ts';
import { leadsOfContact, mattersOfContact, type OfContact } from '../../matters/of-contacts.ts';
import { keptInPlaceOf, mergesInto } from '../../merging/stored.ts';
import { type Fields, onlyIfUntouched } from '../fields.ts';
import { Choices, Form, Text } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { seeOther } from '../headers.ts';
import { Icon } from '../icon.tsx';
import { Panel, Title } from '../list.tsx';
import { Moment } from '../moments.tsx';
import { NotDone } from '../not-done.tsx';
import { Value, Values } from '../values.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import {
  AddressLines,
  changeFrom,
  contactFrom,
  nameLabels,
  readTexts,
  textsOf,
} from './fields.tsx';
import { exportContacts, primaryOf, showContacts } from './list.tsx';
import { LikeIt, likeContact, MergedInto, mergePages } from './merge.tsx';

const showContact = async (visit: Visit<'/contacts/:id'>): Promise<Shown | Response> => {
  const { actor, parameters, may } = visit;
  const { id } = parameters;
  const contact = await readContact(actor, id).catch(async (error: unknown) => {
    const keptId = await keptInPlaceOf(actor, id);
    // Whom the visitor may not see is not there for them, under whichever address.
    if (keptId && (await readContact(actor, keptId))) return keptId;
    throw error;
  });
  if (typeof contact === 'string') return seeOther(`/contacts/${contact}`);
  const [leads, matters, like, merges] = await Promise.all([
    may('leads:read') ? leadsOfContact(actor, id) : undefined,
    may('matters:read') ? mattersOfContact(actor, id) : undefined,
    may('contacts:write') ? likeContact(actor, contact) : [],
    mergesInto(actor, id),
  ]);
  return {
    title: contact.name,
    follows: ['contact'],
    record: contact.type === 'COMPANY' ? 'Company' : 'Contact',
    main: (
      <>
        <nav class="crumbs" aria-label="Where this is">
          <a href="/contacts">Contacts</a>
        </nav>
        <Title
          title={contact.name}
          facts={
            <>
              <span>{contact.type === 'COMPANY' ? 'Company' : 'Person'}</span>
              <span>
                Since <Moment at={contact.createdAt} />
              </span>
            </>
          }
        >
          {may('contacts:write') && (
            <a class="button" href={`/contacts/${id}/merge`}>
              <Icon name="merge" />
              Merge
            </a>
          )}
        </Title>
        {visit.refused?.action.startsWith('/contacts/merges/') && <NotDone />}
        <div class="beside">
          <Details contact={contact} mayWrite={may('contacts:write')} />
          <div class="stack">
            {like.length > 0 && <LikeIt id={id} people={like} />}
            {leads && <OfIt id="leads" title="Leads" path="/leads" rows={leads} none="No lead." />}
            {matters && (
              <OfIt
                id="matters"
                title="Matters"
                path="/matters"
                rows={matters}
                none="Not a client in any matter."
              />
            )}
            {merges.length > 0 && <MergedInto merges={merges} mayWrite={may('contacts:write')} />}
          </div>
        </div>
      </>
    ),
  };
};

/** A contact's details. Each can be edited in place. */
const Details = ({ contact, mayWrite }: { contact: ContactFull; mayWrite: boolean }) => {
  const action = mayWrite ? `/contacts/${contact.id}` : undefined;
  const held = textsOf(contact);
  const parts = nameFields.filter((field) => isFor(field, contact));
  return (
    <Panel id="details" title="Details">
      <div class="body">
        <Values>
          {parts.map((field) => (
            <Value label={nameLabels[field]} shown={contact[field]} action={action} names={[field]}>
              <Text name={field} label={nameLabels[field]} value={held[field]} />
            </Value>
          ))}
          <Value
            label="Emails"
            none="No email"
            shown={contact.emails.length > 0 && <Addresses texts={contact.emails.map(emailText)} />}
            action={action}
            names={['emails']}
          >
            <AddressLines name="emails" value={held.emails} rows={3} />
          </Value>
          <Value
            label="Phones"
            none="No phone"
            shown={contact.phones.length > 0 && <Addresses texts={contact.phones.map(phoneText)} />}
            action={action}
            names={['phones']}
          >
            <AddressLines name="phones" value={held.phones} rows={3} />
          </Value>
          {Object.entries(contact.customFields).map(([name, value]) => (
            <Value label={name} shown={value === null ? null : String(value)} />
          ))}
        </Values>
        <Reach contact={contact} />
      </div>
    </Panel>
  );
};

const companyFields = ['companyName', 'tradeName', 'companyType'];

/** A person shows no company's fields and a company no person's, unless they have a value. */
const isFor = (field: (typeof nameFields)[number], contact: ContactFull) =>
  contact[field] !== null || companyFields.includes(field) === (contact.type === 'COMPANY');

type Labelled = { label: string | null };
const withLabel = (text: string, { label }: Labelled) => (label ? `${text} (${label})` : text);
const emailText = (one: ContactFull['emails'][number]) => withLabel(one.address, one);
const phoneText = (one: ContactFull['phones'][number]) => withLabel(one.number, one);

const Addresses = ({ texts }: { texts: string[] }) => (
  <span class="lines-of">
    {texts.map((text) => (
      <span>{text}</span>
    ))}
  </span>
);

/** Links to call and to write. */
const Reach = ({ contact }: { contact: ContactFull }) => {
  const [email, phone] = [primaryOf(contact.emails), primaryOf(contact.phones)];
  if (!email && !phone) return null;
  return (
    <div class="row">
      {phone && (
        <a class="button" href={`tel:${phone.number.replace(/[^\d+]/g, '')}`}>
          <Icon name="phone" />
          Call
        </a>
      )}
      {email && (
        <a class="button" href={`mailto:${encodeURIComponent(email.address)}`}>
          <Icon name="mail" />
          Write
        </a>
      )}
    </div>
  );
};

const statusWords: Record<string, string> = {
  ACTIVE: 'Active',
  HIRED: 'Hired',
  NOT_HIRED: 'Not hired',
  ARCHIVE: 'Archived',
  ARCHIVED: 'Archived',
  DRAFT: 'Draft',
};

type OfItProps = { id: string; title: string; path: string; rows: OfContact[]; none: string };

/** A contact's leads or matters. */
const OfIt = ({ id, title, path, rows, none }: OfItProps) => (
  <Panel id={id} title={title}>
    {rows.length === 0 ? (
      <p class="body muted">{none}</p>
    ) : (
      <ul class="rows">
        {rows.map((row) => (
          <li>
            <div class="grow">
              <a class="name" href={`${path}/${row.id}`}>
                {row.title}
              </a>
              <div class="sub">{row.number}</div>
            </div>
            <span class="tag">{statusWords[row.status] ?? row.status}</span>
          </li>
        ))}
      </ul>
    )}
  </Panel>
);

const changeContact = async ({ actor, parameters }: Visit<'/contacts/:id'>, fields: Fields) => {
  const { id } = parameters;
  const body = changeFrom(fields, await readContact(actor, id));
  await updateContact(onlyIfUntouched(actor, fields, readTexts(readContact, id)), id, body);
  return `/contacts/${id}`;
};

const showNew = async (_: Visit): Promise<Shown> => ({
  title: 'New contact',
  main: (
    <div class="prose">
      <Title title="New contact" />
      <NewContact />
    </div>
  ),
});

const NewContact = () => {
  const { visit } = useFrame();
  const type = visit.refused?.fields.text('type') ?? 'PERSON';
  return (
    <Form action="/contacts/new" save="Create contact" cancel="/contacts" draft="contact:new">
      <Choices
        name="type"
        label="Who is it?"
        value={type}
        options={[
          { value: 'PERSON', name: 'A person' },
          { value: 'COMPANY', name: 'A company' },
        ]}
      />
      <div class="pair">
        <Text name="firstName" label="First name" autocomplete="off" />
        <Text name="lastName" label="Last name" />
      </div>
      <Text name="companyName" label="Company" hint="Needed for a company" />
      <AddressLines name="emails" rows={2} />
      <AddressLines name="phones" rows={2} />
    </Form>
  );
};

const makeContact = async ({ actor }: Visit, fields: Fields) => {
  const { id } = await createContact(actor, contactFrom(fields));
  return `/contacts/${id}`;
};

export const contactPages: Page[] = [
  page('/contacts', 'contacts:read', showContacts),
  form('/contacts/export', 'data:export', exportContacts, showContacts),
  page('/contacts/new', 'contacts:write', showNew),
  form('/contacts/new', 'contacts:write', makeContact, showNew),
  page('/contacts/:id', 'contacts:read', showContact),
  form('/contacts/:id', 'contacts:write', changeContact, showContact),
  ...mergePages(showContact),
];
