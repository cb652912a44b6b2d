/** When a firm is reminded of its limitation dates, and how long they may stay without a receipt. */
import { sql } from 'drizzle-orm';
import { changesBetween } from '../audit/entry.ts';
import { addDays, dayIn, daysBetween } from '../base/calendar-date.ts';
import { invalidField } from '../base/refusal.ts';
import { readFirm } from '../firm/firm.ts';
import { holidaysBetween } from '../firm/holidays/days.ts';
import { type DaysOff, reckon } from '../firm/reckoning.ts';
import { firm, type Reminder } from '../firm/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Acting, write } from '../record/write.ts';
import { earliest, earliestWorking } from './notice.ts';

/** The reminders in use: in days or working days before a date, the earliest first. */
export const ladderOf = (reminders: readonly Reminder[]) => {
  const inUse = reminders.filter(({ until }) => until === null);
  return {
    days: inUse.map(({ days }) => days).sort((one, other) => other - one),
    inWorkingDays: inUse.some(({ working }) => working),
  };
};

/** A reminder of a date: in days or `working` days before it, as the firm has chosen it; and in `before` days of the calendar. */
export type ReminderOfDate = { days: number; working: boolean; before: number };

/** The reminders that a date gets, the earliest first. Working days are counted without the firm's `daysOff`. */
export const remindersOf = (
  reminders: readonly Reminder[],
  solDate: string,
  daysOff: DaysOff,
): ReminderOfDate[] => {
  const byDay = new Map<string, ReminderOfDate>();
  for (const { days, working = false, since, until } of reminders) {
    const { day } = reckon(
      solDate,
      { amount: -days, unit: working ? 'workingDays' : 'days' },
      'none',
      daysOff,
    );
    if ((since !== null && day < since) || (until !== null && day >= until)) continue;
    byDay.set(day, { days, working, before: daysBetween(day, solDate) });
  }
  return [...byDay.values()].sort((one, other) => other.before - one.before);
};

/** The firm's days off that the reminders of a date are counted without; none are read if they count no working days. */
export const daysOffBefore = async (
  reader: Reader,
  reminders: readonly Reminder[],
  solDate: string | null,
): Promise<DaysOff> => {
  if (solDate === null || !reminders.some(({ working }) => working)) return new Map();
  const days = await holidaysBetween(reader, addDays(solDate, -earliest), solDate);
  return new Map(days.map(({ day, name }) => [day, name]));
};

const maxReminders = 20;

/**
 * From tomorrow on, limitation dates give notice so many days before them, or so many working days. What is past a new
 * reminder's day gives none for it; what a removed one has asked stays asked. Throws `Refusal` invalid_request, for none
 * and more than 20 too.
 */
export const setReminders = (actor: Acting, wanted: readonly number[], inWorkingDays: boolean) =>
  write(actor, async (w) => {
    const days = [...new Set(wanted)];
    const most = inWorkingDays ? earliestWorking : earliest;
    const isRight = (one: number) => Number.isInteger(one) && one >= 1 && one <= most;
    if (days.length < 1 || days.length > maxReminders || !days.every(isRight)) {
      const unit = inWorkingDays ? 'working days' : 'days';
      const rule = `must be 1 to ${maxReminders} numbers of ${unit}, each from 1 to ${most}`;
      throw invalidField('days', rule, 'For example 180, 90, 30, 7, 1.');
    }
    const [{ reminders, timeZone }, now] = await Promise.all([readFirm(w), w.now()]);
    const tomorrow = addDays(dayIn(now, timeZone), 1);
    const before = ladderOf(reminders);
    const isSameUnit = before.inWorkingDays === inWorkingDays;
    const kept = reminders.map((one) =>
      one.until === null && !(isSameUnit && days.includes(one.days))
        ? { ...one, until: tomorrow }
        : one,
    );
    const added = days
      .filter((one) => !(isSameUnit && before.days.includes(one)))
      .map((one) => ({
        days: one,
        ...(inWorkingDays && { working: true }),
        since: tomorrow,
        until: null,
      }));
    const after = [...kept, ...added].filter(({ since, until }) => isOfUse(since, until, tomorrow));
    const changes = changesBetween(wordsOf(before), wordsOf(ladderOf(after)));
    if (Object.keys(changes).length === 0) return;
    void w.run(storeReminders, { firmId: w.firmId, reminders: JSON.stringify(after) });
    w.record('update', firm, w.firmId, changes);
  });

const wordsOf = ({ days, inWorkingDays }: ReturnType<typeof ladderOf>) => ({
  reminders: days,
  remindersInWorkingDays: inWorkingDays,
});

/** Whether a reminder was ever in use, and could still be the last that a date has had. */
const isOfUse = (since: string | null, until: string | null, tomorrow: string) =>
  until === null || (until !== since && until > addDays(tomorrow, -2 * earliest));

/** How long a date may stay without a receipt: working days, and the days before it from which that is so. */
export type UnheldLimits = {
  unheldDays: number;
  unheldDaysSoon: number;
  unheldSoonFrom: number;
  unheldAtOnceFrom: number;
};

const limitsOf: Record<keyof UnheldLimits, [least: number, most: number]> = {
  unheldDays: [1, 10],
  unheldDaysSoon: [1, 10],
  unheldSoonFrom: [1, 90],
  unheldAtOnceFrom: [0, 90],
};

/** From now on, more people are told of a date that nobody has after so long. Throws `Refusal` invalid_request. */
export const setUnheldLimits = (actor: Acting, limits: UnheldLimits) =>
  write(actor, async (w) => {
    const names = Object.keys(limitsOf) as (keyof UnheldLimits)[];
    for (const name of names) {
      const [[least, most], value] = [limitsOf[name], limits[name]];
      if (Number.isInteger(value) && value >= least && value <= most) continue;
      throw invalidField(name, `must be a whole number from ${least} to ${most}`);
    }
    if (limits.unheldAtOnceFrom > limits.unheldSoonFrom) {
      throw invalidField('unheldAtOnceFrom', `must be at most ${limits.unheldSoonFrom}`);
    }
    const stored = await readFirm(w);
    const before = Object.fromEntries(names.map((name) => [name, stored[name]]));
    const changes = changesBetween(before, limits);
    if (Object.keys(changes).length === 0) return;
    void w.run(storeLimits, { firmId: w.firmId, ...limits });
    w.record('update', firm, w.firmId, changes);
  });

/**
 * Says whether more people are told of tasks with a day and of events too while nobody has them, after the same limits.
 * What stood before counts from now on.
 */
export const setWorkEscalates = (actor: Acting, wanted: boolean) =>
  write(actor, async (w) => {
    const before = (await readFirm(w)).workEscalatesSince !== null;
    if (before === wanted) return;
    void w.run(storeEscalates, { firmId: w.firmId, wanted });
    w.record('update', firm, w.firmId, { workEscalates: { before, after: wanted } });
  });

const storeEscalates = statement(
  ({ firmId, wanted }: Given<{ firmId: string; wanted: boolean }>) => sql`
    update firm set work_escalates_since = case when ${wanted}::boolean then moment() end
    where id = ${firmId}::uuid`,
);

const storeReminders = statement(
  ({ firmId, reminders }: Given<'firmId' | 'reminders'>) =>
    sql`update firm set reminders = ${reminders}::jsonb where id = ${firmId}::uuid`,
);

const storeLimits = statement(
  (given: Given<UnheldLimits & { firmId: string }>) => sql`
    update firm set unheld_days = ${given.unheldDays}::int,
      unheld_days_soon = ${given.unheldDaysSoon}::int,
      unheld_soon_from = ${given.unheldSoonFrom}::int,
      unheld_at_once_from = ${given.unheldAtOnceFrom}::int
    where id = ${given.firmId}::uuid`,
);
