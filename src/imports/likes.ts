/** Whether what a row asks for is there already: the same name, and the same email or phone. */
import { sql } from 'drizzle-orm';
import { emailsFrom, phonesFrom } from '../contacts/addresses.ts';
import { displayName, mergeName } from '../contacts/name.ts';
import type { Email, Phone } from '../contacts/table.ts';
import type { NewContact } from '../contacts/wire.ts';
import { digitsOf } from '../findable/findable.ts';
import type { NewLead } from '../leads/wire.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Sight, seesContact, seesLead, sightOf } from '../sight/sight.ts';

/** What two records are compared by. */
export type Like = { name: string; emails: string[]; phones: string[] };

// English capitals alone, which Postgres folds in the same way under the collation "C".
const folded = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** So many digits at the end of two phone numbers make them the same number. */
const samePhoneDigits = 10;

const likeOf = (name: string, emails: Email[], phones: Phone[]): Like => ({
  name: folded(name),
  emails: emails.map(({ address }) => folded(address)),
  phones: phones
    .map(({ number }) => digitsOf(number).slice(-samePhoneDigits))
    .filter((digits) => digits.length >= 7),
});

/** What a new contact is compared by. */
export const likeOfContact = (body: NewContact): Like =>
  likeOf(
    displayName(mergeName(body)),
    emailsFrom(body.emails ?? []),
    phonesFrom(body.phones ?? []),
  );

/** What a new lead is compared by: its contact. */
export const likeOfLead = (body: NewLead): Like =>
  likeOf(
    displayName(mergeName(body)),
    emailsFrom(body.email?.trim() ? [body.email] : []),
    phonesFrom(body.phone?.trim() ? [body.phone] : []),
  );

const isSame = (one: Like, other: Like) =>
  one.name === other.name &&
  (one.emails.some((email) => other.emails.includes(email)) ||
    one.phones.some((phone) => other.phones.includes(phone)));

/** What is there already, and what rows of the file have made: looked up by name. */
export type Likes = {
  /** The record that is the same as this; null for one that an earlier row of the file makes. */
  find(like: Like): { recordId: string | null } | undefined;
  add(like: Like): void;
};

type Stored = { id: string; name: string; emails: Email[]; phones: Phone[] };

/**
 * Looks up at once what the firm has under the names of these, among what the reader may see.
 */
export const likesAmong = async (
  reader: Reader,
  kind: 'contact' | 'lead',
  all: readonly Like[],
): Promise<Likes> => {
  // What has neither email nor phone is the same as nothing.
  const comparable = all.filter(({ emails, phones }) => emails.length + phones.length > 0);
  const names = [...new Set(comparable.map(({ name }) => name))];
  const rows: Stored[] =
    names.length === 0 ? [] : await reader.run(storedUnder[kind], { ...sightOf(reader), names });
  const known = new Map<string, (Like & { recordId: string | null })[]>();
  const note = (like: Like, recordId: string | null) => {
    const under = known.get(like.name);
    if (under) under.push({ ...like, recordId });
    else known.set(like.name, [{ ...like, recordId }]);
  };
  for (const { id, name, emails, phones } of rows) note(likeOf(name, emails, phones), id);
  return {
    find: (like) => known.get(like.name)?.find((one) => isSame(one, like)),
    add: (like) => note(like, null),
  };
};

type Named = Given<Sight & { names: string[] }>;

const contactsUnder = statement(
  (given: Named) => sql<Stored>`
    select contact.id::text as id, contact.name, contact.emails, contact.phones from contact
    where contact.firm_id = ${given.firmId}::uuid and contact.deleted_at is null
      and ${seesContact(given)}
      and lower(contact.name collate "C") = any(${given.names}::text[])
    order by contact.ordinal`,
);

const leadsUnder = statement(
  (given: Named) => sql<Stored>`
    select lead.id::text as id, contact.name, contact.emails, contact.phones
    from contact
    join lead on lead.firm_id = contact.firm_id and lead.contact_id = contact.id
    where contact.firm_id = ${given.firmId}::uuid and contact.deleted_at is null
      and lead.deleted_at is null and ${seesLead(given)}
      and lower(contact.name collate "C") = any(${given.names}::text[])
    order by lead.ordinal`,
);

const storedUnder = { contact: contactsUnder, lead: leadsUnder };
