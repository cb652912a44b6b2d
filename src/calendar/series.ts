/** Events that repeat. Each is made ahead as one of its own; the series says what the next ones are like. */
import { sql } from 'drizzle-orm';
import { holdOpen, holdSubject } from '../about/hold.ts';
import { daysBetween } from '../base/calendar-date.ts';
import { type Repeats, recurrenceOf, rruleAsked } from '../base/recurrence.ts';
import { invalidField, notFound, Refusal } from '../base/refusal.ts';
import { shortText } from '../base/short-text.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { isAboutSeen } from '../visibility/subject.ts';
import { type Viewer, viewerOf } from '../visibility/visibility.ts';
import {
  begin,
  guestsPresent,
  heldSeries,
  type OfSeries,
  type Pattern,
  type Series,
  storedSeries,
} from './ahead.ts';
import {
  addEvent,
  cancelAll,
  changeEvent,
  type EventChange,
  eventForChange,
  type NewEvent,
  timeOf,
  type When,
} from './event.ts';
import { guestsFrom, guestsMustSee } from './guests.ts';
import { kindFor } from './kinds.ts';
import { calendarEvent, eventSeries } from './table.ts';

/**
 * Adds an event that may repeat. Of one that does, those of the next 90 days are made at once, at most 60, and the others
 * later. Returns the event, or the id of the first one. Throws `Refusal` as `addEvent` and `rruleAsked` do, and invalid_request for one that repeats in an archived matter.
 */
export const addRepeating = (
  actor: Acting,
  {
    leadId,
    matterId,
    title,
    kindId = null,
    guests,
    repeats,
    repeatsUntil,
    ...when
  }: NewEvent & Repeats,
): Promise<{ id: string }> =>
  write(actor, async (w) => {
    // One that does not repeat needs no wall times.
    const pattern = repeats ? await patternOf(w, when) : undefined;
    const rrule = rruleAsked({ repeats, repeatsUntil }, countedFrom(pattern));
    if (!pattern || rrule === null) {
      return addEvent(w, { leadId, matterId, title, kindId, guests, ...when });
    }
    const subject = await holdSubject(w, { leadId, matterId });
    mustGoOn(subject, await holdOpen(w, subject));
    const emails = guestsFrom(guests);
    await guestsMustSee(w, subject, emails, guests);
    const named = {
      ...subject,
      title: shortText('title', title),
      kindId: await kindFor(w, kindId),
    };
    return begin(w, { ...named, ...pattern, rrule }, emails, { from: 'the first' });
  });

/** Which events of a series a change is for. */
export const whichOnes = ['this', 'following'] as const;
export type Which = (typeof whichOnes)[number];

type RepeatingChange = EventChange & Repeats & { which: Which };

/**
 * Changes an event that may be one of a series: this one alone, or this one and all that follow. Then the series ends, the later
 * ones that nobody has changed by themselves are cancelled, and those of a new series take their place, with the new values; a
 * day on which somebody changed or cancelled an event by itself gets no second one. An event that is of no series may begin one.
 * Throws `Refusal` as `changeEvent` and `addRepeating` do.
 */
export const changeRepeating = (
  actor: Acting,
  id: string,
  { which, repeats, repeatsUntil, ...change }: RepeatingChange,
) =>
  write(actor, async (w) => {
    const known = await seriesOf(w, id);
    const asked = { repeats, repeatsUntil };
    if (known.series && which === 'this') {
      const { rrule } = known.series;
      if (isOther(rrule, asked)) {
        throw invalidField('repeats', 'can only change for this and all that follow');
      }
    }
    if (known.series ? which === 'this' : !repeats && !repeatsUntil) {
      return changeEvent(w, id, change);
    }
    const { series, isOpen } = await holdSeries(w, known);
    const { stored, now } = await eventForChange(w, id);
    mustBeStill(known, stored);
    const pattern = await patternOf(w, change.when);
    const before = series && { rrule: series.rrule, day: stored.seriesDay };
    const rrule = rruleAsked(asked, countedFrom(pattern), before);
    const emails = guestsFrom(change.guests);
    const { leadId, matterId } = stored;
    const kindId = await kindAfter(w, stored, change);
    const made = { leadId, matterId, title: shortText('title', change.title), kindId, ...pattern };
    const stays = made.firstDay === stored.seriesDay;
    const isSame = stays && series && (await isLike(w, series, { ...made, rrule }, emails));
    const taken = series && !isSame ? await endBefore(w, series, stored, now) : [];
    await changeEvent(w, id, change);
    if (isSame || rrule === null) return;
    mustGoOn(stored, isOpen);
    await guestsMustSee(w, stored, emails, change.guests);
    await begin(w, { ...made, rrule }, emails, { from: id, taken });
  });

/** Whether something else is asked for than the rule says: what is not sent stays as it is. */
const isOther = (rrule: string, { repeats, repeatsUntil }: Repeats): boolean => {
  const { every, until } = recurrenceOf(rrule);
  return (
    (repeats !== undefined && repeats !== every) ||
    (repeatsUntil !== undefined && repeatsUntil !== until)
  );
};

/** The kind after a change: what is not sent, and one that was removed meanwhile, stays. Throws `Refusal` as `kindFor` does. */
const kindAfter = async (
  w: Write,
  { kindId: before }: { kindId: string | null },
  { kindId = before }: { kindId?: string | null },
) => (kindId === before ? before : kindFor(w, kindId));

/** Whether a series makes such events already, on the days of this rule. */
const isLike = async (
  w: Write,
  series: Series,
  made: Pattern & { title: string; kindId: string | null; rrule: string | null },
  emails: readonly string[],
): Promise<boolean> => {
  const { rrule, title, kindId, begins, ends, moreDays } = series;
  const isAlike =
    made.rrule === rrule &&
    made.title === title &&
    made.kindId === kindId &&
    made.begins === begins &&
    made.ends === ends &&
    made.moreDays === moreDays;
  return isAlike && [...emails].sort().join() === (await guestsPresent(w, series.id)).join();
};

/**
 * Cancels an event and all of its series that follow and that nobody has changed by themselves; no more are made. Repeating it
 * changes nothing. Throws `Refusal` not_found.
 */
export const cancelFollowing = (actor: Acting, id: string) =>
  write(actor, async (w) => {
    const known = await seriesOf(w, id);
    const { series } = await holdSeries(w, known);
    const { stored, now } = await eventForChange(w, id);
    mustBeStill(known, stored);
    // What was changed by itself is like no other: its guests are told of it alone.
    const isAlike = series !== undefined && stored.sequence === 0;
    const own = stored.cancelledAt === null ? [stored] : [];
    if (!isAlike) cancelAll(w, own, now);
    if (series) await endBefore(w, series, stored, now, isAlike ? own : []);
  });

/** Ends the series of a matter that was archived or deleted. Its events are cancelled by themselves. */
export const endSeriesOf = async (w: Write, matterId: string) => {
  const [living, now] = await Promise.all([
    w.run(livingOfMatter, { firmId: w.firmId, matterId }),
    w.now(),
  ]);
  for (const one of living) w.update(eventSeries, one, { endedAt: now, updatedAt: now });
};

/** What an event's rule counts from, for `rruleAsked`: nothing if there is no day. */
export const countedFrom = (pattern: Pick<Pattern, 'firstDay'> | undefined) => ({
  day: pattern?.firstDay ?? null,
  field: 'day',
  noun: 'event',
  words: 'the day of the event',
});

/** The day, the hours and the length of an event, in the firm's time zone. Throws `Refusal` as `timeOf` does. */
const patternOf = async (w: Write, when: When): Promise<Pattern> => {
  const { startsAt, endsAt, firstDay, lastDay } = await timeOf(w, when);
  if (firstDay !== null) {
    return { firstDay, begins: null, ends: null, moreDays: daysBetween(firstDay, lastDay) };
  }
  const found = await w.first(wallTimes, { firmId: w.firmId, startsAt, endsAt });
  if (!found) throw notFound();
  return found;
};

/**
 * Ends a series before one of its events, and cancels `own` and those after it that nobody has changed by themselves. Returns
 * the later days that have an event of their own, or had one that was cancelled by itself.
 */
const endBefore = async (
  w: Write,
  series: Series,
  { seriesDay }: { seriesDay: string | null },
  now: Date,
  own: readonly { id: string; cancelledAt: Date | null }[] = [],
): Promise<string[]> => {
  w.update(eventSeries, series, { endedAt: now, updatedAt: now });
  const after = { firmId: w.firmId, id: series.id, day: seriesDay ?? series.madeUntil };
  const [later, all] = await Promise.all([
    w.run(untouchedAfter, { ...after, now }),
    w.run(daysAfter, after),
  ]);
  cancelAll(w, [...own, ...later], now);
  return all.filter(({ id }) => !later.some((one) => one.id === id)).map(({ day }) => day);
};

/** What an event is about, and the series that it is one of, if that has not ended. Throws `Refusal` not_found. */
const seriesOf = async (w: Write, id: string) => {
  const { firmId } = w;
  const of = await w.first(aboutEvent, { ...viewerOf(w), id });
  if (!of) throw notFound();
  const found = of.seriesId && (await w.first(storedSeries, { firmId, id: of.seriesId }));
  return { ...of, series: found && found.endedAt === null ? found : undefined };
};

/**
 * Holds what an event is about, and then its series: in this order, as the job does, and before the event. `isOpen` says
 * whether more events of it may be made.
 */
const holdSeries = async (
  w: Write,
  { series: known, ...of }: OfSeries & { series: Series | undefined },
): Promise<{ series: Series | undefined; isOpen: boolean }> => {
  const isOpen = await holdOpen(w, of);
  const series = known && (await w.first(heldSeries, { firmId: w.firmId, id: known.id }));
  if (series && series.endedAt !== null) throw justChanged();
  return { series, isOpen };
};

const mustBeStill = (known: OfSeries & { seriesId: string | null }, stored: typeof known) => {
  if (known.matterId !== stored.matterId || known.seriesId !== stored.seriesId) throw justChanged();
};

const justChanged = () =>
  new Refusal('conflict', 'Somebody else has just changed this event. Try again.');

/** Throws `Refusal` invalid_request for what takes no more events. */
const mustGoOn = (of: OfSeries, isOpen: boolean) => {
  if (isOpen) return;
  const what = of.matterId === null ? 'lead is open' : 'matter is not archived';
  throw invalidField('repeats', `can only be chosen while the ${what}`);
};

const livingOfMatter = statement(({ firmId, matterId }: Given<'firmId' | 'matterId'>) =>
  query
    .select()
    .from(eventSeries)
    .where(
      sql`${eventSeries.firmId} = ${firmId} and ${eventSeries.matterId} = ${matterId}
        and ${eventSeries.endedAt} is null`,
    )
    .for('update'),
);

const aboutEvent = statement(
  (given: Given<Viewer & { id: string }>) => sql<OfSeries & { seriesId: string | null }>`
    select ${calendarEvent.leadId}::text as "leadId", ${calendarEvent.matterId}::text as "matterId",
      ${calendarEvent.seriesId}::text as "seriesId"
    from ${calendarEvent}
    where ${calendarEvent.firmId} = ${given.firmId}::uuid and ${calendarEvent.id} = ${given.id}::uuid
      and ${isAboutSeen(calendarEvent, given)}`,
);

type After = { firmId: string; id: string; day: string; now: Date };

const untouchedAfter = statement(({ firmId, id, day, now }: Given<After>) =>
  query
    .select()
    .from(calendarEvent)
    .where(
      sql`${calendarEvent.firmId} = ${firmId} and ${calendarEvent.seriesId} = ${id}
        and ${calendarEvent.seriesDay} > ${day}::date and ${calendarEvent.startsAt} > ${now}
        and ${calendarEvent.sequence} = 0 and ${calendarEvent.cancelledAt} is null`,
    )
    .orderBy(calendarEvent.seriesDay)
    .for('update'),
);

const daysAfter = statement(
  ({ firmId, id, day }: Given<'firmId' | 'id' | 'day'>) => sql<{ id: string; day: string }>`
    select event.id::text as id, event.series_day::text as day from ${calendarEvent} event
    where event.firm_id = ${firmId}::uuid and event.series_id = ${id}::uuid
      and event.series_day > ${day}::date`,
);

type Times = { firmId: string; startsAt: Date; endsAt: Date | null };

const wallTimes = statement(
  ({ firmId, startsAt, endsAt }: Given<Times>) => sql<Pattern>`
    select wall.starts::date::text as "firstDay", to_char(wall.starts, 'HH24:MI') as begins,
      to_char(wall.ends, 'HH24:MI') as ends,
      coalesce(wall.ends::date - wall.starts::date, 0) as "moreDays"
    from firm
    cross join lateral (select ${startsAt}::timestamptz at time zone firm.time_zone as starts,
      ${endsAt}::timestamptz at time zone firm.time_zone as ends) as wall
    where firm.id = ${firmId}::uuid`,
);
