/** Invitations that go to the calendars of an event's guests by mail, queued in the event's own write. */
import { sql } from 'drizzle-orm';
import { mayBeAhead } from '../mail/event.ts';
import type { EventMethod } from '../mail/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Write } from '../record/write.ts';

/**
 * Queues a mail of each of these events to these guests, or to all: those from outside, and the colleagues who are told
 * of such events by mail. Of an event that is over, and of a firm without mail, there is none. A
 * guest from outside gets a cancellation only if an invitation was queued for them before.
 */
export const queueInvitations = (
  w: Write,
  eventIds: readonly string[],
  method: EventMethod,
  emails: readonly string[] | null = null,
) => {
  // What happens in the made-up past of a demonstration is not told.
  if (w.author.at || emails?.length === 0) return;
  void w.run(queue, {
    firmId: w.firmId,
    eventIds: [...eventIds],
    method,
    emails: emails && [...emails],
    kind: method === 'CANCEL' ? 'event.cancelled' : 'event.invited',
  });
};

/** Has calendars outside take what is sent of an event from now on for newer than what they have. */
export const raiseSequence = (w: Write, eventId: string) =>
  void w.run(raise, { firmId: w.firmId, eventId });

const raise = statement(
  ({ firmId, eventId }: Given<'firmId' | 'eventId'>) => sql`
    update calendar_event set sequence = sequence + 1
    where firm_id = ${firmId}::uuid and id = ${eventId}::uuid`,
);

type Queued = {
  firmId: string;
  eventIds: string[];
  method: EventMethod;
  emails: string[] | null;
  kind: string;
};

const queue = statement(
  (given: Given<Queued>) => sql`
    insert into mail (firm_id, id, member_id, kind, event_id, event_method, event_sequence, guest,
      state, queued_at, next_try_at)
    select firm.id, gen_random_uuid(), guest.member_id, 'event', event.id, ${given.method}::text,
      event.sequence, guest.email, 'queued', moment(), moment()
    from firm
    join calendar_event event on event.firm_id = firm.id
    join event_guest guest on guest.firm_id = event.firm_id and guest.event_id = event.id
    left join member on member.firm_id = guest.firm_id and member.id = guest.member_id
    where firm.id = ${given.firmId}::uuid and firm.mails_since is not null
      and event.firm_id = ${given.firmId}::uuid and event.id = any(${given.eventIds}::uuid[])
      and ${mayBeAhead}
      and (${given.emails}::text[] is null or guest.email = any(${given.emails}::text[]))
      and (${given.method}::text <> 'CANCEL' or member.id is not null or exists (select from mail earlier
        where earlier.firm_id = ${given.firmId}::uuid and earlier.event_id = event.id
          and earlier.guest = guest.email and earlier.event_method = 'REQUEST'))
      and (member.id is null or (member.deactivated_at is null
        and ${given.kind}::text = any(member.mailed_kinds)
        and ${given.kind}::text <> all(member.muted_kinds)))`,
);
