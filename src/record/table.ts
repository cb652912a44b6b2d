import { index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../base/columns.ts';

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
