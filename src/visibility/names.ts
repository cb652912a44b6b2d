import { type Column, getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { apiKey } from '../api-keys/table.ts';
import { calendarEvent, eventKind, eventSeries } from '../calendar/table.ts';
import { contact } from '../contacts/table.ts';
import { customField } from '../custom-fields/table.ts';
import { dateRule } from '../date-rules/table.ts';
import { member, role } from '../firm/table.ts';
import { lead, leadStage, notHiredReason } from '../leads/table.ts';
import { matterType } from '../matter-types/table.ts';
import { matter } from '../matters/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { practiceArea, stage } from '../practice-areas/table.ts';
import type { Reader } from '../record/actor.ts';
import { taskList, taskListLine } from '../task-lists/table.ts';
import { task } from '../tasks/table.ts';
import { savedView } from '../views/table.ts';
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

type Plain = PgTable & { firmId: Column; id: Column };

/** Kinds whose names everybody may see, and when a record of it is gone. */
const plainKinds: [table: Plain, name: Column | SQL, goneAt?: Column][] = [
  [matter, sql`concat_ws(' ', ${matter.number}, ${matter.title})`, matter.deletedAt],
  [member, member.name, member.deactivatedAt],
  [role, role.name, role.deletedAt],
  [apiKey, apiKey.name, apiKey.revokedAt],
  [leadStage, leadStage.name, leadStage.deletedAt],
  [notHiredReason, notHiredReason.name, notHiredReason.deletedAt],
  [eventKind, eventKind.name, eventKind.deletedAt],
  [practiceArea, practiceArea.name, practiceArea.deletedAt],
  [stage, stage.name, stage.deletedAt],
  [matterType, matterType.name, matterType.deletedAt],
  [taskList, taskList.name, taskList.deletedAt],
  [taskListLine, taskListLine.title, taskListLine.deletedAt],
  [customField, customField.name],
  [dateRule, dateRule.name, dateRule.deletedAt],
  [savedView, savedView.name],
];

const named = statement((given: Given<Viewer & { ids: string[] }>) => {
  const plain = plainKinds.map(
    ([table, name, goneAt]) => sql`
      select ${table.id}::text as id, ${sql.raw(`'${getTableName(table)}'`)} as kind, ${name} as name,
        ${goneAt ? sql`${goneAt} is not null` : sql`false`} as "isGone"
      from ${table} where ${table.firmId} = ${given.firmId} and ${table.id} in (select id from asked)`,
  );
  const endings = [
    [task, task.cancelledAt],
    [calendarEvent, calendarEvent.cancelledAt],
    [eventSeries, eventSeries.endedAt],
  ] as const;
  const parts = endings.map(
    ([table, goneAt]) => sql`
      select ${table.id}::text, ${sql.raw(`'${getTableName(table)}'`)}, ${table.title}, ${goneAt} is not null
      from ${table} left join ${lead} on ${lead.firmId} = ${table.firmId} and ${lead.id} = ${table.leadId}
      where ${table.firmId} = ${given.firmId} and ${table.id} in (select id from asked)
        and (${table.matterId} is not null or ${canSeeLead(given)})`,
  );
  return sql<NamedRecord>`
    with asked as (select unnest(${given.ids}::uuid[]) as id)
    select ${lead.id}::text as id, 'lead' as kind, concat_ws(' ', ${lead.number}, ${contact.name}) as name,
      ${lead.deletedAt} is not null as "isGone"
    from ${lead} left join ${contact} on ${contact.firmId} = ${lead.firmId} and ${contact.id} = ${lead.contactId}
    where ${lead.firmId} = ${given.firmId} and ${lead.id} in (select id from asked) and ${canSeeLead(given)}
    union all
    select ${contact.id}::text, 'contact', ${contact.name}, ${contact.deletedAt} is not null from ${contact}
    where ${contact.firmId} = ${given.firmId} and ${contact.id} in (select id from asked) and ${canSeeContact(given)}
    union all ${sql.join(parts, sql` union all `)}
    union all
    select id::text, 'firm', name, false from firm
    where id = ${given.firmId} and id in (select id from asked)
    union all
    select record_id::text, 'custom_field', changes -> 'name' ->> 'before', true from audit_entry
    where firm_id = ${given.firmId} and record_id in (select id from asked)
      and record_kind = 'custom_field' and action = 'delete'
    union all ${sql.join(plain, sql` union all `)}`;
});
