import { sql } from 'drizzle-orm';
import {
  check,
  date,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { bytes, identity, moment, refersTo } from '../base/columns.ts';
import { firm, member } from '../firm/table.ts';
import { lead } from '../leads/table.ts';
import { matter } from '../matters/table.ts';
import type { Given } from '../postgres/statement.ts';

/** What an event is, for example a hearing: the firm's own list. Events keep a removed kind. */
export const eventKind = pgTable(
  'event_kind',
  {
    ...identity(),
    name: text().notNull(),
    position: integer().notNull(),
    createdAt: moment().notNull(),
    deletedAt: moment(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    uniqueIndex('event_kind_name').on(table.firmId, table.name).where(sql`deleted_at is null`),
    foreignKey({ name: 'event_kind_firm', columns: [table.firmId], foreignColumns: [firm.id] }),
  ],
);

/**
 * Events that repeat: when they are, and who is invited. Each event is made ahead as one of its own; this is what it is made of.
 */
export const eventSeries = pgTable(
  'event_series',
  {
    ...identity(),
    /** What its events are about, as they store it. */
    matterId: uuid(),
    leadId: uuid(),
    title: text().notNull(),
    /** The kind of its events. */
    kindId: uuid(),
    /** A rule of RFC 5545 (`base/recurrence.ts`). */
    rrule: text().notNull(),
    /** The firm's day on which it begins. */
    firstDay: date({ mode: 'string' }).notNull(),
    /** The hours in the firm's time zone, `14:30`; both null for events of whole days, and the end if there is none. */
    begins: text(),
    ends: text(),
    /** How many days after its first an event's last day is. */
    moreDays: integer().notNull(),
    /** In whose name events are made; null for the administrator. */
    madeById: uuid(),
    /** The last day of the rule that had its turn. */
    madeUntil: date({ mode: 'string' }).notNull(),
    /** Since when no more are made, although the rule may go on. */
    endedAt: moment(),
    createdAt: moment().notNull(),
    updatedAt: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    index('event_series_of_matter').on(table.firmId, table.matterId),
    index('event_series_of_lead').on(table.firmId, table.leadId).where(sql`lead_id is not null`),
    refersTo('event_series_matter', table, table.matterId, matter),
    refersTo('event_series_lead', table, table.leadId, lead),
    refersTo('event_series_made_by', table, table.madeById, member),
    refersTo('event_series_kind', table, table.kindId, eventKind),
    check('event_series_is_about', sql`coalesce(matter_id, lead_id) is not null`),
    check('event_series_has_hours', sql`begins is not null or ends is null`),
  ],
);

/** Who is invited to the events of a series, as `event_guest` has it. */
export const eventSeriesGuest = pgTable(
  'event_series_guest',
  {
    firmId: uuid().notNull(),
    seriesId: uuid().notNull(),
    email: text().notNull(),
    memberId: uuid(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.seriesId, table.email] }),
    refersTo('event_series_guest_series', table, table.seriesId, eventSeries),
    refersTo('event_series_guest_member', table, table.memberId, member),
  ],
);

export const calendarEvent = pgTable(
  'calendar_event',
  {
    ...identity(),
    /** The matter that it is about; null while it is about a lead. */
    matterId: uuid(),
    /** The lead that it was made for. When the lead is hired, the event is about its matter. */
    leadId: uuid(),
    title: text().notNull(),
    kindId: uuid(),
    startsAt: moment().notNull(),
    endsAt: moment(),
    /**
     * The first and the last day of an event of whole days; both null if it has hours. An event of
     * whole days starts when the firm's first day begins.
     */
    firstDay: date({ mode: 'string' }),
    lastDay: date({ mode: 'string' }),
    /** How often the time, the title or the guests were changed: calendars outside take the newest. */
    sequence: integer().notNull().default(0),
    /** The series that it is one of, and the day on which its rule has it, wherever it was moved since. */
    seriesId: uuid(),
    seriesDay: date({ mode: 'string' }),
    cancelledAt: moment(),
    createdAt: moment().notNull(),
    updatedAt: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    index('calendar_event_start').on(table.firmId, table.startsAt),
    index('calendar_event_of_matter').on(table.firmId, table.matterId, table.startsAt),
    index('calendar_event_of_lead')
      .on(table.firmId, table.leadId, table.startsAt)
      .where(sql`lead_id is not null`),
    uniqueIndex('calendar_event_of_series')
      .on(table.firmId, table.seriesId, table.seriesDay)
      .where(sql`series_id is not null`),
    refersTo('calendar_event_series', table, table.seriesId, eventSeries),
    refersTo('calendar_event_matter', table, table.matterId, matter),
    refersTo('calendar_event_lead', table, table.leadId, lead),
    refersTo('calendar_event_kind', table, table.kindId, eventKind),
    check('calendar_event_is_about', sql`coalesce(matter_id, lead_id) is not null`),
    check('calendar_event_has_series_day', sql`(series_id is null) = (series_day is null)`),
  ],
);

/** What a row is about, in a statement that calls it so. */
const partOf = (name: string) => ({
  firmId: sql.raw(`${name}.firm_id`),
  matterId: sql.raw(`${name}.matter_id`),
  leadId: sql.raw(`${name}.lead_id`),
});

/** What an event is about, in a statement that calls its row `event`. */
export const partOfEvent = partOf('event');

/** The same of a series, called `series`. */
export const partOfSeries = partOf('series');

/** Who is invited: a colleague, on the matter's team or not, or somebody from outside the firm. */
export const eventGuest = pgTable(
  'event_guest',
  {
    firmId: uuid().notNull(),
    eventId: uuid().notNull(),
    email: text().notNull(),
    /** Null for somebody from outside, who has no inbox here. */
    memberId: uuid(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.eventId, table.email] }),
    index('event_guest_member').on(table.firmId, table.memberId, table.eventId),
    refersTo('event_guest_event', table, table.eventId, calendarEvent),
    refersTo('event_guest_member', table, table.memberId, member),
  ],
);

/** The secret address of a member's calendar feed. A new one ends the one before. */
export const calendarFeed = pgTable(
  'calendar_feed',
  {
    firmId: uuid().notNull(),
    memberId: uuid().notNull(),
    /** SHA-256 of the secret. */
    digest: bytes().notNull(),
    createdAt: moment().notNull(),
    lastUsedAt: moment(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.memberId] }),
    // Looked up by the digest alone, because the address does not name the firm (as in api_key).
    index('calendar_feed_digest').on(table.digest),
    unique('calendar_feed_of_firm').on(table.firmId, table.digest),
    refersTo('calendar_feed_member', table, table.memberId, member),
  ],
);

/** Whether an event of a query, and of its `firm`, is over: its last day is past. */
export const isOver = (event: 'event' | 'of_kind') =>
  sql.raw(`(coalesce(${event}.last_day, (coalesce(${event}.ends_at, ${event}.starts_at) at time zone firm.time_zone)::date)
    < (moment() at time zone firm.time_zone)::date)`);

/** Whether a `receipt` is of an event that is over: nobody can take it any more. */
export const isOfPastEvent = ({
  firmId,
}: Given<'firmId'>) => sql`(receipt.event_id is not null and exists (
  select 1 from ${calendarEvent} event join ${firm} on ${firm.id} = event.firm_id
  where event.firm_id = ${firmId}::uuid and event.id = receipt.event_id and ${isOver('event')}))`;
