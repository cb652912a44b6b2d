/** The limitation dates that nobody who is there has. */
import { sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import type { Whose } from '../receipts/escalation.ts';
import type { Reader } from '../record/actor.ts';
import { dueDates, isAway, isDue } from './notice.ts';

/** A limitation date that nobody present has; `holder` is who has it and is away until a day. */
export type DateWithoutHolder = {
  matterId: string;
  number: string;
  title: string;
  day: string;
  holder: string | null;
  awayUntil: string | null;
};

/** The next 20 dates of 30 days that nobody present has acknowledged since their last notice; past ones first. */
export const datesWithoutHolder = (reader: Reader): Promise<DateWithoutHolder[]> =>
  reader.run(withoutHolder, { firmId: reader.firmId, matterId: null });

const withoutHolder = statement(
  (given: Given<Whose>) => sql<DateWithoutHolder>`
    select matter.id::text as "matterId", matter.number, matter.title, matter.sol_date::text as day,
      holders.holder, holders.away_until::text as "awayUntil"
    from ${dueDates(given)}
    cross join lateral (
      select count(*) filter (where not coalesce(${isAway}, false)) as present,
        min(absent.name) as holder, min(absent.away_until) as away_until
      from receipt
      join member absent on absent.firm_id = receipt.firm_id and absent.id = receipt.member_id
        and absent.deactivated_at is null
      where receipt.firm_id = ${given.firmId}::uuid and receipt.matter_id = matter.id
        and receipt.day = matter.sol_date and receipt.step = at.step
        and receipt.withdrawn_at is null and receipt.acknowledged_at is not null) as holders
    where ${isDue(given)} and at.days <= 30 and holders.present = 0
    order by matter.sol_date, matter.ordinal limit 20`,
);
