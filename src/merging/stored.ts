/** The records that belong to a contact, and the stored merges. */
import { and, eq, sql } from 'drizzle-orm';
import { notFound } from '../base/refusal.ts';
import { contact } from '../contacts/table.ts';
import { member } from '../firm/table.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { canSeeContact, canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';
import { contactMerge } from './table.ts';

export type StoredContact = typeof contact.$inferSelect;

/** Contacts that the reader may see, by id, locked until the commit. */
export const contactsHeld = async (reader: Reader, ids: string[]) => {
  const rows = await reader.run(held, { ...viewerOf(reader), ids });
  return new Map(rows.map((row) => [row.id, row]));
};

const held = statement((given: Given<Viewer & { ids: string[] }>) =>
  query
    .select()
    .from(contact)
    .where(
      sql`${contact.firmId} = ${given.firmId} and ${contact.id} = any(${given.ids}::uuid[])
        and ${contact.deletedAt} is null and ${canSeeContact(given)}`,
    )
    .orderBy(contact.id)
    .for('update'),
);

/**
 * Whether a merge of these two would show a hidden contact to everyone who reads contacts. It does
 * if only one of them is hidden.
 */
export const reveals = async (reader: Reader, keptId: string, mergedId: string) => {
  const ids = [keptId, mergedId];
  const found = await reader.run(privacyOf, { ...viewerOf(reader), ids });
  return found.length === 2 && found[0]?.isPrivate !== found[1]?.isPrivate;
};

const privacyOf = statement((given: Given<Viewer & { ids: string[] }>) =>
  query
    .select({ isPrivate: contact.isPrivate })
    .from(contact)
    .where(
      sql`${contact.firmId} = ${given.firmId} and ${contact.id} = any(${given.ids}::uuid[])
        and ${canSeeContact(given)}`,
    ),
);

/** A contact's leads and matters. `hidden`: it also has leads that the reader may not see. */
export type Belongings = {
  leads: { id: string; contactId: string; searchText: string; isPrivate: boolean }[];
  matters: string[];
  hidden: boolean;
};

/** The leads and matters of a contact. Deleted leads are included, because they can be restored. */
export const belongings = async (reader: Reader, id: string): Promise<Belongings> => {
  const [leads, matters] = await Promise.all([
    reader.run(leadsOf, { ...viewerOf(reader), id }),
    reader.run(mattersOf, { firmId: reader.firmId, id }),
  ]);
  return {
    leads: leads.filter(({ isSeen }) => isSeen),
    matters: matters.map((one) => one.id),
    hidden: leads.some(({ isSeen }) => !isSeen),
  };
};

const leadsOf = statement(
  (given: Given<Viewer & { id: string }>) => sql<Belongings['leads'][number] & { isSeen: boolean }>`
    select lead.id::text as id, lead.contact_id::text as "contactId",
      lead.findable_by as "searchText", lead.is_private as "isPrivate",
      coalesce(${canSeeLead(given)}, false) as "isSeen"
    from lead where lead.firm_id = ${given.firmId}::uuid and lead.contact_id = ${given.id}::uuid
    order by lead.id for update`,
);

const mattersOf = statement(
  ({ firmId, id }: Given<'firmId' | 'id'>) => sql<{ id: string }>`
    select matter.id::text as id from matter_client
    join matter on matter.firm_id = matter_client.firm_id and matter.id = matter_client.matter_id
    where matter_client.firm_id = ${firmId}::uuid and matter_client.contact_id = ${id}::uuid
      and matter.deleted_at is null
    order by matter.id`,
);

/** A merge into a contact, as its page lists it. */
type MergeOf = { id: string; mergedName: string; memberName: string; at: Date };

/** The merges into a contact that were not undone, the newest first. */
export const mergesInto = (reader: Reader, keptId: string): Promise<MergeOf[]> =>
  reader.run(mergesOf, { firmId: reader.firmId, id: keptId });

const mergesOf = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .select({
      id: contactMerge.id,
      mergedName: contact.name,
      memberName: member.name,
      at: contactMerge.at,
    })
    .from(contactMerge)
    .innerJoin(
      contact,
      and(eq(contact.firmId, contactMerge.firmId), eq(contact.id, contactMerge.mergedId)),
    )
    .innerJoin(
      member,
      and(eq(member.firmId, contactMerge.firmId), eq(member.id, contactMerge.memberId)),
    )
    .where(
      sql`${contactMerge.firmId} = ${firmId} and ${contactMerge.keptId} = ${id}
        and ${contactMerge.undoneAt} is null`,
    )
    .orderBy(sql`${contactMerge.at} desc, ${contactMerge.id} desc`),
);

/**
 * The contact that is kept in place of a merged one, also after several merges in a row. Undefined
 * for a contact that was not merged.
 */
export const keptInPlaceOf = async (reader: Reader, id: string): Promise<string | undefined> =>
  (await reader.first(keptFor, { firmId: reader.firmId, id }))?.id;

const keptFor = statement(
  ({ firmId, id }: Given<'firmId' | 'id'>) => sql<{ id: string }>`
    with recursive step as (
      select kept_id, 1 as nth from contact_merge
      where firm_id = ${firmId}::uuid and merged_id = ${id}::uuid and undone_at is null
      union all
      select next.kept_id, nth + 1 from contact_merge next
      join step on next.firm_id = ${firmId}::uuid and next.merged_id = step.kept_id
        and next.undone_at is null
      where nth < 100
    )
    select kept_id::text as id from step order by nth desc limit 1`,
);

/** The contact that a merge kept. Throws `Refusal` not_found. */
export const keptBy = async (reader: Reader, mergeId: string): Promise<string> => {
  const found = await reader.first(keptOfMerge, { firmId: reader.firmId, id: mergeId });
  if (!found) throw notFound();
  return found.id;
};

const keptOfMerge = statement(
  ({ firmId, id }: Given<'firmId' | 'id'>) => sql<{ id: string }>`
    select kept_id::text as id from contact_merge
    where firm_id = ${firmId}::uuid and id = ${id}::uuid`,
);
