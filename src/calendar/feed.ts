import { sql } from 'drizzle-orm';
import { digestOf } from '../api-keys/secret.ts';
import { addDays, todayIn } from '../base/calendar-date.ts';
import { acrossFirms } from '../postgres/citus/forms.ts';
import type { Database } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { isToken, newToken } from '../sign-in/token.ts';
import { type DateOfRecord, listDates } from './dates.ts';
import { calendarFeed } from './table.ts';

/** How far back and ahead a feed goes, in days. */
const reach = { back: 60, ahead: 730 };

/** A member's feed: when it was made, and when a calendar last read it. */
export type FeedView = { createdAt: Date; lastUsedAt: Date | null };

/** The feed of the reader; undefined if they have none. */
export const myFeed = async (reader: Reader): Promise<FeedView | undefined> => {
  const row = await reader.first(feedOf, { firmId: reader.firmId, memberId: reader.memberId });
  return (
    row && {
      createdAt: new Date(row.createdAt),
      lastUsedAt: row.lastUsedAt === null ? null : new Date(row.lastUsedAt),
    }
  );
};

/**
 * Makes a new feed for the acting member, and ends the one before. Only now it returns the secret.
 */
export const makeFeed = (actor: Acting): Promise<string> =>
  write(actor, async (w) => {
    const memberId = String(w.memberId);
    const { token, digest } = newToken();
    const now = await w.now();
    void w.run(keepFeed, { firmId: w.firmId, memberId, digest: digest.toString('hex'), now });
    w.record('create', calendarFeed, memberId, { createdAt: { before: null, after: now } });
    return token;
  });

/** Ends the acting member's feed, if there is one. */
export const revokeFeed = (actor: Acting): Promise<void> =>
  write(actor, (w) => dropFeed(w, String(w.memberId)));

/** Ends a member's feed inside a write. */
export const dropFeed = async (w: Write, memberId: string) => {
  const [gone] = await w.run(takeFeed, { firmId: w.firmId, memberId });
  const now = await w.now();
  w.record('delete', calendarFeed, memberId, {
    deletedAt: { before: null, after: gone ? now : null },
  });
};

/** The content of a feed: the member's dates, and the firm's time zone. The member as `reader` reads what belongs to them. */
export type Feed = { reader: Reader; firmName: string; timeZone: string; dates: DateOfRecord[] };

/**
 * The dates of the member whose feed has this secret. Undefined if there is no feed, and for a
 * member who is deactivated or whose role reads neither leads nor matters.
 */
export const readFeed = async (database: Database, secret: string): Promise<Feed | undefined> => {
  if (!isToken(secret)) return undefined;
  const digest = digestOf(secret).toString('hex');
  const found = await database.first(feedWithDigest, { digest });
  if (!found) return undefined;
  const { firmId, memberId, firmName, timeZone } = found;
  const reader = {
    database,
    run: database.run,
    first: database.first,
    firmId,
    memberId,
    seesPrivate: false,
  };
  const today = todayIn(timeZone);
  const [dates] = await Promise.all([
    listDates(reader, {
      from: addDays(today, -reach.back),
      to: addDays(today, reach.ahead),
      mine: true,
      overdue: true,
    }),
    database.run(markUsed, { firmId, memberId }),
  ]);
  return { reader, firmName, timeZone, dates };
};

type Own = { firmId: string; memberId: string | null };

const feedOf = statement(
  ({ firmId, memberId }: Given<Own>) => sql<{ createdAt: string; lastUsedAt: string | null }>`
    select created_at as "createdAt", last_used_at as "lastUsedAt" from calendar_feed
    where firm_id = ${firmId}::uuid and member_id = ${memberId}::uuid`,
);

const keepFeed = statement(
  (given: Given<{ firmId: string; memberId: string; digest: string; now: Date }>) => sql`
    insert into calendar_feed (firm_id, member_id, digest, created_at)
    values (${given.firmId}::uuid, ${given.memberId}::uuid, decode(${given.digest}, 'hex'), ${given.now})
    on conflict (firm_id, member_id) do update
      set digest = excluded.digest, created_at = excluded.created_at, last_used_at = null`,
);

const takeFeed = statement(
  ({ firmId, memberId }: Given<'firmId' | 'memberId'>) => sql<{ memberId: string }>`
    delete from calendar_feed where firm_id = ${firmId}::uuid and member_id = ${memberId}::uuid
    returning member_id::text as "memberId"`,
);

type Found = { firmId: string; memberId: string; firmName: string; timeZone: string };

const feedWithDigest = statement(
  ({ digest }: Given<'digest'>) => sql<Found>`
    select feed.firm_id::text as "firmId", feed.member_id::text as "memberId",
      firm.name as "firmName", firm.time_zone as "timeZone"
    from calendar_feed feed
    join firm on firm.id = feed.firm_id
    join member on member.firm_id = feed.firm_id and member.id = feed.member_id
      and member.deactivated_at is null
    join role on role.firm_id = member.firm_id and role.id = member.role_id
      and (role.holds_all or role.permissions && '{leads:read,matters:read}')
    where feed.digest = decode(${digest}, 'hex')${acrossFirms(sql`feed.firm_id`, 'secret')}`,
);

// Once a minute is often enough.
const markUsed = statement(
  ({ firmId, memberId }: Given<'firmId' | 'memberId'>) => sql`
    update calendar_feed set last_used_at = moment()
    where firm_id = ${firmId}::uuid and member_id = ${memberId}::uuid
      and (last_used_at is null or last_used_at < moment() - interval '1 minute')`,
);
