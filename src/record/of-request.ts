import { sql } from 'drizzle-orm';
import type { Changes } from '../audit/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from './actor.ts';

type Asked = { requestId: string; recordIds: string[]; maxSeconds: number };

/** What a request changed of a record, and whether that is the last that happened to it. */
export type ChangeByRequest = { recordId: string; changes: Changes; isLast: boolean };

/**
 * What one of the reader's own requests changed of these records, if it is at most `maxSeconds` ago.
 * The caller has seen to it that the reader sees the records.
 */
export const changesByRequest = (reader: Reader, asked: Asked): Promise<ChangeByRequest[]> =>
  reader.run(ofRequest, { firmId: reader.firmId, memberId: reader.memberId, ...asked });

const ofRequest = statement(
  (given: Given<Asked & { firmId: string; memberId: string | null }>) => sql<ChangeByRequest>`
    select entry.record_id::text as "recordId", entry.changes, not exists (
      select from audit_entry later where later.firm_id = ${given.firmId}::uuid
        and later.record_id = entry.record_id and later.id > entry.id
        and later.request_id <> ${given.requestId}) as "isLast"
    from unnest(${given.recordIds}::uuid[]) as asked (id)
    join audit_entry entry on entry.firm_id = ${given.firmId}::uuid and entry.record_id = asked.id
    where entry.request_id = ${given.requestId} and entry.action = 'update'
      and entry.member_id = ${given.memberId}::uuid and entry.key_id is null
      and entry.at > moment() - make_interval(secs => ${given.maxSeconds})
    order by entry.id`,
);
