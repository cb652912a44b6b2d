import { sql } from 'drizzle-orm';
import { notFound } from '../base/refusal.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Listed, Page } from '../record/page.ts';
import type { Notice } from './notification.ts';
import { isVisible } from './visible.ts';

/** Somebody who reads their own inbox. */
type Recipient = Pick<Reader, 'run' | 'firmId' | 'memberId'>;

/** A page of all notices, or of the unread ones, newest first, without what may not be seen now. */
export const listInbox = async (
  reader: Recipient,
  onlyUnread: boolean,
  { limit, offset }: Page,
): Promise<Listed<Notice> & { unread: number }> => {
  const { firmId, memberId } = reader;
  const own = { firmId, memberId };
  const [rows, [counts]] = await Promise.all([
    reader.run(noticesOf, { ...own, onlyUnread, limit, offset }),
    reader.run(countsOf, own),
  ]);
  const { all = 0, unread = 0 } = counts ?? {};
  return { rows: rows.map(dated), total: onlyUnread ? unread : all, unread };
};

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

const noticesOf = statement(
  ({
    firmId,
    memberId,
    onlyUnread,
    limit,
    offset,
  }: Given<Own & { onlyUnread: boolean; limit: number; offset: number }>) => sql<Notice>`
    select notification.id::text as id, kind, record_id as "recordId", title, text, count,
      notification.raised_at as "createdAt", read_at as "readAt"
    ${withRole}
    where notification.firm_id = ${firmId}::uuid and notification.member_id = ${memberId}::uuid
      and ${isVisible} and not (${onlyUnread}::boolean and read_at is not null)
    order by notification.raised_at desc, notification.id desc
    limit ${limit}::int offset ${offset}::bigint`,
);

const countsOf = statement(
  ({ firmId, memberId }: Given<Own>) => sql<{ all: number; unread: number }>`
    select count(*)::int as all, count(*) filter (where read_at is null)::int as unread
    ${withRole}
    where notification.firm_id = ${firmId}::uuid and notification.member_id = ${memberId}::uuid
      and ${isVisible}`,
);

/** The mark beside the inbox says `99+` from here on: an import can bring thousands of notices. */
const mostCounted = 100;

/** How many unread notices each of these members may see; at most 100, which stands for more. */
export const countUnread = async (
  database: Runs,
  members: readonly { firmId: string; memberId: string }[],
): Promise<ReadonlyMap<string, number>> => {
  const firmIds = members.map(({ firmId }) => firmId);
  const memberIds = members.map(({ memberId }) => memberId);
  const rows = await database.run(unreadOf, { firmIds, memberIds });
  return new Map(rows.map(({ memberId, unread }) => [memberId, unread]));
};

const unreadOf = statement(
  ({ firmIds, memberIds }: Given<{ firmIds: string[]; memberIds: string[] }>) => sql<{
    memberId: string;
    unread: number;
  }>`
    select member.id::text as "memberId", (select count(*)::int from (
        select from notification
        where notification.firm_id = member.firm_id and notification.member_id = member.id
          and notification.read_at is null and ${isVisible}
        limit ${sql.raw(String(mostCounted))}) counted) as unread
    from unnest(${firmIds}::uuid[], ${memberIds}::uuid[]) as asked (firm_id, member_id)
    join member on member.firm_id = asked.firm_id and member.id = asked.member_id
    join role on role.firm_id = member.firm_id and role.id = member.role_id`,
);

/**
 * Marks one of the reader's own notices as read or unread, without an audit entry. Throws `Refusal`
 * not_found, also for another member's.
 */
export const markNotice = async (reader: Recipient, id: string, isRead: boolean): Promise<void> => {
  const { firmId, memberId } = reader;
  const isSane = /^[1-9]\d{0,17}$/.test(id);
  const marked = isSane ? await reader.run(mark, { firmId, memberId, id, isRead }) : [];
  if (marked.length === 0) throw notFound();
};

const mark = statement(
  ({ firmId, memberId, id, isRead }: Given<Own & { id: string; isRead: boolean }>) => sql<{
    id: string;
  }>`
    update notification
    set read_at = case when ${isRead}::boolean then coalesce(read_at, moment()) end
    where firm_id = ${firmId}::uuid and member_id = ${memberId}::uuid and id = ${id}::bigint
      and replaced_by_id is null
    returning id::text as id`,
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
