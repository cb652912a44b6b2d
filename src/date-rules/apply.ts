/** The dates that a firm's rules give a matter: what they would be, made, and taken back. */
import { sql } from 'drizzle-orm';
import { newId } from '../base/columns.ts';
import { invalidField, notFound, Refusal } from '../base/refusal.ts';
import { addEvent, cancelEvent } from '../calendar/event.ts';
import type { Reckoned } from '../firm/reckoning.ts';
import { matterForChange } from '../matters/list.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { addTask, moveTask } from '../tasks/task.ts';
import { movedTriggers } from './moved.ts';
import { type DateRule, listDateRules, reckonRules } from './rule.ts';
import { ruledDate } from './table.ts';
import { type SourceEvent, triggerDaysOf } from './trigger.ts';

/** What a rule would give a matter. */
export type RuleLine = {
  rule: DateRule;
  /** The day that it counts from; null if the matter does not have it. */
  from: string | null;
  /** The event whose day that is; null for other triggers. */
  source: SourceEvent | null;
  /** Undefined without that day, and for a day beyond the years 1 to 9999. */
  reckoned: Reckoned | undefined;
  /** Whether it was made from this day already, and not cancelled. */
  isMade: boolean;
  /** Whether it was made from a former day, and nobody has said yet whether it moves (`movedTriggers`). */
  isAsked: boolean;
};

/** What each rule of the matter's practice area would give it, by name. */
export const ruleLines = async (
  reader: Reader,
  matter: { id: string; practiceAreaId: string },
): Promise<RuleLine[]> => {
  const [all, made, moved] = await Promise.all([
    listDateRules(reader),
    reader.run(madeOfMatter, { firmId: reader.firmId, matterId: matter.id }),
    movedTriggers(reader, matter.id),
  ]);
  const own = all.filter(
    ({ practiceAreaId }) => practiceAreaId === null || practiceAreaId === matter.practiceAreaId,
  );
  const days = await triggerDaysOf(reader, { about: 'matter', recordId: matter.id }, own);
  const asked = own.flatMap((rule, at) => {
    const from = days[at]?.day ?? null;
    return from === null ? [] : [{ rule, from }];
  });
  const reckoned = await reckonRules(reader, asked);
  return own.map((rule, place) => {
    const at = asked.findIndex((one) => one.rule === rule);
    const { day: from = null, source = null } = days[place] ?? {};
    const isMade = made.some(
      (one) =>
        one.ruleId === rule.id &&
        one.countedFrom === from &&
        (one.countedEventId === null || one.countedEventId === source?.id),
    );
    const isAsked = moved.some(({ dates }) => dates.some(({ ruleId }) => ruleId === rule.id));
    return { rule, from, source, reckoned: reckoned[at], isMade, isAsked };
  });
};

/** A date that somebody wants, as they were shown it. */
export type WantedDate = { ruleId: string; day: string };

/**
 * Makes the dates that rules give a matter, as `addTask` and `addEvent` do, and gives their ids in the order in which they
 * were asked for. Events invite the matter's responsible attorneys. Throws `Refusal` not_found; invalid_request for
 * none; conflict for an archived matter, for a rule that the matter no longer has, for a day that is not what was shown,
 * and for a date that was made meanwhile.
 */
export const applyRules = (
  actor: Acting,
  matterId: string,
  wanted: readonly WantedDate[],
  assigneeId: string | null,
) =>
  write(actor, async (w) => {
    const matter = await matterForChange(w, matterId);
    if (!matter) throw notFound();
    if (matter.status === 'ARCHIVE') throw isArchived();
    if (wanted.length === 0) throw invalidField('rule', 'must name at least one rule');
    const [lines, attorneys, now] = await Promise.all([
      ruleLines(w, matter),
      w.run(attorneysOf, { firmId: w.firmId, matterId }),
      w.now(),
    ]);
    const people = { assigneeId, guests: attorneys.map(({ email }) => email) };
    const ids: string[] = [];
    for (const { ruleId, day } of wanted) {
      const line = lines.find(({ rule }) => rule.id === ruleId);
      if (!line?.reckoned || line.reckoned.day !== day) throw hasChanged();
      if (line.isMade || line.isAsked) throw isThere(line.rule.name);
      const made = await makeDate(w, matterId, { ...line, reckoned: line.reckoned }, people);
      const id = newId();
      w.create(ruledDate, {
        firmId: w.firmId,
        id,
        ruleId,
        matterId,
        ...made,
        countedFrom: line.reckoned.from,
        countedEventId: line.source?.id ?? null,
        day,
        countedById: w.memberId,
        createdAt: now,
      });
      line.isMade = true;
      ids.push(id);
    }
    return ids;
  });

type Reckonable = RuleLine & { reckoned: Reckoned };

const makeDate = async (
  w: Write,
  matterId: string,
  { rule, reckoned: { day } }: Reckonable,
  { assigneeId, guests }: { assigneeId: string | null; guests: string[] },
) => {
  if (rule.makes === 'task') {
    const { id } = await addTask(w, { matterId, title: rule.name, dueOn: day, assigneeId });
    return { taskId: id, eventId: null };
  }
  const event = { matterId, title: rule.name, guests, firstDay: day, lastDay: day };
  const { id } = await addEvent(w, event);
  return { taskId: null, eventId: id };
};

const attorneysOf = statement(
  ({ firmId, matterId }: Given<'firmId' | 'matterId'>) => sql<{ email: string }>`
    select distinct member.email from matter_team part
    join member on member.firm_id = part.firm_id and member.id = part.member_id
      and member.deactivated_at is null
    where part.firm_id = ${firmId}::uuid and part.matter_id = ${matterId}::uuid
      and part.role = 'RESPONSIBLE_ATTORNEY'
    order by member.email`,
);

const isArchived = () =>
  new Refusal('conflict', 'The matter is archived. Make it active again first.');

const hasChanged = () =>
  new Refusal(
    'conflict',
    'The rules, their days or the holidays have changed. Look at the dates again.',
  );

const isThere = (name: string) =>
  new Refusal('conflict', `The date ${JSON.stringify(name)} was added already.`);

const leftSince =
  'Some of these dates no longer follow their rules, because somebody left them where they were. Cancel those dates one by one.';

/**
 * Cancels dates that rules have made for a matter, given by the ids that `applyRules` gave. One that was cancelled or done
 * meanwhile stays as it is. Throws `Refusal` not_found for one that is another matter's, and conflict, with nothing
 * cancelled, if some follow their rules no longer.
 */
export const takeRuledBack = (actor: Acting, matterId: string, ids: readonly string[]) =>
  write(actor, async (w) => {
    const matter = await matterForChange(w, matterId);
    if (!matter) throw notFound();
    const made = await w.run(ofIds, { firmId: w.firmId, ids: [...ids] });
    if (made.some((one) => one.matterId !== matterId)) throw notFound();
    if (made.length !== new Set(ids).size) throw new Refusal('conflict', leftSince);
    for (const { taskId, eventId, isOpen } of made) {
      if (!isOpen) continue;
      if (taskId !== null) await moveTask(w, taskId, 'cancelled');
      else if (eventId !== null) await cancelEvent(w, eventId);
    }
  });

type OfMatter = { firmId: string; matterId: string };

const madeOfMatter = statement(
  ({ firmId, matterId }: Given<OfMatter>) => sql<{
    ruleId: string;
    countedFrom: string;
    countedEventId: string | null;
  }>`
    select made.rule_id::text as "ruleId", made.counted_from::text as "countedFrom",
      made.counted_event_id::text as "countedEventId"
    from ruled_date made
    left join task on task.firm_id = made.firm_id and task.id = made.task_id
    left join calendar_event event on event.firm_id = made.firm_id and event.id = made.event_id
    where made.firm_id = ${firmId}::uuid and made.matter_id = ${matterId}::uuid
      and task.cancelled_at is null and event.cancelled_at is null`,
);

type Made = { matterId: string; taskId: string | null; eventId: string | null; isOpen: boolean };

const ofIds = statement(
  ({ firmId, ids }: Given<{ firmId: string; ids: string[] }>) => sql<Made>`
    select made.matter_id::text as "matterId", made.task_id::text as "taskId", made.event_id::text as "eventId",
      task.cancelled_at is null and task.done_at is null and event.cancelled_at is null as "isOpen"
    from ruled_date made
    left join task on task.firm_id = made.firm_id and task.id = made.task_id
    left join calendar_event event on event.firm_id = made.firm_id and event.id = made.event_id
    where made.firm_id = ${firmId}::uuid
      and made.id = any(${ids}::uuid[])
    order by made.id`,
);
