/** @jsxImportSource preact */
import { type ContactFull, nameFields } from '../../contacts/wire.ts';
import type { CustomField } from '../../custom-fields/custom-field.ts';
import { CustomFieldValues } from '../custom-fields.tsx';
import { Text } from '../form.tsx';
import { Icon } from '../icon.tsx';
import { Panel } from '../list.tsx';
import type { NameOf } from '../records/kinds.tsx';
import { Value, Values } from '../values.tsx';
import { AddressLines, nameLabels, textsOf } from './fields.tsx';
import { primaryOf } from './list.tsx';

type DetailsProps = {
  contact: ContactFull;
  defined: readonly CustomField[];
  mayWrite: boolean;
  nameOf: NameOf;
};

/** A contact's details. Each can be edited in place. */
export const Details = ({ contact, defined, mayWrite, nameOf }: DetailsProps) => {
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
            none="None"
            shown={contact.emails.length > 0 && <Addresses texts={contact.emails.map(emailText)} />}
            action={action}
            names={['emails']}
          >
            <AddressLines name="emails" value={held.emails} rows={3} />
          </Value>
          <Value
            label="Phones"
            none="None"
            shown={contact.phones.length > 0 && <Addresses texts={contact.phones.map(phoneText)} />}
            action={action}
            names={['phones']}
          >
            <AddressLines name="phones" value={held.phones} rows={3} />
          </Value>
          <CustomFieldValues
            record={{ defined, customFields: contact.customFields }}
            action={action}
            nameOf={nameOf}
          />
        </Values>
        <Reach contact={contact} />
      </div>
    </Panel>
  );
};

const companyFields = ['companyName', 'tradeName', 'companyType'];

/** A person shows no fields of companies, and a company none of people, unless they have a value. */
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
