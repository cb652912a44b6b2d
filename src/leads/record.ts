import { and, eq, isNotNull, sql } from 'drizzle-orm';
import { notFound } from '../base/refusal.ts';
import { calendarEvent, eventSeries } from '../calendar/table.ts';
import { member } from '../firm/table.ts';
import { matter } from '../matters/table.ts';
import { type Given, query, shortStatement, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { task } from '../tasks/table.ts';
import { canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';
import { isStepPast } from './filter.ts';
import { readWithFields } from './list.ts';
import { lead, leadAssignee } from './table.ts';

/**
 * All that a lead's page says of it: the lead, who works on it, the firm's fields of leads, how it
 * was decided, and since when it waits. Throws `Refusal` not_found, also for a private one the reader
 * may not see.
 */
export const leadRecord = async (reader: Reader, id: string) => {
  const [{ found, defined }, more] = await Promise.all([
    readWithFields(reader, id),
    reader.first(moreOfLead, { firmId: reader.firmId, id }),
  ]);
  if (!more) throw notFound();
  const moment = (text: string | null) => (text === null ? null : new Date(text));
  return {
    ...found,
    contactId: more.contactId,
    defined,
    assignees: more.assignees,
    decidedAt: moment(more.decidedAt),
    reason: more.reason,
    matter: more.matterId ? { id: more.matterId, number: more.matterNumber } : null,
    firstTouchAt: moment(more.firstTouchAt),
    inStageSince: new Date(more.inStageSince),
    nextTouch: more.nextTouch,
    isStepPast: more.isStepPast,
  };
};

/** What `leadRecord` gives. */
export type LeadRecord = Awaited<ReturnType<typeof leadRecord>>;

type More = {
  assignees: { id: string; name: string }[];
  contactId: string;
  decidedAt: string | null;
  reason: string | null;
  matterId: string | null;
  matterNumber: string | null;
  firstTouchAt: string | null;
  inStageSince: string;
  nextTouch: string | null;
  isStepPast: boolean | null;
};

// The first touch is the first change or note by a person, not through a key.
const moreOfLead = shortStatement(
  ({ firmId, id }: Given<'firmId' | 'id'>) => sql<More>`
    select lead.contact_id::text as "contactId",
      coalesce((select json_agg(json_build_object('id', ${member.id}, 'name', ${member.name}) order by ${member.name})
        from ${leadAssignee} join ${member} on ${member.firmId} = ${firmId} and ${member.id} = ${leadAssignee.memberId}
        where ${leadAssignee.firmId} = ${firmId} and ${leadAssignee.leadId} = ${id}), '[]') as assignees,
      lead.next_touch as "nextTouch",
      ${isStepPast({ firmId })} as "isStepPast", lead.decided_at as "decidedAt",
      reason.name as reason, lead.matter_id::text as "matterId", ${matter.number} as "matterNumber",
      least(
        (select min(at) from audit_entry where firm_id = ${firmId}::uuid and record_id = ${id}::uuid
          and action = 'update' and member_id is not null and key_id is null),
        (select min(created_at) from note where firm_id = ${firmId}::uuid and record_id = ${id}::uuid
          and not came_through_api)
      ) as "firstTouchAt",
      coalesce((select max(at) from lead_move where firm_id = ${firmId}::uuid
        and lead_id = ${id}::uuid), lead.created_at) as "inStageSince"
    from lead
    left join not_hired_reason reason
      on reason.firm_id = lead.firm_id and reason.id = lead.not_hired_reason_id
    left join ${matter} on ${matter.firmId} = lead.firm_id and ${matter.id} = lead.matter_id
      and ${matter.deletedAt} is null
    where lead.firm_id = ${firmId}::uuid and lead.id = ${id}::uuid`,
);

/**
 * The ids that a lead's timeline is about: the lead and its newest tasks, events and series of them, with `alsoHired` those too
 * that went to its matter.
 */
export const partsOfLead = async (
  reader: Reader,
  id: string,
  { alsoHired }: { alsoHired: boolean },
): Promise<string[]> => {
  const rows = await reader.run(parts, { firmId: reader.firmId, id, alsoHired });
  return [id, ...rows.map((row) => row.id)];
};

const parts = shortStatement(
  ({ firmId, id, alsoHired }: Given<{ firmId: string; id: string; alsoHired: boolean }>) => sql<{
    id: string;
  }>`
    (select ${task.id}::text as id from ${task}
      where ${task.firmId} = ${firmId} and ${task.leadId} = ${id}
        and (${task.matterId} is null or ${alsoHired}::boolean)
      order by ${task.id} desc limit 500)
    union all
    (select ${calendarEvent.id}::text from ${calendarEvent}
      where ${calendarEvent.firmId} = ${firmId} and ${calendarEvent.leadId} = ${id}
        and (${calendarEvent.matterId} is null or ${alsoHired}::boolean)
      order by ${calendarEvent.id} desc limit 500)
    union all
    (select ${eventSeries.id}::text from ${eventSeries}
      where ${eventSeries.firmId} = ${firmId} and ${eventSeries.leadId} = ${id}
        and (${eventSeries.matterId} is null or ${alsoHired}::boolean)
      order by ${eventSeries.id} desc limit 500)`,
);

/** A deleted lead that can be restored. Throws `Refusal` not_found for any other. */
export const readDeletedLead = async (reader: Reader, id: string) => {
  const found = await reader.first(deletedLead, { ...viewerOf(reader), id });
  if (!found) throw notFound();
  return found;
};

const deletedLead = statement((given: Given<Viewer & { id: string }>) =>
  query
    .select({ id: lead.id, number: lead.number })
    .from(lead)
    .where(
      and(
        eq(lead.firmId, given.firmId),
        eq(lead.id, given.id),
        isNotNull(lead.deletedAt),
        canSeeLead(given),
      ),
    ),
);
