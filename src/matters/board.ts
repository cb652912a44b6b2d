import { sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import { stagesOfArea } from '../practice-areas/list.ts';
import type { Reader } from '../record/actor.ts';
import { type BoardStage, boardOf, cardsPerStage } from '../record/board.ts';
import { isResponsible } from './filter.ts';
import { type MatterRow, matterRow, responsibleAs } from './list-row.ts';
import { countsByStatus, type MatterCounts } from './status-counts.ts';

/** Which matters a board shows: of one practice area; of a responsible attorney, nobody, or any. */
export type BoardFilter = { areaId: string; responsibleId: string | 'none' | null };

export type MatterCard = MatterRow & {
  ordinal: number;
  stageId: string;
  responsible: { id: string; name: string }[];
  /** When it came into its stage. */
  since: Date;
};

/** The board, and how many matters of each status pass its filter. */
type MatterBoard = { stages: BoardStage<MatterCard>[]; countOf: MatterCounts };

/**
 * The ACTIVE matters of a practice area by stage, newest first, `cardsPerStage` of each. `more` shows
 * `count` cards of one stage.
 */
export const readMatterBoard = async (
  reader: Reader,
  filter: BoardFilter,
  more: { stageId: string; count: number } | null = null,
): Promise<MatterBoard> => {
  const counted = { firmId: reader.firmId, ...filter };
  const asked = { max: cardsPerStage, moreOf: more?.stageId ?? null, moreCount: more?.count ?? 0 };
  const [stages, counts, cards] = await Promise.all([
    stagesOfArea(reader, filter.areaId),
    reader.run(countsByStage, counted),
    reader.run(cardsByStage, { ...counted, ...asked }),
  ]);
  return { countOf: countsByStatus(counts), stages: boardOf(stages, counts, cards) };
};

type Filtered = { firmId: string } & BoardFilter;

const passes = (given: Given<Filtered>) => sql`
  matter.firm_id = ${given.firmId} and matter.deleted_at is null
  and matter.practice_area_id = ${given.areaId}::uuid
  and ${isResponsible(given, given.responsibleId)}`;

const countsByStage = statement(
  (given: Given<Filtered>) => sql<{
    status: keyof MatterCounts;
    stageId: string;
    count: number;
  }>`
    select matter.status, matter.stage_id as "stageId", count(*)::int as count
    from matter where ${passes(given)} group by 1, 2`,
);

type BoardRequest = Filtered & { max: number; moreOf: string | null; moreCount: number };

const idAndName = sql`json_build_object('id', member.id, 'name', member.name)`;

// Names are looked up only for the cards that are shown.
const cardsByStage = statement(
  (given: Given<BoardRequest>) => sql<MatterCard>`
    select ${matterRow(given)}, ${responsibleAs(given, idAndName)} as responsible,
      matter.ordinal::float8 as ordinal, matter.stage_id as "stageId",
      coalesce((select max(at) from matter_move where matter_move.firm_id = ${given.firmId}
        and matter_move.matter_id = matter.id), matter.created_at) as since
    from stage
    join practice_area on practice_area.firm_id = stage.firm_id
      and practice_area.id = stage.practice_area_id
    cross join lateral (
      select matter.* from matter
      where ${passes(given)} and matter.status = 'ACTIVE' and matter.stage_id = stage.id
      order by matter.ordinal desc
      limit greatest(${given.max}::int,
        case when stage.id = ${given.moreOf}::uuid then ${given.moreCount}::int else 0 end)) matter
    where stage.firm_id = ${given.firmId} and stage.practice_area_id = ${given.areaId}::uuid
    order by matter.ordinal desc`,
);
