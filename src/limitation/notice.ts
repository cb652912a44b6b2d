import { sql } from 'drizzle-orm';
import { workingDaysAround } from '../firm/days.ts';
import type { Told } from '../notifications/delivered.ts';
import { asDeputy } from '../notifications/deputy.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { awayWords, type Due, dayFor, isThat, type Whose } from '../receipts/escalation.ts';
import { causeOfReceipt } from '../receipts/table.ts';
import { roleReads } from '../visibility/subject.ts';

/** From this many days on, the owners get the notices too. */
export const ownersFrom = 7;

/** A date further in the past gives no notice; the pages still show it. */
export const longPast = 30;

/** No reminder comes earlier before a date. */
export const earliest = 730;

/** So many working days at most, if they are counted: less than two years. */
export const earliestWorking = 365;

export const isResponsible = ({ firmId }: Given<'firmId'>) => sql`exists (select 1 from matter_team
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

/** How many days before its limitation date a matter gets a reminder; of working days, the last ones before it. */
const daysBefore = (given: Given<'firmId'>) => sql`case when reminder.working
    then matter.sol_date - (${workingDaysAround(given)})[greatest(1,
      width_bucket(matter.sol_date - 1, ${workingDaysAround(given)}) - reminder.days + 1)]
    else reminder.days end`;

/**
 * The matters whose limitation date is at a step of its notices, as `matter`, `firm`, `here` (the firm's day), `at`
 * (`days` and `step`). A date is at the smallest step of the firm's reminders that it has not passed; where they count
 * working days, at none before the last that was asked about: a new holiday asks about nothing again.
 */
export const dueDates = (given: Given<'firmId'>) => sql`
    matter
    join firm on firm.id = matter.firm_id
    cross join lateral (
      select (moment() at time zone firm.time_zone)::date as today offset 0) as here
    cross join lateral (
      select matter.sol_date - here.today as days,
        least((select min(step.days) from (
            select ${daysBefore(given)} as days, since, until
            from jsonb_to_recordset(firm.reminders) as reminder (days int, working boolean, since date, until date)) as step
          where step.days >= matter.sol_date - here.today
            and (step.since is null or matter.sol_date - step.days >= step.since)
            and (step.until is null or matter.sol_date - step.days < step.until)),
        (select min(receipt.step) from receipt
          where firm.reminders @> '[{"working": true}]' and receipt.firm_id = ${given.firmId}::uuid
            and receipt.matter_id = matter.id and receipt.day = matter.sol_date
            and receipt.withdrawn_at is null)) as step offset 0) as at`;

export const isDue = (given: Given<Whose>) => sql`matter.firm_id = ${given.firmId}::uuid
      and ${isThat(sql.raw('matter.id'), given)}
      and matter.deleted_at is null and matter.status <> 'ARCHIVE'
      and matter.limitation_met_on is null and at.step is not null
      and matter.sol_date between here.today - ${sql.raw(String(longPast))} and here.today + ${sql.raw(String(earliest))}`;

const isNotAsked = ({ firmId }: Given<'firmId'>) => sql`not exists (select 1 from receipt
  where receipt.firm_id = ${firmId}::uuid and receipt.matter_id = matter.id
    and receipt.member_id = member.id and receipt.day = matter.sol_date
    and receipt.step = at.step and receipt.withdrawn_at is null)`;

/**
 * Asks at most `max` members at once for the receipt of the due limitation dates: the active responsible attorneys,
 * from 7 days on also the owners. Steps that were missed, because no server ran or the date was different, are not
 * asked about later.
 */
export const askForReceipts = statement(
  (given: Given<Due>) => sql<{ id: string }>`
    insert into receipt (firm_id, id, matter_id, member_id, day, step, asked_as, asked_at)
    select * from (
    select matter.firm_id, gen_random_uuid(), matter.id, member.id, matter.sol_date, at.step,
      case when ${isResponsible(given)} then 'responsible' else 'owner' end, moment()
    from ${dueDates(given)}
    join member on member.firm_id = matter.firm_id and member.deactivated_at is null
    join role on role.firm_id = member.firm_id and role.id = member.role_id
    where ${isDue(given)}
      and (${isResponsible(given)}
        or (role.holds_all and (at.step <= ${sql.raw(String(ownersFrom))} or ${hasNobody(given)})))
      and ${isNotAsked(given)}
    limit ${given.max}::int) as asked
    on conflict do nothing returning id::text as id`,
);

/**
 * Withdraws what a matter's former people were asked for their part in it: who has left the team does not have the date for
 * those who stay.
 */
export const withdrawFromGone = statement(
  ({ firmId, matterId }: Given<'firmId' | 'matterId'>) => sql`
    update receipt set withdrawn_at = moment(), withdrawn_because = 'given_away'
    where receipt.firm_id = ${firmId}::uuid and receipt.matter_id = ${matterId}::uuid
      and receipt.withdrawn_at is null and receipt.asked_as in ('responsible', 'colleague')
      and not exists (select 1 from matter_team
        where matter_team.firm_id = ${firmId}::uuid and matter_team.matter_id = receipt.matter_id
          and matter_team.member_id = receipt.member_id)`,
);

/** Whether `absent` is away on the firm's day. */
export const isAway = sql.raw(`here.today between absent.away_from and absent.away_until`);

/** Asks the deputies of those who are asked and are away today, at most `max` at once. */
export const askDeputies = statement(
  (given: Given<Due>) => sql<{ id: string }>`
    insert into receipt (firm_id, id, matter_id, member_id, day, step, asked_as, asked_at)
    select * from (
    select distinct on (matter.id, member.id) matter.firm_id, gen_random_uuid(), matter.id, member.id,
      matter.sol_date, at.step, 'deputy', moment()
    from ${dueDates(given)}
    join receipt asked on asked.firm_id = matter.firm_id and asked.matter_id = matter.id
      and asked.day = matter.sol_date and asked.step = at.step and asked.withdrawn_at is null
    join member absent on absent.firm_id = asked.firm_id and absent.id = asked.member_id
    join member on member.firm_id = absent.firm_id and member.id = absent.deputy_id
      and member.deactivated_at is null
    join role on role.firm_id = member.firm_id and role.id = member.role_id and ${roleReads('matters')}
    where asked.firm_id = ${given.firmId}::uuid and ${isDue(given)} and ${isAway}
      and ${isNotAsked(given)}
    limit ${given.max}::int) as asked
    on conflict do nothing returning id::text as id`,
);

/**
 * Gives at most `max` members at once the notices of the limitation dates that they are asked about, unless they have
 * switched them off, or are asked because nobody has the date: that is another notice.
 */
export const tellOfLimitation = statement(
  (given: Given<Due>) => sql<Told>`
    insert into notification (firm_id, member_id, kind, cause, record_id, title, text, created_at, raised_at)
    select * from (
    select matter.firm_id, member.id, 'limitation.near', due.cause, matter.id,
      'Limitation date ' || ${awayWords(sql.raw('at.days'))} || ${asDeputy(sql`receipt.asked_as = 'deputy'`)},
      ${dayFor(sql.raw('member.id'), sql.raw('matter.sol_date'), given)} || ': ' || matter.number || ' ' || matter.title,
      moment(), moment()
    from ${dueDates(given)}
    join receipt on receipt.firm_id = matter.firm_id and receipt.matter_id = matter.id
      and receipt.day = matter.sol_date and receipt.step = at.step
      and receipt.withdrawn_at is null and receipt.acknowledged_at is null
      and receipt.escalated_on is null
    join member on member.firm_id = receipt.firm_id and member.id = receipt.member_id
      and member.deactivated_at is null and not 'limitation.near' = any(member.muted_kinds)
    cross join lateral (select ${causeOfReceipt} as cause) as due
    where receipt.firm_id = ${given.firmId}::uuid and ${isDue(given)}
      and not exists (select 1 from notification
        where notification.firm_id = ${given.firmId}::uuid and notification.member_id = member.id
          and notification.kind = 'limitation.near' and notification.cause = due.cause)
    limit ${given.max}::int) as told
    on conflict do nothing returning kind`,
);

/** Notes on the receipts that their notices have come into the inbox. */
export const noteTold = statement(
  (given: Given<Whose>) => sql`
    update receipt set told_at = notification.created_at, notification_id = notification.id
    from notification
    where receipt.firm_id = ${given.firmId}::uuid
      and ${isThat(sql.raw('receipt.matter_id'), given)}
      and receipt.acknowledged_at is null and receipt.withdrawn_at is null and receipt.told_at is null
      and notification.firm_id = ${given.firmId}::uuid and notification.member_id = receipt.member_id
      and notification.kind = 'limitation.near' and notification.cause = ${causeOfReceipt}`,
);
