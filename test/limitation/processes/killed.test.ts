/** The guardian with two servers, one of which is killed again and again. */
import { expect, test } from 'bun:test';
import { attorney, owner } from '../../support/firm.ts';
import { startKilled } from '../../support/killed-instances.ts';
import { dayBefore, firmIn, guardedDatabase, noticesOf, openMatter } from '../guarded.ts';

const guarded = await guardedDatabase();
const { databaseUrl, momentOf, put } = guarded;
await guarded.clock.standAt(Date.UTC(2026, 0, 5, 12));
const instances = await startKilled(databaseUrl, 2, Math.random, 300);

test('two servers of which one is always being killed tell each once of each step', async () => {
  const server = { url: instances.anyUrl(), databaseUrl };
  const firms = [await firmIn(server, 'America/Los_Angeles'), await firmIn(server, 'Asia/Tokyo')];
  const day = '2026-12-15';
  for (const firm of firms) {
    for (let count = 0; count < 5; count += 1) await openMatter(firm, day);
  }
  await instances.during(async () => {
    for (const [index, step] of [180, 90, 60, 30, 14, 7, 1].entries()) {
      await put(await momentOf(dayBefore(day, step), '07:00', 'Asia/Tokyo'));
      await put(await momentOf(dayBefore(day, step), '07:00', 'America/Los_Angeles'));
      // However quick the machine is, no step passes without a kill.
      while (instances.kills() <= index) await Bun.sleep(20);
    }
  });
  expect(instances.kills()).toBeGreaterThan(6);
  for (const firm of firms) {
    const told = await noticesOf(firm, attorney);
    const byMatter = Map.groupBy(told, ({ recordId }) => recordId);
    expect([...byMatter.values()].map((notices) => notices.map(({ title }) => title))).toEqual(
      Array.from({ length: 5 }, () => [
        ...[180, 90, 60, 30, 14, 7].map((step) => `Limitation date in ${step} days`),
        'Limitation date tomorrow',
      ]),
    );
    expect(await noticesOf(firm, owner)).toHaveLength(10);
  }
});
