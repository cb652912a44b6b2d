/** @jsxImportSource preact */
import type { ContactFull } from '../../contacts/wire.ts';
import type { CustomField } from '../../custom-fields/custom-field.ts';
import { customFields } from '../custom-fields.tsx';
import { valuesOf } from '../records/field.tsx';
import type { NameOf } from '../records/kinds.tsx';
import { DetailsPanel } from '../values.tsx';
import { type Contact, contactFields, fieldsFor } from './fields.tsx';

type DetailsProps = {
  contact: ContactFull;
  defined: readonly CustomField[];
  mayWrite: boolean;
  nameOf: NameOf;
};

const { emails, phones } = contactFields;

/** A contact's details. Each can be edited in place. */
export const Details = ({ contact, defined, mayWrite, nameOf }: DetailsProps) => {
  const action = mayWrite ? `/contacts/${contact.id}` : undefined;
  const of = { record: contact, choices: {}, action };
  return (
    <DetailsPanel
      values={[
        ...valuesOf(fieldsFor(contact), of),
        ...valuesOf({ emails, phones }, of),
        ...valuesOf(customFields<Contact>(defined, nameOf), of),
      ]}
    />
  );
};
