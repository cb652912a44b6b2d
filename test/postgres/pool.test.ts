import { afterAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { readSettings } from '../../src/config.ts';
import { deadlines } from '../../src/postgres/deadlines.ts';
import { type Database, openDatabase, type Transaction } from '../../src/postgres/pool.ts';
import { type Given, statement } from '../../src/postgres/statement.ts';
import { expectNoneLeft, watchUnlooked } from '../proof/faults/load.ts';
import { startProxy, type Way } from '../proof/faults/proxy.ts';
import { stepProcess } from '../support/clock.ts';
import { connect, ownDatabase } from '../support/database.ts';

const unlooked = watchUnlooked();
const databaseUrl = await ownDatabase();
const observer = connect(databaseUrl);
await observer.unsafe(`
  create table part (attempt text, number int, unique (attempt, number));
  create table settled_late (value int unique deferrable initially deferred);
  create table reshaped (name text, count int)`);
const opened: Database[] = [];
afterAll(async () => {
  for (const database of opened) await database.close();
  await observer.end();
});

const open = (url = databaseUrl, size = 2) => {
  const database = openDatabase(readSettings({ DATABASE_URL: url }).database ?? '', size);
  opened.push(database);
  return database;
};

const insertPart = statement(
  ({ attempt, number }: Given<{ attempt: string; number: number }>) =>
    sql`insert into part values (${attempt}, ${number})`,
);
const one = statement(() => sql<{ one: number }>`select 1 as one`);
const backend = statement(() => sql<{ pid: number }>`select pg_backend_pid() as pid`);
const divideByZero = statement(() => sql`select 1 / 0`);
const settleLate = statement(() => sql`insert into settled_late values (1)`);

const partsOf = async (attempt: string): Promise<number[]> => {
  const rows = await observer`select number from part where attempt = ${attempt} order by number`;
  return rows.map(({ number }) => number);
};

const name = () => Bun.randomUUIDv7();

/** The code of what is thrown; undefined if nothing is. */
const codeOf = async (attempt: Promise<unknown>): Promise<string | undefined> =>
  attempt.then(
    () => undefined,
    (error) => error.code ?? String(error),
  );

/** Whether nothing has come of it yet. */
const isOpen = async (attempt: Promise<unknown>) =>
  (await Promise.race([attempt.then(() => 'settled'), Bun.sleep(0).then(() => 'open')])) === 'open';

/** Four inserts that nobody waits for one by one, as a write sends them. */
const insertFour = (database: Database, attempt: string) =>
  database.transaction(async (transaction) => {
    for (const number of [1, 2, 3, 4]) void transaction.run(insertPart, { attempt, number });
  });

test('one firm cannot take all connections: another is served while its writes wait in line', async () => {
  const database = open(databaseUrl, 4);
  // The connections are there: who waits in line for three seconds is refused.
  await Promise.all([1, 2, 3].map(() => database.transaction(({ run }) => run(one))));
  const ended: string[] = [];
  const begun: string[] = [];
  const { promise: gate, resolve: openGate } = Promise.withResolvers<void>();
  const writeOf = async (firm: string) => {
    await database.transaction(
      async (transaction) => {
        await transaction.run(one);
        begun.push(firm);
        if (firm === 'busy') await gate;
      },
      { of: firm },
    );
    ended.push(firm);
  };
  const busy = [1, 2, 3, 4, 5].map(() => writeOf('busy'));
  while (begun.length < 2) await Bun.sleep(5);
  await writeOf('other');
  await writeOf('other');
  expect(begun).toEqual(['busy', 'busy', 'other', 'other']);
  expect(ended).toEqual(['other', 'other']);
  openGate();
  await Promise.all(busy);
  expect(ended.filter((firm) => firm === 'busy')).toHaveLength(5);
});

const places: [string, Way, boolean][] = [
  ['the requests of a new connection', 'requests', true],
  ['the answers to a new connection', 'answers', true],
  ['the requests of a used connection', 'requests', false],
  ['the answers to a used connection', 'answers', false],
];
const proxies = await Promise.all(places.map(() => startProxy(databaseUrl)));
const roundsPerPlace = 50;

test.concurrent.each(places.map((place, index) => [...place, proxies[index]] as const))(
  'a transaction is stored wholly or not at all wherever %s are cut',
  async (_, way, isNew, proxy) => {
    if (!proxy) throw new Error('There is a proxy for each.');
    const stored: Record<string, string | undefined> = {};
    const attemptOn = async (database: Database, cutAfter: number) => {
      if (!isNew) await insertFour(database, name());
      const attempt = name();
      const before = proxy.carried(way);
      proxy.cutAfter(way, cutAfter);
      stored[attempt] = await codeOf(insertFour(database, attempt));
      return proxy.carried(way) - before;
    };
    let database = open(proxy.url);
    const whole = await attemptOn(database, Number.POSITIVE_INFINITY);
    for (let round = 0; round <= roundsPerPlace; round += 1) {
      if (isNew) {
        await database.close();
        database = open(proxy.url);
      }
      await attemptOn(database, Math.floor((whole * round) / (roundsPerPlace - 2)));
      expect(await codeOf(database.run(one))).toBeOneOf([undefined, 'unavailable']);
    }
    await database.close();
    for (const [attempt, failure] of Object.entries(stored)) {
      const parts = await partsOf(attempt);
      if (failure === undefined) expect(parts).toEqual([1, 2, 3, 4]);
      else
        expect([failure, parts.length]).toBeOneOf([
          ['unavailable', 0],
          ['unavailable', 4],
        ]);
    }
    const failures = Object.values(stored).filter((failure) => failure !== undefined);
    expect(failures.length).toBeGreaterThan(roundsPerPlace * 0.8);
    expect(failures.length).toBeLessThanOrEqual(roundsPerPlace);
  },
);

test.concurrent('what follows a failure inside a transaction is not carried out', async () => {
  const database = open();
  const attempt = name();
  const failing = database.transaction(async (transaction) => {
    void transaction.run(insertPart, { attempt, number: 1 });
    void transaction.run(divideByZero);
    void transaction.run(insertPart, { attempt, number: 2 });
  });
  expect(await codeOf(failing)).toBe('22012');
  await insertFour(database, name());
  expect(await partsOf(attempt)).toEqual([]);
});

test.concurrent('the first failing statement is what is thrown, whichever is waited for', async () => {
  const database = open();
  const attempt = name();
  const failing = database.transaction(async (transaction) => {
    void transaction.run(insertPart, { attempt, number: 1 });
    void transaction.run(insertPart, { attempt, number: 1 });
    void transaction.run(divideByZero);
    await transaction.run(one);
  });
  expect(await codeOf(failing)).toBe('23505');
  const own = database.transaction(async (transaction) => {
    await transaction.run(divideByZero).catch(() => {
      throw new Error('in the words of the call');
    });
  });
  expect(await codeOf(own)).toBe('Error: in the words of the call');
});

test.concurrent('a statement that could not be sent stops the commit', async () => {
  const database = open();
  const attempt = name();
  const failing = database.transaction(async (transaction) => {
    void transaction.run(insertPart, { attempt, number: 1 });
    // @ts-expect-error: the compiler refuses it too.
    void transaction.run(insertPart, { attempt });
  });
  expect(await codeOf(failing)).toBe("Error: The statement's number was given no value.");
  // One that fails inside the client, which counted it in: the answers of others must not go astray.
  const astray = database.transaction(async (transaction) => {
    void transaction.run(insertPart, { attempt, number: 2 });
    // @ts-expect-error: the compiler refuses it too.
    void transaction.run(insertPart, { attempt, number: Symbol('none') });
  });
  expect(await codeOf(astray)).toBe('unavailable');
  expect(await partsOf(attempt)).toEqual([]);
  expect(await database.run(one)).toEqual([{ one: 1 }]);
});

test.concurrent('what a failed transaction left running reaches no other transaction', async () => {
  const database = open();
  const attempt = name();
  let late: Promise<unknown> = Promise.resolve();
  const failing = database.transaction(async (transaction) => {
    const branch = async () => {
      await transaction.run(one);
      await Bun.sleep(50);
      late = transaction.run(insertPart, { attempt, number: 1 });
      await late;
    };
    await Promise.all([branch(), Promise.reject(new Error('refused'))]);
  });
  expect(await codeOf(failing)).toBe('Error: refused');
  await database.transaction(async (transaction) => {
    await transaction.run(one);
    await Bun.sleep(150);
  });
  expect(await codeOf(late)).toBe('Error: The transaction is over.');
  expect(await partsOf(attempt)).toEqual([]);
});

test.concurrent('a commit that Postgres refuses is thrown, and its calls are not made', async () => {
  const database = open();
  let calls = 0;
  const settle = async (transaction: Transaction) => {
    transaction.afterCommit(() => (calls += 1));
    void transaction.run(settleLate);
  };
  await database.transaction(settle);
  expect(calls).toBe(1);
  expect(await codeOf(database.transaction(settle))).toBe('23505');
  expect(calls).toBe(1);
  expect((await observer`select from settled_late`).length).toBe(1);
});

test.concurrent('a statement that must be planned anew is never repeated outside of its transaction', async () => {
  const database = open();
  const reshape = statement(
    ({ name }: Given<'name'>) =>
      sql`insert into reshaped (name, count) values (${name}, 1) returning *`,
  );
  const names = [name(), name(), name()];
  const insert = (which: number) =>
    database.transaction(async (transaction) => {
      const called = names[which] as string;
      void transaction.run(insertPart, { attempt: called, number: 1 });
      void transaction.run(reshape, { name: called });
    });
  await insert(0);
  await observer`alter table reshaped alter count type bigint`;
  expect(await codeOf(insert(1))).toBe('unavailable');
  await insert(2);
  const stored = await observer`select name from reshaped order by name`;
  expect(stored.map((row) => row.name)).toEqual([names[0], names[2]].sort());
  expect(await partsOf(names[1] ?? '')).toEqual([]);
});

test.concurrent('a connection that Postgres ended while nothing was asked is replaced unnoticed', async () => {
  const database = open();
  for (let round = 0; round < 5; round += 1) {
    const before = await database.first(backend);
    const pid = before?.pid ?? 0;
    await observer`select pg_terminate_backend(${pid})`;
    while ((await observer`select from pg_stat_activity where pid = ${pid}`).length > 0) {
      await Bun.sleep(10);
    }
    while (database.figures().connections > 0) await Bun.sleep(5);
    const after = await database.first(backend);
    expect(after?.pid).not.toBe(pid);
  }
});

const reasons = [
  '57P03 starting up',
  '57P01 shutting down',
  '53300 too many connections',
  '28P01 wrong password',
];
const turning = await Promise.all(reasons.map(() => startProxy(databaseUrl)));

test.concurrent.each(reasons.map((reason, index) => [reason, turning[index]] as const))(
  'a Postgres that turns connections away (%s) is asked again',
  async (reason, proxy) => {
    const database = open(proxy?.url);
    proxy?.turnAway(reason.slice(0, 5));
    const attempts = [database.run(one), insertFour(database, name()), database.run(one)];
    expect(await Promise.all(attempts.map(codeOf))).toEqual(attempts.map(() => 'unavailable'));
    proxy?.turnAway(null);
    expect(await database.run(one)).toEqual([{ one: 1 }]);
  },
);

test.concurrent.each([
  'postgres://nobody@nowhere.invalid/none',
  'postgres://nobody@127.0.0.1:1/none',
  'postgres://nobody@%2Fnowhere%2Fat%2Fall/none',
])('an address where no Postgres answers (%s) is refused as unavailable', async (url) => {
  const database = open(url);
  expect(await codeOf(database.run(one))).toBe('unavailable');
  expect(await codeOf(insertFour(database, name()))).toBe('unavailable');
});

test.concurrent('closing lets a transaction under way finish, and opens nothing afterwards', async () => {
  const database = open();
  const attempt = name();
  const underWay = Promise.withResolvers<void>();
  const writing = database.transaction(async (transaction) => {
    await transaction.run(insertPart, { attempt, number: 1 });
    underWay.resolve();
    await Bun.sleep(200);
    await transaction.run(insertPart, { attempt, number: 2 });
  });
  await underWay.promise;
  const closing = database.close();
  expect(await codeOf(insertFour(database, name()))).toBe('unavailable');
  await Promise.all([writing, closing]);
  expect(await partsOf(attempt)).toEqual([1, 2]);
  expect(await codeOf(database.run(one))).toBe('unavailable');
});

test('a transaction does not wait for its turn for ever; single statements never wait for one', async () => {
  const database = open();
  // Both connections are there: the deadline is far for what is asked beside the one that waits.
  await Promise.all([database.run(one), database.transaction(({ run }) => run(one))]);
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const first = database.transaction(async (transaction) => {
    await transaction.run(one);
    await finished;
  });
  const second = codeOf(database.transaction(async (transaction) => transaction.run(one)));
  for (let asked = 0; asked < 20; asked += 1) expect(await database.run(one)).toHaveLength(1);
  expect(await isOpen(second)).toBe(true);
  stepProcess(deadlines().reserve / 1000);
  expect(await second).toBe('unavailable');
  finish();
  await first;
  expect(await database.transaction(async ({ run }) => run(one))).toEqual([{ one: 1 }]);
});

test('an answer that came while this program stood still is no missing one', async () => {
  const database = open();
  await database.run(one);
  const answer = database.run(one);
  await Bun.sleep(0);
  // The answer arrives while nothing here runs.
  Bun.sleepSync(200);
  stepProcess(deadlines().answer / 1000);
  expect(await answer).toEqual([{ one: 1 }]);
  expect(database.figures().lost).toBe(0);
});

test('no connection is left behind, and nothing is thrown where nobody looks', async () => {
  for (const database of opened.splice(0)) await database.close();
  await expectNoneLeft(databaseUrl, 0);
  await Bun.sleep(100);
  expect(unlooked).toEqual([]);
});
