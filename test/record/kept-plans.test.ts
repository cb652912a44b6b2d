/** Statements of one reader whose plans are kept: those of one moment share a transaction. */
import { afterAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { readSettings } from '../../src/config.ts';
import { openDatabase } from '../../src/postgres/pool.ts';
import { type Given, statement } from '../../src/postgres/statement.ts';
import { administrator } from '../../src/record/actor.ts';
import { keepingPlans } from '../../src/record/kept-plans.ts';
import { ownDatabase } from '../support/database.ts';

const database = openDatabase(
  readSettings({ DATABASE_URL: await ownDatabase() }).database ?? '',
  4,
);
afterAll(() => database.close());

const invert = statement(
  ({ value }: Given<{ value: number }>) => sql<{ value: number; began: string; plans: string }>`
    select 1000 / ${value}::int as value, (pg_current_xact_id())::text as began,
      current_setting('plan_cache_mode') as plans`,
);

test('those that are sent at the same moment share a transaction, and later ones have another', async () => {
  const reader = keepingPlans(administrator(database, Bun.randomUUIDv7()));
  const ask = (value: number) => reader.first(invert, { value });
  const [one, two] = await Promise.all([ask(1), ask(2)]);
  const three = await ask(4);
  expect([one?.value, two?.value, three?.value]).toEqual([1000, 500, 250]);
  expect(two?.began).toBe(one?.began as string);
  expect(three?.began).not.toBe(one?.began as string);
  expect(three?.plans).toBe('force_generic_plan');
});

test('if one fails, those behind it fail for the same reason, and the next one is answered', async () => {
  const reader = keepingPlans(administrator(database, Bun.randomUUIDv7()));
  const ask = (value: number) => reader.first(invert, { value });
  const [before, failed, behind] = await Promise.allSettled([ask(1), ask(0), ask(2)]);
  expect(before).toMatchObject({ status: 'fulfilled', value: { value: 1000 } });
  const reason = { status: 'rejected', reason: { code: '22012' } };
  expect([failed, behind]).toMatchObject([reason, reason]);
  expect((await ask(5))?.value).toBe(200);
});
