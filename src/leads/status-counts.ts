import { sql } from 'drizzle-orm';
import { type Given, shortStatement, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { countedByStatus } from '../register/statuses.ts';
import { countsOver } from '../views/listing.ts';
import { canSeeLead, ownPrivate, type Viewer, viewerOf } from '../visibility/visibility.ts';
import { leadStatuses } from './table.ts';

export type StatusCounts = Record<(typeof leadStatuses)[number], number>;

export const countsByStatus = countsOver(leadStatuses);

/** How many leads the reader may see, by status. */
export const countStatuses = (reader: Reader) => reader.run(statusesOfAll, viewerOf(reader));

export type Count = { status: keyof StatusCounts; stageId: string; count: number };

/** How many leads the reader may see, by status and stage. */
export const countLeads = (reader: Reader): Promise<Count[]> =>
  reader.run(countsOfAll, viewerOf(reader));

// Kept for all leads; a member's own private ones, which are few, are counted.
const statusesOfAll = shortStatement(
  (given: Given<Viewer>) => sql<Omit<Count, 'stageId'>>`
    select status, sum(count)::int as count from (
      select status, live - case when ${given.seesPrivate} then 0 else live_private end as count
      from ${countedByStatus('lead', given.firmId)}
      union all
      select lead.status, 1 ${ownPrivate.lead(given)} and not ${given.seesPrivate}) seen
    group by status`,
  ({ seesPrivate }) => seesPrivate,
);

// Counted off the index alone; the private ones, which are few, are looked at.
const countsOfAll = statement(
  (given: Given<Viewer>) => sql<Count>`
    select status, lead_stage_id as "stageId", sum(count)::int as count from (
      select status, lead_stage_id, count(*) from lead
      where firm_id = ${given.firmId} and deleted_at is null and not is_private
      group by 1, 2
      union all
      select status, lead_stage_id, count(*) from lead
      where lead.firm_id = ${given.firmId} and lead.deleted_at is null and lead.is_private
        and ${canSeeLead(given)}
      group by 1, 2) counted
    group by 1, 2`,
);
