import { sql } from 'drizzle-orm';
import { importedRow } from '../imports/table.ts';
import type { Given } from '../postgres/statement.ts';
import { firstStanding } from '../record/taken-back.ts';

/**
 * When a person first worked on the lead: the earliest change of the lead or its contact, or note
 * about it, by a member and not through a key. A change that they took back is none. The note that came
 * with a lead from a file says what somebody wrote elsewhere. Null if nobody has.
 */
export const firstTouch = ({ firmId }: Given<'firmId'>) => sql`(
  select min(touch.at) from (
    select ${firstStanding(sql`
      entry.firm_id = ${firmId} and entry.record_id = worked.id and entry.action = 'update'
      and entry.member_id is not null and entry.key_id is null and entry.at >= lead.created_at`)} as at
    from (values (lead.id), (lead.contact_id)) as worked (id)
    union all
    select min(note.created_at) from note
    where note.firm_id = ${firmId} and note.record_id = lead.id and not note.came_through_api
      and (note.created_at > lead.created_at or not exists (
        select from ${importedRow} imported
        where imported.firm_id = ${firmId} and imported.record_id = lead.id))
  ) touch)`;
