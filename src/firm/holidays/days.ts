/** The days on which a firm does not work, beside Saturdays and Sundays. */
import { and, asc, between, eq, isNull, sql } from 'drizzle-orm';
import { changesBetween } from '../../audit/entry.ts';
import { addDays, checkDay } from '../../base/calendar-date.ts';
import { isId, newId } from '../../base/columns.ts';
import { invalidField, notFound, Refusal } from '../../base/refusal.ts';
import { plainly } from '../../base/rule.ts';
import { shortText } from '../../base/short-text.ts';
import type { JobKind } from '../../jobs/kind.ts';
import type { Transaction } from '../../postgres/pool.ts';
import { type Given, query, statement } from '../../postgres/statement.ts';
import type { Reader } from '../../record/actor.ts';
import { refuseTaken } from '../../record/taken.ts';
import { type Acting, write } from '../../record/write.ts';
import { readFirm } from '../firm.ts';
import { firm, holiday } from '../table.ts';
import { holidayEdition, publicHolidays } from './public.ts';

/** The firm's holidays from one day to another, both included, in their order. */
export const holidaysBetween = (reader: Reader, from: string, to: string) =>
  reader.run(withinDays, { firmId: reader.firmId, from, to });

const ownHolidays = (reader: Reader) => reader.run(ownDays, { firmId: reader.firmId });

/**
 * From now on, the public holidays of this place are no working days, or only the firm's own if it is null. Throws
 * `Refusal` invalid_request for a place that there is not.
 */
export const chooseHolidays = (actor: Acting, place: string | null) =>
  write(actor, async (w) => {
    const stored = await readFirm(w);
    if (stored.holidaysOf === place) return;
    await takeHolidays(w, w.firmId, place);
    const before = { holidaysOf: stored.holidaysOf };
    w.record('update', firm, w.firmId, changesBetween(before, { holidaysOf: place }));
  });

const maxOwn = 500;
const longestRange = 100;

/** Days in a row of one name, of the firm's own; each is stored by itself. */
export type OwnDays = { id: string; name: string; day: string; lastDay: string };

/** The firm's own days in their order, those of one name that follow each other together. `id` is the first one's. */
export const ownRanges = async (reader: Reader): Promise<OwnDays[]> => {
  const ranges: OwnDays[] = [];
  for (const { id, name, day } of await ownHolidays(reader)) {
    const last = ranges.at(-1);
    if (last?.name === name && addDays(last.lastDay, 1) === day) last.lastDay = day;
    else ranges.push({ id, name, day, lastDay: day });
  }
  return ranges;
};

type NewDays = { name: string; day: string; lastDay?: string | null };

/**
 * Adds a day on which the firm does not work, or all days up to a last one; those that are on the list already stay as they
 * are. Gives their ids. Throws `Refusal` invalid_request for a name or a day that is wrong, and conflict if all are on the list.
 */
export const addHolidays = (actor: Acting, { name, day, lastDay }: NewDays) =>
  write(actor, async (w) => {
    checkDay('day', day);
    const days = daysIn(day, lastDay || day);
    const named = shortText('name', name);
    const [own, createdAt] = await Promise.all([ownHolidays(w), w.now()]);
    const added = days.filter((one) => !own.some((listed) => listed.day === one));
    if (added.length === 0) throw new Refusal('conflict', isListedWords);
    if (own.length + added.length > maxOwn) {
      const words = `The list has room for ${maxOwn} days of the firm's own. Remove some first`;
      throw invalidField('day', plainly(words, `must be one of at most ${maxOwn}`));
    }
    return added.map((one) => {
      const id = newId();
      w.create(holiday, { firmId: w.firmId, id, day: one, name: named, isOwn: true, createdAt });
      return id;
    });
  }).catch(refuseTaken('holiday_own', isListedWords));

const isListedWords = 'This day is on the list already.';

const daysIn = (day: string, lastDay: string): string[] => {
  checkDay('lastDay', lastDay);
  if (lastDay < day) throw invalidField('lastDay', 'must not be before the first day');
  const all = Array.from({ length: longestRange }, (_, at) => addDays(day, at));
  const days = all.filter((one) => one <= lastDay);
  if (days.at(-1) === lastDay) return days;
  throw invalidField('lastDay', `must be at most ${longestRange - 1} days after the first day`);
};

/** Takes days in a row off the list: from the one with this id, as long as its name goes on, to the last one. Throws `Refusal` not_found. */
export const removeHolidays = (actor: Acting, id: string, lastDay: string) =>
  write(actor, async (w) => {
    const stored = isId(id) ? await w.first(ownDay, { firmId: w.firmId, id }) : undefined;
    if (!stored) throw notFound('The firm has no such day.');
    const range = (await ownHolidays(w)).filter(
      ({ name, day }) => name === stored.name && day > stored.day && day <= lastDay,
    );
    const now = await w.now();
    for (const one of [stored, ...range]) w.remove(holiday, one, now);
  });

/** Brings the holidays of firms up to date that were taken from an earlier version's table. */
export const holidayGuard: JobKind = {
  kind: 'holiday_guard',
  everySeconds: 3_600,
  async work(_, transaction) {
    const edition = await holidayEdition();
    for (const { firmId, place } of await transaction.run(firmsBehind, { edition })) {
      await takeHolidays(transaction, firmId, place);
    }
  },
};

const takeHolidays = async (transaction: Transaction, firmId: string, place: string | null) => {
  const known = place === null ? [] : await publicHolidays(place);
  if (known === undefined)
    throw invalidField(
      'holidaysOf',
      plainly('Choose a place from the list', 'must be a place of the list'),
    );
  const edition = await holidayEdition();
  void transaction.run(dropPublic, { firmId });
  void transaction.run(setPlace, { firmId, place, edition });
  const [days, names] = [known.map(({ day }) => day), known.map(({ name }) => name)];
  if (days.length > 0) void transaction.run(insertPublic, { firmId, days, names });
};

const isListed = ({ firmId }: Given<'firmId'>) =>
  and(eq(holiday.firmId, firmId), isNull(holiday.deletedAt));

const withinDays = statement((given: Given<'firmId' | 'from' | 'to'>) =>
  query
    .select({ day: holiday.day, name: holiday.name, isOwn: holiday.isOwn })
    .from(holiday)
    .where(and(isListed(given), between(holiday.day, given.from, given.to)))
    .orderBy(asc(holiday.day), asc(holiday.name)),
);

const own = (given: Given<'firmId'>) => and(isListed(given), eq(holiday.isOwn, true));

const ownDays = statement((given: Given<'firmId'>) =>
  query.select().from(holiday).where(own(given)).orderBy(asc(holiday.day)),
);

const ownDay = statement((given: Given<'firmId' | 'id'>) =>
  query
    .select()
    .from(holiday)
    .where(and(own(given), eq(holiday.id, given.id)))
    .for('update'),
);

const firmsBehind = statement(
  ({ edition }: Given<'edition'>) => sql<{ firmId: string; place: string }>`
    select id::text as "firmId", holidays_of as place from firm
    where holidays_of is not null and holiday_edition is distinct from ${edition}
    limit 100 for no key update skip locked`,
);

const dropPublic = statement(
  ({ firmId }: Given<'firmId'>) =>
    sql`delete from holiday where firm_id = ${firmId}::uuid and not is_own`,
);

type Placed = { firmId: string; place: string | null; edition: string };

const setPlace = statement(
  ({ firmId, place, edition }: Given<Placed>) => sql`
    update firm set holidays_of = ${place}::text, holiday_edition = ${edition}::text
    where id = ${firmId}::uuid`,
);

const insertPublic = statement(
  ({ firmId, days, names }: Given<{ firmId: string; days: string[]; names: string[] }>) => sql`
    insert into holiday (firm_id, id, day, name, is_own, created_at)
    select ${firmId}::uuid, gen_random_uuid(), one.day, one.name, false, moment()
    from unnest(${days}::date[], ${names}::text[]) as one (day, name)`,
);
