import { sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';

/** A lead that waits in the first stage. */
export type NewLead = {
  id: string;
  /** Null if the lead has lost its contact. */
  contactName: string | null;
  practiceAreaName: string | null;
  isMine: boolean;
  /** Since when it waits: since it came to be, or came back to the first stage. */
  since: Date;
};

/**
 * The leads in the first stage that are assigned to the reader or to nobody, the newest first, and
 * the number of each.
 */
export type NewLeads = { stageId: string | null; rows: NewLead[]; mine: number; nobodys: number };

/** The ACTIVE leads of the first stage that the reader works on or nobody does, `max` of them. */
export const listNewLeads = async (reader: Reader, max: number): Promise<NewLeads> => {
  const found = await reader.run(newLeads, { ...viewerOf(reader), max });
  const { stageId = null, mine = 0, nobodys = 0 } = found[0] ?? {};
  const rows = found.map(({ id, contactName, practiceAreaName, isMine, since }) => ({
    id,
    contactName,
    practiceAreaName,
    isMine,
    since: new Date(since),
  }));
  return { stageId, rows, mine, nobodys };
};

type Found = NewLead & { stageId: string; mine: number; nobodys: number };

const newLeads = statement(
  (given: Given<Viewer & { max: number }>) => sql<Found>`
    with first_stage as (
      select id from lead_stage where firm_id = ${given.firmId} and deleted_at is null
      order by position, id limit 1
    ),
    waiting as (
      select lead.*, mine.is_mine
      from lead
      cross join lateral (
        select bool_or(member_id = ${given.memberId}::uuid) as is_mine from lead_assignee
        where lead_assignee.firm_id = ${given.firmId} and lead_assignee.lead_id = lead.id
      ) mine
      where lead.firm_id = ${given.firmId} and lead.status = 'ACTIVE'
        and lead.lead_stage_id = (select id from first_stage)
        and lead.deleted_at is null and ${canSeeLead(given)} and mine.is_mine is not false
    )
    select lead.id::text as id, lead.lead_stage_id::text as "stageId", contact.name as "contactName",
      practice_area.name as "practiceAreaName", coalesce(lead.is_mine, false) as "isMine",
      coalesce((select max(at) from lead_move where lead_move.firm_id = ${given.firmId}
        and lead_move.lead_id = lead.id), lead.created_at) as since,
      lead.mine, lead.nobodys
    from (
      select waiting.*, (count(*) filter (where is_mine) over ())::int as mine,
        (count(*) filter (where is_mine is null) over ())::int as nobodys
      from waiting order by ordinal desc limit ${given.max}::int
    ) lead
    left join contact on contact.firm_id = lead.firm_id and contact.id = lead.contact_id
      and contact.deleted_at is null
    left join practice_area on practice_area.firm_id = lead.firm_id
      and practice_area.id = lead.practice_area_id
    order by lead.ordinal desc`,
);
