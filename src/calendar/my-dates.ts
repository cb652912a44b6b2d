import { sql } from 'drizzle-orm';
import { isWithinDays } from '../firm/days.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';

/** A date of a matter that concerns a member: its limitation date, or an event. */
export type MyDate = {
  kind: 'limitation' | 'event';
  /** The day of the firm, `YYYY-MM-DD`. */
  day: string;
  /** When an event begins; null for a limitation date, which is a whole day. */
  startsAt: Date | null;
  /** What the event is called; null for a limitation date. */
  title: string | null;
  matter: { id: string; number: string; title: string; practiceAreaName: string };
};

/** At most this many are read: more would not help anybody on one page. */
const most = 100;

/**
 * The reader's dates, the earliest first: the limitation dates until `until` of matters on whose
 * team they are, including past ones, unless the matter is archived; and the events from `today` to
 * `until` of these matters, and those to which they are invited. Days are the firm's.
 */
export const listMyDates = async (
  reader: Reader,
  { today, until }: { today: string; until: string },
): Promise<MyDate[]> => {
  const { firmId, memberId } = reader;
  const rows = await reader.run(myDates, { firmId, memberId, from: today, to: until });
  return rows.map(({ kind, day, startsAt, title, ...matter }) => ({
    kind,
    day,
    title,
    startsAt: startsAt && new Date(startsAt),
    matter: {
      id: matter.matterId,
      number: matter.number,
      title: matter.matterTitle,
      practiceAreaName: matter.practiceAreaName,
    },
  }));
};

type Row = Omit<MyDate, 'matter'> & {
  matterId: string;
  number: string;
  matterTitle: string;
  practiceAreaName: string;
};

const ofTeam = (given: Given<{ memberId: string | null }>) => sql`exists (select from matter_team
  where matter_team.firm_id = matter.firm_id and matter_team.matter_id = matter.id
    and matter_team.member_id = ${given.memberId}::uuid)`;

const myDates = statement(
  (given: Given<{ firmId: string; memberId: string | null; from: string; to: string }>) => sql<Row>`
    select dates.kind, dates.day::text as day, dates.starts_at as "startsAt", dates.title,
      matter.id::text as "matterId", matter.number, matter.title as "matterTitle",
      practice_area.name as "practiceAreaName"
    from (
      select 'limitation' as kind, matter.sol_date as day, null::timestamptz as starts_at,
        null as title, matter.id as matter_id
      from matter
      where matter.firm_id = ${given.firmId} and matter.deleted_at is null
        and matter.status <> 'ARCHIVE' and matter.sol_date <= ${given.to}::date and ${ofTeam(given)}
      union all
      select 'event', (event.starts_at at time zone firm.time_zone)::date, event.starts_at,
        event.title, matter.id
      from calendar_event event
      join firm on firm.id = event.firm_id
      join matter on matter.firm_id = event.firm_id and matter.id = event.matter_id
      where event.firm_id = ${given.firmId} and event.cancelled_at is null
        and matter.deleted_at is null and ${isWithinDays(sql`event.starts_at`, given)}
        and (${ofTeam(given)} or exists (select from event_guest guest
          where guest.firm_id = event.firm_id and guest.event_id = event.id
            and guest.member_id = ${given.memberId}::uuid))
    ) dates
    join matter on matter.firm_id = ${given.firmId} and matter.id = dates.matter_id
    join practice_area on practice_area.firm_id = matter.firm_id
      and practice_area.id = matter.practice_area_id
    order by dates.day, dates.starts_at nulls first, matter.ordinal
    limit ${sql.raw(String(most))}`,
);
