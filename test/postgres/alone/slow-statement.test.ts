/** Postgres gives a statement up a second before its answer counts as lost. */
import { expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { readSettings } from '../../../src/config.ts';
import { openDatabase } from '../../../src/postgres/pool.ts';
import { statement } from '../../../src/postgres/statement.ts';
import { atEnd } from '../../support/at-end.ts';
import { ownDatabase } from '../../support/database.ts';

const backend = statement(() => sql<{ pid: number }>`select pg_backend_pid() as pid`);
const sleepLong = statement(() => sql`select pg_sleep(30)`);

test('a statement that takes too long is given up, and its connection kept', async () => {
  const databaseUrl = await ownDatabase();
  const database = openDatabase(readSettings({ DATABASE_URL: databaseUrl }).database ?? '', 2);
  atEnd(() => database.close());
  const before = await database.first(backend);
  await expect(database.run(sleepLong)).rejects.toMatchObject({ code: '57014' });
  expect(await database.first(backend)).toEqual(before);
});
