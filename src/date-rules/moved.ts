/** Dates that rules have made, when the day that they were counted from is another one now. */
import { sql } from 'drizzle-orm';
import { isCalendarDate } from '../base/calendar-date.ts';
import { isId } from '../base/columns.ts';
import { notFound, Refusal } from '../base/refusal.ts';
import { changeEvent, eventForChange } from '../calendar/event.ts';
import type { Reckoned } from '../firm/reckoning.ts';
import { matterForChange } from '../matters/list.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { changeTask } from '../tasks/task.ts';
import { reckonRules } from './rule.ts';
import { type StandingDate, standingDates } from './standing.ts';
import { ruledDate } from './table.ts';
import { type Counting, triggerKey } from './trigger.ts';

/** A standing date, and the day that its rule gives now; undefined if it stays where it is. */
export type MovedDate = StandingDate & { reckoned: Reckoned | undefined };

/** A trigger that moved, and what was counted from it before. */
export type MovedTrigger = Counting & {
  /** What `triggerKey` says of it, and behind it the event. */
  key: string;
  from: string;
  /** Null: the matter has no such day now. */
  to: string | null;
  dates: MovedDate[];
};

/**
 * What a matter's people have to be asked: for each trigger that moved, what was counted from its former day. Only dates
 * that nobody changed and whose rules still stand move. Nothing is asked about what is done, cancelled or past.
 */
export const movedTriggers = async (reader: Reader, matterId: string): Promise<MovedTrigger[]> =>
  movedAmong(reader, await standingDates(reader, [matterId]));

/** The same, of the standing dates of the matter. */
export const movedAmong = async (
  reader: Reader,
  standing: readonly StandingDate[],
): Promise<MovedTrigger[]> => {
  const moved = standing.filter(({ triggerNow, countedFrom }) => triggerNow !== countedFrom);
  const asked = moved.flatMap((rule) => {
    const from = rule.triggerNow;
    return from === null || !rule.isUntouched || rule.isRuleGone ? [] : [{ rule, from }];
  });
  const reckoned = await reckonRules(reader, asked);
  const dates = moved.map((one) => {
    const at = asked.findIndex(({ rule }) => rule === one);
    return { ...one, reckoned: reckoned[at] };
  });
  const groups = Map.groupBy(dates, (date) => `${keyOf(date)} ${date.countedFrom}`);
  return [...groups.values()].flatMap((of) => {
    const [first] = of;
    if (!first) return [];
    const { trigger, fieldId, fieldName, eventKindId, eventKindName } = first;
    const counting = { trigger, fieldId, fieldName, eventKindId, eventKindName };
    const { countedFrom: from, triggerNow: to } = first;
    return [{ ...counting, key: keyOf(first), from, to, dates: of }];
  });
};

const keyOf = (date: StandingDate): string =>
  date.countedEventId === null ? triggerKey(date) : `${triggerKey(date)}:${date.countedEventId}`;

/** What somebody was shown: a trigger that moved, and for each date its new day, or that it stays. */
export type ShownMove = Pick<MovedTrigger, 'key' | 'from' | 'to'> & {
  dates: readonly { id: string; day: string | null }[];
};

/** A date by a rule as it was before an answer. */
export type FormerDate = Pick<
  StandingDate,
  'id' | 'ruleId' | 'taskId' | 'eventId' | 'countedFrom' | 'countedEventId' | 'day'
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
    const found = (await movedTriggers(w, matterId)).find(
      ({ key, from }) => key === shown.key && from === shown.from,
    );
    if (!found || !isShown(found, shown)) throw hasChanged();
    let moved = 0;
    for (const date of found.dates) {
      if (answer === 'move' && date.reckoned) {
        const { from: countedFrom, day } = date.reckoned;
        await putOn(w, date, day);
        const countedEventId = date.triggerEventId;
        w.update(ruledDate, date, { countedFrom, countedEventId, day, ...countedAnew(w) });
        moved += 1;
      } else forget(w, date);
    }
    return { former: found.dates.map(formerOf), moved };
  });

const formerOf = ({ id, ruleId, taskId, eventId, ...date }: MovedDate): FormerDate => {
  const { countedFrom, countedEventId, day } = date;
  return { id, ruleId, taskId, eventId, countedFrom, countedEventId, day };
};

/** What is stored of a date that has another day now: who confirmed the former one did not confirm this. */
const countedAnew = ({ memberId }: Write) => ({
  countedById: memberId,
  confirmedById: null,
  confirmedAt: null,
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
const forget = (w: Write, date: FormerDate) => {
  const { id, ruleId, taskId, eventId, countedFrom, countedEventId, day } = date;
  void w.run(removeOne, { firmId: w.firmId, id });
  const before = { ruleId, taskId, eventId, countedFrom, countedEventId, day };
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
    const counted = former.flatMap(({ countedEventId }) => countedEventId ?? []);
    const [standing, own, events, now] = await Promise.all([
      standingDates(w, [matterId]),
      w.run(ownAmong, {
        firmId: w.firmId,
        matterId,
        ids: former.map(({ taskId, eventId }) => taskId ?? eventId ?? ''),
        rules: former.map(({ ruleId }) => ruleId),
      }),
      w.run(eventsAmong, { firmId: w.firmId, matterId, ids: counted }),
      w.now(),
    ]);
    const isKnown = (id: string) => events.some((event) => event.id === id);
    if (!counted.every(isKnown)) throw notFound();
    for (const one of former) {
      const isOwn = own.some(
        ({ id, ruleId, isTask }) =>
          id === (isTask ? one.taskId : one.eventId) && ruleId === one.ruleId,
      );
      if (!isOwn) throw notFound();
      const there = standing.find(({ id }) => id === one.id);
      const { countedFrom, countedEventId, day } = one;
      if (there?.isUntouched) {
        await putOn(w, there, day);
        w.update(ruledDate, there, { countedFrom, countedEventId, day, ...countedAnew(w) });
      } else if (!there && !own.some(({ ruledId }) => ruledId === one.id)) {
        const { countedById } = countedAnew(w);
        w.create(ruledDate, { firmId: w.firmId, matterId, ...one, countedById, createdAt: now });
      }
    }
  });

/** Whether it can have been given by `answerMoved`, and can be stored. */
const isPossible = ({
  id,
  ruleId,
  taskId,
  eventId,
  countedFrom,
  countedEventId,
  day,
}: FormerDate) =>
  [id, ruleId, taskId ?? eventId ?? '', countedEventId ?? id].every(isId) &&
  (taskId === null) !== (eventId === null) &&
  [countedFrom, day].every(isCalendarDate);

type OfMatter = { firmId: string; matterId: string };

const removeOne = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query.delete(ruledDate).where(sql`${ruledDate.firmId} = ${firmId} and ${ruledDate.id} = ${id}`),
);

const eventsAmong = statement(
  ({ firmId, matterId, ids }: Given<OfMatter & { ids: string[] }>) => sql<{ id: string }>`
    select id::text as id from calendar_event where firm_id = ${firmId}::uuid
      and matter_id = ${matterId}::uuid and id = any(${ids}::uuid[])`,
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
