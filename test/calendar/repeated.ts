/** Events that repeat, and the days that pass for them. */
import type { guardedDatabase } from '../limitation/guarded.ts';
import type { Firm } from '../support/firm.ts';
import { untilItDoes } from '../support/until.ts';

type Event = {
  id: string;
  title: string;
  day: string;
  startsAt: Date;
  endsAt: Date | null;
  seriesDay: string;
  cancelledAt: Date | null;
  matterId: string | null;
};

export const repeated = ({
  sql,
  clock,
}: Pick<Awaited<ReturnType<typeof guardedDatabase>>, 'sql' | 'clock'>) => {
  /** All events of a firm, cancelled ones too, as they are stored. */
  const everyEvent = async (firm: Firm): Promise<Event[]> => [
    ...(await sql<Event[]>`
  select id, title, coalesce(first_day, (starts_at at time zone firm_zone.zone)::date)::text as day,
    starts_at as "startsAt", ends_at as "endsAt", series_day::text as "seriesDay",
    cancelled_at as "cancelledAt", matter_id as "matterId"
  from calendar_event cross join (select time_zone as zone from firm where id = ${firm.id}) as firm_zone
  where firm_id = ${firm.id} order by starts_at, id`),
  ];

  const eventsOf = async (firm: Firm) =>
    (await everyEvent(firm)).filter(({ cancelledAt }) => cancelledAt === null);

  /** Waits until no job of a series or of a matter's end is left to do at this moment. */
  const settled = () =>
    untilItDoes(async () => {
      const due = await sql`select from job where kind in ('event_series', 'close_out_events')
      and run_at <= moment() and dead_at is null`;
      return due.length === 0;
    });

  /** Moves the clock on, five days at a time, so that the jobs run on days of their own. */
  const passTo = async (at: number) => {
    const step = 5 * 86_400;
    while ((await clock.now()) + step * 1_000 < at) {
      await clock.step(step);
      await settled();
    }
    await clock.standAt(at);
    await settled();
  };

  return { everyEvent, eventsOf, settled, passTo };
};
