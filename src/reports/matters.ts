import { sql } from 'drizzle-orm';
import { type Days, isWithinDates } from '../firm/days.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';

/**
 * A stage of a board: how many ACTIVE matters sit in it now, and their median time in it, in
 * seconds.
 */
export type StageLoad = { id: string; name: string; count: number; median: number | null };

/** The matters report: the boards as they are now, and what was opened and closed in a period. */
export type MattersReport = {
  active: number;
  areas: { id: string; name: string; count: number; stages: StageLoad[] }[];
  opened: number;
  closed: number;
};

/**
 * The matters report. A matter is in its stage since it last moved, or since it was made. Stages
 * that were removed are left out unless they hold a matter. Opened and closed count by the days on
 * the matter.
 */
export const reportMatters = async (reader: Reader, days: Days): Promise<MattersReport> => {
  const { firmId } = reader;
  const [rows, turned] = await Promise.all([
    reader.run(byStage, { firmId }),
    reader.first(openedAndClosed, { firmId, ...days }),
  ]);
  const areas = [...Map.groupBy(rows, ({ areaId }) => areaId)].map(([id, stages]) => ({
    id,
    name: stages[0]?.area ?? '',
    count: stages.reduce((total, { count }) => total + count, 0),
    stages: stages.map(({ stageId, stage, count, median }) => ({
      id: stageId,
      name: stage,
      count,
      median,
    })),
  }));
  const active = areas.reduce((total, { count }) => total + count, 0);
  return { active, areas, ...(turned ?? { opened: 0, closed: 0 }) };
};

type StageRow = {
  areaId: string;
  area: string;
  stageId: string;
  stage: string;
  count: number;
  median: number | null;
};

const byStage = statement(
  ({ firmId }: Given<'firmId'>) => sql<StageRow>`
    select area.id::text as "areaId", area.name as area, stage.id::text as "stageId",
      stage.name as stage, count(held.since)::int as count,
      (percentile_cont(0.5) within group (order by extract(epoch from moment() - held.since)))::float8
        as median
    from practice_area area
    join stage on stage.firm_id = area.firm_id and stage.practice_area_id = area.id
    left join (
      select matter.stage_id, coalesce(last.at, matter.created_at) as since from matter
      left join (
        select matter_id, max(at) as at from matter_move where firm_id = ${firmId}
        group by matter_id
      ) last on last.matter_id = matter.id
      where matter.firm_id = ${firmId} and matter.deleted_at is null and matter.status = 'ACTIVE'
    ) held on held.stage_id = stage.id
    where area.firm_id = ${firmId}
    group by area.id, area.name, area.ordinal, area.deleted_at, stage.id, stage.name,
      stage.position, stage.deleted_at
    having count(held.since) > 0 or (area.deleted_at is null and stage.deleted_at is null)
    order by area.ordinal, stage.deleted_at is not null, stage.position, stage.id`,
);

const openedAndClosed = statement(
  (given: Given<{ firmId: string } & Days>) => sql<{ opened: number; closed: number }>`
    select count(*) filter (where ${isWithinDates(sql`open_date`, given)})::int as opened,
      count(*) filter (where ${isWithinDates(sql`close_date`, given)})::int as closed
    from matter where firm_id = ${given.firmId} and deleted_at is null`,
);
