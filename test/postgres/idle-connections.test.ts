/** A connection that nobody needs any more costs memory of Postgres: it is ended, and nobody notices. */
import { afterAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { readSettings } from '../../src/config.ts';
import { openDatabase } from '../../src/postgres/pool.ts';
import { shortStatement, statement } from '../../src/postgres/statement.ts';
import { connect, ownDatabase } from '../support/database.ts';

const databaseUrl = await ownDatabase();
const observer = connect(databaseUrl);
const database = openDatabase(readSettings({ DATABASE_URL: databaseUrl }).database ?? '', 6, 500);
afterAll(async () => {
  await database.close();
  await observer.end();
});

const backend = statement(() => sql<{ pid: number }>`select pg_backend_pid() as pid`);
const sharedBackend = shortStatement(() => sql<{ pid: number }>`select pg_backend_pid() as pid`);

/** The server's processes that serve this pool. */
const backends = async (): Promise<number[]> =>
  (
    await observer`select pid from pg_stat_activity
      where datname = current_database() and application_name = 'matterhorn'
        and pid <> pg_backend_pid() order by pid`
  ).map(({ pid }) => pid);

test('connections that were needed for a moment are ended; those in use and the shared one stay, and none counts as lost', async () => {
  const shared = (await database.first(sharedBackend))?.pid as number;
  const ends = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const transactions = ends.map(({ promise }) =>
    database.transaction(async (transaction) => {
      const before = await transaction.first(backend);
      await promise;
      expect(await transaction.first(backend)).toEqual(before);
      return before?.pid;
    }),
  );
  while ((await backends()).length < 5) await Bun.sleep(20);
  const [inUse, ...others] = ends;
  for (const { resolve } of others) resolve();
  await Promise.all(transactions.slice(1));

  // Nothing but short statements is asked, as at night: the others are idle.
  while ((await backends()).length > 2) {
    await database.first(sharedBackend);
    await Bun.sleep(20);
  }
  expect((await database.first(sharedBackend))?.pid).toBe(shared);
  expect(await backends()).toContain(shared);
  inUse?.resolve();
  await transactions[0];
  expect(database.figures()).toMatchObject({ connections: 2, lost: 0 });

  // They are opened again when they are needed.
  const again = await Promise.all(
    [1, 2, 3].map(() => database.transaction((tx) => tx.run(backend))),
  );
  expect(again).toHaveLength(3);
  expect(database.figures().lost).toBe(0);
});
