/** @jsxImportSource preact */
import type { ContactFull } from '../../contacts/wire.ts';
import { Icon } from '../icon.tsx';
import { primaryOf } from './fields.tsx';

/** The address that calls a number. */
export const telOf = (number: string) => `tel:${number.replace(/[^\d+]/g, '')}`;

/** The address that writes an email. */
export const mailtoOf = (address: string) => `mailto:${encodeURIComponent(address)}`;

/**
 * Calls and writes to a contact, under its name. A wide page has no need of it: there the numbers
 * stand beside.
 */
export const CallAndEmail = ({ contact }: { contact: ContactFull }) => {
  const [email, phone] = [primaryOf(contact.emails), primaryOf(contact.phones)];
  if (!email && !phone) return null;
  return (
    <div class="row acts reach-now">
      {phone && (
        <a class="button" href={telOf(phone.number)}>
          <Icon name="phone" />
          Call
        </a>
      )}
      {email && (
        <a class="button" href={mailtoOf(email.address)}>
          <Icon name="mail" />
          Email
        </a>
      )}
    </div>
  );
};
