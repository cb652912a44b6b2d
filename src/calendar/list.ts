import { sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Listed, Page } from '../record/page.ts';

export type EventLine = {
  id: string;
  title: string;
  startsAt: Date;
  endsAt: Date | null;
  /** The days of an event of whole days; null for an event with hours. */
  firstDay: string | null;
  lastDay: string | null;
  cancelledAt: Date | null;
  /** The guests. `name` is a colleague's name, or null for somebody from outside. */
  guests: { email: string; name: string | null }[];
  matter: { id: string; number: string; title: string };
  createdAt: Date;
  updatedAt: Date;
};

/** One event; undefined if it does not exist or its matter was deleted. */
export const readEvent = async (reader: Reader, id: string): Promise<EventLine | undefined> => {
  const [row] = await reader.run(oneEvent, { firmId: reader.firmId, id });
  return row && lineOf(row);
};

/**
 * The events of a matter that are not cancelled: first those to come, then past ones, newest first.
 */
export const eventsOfMatter = async (reader: Reader, matterId: string): Promise<EventLine[]> =>
  (await reader.run(ofMatter, { firmId: reader.firmId, matterId })).map(lineOf);

/** A page of the events of a matter that are not cancelled, those made last first. */
export const eventPageOfMatter = async (
  reader: Reader,
  page: Page,
  matterId: string,
): Promise<Listed<EventLine>> => {
  const ofOne = { firmId: reader.firmId, matterId };
  const [rows, [counted]] = await Promise.all([
    reader.run(newestOfMatter, { ...ofOne, ...page }),
    reader.run(countOfMatter, ofOne),
  ]);
  return { rows: rows.map(lineOf), total: counted?.count ?? 0 };
};

/** All events of a matter, also cancelled ones, in the order in which they start. */
export const everyEventOfMatter = async (reader: Reader, matterId: string): Promise<EventLine[]> =>
  (await reader.run(everyOfMatter, { firmId: reader.firmId, matterId })).map(lineOf);

type EventRow = Pick<EventLine, 'id' | 'title' | 'firstDay' | 'lastDay' | 'guests'> & {
  startsAt: string;
  endsAt: string | null;
  cancelledAt: string | null;
  matterId: string;
  number: string;
  matterTitle: string;
  createdAt: string;
  updatedAt: string;
};

const lineOf = (row: EventRow): EventLine => ({
  id: row.id,
  title: row.title,
  firstDay: row.firstDay,
  lastDay: row.lastDay,
  startsAt: new Date(row.startsAt),
  endsAt: row.endsAt === null ? null : new Date(row.endsAt),
  cancelledAt: row.cancelledAt === null ? null : new Date(row.cancelledAt),
  guests: row.guests,
  matter: { id: row.matterId, number: row.number, title: row.matterTitle },
  createdAt: new Date(row.createdAt),
  updatedAt: new Date(row.updatedAt),
});

const lines = ({ firmId }: Given<'firmId'>) => sql`
  select event.id::text as id, event.title, event.starts_at as "startsAt",
    event.ends_at as "endsAt", event.first_day::text as "firstDay",
    event.last_day::text as "lastDay", event.cancelled_at as "cancelledAt",
    matter.id::text as "matterId", matter.number, matter.title as "matterTitle",
    event.created_at as "createdAt", event.updated_at as "updatedAt",
    (select coalesce(json_agg(json_build_object('email', guest.email, 'name', member.name)
        order by guest.email), '[]')
      from event_guest guest
      left join member on member.firm_id = guest.firm_id and member.id = guest.member_id
      where guest.firm_id = ${firmId}::uuid and guest.event_id = event.id) as guests
  from calendar_event event
  join matter on matter.firm_id = event.firm_id and matter.id = event.matter_id
    and matter.deleted_at is null`;

const oneEvent = statement(
  (given: Given<'firmId' | 'id'>) => sql<EventRow>`
    ${lines(given)} where event.firm_id = ${given.firmId}::uuid and event.id = ${given.id}::uuid`,
);

const ofMatter = statement(
  (given: Given<'firmId' | 'matterId'>) => sql<EventRow>`
    ${lines(given)} where event.firm_id = ${given.firmId}::uuid and event.matter_id = ${given.matterId}::uuid
      and event.cancelled_at is null
    order by event.starts_at < moment(),
      case when event.starts_at >= moment() then event.starts_at end, event.starts_at desc
    limit 100`,
);

const newestOfMatter = statement(
  (given: Given<{ firmId: string; matterId: string } & Page>) => sql<EventRow>`
    ${lines(given)} where event.firm_id = ${given.firmId}::uuid and event.matter_id = ${given.matterId}::uuid
      and event.cancelled_at is null
    order by event.created_at desc, event.id desc
    limit ${given.limit}::int offset ${given.offset}::bigint`,
);

const countOfMatter = statement(
  ({ firmId, matterId }: Given<'firmId' | 'matterId'>) => sql<{ count: number }>`
    select count(*)::int as count from calendar_event
    where firm_id = ${firmId}::uuid and matter_id = ${matterId}::uuid and cancelled_at is null`,
);

const everyOfMatter = statement(
  (given: Given<'firmId' | 'matterId'>) => sql<EventRow>`
    ${lines(given)} where event.firm_id = ${given.firmId}::uuid and event.matter_id = ${given.matterId}::uuid
    order by event.starts_at, event.id`,
);
