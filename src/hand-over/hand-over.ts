import { sql } from 'drizzle-orm';
import { isId } from '../base/columns.ts';
import { invalidField, Refusal } from '../base/refusal.ts';
import { plainly } from '../base/rule.ts';
import { calendarEvent } from '../calendar/table.ts';
import { memberWithId } from '../firm/member.ts';
import { tellAssignedLater } from '../leads/jobs.ts';
import { lead } from '../leads/table.ts';
import { lookAtLimitationLater } from '../matters/jobs.ts';
import { matter } from '../matters/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Actor, Reader } from '../record/actor.ts';
import { type Write, write } from '../record/write.ts';
import { setActive } from '../sign-in/member-change.ts';
import { endSessions } from '../sign-in/session.ts';
import { task } from '../tasks/table.ts';
import type { Part } from '../visibility/subject.ts';
import { canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';
import { endKeysAndFeed } from './ways-in.ts';

/** An open matter or lead that a member works on. */
export type Held = { id: string; number: string; title: string };

/** A member's open work: matters not archived, leads not decided, and what they have to do and to come. */
export type OpenWork = {
  matters: Held[];
  leads: Held[];
  /** The number of their private leads that the reader may not see. */
  hiddenLeads: number;
  /** How many open tasks, and how many events to come, these matters and leads have. */
  tasks: number;
  events: number;
};

/** The open work of a member that the reader may see. Matters are in the order of their numbers. */
export const openWorkOf = async (reader: Reader, memberId: string): Promise<OpenWork> => {
  const of = { firmId: reader.firmId, holderId: memberId };
  const [places, leads, parts] = await Promise.all([
    reader.run(placesHeld, of),
    reader.run(leadsHeld, { ...viewerOf(reader), holderId: memberId }),
    reader.first(partsHeld, { ...viewerOf(reader), holderId: memberId }),
  ]);
  return {
    matters: [
      ...new Map(places.map(({ id, number, title }) => [id, { id, number, title }])).values(),
    ],
    leads: leads
      .filter(({ isSeen }) => isSeen)
      .map(({ id, number, title }) => ({ id, number, title: title ?? '' })),
    hiddenLeads: leads.filter(({ isSeen }) => !isSeen).length,
    tasks: parts?.tasks ?? 0,
    events: parts?.events ?? 0,
  };
};

/**
 * Deactivates a member. They are signed out, their keys and their feed end for good, and their open
 * work goes to another member in the same write, so that somebody is always responsible; or it is
 * left as it is. Throws `Refusal` as `setActive` does; invalid_request if there is
 * work to hand over but no active member to take it; conflict for private leads that the acting
 * member may not see.
 */
export const deactivateMember = (
  actor: Actor,
  id: string,
  work: { heirId: string | null } | 'left',
) =>
  write(actor, async (w) => {
    const deactivated = await setActive(w, id, false);
    await endSessions(w, id);
    await endKeysAndFeed(w, id);
    if (work !== 'left') await handOver(w, id, work.heirId);
    return deactivated;
  });

/**
 * Activates a member again. Keys and a feed from before do not come back, also if they were only
 * refused and not ended, as an earlier version did. Throws `Refusal` as `setActive` does.
 */
export const activateMember = (actor: Actor, id: string) =>
  write(actor, async (w) => {
    const { deactivatedAt } = await memberWithId(w, id);
    const activated = await setActive(w, id, true);
    if (deactivatedAt) await endKeysAndFeed(w, id);
    return activated;
  });

const handOver = async (w: Write, id: string, heirId: string | null) => {
  const of = { firmId: w.firmId, holderId: id };
  const [places, leads] = await Promise.all([
    w.run(placesHeld, of),
    w.run(leadsForChange, { ...viewerOf(w), holderId: id }),
  ]);
  if (leads.some(({ isSeen }) => !isSeen)) throw hasHiddenLeads();
  if (places.length + leads.length > 0) {
    const successor = await successorFrom(w, id, heirId);
    handMatters(w, places, id, successor);
    await handLeads(w, leads, id, successor);
  }
};

const hasHiddenLeads = () =>
  new Refusal(
    'conflict',
    'Some of their open work is private, and you may not see it. An owner can hand it over.',
  );

const successorFrom = async (w: Write, id: string, heirId: string | null): Promise<string> => {
  if (!heirId || !isId(heirId)) {
    const words = 'Choose who takes over: their matters and leads would be left to nobody';
    const rule = 'must be a member: matters or leads would be left to nobody';
    throw invalidField('heirId', plainly(words, rule));
  }
  if (heirId === id) {
    const words = 'Choose somebody else: this member is the one who leaves';
    throw invalidField('heirId', plainly(words, 'must be another member'));
  }
  const successor = await memberWithId(w, heirId);
  if (successor.deactivatedAt) {
    const words = `Choose another member: ${successor.name} is deactivated`;
    throw invalidField('heirId', plainly(words, 'must be a member who is active'));
  }
  return successor.id;
};

type TeamPlace = Held & { position: number; role: string };

/** The other member takes each place in a team, unless they already have the same role there. */
const handMatters = (w: Write, places: TeamPlace[], from: string, to: string) => {
  if (places.length === 0) return;
  const given = { firmId: w.firmId, holderId: from, heirId: to };
  void w.run(dropDoubles, given);
  void w.run(givePlaces, given);
  for (const [id, roles] of Map.groupBy(places, (place) => place.id)) {
    const parts = roles.map(({ role }) => role).sort();
    w.record('update', matter, id, {
      team: {
        before: parts.map((role) => ({ memberId: from, role })),
        after: parts.map((role) => ({ memberId: to, role })),
      },
    });
    lookAtLimitationLater(w, id);
  }
};

const handLeads = async (w: Write, leads: LeadHeld[], from: string, to: string) => {
  if (leads.length === 0) return;
  const given = { firmId: w.firmId, ids: leads.map(({ id }) => id), holderId: from, heirId: to };
  void w.run(addHeir, given);
  void w.run(dropHolder, given);
  for (const { id, assignees } of leads) {
    const after = [...new Set([...assignees.filter((one) => one !== from), to])].sort();
    w.record('update', lead, id, { assignees: { before: assignees, after } });
    if (!assignees.includes(to)) tellAssignedLater(w, id, [to]);
  }
};

type OfHolder = Given<'firmId' | 'holderId'>;
type FromTo = Given<'firmId' | 'holderId' | 'heirId'>;

const openMatters = sql.raw(`matter.status <> 'ARCHIVE' and matter.deleted_at is null`);
const openLeads = sql.raw(`lead.status in ('ACTIVE', 'DRAFT') and lead.deleted_at is null`);

const placesHeld = statement(
  ({ firmId, holderId }: OfHolder) => sql<TeamPlace>`
    select matter.id::text as id, matter.number, matter.title, place.position, place.role
    from matter_team place
    join matter on matter.firm_id = place.firm_id and matter.id = place.matter_id
    where place.firm_id = ${firmId}::uuid and place.member_id = ${holderId}::uuid and ${openMatters}
    order by matter.ordinal, place.position`,
);

/** Whether a task or an event is about an open matter or lead of the holder that the reader may see. */
const isOfHeld = (part: Part, given: Given<Viewer & { holderId: string }>) => sql`(
  exists (select from matter_team place
    join matter on matter.firm_id = place.firm_id and matter.id = place.matter_id and ${openMatters}
    where place.firm_id = ${given.firmId}::uuid and place.matter_id = ${part.matterId}
      and place.member_id = ${given.holderId}::uuid)
  or ${part.matterId} is null and exists (select from lead_assignee place
    join lead on lead.firm_id = place.firm_id and lead.id = place.lead_id and ${openLeads}
    where place.firm_id = ${given.firmId}::uuid and place.lead_id = ${part.leadId}
      and place.member_id = ${given.holderId}::uuid and ${canSeeLead(given)}))`;

const partsHeld = statement(
  (given: Given<Viewer & { holderId: string }>) => sql<{ tasks: number; events: number }>`
    select
      (select count(*)::int from ${task} where ${task.firmId} = ${given.firmId}::uuid
        and ${task.doneAt} is null and ${task.cancelledAt} is null and ${isOfHeld(task, given)}) as tasks,
      (select count(*)::int from ${calendarEvent} where ${calendarEvent.firmId} = ${given.firmId}::uuid
        and ${calendarEvent.startsAt} > moment() and ${calendarEvent.cancelledAt} is null
        and ${isOfHeld(calendarEvent, given)}) as events`,
);

const isOpenPlace = ({
  firmId,
  holderId,
}: OfHolder) => sql`place.firm_id = ${firmId}::uuid and place.member_id = ${holderId}::uuid
  and exists (select from matter where matter.firm_id = ${firmId}::uuid
    and matter.id = place.matter_id and ${openMatters})`;

const dropDoubles = statement(
  (given: FromTo) => sql`
    delete from matter_team place where ${isOpenPlace(given)} and exists (
      select from matter_team other where other.firm_id = ${given.firmId}::uuid
        and other.matter_id = place.matter_id and other.role = place.role
        and other.member_id = ${given.heirId}::uuid)`,
);

const givePlaces = statement(
  (given: FromTo) => sql`
    update matter_team place set member_id = ${given.heirId}::uuid where ${isOpenPlace(given)}`,
);

type LeadHeld = {
  id: string;
  number: string;
  title: string | null;
  isSeen: boolean;
  assignees: string[];
};

const leadsOf = (given: Given<Viewer & { holderId: string }>) => sql<LeadHeld>`
  select lead.id::text as id, lead.number, contact.name as title,
    coalesce(${canSeeLead(given)}, false) as "isSeen",
    (select json_agg(every.member_id order by every.member_id) from lead_assignee every
      where every.firm_id = ${given.firmId}::uuid and every.lead_id = lead.id) as assignees
  from lead_assignee place
  join lead on lead.firm_id = place.firm_id and lead.id = place.lead_id
  left join contact on contact.firm_id = lead.firm_id and contact.id = lead.contact_id
  where place.firm_id = ${given.firmId}::uuid and place.member_id = ${given.holderId}::uuid
    and ${openLeads}
  order by lead.ordinal`;

const leadsHeld = statement((given: Given<Viewer & { holderId: string }>) => leadsOf(given));
const leadsForChange = statement(
  (given: Given<Viewer & { holderId: string }>) =>
    sql<LeadHeld>`${leadsOf(given)} for update of lead`,
);

type LeadsFromTo = Given<{ firmId: string; ids: string[]; holderId: string; heirId: string }>;

const addHeir = statement(
  ({ firmId, ids, heirId }: LeadsFromTo) => sql`
    insert into lead_assignee (firm_id, lead_id, member_id)
    select lead.firm_id, lead.id, ${heirId}::uuid from lead
    where lead.firm_id = ${firmId} and lead.id = any(${ids}::uuid[]) on conflict do nothing`,
);

const dropHolder = statement(
  ({ firmId, ids, holderId }: LeadsFromTo) => sql`
    delete from lead_assignee where firm_id = ${firmId}::uuid and member_id = ${holderId}::uuid
      and lead_id = any(${ids}::uuid[])`,
);
