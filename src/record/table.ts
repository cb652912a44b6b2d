import { index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../base/columns.ts';

/** The first answer to a POST with an Idempotency-Key, kept for seven days to answer repeats. */
export const idempotency = pgTable(
  'idempotency',
  {
    firmId: uuid().notNull(),
    /** The first key of its rotations: a retry may come with the new key. */
    keyFamilyId: uuid().notNull(),
    idempotencyKey: text().notNull(),
    /** SHA-256 over path and body. Another request under the same key is a mistake. */
    fingerprint: text().notNull(),
    /** JSON text, so that a replay is exactly the same. Null while the write is under way. */
    answer: text(),
    createdAt: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.keyFamilyId, table.idempotencyKey] }),
    index('idempotency_age').on(table.createdAt),
  ],
);
