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
import { identity, lifetime, moment, refersTo } from '../base/columns.ts';
import { contact } from '../contacts/table.ts';
import { fieldIndex, type StoredValues } from '../custom-fields/table.ts';
import { firm, member } from '../firm/table.ts';
import { matterType } from '../matter-types/table.ts';
import { stage } from '../practice-areas/table.ts';
import { searchTextIndex } from '../search-text/table.ts';

export const matterStatuses = ['ACTIVE', 'DRAFT', 'ARCHIVE'] as const;
export const teamRoles = [
  'ORIGINATING_ATTORNEY',
  'RESPONSIBLE_ATTORNEY',
  'RESPONSIBLE_STAFF',
] as const;

/** Lists sort by this many letters of a title or name: an index takes no long text. */
export const sortedLength = 100;

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
    /** The limitation date: the last day on which the claim can be brought. */
    solDate: date({ mode: 'string' }),
    /** The day on which the limitation date was met; null while it is not. */
    limitationMetOn: date({ mode: 'string' }),
    /** The member who said so. */
    limitationMetById: uuid(),
    matterTypeId: uuid(),
    /** The number that the matter had before it came to Matterhorn. A search finds it. */
    formerNumber: text(),
    practiceAreaId: uuid().notNull(),
    stageId: uuid().notNull(),
    customFields: jsonb().$type<StoredValues>().notNull(),
    /** What it is found by: its own text and its contacts'; see `searchTextWith`. */
    searchText: text('findable_by').notNull(),
    /** How often it was archived. What follows from archiving happens once each time. */
    timesArchived: integer().notNull(),
    /** Its primary client's name as lists sort by it; null without one. A trigger keeps it. */
    clientName: text(),
    /** The first of its responsible attorneys; null without one. A trigger keeps it. */
    firstAttorneyId: uuid(),
    ...lifetime(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    unique('matter_number').on(table.firmId, table.number),
    index('matter_list').on(table.firmId, table.ordinal),
    searchTextIndex('matter_search', table),
    index('matter_limitation')
      .on(table.firmId, table.solDate)
      .where(sql`deleted_at is null and limitation_met_on is null and sol_date is not null`),
    index('matter_counts')
      .on(table.firmId, table.status, table.practiceAreaId, table.stageId)
      .where(sql`deleted_at is null`),
    // The list, in the order of each of its columns. A page far down is found in an index alone.
    index('matter_by_status')
      .on(table.firmId, table.status, table.ordinal)
      .where(sql`deleted_at is null`),
    index('matter_by_area')
      .on(table.firmId, table.practiceAreaId, table.ordinal, table.status)
      .where(sql`deleted_at is null`),
    index('matter_by_stage')
      .on(table.firmId, table.stageId, table.ordinal, table.status)
      .where(sql`deleted_at is null`),
    index('matter_by_type')
      .on(table.firmId, table.matterTypeId, table.ordinal, table.status)
      .where(sql`deleted_at is null`),
    index('matter_by_attorney')
      .on(table.firmId, table.firstAttorneyId, table.ordinal, table.id, table.status)
      .where(sql`deleted_at is null`),
    index('matter_by_limitation')
      .on(table.firmId, table.solDate, table.ordinal, table.status)
      .where(sql`deleted_at is null`),
    index('matter_limitation_met')
      .on(table.firmId, table.ordinal)
      .where(sql`deleted_at is null and limitation_met_on is not null`),
    index('matter_by_opening')
      .on(table.firmId, table.openDate, table.ordinal, table.status)
      .where(sql`deleted_at is null`),
    index('matter_by_closing')
      .on(table.firmId, table.closeDate, table.ordinal, table.status)
      .where(sql`deleted_at is null`),
    index('matter_by_title')
      .on(
        table.firmId,
        sql`lower(left(${table.title}, ${sql.raw(String(sortedLength))}))`,
        table.ordinal,
        table.status,
        table.title,
      )
      .where(sql`deleted_at is null`),
    index('matter_by_client')
      .on(table.firmId, table.clientName, table.ordinal, table.status)
      .where(sql`deleted_at is null`),
    fieldIndex('matter_by_field', table),
    foreignKey({ name: 'matter_firm', columns: [table.firmId], foreignColumns: [firm.id] }),
    foreignKey({
      name: 'matter_stage',
      columns: [table.firmId, table.practiceAreaId, table.stageId],
      foreignColumns: [stage.firmId, stage.practiceAreaId, stage.id],
    }),
    foreignKey({
      name: 'matter_type_of_matter',
      columns: [table.firmId, table.practiceAreaId, table.matterTypeId],
      foreignColumns: [matterType.firmId, matterType.practiceAreaId, matterType.id],
    }),
    refersTo('matter_limitation_met_by', table, table.limitationMetById, member),
    check('matter_custom_fields_object', sql`jsonb_typeof(custom_fields) = 'object'`),
  ],
);

/** A matter's way through its boards: one row for each move that nobody took back; its first stage has none. */
export const matterMove = pgTable(
  'matter_move',
  {
    ...identity(),
    matterId: uuid().notNull(),
    fromStageId: uuid().notNull(),
    toStageId: uuid().notNull(),
    at: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    index('matter_move_of_matter').on(table.firmId, table.matterId, table.at),
    refersTo('matter_move_matter', table, table.matterId, matter),
    refersTo('matter_move_from', table, table.fromStageId, stage),
    refersTo('matter_move_to', table, table.toStageId, stage),
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
    refersTo('matter_client_matter', table, table.matterId, matter),
    refersTo('matter_client_contact', table, table.contactId, contact),
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
    index('matter_team_member').on(table.firmId, table.memberId, table.role, table.matterId),
    refersTo('matter_team_matter', table, table.matterId, matter),
    refersTo('matter_team_member', table, table.memberId, member),
  ],
);
