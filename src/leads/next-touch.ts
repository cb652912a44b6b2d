/**
 * A lead's next step: the day on which a person means to speak with it again, or the day and the time,
 * in the firm's time zone. The API has no field for it.
 */
import { sql } from 'drizzle-orm';
import { changesBetween } from '../audit/entry.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { isByPerson } from '../record/actor.ts';
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
  const seconds = Math.ceil((nextTouchDueAt.getTime() - now.getTime()) / 1000);
  if (seconds > 0) tellDueLater(w, leadId, nextTouch, seconds);
  return { nextTouch, nextTouchDueAt };
};

/**
 * The fields of a lead that the author of this write touches: a next step that was due is answered and
 * gone. One that is not due stays, and what a program does answers none.
 */
export const touched = (w: Write, { nextTouchDueAt }: Fields, now: Date): Partial<Fields> => {
  return isByPerson(w) && nextTouchDueAt !== null && nextTouchDueAt <= now ? none : {};
};

/** What `touched` gives, if something else of the lead changes too: who changes nothing has not touched it. */
export const touchedIfChanged = (w: Write, stored: Stored, changed: Partial<Stored>, now: Date) =>
  Object.keys(changesBetween(stored, changed)).length > 0 ? touched(w, stored, now) : {};

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
