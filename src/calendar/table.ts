import { foreignKey, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { identity, moment } from '../base/columns.ts';
import { member } from '../firm/table.ts';
import { matter } from '../matters/table.ts';

/** A calendar event of a matter. */
export const calendarEvent = pgTable(
  'calendar_event',
  {
    ...identity(),
    matterId: uuid().notNull(),
    title: text().notNull(),
    startsAt: moment().notNull(),
    cancelledAt: moment(),
    createdAt: moment().notNull(),
    updatedAt: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    index('calendar_event_of_matter').on(table.firmId, table.matterId, table.startsAt),
    foreignKey({
      name: 'calendar_event_matter',
      columns: [table.firmId, table.matterId],
      foreignColumns: [matter.firmId, matter.id],
    }),
  ],
);

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
    foreignKey({
      name: 'event_guest_event',
      columns: [table.firmId, table.eventId],
      foreignColumns: [calendarEvent.firmId, calendarEvent.id],
    }),
    foreignKey({
      name: 'event_guest_member',
      columns: [table.firmId, table.memberId],
      foreignColumns: [member.firmId, member.id],
    }),
  ],
);
