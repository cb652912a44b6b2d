/** @jsxImportSource preact */
import type { ContactFull } from '../../contacts/wire.ts';
import type { DefinedField } from '../../custom-fields/custom-field.ts';
import type { KnownPerson } from '../../search/known.ts';
import { type Contact, contactFields, nameControls, WhoIsIt } from '../contacts/fields.tsx';
import { mailtoOf, telOf } from '../contacts/reach.tsx';
import { customFields } from '../custom-fields.tsx';
import { Dialog, OpensChange } from '../dialog.tsx';
import { Form } from '../form.tsx';
import { Icon } from '../icon.tsx';
import { counted } from '../numbers.ts';
import { Panel } from '../page-parts.tsx';
import { controlsOf, textsOf } from '../records/field.tsx';
import { rememberedByAddress } from '../remembered.ts';

export const ContactPanel = ({
  leadId,
  contact,
  defined,
  mayWrite,
}: {
  leadId: string;
  contact: ContactFull;
  /** The firm's custom fields of contacts. */
  defined: readonly DefinedField[];
  mayWrite: boolean;
}) => (
  <>
    <Panel
      id="contact"
      title="Contact"
      action={mayWrite && <OpensChange dialog="edit-contact" verb="Edit" of="contact" />}
    >
      <div class="body">
        <div>
          <a class="name" href={`/contacts/${contact.id}`}>
            {contact.name}
          </a>
          <div class="muted">{contact.type === 'COMPANY' ? 'Company' : 'Person'}</div>
        </div>
        <ul class="reach">
          {contact.phones.map(({ number, label }) => (
            <li>
              <Icon name="phone" />
              <span>
                <a href={telOf(number)}>{number}</a>
                {label && <span class="muted"> {label}</span>}
              </span>
            </li>
          ))}
          {contact.phones.length === 0 && <None icon="phone" words="No phone" />}
          {contact.emails.map(({ address, label }) => (
            <li>
              <Icon name="mail" />
              <span>
                <a href={mailtoOf(address)}>{address}</a>
                {label && <span class="muted"> {label}</span>}
              </span>
            </li>
          ))}
          {contact.emails.length === 0 && <None icon="mail" words="No email" />}
        </ul>
      </div>
    </Panel>
    {mayWrite && (
      <EditContact
        leadId={leadId}
        type={contact.type}
        held={textsOf({ ...contactFields, ...customFields<Contact>(defined) }, contact)}
        defined={defined}
      />
    )}
  </>
);

const None = ({ icon, words }: { icon: 'phone' | 'mail'; words: string }) => (
  <li class="muted">
    <Icon name={icon} />
    <span>{words}</span>
  </li>
);

const { emails, phones } = contactFields;

type EditContactProps = {
  leadId: string;
  type: string;
  /** What its fields hold. */
  held: Record<string, string>;
  defined: readonly DefinedField[];
};

const EditContact = rememberedByAddress(({ leadId, type, held, defined }: EditContactProps) => (
  <Dialog id="edit-contact" title="Edit contact">
    <Form action={`/leads/${leadId}/contact`} save="Save contact" draft={`lead:${leadId}:contact`}>
      <WhoIsIt value={type} />
      {nameControls(held)}
      <div class="pair">{controlsOf({ emails, phones }, {}, held)}</div>
      {controlsOf(customFields<Contact>(defined), {}, held)}
    </Form>
  </Dialog>
));

const reasons: Record<KnownPerson['same'][number], string> = {
  email: 'the same email',
  phone: 'the same phone number',
  name: 'the same name',
};

/** Why two people may be the same: `the same email and the same name`. */
export const sameWords = (same: KnownPerson['same']) =>
  same.map((one) => reasons[one]).join(' and ');

/** Contacts that may be the same person as the lead's contact. */
export const MayBeSame = ({
  people,
  contactId,
  may,
}: {
  people: readonly KnownPerson[];
  /** The lead's own contact. */
  contactId: string;
  may: { leads: boolean; matters: boolean; merge: boolean };
}) =>
  people.length === 0 ? null : (
    <aside class="banner warn" aria-labelledby="same">
      <Icon name="users" />
      <div>
        <h2 id="same">May be the same person</h2>
        {people.map(({ id, name, same, leads, matters }) => (
          <p>
            <a href={`/contacts/${id}`}>{name}</a> has {sameWords(same)}.{' '}
            {[
              may.matters && counted(matters.length, 'matter'),
              may.leads && counted(leads.length, 'lead'),
            ]
              .filter(Boolean)
              .join(', ')}
            {may.matters || may.leads ? '.' : ''}{' '}
            {may.merge && (
              <a class="nowrap" href={`/contacts/${id}/merge?with=${contactId}`}>
                Use this contact<span class="hide">, {name}</span>
              </a>
            )}
          </p>
        ))}
        {may.merge && (
          <p class="muted">
            Each new lead has its own contact. To use another contact for this lead, merge the two
            contacts.
          </p>
        )}
      </div>
    </aside>
  );
