/** A firm's own rules for dates: how one day of a matter is counted from another. */
import { and, asc, eq, isNull } from 'drizzle-orm';
import { addDays } from '../base/calendar-date.ts';
import { isId, newId } from '../base/columns.ts';
import { invalidField, notFound, oneOf } from '../base/refusal.ts';
import { plainly } from '../base/rule.ts';
import { shortText } from '../base/short-text.ts';
import { eventKind } from '../calendar/table.ts';
import { customField } from '../custom-fields/table.ts';
import { holidaysBetween } from '../firm/holidays/days.ts';
import {
  type DaysOff,
  type Reckoned,
  type Rolling,
  reckon,
  rollings,
  type Span,
  spanUnits,
} from '../firm/reckoning.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import { practiceAreaFor } from '../practice-areas/list.ts';
import { practiceArea } from '../practice-areas/table.ts';
import type { Reader } from '../record/actor.ts';
import { nameInTurn, refuseLike, refuseTakenName } from '../record/taken.ts';
import { type Acting, write } from '../record/write.ts';
import { dateRule, type MadeByRule, madeByRule, triggers } from './table.ts';
import {
  type CountedFrom,
  type Counting,
  checkedTrigger,
  isFieldOf,
  isKindOf,
  triggerNames,
} from './trigger.ts';

/** How many rules a firm may have. */
const maxRules = 500;

/** How far a rule may count, in each unit. */
export const furthest: Record<Span['unit'], number> = {
  days: 3_650,
  workingDays: 1_000,
  weeks: 520,
  months: 1_200,
  years: 100,
};

/** What a rule says. The amount is negative for days before the trigger. */
export type RuleFields = Span &
  CountedFrom & {
    name: string;
    rolling: Rolling;
    practiceAreaId: string | null;
    makes: MadeByRule;
    /** Whether somebody else than who counted one of its dates has to confirm it. */
    needsConfirmation: boolean;
  };

/** A rule of the firm, with the names of its practice area, its field and its event kind. */
export type DateRule = RuleFields & Counting & { id: string; practiceArea: string | null };

/** The firm's rules, by name. */
export const listDateRules = (reader: Reader): Promise<DateRule[]> =>
  reader.run(rules, { firmId: reader.firmId });

/** One of the firm's rules. Throws `Refusal` not_found, for a deleted one too. */
export const readDateRule = async (reader: Reader, id: string): Promise<DateRule> => {
  const found = isId(id) && (await listDateRules(reader)).find((rule) => rule.id === id);
  if (!found) throw notFound();
  return found;
};

const ofFirm = 'date rule of the firm';
const taken = refuseTakenName('date_rule_name', ofFirm);

/**
 * Adds a rule, and gives its id. Throws `Refusal` invalid_request, not_found for a practice area, a field or an event kind that
 * the firm does not have, and conflict for a name that another rule has.
 */
export const addDateRule = (actor: Acting, asked: RuleFields) =>
  write(actor, async (w) => {
    await nameInTurn(w, 'date_rule');
    const [all, now] = await Promise.all([listDateRules(w), w.now()]);
    refuseLike(w, ofFirm, all, asked.name);
    if (all.length >= maxRules) {
      const words = `The firm has ${maxRules} rules, and can have no more. Delete one first`;
      throw invalidField('name', plainly(words, `must be one of at most ${maxRules}`));
    }
    if (asked.practiceAreaId !== null) await practiceAreaFor(w, asked.practiceAreaId);
    const id = newId();
    const fields = { ...checkedRule(asked), ...(await checkedTrigger(w, triggers, asked)) };
    const made = { firmId: w.firmId, id, ...fields, createdAt: now, updatedAt: now };
    w.create(dateRule, made);
    return id;
  }).catch(taken);

/**
 * Changes what a rule says. Dates that it has made stay as they are. Throws `Refusal` not_found, and as `addDateRule` does;
 * a practice area and a field that were removed meanwhile may stay.
 */
export const changeDateRule = (actor: Acting, id: string, asked: RuleFields) =>
  write(actor, async (w) => {
    await nameInTurn(w, 'date_rule');
    const [stored, now] = await Promise.all([ruleForChange(w, id), w.now()]);
    refuseLike(w, ofFirm, await listDateRules(w), asked.name, stored);
    const { practiceAreaId } = asked;
    if (practiceAreaId !== null && practiceAreaId !== stored.practiceAreaId) {
      await practiceAreaFor(w, practiceAreaId);
    }
    const fields = { ...checkedRule(asked), ...(await checkedTrigger(w, triggers, asked, stored)) };
    w.update(dateRule, stored, { ...fields, updatedAt: now });
  }).catch(taken);

/** Deletes a rule. Dates that it has made stay. Throws `Refusal` not_found. */
export const removeDateRule = (actor: Acting, id: string) =>
  write(actor, async (w) => {
    const [stored, now] = await Promise.all([ruleForChange(w, id), w.now()]);
    w.remove(dateRule, stored, now);
  });

const ruleForChange = async (w: Reader, id: string) => {
  const stored = isId(id) ? await w.first(oneForChange, { firmId: w.firmId, id }) : undefined;
  if (!stored) throw notFound();
  return stored;
};

/** The fields as they are stored. Throws `Refusal` invalid_request. */
const checkedRule = ({ name, practiceAreaId, needsConfirmation, ...asked }: RuleFields) => ({
  ...checkedSpan(asked),
  name: shortText('name', name),
  rolling: oneOf('rolling', rollings, asked.rolling),
  practiceAreaId,
  makes: oneOf('makes', madeByRule, asked.makes),
  needsConfirmation,
});

/** A span that people count by. Throws `Refusal` invalid_request for `unit`, and for an `amount` beyond `furthest`. */
export const checkedSpan = ({ amount, ...asked }: Span): Span => {
  const unit = oneOf('unit', spanUnits, asked.unit);
  const to = furthest[unit];
  if (!Number.isInteger(amount) || Math.abs(amount) > to) {
    const rule = `must be a whole number from 0 to ${to}`;
    throw invalidField('amount', { rule, kind: { kind: 'number', from: 0, to } });
  }
  return { amount, unit };
};

type Counted = Span & { rolling: Rolling };

/**
 * What each rule makes of a day, with the firm's holidays of now; undefined where that is beyond the years 1 to 9999. The
 * holidays are read once for all of them, and not at all if no rule asks for them.
 */
export const reckonRules = async <Rule extends Counted>(
  reader: Reader,
  asked: readonly { rule: Rule; from: string }[],
): Promise<(Reckoned | undefined)[]> => {
  const daysOff = await daysOffFor(reader, asked);
  return asked.map(({ rule, from }) => {
    try {
      return reckon(from, rule, rule.rolling, daysOff);
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  });
};

/** So many days of the calendar a unit has at most. Of two days, one is a working day. */
const daysOf: Record<Span['unit'], number> = {
  days: 1,
  workingDays: 2,
  weeks: 7,
  months: 31,
  years: 366,
};

/** As many days in a row may be none on which the firm works. */
const longestPause = 800;

const daysOffFor = async (
  reader: Reader,
  asked: readonly { rule: Counted; from: string }[],
): Promise<DaysOff> => {
  const touched = asked
    .filter(({ rule }) => rule.unit === 'workingDays' || rule.rolling !== 'none')
    .flatMap(({ rule: { amount, unit }, from }) => {
      const reach = amount * daysOf[unit];
      const ends = [Math.min(0, reach) - longestPause, Math.max(0, reach) + longestPause];
      return ends.map((days) => within(addDays(from, days)));
    })
    .sort();
  const [first, last] = [touched[0], touched.at(-1)];
  if (first === undefined || last === undefined) return new Map();
  const days = await holidaysBetween(reader, first, last);
  return new Map(days.map(({ day, name }) => [day, name]));
};

/** A day that the database knows: years beyond 9999 have a sign, and so have those before 0. */
const within = (day: string): string => {
  if (day.startsWith('+')) return '9999-12-31';
  return day < '0001-01-01' ? '0001-01-01' : day;
};

const isOfFirm = ({ firmId }: Given<'firmId'>) =>
  and(eq(dateRule.firmId, firmId), isNull(dateRule.deletedAt));

const rules = statement((given: Given<'firmId'>) =>
  query
    .select({
      id: dateRule.id,
      name: dateRule.name,
      trigger: dateRule.trigger,
      fieldId: dateRule.fieldId,
      ...triggerNames,
      eventKindId: dateRule.eventKindId,
      amount: dateRule.amount,
      unit: dateRule.unit,
      rolling: dateRule.rolling,
      practiceAreaId: dateRule.practiceAreaId,
      makes: dateRule.makes,
      needsConfirmation: dateRule.needsConfirmation,
      practiceArea: practiceArea.name,
    })
    .from(dateRule)
    .leftJoin(
      practiceArea,
      and(eq(practiceArea.firmId, dateRule.firmId), eq(practiceArea.id, dateRule.practiceAreaId)),
    )
    .leftJoin(customField, isFieldOf(dateRule))
    .leftJoin(eventKind, isKindOf(dateRule))
    .where(isOfFirm(given))
    .orderBy(asc(dateRule.name), asc(dateRule.id)),
);

const oneForChange = statement((given: Given<'firmId' | 'id'>) =>
  query
    .select()
    .from(dateRule)
    .where(and(isOfFirm(given), eq(dateRule.id, given.id)))
    .for('update'),
);
