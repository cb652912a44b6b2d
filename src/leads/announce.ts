/**
 * Announcing leads: one by one, or as a burst (reliability.md, 2.3 and 2.4).
 *
 * For each recipient, over the leads they may see: a lead is in a burst when four API-made leads,
 * it among them, lie within less than ten minutes; neighbours that share such a four are the same
 * burst. One notification stands for a burst and replaces those of its leads, read or not; later
 * leads of the burst raise its count and mark it unread; after 60 minutes a new one opens.
 *
 * The work looks at what is stored, not at what happened: run again, twice or late, it ends the
 * same. No lead can appear behind its back with an earlier moment, since creators hold the
 * register's row until they commit; and workers of one firm take turns by the firm's row.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { Job } from '../jobs/runner.ts';
import type { Transaction } from '../postgres/pool.ts';
import { statement } from '../postgres/statement.ts';

export const burstWindowMinutes = 10;
export const burstSize = 4;
export const longestBurstMinutes = 60;

const minutes = (count: number) => sql.raw(`interval '${count} minutes'`);
const firmId = sql.placeholder('firmId');
const memberId = sql.placeholder('memberId');

/** A stretch of one member's leads: a burst, or a lead by itself. Moments in milliseconds since 1970. */
type Stretch = {
  memberId: string;
  isBurst: boolean;
  leadId: string | null;
  moments: number[];
};

/** One member's burst: its first and its last lead, and how many were added to it just now. */
type Burst = { id: string | null; firstAt: number; lastAt: number; added: number };

/**
 * Announces the lead of this job and all of the firm that are due by now. Calls `again` where
 * another instance is at the firm's.
 */
export const announceLeads = async (
  { firmId, ref }: Job,
  transaction: Transaction,
  again: (afterSeconds: number) => void,
): Promise<void> => {
  if (!(await transaction.first(takeTurn, { firmId }))) return again(0.1);
  const due = await transaction.run(dueJobs, { firmId });
  const leadIds = `{${[ref, ...due.map((job) => job.leadId)].join()}}`;
  for (const stretch of await transaction.run(stretches, { firmId, leadIds })) {
    const { memberId, isBurst, leadId, moments } = stretch;
    const [from, to] = [moments[0] ?? 0, moments.at(-1) ?? 0];
    if (isBurst) await tellOfBurst(transaction, firmId, memberId, moments);
    else await transaction.run(tellOfLead, { firmId, memberId, leadId, from, to });
  }
  void transaction.run(dropDue, { firmId, jobIds: `{${due.map((job) => job.id).join()}}` });
};

const tellOfBurst = async (
  transaction: Transaction,
  firmId: string,
  memberId: string,
  moments: number[],
) => {
  const span = { firmId, memberId, from: moments[0] ?? 0, to: moments.at(-1) ?? 0 };
  const standing = await transaction.run(burstsIn, span);
  for (const burst of joined(standing, moments)) {
    if (burst.added === 0) continue;
    void transaction.run(burst.id ? raiseBurst : openBurst, { firmId, memberId, ...burst });
  }
  void transaction.run(replaceSingles, span);
};

/**
 * Every lead of a stretch in a burst: the one that spans it already, else the one before it, or
 * after it, that stays within 60 minutes with it, else a new one. So it does not matter whether
 * the leads were looked at one by one or, after an outage, all at once.
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

const momentFrom = (name: string) =>
  sql`to_timestamp(${sql.placeholder(name)}::float8 / 1000)::timestamptz(3)`;
const asNumber = (column: string) => sql.raw(`(extract(epoch from ${column}) * 1000)::float8`);

// Workers of one firm take turns. Nothing else locks this row so; foreign keys do not mind.
const takeTurn = statement(
  () => sql`select from firm where id = ${firmId} for no key update skip locked`,
);

// Those that another worker holds while it waits for its turn are told of too: it finds nothing
// left to do. Otherwise a burst would be told of without its beginning.
const dueJobs = statement(
  () => sql<{ id: string; leadId: string }>`
    select id::text as id, ref as "leadId" from job
    where firm_id = ${firmId} and kind = 'lead_announce' and dead_at is null and run_at <= moment()`,
);

const dropDue = statement(
  () => sql`
    delete from job where firm_id = ${firmId} and id in (
      select id from job
      where firm_id = ${firmId} and id = any(${sql.placeholder('jobIds')}::bigint[])
      for update skip locked)`,
);

// Who may be told, and which of the last leads each of them may see, or was told of before it
// became private: decided now. A lead that begins a four within the window carries the next three
// with it; where a run of such fours begins anew, a new stretch begins. Leads that can share no
// four with these are left out: who came to see them later is not told of them.
const stretches = statement(
  () => sql<Stretch>`
    with due as (
      select created_at from lead
      where firm_id = ${firmId} and id = any(${sql.placeholder('leadIds')}::uuid[]) and deleted_at is null
    ),
    recipient as (
      select member.id, role.holds_all from member
      join role on role.firm_id = member.firm_id and role.id = member.role_id
      where member.firm_id = ${firmId} and member.deactivated_at is null
        and not 'lead.new' = any(member.muted_kinds)
        and (role.holds_all or 'leads:read' = any(role.permissions))
    ),
    recent as (
      select id, is_private, created_at from lead
      where firm_id = ${firmId} and came_through_api and deleted_at is null
        and created_at > (select min(created_at) from due) - ${minutes(burstWindowMinutes)}
    ),
    visible as (
      select recipient.id as member_id, recent.id as lead_id, recent.created_at
      from recipient cross join recent
      where not recent.is_private or recipient.holds_all
        or exists (select from lead_assignee where lead_assignee.firm_id = ${firmId}
          and lead_assignee.lead_id = recent.id and lead_assignee.member_id = recipient.id)
        or exists (select from notification where notification.firm_id = ${firmId}
          and notification.member_id = recipient.id and notification.kind = 'lead.new'
          and notification.record_id = recent.id and notification.replaced_by_id is null)
    ),
    begun as (
      select *, max(created_at) over (partition by member_id order by created_at
          rows between current row and ${sql.raw(String(burstSize - 1))} following) as fourth_at, coalesce(lead(created_at, ${sql.raw(String(burstSize - 1))}) over ordered - created_at
        < ${minutes(burstWindowMinutes)}, false) as begins_four
      from visible window ordered as (partition by member_id order by created_at)
    ),
    marked as (
      select *,
        bool_or(begins_four) over (partition by member_id order by created_at
          rows between ${sql.raw(String(burstSize - 1))} preceding and current row) as is_burst,
        coalesce(bool_or(begins_four) over (partition by member_id order by created_at
          rows between ${sql.raw(String(burstSize - 1))} preceding and 1 preceding), false) as goes_on
      from begun where fourth_at >= (select min(created_at) from due)
    ),
    numbered as (
      select *, sum((is_burst and not goes_on)::int)
        over (partition by member_id order by created_at) as stretch
      from marked
    )
    select member_id as "memberId", is_burst as "isBurst",
      case when not is_burst then lead_id end as "leadId",
      json_agg(${asNumber('created_at')} order by created_at) as moments
    from numbered
    group by 1, 2, 3, case when is_burst then stretch end
    having bool_or(lead_id = any(${sql.placeholder('leadIds')}::uuid[]))
    order by member_id, min(created_at)`,
);

const tellOfLead = statement(
  () => sql`
    insert into notification (firm_id, member_id, kind, cause, record_id, title, text, created_at, raised_at)
    select lead.firm_id, ${memberId}, 'lead.new', lead.id, lead.id, 'New lead',
      contact.name || ' (' || lead.number || ')', moment(), moment()
    from lead join contact on contact.firm_id = lead.firm_id and contact.id = lead.contact_id
    where lead.firm_id = ${firmId} and lead.id = ${sql.placeholder('leadId')}
      and not exists (select from notification burst where burst.firm_id = ${firmId}
        and burst.member_id = ${memberId} and burst.kind = 'lead.burst'
        and burst.first_at <= ${momentFrom('from')} and burst.last_at >= ${momentFrom('to')})
    on conflict do nothing`,
);

const burstsIn = statement(
  () => sql<Burst>`
    select id::text as id, ${asNumber('first_at')} as "firstAt", ${asNumber('last_at')} as "lastAt",
      0 as added
    from notification
    where firm_id = ${firmId} and member_id = ${memberId} and kind = 'lead.burst'
      and last_at >= ${momentFrom('from')} and first_at <= ${momentFrom('to')}
    order by first_at`,
);

const added = sql`${sql.placeholder('added')}::int`;
const wordsOf = (count: SQL) =>
  sql`${count} || case when ${count} = 1 then ' new lead' else ' new leads' end || ' arrived through the API'`;

const raiseBurst = statement(
  () => sql`
    update notification set count = count + ${added}, text = ${wordsOf(sql`(count + ${added})`)},
      first_at = ${momentFrom('firstAt')}, last_at = ${momentFrom('lastAt')},
      read_at = null, raised_at = moment()
    where firm_id = ${firmId} and id = ${sql.placeholder('id')}::bigint`,
);

const openBurst = statement(
  () => sql`
    insert into notification (firm_id, member_id, kind, cause, title, text, count,
      first_at, last_at, created_at, raised_at)
    values (${firmId}, ${memberId}, 'lead.burst', ${sql.placeholder('firstAt')}::text,
      'New leads from the API', ${wordsOf(added)}, ${added},
      ${momentFrom('firstAt')}, ${momentFrom('lastAt')}, moment(), moment())
    on conflict do nothing`,
);

const replaceSingles = statement(
  () => sql`
    update notification single set replaced_by_id = burst.id
    from lead, notification burst
    where single.firm_id = ${firmId} and single.member_id = ${memberId} and single.kind = 'lead.new'
      and single.replaced_by_id is null
      and lead.firm_id = single.firm_id and lead.id = single.record_id
      and lead.created_at between ${momentFrom('from')} and ${momentFrom('to')}
      and burst.firm_id = single.firm_id and burst.member_id = single.member_id
      and burst.kind = 'lead.burst' and lead.created_at between burst.first_at and burst.last_at`,
);
