import { sql } from 'drizzle-orm';
import { enqueue } from '../jobs/enqueue.ts';
import type { JobKind } from '../jobs/runner.ts';
import { statement } from '../postgres/statement.ts';
import type { Write } from '../record/write.ts';

const delaySeconds = 60;

/** Has a new lead announced one minute from now (public-api.md, Events). */
export const announceLater = (w: Write, leadId: string) =>
  enqueue(w, {
    kind: 'lead_announce',
    dedupeKey: `lead_announce:${leadId}`,
    ref: leadId,
    afterSeconds: delaySeconds,
  });

/**
 * Tells each owner and each member whose role may see leads of a new lead, naming prospect and
 * number. Who is told is decided now: active, entitled, not switched off, the lead still there
 * and visible to them (contract.md, Notifications).
 */
export const leadAnnounce: JobKind = {
  kind: 'lead_announce',
  async work({ firmId, ref }, transaction) {
    await transaction.run(tellOfLead, { firmId, leadId: ref });
  },
};

const tellOfLead = statement(
  () => sql`
    insert into notification (firm_id, member_id, kind, cause, record_id, title, text, created_at)
    select lead.firm_id, member.id, 'lead.new', lead.id, lead.id, 'New lead',
      contact.name || ' (' || lead.number || ')', moment()
    from lead
    join contact on contact.firm_id = lead.firm_id and contact.id = lead.contact_id
    join member on member.firm_id = lead.firm_id
    join role on role.firm_id = member.firm_id and role.id = member.role_id
    where lead.firm_id = ${sql.placeholder('firmId')} and lead.id = ${sql.placeholder('leadId')}
      and lead.deleted_at is null
      and member.deactivated_at is null and not 'lead.new' = any(member.muted_kinds)
      and (role.holds_all or 'leads:read' = any(role.permissions))
      and (not lead.is_private or role.holds_all or exists (
        select from lead_assignee where lead_assignee.firm_id = lead.firm_id
          and lead_assignee.lead_id = lead.id and lead_assignee.member_id = member.id))
    on conflict do nothing`,
);
