/** Dates that rules have made, when the day that they were counted from is another one now. */
import { sql } from 'drizzle-orm';
import { isCalendarDate } from '../base/calendar-date.ts';
import { isId } from '../base/columns.ts';
import { notFound, Refusal } from '../base/refusal.ts';
import { changeEvent, eventForChange } from '../calendar/event.ts';
import type { Reckoned, Rolling, Span } from '../firm/reckoning.ts';
import { matterForChange } from '../matters/list.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { changeTask } from '../tasks/task.ts';
import { reckonRules } from './rule.ts';
import { ruledDate, type Trigger } from './table.ts';

/** The days of a matter that rules count from. */
export type TriggerDays = { id: string; openDate: string | null; solDate: string | null };

/** Each trigger's day; null if the matter does not have it. */
export const triggerDays = ({
  openDate,
  solDate,
}: TriggerDays): Record<Trigger, string | null> => ({
  opened: openDate,
  limitation: solDate,
});

/** What was made by a rule, and still stands: an open task, or an event that is not past. */
export type StandingDate = Span & {
  id: string;
  ruleId: string;
  taskId: string | null;
  eventId: string | null;
  title: string;
  trigger: Trigger;
  rolling: Rolling;
  /** Whether the rule was deleted since. */
  isRuleGone: boolean;
  /** The day of the trigger that it was counted from, and the day that this gave. */
  countedFrom: string;
  day: string;
  /** The day that it has now; null without one, and for an event with hours. */
  present: string | null;
  /** Whether it is still on the day that the rule gave. */
  isUntouched: boolean;
};

/** A standing date, and the day that its rule gives now; undefined if it stays where it is. */
export type MovedDate = StandingDate & { reckoned: Reckoned | undefined };

/** A trigger that moved, and what was counted from it before. */
export type MovedTrigger = {
  trigger: Trigger;
  from: string;
  /** Null: the matter has no such day now. */
  to: string | null;
  dates: MovedDate[];
};

/**
 * What a matter's people have to be asked: for each trigger that moved, what was counted from its former day. Only dates
 * that nobody changed and whose rules still stand move. Nothing is asked about what is done, cancelled or past.
 */
export const movedTriggers = async (
  reader: Reader,
  matter: TriggerDays,
): Promise<MovedTrigger[]> => {
  const standing = await standingDates(reader, matter.id);
  const now = triggerDays(matter);
  const moved = standing.filter(({ trigger, countedFrom }) => now[trigger] !== countedFrom);
  const asked = moved.flatMap((rule) => {
    const from = now[rule.trigger];
    return from === null || !rule.isUntouched || rule.isRuleGone ? [] : [{ rule, from }];
  });
  const reckoned = await reckonRules(reader, asked);
  const dates = moved.map((one) => {
    const at = asked.findIndex(({ rule }) => rule === one);
    return { ...one, reckoned: reckoned[at] };
  });
  const groups = Map.groupBy(dates, ({ trigger, countedFrom }) => `${trigger} ${countedFrom}`);
  return [...groups.values()].flatMap((of) => {
    const [first] = of;
    if (!first) return [];
    const { trigger, countedFrom } = first;
    return [{ trigger, from: countedFrom, to: now[trigger], dates: of }];
  });
};

/** What rules have made for a matter, and still stands, by day. */
const standingDates = (reader: Reader, matterId: string): Promise<StandingDate[]> =>
  reader.run(standingOfMatter, { firmId: reader.firmId, matterId });

/** What somebody was shown: a trigger that moved, and for each date its new day, or that it stays. */
export type ShownMove = Pick<MovedTrigger, 'trigger' | 'from' | 'to'> & {
  dates: readonly { id: string; day: string | null }[];
};

/** A date by a rule as it was before an answer. */
export type FormerDate = Pick<
  StandingDate,
  'id' | 'ruleId' | 'taskId' | 'eventId' | 'countedFrom' | 'day'
>;

/**
 * Answers what was asked because a trigger moved, and gives what `takeAnswerBack` needs. `move` gives dates that nobody
 * changed the days that their rules give now. The others, and all of them with `leave`, stay where they are and follow
 * their rule no longer. Throws `Refusal` not_found; conflict if it is not what was shown.
 */
export const answerMoved = (
  actor: Acting,
  matterId: string,
  answer: 'move' | 'leave',
  shown: ShownMove,
): Promise<{ former: FormerDate[]; moved: number }> =>
  write(actor, async (w) => {
    const matter = await matterForChange(w, matterId);
    if (!matter) throw notFound();
    const found = (await movedTriggers(w, matter)).find(
      ({ trigger, from }) => trigger === shown.trigger && from === shown.from,
    );
    if (!found || !isShown(found, shown)) throw hasChanged();
    let moved = 0;
    for (const date of found.dates) {
      if (answer === 'move' && date.reckoned) {
        const { from: countedFrom, day } = date.reckoned;
        await putOn(w, date, day);
        w.update(ruledDate, date, { countedFrom, day });
        moved += 1;
      } else forget(w, date);
    }
    const former = found.dates.map(({ id, ruleId, taskId, eventId, countedFrom, day }) => ({
      id,
      ruleId,
      taskId,
      eventId,
      countedFrom,
      day,
    }));
    return { former, moved };
  });

const isShown = ({ to, dates }: MovedTrigger, shown: ShownMove) =>
  to === shown.to &&
  dates.length === shown.dates.length &&
  dates.every(({ id, reckoned }) =>
    shown.dates.some((one) => one.id === id && one.day === (reckoned?.day ?? null)),
  );

const hasChanged = () =>
  new Refusal('conflict', 'The dates or their rules have changed. Look at them again.');

/** Gives a task or an event of a whole day another day, as by hand. */
const putOn = async (w: Write, { taskId, eventId, present }: StandingDate, day: string) => {
  if (day === present) return;
  if (taskId !== null) await changeTask(w, taskId, { dueOn: day });
  if (eventId === null) return;
  const { stored, before: guests } = await eventForChange(w, eventId);
  await changeEvent(w, eventId, {
    title: stored.title,
    guests,
    when: { firstDay: day, lastDay: day },
  });
};

/** The date follows its rule no longer: it is like one that was made by hand. */
const forget = (w: Write, { id, ruleId, taskId, eventId, countedFrom, day }: FormerDate) => {
  void w.run(removeOne, { firmId: w.firmId, id });
  const before = { ruleId, taskId, eventId, countedFrom, day };
  const gone = Object.entries(before).filter(([, value]) => value !== null);
  const changes = gone.map(([name, value]) => [name, { before: value, after: null }]);
  w.record('delete', ruledDate, id, Object.fromEntries(changes));
};

/**
 * Takes an answer of `answerMoved` back: dates that it moved are on their former days again, and all follow their rules
 * as before, so the question stands again. What was done, cancelled or changed meanwhile stays as it is. Throws `Refusal`
 * not_found for what is not the matter's.
 */
export const takeAnswerBack = (actor: Acting, matterId: string, former: readonly FormerDate[]) =>
  write(actor, async (w) => {
    const matter = await matterForChange(w, matterId);
    if (!matter || !former.every(isPossible)) throw notFound();
    const [standing, own, now] = await Promise.all([
      standingDates(w, matterId),
      w.run(ownAmong, {
        firmId: w.firmId,
        matterId,
        ids: former.map(({ taskId, eventId }) => taskId ?? eventId ?? ''),
        rules: former.map(({ ruleId }) => ruleId),
      }),
      w.now(),
    ]);
    for (const one of former) {
      const isOwn = own.some(
        ({ id, ruleId, isTask }) =>
          id === (isTask ? one.taskId : one.eventId) && ruleId === one.ruleId,
      );
      if (!isOwn) throw notFound();
      const there = standing.find(({ id }) => id === one.id);
      const { countedFrom, day } = one;
      if (there?.isUntouched) {
        await putOn(w, there, day);
        w.update(ruledDate, there, { countedFrom, day });
      } else if (!there && !own.some(({ ruledId }) => ruledId === one.id)) {
        w.create(ruledDate, { firmId: w.firmId, matterId, ...one, createdAt: now });
      }
    }
  });

/** Whether it can have been given by `answerMoved`, and can be stored. */
const isPossible = ({ id, ruleId, taskId, eventId, countedFrom, day }: FormerDate) =>
  [id, ruleId, taskId ?? eventId ?? ''].every(isId) &&
  (taskId === null) !== (eventId === null) &&
  [countedFrom, day].every(isCalendarDate);

type OfMatter = { firmId: string; matterId: string };

const standingOfMatter = statement(
  ({ firmId, matterId }: Given<OfMatter>) => sql<StandingDate>`
    select made.id::text as id, made.rule_id::text as "ruleId", made.task_id::text as "taskId",
      made.event_id::text as "eventId", coalesce(task.title, event.title) as title,
      rule.trigger, rule.amount, rule.unit, rule.rolling, rule.deleted_at is not null as "isRuleGone",
      made.counted_from::text as "countedFrom", made.day::text as day,
      coalesce(task.due_on, event.first_day)::text as present,
      case when made.task_id is null
        then event.first_day is not distinct from made.day and event.last_day is not distinct from made.day
        else task.due_on is not distinct from made.day end as "isUntouched"
    from ruled_date made
    join firm on firm.id = ${firmId}::uuid
    join date_rule rule on rule.firm_id = made.firm_id and rule.id = made.rule_id
    left join task on task.firm_id = made.firm_id and task.id = made.task_id
    left join calendar_event event on event.firm_id = made.firm_id and event.id = made.event_id
    where made.firm_id = ${firmId}::uuid and made.matter_id = ${matterId}::uuid
      and task.done_at is null and task.cancelled_at is null and event.cancelled_at is null
      and (made.event_id is null or (moment() at time zone firm.time_zone)::date <= coalesce(event.last_day,
        (coalesce(event.ends_at, event.starts_at) at time zone firm.time_zone)::date))
    order by made.day, made.id`,
);

const removeOne = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query.delete(ruledDate).where(sql`${ruledDate.firmId} = ${firmId} and ${ruledDate.id} = ${id}`),
);

/** Tasks or events of a matter and rules of the firm, and the dates by rule that name the task or event now. */
const ownAmong = statement(
  ({ firmId, matterId, ids, rules }: Given<OfMatter & { ids: string[]; rules: string[] }>) => sql<{
    id: string;
    isTask: boolean;
    ruleId: string;
    ruledId: string | null;
  }>`
    select own.id::text as id, own.is_task as "isTask", rule.id::text as "ruleId",
      made.id::text as "ruledId"
    from (
      select task.id, true as is_task from task
      where task.firm_id = ${firmId}::uuid and task.matter_id = ${matterId}::uuid
        and task.id = any(${ids}::uuid[])
      union all
      select event.id, false from calendar_event event
      where event.firm_id = ${firmId}::uuid and event.matter_id = ${matterId}::uuid
        and event.id = any(${ids}::uuid[])
    ) own
    join date_rule rule on rule.firm_id = ${firmId}::uuid and rule.id = any(${rules}::uuid[])
    left join ruled_date made on made.firm_id = ${firmId}::uuid
      and (made.task_id = own.id or made.event_id = own.id)`,
);
