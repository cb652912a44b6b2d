import { and, eq, sql } from 'drizzle-orm';
import { isId } from '../base/columns.ts';
import { notFound } from '../base/refusal.ts';
import { calendarEvent, eventGuest } from '../calendar/table.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Acting, write } from '../record/write.ts';
import { countRestored } from '../register/register.ts';
import { task } from '../tasks/table.ts';
import { lookAtLimitationLater } from './jobs.ts';
import { matter } from './table.ts';

/**
 * Brings a deleted matter back as it was; its tasks and events stay cancelled. Throws `Refusal`
 * not_found for a matter that is not deleted.
 */
export const restoreMatter = (actor: Acting, id: string) =>
  write(actor, async (w) => {
    const stored = isId(id) ? await w.first(anyMatter, { firmId: w.firmId, id }) : undefined;
    if (!stored?.deletedAt) throw notFound();
    countRestored(w, matter, stored.ordinal);
    w.update(matter, stored, { deletedAt: null });
    if (stored.solDate !== null) lookAtLimitationLater(w, id);
  });

const anyMatter = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .select()
    .from(matter)
    .where(and(eq(matter.firmId, firmId), eq(matter.id, id)))
    .for('update'),
);

/** What archiving or deleting a matter would do: how many are cancelled, and how many are told. */
export type Impact = { tasks: number; events: number; told: number };

/**
 * Counts what archiving or deleting would do to a matter: its open tasks and its events to come are
 * cancelled; its team and the events' guests are told, but for those who switched the notice off.
 */
export const impactOf = async (
  reader: Reader,
  id: string,
  kind: 'matter.archived' | 'matter.deleted',
): Promise<Impact> =>
  (await reader.first(impact, { firmId: reader.firmId, id, kind })) ?? {
    tasks: 0,
    events: 0,
    told: 0,
  };

const isToCome = ({ firmId, id }: Given<'firmId' | 'id'>) => sql`
  ${calendarEvent.firmId} = ${firmId} and ${calendarEvent.matterId} = ${id}
  and ${calendarEvent.startsAt} > moment() and ${calendarEvent.cancelledAt} is null`;

// Who is told is decided as in `tellTeam` and in the calendar's `tellGuests`.
const impact = statement(
  ({ firmId, id, kind }: Given<'firmId' | 'id' | 'kind'>) => sql<Impact>`
    select
      (select count(*)::int from ${task} where ${task.firmId} = ${firmId}
        and ${task.matterId} = ${id} and ${task.doneAt} is null and ${task.cancelledAt} is null) as tasks,
      (select count(*)::int from ${calendarEvent} where ${isToCome({ firmId, id })}) as events,
      (select count(*)::int from member where member.firm_id = ${firmId}
        and member.deactivated_at is null and (
          (not ${kind}::text = any(member.muted_kinds) and exists (select from matter_team place
            where place.firm_id = ${firmId} and place.member_id = member.id
              and place.matter_id = ${id}))
          or (not 'event.cancelled' = any(member.muted_kinds) and exists (
            select from ${calendarEvent} join ${eventGuest}
              on ${eventGuest.firmId} = ${calendarEvent.firmId}
              and ${eventGuest.eventId} = ${calendarEvent.id}
            where ${isToCome({ firmId, id })} and ${eventGuest.memberId} = member.id)))) as told`,
);
