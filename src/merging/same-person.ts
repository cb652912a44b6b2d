/** A new lead of somebody whom the firm knows already: the same person, a new case. */
import { isId } from '../base/columns.ts';
import { Refusal } from '../base/refusal.ts';
import { type ByPeople, createLead } from '../leads/lead.ts';
import type { NewLead } from '../leads/wire.ts';
import { type Acting, write } from '../record/write.ts';
import { mergeContacts, type Reads } from './merge.ts';
import { contactsHeld } from './stored.ts';

/**
 * Why a lead kept a contact of its own: the lead is private, or the known contact is hidden, and a
 * merge would show it to everybody who reads contacts.
 */
export type WhyApart = 'privateLead' | 'hiddenContact';

export type OfKnown = { id: string; mergeId?: string; apart?: WhyApart };

/** Who the person is, what else is said of the lead, and what the actor's role reads. */
type Known = ByPeople & { contactId: string; reads: Reads };

/**
 * Makes a lead with a contact of its own, and merges that into the contact that the firm knows, in one
 * write. The known contact's names stay; it has the addresses and numbers of both. Throws `Refusal`
 * conflict if there is no such contact any more, and what `createLead` and `mergeContacts` throw.
 */
export const createLeadOfKnown = (actor: Acting, body: NewLead, known: Known): Promise<OfKnown> =>
  write(actor, async (w) => {
    const { contactId, reads, ...byPeople } = known;
    // Held before the registers are: another merge takes its locks in this order.
    const held = isId(contactId) ? (await contactsHeld(w, [contactId])).get(contactId) : undefined;
    if (!held) throw gone();
    const { id, contact } = await createLead(w, body, byPeople);
    if (body.isPrivate) return { id, apart: 'privateLead' };
    if (held.isPrivate || !contact) return { id, apart: 'hiddenContact' };
    const merge = { keptId: contactId, mergedId: contact.id, taken: new Set<string>(), reads };
    return { id, mergeId: await mergeContacts(w, merge) };
  });

const gone = () =>
  new Refusal(
    'conflict',
    'The contact that you chose is no longer there. Choose another, or create the lead without it.',
  );
