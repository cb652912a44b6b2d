import { sql } from 'drizzle-orm';
import { notFound } from '../base/refusal.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, shortStatement, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Listed, Page } from '../record/page.ts';
import type { Notice } from './notification.ts';
import { isVisible, stillStands } from './visible.ts';

/** Somebody who reads their own inbox. */
type Recipient = Pick<Reader, 'run' | 'firmId' | 'memberId'>;

/**
 * A page of all notices, or of the unread ones, newest first, without what may not be seen now. The
 * total is counted to 200 beyond the page's beginning; `isMore` says that there are more.
 */
export const listInbox = async (
  reader: Recipient,
  onlyUnread: boolean,
  { limit, offset }: Page,
): Promise<Listed<Notice> & { isMore: boolean }> => {
  const { firmId, memberId } = reader;
  const own = { firmId, memberId, onlyUnread };
  const max = offset + maxCountedBeyond;
  const [rows, [counted]] = await Promise.all([
    newestNotices(reader, onlyUnread, { limit, offset }),
    reader.run(countOf, { ...own, max: max + 1 }),
  ]);
  const total = counted?.total ?? 0;
  return { rows, total: Math.min(total, max), isMore: total > max };
};

/** The same page without its total. */
export const newestNotices = async (
  reader: Recipient,
  onlyUnread: boolean,
  page: Page,
): Promise<Notice[]> => {
  const { firmId, memberId } = reader;
  const rows = await reader.run(noticesOf, { firmId, memberId, onlyUnread, ...page });
  return rows.map(dated);
};

/** The inbox of a member can hold thousands of notices, and each one's record is looked up. */
const maxCountedBeyond = 200;

const dated = (row: Notice): Notice => ({
  ...row,
  createdAt: new Date(row.createdAt).toISOString(),
  readAt: row.readAt && new Date(row.readAt).toISOString(),
});

const withRole = sql`
  from notification
  join member on member.firm_id = notification.firm_id and member.id = notification.member_id
  join role on role.firm_id = member.firm_id and role.id = member.role_id`;

type Own = { firmId: string; memberId: string | null };

/** All, or only those that are unread: what is past asks for no attention. */
const isOfTab = (given: Given<{ firmId: string; onlyUnread: boolean }>) =>
  sql`(not ${given.onlyUnread}::boolean or read_at is null and ${stillStands(given)})`;

const noticesOf = statement(
  (given: Given<Own & { onlyUnread: boolean } & Page>) => sql<Notice>`
    select notification.id::text as id, kind, record_id as "recordId", title, text, count,
      notification.raised_at as "createdAt", read_at as "readAt"
    ${withRole}
    where notification.firm_id = ${given.firmId}::uuid
      and notification.member_id = ${given.memberId}::uuid
      and ${isVisible(given)} and ${isOfTab(given)}
    order by notification.raised_at desc, notification.id desc
    limit ${given.limit}::int offset ${given.offset}::bigint`,
);

const countOf = statement(
  (given: Given<Own & { onlyUnread: boolean; max: number }>) => sql<{ total: number }>`
    select count(*)::int as total from (
      select ${withRole}
      where notification.firm_id = ${given.firmId}::uuid
        and notification.member_id = ${given.memberId}::uuid
        and ${isVisible(given)} and ${isOfTab(given)}
      limit ${given.max}::bigint) counted`,
);

export type Unread = {
  /** How many they may see, of those that still stand; at most 100, which stands for more. */
  count: number;
  /** Changes with each notice that comes, and with each that is read, among the newest 100. */
  mark: string;
};

/** The mark beside the inbox says `99+` from here on: an import can bring thousands of notices. */
const maxCounted = 100;

/** So many of the newest are looked at for that: who reads nothing for years leaves more behind that is past. */
const maxLookedAt = 500;

/** The unread notices that each of these members may see, and that still stand. */
export const countUnread = async (
  database: Pick<Runs, 'run'>,
  members: readonly { firmId: string; memberId: string }[],
): Promise<ReadonlyMap<string, Unread>> => {
  const unread = new Map<string, Unread>();
  // One firm after the other, so that this takes one connection at most.
  for (const [firmId, ofFirm] of Map.groupBy(members, (one) => one.firmId)) {
    const memberIds = ofFirm.map(({ memberId }) => memberId);
    const rows = await database.run(newestUnread, { firmId, memberIds });
    for (const { memberId, count, mark } of rows) unread.set(memberId, { count, mark });
  }
  return unread;
};

/** How many unread notices that still stand the reader may see; at most 100, which stands for more. */
export const unreadOf = async (reader: Recipient): Promise<number> => {
  const memberId = String(reader.memberId);
  const unread = await countUnread(reader, [{ firmId: reader.firmId, memberId }]);
  return unread.get(memberId)?.count ?? 0;
};

const newestUnread = shortStatement(
  (given: Given<{ firmId: string; memberIds: string[] }>) => sql<Unread & { memberId: string }>`
    select member.id::text as "memberId", newest.count, newest.mark
    from member join role on role.firm_id = member.firm_id and role.id = member.role_id
    cross join lateral (
      select count(*)::int as count, concat_ws(' ', max(raised_at), sum(id)) as mark from (
        select notification.id, notification.raised_at from (
          select * from notification
          where notification.firm_id = ${given.firmId}::uuid
            and notification.member_id = member.id
            and notification.read_at is null and notification.replaced_by_id is null
          order by notification.raised_at desc
          limit ${sql.raw(String(maxLookedAt))}) notification
        where ${isVisible(given)} and ${stillStands(given)}
        order by notification.raised_at desc
        limit ${sql.raw(String(maxCounted))}) counted) newest
    where member.firm_id = ${given.firmId}::uuid and member.id = any(${given.memberIds}::uuid[])`,
);

/**
 * Marks one of the reader's own notices as read or unread, without an audit entry. Throws `Refusal`
 * not_found, also for another member's.
 */
export const markNotice = async (reader: Recipient, id: string, isRead: boolean): Promise<void> => {
  const { firmId, memberId } = reader;
  const isSane = /^[1-9]\d{0,17}$/.test(id);
  const marked = isSane
    ? await reader.run(isRead ? markRead : markUnread, { firmId, memberId, id })
    : [];
  if (marked.length === 0) throw notFound();
};

type OneNotice = Own & { id: string };

const isThis = ({ firmId, memberId, id }: Given<OneNotice>) => sql`
  firm_id = ${firmId}::uuid and member_id = ${memberId}::uuid and id = ${id}::bigint
  and replaced_by_id is null`;

// One that was read before keeps its moment.
const markRead = statement(
  (given: Given<OneNotice>) => sql<{ id: string }>`
    update notification set read_at = least(read_at, moment()) where ${isThis(given)}
    returning id::text as id`,
);

const markUnread = statement(
  (given: Given<OneNotice>) => sql<{ id: string }>`
    update notification set read_at = null where ${isThis(given)} returning id::text as id`,
);

/** Marks the reader's notices as read, up to those raised when the page showed them. */
export const markAllRead = async (reader: Recipient, upTo: string): Promise<void> => {
  const { firmId, memberId } = reader;
  await reader.run(markAll, { firmId, memberId, upTo });
};

const markAll = statement(
  ({ firmId, memberId, upTo }: Given<Own & { upTo: string }>) => sql`
    update notification set read_at = moment()
    where firm_id = ${firmId}::uuid and member_id = ${memberId}::uuid and read_at is null
      and raised_at <= ${upTo}::timestamptz`,
);
