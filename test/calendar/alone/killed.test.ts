/** Events that repeat, made by two servers, one of which is killed again and again. */
import { expect, test } from 'bun:test';
import { guardedDatabase, openMatter } from '../../limitation/guarded.ts';
import { attorney, makeFirm, owner } from '../../support/firm.ts';
import { startKilled } from '../../support/killed-instances.ts';
import { visitorOf } from '../../support/visitor.ts';
import { repeated } from '../repeated.ts';

const guarded = await guardedDatabase();
const { databaseUrl, sql, clock } = guarded;
const { eventsOf, settled } = repeated(guarded);
await clock.standAt(Date.UTC(2014, 0, 6, 12));
const instances = await startKilled(databaseUrl, 2, Math.random, 300);

test('two servers of which one is always being killed make each event once', async () => {
  const server = { url: instances.anyUrl(), databaseUrl };
  const firm = await makeFirm(server);
  await sql`update firm set time_zone = 'UTC' where id = ${firm.id}`;
  const ada = await visitorOf(server, firm, owner);
  const rules = ['day', 'workday', 'week', 'fortnight', 'month'];
  for (const repeats of rules) {
    const { id } = await openMatter(firm, undefined);
    const sent = { title: repeats, day: '2014-01-06', begins: '09:00', repeats };
    const answer = await ada.post(`/calendar/new?matter=${id}`, {
      ...sent,
      colleagues: [attorney],
    });
    expect(answer.status).toBe(303);
  }
  await instances.during(async () => {
    for (let turn = 1; turn <= 5; turn += 1) {
      await clock.step(24 * 86_400);
      await settled();
      // However quick the machine is, no turn passes without a kill.
      while (instances.kills() < turn) await Bun.sleep(20);
    }
  });
  const events = await eventsOf(firm);
  for (const repeats of rules) {
    const days = events.filter(({ title }) => title === repeats).map(({ day }) => day);
    const last = days.at(-1) ?? '';
    const isDay = (day: string, at: number) => {
      const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
      if (repeats === 'workday') return weekday % 6 !== 0;
      if (repeats === 'month') return day.endsWith('-06');
      return at % { day: 1, week: 7, fortnight: 14 }[repeats as 'day'] === 0;
    };
    const all = Array.from({ length: 366 }, (_, at) =>
      new Date(Date.UTC(2014, 0, 6) + at * 86_400_000).toISOString().slice(0, 10),
    );
    expect([repeats, days]).toEqual([repeats, all.filter(isDay).filter((day) => day <= last)]);
    // On 6 May, at least until 45 days from then, or the one event after that.
    expect(last >= '2014-06-06').toBe(true);
  }
  // Each was written once into the audit log, and each is asked about once.
  const [counts] = await sql`
    select (select count(*)::int from audit_entry where firm_id = ${firm.id}
        and record_kind = 'calendar_event' and action = 'create') as entries,
      (select count(*)::int from receipt where firm_id = ${firm.id} and event_id is not null) as receipts`;
  expect(counts).toEqual({ entries: events.length, receipts: events.length });
});
