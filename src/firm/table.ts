import { sql } from 'drizzle-orm';
import {
  boolean,
  date,
  foreignKey,
  index,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { identity, moment, refersTo } from '../base/columns.ts';

/** The ways in which days and times can be written, and the days that a week can begin with. */
export const formatChoices = {
  dayOrder: ['DMY', 'MDY', 'YMD'],
  clock: ['24', '12'],
  weekStart: ['MONDAY', 'SUNDAY', 'SATURDAY'],
} as const;

/** How days and times are written. */
export type Formats = {
  [Name in keyof typeof formatChoices]: (typeof formatChoices)[Name][number];
};

/**
 * A reminder so many days before a limitation date, or so many `working` days. It is given where its day lies from `since`
 * on and before `until`: a change of the list asks about nothing that was past its day already, and forgets nothing that
 * was asked.
 */
export type Reminder = {
  days: number;
  working?: boolean;
  since: string | null;
  until: string | null;
};

const usualReminders: Reminder[] = [180, 90, 60, 30, 14, 7, 1].map((days) => ({
  days,
  since: null,
  until: null,
}));

export const firm = pgTable('firm', {
  id: uuid().primaryKey(),
  name: text().notNull().unique('firm_name'),
  /** Its IANA name. The firm's days and years begin at midnight there. */
  timeZone: text().notNull().default('UTC'),
  /** The custom field of leads that says where they came from. Reports group leads by it. */
  sourceFieldId: uuid(),
  /** How days and times are written for members who have not chosen. */
  formats: jsonb().$type<Partial<Formats>>().notNull().default({}),
  /** Since when notices also go out by mail; null while no mail is set up for the firm. */
  mailsSince: moment(),
  /** Whether mails may name people and matters. */
  mailsName: boolean().notNull().default(false),
  /** The country or its part whose public holidays are no working days, `US-NY`; null for none. */
  holidaysOf: text(),
  /** The table of holidays that they were taken from. */
  holidayEdition: text(),
  /** The reminders of limitation dates, also those of before. */
  reminders: jsonb().$type<Reminder[]>().notNull().default(usualReminders),
  /** So many working days may pass until more people are told of a date that nobody has. */
  unheldDays: smallint().notNull().default(2),
  /** The same for a date that is at most `unheldSoonFrom` days away. */
  unheldDaysSoon: smallint().notNull().default(1),
  unheldSoonFrom: smallint().notNull().default(14),
  /** From so many days before it on, they are told at once. */
  unheldAtOnceFrom: smallint().notNull().default(3),
  /** Since when more people are also told of a task with a day and of an event that nobody has; null: they are not. */
  workEscalatesSince: moment(),
  createdAt: moment().notNull(),
});

/** A day on which the firm does not work: a public holiday of its place, or one of its own. */
export const holiday = pgTable(
  'holiday',
  {
    ...identity(),
    day: date({ mode: 'string' }).notNull(),
    name: text().notNull(),
    /** Whether the firm has entered it. */
    isOwn: boolean().notNull(),
    createdAt: moment().notNull(),
    deletedAt: moment(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    index('holiday_on').on(table.firmId, table.day).where(sql`deleted_at is null`),
    uniqueIndex('holiday_own')
      .on(table.firmId, table.day)
      .where(sql`is_own and deleted_at is null`),
    foreignKey({ name: 'holiday_firm', columns: [table.firmId], foreignColumns: [firm.id] }),
  ],
);

/**
 * A name and a list of permissions. The Owner's role holds all permissions and cannot be changed.
 */
export const role = pgTable(
  'role',
  {
    ...identity(),
    name: text().notNull(),
    permissions: text().array().notNull(),
    holdsAll: boolean().notNull(),
    deletedAt: moment(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    uniqueIndex('role_name').on(table.firmId, table.name).where(sql`deleted_at is null`),
    foreignKey({ name: 'role_firm', columns: [table.firmId], foreignColumns: [firm.id] }),
  ],
);

/** Kinds of notification that go out by mail unless their member chooses otherwise. */
export const usuallyMailed = [
  'limitation.near',
  'limitation.unheld',
  'task.assigned',
  'task.unheld',
  'lead.assigned',
  'lead.unheld',
  'matter.added',
  'event.invited',
  'event.cancelled',
  'event.unheld',
  'account.warned',
];

export const member = pgTable(
  'member',
  {
    ...identity(),
    /** In lower case: addresses are compared without regard to case. */
    email: text().notNull(),
    name: text().notNull(),
    roleId: uuid().notNull(),
    /** Kinds of notification that the member has switched off. */
    mutedKinds: text().array().notNull(),
    /** How days and times are written for the member; what is left out follows the firm. */
    formats: jsonb().$type<Partial<Formats>>().notNull().default({}),
    /** Kinds that also go out by mail at once, where mail is set up. */
    mailedKinds: text().array().notNull().default(usuallyMailed),
    /** Kinds that also stand in the morning's mail. */
    morningKinds: text().array().notNull().default([]),
    /** Since when mails to the member's address have been refused, and the mail server's words; null: they are not. */
    mailRefusedAt: moment(),
    mailRefusedWords: text(),
    /** The member who stands in for this one. */
    deputyId: uuid(),
    /** The first and the last day of an absence. */
    awayFrom: date({ mode: 'string' }),
    awayUntil: date({ mode: 'string' }),
    deactivatedAt: moment(),
    createdAt: moment().notNull(),
    updatedAt: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    foreignKey({
      name: 'member_deputy',
      columns: [table.firmId, table.deputyId],
      foreignColumns: [table.firmId, table.id],
    }),
    unique('member_email').on(table.firmId, table.email),
    // Who signs in says an address, and not of which firm it is.
    index('member_address').on(table.email),
    refersTo('member_role', table, table.roleId, role),
  ],
);
