/** Lengths that functions and migrations in SQL repeat: they must be those of the program. */
import { afterAll, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { blockLengths } from '../../src/register/register.ts';
import { maxContactText, runLengths } from '../../src/search-text/search-text.ts';
import { connect, sharedDatabase } from '../support/database.ts';

const sql = connect(await sharedDatabase());
afterAll(() => sql.end());

const bodyOf = async (name: string): Promise<string> => {
  const [found] = await sql`select prosrc from pg_proc where proname = ${name}`;
  return found?.prosrc;
};

const numbersIn = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, number]) => Number(number));

test('the index has the runs that a search asks it for', async () => {
  const runs = numbersIn(await bodyOf('findable_keys'), /ordinal \/ (\d+)/g);
  expect(runs).toEqual([runLengths.short, runLengths.long]);
});

test('the trigger cuts the text of contacts at the length at which a write cuts it', async () => {
  const cuts = numbersIn(await bodyOf('tell_leads_and_matters'), /left\(.*?, (\d+)\)/g);
  expect(cuts).toEqual([maxContactText, maxContactText]);
});

test('the blocks that the last counting migration made are those that writes count in', () => {
  const folder = new URL('../../drizzle/', import.meta.url).pathname;
  const lengths = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .flatMap((name) => [
      ...readFileSync(`${folder}${name}`, 'utf8').matchAll(
        /unnest\('\{([\d,]+)\}'::int\[\]\) length/g,
      ),
    ])
    .at(-1)?.[1];
  expect(lengths).toBe(Object.values(blockLengths).join());
});
