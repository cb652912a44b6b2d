import { sql } from 'drizzle-orm';
import type { Told } from '../notifications/delivered.ts';
import { type Given, statement } from '../postgres/statement.ts';

/** This many days before a limitation date there is a notice, unless the date was met. */
export const noticeSteps = [180, 90, 60, 30, 14, 7, 1] as const;

/** From this many days on, the owners get the notices too. */
export const ownersFrom = 7;

/** A date further in the past gives no notice; the pages still show it. */
const longPast = 30;

const steps = sql.raw(noticeSteps.join(', '));
const first = sql.raw(String(Math.max(...noticeSteps)));

const isResponsible = ({ firmId }: Given<'firmId'>) => sql`exists (select 1 from matter_team
  where matter_team.firm_id = ${firmId}::uuid and matter_team.matter_id = matter.id
    and matter_team.member_id = member.id and matter_team.role = 'RESPONSIBLE_ATTORNEY')`;

/**
 * If no active member is responsible for a matter, its owners get the notices from the first step
 * on.
 */
const hasNobody = ({ firmId }: Given<'firmId'>) => sql`not exists (select 1 from matter_team
  join member as one on one.firm_id = matter_team.firm_id and one.id = matter_team.member_id
  where matter_team.firm_id = ${firmId}::uuid and matter_team.matter_id = matter.id
    and matter_team.role = 'RESPONSIBLE_ATTORNEY' and one.deactivated_at is null)`;

/**
 * Gives the due notices of limitation dates, of a firm or of one matter, to at most `max` members
 * at once. A date is at the smallest step that it has not passed. Steps that were missed, because
 * no server ran or the date was different, get no notice later. The active responsible attorneys
 * get the notices, from 7 days on also the owners.
 */
export const tellOfLimitation = statement(
  (given: Given<{ firmId: string; matterId: string | null; max: number }>) => sql<Told>`
    insert into notification (firm_id, member_id, kind, cause, record_id, title, text, created_at, raised_at)
    select * from (
    select matter.firm_id, member.id, 'limitation.near', due.cause, matter.id,
      'Limitation date ' || case when due.days > 1 then 'in ' || due.days || ' days'
        when due.days = 1 then 'tomorrow' when due.days = 0 then 'today'
        when due.days = -1 then '1 day past' else -due.days || ' days past' end,
      to_char(matter.sol_date, 'Dy FMDD Mon YYYY') || ': ' || matter.number || ' ' || matter.title,
      moment(), moment()
    from matter
    join firm on firm.id = matter.firm_id
    cross join lateral (
      select (moment() at time zone firm.time_zone)::date as today offset 0) as here
    cross join lateral (
      select matter.sol_date - here.today as days,
        (select min(step) from unnest(array[${steps}]) as step
          where step >= matter.sol_date - here.today) as step offset 0) as at
    cross join lateral (
      select at.days, at.step, matter.id || ':' || matter.sol_date || ':' || at.step as cause) as due
    join member on member.firm_id = matter.firm_id and member.deactivated_at is null
      and not 'limitation.near' = any(member.muted_kinds)
    join role on role.firm_id = member.firm_id and role.id = member.role_id
    where matter.firm_id = ${given.firmId}::uuid
      and (${given.matterId}::uuid is null or matter.id = ${given.matterId}::uuid)
      and matter.deleted_at is null and matter.status <> 'ARCHIVE'
      and matter.limitation_met_on is null
      and matter.sol_date between here.today - ${sql.raw(String(longPast))} and here.today + ${first}
      and (${isResponsible(given)}
        or (role.holds_all and (due.step <= ${sql.raw(String(ownersFrom))} or ${hasNobody(given)})))
      and not exists (select 1 from notification
        where notification.firm_id = ${given.firmId}::uuid and notification.member_id = member.id
          and notification.kind = 'limitation.near' and notification.cause = due.cause)
    limit ${given.max}::int) as told
    on conflict do nothing returning kind`,
);
