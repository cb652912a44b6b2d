import { and, asc, eq, isNull } from 'drizzle-orm';
import { newId } from '../base/columns.ts';
import { invalidField, notFound, notFoundField } from '../base/refusal.ts';
import { trimmed } from '../contacts/name.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Actor, Reader } from '../record/actor.ts';
import { type Write, write } from '../record/write.ts';
import { notHiredReason } from './table.ts';

/** What a new firm starts with. It may change the list. */
const usualReasons = [
  'Could not be reached',
  'Chose another firm',
  'Outside our practice',
  'Conflict of interest',
  'Fees',
  'No case',
  'Duplicate',
  'Other',
];

const longestName = 128;

/** The firm's reasons for not being hired, in their order. */
export const listReasons = (reader: Reader) => reader.run(reasons, { firmId: reader.firmId });

const reasons = statement(({ firmId }: Given<'firmId'>) =>
  query
    .select()
    .from(notHiredReason)
    .where(and(eq(notHiredReason.firmId, firmId), isNull(notHiredReason.deletedAt)))
    .orderBy(asc(notHiredReason.position), asc(notHiredReason.id)),
);

/** The reason among the firm's. Throws `Refusal` invalid_request if none is given, not_found. */
export const reasonAmong = async (reader: Reader, id: string | null) => {
  if (!id) throw invalidField('reasonId', 'must be one of the reasons of the firm');
  const found = (await listReasons(reader)).find((reason) => reason.id === id);
  if (!found) throw notFoundField('reasonId', 'is not the id of a reason of the firm');
  return found;
};

/** Adds a reason at the end. Throws `Refusal` invalid_request for its name. */
export const addReason = (actor: Actor, name: string) =>
  write(actor, async (w) => {
    const [standing, now] = await Promise.all([reasonsForChange(w), w.now()]);
    const checked = freeName(standing, name);
    const position = Math.max(-1, ...standing.map((reason) => reason.position)) + 1;
    return storeReason(w, checked, position, now);
  });

/** Gives a new firm its first reasons, in the write that makes it. */
export const storeUsualReasons = async (w: Write) => {
  const now = await w.now();
  for (const [position, name] of usualReasons.entries()) storeReason(w, name, position, now);
};

const storeReason = (w: Write, name: string, position: number, now: Date) => {
  const id = newId();
  w.create(notHiredReason, { firmId: w.firmId, id, name, position, createdAt: now });
  return id;
};

/**
 * Renames a reason; leads that have it show the new name. Throws `Refusal` not_found,
 * invalid_request.
 */
export const renameReason = (actor: Actor, id: string, name: string) =>
  write(actor, async (w) => {
    const standing = await reasonsForChange(w);
    const stored = thisReason(standing, id);
    const others = standing.filter((reason) => reason.id !== id);
    w.update(notHiredReason, stored, { name: freeName(others, name) });
  });

/**
 * Moves a reason one place up or down. At the end of the list, nothing changes. Throws `Refusal`
 * not_found.
 */
export const shiftReason = (actor: Actor, id: string, by: -1 | 1) =>
  write(actor, async (w) => {
    const standing = await reasonsForChange(w);
    const shifted = thisReason(standing, id);
    const from = standing.indexOf(shifted);
    const moved = standing.toSpliced(from, 1).toSpliced(Math.max(0, from + by), 0, shifted);
    for (const [position, reason] of moved.entries())
      w.update(notHiredReason, reason, { position });
  });

/** Removes a reason from the list; leads that have it keep it. Throws `Refusal` not_found. */
export const removeReason = (actor: Actor, id: string) =>
  write(actor, async (w) => {
    const [standing, now] = await Promise.all([reasonsForChange(w), w.now()]);
    w.remove(notHiredReason, thisReason(standing, id), now);
  });

type Reason = typeof notHiredReason.$inferSelect;

const reasonsForChange = (w: Write): Promise<Reason[]> => w.run(heldReasons, { firmId: w.firmId });

const heldReasons = statement(({ firmId }: Given<'firmId'>) =>
  query
    .select()
    .from(notHiredReason)
    .where(and(eq(notHiredReason.firmId, firmId), isNull(notHiredReason.deletedAt)))
    .orderBy(asc(notHiredReason.position), asc(notHiredReason.id))
    .for('update'),
);

const thisReason = (standing: Reason[], id: string) => {
  const found = standing.find((reason) => reason.id === id);
  if (!found) throw notFound();
  return found;
};

const freeName = (others: Reason[], name: string) => {
  const checked = trimmed(name);
  if (!checked || [...checked].length > longestName) {
    throw invalidField('name', `must be 1 to ${longestName} characters`);
  }
  if (others.some((reason) => reason.name === checked)) {
    throw invalidField('name', 'is on the list already');
  }
  return checked;
};
