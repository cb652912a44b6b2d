import { and, eq, isNotNull, sql } from 'drizzle-orm';
import { notFound, Refusal } from '../base/refusal.ts';
import { contactMerge } from '../merging/table.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Page } from '../record/page.ts';
import { type Acting, write } from '../record/write.ts';
import { countRestored } from '../register/register.ts';
import { canSeeContact, type Viewer, viewerOf } from '../visibility/visibility.ts';
import { contactExternalIds } from './contact.ts';
import { contact } from './table.ts';

/**
 * Brings a deleted contact back as it was. Leads, clients of matters and the search have it again.
 * Throws `Refusal` not_found for a contact that is not deleted, and conflict for one that was merged
 * into another. If another contact has its external id by now, it comes back without.
 */
export const restoreContact = (actor: Acting, id: string) =>
  write(actor, async (w) => {
    const [stored, merge] = await Promise.all([
      w.first(deletedContact, { ...viewerOf(w), id }),
      w.first(mergeOf, { firmId: w.firmId, id }),
    ]);
    if (!stored?.deletedAt) throw notFound();
    if (merge) {
      throw new Refusal(
        'conflict',
        'This contact was merged into another. Undo the merge on the page of that contact.',
      );
    }
    const externalId = await contactExternalIds.whenRestored(w, stored.externalId);
    countRestored(w, contact, stored.ordinal, stored.isPrivate);
    w.update(contact, stored, { deletedAt: null, externalId });
    return { hasLostExternalId: externalId !== stored.externalId };
  });

/** What a deleted contact is called. Throws `Refusal` not_found, also for one that was merged. */
export const readDeletedContact = async (reader: Reader, id: string) => {
  const [stored, merge] = await Promise.all([
    reader.first(nameOfDeleted, { ...viewerOf(reader), id }),
    reader.first(mergeOf, { firmId: reader.firmId, id }),
  ]);
  if (!stored || merge) throw notFound();
  return stored;
};

const nameOfDeleted = statement((given: Given<Viewer & { id: string }>) =>
  query
    .select({ id: contact.id, name: contact.name })
    .from(contact)
    .where(
      and(
        eq(contact.firmId, given.firmId),
        eq(contact.id, given.id),
        isNotNull(contact.deletedAt),
        canSeeContact(given),
      ),
    ),
);

const deletedContact = statement((given: Given<Viewer & { id: string }>) =>
  query
    .select()
    .from(contact)
    .where(and(eq(contact.firmId, given.firmId), eq(contact.id, given.id), canSeeContact(given)))
    .for('update'),
);

const mergeOf = statement(
  ({ firmId, id }: Given<'firmId' | 'id'>) => sql<object>`
    select from ${contactMerge} where ${contactMerge.firmId} = ${firmId}::uuid and ${contactMerge.mergedId} = ${id}::uuid
      and ${contactMerge.undoneAt} is null limit 1`,
);

/** A deleted contact. `deletedBy` null: the administrator. */
type DeletedContact = {
  id: string;
  name: string;
  isPrivate: boolean;
  /** It was merged into another: the merge is undone instead. */
  isMerged: boolean;
  deletedAt: Date;
  deletedBy: string | null;
  /** The key it was deleted through, if through one. */
  keyName: string | null;
};

/** A page of the deleted contacts that the reader may see, deleted last first; and how many there are. */
export const listDeletedContacts = async (reader: Reader, page: Page) => {
  const sight = viewerOf(reader);
  const [rows, counted] = await Promise.all([
    reader.run(deletedContacts, { ...sight, ...page }),
    reader.first(countDeleted, sight),
  ]);
  return {
    rows: rows.map((row) => ({ ...row, deletedAt: new Date(row.deletedAt) })),
    total: Number(counted?.count ?? 0),
  };
};

const deletedContacts = statement(
  (given: Given<Viewer & Page>) => sql<DeletedContact>`
    select contact.id::text as id, contact.name, contact.is_private as "isPrivate",
      exists (select from ${contactMerge} where ${contactMerge.firmId} = ${given.firmId}::uuid
        and ${contactMerge.mergedId} = contact.id and ${contactMerge.undoneAt} is null) as "isMerged",
      contact.deleted_at as "deletedAt", member.name as "deletedBy", api_key.name as "keyName"
    from (
      select * from contact
      where firm_id = ${given.firmId}::uuid and deleted_at is not null and ${canSeeContact(given)}
      order by deleted_at desc, id desc limit ${given.limit} offset ${given.offset}
    ) contact
    left join lateral (
      select member_id, key_id from audit_entry
      where firm_id = ${given.firmId}::uuid and record_id = contact.id and action = 'delete'
      order by id desc limit 1
    ) entry on true
    left join member on member.firm_id = contact.firm_id and member.id = entry.member_id
    left join api_key on api_key.firm_id = contact.firm_id and api_key.id = entry.key_id
    order by contact.deleted_at desc, contact.id desc`,
);

const countDeleted = statement(
  (given: Given<Viewer>) => sql<{ count: string }>`
    select count(*) as count from contact
    where firm_id = ${given.firmId}::uuid and deleted_at is not null and ${canSeeContact(given)}`,
);
