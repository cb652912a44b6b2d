/** The mails that are to be sent, and how each one stands. */
import { sql } from 'drizzle-orm';
import { calendarEvent } from '../calendar/table.ts';
import { isVisible, stillStands } from '../notifications/visible.ts';
import { acrossFirms } from '../postgres/citus/forms.ts';
import { type Given, shortStatement, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { outdated, prune } from '../record/pruning.ts';
import { mayBeAhead } from './event.ts';
import type { Noticed } from './letter.ts';
import { type MailKind, type MailState, trySeconds } from './table.ts';
import { waitingOfNotice } from './waiting.ts';

/** When a mail is tried, in minutes after it was queued: at once, and then less and less often for a day. */
export const tryMinutes = [0, 1, 5, 30, 120, 360, 720, 1440] as const;

// Nothing has tried it until now: a server that was off, or a restored backup. Its news are old.
const isOld = sql.raw(`(queued_at < moment() - interval '48 hours')`);

/** In how many seconds the next mail of all firms is to be tried; null if there is none. */
export const untilNextMail = statement(
  () => sql<{ seconds: string | null }>`
    select extract(epoch from min(next_try_at) - moment()) as seconds from mail
    where state = 'queued'${acrossFirms(sql`firm_id`)}`,
);

/** The firms that have mails to be tried now, and the present time in milliseconds. */
export const firmsWithMail = statement(
  () => sql<{ firmId: string; now: number }>`
    select distinct firm_id::text as "firmId", (extract(epoch from moment()) * 1000)::float8 as now
    from mail
    where state = 'queued' and next_try_at <= moment()${acrossFirms(sql`firm_id`)} limit 100`,
);

/** A mail that is being tried; `isAgain` says that an earlier try had begun, whatever became of it. */
export type Tried = { id: string; messageId: string; isAgain: boolean; isOld: boolean };

type ToTry = { firmId: string; domain: string };

/**
 * Begins a try of the firm's longest-waiting mail. Another instance's is skipped. `due` is looked for once, because it
 * locks: `id in` would let Postgres look for that one mail again for each row, and begin others that nobody sends.
 */
export const beginTry = statement(
  ({ firmId, domain }: Given<ToTry>) => sql<Tried>`
    with due as (
      select id, message_id is not null as is_again from mail
      where firm_id = ${firmId}::uuid and state = 'queued' and next_try_at <= moment()
      order by next_try_at limit 1 for update skip locked)
    update mail set next_try_at = moment() + make_interval(secs => ${trySeconds}),
      message_id = coalesce(message_id, '<' || mail.id || '@' || ${domain}::text || '>')
    from due
    where mail.firm_id = ${firmId}::uuid and mail.id = due.id
    returning mail.id::text as id, message_id as "messageId", due.is_again as "isAgain",
      ${isOld} as "isOld"`,
);

/** Whom a mail is for, and the notice that it brings. */
export type Content = Noticed & { address: string; mayBeTold: boolean };

/** What a mail says, and whether its member may be told that now. */
export const contentOf = shortStatement(
  (given: Given<'firmId' | 'id'>) => sql<Content>`
    select member.email as address, notification.kind, notification.record_id as "recordId",
      notification.title, notification.text, firm.mails_name as "mailsName",
      ${waitingOfNotice(given)} as waiting,
      member.deactivated_at is null and ${isVisible(given)}
        and coalesce(${stillStands(given)}, false) as "mayBeTold"
    from mail
    join firm on firm.id = mail.firm_id
    join member on member.firm_id = mail.firm_id and member.id = mail.member_id
    join role on role.firm_id = member.firm_id and role.id = member.role_id
    join notification on notification.firm_id = mail.firm_id and notification.id = mail.notification_id
    where mail.firm_id = ${given.firmId}::uuid and mail.id = ${given.id}::uuid`,
);

type Ended = {
  firmId: string;
  id: string;
  state: MailState;
  address: string | null;
  code: number | null;
  words: string | null;
};

/** Stores how a mail ended. A trigger marks an address that is refused, and tells the owners. */
export const endMail = statement(
  (given: Given<Ended>) => sql`
    update mail set state = ${given.state}, address = ${given.address}, code = ${given.code}::int,
      words = ${given.words}, next_try_at = null, ended_at = moment(), link_token = null
    where firm_id = ${given.firmId}::uuid and id = ${given.id}::uuid and state = 'queued'`,
);

type Failed = { firmId: string; code: number | null; words: string };

const failed = ({ code, words }: Given<Failed>) => sql`
  tries = tries + 1, code = ${code}::int, words = ${words},
  state = case when ${nextAfter} is null then 'given_up' else 'queued' end,
  next_try_at = case when ${nextAfter} is not null
    then greatest(queued_at + ${nextAfter}, moment() + interval '1 minute') end,
  ended_at = case when ${nextAfter} is null then moment() end,
  link_token = case when ${nextAfter} is not null then link_token end`;

const nextAfter = sql.raw(`((array[${tryMinutes.join(', ')}])[tries + 2] * interval '1 minute')`);

/** Stores a try that failed, and when the next one is; after the last one, the mail is given up. */
export const failTry = statement(
  (given: Given<Failed & { id: string; address: string | null }>) => sql`
    update mail set ${failed(given)}, address = ${given.address}
    where firm_id = ${given.firmId}::uuid and id = ${given.id}::uuid and state = 'queued'`,
);

/** The same for all of the firm's mails that are due: the mail server cannot be reached for any of them. */
export const failDue = statement(
  (given: Given<Failed>) => sql`
    update mail set ${failed(given)}
    where firm_id = ${given.firmId}::uuid and id in (
      select id from mail where firm_id = ${given.firmId}::uuid and state = 'queued'
        and next_try_at <= moment() for update skip locked)`,
);

/** Puts off the firm's mails while none can be sent, because no mail is set up now. Old ones are given up. */
export const putOffMails = statement(
  ({ firmId }: Given<'firmId'>) => sql`
    update mail set words = 'No mail server is set up.',
      state = case when ${isOld} then 'given_up' else 'queued' end,
      next_try_at = case when not ${isOld} then moment() + interval '10 minutes' end,
      ended_at = case when ${isOld} then moment() end,
      link_token = case when not ${isOld} then link_token end
    where firm_id = ${firmId}::uuid and id in (
      select id from mail where firm_id = ${firmId}::uuid and state = 'queued'
        and next_try_at <= moment() limit 1000 for update skip locked)`,
);

/** Removes mails 90 days after they ended. An invitation stays until its event is over: the next mail then says that the event changed. */
export const mailPruning = {
  kind: 'prune_mails',
  everySeconds: 3_600,
  work: prune(
    outdated(
      'mail',
      'id',
      (within) => sql`ended_at <= moment() - interval '90 days' and not exists (
        select from ${calendarEvent} event where event.firm_id = mail.firm_id
          and event.id = mail.event_id and ${mayBeAhead}${within(sql`event.firm_id`)})`,
    ),
  ),
};

/** A mail as an owner sees it. `title` is that of its notice, which names nobody. */
export type ListedMail = {
  id: string;
  kind: MailKind;
  state: MailState;
  to: string;
  title: string | null;
  queuedAt: Date;
  nextTryAt: Date | null;
  tries: number;
  words: string | null;
};

/** The firm's newest mails. */
export const newestMails = async (reader: Pick<Reader, 'run' | 'firmId'>): Promise<ListedMail[]> =>
  (await reader.run(newest, { firmId: reader.firmId })).map((row) => ({
    ...row,
    queuedAt: new Date(row.queuedAt),
    nextTryAt: row.nextTryAt && new Date(row.nextTryAt),
  }));

const newest = statement(
  ({ firmId }: Given<'firmId'>) => sql<ListedMail>`
    select mail.id::text as id, mail.kind, mail.state, coalesce(member.name, mail.guest) as "to", notification.title,
      mail.queued_at as "queuedAt", mail.next_try_at as "nextTryAt", mail.tries, mail.words
    from mail
    left join member on member.firm_id = mail.firm_id and member.id = mail.member_id
    left join notification on notification.firm_id = mail.firm_id
      and notification.id = mail.notification_id
    where mail.firm_id = ${firmId}::uuid
    order by mail.queued_at desc, mail.id desc limit 50`,
);
