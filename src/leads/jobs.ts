import { sql } from 'drizzle-orm';
import { bulkChange, bulkRow } from '../bulk/table.ts';
import { isHolderOrDeputy } from '../firm/absence.ts';
import { enqueue } from '../jobs/enqueue.ts';
import type { JobKind } from '../jobs/kind.ts';
import { deliver, type Told } from '../notifications/delivered.ts';
import { asDeputy } from '../notifications/deputy.ts';
import type { NotificationKind } from '../notifications/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Write } from '../record/write.ts';
import { ofMember, roleReads } from '../visibility/subject.ts';
import { canSeeLead } from '../visibility/visibility.ts';
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
    payload: { memberIds: told, occasion: requestId, doerId: w.memberId },
    afterSeconds: 0,
  });
};

/**
 * Tells members that they were assigned to a lead. Recipients are decided now: active, still
 * assigned, entitled to see leads, kind not switched off, lead not deleted. Who stands in for one who is away is told
 * too, if they may see the lead and have not assigned it themselves.
 */
export const leadTellAssigned: JobKind = {
  kind: 'lead_tell_assigned',
  async work({ firmId, ref, payload }, transaction) {
    const { memberIds, occasion, doerId = null } = payload as Assigned;
    const cause = `${ref}:${occasion}`;
    const leadId = ref as string;
    deliver(transaction, tellAssigned, { firmId, leadId, memberIds, doerId, cause });
  },
};

/** A job of before has no `doerId`. */
type Assigned = { memberIds: string[]; occasion: string; doerId?: string | null };

/** Has those assigned told when the lead's next step falls due, so many seconds from now. */
export const tellDueLater = (w: Write, leadId: string, nextTouch: string, seconds: number) =>
  enqueue(w, {
    kind: leadTellDue.kind,
    dedupeKey: `lead.due:${leadId}:${nextTouch}`,
    ref: leadId,
    afterSeconds: seconds,
  });

/**
 * Tells those assigned to an open lead that its next step is due, and the deputies of those who are away, once for each.
 * Nobody is told if it was answered, moved or taken away meanwhile, nor an owner who was told today that nobody has
 * answered it.
 */
export const leadTellDue: JobKind = {
  kind: 'lead_tell_due',
  async work({ firmId, ref }, transaction) {
    void deliver(transaction, tellDue, { firmId, leadId: ref as string });
  },
};

// A lead and its contact, for each of those assigned (`holder`), and for who stands in for them today, who may see the
// lead and has not switched the kind off. The own ones come first: nobody is told twice.
const ofAssignees = (
  { firmId, leadId }: Given<'firmId' | 'leadId'>,
  kind: NotificationKind,
) => sql`from lead
    join lead_assignee on lead_assignee.firm_id = lead.firm_id and lead_assignee.lead_id = lead.id
    join member holder on holder.firm_id = lead_assignee.firm_id and holder.id = lead_assignee.member_id
    join member on member.firm_id = lead_assignee.firm_id and ${isHolderOrDeputy}
    join role on role.firm_id = member.firm_id and role.id = member.role_id
    left join contact on contact.firm_id = lead.firm_id and contact.id = lead.contact_id
      and contact.deleted_at is null
    where lead.firm_id = ${firmId} and lead.id = ${leadId} and lead.deleted_at is null
      and member.deactivated_at is null
      and ${roleReads('leads')} and ${canSeeLead(ofMember(firmId))}
      and not ${sql.raw(`'${kind}'`)} = any(member.muted_kinds)`;

const ownFirst = sql.raw('order by member.id <> holder.id');
const standsIn = asDeputy(sql.raw('member.id <> holder.id'));

const tellDue = statement(
  ({ firmId, leadId }: Given<'firmId' | 'leadId'>) => sql<Told>`
    insert into notification (firm_id, member_id, kind, cause, record_id, title, text, created_at, raised_at)
    select lead.firm_id, member.id, 'lead.due', lead.id || ':' || lead.next_touch, lead.id,
      'Next step due' || ${standsIn}, lead.number || ' ' || coalesce(contact.name, ''), moment(), moment()
    ${ofAssignees({ firmId, leadId }, 'lead.due')}
      and lead.status in ('ACTIVE', 'DRAFT') and lead.next_touch_due_at <= moment()
      and not exists (select 1 from notification unheld
        join firm on firm.id = unheld.firm_id
        where unheld.firm_id = ${firmId} and unheld.record_id = lead.id and unheld.member_id = member.id
          and unheld.kind = 'lead.unheld'
          and unheld.cause = (moment() at time zone firm.time_zone)::date::text)
    ${ownFirst}
    on conflict do nothing returning kind`,
);

/** A bulk is told of after so long: until then, an Undo is told to nobody. */
export const severalSeconds = 10;

/** Soon tells those whom a bulk assigned to leads: once each, but not the one who assigned them. */
export const tellOfSeveralLater = (w: Write, bulkId: string, memberIds: readonly string[]) => {
  if (memberIds.every((id) => id === w.memberId)) return;
  enqueue(w, {
    kind: leadTellOfSeveral.kind,
    dedupeKey: `lead.assigned:several:${bulkId}`,
    ref: bulkId,
    afterSeconds: severalSeconds,
  });
};

/**
 * Tells each member of all the leads that a bulk assigned to them, and a deputy, in one notice more, of all that it assigned
 * to colleagues who are away. Recipients are decided now, as by `leadTellAssigned`.
 */
export const leadTellOfSeveral: JobKind = {
  kind: 'lead_tell_of_several',
  async work({ firmId, ref }, transaction) {
    void deliver(transaction, tellOfSeveral, { firmId, bulkId: ref as string });
  },
};

const tellOfSeveral = statement(
  ({ firmId, bulkId }: Given<'firmId' | 'bulkId'>) => sql<Told>`
    insert into notification
      (firm_id, member_id, kind, cause, record_id, title, text, count, created_at, raised_at)
    select ${firmId}::uuid, told.member_id, 'lead.assigned',
      ${bulkId} || case when told.stands_in then ':deputy' else '' end,
      case when told.count = 1 then told.lead_id end,
      case when told.count = 1 then 'Lead assigned to you'
        else 'Leads assigned to you' end || ${asDeputy(sql.raw('told.stands_in'))},
      case when told.count = 1 then told.name
        else giver.name || ' assigned ' || case when told.stands_in then 'a colleague ' else 'you ' end
          || told.count || ' leads' end,
      told.count, moment(), moment()
    from (
      select one.member_id, one.stands_in, count(*)::int as count, min(one.lead_id::text)::uuid as lead_id,
        min(one.name) as name
      from (
      select member.id as member_id, lead.id as lead_id, bool_and(member.id <> holder.id) as stands_in,
        min(lead.number || ' ' || coalesce(contact.name, '')) as name
      from ${bulkRow} bulk_row
      join ${bulkChange} bulk on bulk.firm_id = bulk_row.firm_id and bulk.id = bulk_row.bulk_id
      join lead on lead.firm_id = bulk_row.firm_id and lead.id = bulk_row.record_id
        and lead.deleted_at is null
      join audit_entry entry on entry.firm_id = lead.firm_id and entry.record_id = lead.id
        and entry.request_id = bulk.request_id and entry.changes ? 'assignees'
      join lead_assignee on lead_assignee.firm_id = lead.firm_id and lead_assignee.lead_id = lead.id
        and entry.changes -> 'assignees' -> 'after' ? lead_assignee.member_id::text
        and not entry.changes -> 'assignees' -> 'before' ? lead_assignee.member_id::text
      join member holder on holder.firm_id = lead_assignee.firm_id and holder.id = lead_assignee.member_id
      join member on member.firm_id = lead_assignee.firm_id and ${isHolderOrDeputy}
      join role on role.firm_id = member.firm_id and role.id = member.role_id
      left join contact on contact.firm_id = lead.firm_id and contact.id = lead.contact_id
        and contact.deleted_at is null
      where bulk_row.firm_id = ${firmId}::uuid and bulk_row.bulk_id = ${bulkId}::uuid
        and bulk.member_id not in (holder.id, member.id) and member.deactivated_at is null
        and ${roleReads('leads')} and ${canSeeLead(ofMember(firmId))}
        and not 'lead.assigned' = any(member.muted_kinds)
      group by member.id, lead.id) one
      group by one.member_id, one.stands_in) told
    join ${bulkChange} bulk on bulk.firm_id = ${firmId}::uuid and bulk.id = ${bulkId}::uuid
    join member giver on giver.firm_id = bulk.firm_id and giver.id = bulk.member_id
    on conflict do nothing returning kind`,
);

type ToldOfLead = {
  firmId: string;
  leadId: string;
  memberIds: string[];
  doerId: string | null;
  cause: string;
};

const tellAssigned = statement(
  ({ firmId, leadId, memberIds, doerId, cause }: Given<ToldOfLead>) => sql<Told>`
    insert into notification (firm_id, member_id, kind, cause, record_id, title, text, created_at, raised_at)
    select lead.firm_id, member.id, 'lead.assigned', ${cause}, lead.id,
      'Lead assigned to you' || ${standsIn},
      lead.number || ' ' || coalesce(contact.name, ''), moment(), moment()
    ${ofAssignees({ firmId, leadId }, 'lead.assigned')}
      and holder.id = any(${memberIds}::uuid[])
      and (member.id = holder.id or member.id is distinct from ${doerId}::uuid)
    ${ownFirst}
    on conflict do nothing returning kind`,
);

/** Tells those who may see a new lead of it, singly or as part of a burst. */
export const leadAnnounce: JobKind = { kind: 'lead_announce', work: announceLeads };
