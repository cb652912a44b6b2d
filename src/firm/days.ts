import { type Placeholder, type SQL, sql } from 'drizzle-orm';

/** Days of the firm from one to another, both included, `YYYY-MM-DD`; null is no bound. */
export type Days = { from: string | null; to: string | null };

/** The moment at which a day of the firm begins. */
const startOf = (day: SQL, firmId: Placeholder) =>
  sql`(${day} at time zone (select time_zone from firm where firm.id = ${firmId}))`;

/** Whether a moment lies within days of the firm, which begin at midnight in its time zone. */
export const isWithinDays = (
  moment: SQL,
  { firmId, from, to }: { firmId: Placeholder; from: Placeholder; to: Placeholder },
): SQL => sql`(${from}::date is null or ${moment} >= ${startOf(sql`${from}::date::timestamp`, firmId)})
  and (${to}::date is null or ${moment} < ${startOf(sql`(${to}::date + 1)::timestamp`, firmId)})`;

/** Whether a calendar day lies within days; null does not. */
export const isWithinDates = (
  day: SQL,
  { from, to }: { from: Placeholder; to: Placeholder },
): SQL => sql`(${day} is not null and (${from}::date is null or ${day} >= ${from}::date)
  and (${to}::date is null or ${day} <= ${to}::date))`;

/** Whether the firm works on a day, an expression of type `date`: no Saturday, no Sunday, none of its holidays. */
export const isWorkingDay = (day: SQL, { firmId }: { firmId: Placeholder }): SQL =>
  sql`(extract(isodow from ${day}) < 6 and not exists (select from holiday
    where holiday.firm_id = ${firmId}::uuid and holiday.day = ${day} and holiday.deleted_at is null))`;

/**
 * The firm's working days in their order, an array of `date`: of all days on which something of two years ahead is due,
 * or was a month ago, counted back for at most a year of working days. A statement reads it once, and only if a row needs it.
 */
export const workingDaysAround = ({ firmId }: { firmId: Placeholder }): SQL => sql`(
  select array_agg(around.day order by around.day)
  from (select (moment() at time zone 'UTC')::date + nth as day from generate_series(-700, 735) as nth) as around
  where ${isWorkingDay(sql.raw('around.day'), { firmId })})`;
