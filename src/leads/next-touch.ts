/**
 * A lead's next step: the day on which a person means to speak with it again, or the day and the time,
 * in the firm's time zone. The API has no field for it.
 */
import { sql } from 'drizzle-orm';
import { changesBetween } from '../audit/entry.ts';
import type { Changes } from '../audit/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { isByPerson } from '../record/actor.ts';
import { takesBack } from '../record/taken-back.ts';
import type { Write } from '../record/write.ts';
import { tellDueLater } from './jobs.ts';
import type { leadForChange } from './list.ts';
import { lead } from './table.ts';

type Stored = NonNullable<Awaited<ReturnType<typeof leadForChange>>>;
type Fields = Pick<Stored, 'nextTouch' | 'nextTouchDueAt'>;

const none: Fields = { nextTouch: null, nextTouchDueAt: null };

/**
 * The fields of a lead that has this next step from now on, `YYYY-MM-DD` or `YYYY-MM-DDThh:mm`; null for
 * none. Those assigned are told when it falls due.
 */
export const withNextTouch = async (
  w: Write,
  leadId: string,
  nextTouch: string | null,
): Promise<Fields> => {
  if (nextTouch === null) return none;
  const now = await w.now();
  const due = await w.first(dueMoment, { firmId: w.firmId, nextTouch, now });
  if (!due) return none;
  const nextTouchDueAt = new Date(due.at);
  const seconds = secondsUntil(nextTouchDueAt, now);
  if (seconds > 0) tellDueLater(w, leadId, nextTouch, seconds);
  return { nextTouch, nextTouchDueAt };
};

/**
 * Has those assigned told of the next step of a lead that is back, at once if it fell due meanwhile. Who was told of it
 * before is not told again.
 */
export const tellNextTouch = async (w: Write, leadId: string, step: Fields) => {
  if (step.nextTouch === null || step.nextTouchDueAt === null) return;
  const seconds = secondsUntil(step.nextTouchDueAt, await w.now());
  tellDueLater(w, leadId, step.nextTouch, Math.max(0, seconds));
};

const secondsUntil = (due: Date, now: Date) => Math.ceil((due.getTime() - now.getTime()) / 1000);

/**
 * The fields of a lead that the author of this write touches: a next step that was due is answered and
 * gone. One that is not due stays, and what a program does answers none.
 */
export const touched = (w: Write, { nextTouchDueAt }: Fields, now: Date): Partial<Fields> => {
  return isByPerson(w) && nextTouchDueAt !== null && nextTouchDueAt <= now ? none : {};
};

/**
 * What `touched` gives, if a write makes these changes of a lead: who changes nothing has not touched it. Who takes back what
 * they changed last has the next step back that it answered.
 */
export const touchedBy = async (
  w: Write,
  stored: Stored,
  changes: Changes,
  now: Date,
): Promise<Partial<Fields>> => {
  if (Object.keys(changes).length === 0 || !isByPerson(w)) return {};
  if (stored.nextTouch !== null) return touched(w, stored, now);
  const last = await w.first(lastChange, {
    firmId: w.firmId,
    leadId: stored.id,
    memberId: w.memberId,
  });
  const { nextTouch, nextTouchDueAt } = last?.changes ?? {};
  if (!last || !nextTouch?.before || !takesBack(changes, last.changes)) return {};
  return {
    nextTouch: String(nextTouch.before),
    nextTouchDueAt: new Date(String(nextTouchDueAt?.before)),
  };
};

/** The same, of the lead's fields. */
export const touchedIfChanged = (w: Write, stored: Stored, changed: Partial<Stored>, now: Date) =>
  touchedBy(w, stored, changesBetween(stored, changed), now);

/** The newest change of a lead, if it is the member's own and of the last day: what a member may still undo. */
const lastChange = statement(
  (given: Given<{ firmId: string; leadId: string; memberId: string | null }>) => sql<{
    changes: Changes;
  }>`
    select newest.changes from (
      select changes, member_id, at from audit_entry
      where firm_id = ${given.firmId}::uuid and record_id = ${given.leadId}::uuid
      order by id desc limit 1) newest
    where newest.member_id = ${given.memberId}::uuid and newest.at > moment() - interval '24 hours'`,
);

/** Answers the next step of a lead that a person touched without changing it, by a note for example. */
export const touch = async (w: Write, stored: Stored) => {
  const now = await w.now();
  w.update(lead, stored, { ...touched(w, stored, now), updatedAt: now });
};

/**
 * From when a touch answers a next step, and its assignees are told: its time, or 7:00 of its day. If that
 * day has begun already, it has until its end.
 */
const dueMoment = statement(
  ({ firmId, nextTouch, now }: Given<{ firmId: string; nextTouch: string; now: Date }>) => sql<{
    at: string;
  }>`
    select case
      when length(${nextTouch}::text) > 10
        then replace(${nextTouch}::text, 'T', ' ')::timestamp at time zone firm.time_zone
      when (asked.day + time '7:00') at time zone firm.time_zone > ${now}::timestamptz
        then (asked.day + time '7:00') at time zone firm.time_zone
      else (asked.day + 1)::timestamp at time zone firm.time_zone end as at
    from firm
    cross join lateral (select left(${nextTouch}::text, 10)::date as day) asked
    where firm.id = ${firmId}::uuid`,
);
