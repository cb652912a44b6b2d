import { and, desc, eq, getTableColumns, isNull, type SQL } from 'drizzle-orm';
import { newId } from '../base/columns.ts';
import { notFound } from '../base/refusal.ts';
import {
  customFieldsOn,
  type DefinedField,
  mergeCustomFields,
} from '../custom-fields/custom-field.ts';
import type { StoredValues } from '../custom-fields/table.ts';
import { lead } from '../leads/table.ts';
import { type Given, query, shortStatement, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Include, includesNothing, type Page } from '../record/page.ts';
import { type Acting, type Write, write, writeNew } from '../record/write.ts';
import { atLargestPage, type PageValues, pagesOf } from '../register/position.ts';
import { allocate, countRemoved, type Place } from '../register/register.ts';
import { searchTextOf } from '../search-text/search-text.ts';
import { ownPrivateByBlock, totalSeen } from '../visibility/counts.ts';
import { canSeeContact, type Viewer, viewerOf } from '../visibility/visibility.ts';
import { emailsFrom, phonesFrom } from './addresses.ts';
import { externalIdsOf } from './external-id.ts';
import { type ContactName, displayName, mergeName, trimmed } from './name.ts';
import { contact, type Email, type Phone } from './table.ts';
import { viewContact, viewContactFull } from './view.ts';
import { type ContactChange, type NewContact, nameFields } from './wire.ts';

/**
 * Makes a contact. Throws `Refusal` for a missing name and for custom fields that cannot be written,
 * and conflict for an external id that another contact has.
 */
export const createContact = (actor: Acting, body: NewContact) =>
  writeNew(actor, contact, async (w) => {
    const name = mergeName(body);
    const emails = emailsFrom(body.emails ?? []);
    const phones = phonesFrom(body.phones ?? []);
    const externalId = trimmed(body.externalId);
    const [defined] = await Promise.all([
      customFieldsOn(w, 'CONTACT'),
      contactExternalIds.mustBeFree(w, externalId),
    ]);
    const customFields = await mergeCustomFields(w, defined, {}, body.customFields);
    const made = storeContact(w, await allocate(w, contact), {
      name,
      emails,
      phones,
      customFields,
      externalId,
    });
    return viewContactFull(made, defined);
  }).catch(contactExternalIds.refuseTaken(actor, body.externalId));

export const contactExternalIds = externalIdsOf(contact, {
  constraint: 'contact_external_id',
  noun: 'contact',
  reading: 'contacts:read',
  isSeen: canSeeContact,
});

type ContactParts = {
  name: ContactName;
  emails: Email[];
  phones: Phone[];
  customFields: StoredValues;
  externalId?: string | null;
};

/**
 * Stores a new contact at its position in the register. All contacts are made here. `isPrivate`: it
 * comes with a private lead.
 */
export const storeContact = (
  w: Write,
  { ordinal, at }: Place,
  parts: ContactParts,
  isPrivate = false,
) => {
  const { name, emails, phones, customFields, externalId = null } = parts;
  const made = {
    firmId: w.firmId,
    id: newId(),
    ordinal,
    name: displayName(name),
    ...name,
    emails,
    phones,
    customFields,
    ...(externalId !== null && { externalId }),
    searchText: searchTextFrom(name, emails, phones),
    isPrivate,
    createdAt: at,
    updatedAt: at,
  };
  w.create(contact, made);
  return made;
};

/** The contact, locked until the commit, if the writer may see it. */
export const contactHeld = (w: Write, id: string) =>
  w.first(contactForChange, { ...viewerOf(w), id });

/** Changes the fields sent; `then` is part of it if something changes. Throws `Refusal` not_found, and as `createContact` does. */
export const updateContact = (
  actor: Acting,
  id: string,
  body: ContactChange,
  then: (w: Write, now: Date) => Promise<void> = async () => {},
) =>
  write(actor, async (w) => {
    const [stored, defined, now] = await Promise.all([
      contactHeld(w, id),
      customFieldsOn(w, 'CONTACT'),
      w.now(),
    ]);
    if (!stored) throw notFound();
    const name = mergeName(body, stored);
    const emails = body.emails ? emailsFrom(body.emails) : stored.emails;
    const phones = body.phones ? phonesFrom(body.phones) : stored.phones;
    const changed = {
      ...stored,
      ...name,
      name: displayName(name),
      emails,
      phones,
      searchText: searchTextFrom(name, emails, phones),
      customFields: await mergeCustomFields(w, defined, stored.customFields, body.customFields),
      updatedAt: now,
    };
    if (!w.update(contact, stored, changed)) return viewContactFull(stored, defined);
    await then(w, now);
    return viewContactFull(changed, defined);
  });

export const searchTextOfContact = (parts: ContactName & { emails: Email[]; phones: Phone[] }) =>
  searchTextFrom(parts, parts.emails, parts.phones);

const searchTextFrom = (name: ContactName, emails: Email[], phones: Phone[]) =>
  searchTextOf(
    [...nameFields.map((field) => name[field]), ...emails.map((email) => email.address)],
    phones.map((phone) => phone.number),
  );

/** Takes a contact out of the lists. Its leads lose it: updating them answers 409 conflict. */
export const removeContact = (actor: Acting, id: string) =>
  write(actor, async (w) => {
    const [stored, now] = await Promise.all([contactHeld(w, id), w.now()]);
    if (!stored) throw notFound();
    countRemoved(w, contact, stored.ordinal, stored.isPrivate);
    w.remove(contact, stored, now);
  });

/** One contact. Throws `Refusal` not_found, also for that of a private lead the reader may not see. */
export const readContact = async (reader: Reader, id: string, include?: Include) => {
  const [stored, defined] = await Promise.all([
    reader.first(contactById, { ...viewerOf(reader), id }),
    customFieldsOn(reader, 'CONTACT'),
  ]);
  if (!stored) throw notFound();
  return viewContactFull(stored, defined, include);
};

/** The contact of a lead, with the fields that `reading` gives; undefined if the reader may not see it. */
export const contactOfLead = async (
  reader: Reader,
  leadId: string,
  reading: Promise<{ fieldsOfContacts: DefinedField[] }>,
) => {
  const found = reader.first(contactByLead, { ...viewerOf(reader), leadId });
  const [stored, { fieldsOfContacts }] = await Promise.all([found, reading]);
  return stored && viewContactFull(stored, fieldsOfContacts);
};

/** A page of the contacts the reader may see, newest first. */
export const listContacts = async (
  reader: Reader,
  page: Page,
  _parameters: object = {},
  include: Include = includesNothing,
) => {
  const [rows, total] = await Promise.all([
    contactPage(reader, page),
    totalSeen(reader, 'contact'),
  ]);
  return { rows: rows.map((row) => viewContact(row, include)), total };
};

const isSeen = (given: Given<Viewer>) =>
  and(eq(contact.firmId, given.firmId), isNull(contact.deletedAt), canSeeContact(given)) as SQL;
const isThisContact = (given: Given<Viewer & { id: string }>) =>
  and(isSeen(given), eq(contact.id, given.id));

const contactById = shortStatement((given: Given<Viewer & { id: string }>) =>
  query.select().from(contact).where(isThisContact(given)),
);
const contactByLead = shortStatement((given: Given<Viewer & { leadId: string }>) =>
  query
    .select(getTableColumns(contact))
    .from(lead)
    .innerJoin(contact, eq(contact.id, lead.contactId))
    .where(and(eq(lead.firmId, given.firmId), eq(lead.id, given.leadId), isSeen(given))),
);
const contactForChange = statement((given: Given<Viewer & { id: string }>) =>
  query.select().from(contact).where(isThisContact(given)).for('update'),
);

const buildPage = (inPage: SQL, { limit }: Given<PageValues>) => {
  const page = query
    .select()
    .from(contact)
    .where(inPage)
    .orderBy(desc(contact.ordinal))
    .limit(atLargestPage)
    .as('page');
  return query.select().from(page).orderBy(desc(page.ordinal)).limit(limit);
};

const contactPage = pagesOf(contact, isSeen, buildPage, ownPrivateByBlock('contact'));
