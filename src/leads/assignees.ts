import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import { isId } from '../base/columns.ts';
import { notFound, notFoundField, Refusal } from '../base/refusal.ts';
import { member } from '../firm/table.ts';
import { type Given, query, shortStatement, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { tellAssignedLater } from './jobs.ts';
import { leadForChange } from './list.ts';
import { touchedBy } from './next-touch.ts';
import { lead, leadAssignee } from './table.ts';

/** Who works on a lead, by name. The caller has checked that the reader sees the lead. */
export const assigneesOf = (reader: Reader, leadId: string) =>
  reader.run(assignees, { firmId: reader.firmId, leadId });

const assignees = shortStatement(({ firmId, leadId }: Given<'firmId' | 'leadId'>) =>
  query
    .select({ id: member.id, name: member.name })
    .from(leadAssignee)
    .innerJoin(
      member,
      and(eq(member.firmId, leadAssignee.firmId), eq(member.id, leadAssignee.memberId)),
    )
    .where(and(eq(leadAssignee.firmId, firmId), eq(leadAssignee.leadId, leadId)))
    .orderBy(asc(member.name)),
);

/** Who worked on a lead before a change and who does after it, by their ids. */
export type AssigneesChange = { before: string[]; after: string[] };

/**
 * Makes exactly these members the assignees of a lead. Added members are told, except the actor.
 * Throws `Refusal` not_found for the lead or a member who is not active in the firm, and conflict
 * if a private lead would be left with nobody.
 */
export const assignLead = (actor: Acting, id: string, memberIds: string[], tell?: Telling) =>
  changeAssignees(actor, id, () => memberIds, tell);

/** Adds members to those who work on a lead. Throws `Refusal` as `assignLead` does. */
export const addAssignees = (
  actor: Acting,
  id: string,
  memberIds: readonly string[],
  tell?: Telling,
) => changeAssignees(actor, id, (present) => [...present, ...memberIds], tell);

/** How those who were added are told: of each lead by itself, unless a caller knows better. */
type Telling = (w: Write, leadId: string, added: string[]) => void;

const changeAssignees = (
  actor: Acting,
  id: string,
  change: (present: string[]) => string[],
  tell: Telling = tellAssignedLater,
) =>
  write(actor, async (w): Promise<AssigneesChange> => {
    const stored = isId(id) && (await leadForChange(w, id));
    if (!stored) throw notFound();
    const [now, present] = await Promise.all([w.now(), assigneesOf(w, id)]);
    const before = present.map((one) => one.id).sort();
    const wanted = [...new Set(change(before))];
    const added = wanted.filter((one) => !before.includes(one));
    const gone = before.filter((one) => !wanted.includes(one));
    if (added.length + gone.length === 0) return { before, after: before };
    if (stored.isPrivate && wanted.length === 0) throw leftToNobody();
    await checkMembers(w, added);
    storeAssignees(w, id, added);
    if (gone.length > 0) void w.run(unassign, { firmId: w.firmId, leadId: id, gone });
    const after = wanted.sort();
    const assignees = { before, after };
    const step = await touchedBy(w, stored, { assignees }, now);
    if (!w.update(lead, stored, { ...step, updatedAt: now }, { assignees })) {
      w.record('update', lead, id, { assignees });
      void w.run(touch, { firmId: w.firmId, id, now });
    }
    tell(w, id, added);
    return { before, after };
  });

/**
 * Stores the assignees of a lead that has none of them yet. The caller records it in the audit log.
 */
export const storeAssignees = (w: Write, leadId: string, memberIds: string[]) => {
  if (memberIds.length > 0) void w.run(assign, { firmId: w.firmId, leadId, memberIds });
};

/** Throws `Refusal` not_found unless each is an active member of the firm. */
export const checkMembers = async (w: Write, memberIds: string[]) => {
  if (memberIds.length === 0) return;
  const known = memberIds.every(isId)
    ? await w.run(activeAmong, { firmId: w.firmId, memberIds })
    : [];
  if (known.length < memberIds.length) {
    throw notFoundField('assigneeIds', 'names somebody who is not an active member of the firm');
  }
};

const leftToNobody = () =>
  new Refusal(
    'conflict',
    'A private lead needs somebody who works on it. Assign another member first, or make it public.',
  );

const activeAmong = statement(
  ({ firmId, memberIds }: Given<{ firmId: string; memberIds: string[] }>) =>
    query
      .select({ id: member.id })
      .from(member)
      .where(
        and(
          eq(member.firmId, firmId),
          sql`${member.id} = any(${memberIds}::uuid[])`,
          isNull(member.deactivatedAt),
        ),
      )
      .for('key share'),
);

type Assigned = Given<{ firmId: string; leadId: string; memberIds: string[] }>;

const assign = statement(
  ({ firmId, leadId, memberIds }: Assigned) => sql`
    insert into lead_assignee (firm_id, lead_id, member_id)
    select lead.firm_id, lead.id, unnest(${memberIds}::uuid[]) from lead
    where lead.firm_id = ${firmId} and lead.id = ${leadId}
    on conflict do nothing`,
);

const unassign = statement(
  ({ firmId, leadId, gone }: Given<{ firmId: string; leadId: string; gone: string[] }>) => sql`
    delete from lead_assignee where firm_id = ${firmId} and lead_id = ${leadId}
      and member_id = any(${gone}::uuid[])`,
);

const touch = statement(({ firmId, id, now }: Given<{ firmId: string; id: string; now: Date }>) =>
  query
    .update(lead)
    .set({ updatedAt: sql`${now}` })
    .where(and(eq(lead.firmId, firmId), eq(lead.id, id))),
);
