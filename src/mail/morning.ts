/** The mail of the morning: what its member wants to read together. */
import { sql } from 'drizzle-orm';
import { isWorkingDay } from '../firm/days.ts';
import { matter } from '../matters/table.ts';
import { isVisible, stillStands } from '../notifications/visible.ts';
import type { Transaction } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { receipt } from '../receipts/table.ts';
import { task } from '../tasks/table.ts';
import { isAboutSeen } from '../visibility/subject.ts';
import type { Dates, Noticed } from './letter.ts';
import { waitingOfNotice } from './waiting.ts';

/**
 * Queues the morning's mails of a firm, on working days, and for each member once a day: for those who have
 * new notices of the kinds that they chose for it, and for the owners in any
 * case. On the day on which mail was set up, a firm without a limitation date has nothing to tell them.
 */
export const queueMorning = (transaction: Transaction, firmId: string) =>
  void transaction.run(queue, { firmId });

const queue = statement(
  (given: Given<'firmId'>) => sql`
    insert into mail (firm_id, id, member_id, kind, state, queued_at, next_try_at)
    select firm.id, gen_random_uuid(), member.id, 'morning', 'queued', moment(), moment()
    from firm
    join member on member.firm_id = firm.id
    join role on role.firm_id = member.firm_id and role.id = member.role_id
    left join lateral (
      select max(queued_at) as at from mail
      where mail.firm_id = ${given.firmId}::uuid and mail.member_id = member.id
        and mail.kind = 'morning') last on true
    where firm.id = ${given.firmId}::uuid and firm.mails_since is not null
      and member.firm_id = ${given.firmId}::uuid and member.deactivated_at is null
      and ${isWorkingDay(sql.raw('(moment() at time zone firm.time_zone)::date'), given)}
      and (last.at is null or (last.at at time zone firm.time_zone)::date
        < (moment() at time zone firm.time_zone)::date)
      and (role.holds_all and (${hasDates(given)}
          or (firm.mails_since at time zone firm.time_zone)::date
            < (moment() at time zone firm.time_zone)::date)
        or cardinality(member.morning_kinds) > 0 and exists (select from notification
          where notification.firm_id = ${given.firmId}::uuid and notification.member_id = member.id
            and notification.raised_at > greatest(last.at, firm.mails_since)
            and ${isOfMorning}))`,
);

// Also one that is cleared now: what has begun does not stop.
const hasDates = ({
  firmId,
}: Given<'firmId'>) => sql`(exists (select from ${matter} where ${matter.firmId} = ${firmId}::uuid
    and ${matter.solDate} is not null and ${matter.deletedAt} is null)
  or exists (select from ${receipt} where ${receipt.firmId} = ${firmId}::uuid))`;

// As with its switch, `lead.burst` follows `lead.new`.
const isOfMorning = sql.raw(
  `case notification.kind when 'lead.burst' then 'lead.new' else notification.kind end
    = any(member.morning_kinds)`,
);

/** A notice in a morning's mail, whose mail it is, and how many there are. */
export type OfMorning = Noticed & { address: string; total: number };

/** What a morning's mail brings, and what its member may see of it now, the oldest first: at most a hundred. */
export const noticesOfMorning = statement(
  (given: Given<'firmId' | 'id'>) => sql<OfMorning>`
    select member.email as address, notification.kind, notification.record_id as "recordId",
      notification.title, notification.text, firm.mails_name as "mailsName",
      ${waitingOfNotice(given)} as waiting, count(*) over ()::int as total
    from mail
    join firm on firm.id = mail.firm_id
    join member on member.firm_id = mail.firm_id and member.id = mail.member_id
    join role on role.firm_id = member.firm_id and role.id = member.role_id
    join notification on notification.firm_id = mail.firm_id
      and notification.member_id = mail.member_id
    where mail.firm_id = ${given.firmId}::uuid and mail.id = ${given.id}::uuid
      and mail.kind = 'morning' and member.deactivated_at is null
      and notification.raised_at <= mail.queued_at
      and notification.raised_at > greatest((select max(earlier.queued_at) from mail earlier
        where earlier.firm_id = ${given.firmId}::uuid and earlier.member_id = mail.member_id
          and earlier.kind = 'morning' and earlier.queued_at < mail.queued_at),
        firm.mails_since)
      and ${isOfMorning} and ${isVisible(given)} and ${stillStands(given)}
    order by notification.raised_at, notification.id limit 100`,
);

/** How the dates stand for a morning's mail; nothing if it is not an owner's. */
export const datesOfMorning = statement(
  (given: Given<'firmId' | 'id'>) => sql<Dates>`
    select member.email as address, dates.past as "pastDates", dates.coming, dates.acknowledged,
      (select count(*)::int from ${task}
        where ${task.firmId} = ${given.firmId}::uuid and ${task.dueOn} < here.today
          and ${task.doneAt} is null and ${task.cancelledAt} is null
          and ${isAboutSeen(task, { firmId: sql`${given.firmId}::uuid`, memberId: sql`member.id`, seesPrivate: sql`true` })}) as "lateTasks"
    from mail
    join firm on firm.id = mail.firm_id
    join member on member.firm_id = mail.firm_id and member.id = mail.member_id
    join role on role.firm_id = member.firm_id and role.id = member.role_id and role.holds_all
    cross join lateral (select (moment() at time zone firm.time_zone)::date as today offset 0) as here
    cross join lateral (
      select count(*) filter (where due.day < here.today)::int as past,
        count(*) filter (where due.day >= here.today)::int as coming,
        count(*) filter (where due.day >= here.today and due.is_held)::int as acknowledged
      from (
        select ${matter.solDate} as day, exists (select 1 from ${receipt}
          where ${receipt.firmId} = ${given.firmId}::uuid and ${receipt.matterId} = ${matter.id}
            and ${receipt.day} = ${matter.solDate} and ${receipt.withdrawnAt} is null
            and ${receipt.acknowledgedAt} is not null
            and exists (select from member holder where holder.firm_id = ${given.firmId}::uuid
              and holder.id = ${receipt.memberId} and holder.deactivated_at is null)
            and ${receipt.step} = (select min(newest.step) from ${receipt} newest
              where newest.firm_id = ${given.firmId}::uuid and newest.matter_id = ${matter.id}
                and newest.day = ${matter.solDate} and newest.withdrawn_at is null)) as is_held
        from ${matter}
        where ${matter.firmId} = ${given.firmId}::uuid and ${matter.deletedAt} is null
          and ${matter.status} <> 'ARCHIVE' and ${matter.limitationMetOn} is null
          and ${matter.solDate} <= here.today + 14) as due) as dates
    where mail.firm_id = ${given.firmId}::uuid and mail.id = ${given.id}::uuid
      and mail.kind = 'morning' and member.deactivated_at is null`,
);
