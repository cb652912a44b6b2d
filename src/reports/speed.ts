import { sql } from 'drizzle-orm';
import { type Days, isWithinDays } from '../firm/days.ts';
import { firstTouch } from '../leads/first-touch.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';

/** How long something took, in seconds; null if there is nothing to measure. */
export type Waits = { count: number; median: number | null; nineInTen: number | null };

/** Within how many hours somebody first touched a lead. */
const touchedWithin = [1, 4, 24, 72, 168] as const;

export type Speed = {
  leads: number;
  /** From their creation to the first thing a person did. */
  firstTouch: Waits;
  /** How many were touched within each of the hours of `touchedWithin`. */
  within: { hours: number; count: number }[];
  /** From the creation of leads decided in the period to the decision. */
  hired: Waits;
  notHired: Waits;
};

/**
 * The speed report over the leads that the reader may see: the first touch of those created in
 * these days of the firm, and the decision of those decided in them. The median of an even number
 * is between the middle two. Nine in ten took at most `nineInTen`.
 */
export const reportSpeed = async (reader: Reader, days: Days): Promise<Speed> => {
  const given = { ...viewerOf(reader), ...days };
  const [touches, decisions] = await Promise.all([
    reader.first(touched, given),
    reader.run(decided, given),
  ]);
  const decision = (status: string) =>
    decisions.find((one) => one.status === status) ?? { count: 0, median: null, nineInTen: null };
  const { leads = 0, count = 0, median = null, nineInTen = null, within = [] } = touches ?? {};
  return {
    leads,
    firstTouch: { count, median, nineInTen },
    within: touchedWithin.map((hours, at) => ({ hours, count: within[at] ?? 0 })),
    hired: decision('HIRED'),
    notHired: decision('NOT_HIRED'),
  };
};

const measured = sql.raw(`count(waited)::int as count,
  (percentile_cont(0.5) within group (order by waited))::float8 as median,
  (percentile_disc(0.9) within group (order by waited))::float8 as "nineInTen"`);

const countsWithin = sql.raw(
  touchedWithin
    .map((hours) => `(count(*) filter (where waited <= ${hours * 3600}))::int`)
    .join(', '),
);

// Without `offset`, Postgres would search each lead's first touch again for each count.
const touched = statement(
  (given: Given<Viewer & Days>) => sql<Waits & { leads: number; within: number[] }>`
    select count(*)::int as leads, ${measured}, json_build_array(${countsWithin}) as within
    from (
      select extract(epoch from ${firstTouch(given)} - lead.created_at)::float8 as waited
      from lead
      where lead.firm_id = ${given.firmId} and lead.deleted_at is null and ${canSeeLead(given)}
        and ${isWithinDays(sql`lead.created_at`, given)}
      offset 0
    ) touched`,
);

const decided = statement(
  (given: Given<Viewer & Days>) => sql<Waits & { status: string }>`
    select status, ${measured}
    from (
      select lead.status, extract(epoch from lead.decided_at - lead.created_at)::float8 as waited
      from lead
      where lead.firm_id = ${given.firmId} and lead.deleted_at is null and ${canSeeLead(given)}
        and lead.status in ('HIRED', 'NOT_HIRED') and ${isWithinDays(sql`lead.decided_at`, given)}
    ) decided group by status`,
);
