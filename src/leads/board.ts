import { sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type BoardStage, boardOf, cardsPerStage } from '../record/board.ts';
import { canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';
import { isAssignedTo, isStepPast } from './filter.ts';
import { leadStageList } from './stages.ts';
import { type Count, countLeads, countsByStatus, type StatusCounts } from './status-counts.ts';
import type { leadValues } from './table.ts';

/** Which leads a board shows; null is any, `none` an assignee's place that is empty. */
export type BoardFilter = { practiceAreaId: string | null; assigneeId: string | 'none' | null };

export type LeadCard = {
  id: string;
  ordinal: number;
  number: string;
  stageId: string;
  /** Null if the lead has lost its contact. */
  contactName: string | null;
  practiceAreaName: string | null;
  value: (typeof leadValues)[number] | null;
  isPrivate: boolean;
  nextTouch: string | null;
  isStepPast: boolean | null;
  /** When it came into its stage. */
  since: Date;
  assignees: { id: string; name: string }[];
};

/** The board, and how many leads of each status the reader may see that pass the filter. */
export type Board = { stages: BoardStage<LeadCard>[]; countOf: StatusCounts };

/**
 * The ACTIVE leads that the reader may see by stage, newest first, `cardsPerStage` of each. `more`
 * shows `count` cards of one stage.
 */
export const readBoard = async (
  reader: Reader,
  filter: BoardFilter,
  more: { stageId: string; count: number } | null = null,
): Promise<Board> => {
  const counted = { ...viewerOf(reader), ...filter };
  const asked = { max: cardsPerStage, moreOf: more?.stageId ?? null, moreCount: more?.count ?? 0 };
  const [stages, counts, cards] = await Promise.all([
    leadStageList.all(reader),
    countBoard(reader, filter),
    reader.run(cardsByStage, { ...counted, ...asked }),
  ]);
  return { countOf: countsByStatus(counts), stages: boardOf(stages, counts, cards) };
};

type Filtered = Given<Viewer & BoardFilter>;

const passes = (given: Filtered) => sql`
  lead.firm_id = ${given.firmId} and lead.deleted_at is null and ${canSeeLead(given)}
  and (${given.practiceAreaId}::uuid is null
    or lead.practice_area_id = ${given.practiceAreaId}::uuid)
  and ${isAssignedTo(given, given.assigneeId)}`;

const countBoard = (reader: Reader, filter: BoardFilter): Promise<Count[]> =>
  filter.practiceAreaId === null && filter.assigneeId === null
    ? countLeads(reader)
    : reader.run(countsOfSome, { ...viewerOf(reader), ...filter });

const countsOfSome = statement(
  (given: Filtered) => sql<Count>`
    select lead.status, lead.lead_stage_id as "stageId", count(*)::int as count
    from lead where ${passes(given)} group by 1, 2`,
);

type BoardRequest = Viewer &
  BoardFilter & { max: number; moreOf: string | null; moreCount: number };

// Each stage reads its newest cards from the index. Names are looked up only for those.
const cardsByStage = statement(
  (given: Given<BoardRequest>) => sql<LeadCard>`
    select card.id, card.ordinal::float8 as ordinal, card.number, card.lead_stage_id as "stageId",
      card.value, card.is_private as "isPrivate", contact.name as "contactName",
      practice_area.name as "practiceAreaName", card.next_touch as "nextTouch", card.is_step_past as "isStepPast",
      coalesce((select max(at) from lead_move where lead_move.firm_id = ${given.firmId}
        and lead_move.lead_id = card.id), card.created_at) as since,
      coalesce((select json_agg(json_build_object('id', member.id, 'name', member.name)
          order by member.name)
        from lead_assignee join member on member.firm_id = lead_assignee.firm_id
          and member.id = lead_assignee.member_id
        where lead_assignee.firm_id = ${given.firmId} and lead_assignee.lead_id = card.id), '[]') as assignees
    from lead_stage
    cross join lateral (
      select lead.*, ${isStepPast(given)} as is_step_past from lead
      where ${passes(given)} and lead.status = 'ACTIVE' and lead.lead_stage_id = lead_stage.id
      order by lead.ordinal desc
      limit greatest(${given.max}::int,
        case when lead_stage.id = ${given.moreOf}::uuid then ${given.moreCount}::int else 0 end)) card
    left join contact on contact.firm_id = card.firm_id and contact.id = card.contact_id
      and contact.deleted_at is null
    left join practice_area on practice_area.firm_id = card.firm_id
      and practice_area.id = card.practice_area_id
    where lead_stage.firm_id = ${given.firmId}
    order by card.ordinal desc`,
);
