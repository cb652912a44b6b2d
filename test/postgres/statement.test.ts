import { afterAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { readSettings } from '../../src/config.ts';
import { openDatabase } from '../../src/postgres/pool.ts';
import { type Given, statement } from '../../src/postgres/statement.ts';
import { ownDatabase } from '../support/database.ts';

const database = openDatabase(readSettings({ DATABASE_URL: await ownDatabase() }).database ?? '');
afterAll(() => database.close());

const sum = statement(
  ({ first, second }: Given<{ first: number; second: number | null }>) =>
    sql<{ sum: number | null }>`select ${first}::int + ${second}::int as sum`,
);
const nothing = statement(() => sql<{ one: number }>`select 1 as one`);

test('a statement runs with the values it names, of their types, and with no others', async () => {
  expect(await database.first(sum, { first: 1, second: 2 })).toEqual({ sum: 3 });
  expect(await database.first(sum, { first: 1, second: null })).toEqual({ sum: null });
  expect(await database.first(nothing)).toEqual({ one: 1 });
  // What the compiler refuses: taking one of these lines away leaves an error in its place.
  const refused = [
    // @ts-expect-error: missing
    () => database.run(sum, { first: 1 }),
    // @ts-expect-error: missing altogether
    () => database.run(sum),
    // @ts-expect-error: misspelt
    () => database.run(sum, { first: 1, secnd: 2 }),
    // @ts-expect-error: of another type
    () => database.run(sum, { first: 1, second: '2' }),
    // @ts-expect-error: one too many
    () => database.run(sum, { first: 1, second: 2, third: 3 }),
    // @ts-expect-error: none is named
    () => database.run(nothing, { first: 1 }),
    // @ts-expect-error: taken, and not named
    () => statement(({ first }: Given<'first'>, third) => sql`select ${first}, ${third}`),
    // @ts-expect-error: taken, and not named
    () => statement(({ first, third }: Given<'first'>) => sql`select ${first}, ${third}`),
  ];
  // A value that is missing after all is never sent as something else.
  expect(refused[0]).toThrow('second');
});

const kept = statement(
  ({ texts, numbers, moment }: Given<{ texts: string[]; numbers: number[]; moment: Date }>) =>
    sql<{ texts: string[]; numbers: number[]; moment: string }>`
      select array_to_json(${texts}::text[]) as texts, array_to_json(${numbers}::int[]) as numbers,
        to_json(${moment}::timestamptz) as moment`,
);

test('lists and moments arrive as they are, whatever they hold', async () => {
  const texts = ['', ' ', 'null', 'a,b', '{}', '"', '\\', '\\"', "'", 'ü\n'];
  const given = { texts, numbers: [1, -2], moment: new Date('2026-03-14T09:26:53.589Z') };
  const row = await database.first(kept, given);
  expect(row).toEqual({ ...given, moment: expect.any(String) });
  expect(new Date(row?.moment ?? '')).toEqual(given.moment);
  const empty = await database.first(kept, { ...given, texts: [], numbers: [] });
  expect([empty?.texts, empty?.numbers]).toEqual([[], []]);
});
