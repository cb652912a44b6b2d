/** The guests of events, and their notifications. */
import { and, asc, eq, sql } from 'drizzle-orm';
import { invalidField, Refusal } from '../base/refusal.ts';
import { plainly } from '../base/rule.ts';
import { cutName } from '../base/short-text.ts';
import { bulkChange, bulkRow } from '../bulk/table.ts';
import { isHolderOrDeputy } from '../firm/absence.ts';
import { isEmailAddress, listMembers } from '../firm/member.ts';
import { deliver, type Told } from '../notifications/delivered.ts';
import { asDeputy } from '../notifications/deputy.ts';
import type { Transaction } from '../postgres/pool.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import { askGuests, invitationCause } from '../receipts/asking.ts';
import type { Reader } from '../record/actor.ts';
import type { Write } from '../record/write.ts';
import { mayMemberSee } from '../visibility/member.ts';
import {
  isAbout,
  isAboutRead,
  joinSubject,
  ofMember,
  subjectWords,
} from '../visibility/subject.ts';
import { calendarEvent, eventGuest, partOfEvent } from './table.ts';

/** So many wrong addresses are named at once. */
const maxNamed = 10;

/** Addresses, each once, in lower case. Throws `Refusal` invalid_request for an invalid one. */
export const guestsFrom = (guests: readonly string[]): string[] => {
  const emails = [...new Set(guests.map(addressOf))];
  const wrong = emails.filter((email) => !isEmailAddress(email)).slice(0, maxNamed);
  if (wrong.length === 0) return emails;
  const named = wrong.map((email) => `“${cutName(email)}”`).join(', ');
  const are = wrong.length === 1 ? 'is none' : 'are none';
  throw invalidField('guests', `must be email addresses, one per line: ${named} ${are}`);
};

/**
 * An event of a private lead would not exist for a colleague who does not see the lead. Throws `Refusal`
 * invalid_request if one of the `added` may not; its fault names the place among all guests `asked` for, `guests[1]`.
 */
export const guestsMustSee = async (
  w: Write,
  { leadId, matterId }: Of,
  added: readonly string[],
  asked: readonly string[],
) => {
  if (leadId === null || matterId !== null || added.length === 0) return;
  const colleagues = (await listMembers(w)).filter(({ email }) => added.includes(email));
  const see = await Promise.all(colleagues.map(({ id }) => mayMemberSee(w, leadId, id)));
  const blind = colleagues.filter((_, at) => !see[at]);
  const place = asked.findIndex((guest) => blind.some(({ email }) => email === addressOf(guest)));
  if (place < 0) return;
  const names = blind.map(({ name }) => name).join(', ');
  const rule = 'must be owners, or assigned to this private lead';
  const words = `Invite only owners, or people who are assigned to this private lead: not ${names}`;
  throw new Refusal('invalid_request', `guests ${rule}, if they are colleagues.`, {}, [
    { field: `guests[${place}]`, ...plainly(words, rule) },
  ]);
};

const addressOf = (guest: string) => guest.trim().toLowerCase();

type Of = { leadId: string | null; matterId: string | null };

/**
 * Stores who is invited to these events, which are alike. `tells` says whether the colleagues among them get a notice, one of
 * all the events, which leads to the first; by default they do if a member invites them.
 */
export const invite = (
  w: Write,
  eventIds: readonly string[],
  emails: readonly string[],
  tells = w.memberId !== null,
) => {
  const [first, ...others] = eventIds;
  if (first === undefined || emails.length === 0) return;
  void w.run(takeIn, { firmId: w.firmId, eventIds: [...eventIds], emails: [...emails] });
  if (!tells || w.author.at) return;
  const count = eventIds.length;
  tellOfInvitation(
    w,
    first,
    emails,
    count === 1 ? 'Invited to an event' : `Invited to ${count} events`,
  );
  askGuests(w, [first, ...others], emails);
};

/** Tells the colleagues among these guests, and who stands in for them now, that an event has another time, and asks anew. */
export const tellMoved = (w: Write, eventId: string, emails: readonly string[]) => {
  if (emails.length === 0 || w.memberId === null || w.author.at) return;
  tellOfInvitation(w, eventId, emails, 'An event has another time');
  askGuests(w, [eventId], emails);
};

const tellOfInvitation = (w: Write, eventId: string, emails: readonly string[], title: string) => {
  const cause = invitationCause(w, eventId);
  const { firmId, memberId: doerId } = w;
  void deliver(w, tellInvited, { firmId, eventId, emails: [...emails], cause, title, doerId });
};

/** Takes guests off an event. They are not told. */
export const uninvite = (w: Write, eventId: string, emails: readonly string[]) => {
  if (emails.length > 0) void w.run(takeOff, { firmId: w.firmId, eventId, emails: [...emails] });
};

/** Tells the colleagues among an event's guests, except one, that it was cancelled, with `count - 1` others that are alike. */
export const tellGuests = (w: Write, eventId: string, count: number, doerId: string | null) => {
  const title = count === 1 ? 'Event cancelled' : `${count} events cancelled`;
  void deliver(w, tellCancelled, { firmId: w.firmId, eventId, title, doerId });
};

/** The addresses of an event's guests. */
export const guestsOf = async (reader: Reader, id: string): Promise<string[]> =>
  (await reader.run(guestsOfOne, { firmId: reader.firmId, id })).map(({ email }) => email);

/** The guests' addresses of the firm's events, by event; of one matter if its id is given. */
export const guestsByEvent = async (reader: Reader, matterId: string | null) => {
  const rows = await reader.run(guestsOfAll, { firmId: reader.firmId, matterId });
  const byEvent = Map.groupBy(rows, ({ eventId }) => eventId);
  return new Map([...byEvent].map(([id, guests]) => [id, guests.map(({ email }) => email)]));
};

const guestsOfAll = statement((given: Given<{ firmId: string; matterId: string | null }>) =>
  query
    .select({ eventId: eventGuest.eventId, email: eventGuest.email })
    .from(eventGuest)
    .innerJoin(
      calendarEvent,
      and(eq(calendarEvent.firmId, eventGuest.firmId), eq(calendarEvent.id, eventGuest.eventId)),
    )
    .where(
      sql`${eventGuest.firmId} = ${given.firmId} and (${given.matterId}::uuid is null
        or ${calendarEvent.matterId} = ${given.matterId})`,
    )
    .orderBy(asc(eventGuest.email)),
);

const guestsOfOne = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .select({ email: eventGuest.email })
    .from(eventGuest)
    .where(and(eq(eventGuest.firmId, firmId), eq(eventGuest.eventId, id)))
    .orderBy(asc(eventGuest.email)),
);

const takeIn = statement(
  (given: Given<{ firmId: string; eventIds: string[]; emails: string[] }>) => sql`
    insert into event_guest (firm_id, event_id, email, member_id)
    select ${given.firmId}::uuid, event.id, guest.email, member.id
    from unnest(${given.eventIds}::uuid[]) as event (id)
    cross join unnest(${given.emails}::text[]) as guest (email)
    left join member on member.firm_id = ${given.firmId}::uuid and member.email = guest.email`,
);

const takeOff = statement(
  ({ firmId, eventId, emails }: Given<{ firmId: string; eventId: string; emails: string[] }>) =>
    sql`delete from event_guest where firm_id = ${firmId}::uuid and event_id = ${eventId}::uuid
      and email = any(${emails}::text[])`,
);

// An event is cancelled only once, so its id can be the cause. Guests from outside have no inbox. Its matter
// may have been deleted: that cancels it.
const tellCancelled = statement(
  ({
    firmId,
    eventId,
    title,
    doerId,
  }: Given<{ firmId: string; eventId: string; title: string; doerId: string | null }>) => sql<Told>`
    insert into notification (firm_id, member_id, kind, cause, record_id, title, text, created_at, raised_at)
    select event.firm_id, member.id, 'event.cancelled', event.id, coalesce(matter.id, lead.id), ${title}::text,
      event.title || ' (' || ${subjectWords} || ')', moment(), moment()
    from calendar_event event
    join event_guest guest on guest.firm_id = event.firm_id and guest.event_id = event.id
    join member on member.firm_id = guest.firm_id and member.id = guest.member_id
    join role on role.firm_id = member.firm_id and role.id = member.role_id
    ${joinSubject(partOfEvent, ofMember(firmId), true)}
    where event.firm_id = ${firmId} and event.id = ${eventId} and ${isAbout}
      and member.id is distinct from ${doerId}::uuid
      and member.deactivated_at is null and not 'event.cancelled' = any(member.muted_kinds)
    on conflict do nothing returning notification.kind`,
);

/**
 * Tells each colleague once of all events that were cancelled with the matters of a bulk, which a request began. A
 * notice that knew of fewer is raised again.
 */
export const tellGuestsOfSeveral = (transaction: Transaction, firmId: string, requestId: string) =>
  void deliver(transaction, tellAllCancelled, { firmId, requestId });

/** So many events are named in one notice. */
const named = sql.raw('3');

const tellAllCancelled = statement(
  ({ firmId, requestId }: Given<'firmId' | 'requestId'>) => sql<Told>`
    insert into notification
      (firm_id, member_id, kind, cause, record_id, title, text, count, created_at, raised_at)
    select ${firmId}::uuid, told.member_id, 'event.cancelled', 'several:' || ${requestId}::text,
      case when told.count = 1 then told.matter_id end,
      case when told.count = 1 then 'Event cancelled' else told.count || ' events cancelled' end,
      array_to_string(told.events[1:${named}], '; ')
        || case when told.count > ${named} then '; and ' || told.count - ${named} || ' more' else '' end,
      told.count, moment(), moment()
    from (
      select member.id as member_id, count(*)::int as count, min(matter.id::text)::uuid as matter_id,
        array_agg(event.title || ' (' || matter.number || ' ' || matter.title || ')'
          order by event.starts_at, event.id) as events
      from ${bulkChange} bulk
      join ${bulkRow} bulk_row on bulk_row.firm_id = bulk.firm_id and bulk_row.bulk_id = bulk.id
      join matter on matter.firm_id = bulk_row.firm_id and matter.id = bulk_row.record_id
      join calendar_event event on event.firm_id = matter.firm_id and event.matter_id = matter.id
        and event.cancelled_at is not null
      join audit_entry entry on entry.firm_id = event.firm_id and entry.record_id = event.id
        and entry.request_id = bulk.request_id and entry.changes ? 'cancelledAt'
      join event_guest guest on guest.firm_id = event.firm_id and guest.event_id = event.id
      join member on member.firm_id = guest.firm_id and member.id = guest.member_id
      where bulk.firm_id = ${firmId}::uuid and bulk.request_id = ${requestId}::text
        and member.deactivated_at is null and not 'event.cancelled' = any(member.muted_kinds)
      group by member.id) told
    on conflict (firm_id, member_id, kind, cause) do update
      set count = excluded.count, title = excluded.title, text = excluded.text,
        record_id = excluded.record_id, raised_at = excluded.raised_at, read_at = null
      where notification.count < excluded.count
    returning notification.kind`,
);

const tellInvited = statement(
  (
    given: Given<{
      firmId: string;
      eventId: string;
      emails: string[];
      cause: string;
      title: string;
      doerId: string | null;
    }>,
  ) => sql<Told>`
    with given as (
    insert into notification (firm_id, member_id, kind, cause, record_id, title, text, created_at, raised_at)
    select event.firm_id, member.id, 'event.invited', ${given.cause}, event.id,
      ${given.title}::text || ${asDeputy(sql`member.id <> holder.id`)},
      event.title || ' (' || ${subjectWords} || ')', moment(), moment()
    from calendar_event event
    join event_guest guest on guest.firm_id = event.firm_id and guest.event_id = event.id
      and guest.email = any(${given.emails}::text[])
    join member holder on holder.firm_id = guest.firm_id and holder.id = guest.member_id
    join member on member.firm_id = guest.firm_id and ${isHolderOrDeputy}
    join role on role.firm_id = member.firm_id and role.id = member.role_id
    ${joinSubject(partOfEvent, ofMember(given.firmId))}
    where event.firm_id = ${given.firmId}::uuid and event.id = ${given.eventId}::uuid and ${isAbout}
      and (member.id = holder.id or ${isAboutRead(partOfEvent, given.firmId)})
      and member.id is distinct from ${given.doerId}::uuid
      and member.deactivated_at is null and not 'event.invited' = any(member.muted_kinds)
    order by member.id <> holder.id
    on conflict do nothing returning id, member_id, kind),
    replaced as (
    update notification set replaced_by_id = given.id
    from given, ${calendarEvent} event
    where notification.firm_id = ${given.firmId}::uuid and notification.member_id = given.member_id
      and notification.kind = given.kind and notification.record_id = ${given.eventId}::uuid
      and notification.replaced_by_id is null
      and event.firm_id = ${given.firmId}::uuid and event.id = ${given.eventId}::uuid
      and event.series_id is null)
    select kind from given`,
);
