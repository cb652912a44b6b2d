import { sql } from 'drizzle-orm';
import { dayIn } from '../base/calendar-date.ts';
import { invalidField, Refusal } from '../base/refusal.ts';
import { firm } from '../firm/table.ts';
import { lead } from '../leads/table.ts';
import { matter } from '../matters/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Write } from '../record/write.ts';
import type { Place } from './register.ts';

const counter = /\{(#+)\}/;

/**
 * Writes a record's number in the firm's format: literal text; `{YYYY}`, `{YY}`, `{MM}` of the day
 * it is made, in the firm's time zone; and the counter `{####}`, padded with zeros to as many
 * digits, growing past them.
 */
const formatNumber = (format: string, number: number, at: Date, timeZone: string): string => {
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
      'must hold one counter, for example {####}, may hold {YYYY}, {YY} and {MM}, and is at most 64 characters',
    );
  }
};

export type Numbered = 'lead' | 'matter';

/** The format for numbers of this kind; null if its numbering is not set up. */
export const numberFormatOf = async (reader: Reader, kind: Numbered): Promise<string | null> =>
  (await reader.first(formatOf, { firmId: reader.firmId, kind }))?.format ?? null;

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
  const written = (one: number) => formatNumber(format, one, new Date(now), timeZone);
  return (await freeCounts(reader, kind, written, lastNumber + 1, count)).map(written);
};

/** The firm's numbering of this kind is not set up: 409 (docs/contract.md, Errors). */
export const notNumbered = (kind: Numbered) =>
  new Refusal(
    'not_configured',
    `The firm has no ${kind} numbering yet. An owner or administrator sets it up in the firm settings.`,
  );

/**
 * The number of a record that has just been entered. Where records numbered in an earlier format
 * have taken it, the counter moves past them: a number is never given twice (docs/contract.md,
 * Records).
 */
export const numberFor = async (
  w: Write,
  kind: Numbered,
  { numberFormat, number, at }: Place,
  timeZone: string,
): Promise<string> => {
  if (numberFormat === null) throw notNumbered(kind);
  const written = (count: number) => formatNumber(numberFormat, count, at, timeZone);
  if (!w.mustCheck(`${kind}_number`)) return written(number);
  const [free = number] = await freeCounts(w, kind, written, number, 1);
  if (free !== number) void w.run(setCounter, { firmId: w.firmId, kind, lastNumber: free });
  return written(free);
};

const maxSteps = 100_000;
const stepsAtOnce = 1_000;

/** The counts from `from` on whose numbers no record has yet. */
const freeCounts = async (
  { firmId, run }: Reader,
  kind: Numbered,
  written: (count: number) => string,
  from: number,
  howMany: number,
): Promise<number[]> => {
  const free: number[] = [];
  let next = from;
  while (free.length < howMany && next < from + maxSteps) {
    // Mostly the first are free.
    const length = next === from ? howMany : stepsAtOnce;
    const counts = Array.from({ length }, (_, step) => next + step);
    next += length;
    const rows = await run(amongTaken[kind], { firmId, numbers: counts.map(written) });
    const taken = new Set(rows.map((row) => row.number));
    free.push(...counts.filter((count) => !taken.has(written(count))));
  }
  return free.slice(0, howMany);
};

const formatOf = statement(
  ({ firmId, kind }: Given<'firmId' | 'kind'>) => sql<{ format: string | null }>`
    select number_format as format from register where firm_id = ${firmId} and kind = ${kind}`,
);

const counterNow = statement(
  ({ firmId, kind }: Given<'firmId' | 'kind'>) => sql<{
    lastNumber: number;
    now: string;
    timeZone: string;
  }>`
    select coalesce((select last_number from register where firm_id = ${firmId} and kind = ${kind}), 0)::float8
      as "lastNumber", moment() as now, (select ${firm.timeZone} from ${firm} where ${firm.id} = ${firmId}) as "timeZone"`,
);

const setCounter = statement(
  ({
    firmId,
    kind,
    lastNumber,
  }: Given<{ firmId: string; kind: string; lastNumber: number }>) => sql`
    update register set last_number = ${lastNumber}::bigint where firm_id = ${firmId} and kind = ${kind}`,
);

const takenIn = (table: typeof lead | typeof matter) =>
  statement(
    ({ firmId, numbers }: Given<{ firmId: string; numbers: string[] }>) => sql<{ number: string }>`
      select ${table.number} from ${table}
      where ${table.firmId} = ${firmId} and ${table.number} = any(${numbers}::text[])`,
  );
const amongTaken = { lead: takenIn(lead), matter: takenIn(matter) };
