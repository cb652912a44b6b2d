import { sql } from 'drizzle-orm';
import { seesLead } from '../sight/sight.ts';

const recipient = { memberId: sql`member.id`, seesPrivate: sql`role.holds_all` };

/**
 * Whether a member may see a notification now, for a query that joins `notification`, its `member`
 * and their `role`. What has become private, was deleted, or is now beyond the member's role is not
 * shown. The records are values and not `exists`, which Postgres may answer by reading all of them.
 */
export const isVisible = sql`(notification.replaced_by_id is null
  and (notification.kind not like 'lead.%' or role.holds_all
    or 'leads:read' = any(role.permissions))
  and (notification.kind not in ('lead.new', 'lead.assigned') or (select true from lead
    where lead.firm_id = notification.firm_id and lead.id = notification.record_id
      and lead.deleted_at is null
      and ${seesLead(recipient)}))
  and (notification.kind not in ('limitation.near', 'task.assigned')
    or ((role.holds_all or 'matters:read' = any(role.permissions))
      and (select true from matter where matter.firm_id = notification.firm_id
        and matter.id = notification.record_id and matter.deleted_at is null))))`;
