import { sql } from 'drizzle-orm';
import {
  check,
  date,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import { bytes, identity, moment, refersTo } from '../base/columns.ts';
import { member } from '../firm/table.ts';
import { lead } from '../leads/table.ts';
import { matter } from '../matters/table.ts';

export const calendarEvent = pgTable(
  'calendar_event',
  {
    ...identity(),
    /** The matter that it is about; null while it is about a lead. */
    matterId: uuid(),
    /** The lead that it was made for. When the lead is hired, the event is about its matter. */
    leadId: uuid(),
    title: text().notNull(),
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
    refersTo('calendar_event_matter', table, table.matterId, matter),
    refersTo('calendar_event_lead', table, table.leadId, lead),
    check('calendar_event_is_about', sql`coalesce(matter_id, lead_id) is not null`),
  ],
);

/** What an event is about, in a statement that calls its row `event`. */
export const partOfEvent = {
  firmId: sql.raw('event.firm_id'),
  matterId: sql.raw('event.matter_id'),
  leadId: sql.raw('event.lead_id'),
};

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
