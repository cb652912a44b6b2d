import { sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { NotificationKind } from './table.ts';
import { isVisible } from './visible.ts';

export type Notice = {
  id: string;
  kind: NotificationKind;
  recordId: string | null;
  title: string;
  text: string;
  count: number | null;
  createdAt: string;
  readAt: string | null;
};

/**
 * A member's live notifications, newest first. Visibility is checked at every reading: what has
 * become private, was deleted, or is now beyond the member's role is not shown.
 */
export const listNotifications = async (reader: Reader, memberId: string): Promise<Notice[]> => {
  const rows = await reader.run(inbox, { firmId: reader.firmId, memberId });
  return rows.map((row) => ({
    ...row,
    createdAt: new Date(row.createdAt).toISOString(),
    readAt: row.readAt && new Date(row.readAt).toISOString(),
  }));
};

const inbox = statement(
  (given: Given<'firmId' | 'memberId'>) => sql<Notice>`
    select notification.id::text as id, kind, record_id as "recordId", title, text, count,
      notification.raised_at as "createdAt", read_at as "readAt"
    from notification
    join member on member.firm_id = notification.firm_id and member.id = notification.member_id
    join role on role.firm_id = member.firm_id and role.id = member.role_id
    where notification.firm_id = ${given.firmId}
      and notification.member_id = ${given.memberId}
      and ${isVisible(given)}
    order by notification.raised_at desc, notification.id desc
    limit 500`,
);
