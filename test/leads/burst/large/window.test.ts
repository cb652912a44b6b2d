/**
 * Which leads are a burst: how many, how far apart, for how long (docs/design/later.md, Bursts).
 */
import { describe, expect, test } from 'bun:test';
import { instanceCounts, openStage, unread } from '../../../support/burst.ts';
import { movedBy } from '../../../support/database.ts';

const minute = 60;
const both = (shown: string) => ({ O: shown, C: shown });

for (const instances of instanceCounts) {
  const stage = await openStage(instances);
  const { clock, newFirm } = stage;

  describe(`With ${instances} instance(s)`, () => {
    test('1: one lead: nothing before 60 s, by 62 s one notice that names prospect and number', async () => {
      const firm = await newFirm();
      const [lead] = await firm.leads(1);
      await firm.goTo(59.9);
      await Bun.sleep(50);
      await firm.expectShown({});
      expect(await firm.jobs()).toHaveLength(1);
      await firm.goTo(62);
      const { O, C } = await firm.expectShown(both('1'));
      for (const [notice] of [O, C]) {
        expect(notice?.text).toContain(lead?.contact.name ?? 'no name');
        expect(notice?.text).toContain(lead?.publicId ?? 'no number');
        expect(notice?.recordId).toBe(lead?.id ?? 'no id');
      }
    });

    test('2: 3 leads in 1 s: each by itself', async () => {
      const firm = await newFirm();
      await firm.leads(3);
      await firm.goTo(62);
      await firm.expectShown(both('3'));
    });

    test('3: 4 leads in 1 s: a burst of 4, and no single one ever shown', async () => {
      const firm = await newFirm();
      await firm.leads(4);
      await firm.goTo(62);
      const { C } = await firm.expectShown(both('B(4)'));
      expect(C?.[0]).toMatchObject({ title: 'New leads from the API', recordId: null });
      expect(C?.[0]?.text).toContain('4 new leads');
      const singles = await stage.sql`
        select from notification where firm_id = ${firm.id} and kind = 'lead.new'`;
      expect(singles).toHaveLength(0);
    });

    test('4: leads at 0, 20, 40 and 90 s: 1, then 2 by themselves, at 100 s a burst of 4 in their place', async () => {
      const firm = await newFirm();
      for (const at of [0, 20, 40]) {
        await firm.goTo(at);
        await firm.leads(1);
      }
      await firm.goTo(62);
      await firm.expectShown(both('1'));
      await firm.goTo(82);
      await firm.expectShown(both('2'));
      await firm.goTo(90);
      await firm.leads(1);
      await firm.expectShown(both('2'));
      await firm.goTo(102);
      await firm.expectShown(both('B(4)'));
      await firm.goTo(200);
      await firm.expectShown(both('B(4)'));
    });

    test('5: 3 leads at 0, told, the 4th at 9:59.9: a burst of 4, the three gone, one unread', async () => {
      const firm = await newFirm();
      await firm.leads(3);
      await firm.goTo(599.9);
      await firm.expectShown(both('3'));
      await firm.leads(1);
      await firm.goTo(659);
      await firm.expectShown(both('3'));
      await firm.goTo(661);
      const { O, C } = await firm.expectShown(both('B(4)'));
      expect([unread(O), unread(C)]).toEqual([1, 1]);
    });

    test('6: the 4th exactly 600.000 s after the 1st: all by themselves', async () => {
      const firm = await newFirm();
      const [first] = await firm.leads(3);
      await firm.goTo(600);
      const [last] = await firm.leads(1);
      expect(Date.parse(last?.createdAt ?? '') - Date.parse(first?.createdAt ?? '')).toBe(600_000);
      await firm.goTo(700);
      await firm.expectShown(both('4'));
    });

    test('7: the 4th 599.999 s after the 1st: a burst of 4', async () => {
      const firm = await newFirm();
      const [first] = await firm.leads(3);
      await firm.goTo(599.999);
      const [last] = await firm.leads(1);
      expect(Date.parse(last?.createdAt ?? '') - Date.parse(first?.createdAt ?? '')).toBe(599_999);
      await firm.goTo(700);
      await firm.expectShown(both('B(4)'));
    });

    test('8 and 9: leads at 0, 9:00, 9:30, 10:10: all by themselves; one more at 10:20: a burst of 4, the first stays', async () => {
      const firm = await newFirm();
      const made: { id: string }[] = [];
      for (const at of [0, 540, 570, 610]) {
        await firm.goTo(at);
        made.push(...(await firm.leads(1)));
      }
      await firm.goTo(620);
      await firm.leads(1);
      await firm.goTo(671.9);
      await firm.expectShown(both('1 + B(4)'));
      await firm.goTo(700);
      const { C } = await firm.expectShown(both('1 + B(4)'));
      expect(C.find(({ recordId }) => recordId)?.recordId).toBe(made[0]?.id ?? '');
    });

    test('8: leads at 0, 9:00, 9:30, 10:10 and no more: all by themselves', async () => {
      const firm = await newFirm();
      for (const at of [0, 540, 570, 610]) {
        await firm.goTo(at);
        await firm.leads(1);
      }
      await firm.goTo(700);
      await firm.expectShown(both('4'));
    });

    test("10: four leads 2 s apart across the clock's ten minutes: a burst of 4", async () => {
      const firm = await newFirm();
      const edge = Math.ceil((firm.start + 10_000) / 600_000) * 600 - firm.start / 1000;
      for (const at of [-3, -1, 1, 3]) {
        await firm.goTo(edge + at);
        await firm.leads(1);
      }
      await firm.goTo(edge + 70);
      await firm.expectShown(both('B(4)'));
    });

    test('11: a burst of 5, one more lead 5 min later: the same one says 6, unread again, on top', async () => {
      const firm = await newFirm();
      await firm.leads(5);
      await firm.goTo(70);
      const before = await firm.expectShown(both('B(5)'));
      await firm.read('C');
      expect(unread((await firm.look()).inboxes.C)).toBe(0);
      await firm.goTo(5 * minute);
      await firm.leads(1);
      await firm.goTo(5 * minute + 62);
      const after = await firm.expectShown(both('B(6)'));
      expect(after.C[0]?.id).toBe(before.C[0]?.id ?? '');
      expect(after.C[0]?.readAt).toBeNull();
      expect(after.C[0]?.text).toContain('6 new leads');
      const raised = Date.parse(after.C[0]?.createdAt ?? '') - firm.start;
      expect(raised).toBeWithin(360_000, 362_000);
    });

    test('12: a burst at 0, the next lead at 10:30: the burst as it was, the lead by itself above it', async () => {
      const firm = await newFirm();
      await firm.leads(4);
      await firm.goTo(70);
      const before = await firm.expectShown(both('B(4)'));
      await firm.goTo(630);
      await firm.leads(1);
      await firm.goTo(700);
      const after = await firm.expectShown(both('1 + B(4)'));
      expect(after.C[1]).toEqual(before.C[0] as never);
    });

    test('13: leads at 0, 1, 2, 3, then 9:30, then 10:30: one burst of 6', async () => {
      const firm = await newFirm();
      for (const at of [0, 1, 2, 3, 9.5, 10.5]) {
        await firm.goTo(at * minute);
        await firm.leads(1);
      }
      await firm.goTo(12 * minute);
      await firm.expectShown(both('B(6)'));
    });

    test('14: leads at 0, 1, 2, 3 and at 11, 12, 13, 14 min: two bursts of 4', async () => {
      const firm = await newFirm();
      for (const at of [0, 1, 2, 3, 11, 12, 13, 14]) {
        await firm.goTo(at * minute);
        await firm.leads(1);
      }
      await firm.goTo(16 * minute);
      await firm.expectShown(both('B(4) + B(4)'));
    });

    test('15: a lead every 2 min for 3 h: bursts of 60 min that together say 91', async () => {
      const firm = await newFirm();
      for (let index = 0; index <= 90; index += 1) {
        await firm.goTo(index * 2 * minute);
        await firm.leads(1);
      }
      await firm.goTo(182 * minute);
      await firm.expectShown(both('B(29) + B(31) + B(31)'));
    });

    test('15: the same if no instance was running: what is late ends the same', async () => {
      const firm = await newFirm();
      for (let index = 0; index <= 90; index += 1) {
        await clock.standAt(firm.start + index * 2 * minute * 1000);
        await firm.leads(1);
        // Told of only later, as if there were nobody to do it.
        await stage.sql`update job set run_at = ${movedBy(stage.sql, 'run_at', '1 day')}
          where firm_id = ${firm.id}`;
      }
      await stage.sql`update job set run_at = moment() where firm_id = ${firm.id}`;
      await firm.goTo(182 * minute);
      await firm.expectShown(both('B(29) + B(31) + B(31)'));
    });
  });
}
