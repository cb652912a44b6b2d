/**
 * Announces leads: one by one, or as a burst (docs/design/later.md, Bursts; `burst.ts`).
 *
 * For each recipient, over the leads they may see: a lead is in a burst if four API-made leads,
 * including it, lie within less than ten minutes. Neighbours that share such a four are the same
 * burst. One notification replaces those of the burst's leads, read or not. Later leads of the
 * burst raise its count and mark it unread. After 60 minutes a new burst begins.
 *
 * The work depends on what is stored, not on events: run again, twice or late, it ends the same. No
 * lead can appear later with an earlier moment, since creators lock the register's row until they
 * commit. Runners of one firm take turns, by a lock on the firm's row.
 */
import { sql } from 'drizzle-orm';
import type { Job } from '../jobs/kind.ts';
import { deliver, type Told } from '../notifications/delivered.ts';
import type { Transaction } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { roleReads } from '../visibility/subject.ts';
import { canSeeLead } from '../visibility/visibility.ts';
import {
  asNumber,
  burstSize,
  burstWindowMinutes,
  longestBurstMinutes,
  momentFrom,
  tellOfBurst,
} from './burst.ts';

const minutes = (count: number) => sql.raw(`interval '${count} minutes'`);

/**
 * A stretch of one member's leads: a burst, or a single lead. Moments in milliseconds since 1970.
 */
type Stretch = {
  memberId: string;
  isBurst: boolean;
  leadId: string | null;
  moments: number[];
};

/**
 * Announces the firm's due leads, the oldest first, in batches. Calls `again` if the lead of this
 * job is not in the batch, or if another instance is announcing the firm's leads.
 */
export const announceLeads = async (
  { firmId, id }: Job,
  transaction: Transaction,
  again: (afterSeconds: number) => void,
): Promise<void> => {
  if (!(await transaction.first(holdFirm, { firmId }))?.isOurs) return again(0.1);
  const due = await transaction.run(dueJobs, { firmId });
  const leadIds = due.map((job) => job.leadId);
  const firstJob = due[0]?.id ?? '0';
  for (const stretch of await transaction.run(stretches, { firmId, leadIds, firstJob })) {
    const { memberId, isBurst, leadId, moments } = stretch;
    const [from, to] = [moments[0] ?? 0, moments.at(-1) ?? 0];
    if (isBurst) await tellOfBurst(transaction, firmId, memberId, moments);
    else if (leadId) deliver(transaction, tellOfLead, { firmId, memberId, leadId, from, to });
  }
  void transaction.run(dropDue, { firmId, jobIds: due.map((job) => job.id) });
  if (!due.some((job) => job.id === String(id))) again(0);
};

// Few enough that requests, which people wait for, hardly notice. After an outage there may be a
// hundred thousand.
const maxAtOnce = 250;

// Workers of one firm take turns.
const holdFirm = statement(
  ({ firmId }: Given<'firmId'>) => sql<{ isOurs: boolean }>`
    select pg_try_advisory_xact_lock(hashtext('lead_announce'), hashtext(${firmId}))
      as "isOurs"`,
);

// Includes leads whose jobs another runner holds while it waits for its turn; it will find nothing
// left to do. Otherwise a burst would be announced without its beginning. Jobs are numbered in the
// order of their leads, and an index finds a firm's jobs by number (`job.id`; plain `id` is its
// text).
const dueJobs = statement(
  ({ firmId }: Given<'firmId'>) => sql<{ id: string; leadId: string }>`
    select id::text as id, ref as "leadId" from job
    where firm_id = ${firmId} and kind = 'lead_announce' and dead_at is null and run_at <= moment()
    order by job.id limit ${sql.raw(String(maxAtOnce))}`,
);

const dropDue = statement(
  ({ firmId, jobIds }: Given<{ firmId: string; jobIds: string[] }>) => sql`
    delete from job where firm_id = ${firmId} and id in (
      select id from job
      where firm_id = ${firmId} and id = any(${jobIds}::bigint[])
      for update skip locked)`,
);

const cameThroughApi = ({ firmId }: Given<'firmId'>) =>
  sql`firm_id = ${firmId} and came_through_api and deleted_at is null`;

const recipient = ({ firmId }: Given<'firmId'>) => ({
  firmId,
  memberId: sql`recipient.id`,
  seesPrivate: sql`recipient.holds_all`,
});

const mayBeToldOf = (given: Given<'firmId'>) => sql`(${canSeeLead(recipient(given))}
  or exists (select from notification where notification.firm_id = ${given.firmId}
    and notification.member_id = recipient.id and notification.kind = 'lead.new'
    and notification.record_id = lead.id and notification.replaced_by_id is null))`;

// Decides now who is told, and which of the last leads each of them may see, or was told about
// before the lead became private. A lead that begins a four within the window includes the next
// three. If a run of such fours ends and another one begins, a new stretch begins. Leads that can
// share no four with these are left out: somebody who could see them only later is not told about
// them. A job that was put off comes after those of later leads. Its lead is what may join theirs to
// the burst before it, so one looks back from the first such lead.
const stretches = statement(
  (given: Given<{ firmId: string; leadIds: string[]; firstJob: string }>) => sql<Stretch>`
    with told as (
      select min(created_at) as first_at, max(created_at) as last_at from lead
      where firm_id = ${given.firmId} and id = any(${given.leadIds}::uuid[]) and deleted_at is null
    ),
    put_off as (
      select lead.created_at from job
      join lead on lead.firm_id = job.firm_id and lead.id = job.ref
      where job.firm_id = ${given.firmId} and job.kind = 'lead_announce' and job.dead_at is null
        and job.id < ${given.firstJob}::bigint and lead.firm_id = ${given.firmId}
        and lead.deleted_at is null
    ),
    due as (
      select least(first_at, (select min(created_at) from put_off
        where created_at > first_at - ${minutes(longestBurstMinutes)})) as first_at, last_at
      from told
    ),
    recipient as (
      select member.id, role.holds_all from member
      join role on role.firm_id = member.firm_id and role.id = member.role_id
      where member.firm_id = ${given.firmId} and member.deactivated_at is null
        and not 'lead.new' = any(member.muted_kinds)
        and ${roleReads('leads')}
    ),
    visible as (
      select recipient.id as member_id, near.id as lead_id, near.created_at
      from due cross join recipient cross join lateral (
        (select id, created_at from lead where ${cameThroughApi(given)} and ${mayBeToldOf(given)}
          and created_at < first_at and created_at > first_at - ${minutes(burstWindowMinutes)}
          order by created_at desc limit ${sql.raw(String(burstSize - 1))})
        union all
        (select id, created_at from lead where ${cameThroughApi(given)} and ${mayBeToldOf(given)}
          and created_at between first_at and last_at)
        union all
        (select id, created_at from lead where ${cameThroughApi(given)} and ${mayBeToldOf(given)}
          and created_at > last_at and created_at < last_at + ${minutes(burstWindowMinutes)}
          order by created_at limit ${sql.raw(String(maxAtOnce))})
      ) as near
    ),
    begun as (
      select *, coalesce(lead(created_at, ${sql.raw(String(burstSize - 1))}) over ordered - created_at
        < ${minutes(burstWindowMinutes)}, false) as begins_four
      from visible window ordered as (partition by member_id order by created_at)
    ),
    marked as (
      select *,
        bool_or(begins_four) over (partition by member_id order by created_at
          rows between ${sql.raw(String(burstSize - 1))} preceding and current row) as is_burst,
        coalesce(bool_or(begins_four) over (partition by member_id order by created_at
          rows between ${sql.raw(String(burstSize - 1))} preceding and 1 preceding), false) as goes_on
      from begun
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
    having bool_or(lead_id = any(${given.leadIds}::uuid[]))
    order by member_id, min(created_at)`,
);

const tellOfLead = statement(
  (
    given: Given<{ firmId: string; memberId: string; leadId: string; from: number; to: number }>,
  ) => sql<Told>`
    insert into notification (firm_id, member_id, kind, cause, record_id, title, text, created_at, raised_at)
    select lead.firm_id, ${given.memberId}, 'lead.new', lead.id, lead.id, 'New lead',
      contact.name || ' (' || lead.number || ')', moment(), moment()
    from lead join contact on contact.firm_id = lead.firm_id and contact.id = lead.contact_id
    where lead.firm_id = ${given.firmId} and lead.id = ${given.leadId}
      and not exists (select 1 from notification burst where burst.firm_id = ${given.firmId}
        and burst.member_id = ${given.memberId} and burst.kind = 'lead.burst'
        and burst.first_at <= ${momentFrom(given.from)} and burst.last_at >= ${momentFrom(given.to)})
    on conflict do nothing returning notification.kind`,
);
