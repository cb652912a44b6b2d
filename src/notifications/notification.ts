import { sql } from 'drizzle-orm';
import { invalid } from '../base/refusal.ts';
import { memberWithId } from '../firm/member.ts';
import { member } from '../firm/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Acting, write } from '../record/write.ts';
import { type NotificationKind, notificationKinds } from './table.ts';
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

/**
 * Kinds with a switch of their own. `lead.burst` obeys that of `lead.new`, and `account.warned` none
 * (docs/contract.md, Notifications).
 */
export const switchableKinds = notificationKinds.filter(
  (kind) => kind !== 'lead.burst' && kind !== 'account.warned',
);

/**
 * Makes the acting member told of just these kinds from now on; `lead.burst` follows `lead.new`.
 * Throws `Refusal` invalid_request for an unknown kind.
 */
export const chooseNotifications = (actor: Acting, wanted: readonly string[]) =>
  write(actor, async (w) => {
    for (const kind of wanted) checkSwitch(kind);
    const [stored, now] = await Promise.all([memberWithId(w, String(w.memberId)), w.now()]);
    const mutedKinds = switchableKinds.filter((kind) => !wanted.includes(kind)).sort();
    w.update(member, stored, { mutedKinds, updatedAt: now });
  });

const checkSwitch = (kind: string) => {
  if ((switchableKinds as readonly string[]).includes(kind)) return;
  throw invalid(`The kind must be one of ${switchableKinds.join(', ')}.`);
};

/**
 * Switches a kind of notification on or off for one member. Throws `Refusal` for an unknown kind or
 * member.
 */
export const switchNotification = (actor: Acting, memberId: string, kind: string, on: boolean) =>
  write(actor, async (w) => {
    checkSwitch(kind);
    const [stored, now] = await Promise.all([memberWithId(w, memberId), w.now()]);
    const others = stored.mutedKinds.filter((muted) => muted !== kind);
    const mutedKinds = on ? others : [...others, kind].sort();
    w.update(member, stored, { mutedKinds, updatedAt: now });
    return { email: stored.email, kind, on };
  });
