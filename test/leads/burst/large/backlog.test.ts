/**
 * What comes due at once after everything was down: more leads than are told of in one go
 * (docs/design/later.md, Bursts). `BACKLOG_LEADS` sets how many.
 */
import { expect, test } from 'bun:test';
import { instanceCounts, openStage, people } from '../../../support/burst.ts';
import { movedBy } from '../../../support/database.ts';
import { storedNotices } from '../../../support/invariants.ts';
import { nothingShown, tell } from '../../../support/oracle.ts';
import { chanceOf } from '../../../support/random.ts';

const size = Number(process.env.BACKLOG_LEADS ?? 300);
const seed = Math.floor(Math.random() * 1e9);
const { happens, among, from } = chanceOf(seed);

for (const instances of instanceCounts) {
  const { clock, sql, newFirm } = await openStage(instances);

  test(`With ${instances} instance(s): ${size} overdue leads are told of as if each had been told of in time (seed ${seed})`, async () => {
    const firm = await newFirm();
    const made: { id: string; at: number; isPrivate: boolean }[] = [];
    while (made.length < size) {
      // Quiet stretches, and rushes that go on for hours.
      await clock.step(among([0.001, 5, 40, from(100, 300), from(400, 900)]));
      for (let left = among([1, 1, 2, 5, 30]); left > 0; left -= 1) {
        const isPrivate = happens(0.3);
        const { id, createdAt } = await firm.post({ isPrivate });
        made.push({ id, at: new Date(createdAt).getTime(), isPrivate });
      }
      // Nothing is announced in the meantime, as if every server were down.
      await sql`update job set run_at = ${movedBy(sql, 'run_at', '10 days')}
        where firm_id = ${firm.id} and run_at < moment() + interval '1 day'`;
    }
    await clock.step(61);
    await sql`update job set run_at = ${movedBy(sql, 'run_at', '-10 days')} where firm_id = ${firm.id}`;
    // What waits for another instance comes again a little later.
    do {
      await firm.settle();
      await clock.step(0.1);
    } while ((await firm.jobs()).length > 0);

    const stored = await storedNotices(sql, firm.id);
    for (const person of ['O', 'C'] as const) {
      const shown = nothingShown();
      const seen = made.filter(({ isPrivate }) => person === 'O' || !isPrivate);
      tell(shown, seen, () => true);
      const ofPerson = stored.filter(({ email }) => email === people[person]);
      expect(ofPerson.flatMap(({ recordId }) => recordId ?? []).sort()).toEqual(
        shown.singles.map(({ id }) => id).sort(),
      );
      expect(
        ofPerson
          .filter(({ recordId }) => !recordId)
          .map(({ firstAt, lastAt }) => ({ firstAt, lastAt }))
          .sort((one, other) => one.firstAt - other.firstAt),
      ).toEqual(shown.bursts.map(({ firstAt, lastAt }) => ({ firstAt, lastAt })));
      const counts = (await firm.inbox(person)).flatMap(({ count }) => count ?? []);
      expect(counts.sort()).toEqual(shown.bursts.map(({ count }) => count).sort());
      expect(shown.bursts.length).toBeGreaterThan(0);
    }
    expect(stored.filter(({ email }) => email === people.N || email === people.D)).toEqual([]);
  });
}
