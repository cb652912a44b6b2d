import { and, eq } from 'drizzle-orm';
import { notFound, Refusal } from '../base/refusal.ts';
import { storeNote } from '../notes/note.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Actor } from '../record/actor.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { countRestored } from '../register/register.ts';
import { canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';
import { leadExternalIds } from './external-id.ts';
import { leadForChange } from './list.ts';
import { tellNextTouch, touchedIfChanged } from './next-touch.ts';
import { reasonAmong } from './reasons.ts';
import { lead, type leadStatuses } from './table.ts';

type Status = (typeof leadStatuses)[number];

/**
 * Moves a lead between ACTIVE, DRAFT and ARCHIVE. It loses its reason for not being hired. The same
 * status changes nothing. Throws `Refusal` not_found, and conflict for a hired lead.
 */
export const setLeadStatus = (actor: Acting, id: string, status: 'ACTIVE' | 'DRAFT' | 'ARCHIVE') =>
  write(actor, async (w) => {
    const [stored, now] = await Promise.all([undecidedLead(w, id), w.now()]);
    const changed = { status, decidedAt: null, notHiredReasonId: null };
    const step = await touchedIfChanged(w, stored, changed, now);
    w.update(lead, stored, { ...changed, ...step, updatedAt: now });
  });

/**
 * Ends a lead as NOT_HIRED, for one of the firm's reasons, with an optional note. Throws `Refusal`
 * not_found, invalid_request without a reason, and conflict for a hired lead.
 */
export const declineLead = (
  actor: Acting,
  id: string,
  { reasonId, note }: { reasonId: string | null; note?: string | undefined },
) =>
  write(actor, async (w) => {
    const [stored, now, reason] = await Promise.all([
      undecidedLead(w, id),
      w.now(),
      reasonAmong(w, reasonId),
    ]);
    const status: Status = 'NOT_HIRED';
    const decidedAt = stored.status === status ? stored.decidedAt : now;
    const decided = { status, decidedAt, notHiredReasonId: reason.id };
    const step = await touchedIfChanged(w, stored, decided, now);
    w.update(lead, stored, { ...decided, ...step, updatedAt: now });
    if (note?.trim()) await storeNote(w, { about: 'lead', recordId: id }, note);
  });

const undecidedLead = async (w: Write, id: string) => {
  const stored = await leadForChange(w, id);
  if (!stored) throw notFound();
  if (stored.status === 'HIRED') {
    throw new Refusal('conflict', 'This lead was hired and became a matter. Undo the hire first.');
  }
  return stored;
};

/**
 * Brings a deleted lead back as it was; without its external id if another lead has it by now. Throws
 * `Refusal` not_found for a lead that is not deleted.
 */
export const restoreLead = (actor: Actor, id: string) =>
  write(actor, async (w) => {
    const stored = await w.first(deletedLead, { ...viewerOf(w), id });
    if (!stored?.deletedAt) throw notFound();
    const externalId = await leadExternalIds.whenRestored(w, stored.externalId);
    countRestored(w, lead, stored.ordinal, stored.isPrivate);
    w.update(lead, stored, { deletedAt: null, externalId });
    await tellNextTouch(w, id, stored);
    return { hasLostExternalId: externalId !== stored.externalId };
  });

const deletedLead = statement((given: Given<Viewer & { id: string }>) =>
  query
    .select()
    .from(lead)
    .where(and(eq(lead.firmId, given.firmId), eq(lead.id, given.id), canSeeLead(given)))
    .for('update'),
);
