import { sql } from 'drizzle-orm';
import {
  addressForms,
  addressKey,
  isSamePhone,
  phoneReader,
  type ReadPhone,
} from '../contacts/same-address.ts';
import type { Email, Phone } from '../contacts/table.ts';
import { type Given, shortStatement } from '../postgres/statement.ts';
import type { Actor } from '../record/actor.ts';
import { keepingPlansUnless } from '../record/kept-plans.ts';
import { spacedOut, wordsOf } from '../search-text/search-text.ts';
import { canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';
import { type Look, lookForParts, lookForWholes } from './look.ts';
import { matchesOf } from './matches.ts';
import { fewContacts, type RunsOfKinds, runsOf } from './runs.ts';

/** The person to look for. What is missing is not compared. */
export type PersonToFind = { name?: string; emails?: string[]; phones?: string[] };

/** A contact that may be this person: why, and its leads and matters. */
export type KnownPerson = {
  id: string;
  name: string;
  firstName: string | null;
  lastName: string | null;
  companyName: string | null;
  email: string | null;
  phone: string | null;
  same: ('email' | 'phone' | 'name')[];
  leads: Of[];
  matters: Of[];
};

type Of = { id: string; number: string; title: string; status: string };

/** At most this many are shown, and this many leads and matters of each. */
const max = { people: 5, each: 5 };

/**
 * Do we know them? The contacts, visible to the reader, with the same email address, phone number or
 * name, however they are written. Leads that the reader may not see are left out.
 */
export const knownPeople = async (
  actor: Actor,
  asked: PersonToFind,
  { timeZone, runs, except }: Ground,
): Promise<KnownPerson[]> => {
  // Only for a number: reading numbers takes data about every country.
  const read = asked.phones?.length ? await phoneReader(timeZone) : undefined;
  const wanted = comparable(asked, read);
  const looks = looksFor(wanted);
  if (looks.length === 0) return [];
  const words = partsOf(wanted).flat();
  const kinds = { contacts: true, leads: false, matters: false };
  const page = { limit: 50, offset: 0 };
  const among = runs ?? (await runsOf(actor));
  const reader = keepingPlansUnless(among.contact.last <= fewContacts, actor);
  const { matches } = await matchesOf(reader, kinds, among, { parts: looks }, words, page, 'id');
  const ids = new Set(matches.map(({ id }) => id).filter((id) => id !== except));
  const rows =
    ids.size === 0 ? [] : await reader.run(peopleByIds, { ...viewerOf(actor), ids: [...ids] });
  return rows
    .map(({ emails, phones, ...row }): KnownPerson => {
      const held = {
        name: row.name,
        emails: emails.map(({ address }) => address),
        phones: phones.map(({ number }) => number),
      };
      return {
        ...row,
        email: held.emails[0] ?? null,
        phone: held.phones[0] ?? null,
        same: sameOf(wanted, comparable(held, read)),
      };
    })
    .filter(({ same }) => same.length > 0)
    .toSorted((a, b) => b.same.length - a.same.length)
    .slice(0, max.people);
};

/** What a search for a known person begins with. */
export type Ground = {
  /** The firm's: numbers are read as they are dialled there. */
  timeZone: string;
  /** Where the firm's records are in the index, if the page has read it already. */
  runs?: RunsOfKinds;
  /** The contact itself, if it exists already. */
  except?: string;
};

type Comparable = { name: string; emails: string[]; phones: ReadPhone[] };

/** Names without accents and capitals, of each address one way to write it, and numbers as they are read, if they are. */
const comparable = (
  { name = '', emails = [], phones = [] }: PersonToFind,
  read: ((number: string) => ReadPhone) | undefined,
): Comparable => ({
  name: wordsOf(name).join(' '),
  emails: emails.map(addressKey).filter((key) => key !== undefined),
  phones: read ? phones.map(read) : [],
});

const sameOf = (wanted: Comparable, held: Comparable): KnownPerson['same'] => {
  const isHeld = (phone: ReadPhone) => held.phones.some((one) => isSamePhone(phone, one));
  return [
    ...(wanted.emails.some((one) => held.emails.includes(one)) ? (['email'] as const) : []),
    ...(wanted.phones.some(isHeld) ? (['phone'] as const) : []),
    ...(wanted.name !== '' && wanted.name === held.name ? (['name'] as const) : []),
  ];
};

/** At most two addresses and two numbers are searched for, besides the name. */
const looksFor = (wanted: Comparable): Look[] => [
  ...partsOf(wanted).map(lookForWholes),
  ...wanted.phones
    .map(({ digits }) => digits)
    .filter((digits) => digits !== undefined)
    .slice(0, 2)
    .flatMap((digits) => lookForParts([digits], new Map()) ?? []),
];

/** The words of each address and of the name. Of symbols alone there are none. */
const partsOf = ({ name, emails }: Comparable): string[][] =>
  [...emails.slice(0, 2).flatMap(addressForms), name]
    .map((text) => wordsOf(text).map(spacedOut))
    .filter((words) => words.length > 0);

type PersonRow = Omit<KnownPerson, 'email' | 'phone' | 'same'> & {
  emails: Email[];
  phones: Phone[];
};

const maxEach = sql.raw(String(max.each));

const peopleByIds = shortStatement(
  (given: Given<Viewer & { ids: string[] }>) => sql<PersonRow>`
    select contact.id::text as id, contact.name, contact.first_name as "firstName",
      contact.last_name as "lastName", contact.company_name as "companyName", contact.emails,
      contact.phones,
      coalesce((select json_agg(one) from (
        select lead.id, lead.number, coalesce(practice_area.name, 'No area') as title, lead.status
        from lead left join practice_area on practice_area.firm_id = lead.firm_id
          and practice_area.id = lead.practice_area_id
        where lead.firm_id = ${given.firmId} and lead.contact_id = contact.id
          and lead.deleted_at is null and ${canSeeLead(given)}
        order by lead.ordinal desc limit ${maxEach}) one), '[]') as leads,
      coalesce((select json_agg(one) from (
        select matter.id, matter.number, matter.title, matter.status
        from matter_client join matter on matter.firm_id = matter_client.firm_id
          and matter.id = matter_client.matter_id
        where matter_client.firm_id = ${given.firmId} and matter_client.contact_id = contact.id
          and matter.deleted_at is null
        order by matter.ordinal desc limit ${maxEach}) one), '[]') as matters
    from contact
    where contact.firm_id = ${given.firmId} and contact.id = any(${given.ids}::uuid[])
      and contact.deleted_at is null
    order by contact.ordinal desc`,
);
