import { sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Sight, seesLead, sightOf } from '../sight/sight.ts';
import { listLeadStages } from './stages.ts';
import type { leadValues } from './table.ts';

/** How many cards a stage shows at once. */
export const cardsPerStage = 50;

/** Which leads a board shows; null is any. */
export type BoardFilter = { practiceAreaId: string | null; assigneeId: string | null };

/** A lead as the board shows it. */
export type LeadCard = {
  id: string;
  number: string;
  stageId: string;
  /** Null where the lead has lost its contact. */
  contactName: string | null;
  practiceAreaName: string | null;
  value: (typeof leadValues)[number] | null;
  isPrivate: boolean;
  /** Since when it sits in its stage. */
  since: Date;
  assignees: { id: string; name: string }[];
};

/** A stage with its newest cards, and how many there are in all. */
export type BoardStage = { id: string; name: string; count: number; cards: LeadCard[] };

/**
 * The ACTIVE leads that the reader may see by stage, newest first, `cardsPerStage` of each. `more` asks
 * for further ones of a stage: how many of it are shown.
 */
export const readBoard = async (
  reader: Reader,
  filter: BoardFilter,
  more: { stageId: string; count: number } | null = null,
): Promise<BoardStage[]> => {
  const given = {
    ...sightOf(reader),
    ...filter,
    most: cardsPerStage,
    moreOf: more?.stageId ?? null,
    moreCount: more?.count ?? 0,
  };
  const { most, moreOf, moreCount, ...counted } = given;
  const [stages, counts, cards] = await Promise.all([
    listLeadStages(reader),
    reader.run(countsByStage, counted),
    reader.run(cardsByStage, given),
  ]);
  const countOf = new Map(counts.map(({ stageId, count }) => [stageId, count]));
  const cardsOf = Map.groupBy(cards, ({ stageId }) => stageId);
  return stages.map(({ id, name }) => ({
    id,
    name,
    count: countOf.get(id) ?? 0,
    cards: (cardsOf.get(id) ?? []).map((card) => ({ ...card, since: new Date(card.since) })),
  }));
};

type Filtered = Given<Sight & BoardFilter>;

const isOnBoard = ({ firmId, practiceAreaId, assigneeId }: Filtered) => sql`
  lead.firm_id = ${firmId} and lead.status = 'ACTIVE' and lead.deleted_at is null and ${seesLead()}
  and (${practiceAreaId}::uuid is null or lead.practice_area_id = ${practiceAreaId}::uuid)
  and (${assigneeId}::uuid is null or exists (select 1 from lead_assignee mine
    where mine.firm_id = lead.firm_id and mine.lead_id = lead.id
      and mine.member_id = ${assigneeId}::uuid))`;

const countsByStage = statement(
  (given: Filtered) => sql<{ stageId: string; count: number }>`
    select lead.lead_stage_id as "stageId", count(*)::int as count
    from lead where ${isOnBoard(given)} group by 1`,
);

type Asked = Sight & BoardFilter & { most: number; moreOf: string | null; moreCount: number };

// Each stage reads its newest cards off the index; the names are looked up for those only.
const cardsByStage = statement(
  (given: Given<Asked>) => sql<LeadCard>`
    select card.id, card.number, card.lead_stage_id as "stageId", card.value,
      card.is_private as "isPrivate", contact.name as "contactName",
      practice_area.name as "practiceAreaName",
      coalesce((select max(at) from lead_move where lead_move.firm_id = card.firm_id
        and lead_move.lead_id = card.id), card.created_at) as since,
      coalesce((select json_agg(json_build_object('id', member.id, 'name', member.name)
          order by member.name)
        from lead_assignee join member on member.firm_id = lead_assignee.firm_id
          and member.id = lead_assignee.member_id
        where lead_assignee.firm_id = card.firm_id and lead_assignee.lead_id = card.id), '[]') as assignees
    from lead_stage
    cross join lateral (
      select lead.* from lead
      where ${isOnBoard(given)} and lead.lead_stage_id = lead_stage.id
      order by lead.ordinal desc
      limit greatest(${given.most}::int,
        case when lead_stage.id = ${given.moreOf}::uuid then ${given.moreCount}::int else 0 end)) card
    left join contact on contact.firm_id = card.firm_id and contact.id = card.contact_id
      and contact.deleted_at is null
    left join practice_area on practice_area.firm_id = card.firm_id
      and practice_area.id = card.practice_area_id
    where lead_stage.firm_id = ${given.firmId}
    order by card.ordinal desc`,
);
