import { type SQL, sql } from 'drizzle-orm';
import type { Subject } from '../about/subject.ts';
import { type Given, shortStatement, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Listed, Page } from '../record/page.ts';
import {
  type AboutRecord,
  isAbout,
  joinSubject,
  recordOf,
  type SubjectColumns,
  subjectColumns,
} from '../visibility/subject.ts';
import { type Viewer, viewerOf } from '../visibility/visibility.ts';
import { eventKind, eventSeries, partOfEvent } from './table.ts';

export type EventLine = {
  id: string;
  title: string;
  kind: { id: string; name: string } | null;
  startsAt: Date;
  endsAt: Date | null;
  /** The days of an event of whole days; null for an event with hours. */
  firstDay: string | null;
  lastDay: string | null;
  /** How often it repeats, as a rule of RFC 5545; null if it does not, or no longer. */
  rrule: string | null;
  /** The events of one series have the same; null for one that was made by itself. */
  seriesId: string | null;
  cancelledAt: Date | null;
  /** The guests. `name` is a colleague's name, or null for somebody from outside. */
  guests: { email: string; name: string | null }[];
  /** The matter, or the lead that is not hired. */
  record: AboutRecord;
  createdAt: Date;
  updatedAt: Date;
};

/**
 * One event; undefined if it does not exist, or what it is about was deleted or may not be seen by the reader.
 */
export const readEvent = async (reader: Reader, id: string): Promise<EventLine | undefined> => {
  const [row] = await reader.run(oneEvent, { ...viewerOf(reader), id });
  return row && lineOf(row);
};

/**
 * The events about a record that are not cancelled: first those to come, then past ones, newest first.
 */
export const eventsAbout = async (reader: Reader, of: Subject): Promise<EventLine[]> =>
  (await reader.run(ofOneRecord[of.about], ofRecord(reader, of))).map(lineOf);

/** A page of the events about a record that are not cancelled, those made last first. */
export const eventPageAbout = async (
  reader: Reader,
  page: Page,
  of: Subject,
): Promise<Listed<EventLine>> => {
  const ofOne = ofRecord(reader, of);
  const [rows, [counted]] = await Promise.all([
    reader.run(newestOfRecord[of.about], { ...ofOne, ...page }),
    reader.run(countOfRecord[of.about], ofOne),
  ]);
  return { rows: rows.map(lineOf), total: counted?.count ?? 0 };
};

/** All events of a matter, also cancelled ones, in the order in which they start. */
export const everyEventOfMatter = async (reader: Reader, matterId: string): Promise<EventLine[]> =>
  (await reader.run(everyOfMatter, { ...viewerOf(reader), recordId: matterId })).map(lineOf);

const ofRecord = (reader: Reader, { recordId }: Subject) => ({ ...viewerOf(reader), recordId });

type EventRow = Pick<
  EventLine,
  'id' | 'title' | 'kind' | 'firstDay' | 'lastDay' | 'rrule' | 'seriesId' | 'guests'
> &
  SubjectColumns & {
    startsAt: string;
    endsAt: string | null;
    cancelledAt: string | null;
    createdAt: string;
    updatedAt: string;
  };

const lineOf = (row: EventRow): EventLine => ({
  id: row.id,
  title: row.title,
  kind: row.kind,
  firstDay: row.firstDay,
  lastDay: row.lastDay,
  rrule: row.rrule,
  seriesId: row.seriesId,
  startsAt: new Date(row.startsAt),
  endsAt: row.endsAt === null ? null : new Date(row.endsAt),
  cancelledAt: row.cancelledAt === null ? null : new Date(row.cancelledAt),
  guests: row.guests,
  record: recordOf(row),
  createdAt: new Date(row.createdAt),
  updatedAt: new Date(row.updatedAt),
});

const lines = (given: Given<Viewer>) => sql`
  select event.id::text as id, event.title,
    case when kind.id is not null then json_build_object('id', kind.id, 'name', kind.name) end as kind, event.starts_at as "startsAt",
    event.ends_at as "endsAt", event.first_day::text as "firstDay",
    event.last_day::text as "lastDay", series.rrule,
    event.series_id::text as "seriesId", event.cancelled_at as "cancelledAt", ${subjectColumns},
    event.created_at as "createdAt", event.updated_at as "updatedAt",
    (select coalesce(json_agg(json_build_object('email', guest.email, 'name', member.name)
        order by guest.email), '[]')
      from event_guest guest
      left join member on member.firm_id = guest.firm_id and member.id = guest.member_id
      where guest.firm_id = ${given.firmId}::uuid and guest.event_id = event.id) as guests
  from calendar_event event ${joinSubject(partOfEvent, given)}
  left join ${eventSeries} series on series.firm_id = event.firm_id and series.id = event.series_id
    and series.ended_at is null
  left join ${eventKind} kind on kind.firm_id = event.firm_id and kind.id = event.kind_id`;

const oneEvent = statement(
  (given: Given<Viewer & { id: string }>) => sql<EventRow>`
    ${lines(given)} where event.firm_id = ${given.firmId}::uuid and event.id = ${given.id}::uuid
      and ${isAbout}`,
);

type OfRecord = Viewer & { recordId: string };

/** A statement for the events of a matter, and one for those of a lead that is not hired. */
const forEither = <Made>(make: (isOfRecord: (given: Given<OfRecord>) => SQL) => Made) => ({
  matter: make(
    ({ firmId, recordId }) => sql`event.firm_id = ${firmId}::uuid
    and event.matter_id = ${recordId}::uuid and event.cancelled_at is null`,
  ),
  lead: make(
    ({ firmId, recordId }) => sql`event.firm_id = ${firmId}::uuid
    and event.lead_id = ${recordId}::uuid and event.matter_id is null and event.cancelled_at is null`,
  ),
});

const ofOneRecord = forEither((isOfRecord) =>
  shortStatement(
    (given: Given<OfRecord>) => sql<EventRow>`
    ${lines(given)} where ${isOfRecord(given)} and ${isAbout}
    order by event.starts_at < moment(),
      case when event.starts_at >= moment() then event.starts_at end, event.starts_at desc
    limit 100`,
  ),
);

const newestOfRecord = forEither((isOfRecord) =>
  statement(
    (given: Given<OfRecord & Page>) => sql<EventRow>`
    ${lines(given)} where ${isOfRecord(given)} and ${isAbout}
    order by event.created_at desc, event.id desc
    limit ${given.limit}::int offset ${given.offset}::bigint`,
  ),
);

const countOfRecord = forEither((isOfRecord) =>
  statement(
    (given: Given<OfRecord>) => sql<{ count: number }>`
    select count(*)::int as count from calendar_event event where ${isOfRecord(given)}`,
  ),
);

const everyOfMatter = statement(
  (given: Given<OfRecord>) => sql<EventRow>`
    ${lines(given)} where event.firm_id = ${given.firmId}::uuid and event.matter_id = ${given.recordId}::uuid
      and ${isAbout}
    order by event.starts_at, event.id`,
);
