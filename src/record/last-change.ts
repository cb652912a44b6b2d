import { sql } from 'drizzle-orm';
import { apiKey } from '../api-keys/table.ts';
import { member } from '../firm/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from './actor.ts';

export type LastChange = {
  /** Null for the administrator and for what has no member. */
  memberId: string | null;
  memberName: string | null;
  /** The API key it came through, if through one. */
  keyName: string | null;
  at: Date;
};

/**
 * The last change of a record's field, by the audit log; undefined if it never changed. Of a group of
 * fields, the last change that gave one of them the text `made`. The caller has seen to it that the
 * reader sees the record.
 */
export const lastChangeOf = async (
  reader: Reader,
  recordId: string,
  field: string,
  made: string | null = null,
): Promise<LastChange | undefined> => {
  const found = await reader.first(lastChange, { firmId: reader.firmId, recordId, field, made });
  return found && { ...found, at: new Date(found.at) };
};

type LastChangeAsked = { firmId: string; recordId: string; field: string; made: string | null };

const lastChange = statement(
  ({ firmId, recordId, field, made }: Given<LastChangeAsked>) => sql<LastChange>`
    select entry.member_id::text as "memberId", ${member.name} as "memberName", ${apiKey.name} as "keyName", entry.at
    from audit_entry entry
    left join ${member} on ${member.firmId} = entry.firm_id and ${member.id} = entry.member_id
    left join ${apiKey} on ${apiKey.firmId} = entry.firm_id and ${apiKey.id} = entry.key_id
    where entry.firm_id = ${firmId} and entry.record_id = ${recordId} and entry.action = 'update'
      and entry.changes ? ${field}::text
      and (${made}::text is null or exists (
        select 1 from jsonb_each(entry.changes -> ${field}::text -> 'after') part
        where coalesce(part.value #>> '{}', '') = ${made}::text
          and part.value is distinct from entry.changes -> ${field}::text -> 'before' -> part.key))
    order by entry.id desc limit 1`,
);
