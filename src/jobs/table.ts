import { sql } from 'drizzle-orm';
import {
  bigserial,
  check,
  index,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import { moment } from '../base/columns.ts';

/** Something to do later. The row is removed in the transaction that does it. */
export const job = pgTable(
  'job',
  {
    firmId: uuid().notNull(),
    id: bigserial({ mode: 'number' }).notNull(),
    kind: text().notNull(),
    /** Names the effect, so that it is enqueued once however often its cause repeats. */
    dedupeKey: text().notNull(),
    /** The record it is about. */
    ref: uuid(),
    payload: jsonb().$type<Record<string, unknown>>().notNull(),
    runAt: moment().notNull(),
    /**
     * Counted before the work, in a commit of its own, so that a job that kills the process is
     * counted.
     */
    starts: smallint().notNull().default(0),
    failures: smallint().notNull().default(0),
    lastError: text(),
    /** Dead: kept for people to look at, not run any more. */
    deadAt: moment(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    unique('job_dedupe_key').on(table.firmId, table.dedupeKey),
    index('job_due').on(table.runAt, table.id).where(sql`dead_at is null`),
    check('job_payload_object', sql`jsonb_typeof(payload) = 'object'`),
  ],
);
