/** A change of a contact by a person is a touch of its leads. */
import { sql } from 'drizzle-orm';
import { updateContact } from '../contacts/contact.ts';
import type { ContactChange } from '../contacts/wire.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { isByPerson } from '../record/actor.ts';
import type { Acting, Write } from '../record/write.ts';
import { canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';
import { lead } from './table.ts';

/**
 * Changes a contact, and answers the next steps, due by now, of those of its leads that the person may see. What a program
 * changes answers none. Throws as `updateContact` does.
 */
export const changeContact = (actor: Acting, id: string, body: ContactChange) =>
  updateContact(actor, id, body, (w, now) => answerNextSteps(w, id, now));

const answerNextSteps = async (w: Write, contactId: string, now: Date) => {
  if (!isByPerson(w)) return;
  const due = await w.run(dueOfContact, { ...viewerOf(w), contactId, now });
  for (const stored of due) {
    w.update(lead, stored, { nextTouch: null, nextTouchDueAt: null, updatedAt: now });
  }
};

const dueOfContact = statement(
  (given: Given<Viewer & { contactId: string; now: Date }>) => sql<{
    id: string;
    nextTouch: string;
  }>`
    select ${lead.id}::text as id, ${lead.nextTouch} as "nextTouch" from ${lead}
    where ${lead.firmId} = ${given.firmId}::uuid and ${lead.contactId} = ${given.contactId}::uuid
      and ${lead.deletedAt} is null and ${lead.nextTouchDueAt} <= ${given.now}::timestamptz
      and ${canSeeLead(given)}
    order by ${lead.id} for update of ${sql.raw('lead')}`,
);
