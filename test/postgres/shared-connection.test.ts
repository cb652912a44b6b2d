/** Short statements share a connection: what then happens to one must not happen to the others. */
import { afterAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { readSettings } from '../../src/config.ts';
import { deadlines } from '../../src/postgres/deadlines.ts';
import { type Database, openDatabase } from '../../src/postgres/pool.ts';
import { type Given, shortStatement, statement } from '../../src/postgres/statement.ts';
import { expectNoneLeft, watchUnlooked } from '../proof/faults/load.ts';
import { startProxy } from '../proof/faults/proxy.ts';
import { stepProcess } from '../support/clock.ts';
import { connect, ownDatabase } from '../support/database.ts';

const unlooked = watchUnlooked();
const databaseUrl = await ownDatabase();
const [refusing, forgetful] = [await startProxy(databaseUrl), await startProxy(databaseUrl)];
const opened: Database[] = [];
const observers: ReturnType<typeof connect>[] = [];
afterAll(async () => {
  for (const database of opened) await database.close();
  for (const observer of observers) await observer.end();
});

const open = (url = databaseUrl, size = 4) => {
  const database = openDatabase(readSettings({ DATABASE_URL: url }).database ?? '', size);
  opened.push(database);
  return database;
};

type Answer = { value: number; pid: number };
const echo = shortStatement(
  ({ value }: Given<{ value: number }>) =>
    sql<Answer>`select ${value}::int as value, pg_backend_pid() as pid`,
);
const invert = shortStatement(
  ({ value }: Given<{ value: number }>) =>
    sql<Answer>`select 1000 / ${value}::int as value, pg_backend_pid() as pid`,
);
// First it forgets how long a statement may wait for a lock.
const waitFor = ({ lock }: Given<{ lock: number }>) =>
  sql<Answer>`select ${lock}::int as value, pg_backend_pid() as pid
    from set_config('lock_timeout', '0', true) as patient,
      lateral pg_advisory_xact_lock(${lock}::int + 0 * length(patient))`;
const waitShort = shortStatement(waitFor);
const waitLong = statement(waitFor);
const shortForSome = shortStatement(
  ({ value }: Given<{ value: number }>) =>
    sql<Answer>`select ${value}::int as value, pg_backend_pid() as pid`,
  ({ value }) => value < 10,
);

const plansForOneRun = shortStatement(
  ({ like }: Given<{ like: string }>) => sql<{ known: number; plans: number }>`
    select count(*)::int as known, sum(custom_plans)::int as plans from pg_prepared_statements
    where statement like ${like}`,
);

const thousand = Array.from({ length: 1_000 }, (_, index) => index);

/** Asks for a thousand values at once, and expects each asker to get their own. Gives who answered. */
const askThousand = async (database: Database) => {
  const answers = await Promise.all(thousand.map((value) => database.first(echo, { value })));
  expect(answers.map((answer) => answer?.value)).toEqual(thousand);
  return new Set(answers.map((answer) => answer?.pid));
};

/** The one connection that answers a thousand; on a busy machine not each time, but soon. */
const sharedOf = async (database: Database) => {
  for (let round = 0; round < 50; round += 1) {
    const [pid, ...others] = await askThousand(database);
    if (pid !== undefined && others.length === 0) return pid;
  }
  throw new Error('A thousand short statements never shared a connection.');
};

/** Holds a lock of its own until it is told to let go. */
const holdLock = async () => {
  const lock = Math.floor(Math.random() * 2 ** 30);
  const observer = connect(databaseUrl);
  observers.push(observer);
  await observer`select pg_advisory_lock(${lock})`;
  const backendThatWaits = async () => {
    for (;;) {
      const [found] = await observer`
        select pid from pg_locks where locktype = 'advisory' and objid = ${lock} and not granted`;
      if (found) return Number(found.pid);
      await Bun.sleep(5);
    }
  };
  return {
    lock,
    backendThatWaits,
    terminate: (pid: number) => observer`select pg_terminate_backend(${pid})`,
    letGo: () => observer`select pg_advisory_unlock(${lock})`,
  };
};

/** Whether nothing has come of it yet. */
const isOpen = async (attempt: Promise<unknown>) =>
  (await Promise.race([attempt.then(() => 'settled'), Bun.sleep(0).then(() => 'open')])) === 'open';

const codeOf = (attempt: Promise<unknown>): Promise<string | undefined> =>
  attempt.then(
    () => undefined,
    (error) => error.code ?? String(error),
  );

test.concurrent('a thousand short statements share one connection, and each gets its own answer', async () => {
  await sharedOf(open());
});

test.concurrent('a short statement is planned for all values, never for one run', async () => {
  const database = open();
  await sharedOf(database);
  const found = await database.first(plansForOneRun, { like: '%pg_backend_pid%' });
  expect(found).toEqual({ known: 1, plans: 0 });
});

test.concurrent('also when all connections were open at the first short one', async () => {
  const database = open();
  const { lock, letGo, backendThatWaits } = await holdLock();
  const long = thousand.map(() => database.first(waitLong, { lock }));
  await backendThatWaits();
  expect(database.figures().connections).toBe(4);
  await letGo();
  await Promise.all(long);
  await sharedOf(database);
  const echoed = 'select $1::int as value, pg_backend_pid() as pid';
  const found = await database.first(plansForOneRun, { like: echoed });
  expect(found).toEqual({ known: 1, plans: 0 });
});

test.concurrent('a transaction never takes the shared connection, and a long statement only as the last one', async () => {
  const database = open(databaseUrl, 3);
  const shared = await sharedOf(database);
  const { lock, letGo, backendThatWaits } = await holdLock();
  const inTransaction = [1, 2].map(() =>
    database.transaction(({ first }) => first(waitLong, { lock })),
  );
  await backendThatWaits();
  expect([...(await askThousand(database))]).toEqual([shared]);
  // Both other connections are taken now.
  expect((await database.first(shortForSome, { value: 50 }))?.pid).toBe(shared);
  await letGo();
  for (const answer of await Promise.all(inTransaction)) expect(answer?.pid).not.toBe(shared);
  expect((await database.first(shortForSome, { value: 50 }))?.pid).not.toBe(shared);
  expect((await database.first(shortForSome, { value: 5 }))?.pid).toBe(shared);
});

test.concurrent('a long statement that waits keeps no short one waiting', async () => {
  const database = open();
  await askThousand(database);
  const { lock, letGo, backendThatWaits } = await holdLock();
  const waiting = database.first(waitLong, { lock });
  await backendThatWaits();
  await askThousand(database);
  expect(await isOpen(waiting)).toBe(true);
  await letGo();
  expect((await waiting)?.value).toBe(lock);
});

test.concurrent('behind a short statement that turns out slow, a thousand others go elsewhere', async () => {
  const database = open();
  const shared = await sharedOf(database);
  const { lock, letGo, backendThatWaits } = await holdLock();
  const slow = database.first(waitShort, { lock });
  const rightBehind = database.first(echo, { value: 7 });
  expect(await backendThatWaits()).toBe(shared);
  await Bun.sleep(30);
  expect((await askThousand(database)).has(shared)).toBe(false);
  expect(await isOpen(slow)).toBe(true);
  await letGo();
  expect(await slow).toEqual({ value: lock, pid: shared });
  expect(await rightBehind).toMatchObject({ value: 7 });
  expect(await sharedOf(database)).toBe(shared);
});

test.concurrent('statements that fail among a thousand fail alone', async () => {
  const database = open();
  const values = thousand.map((index) => index % 10);
  const answers = await Promise.allSettled(
    values.map((value) => database.first(invert, { value })),
  );
  for (const [index, value] of values.entries()) {
    const answer = answers[index];
    if (value === 0) expect(answer).toMatchObject({ reason: { code: '22012' } });
    else expect(answer).toMatchObject({ value: { value: Math.floor(1000 / value) } });
  }
  expect(database.figures().lost).toBe(0);
});

test.concurrent('a shared connection that Postgres ends costs none of a thousand its answer', async () => {
  const database = open();
  const shared = await sharedOf(database);
  const { lock, letGo, backendThatWaits, terminate } = await holdLock();
  const slow = database.first(waitShort, { lock });
  const behind = askThousand(database);
  expect(await backendThatWaits()).toBe(shared);
  await terminate(shared);
  await letGo();
  expect((await behind).has(shared)).toBe(false);
  expect(await slow).toMatchObject({ value: lock });
  expect(database.figures().lost).toBe(1);
});

test.concurrent('a Postgres that cannot be reached is not asked for ever', async () => {
  const database = open(refusing.url);
  await askThousand(database);
  refusing.turnAway('57P03');
  refusing.cut();
  const failed = await Promise.all(
    thousand.map((value) => codeOf(database.first(echo, { value }))),
  );
  expect(new Set(failed)).toEqual(new Set(['unavailable']));
  refusing.turnAway(null);
  await askThousand(database);
});

test('on a network that falls silent statements are refused, or take a new connection, and the next thousand are answered', async () => {
  const database = open(forgetful.url);
  await askThousand(database);
  forgetful.forget();
  const asked = thousand.map((value) => codeOf(database.first(echo, { value })));
  await Bun.sleep(0);
  stepProcess(deadlines().answer / 1000);
  const refused = await Promise.all(asked);
  // Those that come when the others have waited a while already go elsewhere.
  const others = refused.filter((code) => code !== undefined);
  expect(new Set(others)).toEqual(new Set(['unavailable']));
  await sharedOf(database);
});

test('no connection is left behind, and nothing is thrown where nobody looks', async () => {
  for (const database of opened.splice(0)) await database.close();
  for (const observer of observers.splice(0)) await observer.end();
  forgetful.cut();
  await expectNoneLeft(databaseUrl, 0);
  expect(unlooked).toEqual([]);
});
