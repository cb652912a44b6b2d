import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { identity, lifetime, moment, refersTo } from '../base/columns.ts';
import { contact } from '../contacts/table.ts';
import type { StoredValues } from '../custom-fields/table.ts';
import { firm, member } from '../firm/table.ts';
import { practiceArea } from '../practice-areas/table.ts';
import { searchTextIndex } from '../search-text/table.ts';

export const leadStatuses = ['ACTIVE', 'DRAFT', 'HIRED', 'NOT_HIRED', 'ARCHIVE'] as const;
export const leadValues = ['LOWEST', 'LOW', 'MEDIUM', 'HIGH', 'HIGHEST'] as const;

/** A stage of the firm's intake pipeline. */
export const leadStage = pgTable(
  'lead_stage',
  {
    ...identity(),
    name: text().notNull(),
    position: integer().notNull(),
    createdAt: moment().notNull(),
    /** A removed stage stays with the deleted leads that were in it. */
    deletedAt: moment(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    uniqueIndex('lead_stage_name').on(table.firmId, table.name).where(sql`deleted_at is null`),
    foreignKey({ name: 'lead_stage_firm', columns: [table.firmId], foreignColumns: [firm.id] }),
  ],
);

/** Why a lead was not hired: the firm's own list. Leads keep a removed reason. */
export const notHiredReason = pgTable(
  'not_hired_reason',
  {
    ...identity(),
    name: text().notNull(),
    position: integer().notNull(),
    createdAt: moment().notNull(),
    deletedAt: moment(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    uniqueIndex('not_hired_reason_name')
      .on(table.firmId, table.name)
      .where(sql`deleted_at is null`),
    foreignKey({
      name: 'not_hired_reason_firm',
      columns: [table.firmId],
      foreignColumns: [firm.id],
    }),
  ],
);

/** A prospective client in the firm's intake pipeline. */
export const lead = pgTable(
  'lead',
  {
    ...identity(),
    ordinal: bigint({ mode: 'number' }).notNull(),
    /** `publicId` on the wire. */
    number: text().notNull(),
    status: text().$type<(typeof leadStatuses)[number]>().notNull(),
    value: text().$type<(typeof leadValues)[number]>(),
    isPrivate: boolean().notNull(),
    leadStageId: uuid().notNull(),
    contactId: uuid().notNull(),
    practiceAreaId: uuid(),
    customFields: jsonb().$type<StoredValues>().notNull(),
    /** The id that another program gave it; see contacts/external-id.ts. */
    externalId: text(),
    /** What it is found by: its own text and its contacts'; see `searchTextWith`. */
    searchText: text('findable_by').notNull(),
    /** Only leads that came through the API are announced. */
    cameThroughApi: boolean().notNull(),
    /** When a person means to speak with it again: `2026-03-14`, or `2026-03-14T09:30` in the firm's time zone. */
    nextTouch: text(),
    /** From when a touch answers it; see `withNextTouch`. */
    nextTouchDueAt: moment(),
    /** When it became HIRED or NOT_HIRED; null while it is neither. */
    decidedAt: moment(),
    /** Set while it is NOT_HIRED. */
    notHiredReasonId: uuid(),
    /** The matter that a HIRED lead became. */
    matterId: uuid(),
    ...lifetime(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    unique('lead_number').on(table.firmId, table.number),
    index('lead_list').on(table.firmId, table.ordinal),
    index('lead_recent').on(table.firmId, table.createdAt),
    searchTextIndex('lead_search', table),
    uniqueIndex('lead_external_id')
      .on(table.firmId, table.externalId)
      .where(sql`external_id is not null and deleted_at is null`),
    index('lead_of_contact').on(table.firmId, table.contactId),
    index('lead_board').on(table.firmId, table.status, table.leadStageId, table.ordinal),
    index('lead_counts')
      .on(table.firmId, table.isPrivate, table.status, table.leadStageId)
      .where(sql`deleted_at is null`),
    index('lead_of_matter').on(table.firmId, table.matterId).where(sql`matter_id is not null`),
    refersTo('lead_not_hired_reason', table, table.notHiredReasonId, notHiredReason),
    refersTo('lead_stage_of_lead', table, table.leadStageId, leadStage),
    refersTo('lead_contact', table, table.contactId, contact),
    refersTo('lead_practice_area', table, table.practiceAreaId, practiceArea),
    check('lead_next_touch_form', sql`next_touch ~ '^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d)?$'`),
    check('lead_custom_fields_object', sql`jsonb_typeof(custom_fields) = 'object'`),
  ],
);

/** A lead's way through the pipeline: one row for each move that nobody took back; its first stage has none. */
export const leadMove = pgTable(
  'lead_move',
  {
    ...identity(),
    leadId: uuid().notNull(),
    fromStageId: uuid().notNull(),
    toStageId: uuid().notNull(),
    at: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    index('lead_move_of_lead').on(table.firmId, table.leadId, table.at),
    refersTo('lead_move_lead', table, table.leadId, lead),
    refersTo('lead_move_from', table, table.fromStageId, leadStage),
    refersTo('lead_move_to', table, table.toStageId, leadStage),
  ],
);

/** Who works on a lead. If it is private, only they and owners see it. */
export const leadAssignee = pgTable(
  'lead_assignee',
  { firmId: uuid().notNull(), leadId: uuid().notNull(), memberId: uuid().notNull() },
  (table) => [
    primaryKey({ columns: [table.firmId, table.leadId, table.memberId] }),
    index('lead_assignee_member').on(table.firmId, table.memberId, table.leadId),
    refersTo('lead_assignee_lead', table, table.leadId, lead),
    refersTo('lead_assignee_member', table, table.memberId, member),
  ],
);
