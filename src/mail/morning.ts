/** The mail of the morning: what its member wants to read together. */
import { sql } from 'drizzle-orm';
import { isVisible } from '../notifications/visible.ts';
import type { Transaction } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Noticed } from './letter.ts';

/**
 * Queues the morning's mails of a firm, on working days, and for each member once a day: for those who have
 * new notices of the kinds that they chose for it.
 */
export const queueMorning = (transaction: Transaction, firmId: string) =>
  void transaction.run(queue, { firmId });

const queue = statement(
  ({ firmId }: Given<'firmId'>) => sql`
    insert into mail (firm_id, id, member_id, kind, state, queued_at, next_try_at)
    select firm.id, gen_random_uuid(), member.id, 'morning', 'queued', moment(), moment()
    from firm
    join member on member.firm_id = firm.id
    left join lateral (
      select max(queued_at) as at from mail
      where mail.firm_id = ${firmId}::uuid and mail.member_id = member.id
        and mail.kind = 'morning') last on true
    where firm.id = ${firmId}::uuid and firm.mails_since is not null
      and member.firm_id = ${firmId}::uuid and member.deactivated_at is null
      and cardinality(member.morning_kinds) > 0
      and extract(isodow from moment() at time zone firm.time_zone) < 6
      and (last.at is null or (last.at at time zone firm.time_zone)::date
        < (moment() at time zone firm.time_zone)::date)
      and exists (select from notification
        where notification.firm_id = ${firmId}::uuid and notification.member_id = member.id
          and notification.raised_at > coalesce(last.at, firm.mails_since)
          and ${isOfMorning})`,
);

// As with its switch, `lead.burst` follows `lead.new`.
const isOfMorning = sql.raw(
  `case notification.kind when 'lead.burst' then 'lead.new' else notification.kind end
    = any(member.morning_kinds)`,
);

/** A notice in a morning's mail, and whose mail it is. */
export type OfMorning = Noticed & { address: string };

/** What a morning's mail brings, and what its member may see of it now, the oldest first. */
export const noticesOfMorning = statement(
  (given: Given<'firmId' | 'id'>) => sql<OfMorning>`
    select member.email as address, notification.kind, notification.record_id as "recordId",
      notification.title, notification.text, firm.mails_name as "mailsName"
    from mail
    join firm on firm.id = mail.firm_id
    join member on member.firm_id = mail.firm_id and member.id = mail.member_id
    join role on role.firm_id = member.firm_id and role.id = member.role_id
    join notification on notification.firm_id = mail.firm_id
      and notification.member_id = mail.member_id
    where mail.firm_id = ${given.firmId}::uuid and mail.id = ${given.id}::uuid
      and mail.kind = 'morning' and member.deactivated_at is null
      and notification.raised_at <= mail.queued_at
      and notification.raised_at > coalesce((select max(earlier.queued_at) from mail earlier
        where earlier.firm_id = ${given.firmId}::uuid and earlier.member_id = mail.member_id
          and earlier.kind = 'morning' and earlier.queued_at < mail.queued_at),
        firm.mails_since)
      and ${isOfMorning} and ${isVisible(given)}
    order by notification.raised_at, notification.id limit 100`,
);
