import { sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';

/**
 * Limitation dates within these days from today. Each count includes the ones before, not past
 * dates.
 */
export const comingWithin = [7, 30, 60, 90, 180] as const;

/** Numbers of limitation dates: past, within each of `comingWithin`, and missing. */
export type LimitationCounts = {
  /** Matters that are not archived, with a date that is not met. */
  open: number;
  past: number;
  within: number[];
  /** ACTIVE matters without a date whose practice area expects one. */
  missing: number;
};

/** The limitation dates of a firm, and those of each responsible attorney; `id` null is nobody. */
export type LimitationReport = {
  all: LimitationCounts;
  byAttorney: (LimitationCounts & { id: string | null; name: string | null })[];
};

/**
 * The limitation dates report on a day of the firm: matters that are not archived, whose date is
 * set and not met. A matter with two responsible attorneys counts for both.
 */
export const reportLimitationDates = async (
  reader: Reader,
  today: string,
): Promise<LimitationReport> => {
  const { firmId } = reader;
  const [all, byAttorney] = await Promise.all([
    reader.first(countsOfAll, { firmId, today }),
    reader.run(countsByAttorney, { firmId, today }),
  ]);
  return { all: all ?? { open: 0, past: 0, within: [], missing: 0 }, byAttorney };
};

type ReportDay = Given<{ firmId: string; today: string }>;

const counts = ({ today }: ReportDay) => {
  const isOpen = sql`matter.sol_date is not null`;
  const within = comingWithin.map(
    (days) => sql`(count(*) filter (where matter.sol_date >= ${today}::date
      and matter.sol_date <= ${today}::date + ${sql.raw(String(days))}))::int`,
  );
  return sql`count(*) filter (where ${isOpen})::int as open,
    count(*) filter (where matter.sol_date < ${today}::date)::int as past,
    json_build_array(${sql.join(within, sql`, `)}) as within,
    count(*) filter (where not ${isOpen})::int as missing`;
};

/** Matters with an open date, and matters without the date that their area expects. */
const concerned = ({
  firmId,
}: ReportDay) => sql`matter.firm_id = ${firmId} and matter.deleted_at is null
  and matter.limitation_met_on is null and (
    (matter.sol_date is not null and matter.status <> 'ARCHIVE')
    or (matter.sol_date is null and matter.status = 'ACTIVE' and exists (
      select from practice_area area where area.firm_id = ${firmId}
        and area.id = matter.practice_area_id and area.expects_limitation_date)))`;

const countsOfAll = statement(
  (given: ReportDay) => sql<LimitationCounts>`
    select ${counts(given)} from matter where ${concerned(given)}`,
);

const countsByAttorney = statement(
  (given: ReportDay) => sql<LimitationReport['byAttorney'][number]>`
    select member.id::text as id, member.name, ${counts(given)} from matter
    left join matter_team place on place.firm_id = matter.firm_id and place.matter_id = matter.id
      and place.role = 'RESPONSIBLE_ATTORNEY'
    left join member on member.firm_id = place.firm_id and member.id = place.member_id
    where ${concerned(given)}
    group by member.id, member.name order by member.name nulls last, member.id`,
);
