import { sql } from 'drizzle-orm';
import {
  bigint,
  bigserial,
  customType,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import { moment } from '../base/columns.ts';

/** The kinds of record a firm keeps, in the words of the audit log and of `register`. */
export type RecordKind =
  | 'contact'
  | 'lead'
  | 'matter'
  | 'practice_area'
  | 'matter_type'
  | 'firm'
  | 'role'
  | 'member'
  | 'api_key'
  | 'lead_stage'
  | 'stage'
  | 'custom_field'
  | 'calendar_event'
  | 'task';

/**
 * A firm's register of one kind of record: how many there are, which place and number come next.
 * Who creates or deletes holds its row until the commit, so order of creation is order of commit.
 */
export const register = pgTable(
  'register',
  {
    firmId: uuid().notNull(),
    kind: text().$type<RecordKind>().notNull(),
    /** Records not deleted, and how many of them are private. */
    live: integer().notNull().default(0),
    livePrivate: integer().notNull().default(0),
    lastOrdinal: bigint({ mode: 'number' }).notNull().default(0),
    lastAt: moment(),
    /** Null: the kind carries no number, or its numbering is not set up. */
    numberFormat: text(),
    lastNumber: bigint({ mode: 'number' }).notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.firmId, table.kind] })],
);

/**
 * How many records of each block of ordinals are live, of long blocks and of the short ones in them:
 * a page deep in a list is found by adding up blocks instead of walking past every record before it.
 */
export const registerBlock = pgTable(
  'register_block',
  {
    firmId: uuid().notNull(),
    kind: text().$type<RecordKind>().notNull(),
    /** How many ordinals the block has: one of `blockLengths`. */
    length: integer().notNull(),
    block: integer().notNull(),
    live: integer().notNull(),
    livePrivate: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.firmId, table.kind, table.length, table.block] })],
);

/**
 * The words that the firm's records are found by; a search asks for those that hold a part, and for
 * those that a misspelled one may have been meant for. Words stay when the last record that held
 * them goes: to a search they then lead nowhere.
 */
export const knownWord = pgTable(
  'known_word',
  {
    firmId: uuid().notNull(),
    word: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.word] }),
    index('known_word_search').using(
      'gin',
      sql`word_part_keys(${table.firmId}, ${table.word})`,
      sql`misspelling_keys(${table.firmId}, ${table.word})`,
    ),
  ],
);

const transactionId = customType<{ data: string }>({ dataType: () => 'xid8' });

/** Which fields changed, from what to what. */
export type Changes = Record<string, { before: unknown; after: unknown }>;

/** The audit log: one entry for each record that a write changed, in the write's own transaction. */
export const auditEntry = pgTable(
  'audit_entry',
  {
    firmId: uuid().notNull(),
    id: bigserial({ mode: 'number' }).notNull(),
    /** The number of the transaction that wrote it: entries are sealed in the order of (xid, id). */
    xid: transactionId().notNull().default(sql`transaction_number()`),
    at: moment().notNull(),
    action: text().$type<'create' | 'update' | 'delete'>().notNull(),
    recordKind: text().$type<RecordKind>().notNull(),
    recordId: uuid().notNull(),
    memberId: uuid(),
    keyId: uuid(),
    requestId: text().notNull(),
    changes: jsonb().$type<Changes>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    index('audit_entry_order').on(table.firmId, table.xid, table.id),
    index('audit_entry_record').on(table.firmId, table.recordId, table.id),
  ],
);

/** The hash chain over a firm's audit entries: each seal covers one entry and all seals before it. */
export const auditSeal = pgTable(
  'audit_seal',
  {
    firmId: uuid().notNull(),
    sealNumber: bigint({ mode: 'number' }).notNull(),
    entryId: bigint({ mode: 'number' }).notNull(),
    /** SHA-256 over the hash before it and the entry's canonical JSON, in hexadecimal. */
    hash: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.sealNumber] }),
    unique('audit_seal_entry').on(table.firmId, table.entryId),
  ],
);

/** The first answer to a POST with an Idempotency-Key, kept for a day to answer its repeats. */
export const idempotency = pgTable(
  'idempotency',
  {
    firmId: uuid().notNull(),
    /** The key and those it was rotated from: a retry may come with the successor. */
    keyFamilyId: uuid().notNull(),
    idempotencyKey: text().notNull(),
    /** SHA-256 over path and body: another request under the same key is a mistake. */
    fingerprint: text().notNull(),
    /** JSON text, so that a replay is the same to the letter. Null while the write is under way. */
    answer: text(),
    createdAt: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.keyFamilyId, table.idempotencyKey] }),
    index('idempotency_age').on(table.createdAt),
  ],
);
