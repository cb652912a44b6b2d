import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import { deliver, type Told } from '../notifications/delivered.ts';
import type { Transaction } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { canSeeLead } from '../visibility/visibility.ts';

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
    if (id) deliver(transaction, raiseBurst, { firmId, memberId, id, ...rest });
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

/** `5 new leads from Website form`; of several keys, `5 new leads arrived through the API`. */
const wordsOf = (count: SQL, given: Given<BurstOf>) =>
  sql`${count} || case when ${count} = 1 then ' new lead' else ' new leads' end
    || coalesce(${onlyKey(given)}, ' arrived through the API')`;

type BurstOf = { firmId: string; memberId: string; firstAt: number; lastAt: number };

/** The name of the key through which all of a burst's leads came that the member may see, if it is one. */
const onlyKey = ({ firmId, memberId, firstAt, lastAt }: Given<BurstOf>) => sql`(
  select ' from ' || min(api_key.name) from lead
  join audit_entry made on made.firm_id = lead.firm_id and made.record_id = lead.id and made.action = 'create'
  join api_key on api_key.firm_id = made.firm_id and api_key.id = made.key_id
  where lead.firm_id = ${firmId} and lead.came_through_api
    and lead.created_at between ${momentFrom(firstAt)} and ${momentFrom(lastAt)}
    and ${canSeeLead({ firmId, memberId, seesPrivate: holdsAll({ firmId, memberId }) })}
  having min(api_key.name) = max(api_key.name))`;

const holdsAll = ({ firmId, memberId }: Given<{ firmId: string; memberId: string }>) =>
  sql`(select role.holds_all from member join role on role.firm_id = member.firm_id and role.id = member.role_id
    where member.firm_id = ${firmId} and member.id = ${memberId})`;

const raiseBurst = statement(
  (given: Given<BurstOf & { added: number; id: string }>) => sql<Told>`
    update notification set count = count + ${given.added}::int, text = ${wordsOf(sql`(count + ${given.added}::int)`, given)},
      first_at = ${momentFrom(given.firstAt)}, last_at = ${momentFrom(given.lastAt)},
      read_at = null, raised_at = moment()
    where firm_id = ${given.firmId} and id = ${given.id}::bigint
    returning kind`,
);

const openBurst = statement(
  (given: Given<BurstOf & { added: number }>) => sql<Told>`
    insert into notification (firm_id, member_id, kind, cause, title, text, count,
      first_at, last_at, created_at, raised_at)
    values (${given.firmId}, ${given.memberId}, 'lead.burst', ${given.firstAt}::text,
      'New leads from the API', ${wordsOf(sql`${given.added}::int`, given)}, ${given.added}::int,
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
