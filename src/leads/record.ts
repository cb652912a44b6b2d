import { and, eq, isNotNull, sql } from 'drizzle-orm';
import { notFound } from '../base/refusal.ts';
import { calendarEvent, eventSeries } from '../calendar/table.ts';
import { customFieldsOn, type DefinedField } from '../custom-fields/custom-field.ts';
import { member } from '../firm/table.ts';
import { matter } from '../matters/table.ts';
import { type Given, query, shortStatement, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { task } from '../tasks/table.ts';
import { canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';
import { isStepPast } from './filter.ts';
import { firstTouch } from './first-touch.ts';
import { selectLead } from './list.ts';
import { lead, leadAssignee } from './table.ts';
import { viewLeadFull } from './view.ts';

/**
 * All that a lead's page says of it: the lead, who works on it, how it was decided, and since when it waits.
 * `reading` gives the firm's fields of leads, if the page reads them anyway. Throws `Refusal` not_found, also for a
 * private one the reader may not see.
 */
export const leadRecord = async (
  reader: Reader,
  id: string,
  reading?: Promise<{ fields: DefinedField[] }>,
) => {
  const [stored, { fields: defined }] = await Promise.all([
    reader.first(record, { ...viewerOf(reader), id }),
    reading ?? customFieldsOn(reader, 'LEAD').then((fields) => ({ fields })),
  ]);
  if (!stored) throw notFound();
  const { contactId, decidedAt, nextTouch, assignees, reason, isStepPast } = stored;
  return {
    ...viewLeadFull(stored, defined),
    contactId,
    defined,
    assignees,
    decidedAt,
    reason,
    matter: stored.matterId ? { id: stored.matterId, number: stored.matterNumber } : null,
    firstTouchAt: stored.firstTouchAt,
    inStageSince: stored.inStageSince,
    nextTouch,
    isStepPast,
  };
};

/** What `leadRecord` gives. */
export type LeadRecord = Awaited<ReturnType<typeof leadRecord>>;

const record = shortStatement((given: Given<Viewer & { id: string }>) => {
  const { firmId, id } = given;
  return selectLead(
    {
      nextTouch: lead.nextTouch,
      decidedAt: lead.decidedAt,
      matterId: lead.matterId,
      isStepPast: isStepPast({ firmId }).as('is_step_past'),
      assignees: sql<{ id: string; name: string }[]>`
        coalesce((select json_agg(json_build_object('id', ${member.id}, 'name', ${member.name}) order by ${member.name})
          from ${leadAssignee} join ${member} on ${member.firmId} = ${firmId} and ${member.id} = ${leadAssignee.memberId}
          where ${leadAssignee.firmId} = ${firmId} and ${leadAssignee.leadId} = ${id}), '[]')`.as(
        'assignees',
      ),
      reason: sql<string | null>`
        (select name from not_hired_reason where firm_id = ${firmId} and id = ${lead.notHiredReasonId})`.as(
        'reason',
      ),
      matterNumber: sql<string | null>`
        (select ${matter.number} from ${matter} where ${matter.firmId} = ${firmId}
          and ${matter.id} = ${lead.matterId} and ${matter.deletedAt} is null)`.as('matter_number'),
      firstTouchAt: firstTouch({ firmId })
        .mapWith(lead.decidedAt)
        .as<Date | null>('first_touch_at'),
      inStageSince: sql<Date>`
        coalesce((select max(at) from lead_move where firm_id = ${firmId}::uuid
          and lead_id = ${id}::uuid), ${lead.createdAt})`
        .mapWith(lead.createdAt)
        .as('in_stage_since'),
    },
    given,
  );
});

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
