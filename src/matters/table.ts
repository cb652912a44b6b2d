import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  date,
  doublePrecision,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import { identity, lifetime } from '../base/columns.ts';
import { contact } from '../contacts/table.ts';
import type { StoredValues } from '../custom-fields/custom-field.ts';
import { findableIndex } from '../findable/findable.ts';
import { firm, member } from '../firm/table.ts';
import { stage } from '../practice-areas/table.ts';

export const matterStatuses = ['ACTIVE', 'DRAFT', 'ARCHIVE'] as const;
export const teamRoles = [
  'ORIGINATING_ATTORNEY',
  'RESPONSIBLE_ATTORNEY',
  'RESPONSIBLE_STAFF',
] as const;

/** One case or engagement of the firm. */
export const matter = pgTable(
  'matter',
  {
    ...identity(),
    ordinal: bigint({ mode: 'number' }).notNull(),
    /** `publicId` on the wire. */
    number: text().notNull(),
    title: text().notNull(),
    description: text(),
    status: text().$type<(typeof matterStatuses)[number]>().notNull(),
    openDate: date({ mode: 'string' }).notNull(),
    closeDate: date({ mode: 'string' }),
    solDate: date({ mode: 'string' }),
    practiceAreaId: uuid().notNull(),
    stageId: uuid().notNull(),
    customFields: jsonb().$type<StoredValues>().notNull(),
    /** What it is found by: its own text and its contacts'; see `findableWith`. */
    findableBy: text().notNull(),
    /** How often it was archived. What follows from archiving happens once each time. */
    timesArchived: integer().notNull(),
    ...lifetime(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    unique('matter_number').on(table.firmId, table.number),
    index('matter_list').on(table.firmId, table.ordinal),
    index('matter_of_stage').on(table.firmId, table.stageId).where(sql`deleted_at is null`),
    findableIndex('matter_search', table),
    foreignKey({ name: 'matter_firm', columns: [table.firmId], foreignColumns: [firm.id] }),
    foreignKey({
      name: 'matter_stage',
      columns: [table.firmId, table.practiceAreaId, table.stageId],
      foreignColumns: [stage.firmId, stage.practiceAreaId, stage.id],
    }),
    check('matter_custom_fields_object', sql`jsonb_typeof(custom_fields) = 'object'`),
  ],
);

/** A contact's part as a client of a matter. */
export const matterClient = pgTable(
  'matter_client',
  {
    firmId: uuid().notNull(),
    matterId: uuid().notNull(),
    position: integer().notNull(),
    contactId: uuid().notNull(),
    isPrimary: boolean().notNull(),
    isBillRecipient: boolean().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.matterId, table.position] }),
    unique('matter_client_once').on(table.firmId, table.matterId, table.contactId),
    index('matter_client_contact').on(table.firmId, table.contactId),
    foreignKey({
      name: 'matter_client_matter',
      columns: [table.firmId, table.matterId],
      foreignColumns: [matter.firmId, matter.id],
    }),
    foreignKey({
      name: 'matter_client_contact',
      columns: [table.firmId, table.contactId],
      foreignColumns: [contact.firmId, contact.id],
    }),
  ],
);

/** A member's part in a matter; one member may have several. */
export const matterTeam = pgTable(
  'matter_team',
  {
    firmId: uuid().notNull(),
    matterId: uuid().notNull(),
    position: integer().notNull(),
    memberId: uuid().notNull(),
    role: text().$type<(typeof teamRoles)[number]>().notNull(),
    /** Percentage, 0 to 100. */
    allocation: doublePrecision().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.matterId, table.position] }),
    unique('matter_team_once').on(table.firmId, table.matterId, table.memberId, table.role),
    foreignKey({
      name: 'matter_team_matter',
      columns: [table.firmId, table.matterId],
      foreignColumns: [matter.firmId, matter.id],
    }),
    foreignKey({
      name: 'matter_team_member',
      columns: [table.firmId, table.memberId],
      foreignColumns: [member.firmId, member.id],
    }),
  ],
);
