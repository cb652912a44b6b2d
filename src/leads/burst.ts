import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import { deliver, type Told } from '../notifications/delivered.ts';
import type { Transaction } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';

/**
 * This many leads within less than this many minutes are a burst (docs/contract.md, Notifications).
 */
export const burstWindowMinutes = 10;
export const burstSize = 4;
export const longestBurstMinutes = 60;

/** One member's burst: its first and its last lead, and how many were added to it just now. */
type Burst = { id: string | null; firstAt: number; lastAt: number; added: number };

/**
 * Tells a member of leads that are a burst. `moments`, in milliseconds since 1970, are when they
 * were created. Leads that were counted before are not counted again.
 */
export const tellOfBurst = async (
  transaction: Transaction,
  firmId: string,
  memberId: string,
  moments: number[],
) => {
  const span = { firmId, memberId, from: moments[0] ?? 0, to: moments.at(-1) ?? 0 };
  const standing = await transaction.run(burstsIn, span);
  for (const burst of joined(standing, moments)) {
    if (burst.added === 0) continue;
    const { id, ...rest } = burst;
    if (id) deliver(transaction, raiseBurst, { firmId, id, ...rest });
    else deliver(transaction, openBurst, { firmId, memberId, ...rest });
  }
  void transaction.run(replaceSingles, span);
};

/**
 * Puts every lead of a stretch in a burst: the one that already spans it; else the one before or
 * after it that stays within 60 minutes with it; else a new one. So looking at leads one by one, or
 * all at once after an outage, gives the same.
 */
const joined = (standing: Burst[], moments: number[]): Burst[] => {
  const isCounted = (moment: number) =>
    standing.some(({ firstAt, lastAt }) => firstAt <= moment && moment <= lastAt);
  const bursts: Burst[] = standing.map((burst) => ({ ...burst }));
  for (const moment of moments.filter((one) => !isCounted(one))) {
    const before = bursts.findLast(({ firstAt }) => firstAt < moment);
    const after = bursts.find(({ firstAt }) => firstAt > moment);
    const home = [before, after].find((burst) => burst && lengthWith(burst, moment) <= longest);
    if (home) {
      home.firstAt = Math.min(home.firstAt, moment);
      home.lastAt = Math.max(home.lastAt, moment);
      home.added += 1;
    } else {
      bursts.push({ id: null, firstAt: moment, lastAt: moment, added: 1 });
      bursts.sort((one, other) => one.firstAt - other.firstAt);
    }
  }
  return bursts;
};

const longest = longestBurstMinutes * 60_000;

const lengthWith = ({ firstAt, lastAt }: Burst, moment: number) =>
  Math.max(lastAt, moment) - Math.min(firstAt, moment);

/** Milliseconds since 1970 as a moment. */
export const momentFrom = (milliseconds: Placeholder) =>
  sql`to_timestamp(${milliseconds}::float8 / 1000)::timestamptz(3)`;
/** A moment as milliseconds since 1970. */
export const asNumber = (column: string) =>
  sql.raw(`(extract(epoch from ${column}) * 1000)::float8`);

const burstsIn = statement(
  (given: Given<{ firmId: string; memberId: string; from: number; to: number }>) => sql<Burst>`
    select id::text as id, ${asNumber('first_at')} as "firstAt", ${asNumber('last_at')} as "lastAt",
      0 as added
    from notification
    where firm_id = ${given.firmId} and member_id = ${given.memberId} and kind = 'lead.burst'
      and last_at >= ${momentFrom(given.from)} and first_at <= ${momentFrom(given.to)}
    order by first_at`,
);

const wordsOf = (count: SQL) =>
  sql`${count} || case when ${count} = 1 then ' new lead' else ' new leads' end || ' arrived through the API'`;

const raiseBurst = statement(
  (
    given: Given<{ firmId: string; added: number; firstAt: number; lastAt: number; id: string }>,
  ) => sql<Told>`
    update notification set count = count + ${given.added}::int, text = ${wordsOf(sql`(count + ${given.added}::int)`)},
      first_at = ${momentFrom(given.firstAt)}, last_at = ${momentFrom(given.lastAt)},
      read_at = null, raised_at = moment()
    where firm_id = ${given.firmId} and id = ${given.id}::bigint
    returning kind`,
);

const openBurst = statement(
  (
    given: Given<{
      firmId: string;
      memberId: string;
      firstAt: number;
      added: number;
      lastAt: number;
    }>,
  ) => sql<Told>`
    insert into notification (firm_id, member_id, kind, cause, title, text, count,
      first_at, last_at, created_at, raised_at)
    values (${given.firmId}, ${given.memberId}, 'lead.burst', ${given.firstAt}::text,
      'New leads from the API', ${wordsOf(sql`${given.added}::int`)}, ${given.added}::int,
      ${momentFrom(given.firstAt)}, ${momentFrom(given.lastAt)}, moment(), moment())
    on conflict do nothing returning kind`,
);

const replaceSingles = statement(
  (given: Given<{ firmId: string; memberId: string; from: number; to: number }>) => sql`
    update notification single set replaced_by_id = burst.id
    from lead, notification burst
    where single.firm_id = ${given.firmId} and single.member_id = ${given.memberId} and single.kind = 'lead.new'
      and single.replaced_by_id is null
      and lead.firm_id = single.firm_id and lead.id = single.record_id
      and lead.created_at between ${momentFrom(given.from)} and ${momentFrom(given.to)}
      and burst.firm_id = single.firm_id and burst.member_id = single.member_id
      and burst.kind = 'lead.burst' and lead.created_at between burst.first_at and burst.last_at`,
);
