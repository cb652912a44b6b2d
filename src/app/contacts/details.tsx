/** @jsxImportSource preact */
import type { ContactFull } from '../../contacts/wire.ts';
import type { CustomField } from '../../custom-fields/custom-field.ts';
import { customFields } from '../custom-fields.tsx';
import { Panel } from '../list.tsx';
import { valuesOf } from '../records/field.tsx';
import type { NameOf } from '../records/kinds.tsx';
import { FoldedValues } from '../values.tsx';
import { type Contact, contactFields } from './fields.tsx';

type DetailsProps = {
  contact: ContactFull;
  defined: readonly CustomField[];
  mayWrite: boolean;
  nameOf: NameOf;
};

const { type, companyName, tradeName, companyType, emails, phones, ...ofPeople } = contactFields;
const ofCompanies = { companyName, tradeName, companyType };

/** A contact's details. Each can be edited in place. */
export const Details = ({ contact, defined, mayWrite, nameOf }: DetailsProps) => {
  const action = mayWrite ? `/contacts/${contact.id}` : undefined;
  const of = { record: contact, choices: {}, action };
  const isCompany = contact.type === 'COMPANY';
  return (
    <Panel id="details" title="Details">
      <div class="body">
        <FoldedValues
          values={[
            ...valuesOf(isCompany ? filled(ofPeople, contact) : ofPeople, of),
            ...valuesOf(isCompany ? ofCompanies : filled(ofCompanies, contact), of),
            ...valuesOf({ emails, phones }, of),
            ...valuesOf(customFields<Contact>(defined, nameOf), of),
          ]}
        />
      </div>
    </Panel>
  );
};

/** A person shows fields of companies, and a company those of people, only with a value. */
const filled = <Fields extends typeof ofPeople | typeof ofCompanies>(
  fields: Fields,
  contact: ContactFull,
) =>
  Object.fromEntries(
    Object.entries(fields).filter(([, { edit }]) => edit && edit.value(contact) !== null),
  );
