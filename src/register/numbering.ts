import { sql } from 'drizzle-orm';
import { dayIn } from '../base/calendar-date.ts';
import { invalidField, Refusal } from '../base/refusal.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Actor, Reader } from '../record/actor.ts';
import type { Acting, Write } from '../record/write.ts';

const counter = /\{(#+)\}/;

/**
 * Writes a record's number in the firm's format: literal text; `{YYYY}`, `{YY}`, `{MM}` of the day
 * it is made, in the firm's time zone; and the counter `{####}`, padded with zeros to as many
 * digits, growing past them.
 */
export const formatNumber = (
  format: string,
  number: number,
  at: Date,
  timeZone: string,
): string => {
  const [year = '', month = ''] = dayIn(at, timeZone).split('-');
  return format
    .replace(counter, (_, run: string) => String(number).padStart(run.length, '0'))
    .replaceAll('{YYYY}', year)
    .replaceAll('{YY}', year.slice(-2))
    .replaceAll('{MM}', month);
};

/**
 * Throws `Refusal` unless the format has exactly one counter and no other braces (docs/contract.md,
 * Records).
 */
export const checkNumberFormat = (name: string, format: string) => {
  const rest = format.replace(counter, '').replaceAll(/\{(YYYY|YY|MM)\}/g, '');
  if (!counter.test(format) || /[{}]/.test(rest) || format.length > 64) {
    throw invalidField(
      name,
      'must hold one counter such as {####}, may hold {YYYY}, {YY} and {MM}, and is at most 64 characters',
    );
  }
};

/** Kinds of record that carry a number. */
export type Numbered = 'lead' | 'matter';

/** The format for numbers of this kind; null if its numbering is not set up. */
export const numberFormatOf = async (reader: Reader, kind: Numbered): Promise<string | null> =>
  (await reader.first(counterOf, { firmId: reader.firmId, kind }))?.format ?? null;

/** From the next record of this kind on, uses another format. */
export const changeNumberFormat = (w: Write, kind: Numbered, format: string) =>
  void w.run(setFormat, { firmId: w.firmId, kind, format });

const setFormat = statement(
  ({ firmId, kind, format }: Given<'firmId' | 'kind' | 'format'>) => sql`
    insert into register (firm_id, kind, number_format)
    values (${firmId}, ${kind}, ${format})
    on conflict (firm_id, kind) do update set number_format = excluded.number_format`,
);

/**
 * The next numbers that records of this kind would get in a format, without those already taken.
 */
export const numbersToCome = async (
  reader: Reader,
  kind: Numbered,
  format: string,
  count: number,
): Promise<string[]> => {
  const { firmId } = reader;
  const counter = await reader.first(counterNow, { firmId, kind });
  const { lastNumber = 0, now = '', timeZone = 'UTC' } = counter ?? {};
  const found: string[] = [];
  for (let passed = 0; passed < mostSteps && found.length < count; passed += stepsAtOnce) {
    const numbers = Array.from({ length: stepsAtOnce }, (_, step) =>
      formatNumber(format, lastNumber + passed + step + 1, new Date(now), timeZone),
    );
    const rows = await reader.run(numbersAmong[kind], { firmId, numbers });
    const taken = new Set(rows.map((row) => row.number));
    found.push(...numbers.filter((one) => !taken.has(one)));
  }
  return found.slice(0, count);
};

/** The firm's numbering of this kind is not set up: 409 (docs/contract.md, Errors). */
export const notNumbered = (kind: Numbered) =>
  new Refusal(
    'not_configured',
    `The firm has no ${kind} numbering yet. An owner or administrator sets it up in the firm settings.`,
  );

const mostSteps = 100_000;
const stepsAtOnce = 1_000;

/**
 * Runs a create. If its number is already taken, by a record numbered in an earlier format, the
 * counter is moved past all taken ones in a transaction of its own, and the create runs again.
 * Numbers are never reused (docs/contract.md, Records).
 */
export const withFreeNumber = async <Made>(
  actor: Acting,
  kind: Numbered,
  create: () => Promise<Made>,
): Promise<Made> => {
  try {
    return await create();
  } catch (error) {
    const { code, constraint_name: constraint } = error as Record<string, unknown>;
    // Inside a write that was open before, there is nothing left to try again in.
    if (code !== '23505' || constraint !== `${kind}_number` || 'author' in actor) throw error;
    await passTakenNumbers(actor, kind);
    return await create();
  }
};

const passTakenNumbers = ({ database, firmId }: Actor, kind: Numbered) =>
  database.transaction(
    async (transaction) => {
      const counter = await transaction.first(counterHeld, { firmId, kind });
      if (!counter?.format) return;
      const at = new Date(counter.now);
      let passed = counter.lastNumber;
      const isTaken = (count: number) =>
        transaction.first(numbersTaken[kind], {
          firmId,
          number: formatNumber(counter.format ?? '', count, at, counter.timeZone),
        });
      while (passed < counter.lastNumber + mostSteps && (await isTaken(passed + 1))) passed += 1;
      await transaction.run(setCounter, { firmId, kind, passed });
    },
    { of: firmId },
  );

const isThisCounter = ({ firmId, kind }: Given<'firmId' | 'kind'>) => sql`register
  where firm_id = ${firmId} and kind = ${kind}`;

type Counter = { format: string | null; lastNumber: number; now: string; timeZone: string };
const counterParts = sql`number_format as format, last_number::float8 as "lastNumber", moment() as now,
  (select time_zone from firm where firm.id = register.firm_id) as "timeZone"`;

const counterOf = statement(
  (given: Given<'firmId' | 'kind'>) =>
    sql<Counter>`select ${counterParts} from ${isThisCounter(given)}`,
);
const counterHeld = statement(
  (given: Given<'firmId' | 'kind'>) =>
    sql<Counter>`select ${counterParts} from ${isThisCounter(given)} for update`,
);

const counterNow = statement(
  ({ firmId, kind }: Given<'firmId' | 'kind'>) => sql<{
    lastNumber: number;
    now: string;
    timeZone: string;
  }>`
    select coalesce((select last_number from register where firm_id = ${firmId} and kind = ${kind}), 0)::float8
      as "lastNumber", moment() as now, (select time_zone from firm where id = ${firmId}) as "timeZone"`,
);

const setCounter = statement(
  ({ firmId, kind, passed }: Given<{ firmId: string; kind: string; passed: number }>) => sql`
    update register set last_number = ${passed}::bigint where firm_id = ${firmId} and kind = ${kind}`,
);

// The records are above in the order of floors, so their tables are named here by hand.
const takenIn = (kind: Numbered) =>
  statement(
    ({ firmId, number }: Given<'firmId' | 'number'>) => sql`
      select from ${sql.identifier(kind)} where firm_id = ${firmId} and number = ${number}`,
  );
const amongTaken = (kind: Numbered) =>
  statement(
    ({ firmId, numbers }: Given<{ firmId: string; numbers: string[] }>) => sql<{ number: string }>`
      select number from ${sql.identifier(kind)}
      where firm_id = ${firmId} and number = any(${numbers}::text[])`,
  );
const numbersAmong = { lead: amongTaken('lead'), matter: amongTaken('matter') };
const numbersTaken = { lead: takenIn('lead'), matter: takenIn('matter') };
