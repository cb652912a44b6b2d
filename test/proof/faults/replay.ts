/**
 * The records as the audit log alone tells them, held against the stored ones
 * (docs/design/later.md, V4).
 */
import { getTableColumns, getTableName } from 'drizzle-orm';
import type postgres from 'postgres';
import type { Changes } from '../../../src/audit/table.ts';
import { contact } from '../../../src/contacts/table.ts';
import { lead } from '../../../src/leads/table.ts';
import { matter } from '../../../src/matters/table.ts';

type Told = Record<string, unknown>;

// The service's own marks are not in the log.
const notLogged = [
  ...['firmId', 'id', 'ordinal', 'createdAt', 'updatedAt', 'searchText'],
  ...['clientName', 'firstAttorneyId'],
];

/** Ids of records of a firm that differ from what their audit entries, one after the other, make of them. */
export const replayMisfits = async (sql: postgres.Sql, firmId: string): Promise<string[]> => {
  const differing: string[] = [];
  for (const table of [contact, lead, matter]) {
    const kind = getTableName(table);
    const entries = await sql<{ recordId: string; changes: Changes }[]>`
      select record_id as "recordId", changes from audit_entry
      where firm_id = ${firmId} and record_kind = ${kind} order by id`;
    const told = new Map<string, Told>();
    for (const { recordId, changes } of entries) {
      const record = told.get(recordId) ?? {};
      told.set(recordId, record);
      for (const [field, change] of Object.entries(changes))
        record[field] = changed(record[field], change);
    }
    const stored = await sql<{ id: string; row: Told }[]>`
      select id, to_jsonb(one) as row from ${sql(kind)} as one where firm_id = ${firmId}`;
    const columns = Object.entries(getTableColumns(table)).filter(
      ([field]) => !notLogged.includes(field),
    );
    for (const { id, row } of stored) {
      const record = told.get(id) ?? {};
      const isSame = columns.every(([field, { name }]) =>
        Bun.deepEquals(plain(record[field]), plain(row[snake(name)])),
      );
      if (!isSame) differing.push(`${kind} ${id}`);
      told.delete(id);
    }
    differing.push(...[...told.keys()].map((id) => `${kind} ${id} is not stored`));
  }
  return differing;
};

/** Of an object (custom fields) the log shows the keys that changed. */
const changed = (old: unknown, { before, after }: Changes[string]): unknown => {
  const isPlain = (value: unknown): value is Told =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isPlain(before) || !isPlain(after)) return after;
  const kept = Object.entries((old ?? {}) as Told).filter(([key]) => !(key in before));
  return { ...Object.fromEntries(kept), ...after };
};

const moment = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-][\d:]+)$/;
const plain = (value: unknown): unknown =>
  typeof value === 'string' && moment.test(value) ? Date.parse(value) : (value ?? null);

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
