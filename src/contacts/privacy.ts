/**
 * Keeps `contact.isPrivate` right (docs/contract.md, Records). A contact is hidden with the private
 * lead that it came with, unless it is a client of a matter, also of a deleted one. Taken off its last
 * matter, it is hidden again.
 */

import { sql } from 'drizzle-orm';
import { lead } from '../leads/table.ts';
import { matterClient } from '../matters/table.ts';
import { contactMerge } from '../merging/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Write } from '../record/write.ts';
import { countPrivacy } from '../register/register.ts';
import { addToDictionary } from '../search-text/known-words.ts';
import { contact } from './table.ts';

/**
 * Locks the contact of a lead until the commit. Call it before locking the lead: a change of a
 * contact locks the contact first, then its leads.
 */
export const holdContactOf = (w: Write, leadId: string) =>
  void w.run(holdOfLead, { firmId: w.firmId, leadId });

const holdOfLead = statement(
  ({ firmId, leadId }: Given<{ firmId: string; leadId: string }>) => sql`
    select from contact where firm_id = ${firmId}
      and id = (select ${lead.contactId} from ${lead}
        where ${lead.firmId} = ${firmId} and ${lead.id} = ${leadId}) for update`,
);

/**
 * The contact, which is locked, goes with its lead: hidden if that is private, visible if it is
 * public.
 */
export const followLead = async (w: Write, contactId: string, isPrivate: boolean) => {
  const moved = await w.first(setPrivacy, { firmId: w.firmId, contactId, isPrivate });
  if (!moved) return;
  notePrivacy(w, { id: contactId, ...moved }, isPrivate);
};

type Hideable = { id: string; ordinal: number; searchText: string };

const notePrivacy = (w: Write, { id, ordinal, searchText }: Hideable, isPrivate: boolean) => {
  w.record('update', contact, id, { isPrivate: { before: !isPrivate, after: isPrivate } });
  countPrivacy(w, contact, ordinal, isPrivate);
  addToDictionary(w, w.firmId, searchText, isPrivate);
};

/** This contact, which is locked, is seen by all from now on. */
export const becomePublic = (w: Write, one: Hideable) => {
  void w.run(setPublic, { firmId: w.firmId, contactId: one.id });
  notePrivacy(w, one, false);
};

const setPublic = statement(
  ({ firmId, contactId }: Given<'firmId' | 'contactId'>) => sql`
    update contact set is_private = false where firm_id = ${firmId} and id = ${contactId}`,
);

// A contact that others were merged into may have several leads, or be more than a lead's.
const setPrivacy = statement(
  (given: Given<{ firmId: string; contactId: string; isPrivate: boolean }>) => sql<
    Omit<Hideable, 'id'>
  >`
    update contact set is_private = ${given.isPrivate}
    where firm_id = ${given.firmId} and id = ${given.contactId}
      and is_private <> ${given.isPrivate}
      and not exists (select from ${matterClient}
        where ${matterClient.firmId} = ${given.firmId} and ${matterClient.contactId} = contact.id)
      and not (${given.isPrivate} and (
        exists (select from ${lead}
          where ${lead.firmId} = ${given.firmId} and ${lead.contactId} = contact.id
            and not ${lead.isPrivate})
        or exists (select from ${contactMerge}
          where ${contactMerge.firmId} = ${given.firmId} and ${contactMerge.keptId} = contact.id
            and ${contactMerge.undoneAt} is null and (${contactMerge.before} ->> 'isOwn')::boolean)))
    returning ordinal::float8 as ordinal, findable_by as "searchText"`,
);

type Joining = Hideable & { isPrivate: boolean };

/** These contacts, which are locked, become clients of a matter: hidden ones become visible. */
export const becomeClients = async (w: Write, contacts: Joining[]): Promise<void> => {
  await showHidden(w, contacts);
  keepShown(w, contacts);
};

/**
 * The first half of `becomeClients`: shows those that are hidden. It locks the register of contacts,
 * so it is for a write that shares its transaction with no other.
 */
export const showHidden = async (w: Write, contacts: Joining[]): Promise<void> => {
  // Another matter may have shown them since they were read.
  if (!contacts.some(({ isPrivate }) => isPrivate)) return;
  w.standAlone();
  const ids = contacts.map(({ id }) => id);
  const hidden = await w.run(hiddenAmong, { firmId: w.firmId, ids });
  const hiddenIds = new Set(hidden.map(({ id }) => id));
  for (const one of contacts) if (hiddenIds.has(one.id)) notePrivacy(w, one, false);
};

/**
 * The second half: nobody hides them from now on. It locks them, so creates call it when the register
 * keeps others out.
 */
export const keepShown = (w: Write, contacts: Joining[]): void => {
  if (contacts.length === 0) return;
  void w.run(unhide, { firmId: w.firmId, ids: contacts.map(({ id }) => id) });
};

const hiddenAmong = statement(
  ({ firmId, ids }: Given<{ firmId: string; ids: string[] }>) => sql<{ id: string }>`
    select id::text as id from contact
    where firm_id = ${firmId} and id = any(${ids}::uuid[]) and is_private
    order by id for no key update`,
);

/** Locks contacts until the commit. Call it before locking a matter of theirs. */
export const holdContacts = (w: Write, ids: readonly string[]) => {
  if (ids.length > 0) void w.run(holdAll, { firmId: w.firmId, ids: [...ids] });
};

const holdAll = statement(
  ({ firmId, ids }: Given<{ firmId: string; ids: string[] }>) => sql`
    select from contact where firm_id = ${firmId} and id = any(${ids}::uuid[]) order by id for update`,
);

/**
 * These contacts, which are locked, are no longer clients of a matter. One that is a client of no
 * other is hidden again, if it came with a private lead.
 */
export const leaveClients = async (w: Write, ids: readonly string[]) => {
  for (const id of await cameWithPrivateLead(w, ids)) await followLead(w, id, true);
};

/** Those of the contacts that came with a private lead, hidden or not. */
export const cameWithPrivateLead = async (
  reader: Reader,
  ids: readonly string[],
): Promise<string[]> => {
  if (ids.length === 0) return [];
  const came = await reader.run(cameWithPrivate, { firmId: reader.firmId, ids: [...ids] });
  return came.map(({ id }) => id);
};

const cameWithPrivate = statement(
  ({ firmId, ids }: Given<{ firmId: string; ids: string[] }>) => sql<{ id: string }>`
    select id::text as id from contact where firm_id = ${firmId} and id = any(${ids}::uuid[])
      and exists (select from ${lead} where ${lead.firmId} = ${firmId}
        and ${lead.contactId} = contact.id and ${lead.isPrivate})
    order by id`,
);

// Written for every contact that came with a lead, hidden or not: a change of the lead that looked
// for clients before this one was stored then fails, and is tried again.
// Postgres cannot count the ids of this array when it plans. Otherwise it would make a new plan each
// time, which takes longer than the update.
const unhide = statement(
  ({ firmId, ids }: Given<{ firmId: string; ids: string[] }>) => sql`
    update contact set is_private = false
    where firm_id = ${firmId} and id = any(array(select unnest(${ids}::uuid[])))
      and exists (select from ${lead}
        where ${lead.firmId} = ${firmId} and ${lead.contactId} = contact.id)`,
);
