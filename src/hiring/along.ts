/** The tasks and events of a lead go to its matter when it is hired, and come back when that is undone. */
import { asc, sql } from 'drizzle-orm';
import { textOf as textOfEvent } from '../calendar/event.ts';
import { calendarEvent, eventSeries } from '../calendar/table.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Write } from '../record/write.ts';
import { findByText } from '../search-text/written-text.ts';
import { task } from '../tasks/table.ts';
import { textOf as textOfTask } from '../tasks/task.ts';

/** Takes all tasks and events of a lead, done and cancelled ones too, along to its new matter. */
export const takeAlong = (w: Write, leadId: string, matterId: string) =>
  moveTo(w, { leadId, from: null, to: matterId });

/** Gives a lead back those of its tasks and events that went to the matter. */
export const takeBack = (w: Write, leadId: string, matterId: string) =>
  moveTo(w, { leadId, from: matterId, to: null });

type Way = { leadId: string; from: string | null; to: string | null };

const moveTo = async (w: Write, { leadId, from, to }: Way) => {
  const at = { firmId: w.firmId, leadId, from };
  const [tasks, series, events, now] = await Promise.all([
    w.run(tasksAt, at),
    w.run(seriesAt, at),
    w.run(eventsAt, at),
    w.now(),
  ]);
  const moved = { matterId: to, updatedAt: now };
  for (const one of tasks) {
    w.update(task, one, moved);
    findByText(w, textOfTask({ ...one, matterId: to }));
  }
  for (const one of series) w.update(eventSeries, one, moved);
  for (const one of events) {
    w.update(calendarEvent, one, moved);
    findByText(w, textOfEvent({ ...one, matterId: to }));
  }
};

type At = Given<{ firmId: string; leadId: string; from: string | null }>;

const isAt = (
  table: typeof task | typeof calendarEvent | typeof eventSeries,
  { firmId, leadId, from }: At,
) =>
  sql`${table.firmId} = ${firmId} and ${table.leadId} = ${leadId}
    and ${table.matterId} is not distinct from ${from}::uuid`;

const tasksAt = statement((given: At) =>
  query.select().from(task).where(isAt(task, given)).orderBy(asc(task.id)).for('update'),
);

// Before its events, as the job that makes more of them.
const seriesAt = statement((given: At) =>
  query
    .select()
    .from(eventSeries)
    .where(isAt(eventSeries, given))
    .orderBy(asc(eventSeries.id))
    .for('update'),
);

const eventsAt = statement((given: At) =>
  query
    .select()
    .from(calendarEvent)
    .where(isAt(calendarEvent, given))
    .orderBy(asc(calendarEvent.id))
    .for('update'),
);
