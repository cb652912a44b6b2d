import { sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { canSeeContact, canSeeLead, type Viewer, viewerOf } from './visibility.ts';

/** What an id names: its kind as the audit log says it, its name, and whether it was deleted. */
export type NamedRecord = { id: string; kind: string; name: string; isGone: boolean };

/**
 * What the ids name, deleted or not, as far as the reader may see it: the name of a contact, the
 * number of a lead or matter with its name. Others have no entry.
 */
export const namesOfRecords = async (
  reader: Reader,
  ids: Iterable<string>,
): Promise<Map<string, NamedRecord>> => {
  const asked = [...new Set(ids)];
  if (asked.length === 0) return new Map();
  const rows = await reader.run(named, { ...viewerOf(reader), ids: asked });
  return new Map(rows.map((row) => [row.id, row]));
};

/** Kinds that stand above in the order of floors or here, by how they are named. */
const plainKinds: [table: string, name: string, isGone: string][] = [
  ['matter', `concat_ws(' ', number, title)`, 'deleted_at is not null'],
  ['task', 'title', 'cancelled_at is not null'],
  ['calendar_event', 'title', 'cancelled_at is not null'],
  ['member', 'name', 'deactivated_at is not null'],
  ['role', 'name', 'deleted_at is not null'],
  ['api_key', 'name', 'revoked_at is not null'],
  ['lead_stage', 'name', 'deleted_at is not null'],
  ['not_hired_reason', 'name', 'deleted_at is not null'],
  ['practice_area', 'name', 'deleted_at is not null'],
  ['stage', 'name', 'deleted_at is not null'],
  ['matter_type', 'name', 'deleted_at is not null'],
  ['custom_field', 'name', 'false'],
  ['saved_view', 'name', 'false'],
];

const named = statement((given: Given<Viewer & { ids: string[] }>) => {
  const plain = plainKinds.map(
    ([table, name, isGone]) => sql`
      select id::text as id, ${sql.raw(`'${table}'`)} as kind, ${sql.raw(name)} as name,
        ${sql.raw(isGone)} as "isGone"
      from ${sql.raw(table)} where firm_id = ${given.firmId} and id in (select id from asked)`,
  );
  return sql<NamedRecord>`
    with asked as (select unnest(${given.ids}::uuid[]) as id)
    select lead.id::text as id, 'lead' as kind, concat_ws(' ', lead.number, contact.name) as name,
      lead.deleted_at is not null as "isGone"
    from lead left join contact on contact.firm_id = lead.firm_id and contact.id = lead.contact_id
    where lead.firm_id = ${given.firmId} and lead.id in (select id from asked) and ${canSeeLead(given)}
    union all
    select id::text, 'contact', name, deleted_at is not null from contact
    where firm_id = ${given.firmId} and id in (select id from asked) and ${canSeeContact(given)}
    union all
    select id::text, 'firm', name, false from firm
    where id = ${given.firmId} and id in (select id from asked)
    union all
    select record_id::text, 'custom_field', changes -> 'name' ->> 'before', true from audit_entry
    where firm_id = ${given.firmId} and record_id in (select id from asked)
      and record_kind = 'custom_field' and action = 'delete'
    union all ${sql.join(plain, sql` union all `)}`;
});
