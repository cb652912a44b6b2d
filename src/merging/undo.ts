/** Undoes a merge, as long as it can be undone exactly. */
import { and, eq, isNull, sql } from 'drizzle-orm';
import { notFound, Refusal } from '../base/refusal.ts';
import { contactExternalIds, searchTextOfContact } from '../contacts/contact.ts';
import { followLead } from '../contacts/privacy.ts';
import { contact } from '../contacts/table.ts';
import { changeClients } from '../matters/clients.ts';
import { matterForChange } from '../matters/list.ts';
import { clientsOf } from '../matters/people.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { countRestored } from '../register/register.ts';
import { changeLinks, linksTo } from './links.ts';
import {
  type Before,
  fieldsOf,
  type Moved,
  moveLeads,
  mustSeeAll,
  type Reads,
  withoutName,
} from './merge.ts';
import { moveNotes, notesHeld } from './notes.ts';
import { belongings, contactsHeld, mergesInto } from './stored.ts';
import { contactMerge } from './table.ts';

/**
 * Undoes the last merge into a contact. Both contacts are as before, and moved records are moved
 * back; without its external id, if another contact has it by now. Records that the kept contact has got since then stay with it. Throws `Refusal` not_found,
 * forbidden as `mergeContacts` does, and conflict if something has changed since; the message says
 * what.
 */
export const undoMerge = (actor: Acting, id: string, reads: Reads) =>
  write(actor, async (w) => {
    const stored = await w.first(mergeHeld, { firmId: w.firmId, id });
    if (!stored) throw notFound();
    const { keptId, mergedId } = stored;
    const [before, moved] = [stored.before as Before, stored.moved as Moved];
    const [held, [last]] = await Promise.all([contactsHeld(w, [keptId]), mergesInto(w, keptId)]);
    const kept = held.get(keptId);
    if (!kept) throw notFound();
    if (last?.id !== id) throw changed('Another contact was merged into it later. Undo that first');
    const [merged, has, links, notes, now] = await Promise.all([
      w.first(deletedHeld, { firmId: w.firmId, id: mergedId }),
      belongings(w, keptId),
      linksTo(w, keptId),
      notesHeld(w, keptId),
      w.now(),
    ]);
    if (!merged?.deletedAt) throw changed('The merged contact is no longer deleted');
    if (!Bun.deepEquals(plain(fieldsOf(kept)), plain(before.after))) {
      throw changed('The contact has changed since then');
    }
    const leads = has.leads.filter((one) => moved.leads.includes(one.id));
    const back = links.filter(({ kind, id: of, fieldId }) =>
      moved.links.some((link) => link.kind === kind && link.id === of && link.fieldId === fieldId),
    );
    mustSeeAll(
      { leads, matters: moved.matters.map((one) => one.id), hidden: has.hidden },
      back,
      reads,
    );
    if (leads.length !== moved.leads.length) throw changed('A lead has another contact now');
    if (back.length !== moved.links.length)
      throw changed('A custom field names another contact now');

    const externalId = await contactExternalIds.whenRestored(w, merged.externalId);
    countRestored(w, contact, merged.ordinal, merged.isPrivate);
    w.update(contact, merged, { deletedAt: null, externalId, updatedAt: now });
    const fields = {
      ...before.fields,
      searchText: searchTextOfContact(before.fields),
      updatedAt: now,
    };
    w.update(contact, kept, fields);
    moveLeads(w, leads, merged, now);
    await restoreClients(w, moved.matters);
    changeLinks(w, back, keptId, mergedId);
    moveNotes(
      w,
      notes.filter((one) => moved.notes?.includes(one.id)),
      mergedId,
    );
    void w.run(markUndone, { firmId: w.firmId, id });
    w.record('update', contactMerge, id, { undone: { before: false, after: true } });
    if (leads.length > 0)
      await followLead(
        w,
        mergedId,
        leads.every((one) => one.isPrivate),
      );
    if (before.wasPrivate) await followLead(w, keptId, true);
    return { keptId, hasLostExternalId: externalId !== merged.externalId };
  });

// JSON has no undefined, and may have the fields in another order.
const plain = (value: object): unknown => JSON.parse(JSON.stringify(value));

const changed = (why: string) =>
  new Refusal('conflict', `${why}, so this merge can no longer be undone exactly.`);

const restoreClients = async (w: Write, matters: Moved['matters']) => {
  for (const { id, before, after } of matters) {
    if (!(await matterForChange(w, id))) throw changed('A matter was deleted since then');
    const present = (await clientsOf(w, id)).map(withoutName);
    if (!Bun.deepEquals(present, after))
      throw changed('The clients of a matter have changed since then');
    await changeClients(w, id, {
      contactIds: before.map(({ contactId }) => contactId),
      primaryId: before.find(({ isPrimary }) => isPrimary)?.contactId ?? null,
      billRecipientId: before.find(({ isBillRecipient }) => isBillRecipient)?.contactId ?? null,
    });
  }
};

const mergeHeld = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .select()
    .from(contactMerge)
    .where(
      and(eq(contactMerge.firmId, firmId), eq(contactMerge.id, id), isNull(contactMerge.undoneAt)),
    )
    .for('update'),
);

const deletedHeld = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .select()
    .from(contact)
    .where(and(eq(contact.firmId, firmId), eq(contact.id, id)))
    .for('update'),
);

// After the entries about the kept contact, so that they lie between the merge and its undo
// (visibility/entries.ts).
const markUndone = statement(
  ({ firmId, id }: Given<'firmId' | 'id'>) => sql`
    update contact_merge set undone_at = moment()
    where firm_id = ${firmId}::uuid and id = ${id}::uuid`,
);
