/** What becomes of receipts when somebody leaves the team of a matter. */
import { sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import type { Write } from '../record/write.ts';

/**
 * Withdraws what was asked for their part in these matters of members who are no longer on the team: who has left does not
 * have the date for those who stay. The team is stored before, in the same write.
 */
export const withdrawOfTeams = (w: Write, matterIds: string[]) =>
  void w.run(withdraw, { firmId: w.firmId, matterIds });

const withdraw = statement(
  ({ firmId, matterIds }: Given<{ firmId: string; matterIds: string[] }>) => sql`
    update receipt set withdrawn_at = moment(), withdrawn_because = 'given_away'
    where receipt.firm_id = ${firmId}::uuid and receipt.matter_id = any(${matterIds}::uuid[])
      and receipt.withdrawn_at is null and receipt.asked_as in ('responsible', 'colleague')
      and not exists (select from matter_team
        where matter_team.firm_id = ${firmId}::uuid and matter_team.matter_id = receipt.matter_id
          and matter_team.member_id = receipt.member_id)`,
);
