import { sql } from 'drizzle-orm';
import { apiKey } from '../api-keys/table.ts';
import type { Changes } from '../audit/table.ts';
import { type Days, isWithinDays } from '../firm/days.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { canSeeEntry } from './entries.ts';
import { type Viewer, viewerOf } from './visibility.ts';

/** Which entries of the audit log: null is any. `member` and `key` are ids, or `none`. */
export type LogFilter = Days & {
  member: string | null;
  key: string | null;
  kind: string | null;
  record: string | null;
};

/** One entry of the audit log. What is larger than 64 KiB is left out of its changes. */
export type LogEntry = {
  id: string;
  at: Date;
  action: 'create' | 'update' | 'delete';
  recordKind: string;
  recordId: string;
  /** Who did it; null is the administrator of the server. */
  memberName: string | null;
  /** The API key it came through, if through one. */
  keyName: string | null;
  requestId: string;
  changes: Changes;
  isCut: boolean;
};

/**
 * The entries of the audit log that the reader may read, newest first: at most `max` of those that
 * are older than the entry `before`, and whether there are older ones. Entries about a lead or a
 * contact that they may not see, and about notes on it, are left out.
 */
export const readLog = async (
  reader: Reader,
  filter: LogFilter,
  { before, max }: { before: string | null; max: number },
): Promise<{ entries: LogEntry[]; hasOlder: boolean }> => {
  const rows = await reader.run(entriesBefore, {
    ...viewerOf(reader),
    ...filter,
    before,
    max: max + 1,
  });
  const entries = rows.slice(0, max).map((row) => ({ ...row, at: new Date(row.at) }));
  return { entries, hasOlder: rows.length > max };
};

type LogRow = Omit<LogEntry, 'at'> & { at: string };

// The changes are looked at only of the entries that are shown.
const entriesBefore = statement(
  (given: Given<Viewer & LogFilter & { before: string | null; max: number }>) => sql<LogRow>`
    select entry.id::text as id, entry.at, entry.action, entry.record_kind as "recordKind",
      entry.record_id::text as "recordId", member.name as "memberName", ${apiKey.name} as "keyName",
      entry.request_id as "requestId", octet_length(entry.changes::text) > 65536 as "isCut",
      case when octet_length(entry.changes::text) > 65536 then '{}' else entry.changes end as changes
    from (
      select * from audit_entry entry
      where entry.firm_id = ${given.firmId}
        and (${given.before}::bigint is null or entry.id < ${given.before}::bigint)
        and (${given.member}::text is null
          or coalesce(entry.member_id::text, 'none') = ${given.member}::text)
        and (${given.key}::text is null or coalesce(entry.key_id::text, 'none') = ${given.key}::text)
        and (${given.kind}::text is null or entry.record_kind = ${given.kind}::text)
        and (${given.record}::uuid is null or entry.record_id = ${given.record}::uuid)
        and ${isWithinDays(sql`entry.at`, given)} and ${canSeeEntry(given)}
      order by entry.id desc limit ${given.max}::int
    ) entry
    left join member on member.firm_id = entry.firm_id and member.id = entry.member_id
    left join ${apiKey} on ${apiKey.firmId} = entry.firm_id and ${apiKey.id} = entry.key_id
    order by entry.id desc`,
);
