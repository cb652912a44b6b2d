/** Calendar events as the API takes and sends them. A cancelled event is gone: `DELETE` cancels one. */
import { mustHoldFor, type Named, subjectOf } from '../about/subject.ts';
import { invalidField, notFound } from '../base/refusal.ts';
import { isRequired } from '../base/rule.ts';
import type { Reader } from '../record/actor.ts';
import { type Include, includesNothing, type Page } from '../record/page.ts';
import { type Acting, write } from '../record/write.ts';
import { addEvent, cancelEvent, changeEvent, eventForChange, type When } from './event.ts';
import { type EventLine, eventPageAbout, readEvent } from './list.ts';
import type { EventChange, EventRow, NewEvent } from './wire.ts';

/** Adds an event to a lead or a matter, and tells the colleagues among its guests. Throws `Refusal` as `subjectOf` and `addEvent` do. */
export const createEvent = (actor: Acting, body: NewEvent) =>
  write(actor, async (w) => {
    const { leadId, matterId, title, guests = [] } = body;
    const when = whenAfter(unset, body);
    await subjectOf(w, { leadId, matterId }, 'write');
    const { id } = await addEvent(w, { leadId, matterId, title, guests, ...when });
    return viewEvent(await eventSeen(w, id, 'write'));
  });

/** Changes an event. Colleagues who are new among its guests are told. Throws `Refusal` as `changeEvent` does. */
export const updateEvent = (actor: Acting, id: string, body: EventChange) =>
  write(actor, async (w) => {
    // What is not sent stays as it is when this write's turn comes.
    await eventForChange(w, id);
    const stored = viewEvent(await eventSeen(w, id, 'write'));
    await changeEvent(w, id, {
      title: body.title ?? stored.title,
      guests: body.guests ?? stored.guests,
      when: whenAfter(stored, body),
    });
    return viewEvent(await eventSeen(w, id, 'write'));
  });

/** Cancels an event and tells its guests. Throws `Refusal` not_found, forbidden. */
export const removeEvent = (actor: Acting, id: string) =>
  write(actor, async (w) => {
    await eventSeen(w, id, 'write');
    await cancelEvent(w, id);
  });

/** One event. Throws `Refusal` not_found, also for one about a lead that the reader may not see; and forbidden. */
export const readOneEvent = async (
  reader: Reader,
  id: string,
  include: Include = includesNothing,
) => viewEvent(await eventSeen(reader, id, 'read'), include);

/** A page of the events about one record, newest first. Throws `Refusal` as `subjectOf` does. */
export const listEventsAbout = async (
  reader: Reader,
  page: Page,
  named: Named,
  include: Include = includesNothing,
) => {
  const subject = await subjectOf(reader, named, 'read');
  const { rows, total } = await eventPageAbout(reader, page, subject);
  return { rows: rows.map((row) => viewEvent(row, include)), total };
};

type Time = Pick<EventRow, 'startsAt' | 'endsAt' | 'startDate' | 'endDate'>;

const unset: Time = { startsAt: null, endsAt: null, startDate: null, endDate: null };

/**
 * When an event is after a change: an event with hours that is sent a day becomes one of whole days, and
 * the other way round. Throws `Refusal` invalid_request.
 */
const whenAfter = (stored: Time, sent: Partial<Time>): When => {
  const toDays = Boolean(sent.startDate) && { startsAt: null, endsAt: null };
  const toHours = Boolean(sent.startsAt) && { startDate: null, endDate: null };
  const said = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
  const { startsAt, endsAt, startDate, endDate } = { ...stored, ...toDays, ...toHours, ...said };
  if (startsAt) {
    if (startDate) throw invalidField('startDate', 'must not be sent together with startsAt');
    if (endDate) throw invalidField('endDate', 'must not be sent for an event with hours');
    return { startsAt: new Date(startsAt), endsAt: endsAt ? new Date(endsAt) : null };
  }
  if (!startDate) throw invalidField('startsAt', isRequired(', or startDate for whole days'));
  if (endsAt) throw invalidField('endsAt', 'must not be sent for an event of whole days');
  if (sent.endDate === null) throw invalidField('endDate', 'must be a day, or left out');
  const lastDay = endDate ?? startDate;
  if (lastDay < startDate) throw invalidField('endDate', 'must not be before startDate');
  return { firstDay: startDate, lastDay };
};

const eventSeen = async (reader: Reader, id: string, right: 'read' | 'write') => {
  const found = await readEvent(reader, id);
  if (!found || found.cancelledAt) throw notFound();
  await mustHoldFor(reader, found.record.about, right);
  return found;
};

const viewEvent = (event: EventLine, include = includesNothing): EventRow => {
  const hasHours = event.firstDay === null;
  return {
    id: event.id,
    leadId: event.record.about === 'lead' ? event.record.id : null,
    matterId: event.record.about === 'matter' ? event.record.id : null,
    title: event.title,
    startsAt: hasHours ? event.startsAt.toISOString() : null,
    endsAt: event.endsAt?.toISOString() ?? null,
    startDate: event.firstDay,
    endDate: event.lastDay,
    guests: event.guests.map(({ email }) => email),
    ...(include.has('rrule') && { rrule: event.rrule }),
    createdAt: event.createdAt.toISOString(),
    updatedAt: event.updatedAt.toISOString(),
  };
};
