import { sql } from 'drizzle-orm';
import { importedRow } from '../imports/table.ts';
import type { Given } from '../postgres/statement.ts';

/**
 * When a person first worked on the lead: the earliest change of the lead or its contact, or note
 * about it, by a member and not through a key. The note that came with a lead from a file says what
 * somebody wrote elsewhere. Null if nobody has.
 */
export const firstTouch = ({ firmId }: Given<'firmId'>) => sql`(
  select min(touch.at) from (
    select min(entry.at) as at from audit_entry entry
    where entry.firm_id = ${firmId} and entry.record_id = any(array[lead.id, lead.contact_id])
      and entry.action = 'update' and entry.member_id is not null and entry.key_id is null
      and entry.at >= lead.created_at
    union all
    select min(note.created_at) from note
    where note.firm_id = ${firmId} and note.record_id = lead.id and not note.came_through_api
      and (note.created_at > lead.created_at or not exists (
        select from ${importedRow} imported
        where imported.firm_id = ${firmId} and imported.record_id = lead.id))
  ) touch)`;
