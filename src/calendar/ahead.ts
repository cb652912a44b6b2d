/** The events of a series are made ahead: when it begins, and by a job as time passes. */
import { sql } from 'drizzle-orm';
import { holdOpen } from '../about/hold.ts';
import { addDays, daysBetween } from '../base/calendar-date.ts';
import { newId } from '../base/columns.ts';
import { nextOf } from '../base/recurrence.ts';
import { notFound } from '../base/refusal.ts';
import { holidaysBetween } from '../firm/holidays/days.ts';
import { enqueue } from '../jobs/enqueue.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Write } from '../record/write.ts';
import { isAboutSeen, ofMember } from '../visibility/subject.ts';
import { storeEvents } from './event.ts';
import { eventSeries, eventSeriesGuest, partOfSeries } from './table.ts';

/** An event is made so many days ahead at most; when the next is fewer days ahead than the second, all are made again. */
const daysAhead = { max: 90, min: 45 };

/** So many events of a series are ahead at most. */
const maxAhead = 60;

/** The kind of the job that makes the next events of a series. */
export const seriesKind = 'event_series';

export type Series = typeof eventSeries.$inferSelect;
export type OfSeries = Pick<Series, 'leadId' | 'matterId'>;
export type Pattern = Pick<Series, 'firstDay' | 'begins' | 'ends' | 'moreDays'>;

type Begun = OfSeries & Pattern & Pick<Series, 'title' | 'kindId' | 'rrule'>;

/** A series begins with an event that is made now, or with one that is there; some days after that may be taken. */
type Beginning = { from: 'the first' } | { from: string; taken: readonly string[] };

/** Stores a series and makes its first events. Returns the id of the one on its first day. */
export const begin = async (
  w: Write,
  made: Begun,
  emails: string[],
  how: Beginning,
): Promise<{ id: string }> => {
  const now = await w.now();
  const series = {
    ...made,
    firmId: w.firmId,
    id: newId(),
    madeById: w.memberId,
    madeUntil: made.firstDay,
    endedAt: null,
    createdAt: now,
    updatedAt: now,
  };
  const { firmId, id } = series;
  w.create(eventSeries, series, { guests: emails });
  void w.run(keepGuests, { firmId, id, emails });
  const isNew = how.from === 'the first';
  if (!isNew) void w.run(takeInto, { firmId, id, eventId: how.from, day: made.firstDay });
  const first = isNew ? [made.firstDay] : [];
  const taken = 'taken' in how ? how.taken : [];
  const { made: events, seconds } = await makeAhead(w, series, emails, first, taken);
  if (seconds !== undefined) {
    const dedupeKey = `${seriesKind}:${id}`;
    enqueue(w, { kind: seriesKind, dedupeKey, ref: id, afterSeconds: seconds });
  }
  return { id: isNew ? (events[0]?.id ?? '') : how.from };
};

/**
 * Makes events on these days and on the next ones of the rule that are not past, but for days that are taken. Returns them, and
 * `seconds` as `makeNextOf` does.
 */
const makeAhead = async (
  w: Write,
  series: Series,
  emails: string[],
  first: readonly string[] = [],
  taken: readonly string[] = [],
): Promise<{ made: readonly { id: string }[]; seconds: number | undefined }> => {
  const { firmId } = w;
  const now = await w.now();
  const here = await w.first(ahead, { firmId, id: series.id, now });
  if (!here) throw notFound();
  const { today } = here;
  const last = addDays(today, daysAhead.max);
  const holidays = (await holidaysBetween(w, today, last)).map(({ day }) => day);
  const room = maxAhead - here.count - first.length;
  const { days, upcoming } = nextDays(series, { today, last, holidays, room });
  const free = [...first, ...days].filter((day) => !taken.includes(day));
  const made = (await timesOf(w, series, free)).map((time) => ({
    firmId,
    id: newId(),
    leadId: series.leadId,
    matterId: series.matterId,
    title: series.title,
    kindId: series.kindId,
    ...time,
    seriesId: series.id,
    createdAt: now,
    updatedAt: now,
  }));
  storeEvents(w, made, emails);
  const day = days.at(-1);
  if (day !== undefined) void w.run(noteMade, { firmId, id: series.id, day });
  const wait = upcoming === null ? undefined : daysBetween(today, upcoming) - daysAhead.min;
  return { made, seconds: wait === undefined ? undefined : secondsOf(wait) };
};

type Ahead = { today: string; last: string; holidays: string[]; room: number };

/** The next days of a series, and the one after them that has its turn later; null if the rule has no more. */
const nextDays = ({ rrule, madeUntil }: Series, { today, last, holidays, room }: Ahead) => {
  const days: string[] = [];
  for (;;) {
    const day = days.at(-1) ?? madeUntil;
    const upcoming = nextOf(rrule, { day, notBefore: today, holidays });
    if (upcoming === null || upcoming > last || days.length >= room) return { days, upcoming };
    days.push(upcoming);
  }
};

const secondsOf = (days: number) => Math.max(1, days) * 86_400;

/** When the events of these days are. */
const timesOf = async (w: Write, { begins, ends, moreDays }: Series, days: readonly string[]) => {
  if (days.length === 0) return [];
  const given = { firmId: w.firmId, days: [...days], begins: begins ?? '00:00', ends, moreDays };
  return (await w.run(momentsOf, given)).map(({ day, ...at }) => {
    const startsAt = new Date(at.startsAt);
    const endsAt = at.endsAt === null ? null : new Date(at.endsAt);
    const isWhole = begins === null;
    return {
      seriesDay: day,
      startsAt,
      // An event that begins in the hour that is left out begins an hour later, and may end before that.
      endsAt: endsAt && endsAt < startsAt ? startsAt : endsAt,
      firstDay: isWhole ? day : null,
      lastDay: isWhole ? addDays(day, moreDays) : null,
    };
  });
};

/** Makes the next events of a series. Returns after how many seconds to come again; undefined: never. */
export const makeNextOf = async (w: Write, known: Series): Promise<number | undefined> => {
  const isOpen = await holdOpen(w, known);
  const series = await w.first(heldSeries, { firmId: w.firmId, id: known.id });
  if (!series || series.endedAt !== null) return undefined;
  // It was hired meanwhile, or that was undone.
  if (series.matterId !== known.matterId) return 0;
  if (!isOpen) return secondsOf(1);
  return (await makeAhead(w, series, await guestsPresent(w, series.id))).seconds;
};

/** The addresses of the guests of a series who are still there and may see what it is about, in order. */
export const guestsPresent = async (w: Write, id: string): Promise<string[]> =>
  (await w.run(presentGuests, { firmId: w.firmId, id })).map(({ email }) => email).sort();

const isOf = ({ firmId, id }: Given<'firmId' | 'id'>) =>
  sql`${eventSeries.firmId} = ${firmId} and ${eventSeries.id} = ${id}`;

/** A series as it is stored, not held. */
export const storedSeries = statement((given: Given<'firmId' | 'id'>) =>
  query.select().from(eventSeries).where(isOf(given)),
);

/** The same, held until the transaction ends. */
export const heldSeries = statement((given: Given<'firmId' | 'id'>) =>
  query.select().from(eventSeries).where(isOf(given)).for('update'),
);

const presentGuests = statement(
  ({ firmId, id }: Given<'firmId' | 'id'>) => sql<{ email: string }>`
    select distinct coalesce(member.email, guest.email) as email
    from ${eventSeriesGuest} guest
    join ${eventSeries} series on series.firm_id = guest.firm_id and series.id = guest.series_id
    left join member on member.firm_id = guest.firm_id and member.id = guest.member_id
    left join role on role.firm_id = member.firm_id and role.id = member.role_id
    where guest.firm_id = ${firmId}::uuid and guest.series_id = ${id}::uuid
      and (member.id is null or member.deactivated_at is null
        and (series.matter_id is not null or ${isAboutSeen(partOfSeries, ofMember(firmId))}))`,
);

const keepGuests = statement(
  ({ firmId, id, emails }: Given<{ firmId: string; id: string; emails: string[] }>) => sql`
    insert into event_series_guest (firm_id, series_id, email, member_id)
    select ${firmId}::uuid, ${id}::uuid, guest.email, member.id
    from unnest(${emails}::text[]) as guest (email)
    left join member on member.firm_id = ${firmId}::uuid and member.email = guest.email`,
);

const takeInto = statement(
  ({ firmId, id, eventId, day }: Given<'firmId' | 'id' | 'eventId' | 'day'>) => sql`
    update calendar_event set series_id = ${id}::uuid, series_day = ${day}::date
    where firm_id = ${firmId}::uuid and id = ${eventId}::uuid`,
);

const noteMade = statement(
  ({ firmId, id, day }: Given<'firmId' | 'id' | 'day'>) => sql`
    update event_series set made_until = ${day}::date
    where firm_id = ${firmId}::uuid and id = ${id}::uuid`,
);

const ahead = statement(
  ({ firmId, id, now }: Given<{ firmId: string; id: string; now: Date }>) => sql<{
    today: string;
    count: number;
  }>`
    select here.today::text as today,
      (select count(*)::int from calendar_event event where event.firm_id = ${firmId}::uuid
        and event.series_id = ${id}::uuid and event.series_day >= here.today
        and event.cancelled_at is null) as count
    from firm
    cross join lateral (select (${now}::timestamptz at time zone firm.time_zone)::date as today) as here
    where firm.id = ${firmId}::uuid`,
);

type Hours = {
  firmId: string;
  days: string[];
  begins: string;
  ends: string | null;
  moreDays: number;
};

const momentsOf = statement(
  ({ firmId, days, begins, ends, moreDays }: Given<Hours>) => sql<{
    day: string;
    startsAt: string;
    endsAt: string | null;
  }>`
    select on_day.day::text as day,
      (on_day.day + ${begins}::time) at time zone firm.time_zone as "startsAt",
      (on_day.day + ${moreDays}::int + ${ends}::time) at time zone firm.time_zone as "endsAt"
    from firm
    cross join unnest(${days}::date[]) as on_day (day)
    where firm.id = ${firmId}::uuid
    order by on_day.day`,
);
