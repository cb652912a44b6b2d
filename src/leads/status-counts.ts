import { type SQL, sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Sight, seesLead, sightOf } from '../sight/sight.ts';
import type { leadStatuses } from './table.ts';

/** How many leads there are of each status. */
export type StatusCounts = Record<(typeof leadStatuses)[number], number>;

/** Adds counts up by status; a status without leads has none. */
export const countsByStatus = (
  counts: readonly { status: keyof StatusCounts; count: number }[],
): StatusCounts => {
  const countOf: StatusCounts = { ACTIVE: 0, DRAFT: 0, HIRED: 0, NOT_HIRED: 0, ARCHIVE: 0 };
  for (const { status, count } of counts) countOf[status] += count;
  return countOf;
};

/** How many leads the reader may see, by status. */
export const countStatuses = (reader: Reader) => reader.run(statusesOfAll, sightOf(reader));

/** How many leads of a status are in a stage. */
export type Count = { status: keyof StatusCounts; stageId: string; count: number };

/** How many leads the reader may see, by status and stage. */
export const countLeads = (reader: Reader): Promise<Count[]> =>
  reader.run(countsOfAll, sightOf(reader));

// Counted off the index alone; the private ones, which are few, are looked at.
const counting = <Row>(columns: SQL, named: SQL) =>
  statement(
    (given: Given<Sight>) => sql<Row>`
      select ${named}, sum(count)::int as count from (
        select ${columns}, count(*) from lead
        where firm_id = ${given.firmId} and deleted_at is null and not is_private
        group by ${columns}
        union all
        select ${columns}, count(*) from lead
        where lead.firm_id = ${given.firmId} and lead.deleted_at is null and lead.is_private
          and ${seesLead(given)}
        group by ${columns}) counted
      group by ${columns}`,
  );

const countsOfAll = counting<Count>(
  sql`status, lead_stage_id`,
  sql`status, lead_stage_id as "stageId"`,
);
const statusesOfAll = counting<Omit<Count, 'stageId'>>(sql`status`, sql`status`);
