/** @jsxImportSource preact */
import { type ContactFilter, type contactSorts, everyContact } from '../../contacts/overview.ts';
import {
  type ContactChange,
  type ContactFull,
  type ContactRow,
  contactLabels,
  contactTypes,
  type NewContact,
  type nameFields,
} from '../../contacts/wire.ts';
import { Choices } from '../choices.tsx';
import { TextArea } from '../form.tsx';
import { among } from '../list-query.ts';
import { markup } from '../markup.ts';
import { controlsOf, type FieldsOf, fieldsOf, textsOf } from '../records/field.tsx';
import { type Kind, line, lines, number, oneOf } from '../records/kinds.tsx';
import { askedIn } from '../records/list.tsx';
import { rowName } from '../table.tsx';
import { Or } from '../words.tsx';

/** What a contact's fields are about. */
export type Contact = {
  record: ContactFull;
  line: ContactRow & { leads: number; matters: number };
  body: NewContact & ContactChange;
  filter: ContactFilter;
  sort: (typeof contactSorts)[number];
  choices: object;
  counts: object;
};

const typeNames = { PERSON: 'Person', COMPANY: 'Company' };
const types = contactTypes.map((value) => ({ value, name: typeNames[value] }));

/** A part of a contact's name. */
const part = (name: (typeof nameFields)[number]) => ({
  label: contactLabels[name],
  kind: line,
  edit: { name },
});

type Address = { address?: string; number?: string; label: string | null; isPrimary: boolean };

const addressOf = ({ address, number }: Address) => address ?? number ?? '';

/** Emails or phones, one on each line. What they are called is kept as long as they stay. */
const addresses: Kind = {
  ...lines,
  control: (props) => <TextArea {...props} rows={3} hint="One per line, main first" />,
  text: (value) => (Array.isArray(value) ? value.map(addressOf).join('\n') : ''),
  sent: (fields, name) =>
    (fields.text(name) ?? '')
      .split('\n')
      .map((text) => text.trim())
      .filter(Boolean),
  shown: (text) => text,
  said: (text) => text.replaceAll('\n', ', '),
};

/** Addresses with what they are called. */
const listed = (all: readonly Address[]) =>
  all.length > 0 ? (
    <span class="lines-of">
      {all.map((one) => (
        <span>{one.label ? `${addressOf(one)} (${one.label})` : addressOf(one)}</span>
      ))}
    </span>
  ) : null;

/** The address or number to use first. */
export const primaryOf = <One extends { isPrimary: boolean }>(all: readonly One[]) =>
  all.find(({ isPrimary }) => isPrimary) ?? all[0];

/** All that is said of a contact's fields, in their order. */
export const contactFields = fieldsOf<Contact>()({
  name: {
    label: 'Name',
    kind: line,
    column: {
      sort: 'name',
      isHead: true,
      class: 'line-1 cut',
      text: 'name',
      cell: ({ id, name }) => rowName(`/contacts/${id}`, name),
    },
  },
  type: {
    label: 'Type',
    kind: oneOf(types),
    edit: { name: 'type' },
    column: { sort: 'type', text: ({ type }) => typeNames[type] },
    filter: { name: 'type', read: among(contactTypes), at: 'bar' },
  },
  prefix: part('prefix'),
  firstName: part('firstName'),
  middleName: part('middleName'),
  lastName: part('lastName'),
  suffix: part('suffix'),
  nickname: part('nickname'),
  companyName: part('companyName'),
  tradeName: part('tradeName'),
  companyType: part('companyType'),
  emails: {
    label: 'Emails',
    short: contactLabels.emails,
    kind: addresses,
    edit: {
      name: 'emails',
      stands: true,
      shown: ({ emails }) => listed(emails),
    },
    column: {
      sort: 'email',
      class: 'line-2 cut',
      text: ({ emails }) => primaryOf(emails)?.address ?? '',
      // A phone shows it without the column's label, after the number, which has no column there.
      cell: ({ emails, phones }) => {
        const number = primaryOf(phones)?.number;
        return markup`${number && markup`<span class="more">${number} · </span>`}${Or({ value: primaryOf(emails)?.address, none: 'No email' })}`;
      },
    },
  },
  phones: {
    label: 'Phone numbers',
    short: contactLabels.phones,
    kind: addresses,
    edit: {
      name: 'phones',
      stands: true,
      shown: ({ phones }) => listed(phones),
    },
    column: {
      sort: 'phone',
      class: 'nowrap',
      text: ({ phones }) => primaryOf(phones)?.number ?? '',
      cell: ({ phones }) => Or({ value: primaryOf(phones)?.number, none: 'No phone' }),
    },
  },
  matters: {
    label: 'Matters',
    kind: number,
    column: {
      sort: 'matters',
      needs: 'matters:read',
      class: 'number',
      text: 'matters',
    },
  },
  leads: {
    label: 'Leads',
    kind: number,
    column: {
      sort: 'leads',
      needs: 'leads:read',
      class: 'number',
      text: 'leads',
    },
  },
});

const { prefix, firstName, middleName, lastName, suffix, nickname } = contactFields;
const { companyName, tradeName, companyType } = contactFields;

/** The fields that only people have, and only companies. The company's name is also where people work. */
export const onlyOf = {
  PERSON: { prefix, firstName, middleName, lastName, suffix, nickname },
  COMPANY: { tradeName, companyType },
};

type Texts = Readonly<Record<string, string>>;

const those = (fields: FieldsOf<Contact>, texts: Texts, are: 'filled' | 'empty') =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, { edit }]) => edit && !texts[edit.name] === (are === 'empty'),
    ),
  );

/** Those of a contact's name fields that its type has, and those of the other type with a value. */
export const fieldsFor = (contact: ContactFull) => {
  const texts = textsOf({ ...onlyOf.PERSON, ...onlyOf.COMPANY }, contact);
  return contact.type === 'COMPANY'
    ? { ...those(onlyOf.PERSON, texts, 'filled'), companyName, ...onlyOf.COMPANY }
    : { ...onlyOf.PERSON, companyName, ...those(onlyOf.COMPANY, texts, 'filled') };
};

/** Controls of a contact's name fields. Those of the type that is not chosen hide if they are empty. */
export const nameControls = (texts: Texts) => {
  const filled = [onlyOf.PERSON, onlyOf.COMPANY].map((one) => those(one, texts, 'filled'));
  const [ofPerson, ofCompany] = [onlyOf.PERSON, onlyOf.COMPANY].map((one) =>
    controlsOf(those(one, texts, 'empty'), {}, texts),
  );
  return (
    <>
      <div class="pair names">
        {controlsOf({ ...filled[0], companyName, ...filled[1] }, {}, texts)}
      </div>
      <div class="pair names of-person">{ofPerson}</div>
      <div class="pair names of-company">{ofCompany}</div>
    </>
  );
};

/** The filter in an address. Wrong values are left out. */
export const filterIn = (query: URLSearchParams, memberId: string): ContactFilter => ({
  ...everyContact,
  ...askedIn(contactFields, query, memberId),
});

/** Asks whether a contact is a person or a company. */
export const WhoIsIt = ({ value }: { value: string }) => (
  <Choices
    name="type"
    label="Who is it?"
    value={value}
    options={[
      { value: 'PERSON', name: 'A person' },
      { value: 'COMPANY', name: 'A company' },
    ]}
  />
);
