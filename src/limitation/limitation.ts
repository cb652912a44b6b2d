import { checkDay, dayIn } from '../base/calendar-date.ts';
import { invalid, invalidField, notFound } from '../base/refusal.ts';
import { isRequired } from '../base/rule.ts';
import { shortText } from '../base/short-text.ts';
import { readFirm } from '../firm/firm.ts';
import { lookAtLimitationLater } from '../matters/jobs.ts';
import { matterForChange } from '../matters/list.ts';
import { limitationAfter } from '../matters/matter.ts';
import { matter } from '../matters/table.ts';
import { type Acting, type Write, write } from '../record/write.ts';

/**
 * A limitation date to set, `YYYY-MM-DD`, or null to clear it; and the reason for changing an
 * existing one.
 */
type NewLimitation = { solDate: string | null; reason: string };

/**
 * Sets, moves or clears a matter's limitation date, and keeps the reason in the audit entry. A date
 * that was met is open again when it changes. Throws `Refusal` not_found; invalid_request for a day
 * that does not exist, and if an existing date is changed without a reason.
 */
export const setLimitation = (actor: Acting, id: string, { solDate, reason }: NewLimitation) =>
  write(actor, async (w) => {
    if (solDate !== null) checkDay('solDate', solDate);
    const [stored, now] = await Promise.all([matterFor(w, id), w.now()]);
    if (solDate === stored.solDate) return;
    if (stored.solDate !== null && reason.trim() === '') {
      throw invalidField('reason', isRequired(': a limitation date was set'));
    }
    const why = reason.trim() && shortText('reason', reason);
    const fields = { ...limitationAfter(stored, solDate), updatedAt: now };
    w.update(matter, stored, fields, why ? { reason: { before: null, after: why } } : {});
    if (solDate !== null) lookAtLimitationLater(w, id);
  });

/**
 * Marks a limitation date as met on a day, by the acting member. It then gives no further notice.
 * Throws `Refusal` not_found; invalid_request without a limitation date, and for a day that does
 * not exist or is still to come.
 */
export const meetLimitation = (actor: Acting, id: string, metOn: string) =>
  write(actor, async (w) => {
    checkDay('metOn', metOn);
    const [stored, { timeZone }, now] = await Promise.all([matterFor(w, id), readFirm(w), w.now()]);
    if (stored.solDate === null) {
      throw invalid('The matter has no limitation date. Set one first.');
    }
    if (metOn > dayIn(now, timeZone)) throw invalidField('metOn', 'must not be after today');
    const isSame = stored.limitationMetOn === metOn;
    const limitationMetById = isSame ? stored.limitationMetById : w.memberId;
    w.update(matter, stored, { limitationMetOn: metOn, limitationMetById, updatedAt: now });
  });

/** Marks a limitation date as not met: it gives notice again. Throws `Refusal` not_found. */
export const reopenLimitation = (actor: Acting, id: string) =>
  write(actor, async (w) => {
    const [stored, now] = await Promise.all([matterFor(w, id), w.now()]);
    const fields = { limitationMetOn: null, limitationMetById: null, updatedAt: now };
    if (w.update(matter, stored, fields)) lookAtLimitationLater(w, id);
  });

const matterFor = async (w: Write, id: string) => {
  const stored = await matterForChange(w, id);
  if (!stored) throw notFound();
  return stored;
};
