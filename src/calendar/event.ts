import { and, asc, eq, gt, inArray, isNull, sql } from 'drizzle-orm';
import { newId } from '../base/columns.ts';
import { notFound } from '../base/refusal.ts';
import { listMembers } from '../firm/member.ts';
import { matterForChange } from '../matters/list.ts';
import { deliver, type Told } from '../notifications/delivered.ts';
import { type Given, insertOf, query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { calendarEvent, eventGuest } from './table.ts';

/** A calendar event to be made. Guests are email addresses, of colleagues or others. */
export type NewEvent = { matterId: string; title: string; startsAt: Date; guests: string[] };

/** Adds a calendar event to a matter. Throws `Refusal` not_found for the matter. */
export const addEvent = (actor: Acting, { matterId, title, startsAt, guests }: NewEvent) =>
  write(actor, async (w) => {
    const [matter, members, now] = await Promise.all([
      matterForChange(w, matterId),
      listMembers(w),
      w.now(),
    ]);
    if (!matter) throw notFound('No matter of the firm has this id; GET /v1/matters lists them.');
    const { firmId } = w;
    const made = { firmId, id: newId(), matterId, title, startsAt, createdAt: now, updatedAt: now };
    const emails = [...new Set(guests.map((email) => email.trim().toLowerCase()))];
    w.create(calendarEvent, made, { guests: emails });
    for (const email of emails) {
      const memberId = members.find((member) => member.email === email)?.id ?? null;
      const row = { firmId, eventId: made.id, email, memberId };
      void w.run(insertOf(eventGuest, Object.keys(row)), row);
    }
    return viewEvent(
      { ...made, endsAt: null, firstDay: null, lastDay: null, cancelledAt: null },
      emails,
    );
  });

/**
 * The firm's calendar events with their guests, in the order they start; of one matter if given.
 */
export const listEvents = async (reader: Reader, matterId: string | null) => {
  const { firmId } = reader;
  const [events, guests] = await Promise.all([
    reader.run(eventsOf, { firmId, matterId }),
    reader.run(guestsOf, { firmId, matterId }),
  ]);
  const emails = Map.groupBy(guests, (guest) => guest.eventId);
  return events.map((event) =>
    viewEvent(event, emails.get(event.id)?.map((guest) => guest.email) ?? []),
  );
};

/** Cancels up to `most` future events of a matter, and tells their guests. */
export const cancelEvents = async (w: Write, matterId: string, most: number): Promise<number> => {
  const now = await w.now();
  const coming = await w.run(comingEvents, {
    firmId: w.firmId,
    matterId,
    now,
    most,
  });
  for (const event of coming) {
    w.update(calendarEvent, event, { cancelledAt: now, updatedAt: now });
    deliver(w, tellGuests, { firmId: w.firmId, eventId: event.id });
  }
  return coming.length;
};

type Stored = Omit<typeof calendarEvent.$inferSelect, 'firmId'>;

const viewEvent = (
  { id, matterId, title, startsAt, cancelledAt, createdAt }: Stored,
  guests: string[],
) => ({ id, matterId, title, startsAt, guests, cancelledAt, createdAt });

const ofMatter = (given: Given<{ matterId: string | null }>) => sql`(${given.matterId}::uuid is null
  or ${calendarEvent.matterId} = ${given.matterId})`;

const eventsOf = statement((given: Given<{ firmId: string; matterId: string | null }>) =>
  query
    .select()
    .from(calendarEvent)
    .where(and(eq(calendarEvent.firmId, given.firmId), ofMatter(given)))
    .orderBy(asc(calendarEvent.startsAt), asc(calendarEvent.id)),
);

const guestsOf = statement((given: Given<{ firmId: string; matterId: string | null }>) =>
  query
    .select({ eventId: eventGuest.eventId, email: eventGuest.email })
    .from(eventGuest)
    .where(
      and(
        eq(eventGuest.firmId, given.firmId),
        inArray(
          eventGuest.eventId,
          query.select({ id: calendarEvent.id }).from(calendarEvent).where(ofMatter(given)),
        ),
      ),
    )
    .orderBy(asc(eventGuest.email)),
);

const comingEvents = statement(
  (given: Given<{ firmId: string; matterId: string; now: Date; most: number }>) =>
    query
      .select()
      .from(calendarEvent)
      .where(
        and(
          eq(calendarEvent.firmId, given.firmId),
          eq(calendarEvent.matterId, given.matterId),
          gt(calendarEvent.startsAt, given.now),
          isNull(calendarEvent.cancelledAt),
        ),
      )
      .orderBy(asc(calendarEvent.startsAt))
      .limit(given.most)
      .for('update'),
);

// An event is cancelled once, so its id is cause enough. Guests from outside have no inbox.
const tellGuests = statement(
  ({ firmId, eventId }: Given<'firmId' | 'eventId'>) => sql<Told>`
    insert into notification (firm_id, member_id, kind, cause, record_id, title, text, created_at, raised_at)
    select event.firm_id, member.id, 'event.cancelled', event.id, matter.id, 'Event cancelled',
      event.title || ' (' || matter.number || ' ' || matter.title || ')', moment(), moment()
    from calendar_event event
    join matter on matter.firm_id = event.firm_id and matter.id = event.matter_id
    join event_guest guest on guest.firm_id = event.firm_id and guest.event_id = event.id
    join member on member.firm_id = guest.firm_id and member.id = guest.member_id
    where event.firm_id = ${firmId} and event.id = ${eventId}
      and member.deactivated_at is null and not 'event.cancelled' = any(member.muted_kinds)
    on conflict do nothing returning notification.kind`,
);
