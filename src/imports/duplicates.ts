/**
 * Finds records that are the same as a row. A contact or lead is the same if it has the same name
 * and an email or phone in common; a matter if it has the same former number, or else the same
 * title and a client in common.
 */
import { sql } from 'drizzle-orm';
import { openPace } from '../base/pace.ts';
import { emailsFrom, phonesFrom } from '../contacts/addresses.ts';
import { displayName, mergeName } from '../contacts/name.ts';
import type { Email, Phone } from '../contacts/table.ts';
import type { NewContact } from '../contacts/wire.ts';
import type { NewLead } from '../leads/wire.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { digitsOf } from '../search-text/search-text.ts';
import { canSeeContact, canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';
import type { ImportedKind } from './table.ts';

/** The values by which two records are compared. A record without marks is the same as no other. */
export type Like = { name: string; written: string; marks: string[] };

const folded = (text: string) => text.normalize('NFC').toLowerCase();

/**
 * A name in lower case, as Postgres may do it: all letters or, in a database without a locale, only
 * English ones. The code compares the records found by it once more.
 */
const foldedInPostgres = (name: string) => [
  name.toLowerCase(),
  name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()),
];

/** Two phone numbers are the same if this many digits at their ends are equal. */
const samePhoneDigits = 10;
const fewestDigits = 7;

const likeOf = (name: string, emails: Email[], phones: Phone[]): Like => ({
  name: folded(name),
  written: name,
  marks: [
    ...emails.map(({ address }) => folded(address)),
    ...phones
      .map(({ number }) => digitsOf(number).slice(-samePhoneDigits))
      .filter((digits) => digits.length >= fewestDigits),
  ],
});

export const likeOfContact = (body: NewContact): Like =>
  likeOf(
    displayName(mergeName(body)),
    emailsFrom(body.emails ?? []),
    phonesFrom(body.phones ?? []),
  );

/** The values by which a new lead is compared: those of its contact. */
export const likeOfLead = (body: NewLead): Like =>
  likeOf(
    displayName(mergeName(body)),
    emailsFrom(body.email?.trim() ? [body.email] : []),
    phonesFrom(body.phone?.trim() ? [body.phone] : []),
  );

export const likeOfMatter = (
  title: string,
  formerNumber: string | null,
  clientIds: readonly string[],
): Like =>
  formerNumber
    ? { name: folded(formerNumber), written: formerNumber, marks: [aNumber] }
    : { name: folded(title), written: title, marks: [...clientIds] };

const aNumber = 'former number';

/** The existing records, and those that rows of the file have made, looked up by name. */
export type Duplicates = {
  /** The record that is the same as this; null for one that an earlier row makes. */
  find(like: Like): { recordId: string | null } | undefined;
  hasName(like: Like): boolean;
  add(like: Like): void;
};

/**
 * Looks up in one query the firm's records with these names that the reader may see.
 */
export const findDuplicates = async (
  reader: Reader,
  kind: ImportedKind,
  all: readonly Like[],
): Promise<Duplicates> => {
  const names = [...new Set(all.flatMap(({ written }) => foldedInPostgres(written)))];
  /** By name and mark: the first record that has both, and its place among all. */
  const known = new Map<string, Map<string, { recordId: string | null; at: number }>>();
  let count = 0;
  const note = ({ name, marks }: Like, recordId: string | null) => {
    const under = known.get(name) ?? new Map();
    known.set(name, under);
    count += 1;
    for (const mark of marks) if (!under.has(mark)) under.set(mark, { recordId, at: count });
  };
  const find = ({ name, marks }: Like) =>
    marks
      .flatMap((mark) => known.get(name)?.get(mark) ?? [])
      .reduce<{ recordId: string | null; at: number } | undefined>(
        (first, one) => (first && first.at < one.at ? first : one),
        undefined,
      );
  const giveWay = openPace();
  const asked = { ...viewerOf(reader), names };
  if (names.length > 0 && kind === 'matter') {
    for (const one of await reader.run(mattersUnder, asked)) {
      note(likeOfMatter(one.title, one.formerNumber, []), one.id);
      note(likeOfMatter(one.title, null, one.clientIds), one.id);
      await giveWay();
    }
  } else if (names.length > 0) {
    const rows = await reader.run(kind === 'lead' ? leadsUnder : contactsUnder, asked);
    for (const { id, name, emails, phones } of rows) {
      note(likeOf(name, emails, phones), id);
      await giveWay();
    }
  }
  return {
    find,
    hasName: (like) => known.has(like.name),
    add: (like) => note(like, null),
  };
};

/** A contact that a client's name can mean. */
export type Namesake = { id: string; emails: string[] };

/** The contacts with each of these names that the reader may see. Capitals do not matter. */
export const sameName = async (
  reader: Reader,
  names: readonly string[],
): Promise<(name: string) => Namesake[]> => {
  const asked = [...new Set(names.flatMap(foldedInPostgres))];
  const rows =
    asked.length === 0
      ? []
      : await reader.run(contactsUnder, { ...viewerOf(reader), names: asked });
  const giveWay = openPace();
  const byName = new Map<string, Namesake[]>();
  for (const { id, name, emails } of rows) {
    const namesake = { id, emails: emails.map(({ address }) => folded(address)) };
    const under = byName.get(folded(name));
    if (under) under.push(namesake);
    else byName.set(folded(name), [namesake]);
    await giveWay();
  }
  return (name) => byName.get(folded(name)) ?? [];
};

type Stored = { id: string; name: string; emails: Email[]; phones: Phone[] };

type NamesToFind = Given<Viewer & { names: string[] }>;

const contactsUnder = statement(
  (given: NamesToFind) => sql<Stored>`
    select contact.id::text as id, contact.name, contact.emails, contact.phones from contact
    where contact.firm_id = ${given.firmId}::uuid and contact.deleted_at is null
      and ${canSeeContact(given)}
      and lower(contact.name) = any(${given.names}::text[])
    order by contact.ordinal`,
);

// The few contacts first. While an import fills the tables, Postgres takes them for small, and would
// otherwise compare every lead with every contact.
const leadsUnder = statement(
  (given: NamesToFind) => sql<Stored>`
    with named as materialized (
      select firm_id, id, name, emails, phones from contact
      where firm_id = ${given.firmId}::uuid and deleted_at is null
        and lower(name) = any(${given.names}::text[]))
    select lead.id::text as id, named.name, named.emails, named.phones
    from named
    join lead on lead.firm_id = named.firm_id and lead.contact_id = named.id
    where lead.deleted_at is null and ${canSeeLead(given)}
    order by lead.ordinal`,
);

type StoredMatter = {
  id: string;
  title: string;
  formerNumber: string | null;
  clientIds: string[];
};

const mattersUnder = statement(
  ({ firmId, names }: NamesToFind) => sql<StoredMatter>`
    select matter.id::text as id, matter.title, matter.former_number as "formerNumber",
      array(select contact_id::text from matter_client
        where matter_client.firm_id = ${firmId}::uuid and matter_client.matter_id = matter.id)
        as "clientIds"
    from matter
    where matter.firm_id = ${firmId}::uuid and matter.deleted_at is null
      and (lower(matter.former_number) = any(${names}::text[])
        or lower(matter.title) = any(${names}::text[]))
    order by matter.ordinal`,
);
