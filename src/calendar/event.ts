import { and, asc, eq, gt, inArray, isNull, sql } from 'drizzle-orm';
import { isCalendarDate } from '../base/calendar-date.ts';
import { newId } from '../base/columns.ts';
import { invalidField, notFound, Refusal } from '../base/refusal.ts';
import { shortText } from '../base/short-text.ts';
import { isEmailAddress, listMembers } from '../firm/member.ts';
import { matterForChange } from '../matters/list.ts';
import { deliver, type Told } from '../notifications/delivered.ts';
import { type Given, insertOf, query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { calendarEvent, eventGuest } from './table.ts';

/** A calendar event to be made. Guests are email addresses, of colleagues or others. */
export type NewEvent = { matterId: string; title: string; guests: string[] } & When;

/** When an event is: from one moment on, to another if that is known; or on whole days of the firm. */
export type When = { startsAt: Date; endsAt?: Date | null } | { firstDay: string; lastDay: string };

/**
 * Adds a calendar event to a matter, and tells the colleagues whom a member invites. Throws `Refusal`
 * not_found for the matter; invalid_request for a title, address or time that is none.
 */
export const addEvent = (actor: Acting, { matterId, title, guests, ...when }: NewEvent) =>
  write(actor, async (w) => {
    const [matter, now] = await Promise.all([matterForChange(w, matterId), w.now()]);
    if (!matter) throw notFound('No matter of the firm has this id; GET /v1/matters lists them.');
    const made = {
      firmId: w.firmId,
      id: newId(),
      matterId,
      title: shortText('title', title),
      ...(await timeOf(w, when)),
      createdAt: now,
      updatedAt: now,
    };
    const emails = guestsFrom(guests);
    w.create(calendarEvent, made, { guests: emails });
    await invite(w, made.id, emails);
    return viewEvent({ ...made, cancelledAt: null }, emails);
  });

/** What may be changed of an event: its words, its time, and who is invited. */
export type EventChange = { title: string; guests: string[]; when: When };

/**
 * Changes a calendar event. Colleagues who are invited now and were not before are told. Throws `Refusal`
 * not_found, conflict for a cancelled one, and as `addEvent` does.
 */
export const changeEvent = (actor: Acting, id: string, { title, guests, when }: EventChange) =>
  write(actor, async (w) => {
    const { stored, before, now } = await eventForChange(w, id);
    if (stored.cancelledAt !== null) {
      throw new Refusal('conflict', 'This event was cancelled. Make a new one in its place.');
    }
    const fields = { title: shortText('title', title), ...(await timeOf(w, when)), updatedAt: now };
    const after = guestsFrom(guests);
    const added = after.filter((email) => !before.includes(email));
    const gone = before.filter((email) => !after.includes(email));
    const also = { guests: { before, after } };
    const areOthers = added.length + gone.length > 0;
    if (!w.update(calendarEvent, stored, fields, areOthers ? also : {}) && areOthers) {
      w.record('update', calendarEvent, id, also);
    }
    if (gone.length > 0) void w.run(uninvite, { firmId: w.firmId, eventId: id, emails: gone });
    await invite(w, id, added);
  });

/** Cancels a calendar event and tells its guests; repeated it changes nothing. Throws `Refusal` not_found. */
export const cancelEvent = (actor: Acting, id: string) =>
  write(actor, async (w) => {
    const { stored, now } = await eventForChange(w, id);
    if (stored.cancelledAt === null) cancel(w, stored, now);
  });

const eventForChange = async (w: Write, id: string) => {
  const of = { firmId: w.firmId, id };
  const [stored, guests, now] = await Promise.all([
    w.first(oneEvent, of),
    w.run(guestsOfOne, of),
    w.now(),
  ]);
  if (!stored) throw notFound();
  return { stored, before: guests.map(({ email }) => email), now };
};

/** When it is, as it is stored. Throws `Refusal` invalid_request. */
const timeOf = async (w: Write, when: When) => {
  if ('startsAt' in when) {
    const endsAt = when.endsAt ?? null;
    if (endsAt && endsAt < when.startsAt)
      throw invalidField('endsAt', 'must not be before it begins');
    return { startsAt: when.startsAt, endsAt, firstDay: null, lastDay: null };
  }
  const { firstDay, lastDay } = when;
  if (lastDay < firstDay) throw invalidField('lastDay', 'must not be before the first day');
  const startsAt = await momentAt(w, firstDay, '00:00');
  return { startsAt, endsAt: null, firstDay, lastDay };
};

/**
 * The moment at which a clock in the firm shows an hour of a day. Throws `Refusal` for a day or an hour
 * that there is not.
 */
export const momentAt = async (reader: Reader, day: string, hour: string): Promise<Date> => {
  if (!isCalendarDate(day)) throw invalidField('day', 'must be a calendar date, YYYY-MM-DD');
  if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(hour))
    throw invalidField('begins', 'must be an hour: 14:30');
  const found = await reader.first(wallTime, { firmId: reader.firmId, day, hour });
  if (!found) throw notFound();
  return new Date(found.at);
};

const guestsFrom = (guests: readonly string[]): string[] => {
  const emails = [...new Set(guests.map((email) => email.trim().toLowerCase()))];
  const wrong = emails.find((email) => !isEmailAddress(email));
  if (wrong === undefined) return emails;
  throw invalidField('guests', 'must be email addresses, one a line');
};

/** Writes down who is invited, and tells the colleagues among them, if a member invites them now. */
const invite = async (w: Write, eventId: string, emails: readonly string[]) => {
  if (emails.length === 0) return;
  const members = await listMembers(w);
  for (const email of emails) {
    const memberId = members.find((member) => member.email === email)?.id ?? null;
    const row = { firmId: w.firmId, eventId, email, memberId };
    void w.run(insertOf(eventGuest, Object.keys(row)), row);
  }
  if (w.memberId === null || w.author.at) return;
  const cause = `${eventId}:${w.author.requestId}`;
  const told = { firmId: w.firmId, eventId, emails: [...emails], cause, doerId: w.memberId };
  void deliver(w, tellInvited, told);
};

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
  for (const event of coming) cancel(w, event, now);
  return coming.length;
};

const cancel = (w: Write, event: { id: string; cancelledAt: Date | null }, now: Date) => {
  w.update(calendarEvent, event, { cancelledAt: now, updatedAt: now });
  void deliver(w, tellGuests, { firmId: w.firmId, eventId: event.id });
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

const oneEvent = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .select()
    .from(calendarEvent)
    .where(
      sql`${calendarEvent.firmId} = ${firmId} and ${calendarEvent.id} = ${id} and exists (select from matter
        where matter.firm_id = ${calendarEvent.firmId} and matter.id = ${calendarEvent.matterId}
          and matter.deleted_at is null)`,
    )
    .for('update'),
);

const guestsOfOne = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .select({ email: eventGuest.email })
    .from(eventGuest)
    .where(and(eq(eventGuest.firmId, firmId), eq(eventGuest.eventId, id)))
    .orderBy(asc(eventGuest.email)),
);

const uninvite = statement(
  ({ firmId, eventId, emails }: Given<{ firmId: string; eventId: string; emails: string[] }>) =>
    sql`delete from event_guest where firm_id = ${firmId}::uuid and event_id = ${eventId}::uuid
      and email = any(${emails}::text[])`,
);

const wallTime = statement(
  ({ firmId, day, hour }: Given<'firmId' | 'day' | 'hour'>) => sql<{ at: string }>`
    select (${day}::date + ${hour}::time) at time zone time_zone as at from firm
    where id = ${firmId}::uuid`,
);

const tellInvited = statement(
  (
    given: Given<{
      firmId: string;
      eventId: string;
      emails: string[];
      cause: string;
      doerId: string;
    }>,
  ) => sql<Told>`
    insert into notification (firm_id, member_id, kind, cause, record_id, title, text, created_at, raised_at)
    select event.firm_id, member.id, 'event.invited', ${given.cause}, event.id,
      'Invited to an event',
      event.title || ' (' || matter.number || ' ' || matter.title || ')', moment(), moment()
    from calendar_event event
    join matter on matter.firm_id = event.firm_id and matter.id = event.matter_id
    join event_guest guest on guest.firm_id = event.firm_id and guest.event_id = event.id
      and guest.email = any(${given.emails}::text[])
    join member on member.firm_id = guest.firm_id and member.id = guest.member_id
    where event.firm_id = ${given.firmId}::uuid and event.id = ${given.eventId}::uuid
      and member.id <> ${given.doerId}::uuid
      and member.deactivated_at is null and not 'event.invited' = any(member.muted_kinds)
    on conflict do nothing returning notification.kind`,
);
