import { sql } from 'drizzle-orm';
import {
  bigint,
  bigserial,
  customType,
  index,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import { moment } from '../base/columns.ts';

const transactionId = customType<{ data: string }>({ dataType: () => 'xid8' });

export type Changes = Record<string, { before: unknown; after: unknown }>;

/**
 * The audit log: one entry for each record that a write changed, in the write's own transaction.
 */
export const auditEntry = pgTable(
  'audit_entry',
  {
    firmId: uuid().notNull(),
    id: bigserial({ mode: 'number' }).notNull(),
    /**
     * The number of the transaction that wrote it. Entries are sealed in the order of (xid, id).
     */
    xid: transactionId().notNull().default(sql`transaction_number()`),
    at: moment().notNull(),
    action: text().$type<'create' | 'update' | 'delete'>().notNull(),
    /** The table of the record: `lead`, `practice_area`. */
    recordKind: text().notNull(),
    recordId: uuid().notNull(),
    memberId: uuid(),
    keyId: uuid(),
    requestId: text().notNull(),
    /** The Idempotency-Key of the call that it came through. The chain does not cover it. */
    idempotencyKey: text(),
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

/**
 * Signatures over ends of a firm's chain, by the installation's key (`head.ts` says over what).
 * Each proves the seals up to its own.
 */
export const auditSignature = pgTable(
  'audit_signature',
  {
    firmId: uuid().notNull(),
    sealNumber: bigint({ mode: 'number' }).notNull(),
    /** Ed25519, 32 bytes in base64url. */
    publicKey: text().notNull(),
    /** By the clock of the server that signed, to the millisecond. */
    signedAt: moment().notNull(),
    /** 64 bytes in base64url. */
    signature: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.firmId, table.sealNumber, table.publicKey] })],
);
