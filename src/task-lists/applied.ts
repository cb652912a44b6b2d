/** What a task list would add to a matter or a lead, and adding it. */
import { sql } from 'drizzle-orm';
import type { Named, Subject } from '../about/subject.ts';
import { checkDay } from '../base/calendar-date.ts';
import { isId } from '../base/columns.ts';
import { invalidField, notFound, Refusal } from '../base/refusal.ts';
import { reckonRules } from '../date-rules/rule.ts';
import { type SourceEvent, type TriggerDay, triggerDaysOf } from '../date-rules/trigger.ts';
import { listMembers } from '../firm/member.ts';
import { firm } from '../firm/table.ts';
import { leadForChange } from '../leads/list.ts';
import { lead, leadAssignee } from '../leads/table.ts';
import { matterForChange } from '../matters/list.ts';
import { matter, matterTeam } from '../matters/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { tasksAbout } from '../tasks/list.ts';
import { addTasks } from '../tasks/task.ts';
import { canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';
import { type ListLine, readTaskList, type TaskList } from './task-list.ts';

/** A task that a list would add. */
export type Proposed = ListLine & {
  id: string;
  /** The day that its own is counted from; null if the record has none, or the task needs none. */
  from: string | null;
  /** The event whose day that is; null for other triggers. */
  source: SourceEvent | null;
  /** Null for a task without a day, and where its day cannot be reckoned. */
  dueOn: string | null;
  assignedTo: { id: string; name: string } | null;
  /** Whether the record has a task of this title already. */
  isThere: boolean;
};

/** What a list would add to a record now. `seen` stands for all of it. */
export type Proposal = { id: string; name: string; tasks: Proposed[]; seen: string };

/**
 * What a task list would add to a matter or a lead if the reader applied it now. Days are the firm's. Throws `Refusal`
 * not_found for a list or a record that is unknown or hidden, and conflict for a record that is archived, or a lead that was hired.
 */
export const proposeTasks = async (
  reader: Reader,
  named: Named,
  listId: string,
): Promise<Proposal> => {
  const [list, record, members, there] = await Promise.all([
    readTaskList(reader, listId),
    recordFor(reader, named),
    listMembers(reader),
    tasksAbout(reader, subjectIn(named)),
  ]);
  const days = await daysOf(reader, subjectIn(named), list.lines, record.today);
  const counted = list.lines.flatMap((line) => {
    const from = days.get(line.id)?.day;
    return from ? [{ rule: { ...line, rolling: 'none' as const }, from }] : [];
  });
  const reckoned = await reckonRules(reader, counted);
  const dayOf = (id: string) => reckoned[counted.findIndex(({ rule }) => rule.id === id)]?.day;
  const active = members.filter(({ deactivatedAt }) => deactivatedAt === null);
  const titles = new Set(there.map(({ title }) => title.toLowerCase()));
  const tasks = list.lines.map((line): Proposed => {
    const id = idOfAssignee(
      line,
      record,
      active.map((one) => one.id),
      reader.memberId,
    );
    const found = active.find((one) => one.id === id);
    return {
      ...line,
      from: days.get(line.id)?.day ?? null,
      source: days.get(line.id)?.source ?? null,
      dueOn: dayOf(line.id) ?? null,
      assignedTo: found ? { id: found.id, name: found.name } : null,
      isThere: titles.has(line.title.toLowerCase()),
    };
  });
  const { id, name } = list;
  return { id, name, tasks, seen: seenOf([id, name, tasks]) };
};

/** What the tasks of a list are counted from, by their ids; none for a task without a day. */
const daysOf = async (
  reader: Reader,
  subject: Subject,
  lines: TaskList['lines'],
  today: string,
): Promise<Map<string, TriggerDay>> => {
  const triggered = lines.flatMap(({ trigger, ...line }) =>
    trigger === null || trigger === 'applied' ? [] : [{ ...line, trigger }],
  );
  const days = await triggerDaysOf(reader, subject, triggered);
  const applied = lines.filter(({ trigger }) => trigger === 'applied');
  return new Map([
    ...applied.map(({ id }) => [id, { day: today, source: null }] as const),
    ...days.map((day, at) => [triggered[at]?.id ?? '', day] as const),
  ]);
};

const seenOf = (all: unknown) =>
  new Bun.CryptoHasher('sha256').update(JSON.stringify(all)).digest('hex');

/** Which of the proposed tasks are wanted: by their ids, with the days that they shall have. */
export type Wanted = { id: string; dueOn: string | null };

/**
 * Adds the wanted tasks of a list to a matter or a lead, all or none, and tells each assignee once. Gives the tasks' ids.
 * Throws `Refusal` as `proposeTasks` does; conflict if what was `seen` is not what the list would add now; and invalid_request
 * for a wrong day (`dueOn.ID`) and if nothing is wanted.
 */
export const applyTaskList = (
  actor: Acting,
  named: Named,
  { listId, seen, wanted }: { listId: string; seen: string; wanted: readonly Wanted[] },
) =>
  write(actor, async (w) => {
    await holdRecord(w, named);
    const proposal = await proposeTasks(w, named, listId);
    if (proposal.seen !== seen) {
      throw new Refusal(
        'conflict',
        'What this list adds here has changed since you looked. Look at it again, then add it.',
      );
    }
    const chosen = proposal.tasks.flatMap(({ id, title, assignedTo }) => {
      const asked = wanted.find((one) => one.id === id);
      if (!asked) return [];
      const { dueOn } = asked;
      if (dueOn !== null) checkDay(`dueOn.${id}`, dueOn);
      return [{ title, dueOn, assigneeId: assignedTo?.id ?? null }];
    });
    if (chosen.length === 0) {
      throw invalidField('lines', {
        rule: 'must name a task of the list',
        kind: { kind: 'choose', one: 'a task' },
      });
    }
    const made = await addTasks(w, named, chosen);
    return { name: proposal.name, ids: made.map(({ id }) => id) };
  });

/** Nobody archives or hires it until the commit. */
const holdRecord = (w: Write, { leadId, matterId }: Named) =>
  leadId === undefined ? matterForChange(w, matterId ?? '') : leadForChange(w, leadId);

const subjectIn = ({ leadId, matterId }: Named): Subject =>
  leadId === undefined
    ? { about: 'matter', recordId: matterId ?? '' }
    : { about: 'lead', recordId: leadId };

/** What the people of a list's tasks depend on, and the firm's day. */
type Applied = {
  today: string;
  status: string;
  practiceAreaId: string | null;
  /** A lead is at none. */
  stageId: string | null;
  /** Who works on it, in their order; on a lead without a part. */
  team: { memberId: string; role: string | null }[];
};

/**
 * The record that a list is applied to: its team, its practice area and stage. Throws `Refusal` not_found, also for a
 * lead that the reader may not see; and conflict for one that is archived or hired.
 */
export const recordFor = async (reader: Reader, named: Named): Promise<Applied> => {
  const { about, recordId } = subjectIn(named);
  const found = isId(recordId)
    ? await reader.first(applied[about], { ...viewerOf(reader), id: recordId })
    : undefined;
  if (!found) throw notFound();
  if (found.status === 'HIRED') {
    throw new Refusal('conflict', 'This lead was hired. Use its matter instead.');
  }
  if (found.status === 'ARCHIVE') {
    throw new Refusal('conflict', `This ${about} is archived. Make it active to add tasks.`);
  }
  return found;
};

const idOfAssignee = (
  { assignee }: ListLine,
  { team }: Applied,
  active: readonly string[],
  applierId: string | null,
): string | null => {
  if (assignee === null) return null;
  if (assignee === 'APPLIER') return applierId;
  const fits = ({ memberId, role }: Applied['team'][number]) =>
    (role === null || role === assignee) && active.includes(memberId);
  return team.find(fits)?.memberId ?? null;
};

const today = sql`(moment() at time zone ${firm.timeZone})::date::text`;

const applied = {
  matter: statement(
    (given: Given<Viewer & { id: string }>) => sql<Applied>`
      select ${matter.status} as status, ${matter.practiceAreaId}::text as "practiceAreaId",
        ${matter.stageId}::text as "stageId", ${today} as today,
        (select coalesce(json_agg(json_build_object('memberId', ${matterTeam.memberId}, 'role', ${matterTeam.role})
            order by ${matterTeam.position}), '[]') from ${matterTeam}
          where ${matterTeam.firmId} = ${given.firmId} and ${matterTeam.matterId} = ${matter.id}) as team
      from ${matter} join ${firm} on ${firm.id} = ${matter.firmId}
      where ${matter.firmId} = ${given.firmId} and ${matter.id} = ${given.id} and ${matter.deletedAt} is null`,
  ),
  lead: statement(
    (given: Given<Viewer & { id: string }>) => sql<Applied>`
      select ${lead.status} as status, ${lead.practiceAreaId}::text as "practiceAreaId", null as "stageId",
        ${today} as today,
        (select coalesce(json_agg(json_build_object('memberId', ${leadAssignee.memberId}, 'role', null)
            order by ${leadAssignee.memberId}), '[]') from ${leadAssignee}
          where ${leadAssignee.firmId} = ${given.firmId} and ${leadAssignee.leadId} = ${lead.id}) as team
      from ${lead} join ${firm} on ${firm.id} = ${lead.firmId}
      where ${lead.firmId} = ${given.firmId} and ${lead.id} = ${given.id} and ${lead.deletedAt} is null
        and ${canSeeLead(given)}`,
  ),
};
