/**
 * Merges two contacts that are the same person. What belonged to the other moves. It can be undone.
 */
import { sql } from 'drizzle-orm';
import { newId } from '../base/columns.ts';
import { invalid, notFound, Refusal } from '../base/refusal.ts';
import { removeContact } from '../contacts/contact.ts';
import { becomePublic } from '../contacts/privacy.ts';
import { addressKey, isSamePhone, phoneReader } from '../contacts/same-address.ts';
import type { Email, Phone } from '../contacts/table.ts';
import { writtenFields } from '../contacts/view.ts';
import { nameFields } from '../contacts/wire.ts';
import { customFieldsOn } from '../custom-fields/custom-field.ts';
import { readFirm } from '../firm/firm.ts';
import { changeContact } from '../leads/contact.ts';
import { lead } from '../leads/table.ts';
import { changeClients } from '../matters/clients.ts';
import { type Client, clientsOf } from '../matters/people.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { partsOf, searchTextWith } from '../search-text/search-text.ts';
import { changeLinks, type Link, linksTo } from './links.ts';
import { moveNotes, notesHeld } from './notes.ts';
import { type Belongings, belongings, contactsHeld, type StoredContact } from './stored.ts';
import { contactMerge } from './table.ts';

/**
 * The fields taken from the other contact: name fields by their names, custom fields by their ids.
 */
type Taken = ReadonlySet<string>;

/** Which records that can belong to a contact the member's role may read. */
export type Reads = { leads: boolean; matters: boolean };

export type Moved = {
  leads: string[];
  matters: { id: string; before: StoredClient[]; after: StoredClient[] }[];
  links: Link[];
  /** The notes about the merged contact; older merges have none. */
  notes?: string[];
};

type StoredClient = Omit<Client, 'name'>;

/** The kept contact's fields as they were, and as the merge left them. */
export type Before = {
  fields: MergedFields;
  after: MergedFields;
  wasPrivate: boolean;
  /** One of the two contacts had no lead. So a private lead does not hide the merged contact. */
  isOwn: boolean;
};

type MergedFields = ReturnType<typeof writtenFields> & Pick<StoredContact, 'customFields'>;

export const fieldsOf = (stored: StoredContact): MergedFields => ({
  ...writtenFields(stored),
  customFields: stored.customFields,
});

/** Which two contacts, and which fields the kept one takes from the other. */
type Merge = { keptId: string; mergedId: string; taken: Taken; reads: Reads };

/**
 * Merges a contact into another, which is kept. The kept one has the fields `taken` from the other,
 * and the addresses and numbers of both. Leads, matters' clients and custom fields that named the
 * other now name the kept one, which also has the other's notes. If both were clients of a matter, the kept one has the roles of
 * both. The other is deleted. Returns the merge's id. Throws `Refusal` not_found for a contact,
 * forbidden if something would move that the actor may not see, and what `changeContact` throws.
 */
export const mergeContacts = (actor: Acting, { keptId, mergedId, taken, reads }: Merge) =>
  write(actor, async (w) => {
    if (keptId === mergedId)
      throw invalid('Choose two contacts: one cannot be merged with itself.');
    const [kept, merged] = await bothHeld(w, keptId, mergedId);
    const [found, links, notes, keptHas, now] = await Promise.all([
      belongings(w, mergedId),
      linksTo(w, mergedId),
      notesHeld(w, mergedId),
      belongings(w, keptId),
      w.now(),
    ]);
    mustSeeAll(found, links, reads);
    await changeContact(w, keptId, await chosen(w, kept, merged, taken));
    const [left] = await bothHeld(w, keptId, mergedId);
    if (kept.isPrivate && !merged.isPrivate) becomePublic(w, kept);
    moveLeads(w, found.leads, left, now);
    const moved: Moved = {
      leads: found.leads.map(({ id }) => id),
      matters: await moveClients(w, found.matters, mergedId, keptId),
      links,
      notes: notes.map(({ id }) => id),
    };
    changeLinks(w, links, mergedId, keptId);
    moveNotes(w, notes, keptId);
    const id = newId();
    const hadLeads = [found, keptHas].every(({ leads, hidden }) => leads.length > 0 || hidden);
    const before: Before = {
      fields: fieldsOf(kept),
      after: fieldsOf(left),
      wasPrivate: kept.isPrivate,
      isOwn: !hadLeads,
    };
    void w.run(storeMerge, {
      firmId: w.firmId,
      id,
      keptId,
      mergedId,
      memberId: memberOf(w),
      at: now,
      before: JSON.stringify(before),
      moved: JSON.stringify(moved),
    });
    w.record('create', contactMerge, id, {
      kept: { before: null, after: keptId },
      merged: { before: null, after: mergedId },
    });
    await removeContact(w, mergedId);
    return id;
  });

const memberOf = ({ memberId }: Write) => {
  if (memberId === null) throw new Error('Contacts are merged by a member.');
  return memberId;
};

const bothHeld = async (w: Write, keptId: string, mergedId: string) => {
  const held = await contactsHeld(w, [keptId, mergedId]);
  const [kept, merged] = [held.get(keptId), held.get(mergedId)];
  if (!kept || !merged) throw notFound();
  return [kept, merged] as const;
};

/** Throws `Refusal` forbidden. The message does not name the hidden record. */
export const mustSeeAll = ({ leads, matters, hidden }: Belongings, links: Link[], reads: Reads) => {
  const isHidden =
    hidden ||
    links.some(({ isHidden: one }) => one) ||
    (!reads.leads && (leads.length > 0 || links.some(({ kind }) => kind === 'lead'))) ||
    (!reads.matters && (matters.length > 0 || links.some(({ kind }) => kind === 'matter')));
  if (!isHidden) return;
  throw new Refusal(
    'forbidden',
    'You may not see everything that belongs to these contacts. Ask an owner to merge them.',
  );
};

/** The change of the kept contact: the fields it takes, and the addresses and numbers of both. */
const chosen = async (w: Write, kept: StoredContact, merged: StoredContact, taken: Taken) => {
  const defined = await customFieldsOn(w, 'CONTACT');
  const names = nameFields
    .filter((field) => taken.has(field))
    .map((field) => [field, merged[field]]);
  const customFields = defined
    .filter(({ id }) => taken.has(id))
    .map(({ id, name }) => [name, merged.customFields[id] ?? null]);
  const { emails, phones } = await waysToBoth(w, kept, merged);
  if (emails.length > maxAddresses || phones.length > maxAddresses) {
    throw new Refusal(
      'conflict',
      `Together the contacts have more than ${maxAddresses} addresses or numbers. Delete some first.`,
    );
  }
  return {
    ...(taken.has('type') && { type: merged.type }),
    ...Object.fromEntries(names),
    emails,
    phones,
    ...(customFields.length > 0 && { customFields: Object.fromEntries(customFields) }),
  };
};

const maxAddresses = 20;

type Ways = Pick<StoredContact, 'emails' | 'phones'>;

/**
 * The addresses and numbers that a contact has once the other is merged into it: its own as they are written, then those
 * that only the other has. One that both have, written in two ways, is there once; one with another extension is another.
 */
export const waysToBoth = async (reader: Reader, kept: Ways, merged: Ways): Promise<Ways> => ({
  emails: united(kept.emails, merged.emails, isSameEmail),
  // Only where two are compared: reading numbers takes data about every country.
  phones:
    kept.phones.length > 0 && merged.phones.length > 0
      ? united(kept.phones, merged.phones, await samePhoneIn(reader))
      : united(kept.phones, merged.phones, () => false),
});

const isSameEmail = (one: Email, other: Email) => emailKey(one) === emailKey(other);

const emailKey = ({ address }: Email) => addressKey(address) ?? address.toLowerCase();

const samePhoneIn = async (reader: Reader) => {
  const read = await phoneReader((await readFirm(reader)).timeZone);
  return ({ number: one }: Phone, { number: other }: Phone) => {
    const [first, second] = [read(one), read(other)];
    return first.digits && second.digits
      ? isSamePhone(first, second) && first.extension === second.extension
      : lettersOf(one) === lettersOf(other);
  };
};

/** What is compared of a text that is too short for a number, or none at all. */
const lettersOf = (text: string) => text.toLowerCase().replaceAll(/[\s\p{P}]/gu, '');

/** The entries of the kept contact, then those that only the other has. */
const united = <One extends { isPrimary: boolean }>(
  kept: One[],
  merged: One[],
  isSame: (one: One, other: One) => boolean,
): One[] => {
  const added = merged.filter((one) => !kept.some((held) => isSame(held, one)));
  const isFirst = kept.length === 0;
  return [...kept, ...added.map((one) => ({ ...one, isPrimary: isFirst && one.isPrimary }))];
};

/** Gives leads to another contact. A search then finds them by its name. */
export const moveLeads = (
  w: Write,
  leads: Belongings['leads'],
  to: Pick<StoredContact, 'id' | 'searchText'>,
  now: Date,
) => {
  for (const { id, contactId, searchText } of leads) {
    const found = searchTextWith(partsOf(searchText).own, [to.searchText]);
    const fields = { contactId: to.id, searchText: found, updatedAt: now };
    w.update(lead, { id, contactId }, fields);
  }
};

const moveClients = async (w: Write, matterIds: string[], from: string, to: string) => {
  const moved: Moved['matters'] = [];
  for (const id of matterIds) {
    const before = (await clientsOf(w, id)).map(withoutName);
    const contactIds = before.map(({ contactId }) => (contactId === from ? to : contactId));
    const holder = (is: (client: StoredClient) => boolean) => {
      const found = before.find(is)?.contactId ?? null;
      return found === from ? to : found;
    };
    await changeClients(w, id, {
      contactIds: [...new Set(contactIds)],
      primaryId: holder(({ isPrimary }) => isPrimary),
      billRecipientId: holder(({ isBillRecipient }) => isBillRecipient),
    });
    moved.push({ id, before, after: (await clientsOf(w, id)).map(withoutName) });
  }
  return moved;
};

export const withoutName = ({ contactId, isPrimary, isBillRecipient }: Client): StoredClient => ({
  contactId,
  isPrimary,
  isBillRecipient,
});

const storeMerge = statement(
  (
    given: Given<{
      firmId: string;
      id: string;
      keptId: string;
      mergedId: string;
      memberId: string;
      at: Date;
      before: string;
      moved: string;
    }>,
  ) => sql`
    insert into contact_merge (firm_id, id, kept_id, merged_id, member_id, before, moved, at)
    values (${given.firmId}::uuid, ${given.id}::uuid, ${given.keptId}::uuid,
      ${given.mergedId}::uuid, ${given.memberId}::uuid, ${given.before}::jsonb,
      ${given.moved}::jsonb, ${given.at}::timestamptz)`,
);
