import { sql } from 'drizzle-orm';
import { enqueue } from '../jobs/enqueue.ts';
import type { JobKind } from '../jobs/kind.ts';
import { deliver, type Told } from '../notifications/delivered.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Write } from '../record/write.ts';
import { announceLeads } from './announce.ts';

const delaySeconds = 60;

/** Has a new lead announced one minute from now (docs/contract.md, Notifications). */
export const announceLater = (w: Write, leadId: string) =>
  enqueue(w, {
    kind: leadAnnounce.kind,
    dedupeKey: `lead_announce:${leadId}`,
    ref: leadId,
    afterSeconds: delaySeconds,
  });

/** Soon tells members that they were assigned to a lead, but not the one who assigned them. */
export const tellAssignedLater = (w: Write, leadId: string, memberIds: string[]) => {
  const told = memberIds.filter((id) => id !== w.memberId);
  if (told.length === 0) return;
  const { requestId } = w.author;
  enqueue(w, {
    kind: leadTellAssigned.kind,
    dedupeKey: `lead.assigned:${leadId}:${requestId}`,
    ref: leadId,
    payload: { memberIds: told, occasion: requestId },
    afterSeconds: 0,
  });
};

/**
 * Tells members that they were assigned to a lead. Recipients are decided now: active, still
 * assigned, entitled to see leads, kind not switched off, lead not deleted.
 */
export const leadTellAssigned: JobKind = {
  kind: 'lead_tell_assigned',
  async work({ firmId, ref, payload }, transaction) {
    const { memberIds, occasion } = payload as { memberIds: string[]; occasion: string };
    const leadId = ref as string;
    deliver(transaction, tellAssigned, { firmId, leadId, memberIds, cause: `${ref}:${occasion}` });
  },
};

type ToldOfLead = Given<{ firmId: string; leadId: string; memberIds: string[]; cause: string }>;

const tellAssigned = statement(
  ({ firmId, leadId, memberIds, cause }: ToldOfLead) => sql<Told>`
    insert into notification (firm_id, member_id, kind, cause, record_id, title, text, created_at, raised_at)
    select lead.firm_id, member.id, 'lead.assigned', ${cause}, lead.id, 'Lead assigned to you',
      lead.number || ' ' || coalesce(contact.name, ''), moment(), moment()
    from lead
    join lead_assignee on lead_assignee.firm_id = lead.firm_id and lead_assignee.lead_id = lead.id
    join member on member.firm_id = lead_assignee.firm_id and member.id = lead_assignee.member_id
    join role on role.firm_id = member.firm_id and role.id = member.role_id
    left join contact on contact.firm_id = lead.firm_id and contact.id = lead.contact_id
      and contact.deleted_at is null
    where lead.firm_id = ${firmId} and lead.id = ${leadId} and lead.deleted_at is null
      and member.id = any(${memberIds}::uuid[]) and member.deactivated_at is null
      and (role.holds_all or 'leads:read' = any(role.permissions))
      and not 'lead.assigned' = any(member.muted_kinds)
    on conflict do nothing returning kind`,
);

/** Tells those who may see a new lead of it, singly or as part of a burst. */
export const leadAnnounce: JobKind = { kind: 'lead_announce', work: announceLeads };
