/** What an absence means for the limitation dates of who is away. */
import { sql } from 'drizzle-orm';
import { type Absence, setAbsence } from '../firm/absence.ts';
import { lookAtLimitationLater } from '../matters/jobs.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { type Acting, write } from '../record/write.ts';
import { longPast } from './notice.ts';

/**
 * Sets an absence as `setAbsence` does. Who stands in from today on is soon told of the dates that the member was asked about:
 * the next morning may be too late.
 */
export const changeAbsence = (actor: Acting, memberId: string, absence: Absence) =>
  write(actor, async (w) => {
    await setAbsence(w, memberId, absence);
    const matters = await w.run(ofAbsent, { firmId: w.firmId, memberId });
    for (const { id } of matters) lookAtLimitationLater(w, id);
  });

const ofAbsent = statement(
  ({ firmId, memberId }: Given<'firmId' | 'memberId'>) => sql<{ id: string }>`
    select distinct receipt.matter_id::text as id
    from receipt
    join firm on firm.id = receipt.firm_id
    join member on member.firm_id = receipt.firm_id and member.id = receipt.member_id
    cross join lateral (
      select (moment() at time zone firm.time_zone)::date as today offset 0) as here
    where receipt.firm_id = ${firmId}::uuid and receipt.member_id = ${memberId}::uuid
      and receipt.matter_id is not null and receipt.withdrawn_at is null
      and receipt.day >= here.today - ${sql.raw(String(longPast))}
      and member.deputy_id is not null and here.today between member.away_from and member.away_until`,
);
