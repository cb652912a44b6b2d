import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm';
import { holdSubject, recordOfIds } from '../about/hold.ts';
import type { Named } from '../about/subject.ts';
import { checkDay } from '../base/calendar-date.ts';
import { newId } from '../base/columns.ts';
import { invalidField, notFound, Refusal } from '../base/refusal.ts';
import { shortText } from '../base/short-text.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { findByText } from '../search-text/written-text.ts';
import { isAboutSeen } from '../visibility/subject.ts';
import { type Viewer, viewerOf } from '../visibility/visibility.ts';
import {
  guestsByEvent,
  guestsFrom,
  guestsMustSee,
  guestsOf,
  invite,
  tellGuests,
  tellMoved,
  uninvite,
} from './guests.ts';
import { queueInvitations, raiseSequence } from './invitations.ts';
import { kindFor } from './kinds.ts';
import { calendarEvent } from './table.ts';

/** A new calendar event about a lead or a matter. Guests are email addresses of colleagues or others. */
export type NewEvent = Named & {
  title: string;
  kindId?: string | null;
  guests: string[];
  /** Whether invited colleagues get a notice. By default they do if a member invites them. */
  tells?: boolean;
} & When;

/** When an event is: from a moment, perhaps to another one; or whole days of the firm. */
export type When = { startsAt: Date; endsAt?: Date | null } | { firstDay: string; lastDay: string };

/**
 * Adds a calendar event to a lead or a matter, and tells the colleagues whom a member invites. Throws
 * `Refusal` as `holdSubject` does; invalid_request for an invalid title, address or time, and for a
 * colleague who may not see the private lead.
 */
export const addEvent = (
  actor: Acting,
  {
    leadId,
    matterId,
    title,
    kindId = null,
    guests,
    tells = actor.memberId !== null,
    ...when
  }: NewEvent,
) =>
  write(actor, async (w) => {
    const [subject, now] = await Promise.all([holdSubject(w, { leadId, matterId }), w.now()]);
    const made = {
      firmId: w.firmId,
      id: newId(),
      ...subject,
      title: shortText('title', title),
      kindId: await kindFor(w, kindId),
      ...(await timeOf(w, when)),
      createdAt: now,
      updatedAt: now,
    };
    const emails = guestsFrom(guests);
    await guestsMustSee(w, made, emails, guests);
    storeEvents(w, [made], emails, tells);
    return viewEvent({ ...made, cancelledAt: null }, emails);
  });

/** Stores new events that are alike, and tells the colleagues of all of them at once. */
export const storeEvents = (
  w: Write,
  made: readonly (typeof calendarEvent.$inferInsert & Of)[],
  emails: string[],
  tells = w.memberId !== null,
) => {
  for (const one of made) {
    w.create(calendarEvent, one, { guests: emails });
    findByText(w, textOf(one));
  }
  const ids = made.map(({ id }) => id);
  invite(w, ids, emails, tells);
  if (tells) queueInvitations(w, ids, 'REQUEST');
};

export type EventChange = {
  title: string;
  /** It stays as it is when it is left out. */
  kindId?: string | null;
  guests: string[];
  when: When;
};

/**
 * Changes a calendar event. Colleagues who are invited now and were not before are told, and the others if it moves. Throws
 * `Refusal` not_found, conflict for a cancelled one, and as `addEvent` does. Nobody is told of another kind.
 */
export const changeEvent = (
  actor: Acting,
  id: string,
  { title, kindId, guests, when }: EventChange,
) =>
  write(actor, async (w) => {
    const { stored, before, now } = await eventForChange(w, id);
    if (stored.cancelledAt !== null) {
      throw new Refusal('conflict', 'This event was cancelled. Create a new one instead.');
    }
    const isOfOther = kindId !== undefined && kindId !== stored.kindId;
    const fields = {
      ...{ title: shortText('title', title), ...(await timeOf(w, when)) },
      ...(isOfOther && { kindId: await kindFor(w, kindId) }),
      updatedAt: now,
    };
    const after = guestsFrom(guests);
    const added = after.filter((email) => !before.includes(email));
    const gone = before.filter((email) => !after.includes(email));
    await guestsMustSee(w, stored, added, guests);
    const also = { guests: { before, after } };
    const areOthers = added.length + gone.length > 0;
    const isChanged = w.update(calendarEvent, stored, fields, areOthers ? also : {});
    if (!isChanged && areOthers) w.record('update', calendarEvent, id, also);
    if (isChanged || areOthers) raiseSequence(w, id);
    if (fields.title !== stored.title) findByText(w, textOf({ ...stored, ...fields }));
    queueInvitations(w, [id], 'CANCEL', gone);
    uninvite(w, id, gone);
    invite(w, [id], added);
    if (isMoved(stored, fields)) {
      const stay = after.filter((email) => before.includes(email));
      tellMoved(w, id, stay);
    }
    queueInvitations(w, [id], 'REQUEST', isOther(stored, fields) ? null : added);
  });

type Begins = Pick<Stored, 'startsAt' | 'firstDay'>;

const isMoved = (before: Begins, now: Begins) =>
  before.startsAt.getTime() !== now.startsAt.getTime() || before.firstDay !== now.firstDay;

type Shown = Begins & Pick<Stored, 'title' | 'endsAt' | 'lastDay'>;

/** Whether guests see another event: its kind is the firm's own. */
const isOther = (before: Shown, now: Shown) =>
  isMoved(before, now) ||
  before.title !== now.title ||
  before.endsAt?.getTime() !== now.endsAt?.getTime() ||
  before.lastDay !== now.lastDay;

/**
 * Cancels an event and tells its guests, other than who does it. Repeating it changes nothing. Throws `Refusal` not_found.
 */
export const cancelEvent = (actor: Acting, id: string) =>
  write(actor, async (w) => {
    const { stored, now } = await eventForChange(w, id);
    if (stored.cancelledAt === null) cancelAll(w, [stored], now);
  });

type Of = Pick<Stored, 'leadId' | 'matterId'>;

/** What the search finds an event's record by. */
export const textOf = ({ id, title, ...of }: Of & { id: string; title: string }) =>
  ({ id, source: 'event', ...recordOfIds(of), text: title }) as const;

/** Holds an event, so that nobody else changes it until this write ends. Throws `Refusal` not_found. */
export const eventForChange = async (w: Write, id: string) => {
  const [stored, before, now] = await Promise.all([
    w.first(oneEvent, { ...viewerOf(w), id }),
    guestsOf(w, id),
    w.now(),
  ]);
  if (!stored) throw notFound();
  return { stored, before, now };
};

/** An event's time as it is stored. Throws `Refusal` invalid_request. */
export const timeOf = async (w: Write, when: When) => {
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
 * The moment of an hour of a day in the firm's time zone. Throws `Refusal` for a day or an hour that
 * does not exist.
 */
export const momentAt = async (reader: Reader, day: string, hour: string): Promise<Date> => {
  checkDay('day', day);
  if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(hour))
    throw invalidField('begins', 'must be an hour: 14:30');
  const found = await reader.first(wallTime, { firmId: reader.firmId, day, hour });
  if (!found) throw notFound();
  return new Date(found.at);
};

/**
 * The firm's calendar events with their guests, in the order they start; of one matter if given.
 */
export const listEvents = async (reader: Reader, matterId: string | null) => {
  const { firmId } = reader;
  const [events, guests] = await Promise.all([
    reader.run(eventsOf, { firmId, matterId }),
    guestsByEvent(reader, matterId),
  ]);
  return events.map((event) => viewEvent(event, guests.get(event.id) ?? []));
};

/** Who is told of cancelled events: the guests other than who does it, or all of them because their matter ends; or nobody. */
type Telling = 'by hand' | 'with the matter' | 'quietly';

/**
 * Cancels up to `max` future events of a matter, and tells their guests; with `quietly`, who has to be told
 * later of those of several matters.
 */
export const cancelEvents = async (
  w: Write,
  matterId: string,
  max: number,
  how: Exclude<Telling, 'by hand'> = 'with the matter',
): Promise<number> => {
  const now = await w.now();
  const coming = await w.run(comingEvents, {
    firmId: w.firmId,
    matterId,
    now,
    max,
  });
  // Those of a series that nobody changed by themselves are alike.
  const keyOf = ({ id, seriesId, sequence }: Row) => (sequence === 0 && seriesId) || id;
  for (const alike of Map.groupBy(coming, keyOf).values()) cancelAll(w, alike, now, how);
  return coming.length;
};

type Cancelled = Pick<Stored, 'id' | 'cancelledAt'>;

/** Cancels events that are alike, and tells their guests of all of them at once. */
export const cancelAll = (
  w: Write,
  events: readonly Cancelled[],
  now: Date,
  how: Telling = 'by hand',
) => {
  const [first] = events;
  if (!first) return;
  for (const event of events) {
    w.update(calendarEvent, event, { cancelledAt: now, updatedAt: now });
    raiseSequence(w, event.id);
  }
  const doerId = how === 'by hand' ? w.memberId : null;
  if (how !== 'quietly') tellGuests(w, first.id, events.length, doerId);
  const ids = events.map(({ id }) => id);
  queueInvitations(w, ids, 'CANCEL');
};

type Row = typeof calendarEvent.$inferSelect;
type Stored = Omit<Row, 'firmId' | 'sequence'>;

const viewEvent = (
  {
    id,
    leadId,
    matterId,
    title,
    startsAt,
    cancelledAt,
    createdAt,
  }: Omit<Stored, 'seriesId' | 'seriesDay' | 'kindId'>,
  guests: string[],
) => ({ id, leadId, matterId, title, startsAt, guests, cancelledAt, createdAt });

const ofMatter = (given: Given<{ matterId: string | null }>) => sql`(${given.matterId}::uuid is null
  or ${calendarEvent.matterId} = ${given.matterId})`;

const eventsOf = statement((given: Given<{ firmId: string; matterId: string | null }>) =>
  query
    .select()
    .from(calendarEvent)
    .where(and(eq(calendarEvent.firmId, given.firmId), ofMatter(given)))
    .orderBy(asc(calendarEvent.startsAt), asc(calendarEvent.id)),
);

const comingEvents = statement(
  (given: Given<{ firmId: string; matterId: string; now: Date; max: number }>) =>
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
      .limit(given.max)
      .for('update'),
);

const oneEvent = statement((given: Given<Viewer & { id: string }>) =>
  query
    .select()
    .from(calendarEvent)
    .where(
      sql`${calendarEvent.firmId} = ${given.firmId} and ${calendarEvent.id} = ${given.id}
        and ${isAboutSeen(calendarEvent, given)}`,
    )
    .for('update'),
);

const wallTime = statement(
  ({ firmId, day, hour }: Given<'firmId' | 'day' | 'hour'>) => sql<{ at: string }>`
    select (${day}::date + ${hour}::time) at time zone time_zone as at from firm
    where id = ${firmId}::uuid`,
);
