/** Finds the records of an import that somebody has worked on since. */
import { type SQL, sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { firstStanding } from '../record/taken-back.ts';
import type { ImportedKind } from './table.ts';

/**
 * Returns those of the records that somebody changed or deleted, or to which somebody added a lead,
 * a matter, a task, an event or a note.
 */
export const editedSince = async (
  reader: Reader,
  kind: ImportedKind,
  ids: readonly string[],
): Promise<ReadonlySet<string>> => {
  if (ids.length === 0) return new Set();
  const rows = await reader.run(touched[kind], { firmId: reader.firmId, ids: [...ids] });
  return new Set(rows.map(({ id }) => id));
};

type Among = Given<{ firmId: string; ids: string[] }>;

// What was taken back is no change.
const isChanged = (firmId: Among['firmId'], id: SQL) => sql`
  ${firstStanding(sql`entry.firm_id = ${firmId}::uuid and entry.record_id = ${id}
    and entry.action <> 'create'`)} is not null`;

const isNoted = (firmId: Among['firmId'], id: SQL, counts: SQL = sql`true`) => sql`
  exists (select from note where note.firm_id = ${firmId}::uuid and note.record_id = ${id}
    and note.deleted_at is null and ${counts})`;

// The note that came with a lead does not count until somebody changes it.
const isChangedNote = sql`note.updated_at > lead.created_at`;

const contacts = statement(
  ({ firmId, ids }: Among) => sql<{ id: string }>`
    select asked.id::text as id from unnest(${ids}::uuid[]) as asked (id)
    where ${isChanged(firmId, sql`asked.id`)}
      or exists (select from lead where lead.firm_id = ${firmId}::uuid
        and lead.contact_id = asked.id and lead.deleted_at is null)
      or exists (select from matter_client where matter_client.firm_id = ${firmId}::uuid
        and matter_client.contact_id = asked.id)`,
);

const leads = statement(
  ({ firmId, ids }: Among) => sql<{ id: string }>`
    select lead.id::text as id from lead
    where lead.firm_id = ${firmId}::uuid and lead.id = any(${ids}::uuid[])
      and (${isChanged(firmId, sql`lead.id`)} or ${isNoted(firmId, sql`lead.id`, isChangedNote)}
        or ${isChanged(firmId, sql`lead.contact_id`)}
        or exists (select from task where task.firm_id = ${firmId}::uuid and task.lead_id = lead.id)
        or exists (select from calendar_event where calendar_event.firm_id = ${firmId}::uuid
          and calendar_event.lead_id = lead.id)
        or exists (select from matter_client where matter_client.firm_id = ${firmId}::uuid
          and matter_client.contact_id = lead.contact_id))`,
);

const matters = statement(
  ({ firmId, ids }: Among) => sql<{ id: string }>`
    select asked.id::text as id from unnest(${ids}::uuid[]) as asked (id)
    where ${isChanged(firmId, sql`asked.id`)} or ${isNoted(firmId, sql`asked.id`)}
      or exists (select from task where task.firm_id = ${firmId}::uuid and task.matter_id = asked.id)
      or exists (select from calendar_event where calendar_event.firm_id = ${firmId}::uuid
        and calendar_event.matter_id = asked.id)`,
);

const touched = { contact: contacts, lead: leads, matter: matters };
