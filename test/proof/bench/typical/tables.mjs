/** The same tables as the server's, as far as the typical server uses them. */
import {
  bigint,
  bigserial,
  boolean,
  customType,
  date,
  doublePrecision,
  integer,
  jsonb,
  pgTable,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core';

const bytea = customType({ dataType: () => 'bytea' });
const moment = (name) => timestamp(name, { withTimezone: true, precision: 3 });
const ofFirm = () => ({ firmId: uuid('firm_id').notNull(), id: uuid('id').notNull() });
const life = () => ({
  createdAt: moment('created_at').notNull(),
  updatedAt: moment('updated_at').notNull(),
  deletedAt: moment('deleted_at'),
});
const ordinal = () => ({ ordinal: bigint('ordinal', { mode: 'number' }).notNull() });

export const apiKey = pgTable('api_key', {
  ...ofFirm(),
  memberId: uuid('member_id').notNull(),
  digest: bytea('digest').notNull(),
  scopes: text('scopes').array().notNull(),
  expiresAt: moment('expires_at'),
  revokedAt: moment('revoked_at'),
});

export const member = pgTable('member', {
  ...ofFirm(),
  name: text('name').notNull(),
  roleId: uuid('role_id').notNull(),
  deactivatedAt: moment('deactivated_at'),
});

export const role = pgTable('role', {
  ...ofFirm(),
  permissions: text('permissions').array().notNull(),
  holdsAll: boolean('holds_all').notNull(),
});

export const register = pgTable('register', {
  firmId: uuid('firm_id').notNull(),
  kind: text('kind').notNull(),
  live: integer('live').notNull(),
  lastOrdinal: bigint('last_ordinal', { mode: 'number' }).notNull(),
  lastNumber: bigint('last_number', { mode: 'number' }).notNull(),
  lastAt: moment('last_at'),
});

export const contact = pgTable('contact', {
  ...ofFirm(),
  ...ordinal(),
  type: text('type').notNull(),
  name: text('name').notNull(),
  firstName: text('first_name'),
  lastName: text('last_name'),
  companyName: text('company_name'),
  emails: jsonb('emails').notNull(),
  phones: jsonb('phones').notNull(),
  customFields: jsonb('custom_fields').notNull(),
  searchText: text('findable_by').notNull(),
  ...life(),
});

export const leadStage = pgTable('lead_stage', {
  ...ofFirm(),
  name: text('name').notNull(),
  position: integer('position').notNull(),
});

export const practiceArea = pgTable('practice_area', {
  ...ofFirm(),
  name: text('name').notNull(),
  deletedAt: moment('deleted_at'),
});

export const stage = pgTable('stage', {
  ...ofFirm(),
  practiceAreaId: uuid('practice_area_id').notNull(),
  name: text('name').notNull(),
  position: integer('position').notNull(),
  deletedAt: moment('deleted_at'),
});

export const customField = pgTable('custom_field', {
  ...ofFirm(),
  appliesTo: text('applies_to').notNull(),
  name: text('name').notNull(),
  position: integer('position').notNull(),
});

export const lead = pgTable('lead', {
  ...ofFirm(),
  ...ordinal(),
  number: text('number').notNull(),
  status: text('status').notNull(),
  value: text('value'),
  isPrivate: boolean('is_private').notNull(),
  leadStageId: uuid('lead_stage_id').notNull(),
  contactId: uuid('contact_id').notNull(),
  practiceAreaId: uuid('practice_area_id'),
  customFields: jsonb('custom_fields').notNull(),
  searchText: text('findable_by').notNull(),
  cameThroughApi: boolean('came_through_api').notNull(),
  ...life(),
});

export const matter = pgTable('matter', {
  ...ofFirm(),
  ...ordinal(),
  number: text('number').notNull(),
  title: text('title').notNull(),
  description: text('description'),
  status: text('status').notNull(),
  openDate: date('open_date').notNull(),
  closeDate: date('close_date'),
  solDate: date('sol_date'),
  practiceAreaId: uuid('practice_area_id').notNull(),
  stageId: uuid('stage_id').notNull(),
  customFields: jsonb('custom_fields').notNull(),
  searchText: text('findable_by').notNull(),
  timesArchived: integer('times_archived').notNull(),
  ...life(),
});

const ofMatter = () => ({
  firmId: uuid('firm_id').notNull(),
  matterId: uuid('matter_id').notNull(),
  position: integer('position').notNull(),
});

export const matterClient = pgTable('matter_client', {
  ...ofMatter(),
  contactId: uuid('contact_id').notNull(),
  isPrimary: boolean('is_primary').notNull(),
  isBillRecipient: boolean('is_bill_recipient').notNull(),
});

export const matterTeam = pgTable('matter_team', {
  ...ofMatter(),
  memberId: uuid('member_id').notNull(),
  role: text('role').notNull(),
  allocation: doublePrecision('allocation').notNull(),
});

export const auditEntry = pgTable('audit_entry', {
  firmId: uuid('firm_id').notNull(),
  id: bigserial('id', { mode: 'number' }),
  at: moment('at').notNull(),
  action: text('action').notNull(),
  recordKind: text('record_kind').notNull(),
  recordId: uuid('record_id').notNull(),
  memberId: uuid('member_id'),
  keyId: uuid('key_id'),
  requestId: text('request_id').notNull(),
  changes: jsonb('changes').notNull(),
});

export const job = pgTable('job', {
  firmId: uuid('firm_id').notNull(),
  id: bigserial('id', { mode: 'number' }),
  kind: text('kind').notNull(),
  dedupeKey: text('dedupe_key').notNull(),
  ref: uuid('ref'),
  payload: jsonb('payload').notNull(),
  runAt: moment('run_at').notNull(),
});
