/** The mails of events that went to somebody from outside. */
import { sql } from 'drizzle-orm';
import { calendarEvent, partOfEvent } from '../calendar/table.ts';
import { type Given, shortStatement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { joinSubject, mayReadAbout } from '../visibility/subject.ts';
import { type Viewer, viewerOf } from '../visibility/visibility.ts';
import type { EventMethod, MailState } from './table.ts';

/** An invitation to an event, or a cancellation of one. */
export type MailToGuest = {
  id: string;
  eventId: string;
  title: string;
  method: EventMethod;
  state: MailState;
  queuedAt: Date;
};

/** The newest of them to these addresses, about what the reader may see. */
export const mailsToGuest = async (
  reader: Reader,
  addresses: readonly string[],
): Promise<MailToGuest[]> => {
  const given = { ...viewerOf(reader), addresses: addresses.map((one) => one.toLowerCase()) };
  const found = addresses.length > 0 ? await reader.run(mailsTo, given) : [];
  return found.map((row) => ({ ...row, queuedAt: new Date(row.queuedAt) }));
};

const mailsTo = shortStatement(
  (given: Given<Viewer & { addresses: string[] }>) => sql<MailToGuest>`
    select mail.id::text as id, event.id::text as "eventId", event.title, mail.event_method as method,
      mail.state, mail.queued_at as "queuedAt"
    from mail
    join ${calendarEvent} event on event.firm_id = mail.firm_id and event.id = mail.event_id
    ${joinSubject(partOfEvent, given)}
    where mail.firm_id = ${given.firmId}::uuid and mail.guest = any(${given.addresses}::text[])
      and ${mayReadAbout(given)}
    order by mail.queued_at desc, mail.id desc limit 20`,
);
