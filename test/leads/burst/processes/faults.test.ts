/** Bursts while instances die, clocks jump and work repeats (docs/design/later.md, Bursts). */
import { describe, expect, test } from 'bun:test';
import {
  instanceCounts,
  openStage,
  people,
  type StagedFirm,
  unread,
} from '../../../support/burst.ts';
import { connect, movedBy } from '../../../support/database.ts';
import { caller } from '../../../support/firm.ts';
import { startInstance } from '../../../support/instances.ts';
import { until, untilItDoes } from '../../../support/until.ts';

const both = (shown: string) => ({ O: shown, C: shown });

for (const instances of instanceCounts) {
  const stage = await openStage(instances);
  const { databaseUrl, clock, sql, newFirm } = stage;
  const startAll = () => {
    stage.servers = stage.start();
  };
  const noticesOf = (firm: StagedFirm) => sql<{ kind: string; count: number; email: string }[]>`
    select kind, count, email from notification
    join member on member.firm_id = notification.firm_id and member.id = member_id
    where notification.firm_id = ${firm.id} order by email`;
  const waitsForLock = async () =>
    (
      await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    ).length > 0;

  describe(`With ${instances} instance(s)`, () => {
    test('29: 200 leads by 20 clients at once: one burst of 200 each', async () => {
      const firm = await newFirm();
      await clock.run(1);
      await Promise.all(Array.from({ length: 20 }, () => firm.leads(10)));
      await firm.goTo(75);
      await firm.expectShown(both('B(200)'));
    });

    test('30: killed between storing a burst and its commit: nothing is seen; another tells of it while the clock stands, once', async () => {
      const firm = await newFirm();
      const made = await firm.leads(4);
      await stage.stop();
      const victim = await startInstance(databaseUrl);
      // Its second burst is held up by a row of ours with the same cause, not yet committed.
      const holder = connect(databaseUrl);
      const held = Promise.withResolvers<void>();
      const [last] = await sql<{ id: string }[]>`
        select id from member where firm_id = ${firm.id} and email in (${people.O}, ${people.C})
        order by id desc limit 1`;
      const letGo = new Error('let go');
      const holding = holder
        .begin(async (transaction) => {
          await transaction`
            insert into notification (firm_id, member_id, kind, cause, title, text, created_at, raised_at)
            values (${firm.id}, ${last?.id ?? ''}, 'lead.burst',
              ${String(Date.parse(made[0]?.createdAt ?? ''))}, '', '', now(), now())`;
          await clock.step(61);
          await held.promise;
          throw letGo;
        })
        .catch((error) => expect(error).toBe(letGo));
      await until(waitsForLock);
      expect(await noticesOf(firm)).toHaveLength(0);
      if (instances > 1) startAll();
      await victim.kill();
      held.resolve();
      await holding;
      await holder.end();
      if (instances === 1) startAll();
      // The clock stands: whatever waits for a later moment never comes.
      await untilItDoes(async () => (await noticesOf(firm)).length > 0);
      await firm.goTo(70);
      await firm.expectShown(both('B(4)'));
      expect(await noticesOf(firm)).toHaveLength(2);
    });

    test('31: everything down for 30 min after 6 leads: at the start, while the clock stands, one burst of 6, none by itself', async () => {
      const firm = await newFirm();
      await firm.leads(6);
      await stage.stop();
      await clock.step(1_800);
      startAll();
      // The clock stands: whatever waits for a later moment never comes.
      await until(async () => (await noticesOf(firm)).length > 0);
      await firm.settle();
      await firm.expectShown(both('B(6)'));
      expect((await noticesOf(firm)).map(({ kind, count }) => [kind, count])).toEqual([
        ['lead.burst', 6],
        ['lead.burst', 6],
      ]);
    });

    test('32: everything down, 3 leads before and 3 when 30 min had passed: 6 by themselves', async () => {
      const firm = await newFirm();
      await firm.leads(3);
      await sql`update job set run_at = ${movedBy(sql, 'run_at', '30 minutes')} where firm_id = ${firm.id}`;
      await clock.step(1_800);
      await firm.leads(3);
      await stage.stop();
      await clock.step(1_800);
      startAll();
      await firm.settle();
      await firm.goTo(3_700);
      await firm.expectShown(both('6'));
    });

    test('33: a job that is there again, by hand: nobody is told a second time', async () => {
      const [one, other] = [await newFirm(), await newFirm()];
      const [single] = await one.leads(1);
      await other.leads(4);
      await other.goTo(70);
      await one.settle();
      for (const firm of [one, other]) {
        const shown = firm === one ? both('1') : both('B(4)');
        await firm.expectShown(shown);
        await firm.read('C');
        const before = (await firm.look()).inboxes;
        await sql`
          insert into job (firm_id, kind, dedupe_key, ref, payload, run_at)
          select firm_id, 'lead_announce', id || ' again ' || n, id, '{}', moment()
          from lead, generate_series(1, 3) n where firm_id = ${firm.id}`;
        await firm.settle();
        await firm.goTo(100);
        const after = await firm.expectShown(shown);
        expect(after).toEqual(before);
        expect(unread(after.C)).toBe(0);
      }
      expect((await one.inbox('C'))[0]?.recordId).toBe(single?.id ?? '');
    });

    test('34: the clock 5 min back between leads: moments still rise, with the numbers; a burst of 4', async () => {
      const firm = await newFirm();
      const made = await firm.leads(2);
      await clock.step(-300);
      made.push(...(await firm.leads(2)));
      const moments = made.map(({ createdAt }) => Date.parse(createdAt));
      expect(moments).toEqual(moments.toSorted((one, two) => one - two));
      expect(new Set(moments).size).toBe(4);
      expect(made.map(({ publicId }) => publicId)).toEqual([
        'L-0001',
        'L-0002',
        'L-0003',
        'L-0004',
      ]);
      // Nobody waits five minutes more because a clock was put right.
      await firm.goTo(-235);
      await firm.expectShown(both('B(4)'));
      await firm.goTo(65);
      await firm.expectShown(both('B(4)'));
    });

    test('35: the clock an hour forward after 3 leads: 3 by themselves, the 4th too', async () => {
      const firm = await newFirm();
      await firm.leads(3);
      await clock.step(3_600);
      await firm.goTo(3_601);
      await firm.expectShown(both('3'));
      await firm.leads(1);
      await firm.goTo(3_700);
      await firm.expectShown(both('4'));
    });

    test('35: the clock an hour ahead for a while, then put right: nothing is lost, each told once', async () => {
      const firm = await newFirm();
      await clock.step(3_600);
      await firm.leads(4);
      await firm.goTo(3_662);
      await firm.expectShown(both('B(4)'));
      await firm.goTo(0);
      await firm.leads(2);
      await firm.goTo(62);
      await firm.expectShown(both('2 + B(4)'));
      await firm.goTo(3_300);
      await firm.leads(1);
      await firm.goTo(3_400);
      await firm.expectShown(both('2 + B(5)'));
    });

    test('42: a lead whose telling was put off, and is told of after later ones: still one burst', async () => {
      const firm = await newFirm();
      await firm.leads(4);
      await firm.goTo(590);
      const [late] = await firm.leads(1);
      await firm.goTo(601);
      await firm.leads(3);
      // It is due at 650 s. As after a failure, or a moment at which a killed instance had its turn, it
      // comes again after the three, which are due at 661 s and lie ten minutes after the four.
      await sql`update job set run_at = ${movedBy(sql, 'run_at', '25 seconds')}
        where firm_id = ${firm.id} and ref = ${late?.id ?? ''}`;
      await firm.goTo(662);
      expect(await firm.jobs()).toHaveLength(1);
      await firm.expectShown(both('B(8)'));
      await firm.goTo(680);
      expect(await firm.jobs()).toHaveLength(0);
      await firm.expectShown(both('B(8)'));
    });

    test('36: killed before the create commits: no lead, no job, no notice, no number used up', async () => {
      const firm = await newFirm();
      const victim = await startInstance(databaseUrl);
      // The create is held up with its job stored, on its way to the commit.
      await sql.unsafe(`
        create or replace function hold() returns trigger language plpgsql as $$
          begin perform pg_advisory_xact_lock_shared(36); return new; end $$;
        create trigger hold after insert on job for each row execute function hold()`);
      const holder = connect(databaseUrl);
      await holder`select pg_advisory_lock(36)`;
      const lost = caller(victim.url, firm.owner.key)
        .post('/v1/leads', { lastName: 'Lost' })
        .catch(() => 'no answer');
      await until(waitsForLock);
      await victim.kill();
      expect(await lost).toBe('no answer');
      // The end of the machine: its connections end with it.
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event = 'advisory'`;
      await holder.end();
      await sql.unsafe('drop trigger hold on job; drop function hold()');
      for (const table of ['lead', 'job', 'notification', 'contact']) {
        expect(await sql`select from ${sql(table)} where firm_id = ${firm.id}`).toHaveLength(0);
      }
      const [next] = await firm.leads(1);
      expect(next?.publicId).toBe('L-0001');
      await firm.goTo(62);
      await firm.expectShown(both('1'));
    });
  });
}
