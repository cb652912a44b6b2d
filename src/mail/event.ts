/** Invitations to events by mail (iMIP, RFC 6047): calendars outside take them in at once. */

import { sql } from 'drizzle-orm';
import {
  ICalAttendeeStatus,
  ICalCalendar,
  ICalCalendarMethod,
  ICalEventStatus,
} from 'ical-generator';
import { calendarProgram, hours, oneLine, uidOf, wholeDays } from '../base/ics.ts';
import { calendarEvent, eventGuest, partOfEvent } from '../calendar/table.ts';
import type { Formats } from '../firm/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { isAboutSeen, ofMember } from '../visibility/subject.ts';
import { letterWith, openCalendar, waitingTitle, waitingWords } from './letter.ts';
import { type EventMethod, trySeconds } from './table.ts';
import type { Letter } from './transport.ts';
import { countWaiting } from './waiting.ts';

/** An event to be sent to one of its guests. */
export type PostedEvent = {
  id: string;
  address: string;
  /** Whether the guest is a member, who can open the event's page. */
  isMember: boolean;
  method: EventMethod;
  sequence: number;
  title: string;
  startsAt: string;
  endsAt: string | null;
  firstDay: string | null;
  lastDay: string | null;
  /** Whether a second person has yet to confirm its day. */
  isWaiting: boolean;
  /** Whether the guest was invited by an earlier mail, and whether the event itself was cancelled. */
  isInvited: boolean;
  /** Whether an earlier mail has put it into the guest's calendar, or may have. */
  mayHaveIt: boolean;
  isCancelled: boolean;
  firmName: string;
  timeZone: string;
  /** How the guest has days and times written: as they chose, else as the firm did. */
  formats: Partial<Formats>;
  now: string;
};

/**
 * Whether an earlier invitation of the guest of a `mail` was sent, or may have been: its try had begun when the event was
 * cancelled, or the mail server had not refused it for good. Nobody takes back what was never sent.
 */
const mayHaveIt = ({ firmId }: Given<'firmId'>) => sql`exists (select from mail earlier
  where earlier.firm_id = ${firmId}::uuid and earlier.event_id = mail.event_id and earlier.guest = mail.guest
    and earlier.event_method = 'REQUEST'
    and (earlier.state = 'accepted'
      or earlier.tries > 0 and earlier.state <> 'refused'
      or earlier.state = 'queued' and earlier.message_id is not null
        and earlier.next_try_at - make_interval(secs => ${trySeconds}) <= mail.queued_at))`;

/**
 * What a mail of an event brings; no row if it is no such mail, if a newer one follows or replaces it, if
 * its guest has left the firm or may not see the lead that it is about, or if it takes back what a guest from outside was never
 * sent. A colleague who wants mails of cancellations is told also then.
 */
export const eventToPost = statement(
  ({ firmId, id }: Given<'firmId' | 'id'>) => sql<PostedEvent>`
    select ${countWaiting({ firmId }, sql`select mail.event_id`)} > 0 as "isWaiting",
      event.cancelled_at is not null as "isCancelled",
      coalesce((select earlier.event_method = 'REQUEST' from mail earlier
        where earlier.firm_id = ${firmId}::uuid and earlier.event_id = mail.event_id
          and earlier.guest = mail.guest and earlier.state = 'accepted'
        order by earlier.event_sequence desc limit 1), false) as "isInvited",
      ${mayHaveIt({ firmId })} as "mayHaveIt",
      event.id::text as id, coalesce(member.email, mail.guest) as address,
      member.id is not null as "isMember", mail.event_method as method,
      mail.event_sequence as sequence, event.title, event.starts_at as "startsAt",
      event.ends_at as "endsAt", event.first_day::text as "firstDay",
      event.last_day::text as "lastDay", firm.name as "firmName", firm.time_zone as "timeZone",
      firm.formats || coalesce(member.formats, '{}') as formats, moment() as now
    from mail
    join firm on firm.id = mail.firm_id
    join ${calendarEvent} event on event.firm_id = mail.firm_id and event.id = mail.event_id
    left join ${eventGuest} guest on guest.firm_id = mail.firm_id and guest.event_id = event.id
      and guest.email = mail.guest
    left join member on member.firm_id = mail.firm_id and member.id = mail.member_id
    left join role on role.firm_id = mail.firm_id and role.id = member.role_id
    where mail.firm_id = ${firmId}::uuid and mail.id = ${id}::uuid
      and member.deactivated_at is null
      and (event.matter_id is not null or member.id is null or ${isAboutSeen(partOfEvent, ofMember(firmId))})
      and case mail.event_method
        when 'REQUEST' then guest.email is not null and event.cancelled_at is null
          and not exists (select from mail later where later.firm_id = ${firmId}::uuid
            and later.event_id = event.id and later.guest = mail.guest
            and later.event_sequence > mail.event_sequence)
        else (guest.email is null or event.cancelled_at is not null)
          and (member.id is not null or ${mayHaveIt({ firmId })}) end`,
);

/** Whether an event, `event` in the statement, may not be over yet, wherever its guest is. */
export const mayBeAhead = sql`
  greatest(event.starts_at, event.ends_at, event.last_day::timestamptz) > moment() - interval '1 day'`;

/** The mail of an event. A guest from outside is told the event, the firm, and nothing else. */
export const letterOfEvent = (
  event: PostedEvent,
  from: string,
  publicUrl: string | undefined,
): Letter => {
  const { method, isMember, firmName } = event;
  const title = oneLine(event.title);
  const { subject, words } = saidOf(event);
  const ends = method === 'CANCEL';
  // Nobody outside can check it. The calendar's entry is not sent anew once it is confirmed.
  const isWaiting = event.isWaiting && isMember && !ends;
  return {
    ...letterWith({
      to: event.address,
      subject: `${subject}: ${isWaiting ? waitingTitle(title) : title}`,
      lines: [
        title,
        whenOf(event),
        ...(isWaiting ? [waitingWords] : []),
        `${firmName} ${words}`,
        ...(ends
          ? []
          : [isMember ? notRead : `${notRead} If you cannot come, tell the firm in another way.`]),
      ],
      link:
        isMember && publicUrl ? `${publicUrl}/calendar${ends ? '' : `/${event.id}`}` : undefined,
      doing: ends ? openCalendar : 'Open the event',
      isPublic: !isMember,
      publicUrl: isMember ? publicUrl : undefined,
    }),
    // Of what no calendar has, there is nothing to take out of it.
    ...((!ends || event.mayHaveIt) && {
      calendar: { method, content: calendarOf(event, title, from) },
    }),
  };
};

const notRead = 'Answers to this mail are not read.';

/** How the subject begins, and what the firm does to the guest. */
const saidOf = ({ method, isInvited, isCancelled }: PostedEvent) => {
  if (method === 'CANCEL') {
    return isCancelled
      ? { subject: 'Cancelled', words: 'has cancelled this event.' }
      : { subject: 'No longer invited', words: 'no longer invites you to this event.' };
  }
  return isInvited
    ? { subject: 'Changed', words: 'has changed this event. The details above are the new ones.' }
    : { subject: 'Invitation', words: 'invites you.' };
};

/** `Tuesday 14 December 2027 at 13:00–14:30 (Eastern Standard Time)`, or as its reader has days and times written. */
const whenOf = ({ startsAt, endsAt, firstDay, lastDay, timeZone, formats }: PostedEvent) => {
  const locale = formats.dayOrder === 'MDY' ? 'en-US' : 'en-GB';
  if (firstDay && lastDay) {
    const days = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: 'UTC' });
    return days.formatRange(new Date(firstDay), new Date(lastDay));
  }
  const times = new Intl.DateTimeFormat(locale, {
    ...{ dateStyle: 'full', timeStyle: 'short', timeZone },
    hourCycle: formats.clock === '12' ? 'h12' : 'h23',
  });
  const start = new Date(startsAt);
  const words = endsAt ? times.formatRange(start, new Date(endsAt)) : times.format(start);
  return `${words.replaceAll(/[\u2009\u202f]/g, ' ')} (${zoneName(start, timeZone)})`;
};

/** `Eastern Daylight Time`. */
const zoneName = (at: Date, timeZone: string) =>
  new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'long' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value;

const calendarOf = (event: PostedEvent, summary: string, from: string): string => {
  const { id, method, sequence, startsAt, endsAt, firstDay, lastDay, firmName } = event;
  const isWhole = firstDay !== null && lastDay !== null;
  const time = isWhole
    ? wholeDays(firstDay, lastDay)
    : hours(new Date(startsAt), endsAt ? new Date(endsAt) : null);
  const calendar = new ICalCalendar({
    prodId: calendarProgram,
    method: ICalCalendarMethod[method],
  });
  calendar.createEvent({
    ...time,
    id: uidOf('event', id),
    sequence,
    stamp: new Date(event.now),
    summary,
    status: method === 'CANCEL' ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
    organizer: { name: oneLine(firmName) || from, email: from },
    attendees: [{ email: event.address, rsvp: false, status: ICalAttendeeStatus.NEEDSACTION }],
  });
  return calendar.toString();
};
