/** @jsxImportSource preact */
import { type ContactFull, contactChange, nameFields, newContact } from '../../contacts/wire.ts';
import type { CustomField } from '../../custom-fields/custom-field.ts';
import { validateEmail, validatePhone } from '../contact-input.ts';
import { customFieldsFrom, filledFrom } from '../custom-fields.tsx';
import { checked, type Fields } from '../fields.ts';
import { TextArea } from '../form.tsx';

export const nameLabels: Record<(typeof nameFields)[number], string> = {
  prefix: 'Title',
  firstName: 'First name',
  middleName: 'Middle name',
  lastName: 'Last name',
  suffix: 'Suffix',
  nickname: 'Called',
  companyName: 'Company',
  tradeName: 'Trades as',
  companyType: 'Kind of company',
};

/** The values of a contact's fields, as its forms show and send them. */
export const textsOf = (contact: ContactFull): Record<string, string> => ({
  type: contact.type,
  ...Object.fromEntries(nameFields.map((field) => [field, contact[field] ?? ''])),
  emails: contact.emails.map(({ address }) => address).join('\n'),
  phones: contact.phones.map(({ number }) => number).join('\n'),
});

const linesIn = (text: string | undefined) =>
  (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

const sentNames = (fields: Fields, none: null | undefined) =>
  Object.fromEntries(
    nameFields
      .filter((field) => fields.has(field))
      .map((field) => [field, fields.text(field) || none] as const)
      .filter(([, text]) => text !== undefined),
  );

/** The change in a contact's form. Addresses that stay keep their labels. */
export const changeFrom = (fields: Fields, now: ContactFull, defined: readonly CustomField[]) => {
  const customFields = customFieldsFrom(fields, defined);
  const addresses = now.emails.map(({ address }) => address);
  validateEmail('emails', linesIn(fields.text('emails')), addresses);
  const numbers = now.phones.map(({ number }) => number);
  validatePhone('phones', linesIn(fields.text('phones')), numbers);
  return checked(contactChange, {
    ...(customFields && { customFields }),
    ...(fields.has('type') && { type: fields.text('type') }),
    ...sentNames(fields, null),
    ...(fields.has('emails') && {
      emails: linesIn(fields.text('emails')).map((address, at) => ({
        address,
        isPrimary: at === 0,
        label: now.emails.find((one) => one.address === address)?.label ?? null,
      })),
    }),
    ...(fields.has('phones') && {
      phones: linesIn(fields.text('phones')).map((number, at) => ({
        number,
        isPrimary: at === 0,
        label: now.phones.find((one) => one.number === number)?.label ?? null,
      })),
    }),
  });
};

export const contactFrom = (fields: Fields, defined: readonly CustomField[]) => {
  const [emails, phones] = [linesIn(fields.text('emails')), linesIn(fields.text('phones'))];
  validateEmail('emails', emails);
  validatePhone('phones', phones);
  return checked(newContact, {
    customFields: filledFrom(fields, defined),
    type: fields.text('type') ?? 'PERSON',
    ...sentNames(fields, undefined),
    emails,
    phones,
  });
};

/** The control of a contact's emails or phones. */
export const AddressLines = (props: {
  name: 'emails' | 'phones';
  value?: string | undefined;
  rows: number;
}) => (
  <TextArea
    {...props}
    value={props.value ?? ''}
    label={props.name === 'emails' ? 'Emails' : 'Phones'}
    hint="One per line, the main one first"
  />
);
