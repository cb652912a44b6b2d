import { sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';

/** Who moved a lead last, and where to. */
export type LastMove = {
  /** Null for the administrator and for what has no member. */
  memberName: string | null;
  /** The API key it came through, if through one. */
  keyName: string | null;
  stageName: string | null;
  at: Date;
};

/**
 * A lead's last move; undefined if it never moved. The caller has checked that the reader sees the
 * lead.
 */
export const lastMoveOf = async (reader: Reader, leadId: string): Promise<LastMove | undefined> => {
  const found = await reader.first(lastMove, { firmId: reader.firmId, leadId });
  return found && { ...found, at: new Date(found.at) };
};

const lastMove = statement(
  ({ firmId, leadId }: Given<'firmId' | 'leadId'>) => sql<LastMove>`
    select member.name as "memberName", api_key.name as "keyName", lead_stage.name as "stageName",
      entry.at
    from audit_entry entry
    left join member on member.firm_id = entry.firm_id and member.id = entry.member_id
    left join api_key on api_key.firm_id = entry.firm_id and api_key.id = entry.key_id
    left join lead_stage on lead_stage.firm_id = entry.firm_id
      and lead_stage.id::text = entry.changes -> 'leadStageId' ->> 'after'
    where entry.firm_id = ${firmId} and entry.record_id = ${leadId} and entry.action = 'update'
      and entry.changes ? 'leadStageId'
    order by entry.id desc limit 1`,
);
