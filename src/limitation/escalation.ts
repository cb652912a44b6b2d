/** What happens while nobody says that they have a limitation date: more people are told, in turn. */
import { sql } from 'drizzle-orm';
import { isWorkingDay } from '../firm/days.ts';
import type { Told } from '../notifications/delivered.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { type Due, dueDates, isDue, isResponsible, mayReadMatters, type Whose } from './notice.ts';

/** How long a date may stay without a receipt before the next people are told, in working days of the firm: its own limits. */
const limitDays = sql.raw(`case when at.days <= firm.unheld_at_once_from then 0
  when at.days <= firm.unheld_soon_from then firm.unheld_days_soon else firm.unheld_days end`);

/** The firm's working days since the first notice that nobody answered; as many as all turns can take. */
const workingDaysSince = (given: Given<'firmId'>) => sql`(
  select count(*) as passed
  from generate_series(1, least(here.today - asked.on_day, 60)) one
  where ${isWorkingDay(sql.raw('(asked.on_day + one)'), given)}) as working`;

const isOnTeam = ({ firmId }: Given<'firmId'>) => sql`exists (select 1 from matter_team
  where matter_team.firm_id = ${firmId}::uuid and matter_team.matter_id = matter.id
    and matter_team.member_id = member.id)`;

const standsInForResponsible = ({
  firmId,
}: Given<'firmId'>) => sql`exists (select 1 from matter_team
  join member absent on absent.firm_id = matter_team.firm_id and absent.id = matter_team.member_id
  where matter_team.firm_id = ${firmId}::uuid and matter_team.matter_id = matter.id
    and matter_team.role = 'RESPONSIBLE_ATTORNEY' and absent.deputy_id = member.id)`;

/**
 * Asks at most `max` more members at once for the receipts that nobody has given within the limit: first the
 * deputies of the responsible attorneys, then the others on the matter's team, then the owners, and these every day
 * until somebody has the date. If there is nobody in a turn, the next one takes its place. The time counts from the
 * first notice that nobody answered. Nobody is chosen who was told of the date today, or who may not see the matter.
 */
export const askFurther = statement(
  (given: Given<Due>) => sql<{ id: string }>`
    insert into receipt (firm_id, id, matter_id, member_id, day, step, asked_as, asked_at, escalated_on)
    select distinct on (matter_id, member_id) firm_id, gen_random_uuid(), matter_id, member_id, day,
      step, asked_as, moment(), today
    from (
      select person.*, dense_rank() over (partition by matter_id order by turn) as nth
      from (
        select matter.firm_id, matter.id as matter_id, member.id as member_id, matter.sol_date as day,
          at.step, here.today, firm.time_zone, ${limitDays} as limit_days, working.passed, ask.turn,
          (array['deputy', 'colleague', 'owner'])[ask.turn] as asked_as
        from ${dueDates}
        cross join lateral (
          select max(receipt.acknowledged_at) as last, bool_or(receipt.step = at.step) as is_now
          from receipt
          join member holder on holder.firm_id = receipt.firm_id and holder.id = receipt.member_id
            and holder.deactivated_at is null
          where receipt.firm_id = ${given.firmId}::uuid and receipt.matter_id = matter.id
            and receipt.day = matter.sol_date and receipt.withdrawn_at is null
            and receipt.acknowledged_at is not null) as held
        cross join lateral (
          select min((receipt.asked_at at time zone firm.time_zone)::date) as on_day
          from receipt
          where receipt.firm_id = ${given.firmId}::uuid and receipt.matter_id = matter.id
            and receipt.day = matter.sol_date and receipt.withdrawn_at is null
            and receipt.asked_at > coalesce(held.last, '-infinity')) as asked
        cross join lateral ${workingDaysSince(given)}
        join member on member.firm_id = matter.firm_id and member.deactivated_at is null
        join role on role.firm_id = member.firm_id and role.id = member.role_id
          and ${mayReadMatters}
        cross join lateral (
          select 1 as turn where ${standsInForResponsible(given)}
          union all
          select case when role.holds_all then 3
            when ${isOnTeam(given)} and not ${isResponsible(given)} then 2 end) as ask
        where ${isDue(given)} and asked.on_day is not null and held.is_now is not true
          and ask.turn is not null
          and (at.days <= firm.unheld_at_once_from or ${isWorkingDay(sql.raw('here.today'), given)})
      ) as person
    ) as due
    where due.passed >= due.nth * due.limit_days
      and not exists (select 1 from receipt
        where receipt.firm_id = ${given.firmId}::uuid and receipt.matter_id = due.matter_id
          and receipt.member_id = due.member_id and receipt.day = due.day and receipt.step = due.step
          and receipt.withdrawn_at is null
          and (due.asked_as <> 'owner' or receipt.escalated_on = due.today
            or (receipt.told_at at time zone due.time_zone)::date = due.today))
    order by matter_id, member_id, turn desc
    limit ${given.max}::int
    on conflict (firm_id, matter_id, member_id, day, step) where withdrawn_at is null
      do update set escalated_on = excluded.escalated_on
    returning id::text as id`,
);

/**
 * Tells those who were asked today because nobody has a date. In the morning, each gets one notice of all their dates,
 * so that nobody is told twice; of one matter, they get its own.
 */
export const tellUnheld = statement(
  (given: Given<Whose>) => sql<Told>`
    insert into notification (firm_id, member_id, kind, cause, record_id, title, text, created_at, raised_at)
    select told.firm_id, told.member_id, 'limitation.unheld',
      case when ${given.matterId}::uuid is null then told.today::text
        else ${given.matterId}::uuid || ':' || told.today end,
      case when told.dates = 1 then told.matter_id end,
      'Not acknowledged: ' || case when told.dates = 1 then 'a limitation date'
        else told.dates || ' limitation dates' end,
      case when told.dates = 1 then to_char(told.day, 'Dy FMDD Mon YYYY') || ': ' || told.matter
        else 'The first is on ' || to_char(told.day, 'Dy FMDD Mon YYYY') || '.' end,
      moment(), moment()
    from (
      select receipt.firm_id, receipt.member_id, here.today, count(*) as dates, min(receipt.day) as day,
        (array_agg(matter.id))[1] as matter_id,
        min(matter.number || ' ' || matter.title) as matter
      from ${dueDates}
      join receipt on receipt.firm_id = matter.firm_id and receipt.matter_id = matter.id
        and receipt.day = matter.sol_date and receipt.step = at.step
        and receipt.escalated_on = here.today
        and receipt.withdrawn_at is null and receipt.acknowledged_at is null
      where receipt.firm_id = ${given.firmId}::uuid and ${isDue(given)}
        and not exists (select 1 from notification
          where notification.firm_id = ${given.firmId}::uuid
            and notification.member_id = receipt.member_id
            and notification.kind = 'limitation.unheld'
            and notification.cause = matter.id || ':' || here.today)
      group by receipt.firm_id, receipt.member_id, here.today) as told
    on conflict do nothing returning kind`,
);

/** Notes on the receipts of those who were asked today that they were told. */
export const noteToldUnheld = statement(
  (given: Given<Whose>) => sql`
    update receipt set told_at = notification.created_at, notification_id = notification.id
    from notification, firm
    where receipt.firm_id = ${given.firmId}::uuid
      and (${given.matterId}::uuid is null or receipt.matter_id = ${given.matterId}::uuid)
      and receipt.acknowledged_at is null and receipt.withdrawn_at is null and receipt.told_at is null
      and firm.id = ${given.firmId}::uuid
      and receipt.escalated_on = (moment() at time zone firm.time_zone)::date
      and notification.firm_id = ${given.firmId}::uuid and notification.member_id = receipt.member_id
      and notification.kind = 'limitation.unheld'
      and notification.cause in (receipt.escalated_on::text,
        receipt.matter_id || ':' || receipt.escalated_on)`,
);
