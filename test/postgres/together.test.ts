/** Pieces of work of one firm that come at the same moment, and share transactions. */
import { afterAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { readSettings } from '../../src/config.ts';
import { type Database, openDatabase } from '../../src/postgres/pool.ts';
import { type Given, statement } from '../../src/postgres/statement.ts';
import { together } from '../../src/postgres/together.ts';
import { connect, ownDatabase } from '../support/database.ts';

const databaseUrl = await ownDatabase();
const observer = connect(databaseUrl);
await observer`create table part (attempt text, number int, transaction text)`;
const opened: Database[] = [];
afterAll(async () => {
  for (const database of opened) await database.close();
  await observer.end();
});

const open = () => {
  const database = openDatabase(readSettings({ DATABASE_URL: databaseUrl }).database ?? '', 4);
  opened.push(database);
  return database;
};

type Stored = { attempt: string; number: number };
const insertPart = statement(
  ({ attempt, number }: Given<Stored>) =>
    sql`insert into part values (${attempt}, ${number}, pg_current_xact_id()::text)`,
);
const divideByZero = statement(() => sql`select 1 / 0`);

/** Stores numbers, and then does what is said of each, all of it at the same moment. */
const storeAtOnce = (
  database: Database,
  attempt: string,
  numbers: number[],
  what: (
    number: number,
  ) => 'stores' | 'is refused' | 'stores and is refused' | 'breaks a statement',
) =>
  Promise.all(
    numbers.map((number) =>
      together(database, 'firm', 'kind', (transaction) => {
        let wrote = false;
        const work = async () => {
          const happens = what(number);
          if (happens === 'is refused') throw new Error(`No ${number}.`);
          wrote = true;
          void transaction.run(insertPart, { attempt, number });
          if (happens === 'stores and is refused') throw new Error(`No ${number}.`);
          if (happens === 'breaks a statement') void transaction.run(divideByZero).catch(() => {});
          return number;
        };
        return { value: work(), hasWritten: () => wrote };
      }).catch((error: Error) => error.message),
    ),
  );

const numbersOf = async (attempt: string): Promise<number[]> =>
  (await observer`select number from part where attempt = ${attempt} order by number`).map(
    ({ number }) => number,
  );

const twenty = Array.from({ length: 20 }, (_, index) => index);

test('twenty that come at once share a few transactions, and each gets its own value', async () => {
  const values = await storeAtOnce(open(), 'shared', twenty, () => 'stores');
  expect(values).toEqual(twenty.map((value) => ({ value })));
  expect(await numbersOf('shared')).toEqual(twenty);
  const [{ count } = { count: 0 }] = await observer`
    select count(distinct transaction)::int as count from part where attempt = 'shared'`;
  expect(count).toBeLessThan(5);
});

test('one that is refused before it wrote anything does not keep the others from being stored', async () => {
  const values = await storeAtOnce(open(), 'refused', twenty, (number) =>
    number === 5 ? 'is refused' : 'stores',
  );
  expect(values[5]).toBe('No 5.');
  expect(await numbersOf('refused')).toEqual(twenty.filter((number) => number !== 5));
});

for (const fails of ['stores and is refused', 'breaks a statement'] as const) {
  test(`where one of them ${fails}, nothing of its transaction stays, and all of it are to be done alone`, async () => {
    const values = await storeAtOnce(open(), fails, twenty, (number) =>
      number === 5 ? fails : 'stores',
    );
    expect(values[5]).toBeUndefined();
    const alone = twenty.filter((number) => values[number] === undefined);
    expect(await numbersOf(fails)).toEqual(twenty.filter((number) => !alone.includes(number)));
  });
}

test('when the connection is lost, all of them are refused and none is done again', async () => {
  const database = open();
  const end = statement(() => sql`select pg_terminate_backend(pg_backend_pid())`);
  const refused = await Promise.all(
    twenty.map((number) =>
      together(database, 'firm', 'kind', (transaction) => {
        void transaction.run(insertPart, { attempt: 'lost', number });
        void transaction.run(end).catch(() => {});
        return { value: Promise.resolve(number), hasWritten: () => true };
      }).catch((error) => error.code),
    ),
  );
  expect(refused).toEqual(twenty.map(() => 'unavailable'));
  expect(await numbersOf('lost')).toEqual([]);
});

test('what several ask at the same moment is asked once, and anew after something was written', async () => {
  const draw = statement(() => sql<{ drawn: string }>`select gen_random_uuid()::text as drawn`);
  const database = open();
  const values = await Promise.all(
    twenty.map((number) =>
      together(database, 'firm', 'kind', (transaction) => {
        const work = async () => {
          const before = (await transaction.first(draw))?.drawn;
          void transaction.run(insertPart, { attempt: 'asked', number });
          return { before, after: (await transaction.first(draw))?.drawn };
        };
        return { value: work(), hasWritten: () => true };
      }),
    ),
  );
  const drawnBefore = new Set(values.map((given) => given?.value.before));
  const drawnAfter = new Set(values.map((given) => given?.value.after));
  expect(drawnBefore.size).toBeLessThan(5);
  expect(drawnAfter.size).toBe(twenty.length);
  expect([...drawnBefore].filter((drawn) => drawnAfter.has(drawn))).toEqual([]);
});

test('pieces of other firms and kinds do not share a transaction', async () => {
  const database = open();
  const lines = ['one', 'other'].flatMap((of) => ['lead', 'contact'].map((kind) => ({ of, kind })));
  await Promise.all(
    lines.map(({ of, kind }, number) =>
      together(database, of, kind, (transaction) => {
        void transaction.run(insertPart, { attempt: 'apart', number });
        return { value: Promise.resolve(), hasWritten: () => true };
      }),
    ),
  );
  const [{ count } = { count: 0 }] = await observer`
    select count(distinct transaction)::int as count from part where attempt = 'apart'`;
  expect(count).toBe(4);
});
