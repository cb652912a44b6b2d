/** What happens while nobody says that they have a date: more people are told, in turn. */
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { isOfPastEvent } from '../calendar/table.ts';
import { isWorkingDay } from '../firm/days.ts';
import type { Told } from '../notifications/delivered.ts';
import { asDeputy } from '../notifications/deputy.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { isOfSeveralUnheld, type ReceiptOf } from './table.ts';

/** Whose dates: a firm's, or only one matter's. */
export type Whose = { firmId: string; matterId: string | null };

/**
 * Whether an id is that of the one matter, if it is asked for. One plan is right for both: an index finds the one, or
 * all of the firm.
 */
export const isThat = (id: SQLWrapper, { matterId }: Given<Whose>) => sql`${id}
      between coalesce(${matterId}::uuid, '00000000-0000-0000-0000-000000000000')
      and coalesce(${matterId}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')`;

/** The same, and how many rows at most. */
export type Due = Whose & { max: number };

type Condition = (given: Given<'firmId'>) => SQL;

/** Dates that ask for receipts, as the turns of those who are told need to know them. */
export type Escalating = {
  about: ReceiptOf;
  /** One and several of them in a notice: `a task`, `tasks`. */
  one: string;
  several: string;
  /** Whether the title says how far away the date is. */
  saysWhen?: boolean;
  /**
   * Where the dates of a firm come from, with `firm`, `here` (`today`, the firm's day) and `at` (the `days` left, and the `step`
   * of the notices). The statement that joins them knows a colleague as `member` and `role`.
   */
  dates: Condition;
  isDue: (given: Given<Whose>) => SQL;
  /** The record's id, and the column of `receipt` that has it. */
  id: SQL;
  column: SQL;
  day: SQL;
  /** What a notice calls the record. */
  words: SQL;
  /** Receipts that were asked for earlier count from then on; null if they count from when they were asked for. */
  since: SQL;
  /** Which columns of `receipt` are there once while it stands. */
  once: SQL;
  maySee: Condition;
  /** Whether the member stands in for one who was asked first; is another one who works on it. */
  isDeputy: Condition;
  isColleague: Condition;
};

/** Whether the `member` of a row is on the team of a matter. */
export const isOnTeam = (
  { firmId }: Given<'firmId'>,
  matterId: SQLWrapper,
) => sql`exists (select 1 from matter_team
  where matter_team.firm_id = ${firmId}::uuid and matter_team.matter_id = ${matterId}
    and matter_team.member_id = member.id)`;

/** How long a date may stay without a receipt before the next people are told, in working days of the firm: its own limits. */
const limitDays = sql.raw(`case when at.days <= firm.unheld_at_once_from then 0
  when at.days <= firm.unheld_soon_from then firm.unheld_days_soon else firm.unheld_days end`);

/** The firm's working days since the first notice that nobody answered (`asked`); as many as all turns can take. */
export const workingDaysSince = (given: Given<'firmId'>) => sql`(
  select count(*) as passed
  from generate_series(1, least(here.today - asked.on_day, 60)) one
  where ${isWorkingDay(sql.raw('(asked.on_day + one)'), given)}) as working`;

/**
 * Asks at most `max` more members at once for the receipts that nobody has given within the limit: first the deputies of
 * those who were asked, then the others who work on it, then the owners, and these every day until somebody has the
 * date. If there is nobody in a turn, the next one takes its place. The time counts from the first notice that nobody
 * answered. Nobody is chosen who was told of the date today, or who may not see the record.
 */
const askFurtherOf = (of: Escalating) =>
  statement(
    (given: Given<Due>) => sql<{ id: string }>`
    insert into receipt (firm_id, id, ${of.column}, member_id, day, step, asked_as, asked_at, escalated_on)
    select distinct on (record_id, member_id) firm_id, gen_random_uuid(), record_id, member_id, day,
      step, asked_as, moment(), today
    from (
      select person.*, dense_rank() over (partition by record_id order by turn) as nth
      from (
        select firm.id as firm_id, ${of.id} as record_id, member.id as member_id, ${of.day} as day,
          at.step, here.today, firm.time_zone, ${limitDays} as limit_days, working.passed, ask.turn,
          (array['deputy', 'colleague', 'owner'])[ask.turn] as asked_as
        from ${of.dates(given)}
        cross join lateral (
          select max(receipt.acknowledged_at) as last, bool_or(receipt.step = at.step) as is_now
          from receipt
          join member on member.firm_id = receipt.firm_id and member.id = receipt.member_id
            and member.deactivated_at is null
          join role on role.firm_id = member.firm_id and role.id = member.role_id and ${of.maySee(given)}
          where receipt.firm_id = ${given.firmId}::uuid and receipt.${of.column} = ${of.id}
            and receipt.day = ${of.day} and receipt.withdrawn_at is null
            and receipt.acknowledged_at is not null) as held
        cross join lateral (
          select (min(greatest(receipt.asked_at, ${of.since})) at time zone firm.time_zone)::date as on_day
          from receipt
          where receipt.firm_id = ${given.firmId}::uuid and receipt.${of.column} = ${of.id}
            and receipt.day = ${of.day} and receipt.withdrawn_at is null
            and receipt.asked_at > coalesce(held.last, '-infinity')) as asked
        cross join lateral ${workingDaysSince(given)}
        join member on member.firm_id = ${given.firmId}::uuid and member.deactivated_at is null
        join role on role.firm_id = member.firm_id and role.id = member.role_id
          and ${of.maySee(given)}
        cross join lateral (
          select 1 as turn where ${of.isDeputy(given)}
          union all
          select case when role.holds_all then 3 when ${of.isColleague(given)} then 2 end) as ask
        where ${of.isDue(given)} and asked.on_day is not null and held.is_now is not true
          and ask.turn is not null
          and (ask.turn = 3 or not exists (select 1 from receipt told_first
            where told_first.firm_id = ${given.firmId}::uuid and told_first.${of.column} = ${of.id}
              and told_first.member_id = member.id and told_first.day = ${of.day} and told_first.step = at.step
              and told_first.withdrawn_at is null and told_first.escalated_on is null))
          and (at.days <= firm.unheld_at_once_from or ${isWorkingDay(sql.raw('here.today'), given)})
      ) as person
    ) as due
    where due.passed >= due.nth * due.limit_days
      and not exists (select 1 from receipt
        where receipt.firm_id = ${given.firmId}::uuid and receipt.${of.column} = due.record_id
          and receipt.member_id = due.member_id and receipt.day = due.day and receipt.step = due.step
          and receipt.withdrawn_at is null
          and not (receipt.told_at is null and coalesce(receipt.escalated_on < due.today, false))
          and (due.asked_as <> 'owner' or receipt.escalated_on = due.today
            or (receipt.told_at at time zone due.time_zone)::date = due.today))
    order by record_id, member_id, turn desc
    limit ${given.max}::int
    on conflict (${of.once}) where withdrawn_at is null
      do update set escalated_on = excluded.escalated_on
    returning id::text as id`,
  );

/** What a notice of records that nobody has calls them, and where they come from. */
type Unheld = {
  about: ReceiptOf | 'lead';
  /** Which words begin its title. */
  open: string;
  one: string;
  several: string;
  saysWhen?: boolean;
  cause: SQL;
  /**
   * A row for each `firm_id` and `member_id`: `today`, how many `dates`, the first `day`, and of one `record_id`, `words`,
   * and whether the member `stands_in` for a colleague.
   */
  told: SQL;
  /** Whether the new notice names a `record`, which an earlier notice of its member named. */
  names: (record: SQL) => SQL;
  /** Whether an earlier `notification` of several asks about one that nobody has, and that the new notice does not name. */
  leavesOut: SQL;
};

const kindOf = ({ about }: Pick<Unheld, 'about'>) => sql.raw(`'${about}.unheld'`);

const quoted = (words: string) => sql.raw(`'${words}'`);

/** `in 14 days`, `tomorrow`, `today`, `2 days past`. */
export const awayWords = (days: SQL) => sql`case when ${days} > 1 then 'in ' || ${days} || ' days'
  when ${days} = 1 then 'tomorrow' when ${days} = 0 then 'today'
  when ${days} = -1 then '1 day past' else -${days} || ' days past' end`;

/** A day as its member has days written: `Tue 15 Dec 2026`, `Tue Dec 15, 2026` or `Tue 2026-12-15`. */
export const dayFor = (
  memberId: SQL,
  day: SQL,
  { firmId }: Given<'firmId'>,
) => sql`to_char(${day}, (
      select case coalesce(reader.formats ->> 'dayOrder', firm.formats ->> 'dayOrder')
        when 'MDY' then 'Dy Mon FMDD, YYYY' when 'YMD' then 'Dy YYYY-MM-DD' else 'Dy FMDD Mon YYYY' end
      from member reader join firm on firm.id = reader.firm_id
      where reader.firm_id = ${firmId}::uuid and reader.id = ${memberId}))`;

const daysLeft = sql.raw('(told.day - told.today)');

/**
 * Gives one notice to each member, of one record or of several. It replaces those that the member had before, if it names
 * all that they still ask about: the inbox holds one line for a date.
 */
export const noticeOfUnheld = ({ firmId }: Given<'firmId'>, of: Unheld) => {
  const day = dayFor(sql.raw('told.member_id'), sql.raw('told.day'), { firmId });
  return sql<Told>`
    with told as (${of.told}),
    given as (
    insert into notification (firm_id, member_id, kind, cause, record_id, title, text, created_at, raised_at)
    select told.firm_id, told.member_id, ${kindOf(of)}, ${of.cause},
      case when told.dates = 1 then told.record_id end,
      ${quoted(`${of.open}: `)} || case when told.dates = 1 then ${quoted(of.one)}
        else told.dates || ${quoted(` ${of.several}`)} end${firstOf(of)}
        || ${asDeputy(sql.raw('told.dates = 1 and told.stands_in'))},
      case when told.dates = 1 then ${day} || ': ' || told.words
        else 'The first ' || case when told.day < told.today then 'was' else 'is' end || ' on '
          || ${day} || '.' end,
      moment(), moment()
    from told
    on conflict do nothing returning id, member_id, kind, record_id),
    replaced as (
    update notification set replaced_by_id = given.id
    from given
    join told on told.firm_id = ${firmId}::uuid and told.member_id = given.member_id
    where notification.firm_id = ${firmId}::uuid and notification.member_id = given.member_id
      and notification.kind = given.kind and notification.replaced_by_id is null
      and case when notification.record_id is null then not ${of.leavesOut}
        else notification.record_id = given.record_id
          or given.record_id is null and ${of.names(sql.raw('notification.record_id'))} end)
    select kind from given`;
};

/** How far away the date is, or the first of several: a mail says it where it may name nothing else. */
const firstOf = ({ saysWhen }: Unheld) =>
  saysWhen
    ? sql` || case when told.dates = 1 then ' ' else ', the first ' end || ${awayWords(daysLeft)}`
    : sql.raw('');

/** Whether the member is asked about a record, by a receipt `newest` of which this is so. */
const isAsked = (of: Escalating, { firmId }: Given<'firmId'>, record: SQL, isSo: SQL) =>
  sql`exists (select 1 from receipt newest
    join firm on firm.id = newest.firm_id
    where newest.firm_id = ${firmId}::uuid and newest.member_id = told.member_id
      and newest.${of.column} = ${record} and ${isSo}
      and newest.withdrawn_at is null and newest.acknowledged_at is null)`;

/** The notice of this morning, or of the one matter, names it: the member was asked about it again today. */
const isNamed = (of: Escalating, { matterId }: Given<Whose>) =>
  sql`(newest.escalated_on = told.today
    and (${matterId}::uuid is null or newest.${of.column} = ${matterId}::uuid))`;

/** The member was told of it this morning by another notice, which the new one then leaves out. */
const isToldToday = ({ matterId }: Given<Whose>) =>
  sql`(${matterId}::uuid is null
    and (newest.told_at at time zone firm.time_zone)::date = told.today)`;

/** Whether somebody who is there has the date of a `receipt`: nobody else is asked about it then. */
const isHeld = (of: Escalating, { firmId }: Given<'firmId'>) =>
  sql`exists (select 1 from receipt held
    join member holder on holder.firm_id = held.firm_id and holder.id = held.member_id
      and holder.deactivated_at is null
    where held.firm_id = ${firmId}::uuid and held.${of.column} = receipt.${of.column}
      and held.day = receipt.day and held.step <= receipt.step
      and held.withdrawn_at is null and held.acknowledged_at is not null)`;

/**
 * Tells those who were asked today because nobody has a date. In the morning, each gets one notice of all their dates,
 * so that nobody is told twice; of one matter, they get its own, unless the notice of this morning named it.
 */
const tellUnheldOf = (of: Escalating) =>
  statement((given: Given<Whose>) =>
    noticeOfUnheld(given, {
      ...of,
      open: 'Not acknowledged',
      cause: sql`case when ${given.matterId}::uuid is null then told.today::text
        else ${given.matterId}::uuid || ':' || told.day || ':' || told.today end`,
      told: sql`
      select receipt.firm_id, receipt.member_id, here.today, count(*) as dates, min(receipt.day) as day,
        (array_agg(${of.id}))[1] as record_id, min(${of.words}) as words,
        bool_and(receipt.asked_as = 'deputy') as stands_in
      from ${of.dates(given)}
      join receipt on receipt.firm_id = firm.id and receipt.${of.column} = ${of.id}
        and receipt.day = ${of.day} and receipt.step = at.step
        and receipt.escalated_on = here.today
        and receipt.withdrawn_at is null and receipt.acknowledged_at is null
      where receipt.firm_id = ${given.firmId}::uuid and ${of.isDue(given)}
        and not exists (select 1 from notification
          where notification.firm_id = ${given.firmId}::uuid
            and notification.member_id = receipt.member_id
            and notification.kind = ${kindOf(of)}
            and (notification.cause = ${of.id} || ':' || receipt.day || ':' || here.today
              or ${given.matterId}::uuid is not null and receipt.told_at is not null
                and notification.cause = here.today::text and notification.created_at >= receipt.asked_at))
      group by receipt.firm_id, receipt.member_id, here.today`,
      // A notice that was given today, of a matter that was just set, keeps its own line.
      names: (record) => sql`(notification.cause not like ${record} || ':%:' || told.today
        and ${isAsked(of, given, record, isNamed(of, given))})`,
      leavesOut: sql`exists (select 1 from receipt
        where receipt.firm_id = ${given.firmId}::uuid and receipt.${of.column} is not null and ${isOfSeveralUnheld}
          and receipt.acknowledged_at is null and receipt.withdrawn_at is null
          and not ${isAsked(of, given, sql`receipt.${of.column}`, sql`(${isNamed(of, given)} or ${isToldToday(given)})`)}
          and not ${isHeld(of, given)} and not ${isOfPastEvent(given)})`,
    }),
  );

/** Notes on the receipts of those who were asked today that they were told. */
const noteToldOf = (of: Escalating) =>
  statement(
    (given: Given<Whose>) => sql`
    update receipt set told_at = notification.created_at, notification_id = notification.id
    from notification, firm
    where receipt.firm_id = ${given.firmId}::uuid
      and ${isThat(sql`receipt.${of.column}`, given)}
      and receipt.acknowledged_at is null and receipt.withdrawn_at is null and receipt.told_at is null
      and firm.id = ${given.firmId}::uuid
      and receipt.escalated_on = (moment() at time zone firm.time_zone)::date
      and notification.firm_id = ${given.firmId}::uuid and notification.member_id = receipt.member_id
      and notification.kind = ${kindOf(of)}
      and notification.cause in (receipt.escalated_on::text,
        receipt.${of.column} || ':' || receipt.day || ':' || receipt.escalated_on)
      and notification.created_at >= receipt.asked_at`,
  );

/** What asks at most so many members more about dates, tells who was asked today, and notes that they were told. */
export const escalationOf = (of: Escalating) => ({
  askFurther: askFurtherOf(of),
  tellUnheld: tellUnheldOf(of),
  noteTold: noteToldOf(of),
});

export type Escalation = ReturnType<typeof escalationOf>;
