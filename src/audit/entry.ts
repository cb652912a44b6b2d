import { getTableName, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Runs } from '../postgres/pool.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import { fitsPage, largestSize } from './chain.ts';
import { auditEntry, type Changes } from './table.ts';

/** A stored row, or the part of it that a write sets, named as in its `table.ts`. */
export type RecordFields = Record<string, unknown>;

// The service's own fields, and every stored secret.
const notShown = new Set([
  'firmId',
  'id',
  'ordinal',
  'createdAt',
  'updatedAt',
  'seenAt',
  'provenAt',
  'searchText',
  ...['clientName', 'firstAttorneyId'],
  ...['digest', 'hash', 'secret', 'publicKey'],
]);

/**
 * What differs: for each field of `after`, its value before and after. A field that was unset and
 * stays unset is left out. For an object (custom fields), only the keys that changed are shown.
 */
export const changesBetween = (before: RecordFields, after: RecordFields): Changes => {
  const changes: Changes = {};
  for (const [field, value] of Object.entries(after)) {
    const old = before[field] ?? null;
    const now = value ?? null;
    if (notShown.has(field) || Bun.deepEquals(old, now)) continue;
    changes[field] =
      isPlain(old ?? now) && isPlain(now ?? old)
        ? keysThatDiffer(old, now)
        : { before: old, after: now };
  }
  return changes;
};

const isPlain = (value: unknown): value is RecordFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

const keysThatDiffer = (old: unknown, now: unknown) => {
  const before: RecordFields = { ...(old as RecordFields | null) };
  const after: RecordFields = { ...(now as RecordFields | null) };
  for (const key of Object.keys({ ...before, ...after })) {
    if (!Bun.deepEquals(before[key], after[key])) continue;
    delete before[key];
    delete after[key];
  }
  return { before, after };
};

/** The name under which the audit log keeps entries about rows of a table. */
export const kindOf = (table: PgTable) => getTableName(table);

/** `at` is null for now. */
type NewEntry = Omit<typeof auditEntry.$inferSelect, 'id' | 'xid' | 'at'> & { at: Date | null };

/** Stores one entry; sent by `write` for every record it changes. */
export const insertAuditEntry = statement((given: Given<NewEntry>) =>
  query.insert(auditEntry).values({
    firmId: given.firmId,
    at: sql`coalesce(${given.at}::timestamptz, moment())`,
    action: given.action,
    recordKind: given.recordKind,
    recordId: given.recordId,
    memberId: given.memberId,
    keyId: given.keyId,
    requestId: given.requestId,
    idempotencyKey: given.idempotencyKey,
    changes: given.changes,
  }),
);

/** Which entries: those of one record, those from a moment on, and how many of the newest. */
export type EntryFilter = { recordId?: string; since?: Date; limit?: number };

/** The firm's audit entries, oldest first. */
export const listAuditEntries = async (
  reader: Runs & { firmId: string },
  { recordId, since, limit }: EntryFilter = {},
) => {
  const filter = { firmId: reader.firmId, recordId: recordId ?? null, since: since ?? null };
  const start = limit ? await reader.first(beforeNewest, { ...filter, limit }) : undefined;
  const all: (typeof auditEntry.$inferSelect)[] = [];
  for (;;) {
    const after = String(all.at(-1)?.id ?? start?.id ?? 0);
    const page = await reader.run(pageAfter, { ...filter, after });
    if (page.length === 0) return all;
    all.push(...page);
  }
};

type Filter = { firmId: string; recordId: string | null; since: Date | null };

const fitsFilter = ({ firmId, recordId, since }: Given<Filter>) => sql`
  entry.firm_id = ${firmId}
  and (${recordId}::uuid is null or entry.record_id = ${recordId})
  and (${since}::timestamptz is null or entry.at >= ${since})`;

const beforeNewest = statement(
  (given: Given<Filter & { limit: number }>) => sql<{ id: string | null }>`
    select (min(id) - 1)::text as id from (
      select id from audit_entry entry where ${fitsFilter(given)}
      order by entry.id desc limit ${given.limit}) newest`,
);

const pageAfter = statement((given: Given<Filter & { after: string }>) => {
  const ids = sql`
    select id from (
      select id, sum(size) over (order by id) - size as size_before from (
        select entry.id, ${largestSize} as size from audit_entry entry
        where ${fitsFilter(given)} and entry.id > ${given.after}::bigint
        order by entry.id limit 1000
      ) entry
    ) entry where ${fitsPage}`;
  return query
    .select()
    .from(auditEntry)
    .where(sql`${auditEntry.firmId} = ${given.firmId} and ${auditEntry.id} in (${ids})`)
    .orderBy(auditEntry.id);
});
