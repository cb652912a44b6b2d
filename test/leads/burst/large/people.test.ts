/**
 * Who gets a burst: what each member may see, wants, and has read (docs/design/later.md, Bursts).
 */
import { describe, expect, test } from 'bun:test';
import { readSettings } from '../../../../src/config.ts';
import { createLead } from '../../../../src/leads/lead.ts';
import { openDatabase } from '../../../../src/postgres/pool.ts';
import { administrator } from '../../../../src/record/actor.ts';
import {
  instanceCounts,
  openStage,
  people,
  type StagedFirm,
  unread,
} from '../../../support/burst.ts';

const minute = 60;
const both = (shown: string) => ({ O: shown, C: shown });

const hide = async (firm: StagedFirm, lead: { id: string } | undefined) => {
  const answer = await firm.anywhere().patch(`/v1/leads/${lead?.id}`, { isPrivate: true });
  expect(answer.status).toBe(200);
};
const remove = async (firm: StagedFirm, lead: { id: string } | undefined) => {
  expect((await firm.anywhere().delete(`/v1/leads/${lead?.id}`)).status).toBe(200);
};

for (const instances of instanceCounts) {
  const { databaseUrl, sql, newFirm } = await openStage(instances);

  describe(`With ${instances} instance(s)`, () => {
    test('16: 5 leads, 2 private: the owner sees a burst of 5, the colleague 3 and no name of the others', async () => {
      const firm = await newFirm();
      for (const isPrivate of [false, true, false, true, false]) await firm.leads(1, { isPrivate });
      await firm.goTo(62);
      await firm.expectShown({ O: 'B(5)', C: '3' });
    });

    test('17: 5 private leads: the owner sees a burst of 5, the colleague nothing', async () => {
      const firm = await newFirm();
      await firm.leads(5, { isPrivate: true });
      await firm.goTo(62);
      await firm.expectShown({ O: 'B(5)' });
    });

    test('18: a private lead assigned to the colleague within the minute: told to them too', async () => {
      const firm = await newFirm();
      const [lead] = await firm.leads(1);
      await firm.goTo(30);
      const ben = firm.anywhere(await firm.callerOf(people.C));
      expect((await ben.patch(`/v1/leads/${lead?.id}`, { isPrivate: true })).status).toBe(200);
      await firm.goTo(62);
      await firm.expectShown(both('1'));
    });

    test('19: 4 leads, one made private at 30 s: a burst of 4 for the owner, 3 for the colleague', async () => {
      const firm = await newFirm();
      const [first] = await firm.leads(4);
      await firm.goTo(30);
      await hide(firm, first);
      await firm.goTo(62);
      await firm.expectShown({ O: 'B(4)', C: '3' });
    });

    test('20: 3 told, one of them made private, a 4th comes: a burst of 4 for both; its name is gone', async () => {
      const firm = await newFirm();
      const [first] = await firm.leads(3);
      await firm.goTo(70);
      await firm.expectShown(both('3'));
      await hide(firm, first);
      await firm.expectShown({ O: '3', C: '2' });
      await firm.leads(1);
      await firm.goTo(140);
      await firm.expectShown(both('B(4)'));
    });

    test('21: 4 leads, one deleted at 30 s: 3 by themselves, nothing of the deleted one', async () => {
      const firm = await newFirm();
      const made = await firm.leads(4);
      await firm.goTo(30);
      await remove(firm, made[1]);
      await firm.goTo(62);
      const { C } = await firm.expectShown(both('3'));
      expect(C.map(({ recordId }) => recordId)).not.toContain(made[1]?.id ?? '');
    });

    test('22: a lead told, then deleted: its notice is withdrawn, one unread less', async () => {
      const firm = await newFirm();
      const made = await firm.leads(2);
      await firm.goTo(62);
      expect(unread((await firm.expectShown(both('2'))).C)).toBe(2);
      await remove(firm, made[0]);
      expect(unread((await firm.expectShown(both('1'))).C)).toBe(1);
    });

    test('23: a burst told, one lead deleted, one more comes: it says 5, which arrived', async () => {
      const firm = await newFirm();
      const made = await firm.leads(4);
      await firm.goTo(62);
      await firm.expectShown(both('B(4)'));
      await remove(firm, made[2]);
      await firm.leads(1);
      await firm.goTo(130);
      await firm.expectShown(both('B(5)'));
    });

    test('24: switched off at 30 s, on again at 5 min: nothing of these leads; of the next one, yes', async () => {
      const firm = await newFirm();
      await firm.leads(2);
      await firm.goTo(30);
      await firm.set('C', 'off');
      await firm.goTo(5 * minute);
      await firm.expectShown({ O: '2' });
      await firm.set('C', 'on');
      await firm.goTo(7 * minute);
      await firm.expectShown({ O: '2' });
      await firm.leads(1);
      await firm.goTo(9 * minute);
      await firm.expectShown({ O: '3', C: '1' });
    });

    test('24: switched off while a burst stands: it grows for the owner only', async () => {
      const firm = await newFirm();
      await firm.leads(4);
      await firm.goTo(62);
      await firm.set('C', 'off');
      await firm.leads(1);
      await firm.goTo(130);
      await firm.expectShown({ O: 'B(5)', C: 'B(4)' });
    });

    test("25: the colleague's role loses leads:read between 3 told and the 4th: nothing new, and no name is read", async () => {
      const firm = await newFirm();
      await firm.leads(3);
      await firm.goTo(62);
      await firm.expectShown(both('3'));
      await firm.become('C', 'Bookkeeper');
      await firm.expectShown({ O: '3' });
      await firm.leads(1);
      await firm.goTo(130);
      await firm.expectShown({ O: 'B(4)' });
    });

    test('26: a member removed in between: nothing, no error, the job is done', async () => {
      const firm = await newFirm();
      await firm.leads(4);
      await sql`update member set deactivated_at = moment()
        where firm_id = ${firm.id} and email = ${people.C}`;
      await firm.goTo(62);
      await firm.expectShown({ O: 'B(4)' });
      expect(await firm.jobs()).toHaveLength(0);
    });

    test('27: the colleague becomes an owner in between: private leads count from then on', async () => {
      const firm = await newFirm();
      await firm.leads(2, { isPrivate: true });
      await firm.goTo(62);
      await firm.expectShown({ O: '2' });
      await firm.become('C', 'Owner');
      await firm.leads(1, { isPrivate: true });
      await firm.goTo(130);
      await firm.expectShown({ O: '3', C: '1' });
      await firm.leads(1, { isPrivate: true });
      await firm.goTo(200);
      await firm.expectShown(both('B(4)'));
    });

    test('28: the 3 were read, then a burst: they are gone, the burst is unread', async () => {
      const firm = await newFirm();
      await firm.leads(3);
      await firm.goTo(62);
      await firm.read('C');
      const before = await firm.expectShown(both('3'));
      expect([unread(before.O), unread(before.C)]).toEqual([3, 0]);
      await firm.leads(1);
      await firm.goTo(130);
      const after = await firm.expectShown(both('B(4)'));
      expect([unread(after.O), unread(after.C)]).toEqual([1, 1]);
    });

    test('37: 4 leads by two keys: one burst, of the firm', async () => {
      const firm = await newFirm();
      const ben = await firm.callerOf(people.C);
      for (const by of [firm.owner, ben, firm.owner, ben]) await firm.post({}, firm.anywhere(by));
      await firm.goTo(62);
      await firm.expectShown(both('B(4)'));
    });

    test('38: 4 leads in one firm, 2 in another: a burst there, 2 here', async () => {
      const [one, other] = [await newFirm(), await newFirm()];
      await one.leads(2);
      await other.leads(2);
      await one.leads(2);
      await other.goTo(70);
      await one.settle();
      await one.expectShown(both('B(4)'));
      await other.expectShown(both('2'));
    });

    test('39: 3 leads through the API and 5 made in the application: 3 by themselves', async () => {
      const firm = await newFirm();
      const database = openDatabase(readSettings({ DATABASE_URL: databaseUrl }).database ?? '', 2);
      const inApplication = () =>
        createLead(administrator(database, firm.id), { lastName: 'Walked in' } as never);
      for (let index = 0; index < 3; index += 1) {
        await inApplication();
        await firm.leads(1);
      }
      await inApplication();
      await inApplication();
      await database.close();
      await firm.goTo(70);
      await firm.expectShown(both('3'));
    });

    test('40: each of 3 sent three times under one Idempotency-Key: 3 leads, 3 notices', async () => {
      const firm = await newFirm();
      for (const key of ['one', 'two', 'three']) {
        const body = { lastName: `Of ${key}` };
        const made = [];
        for (let call = 0; call < 3; call += 1) {
          made.push(await firm.post(body, firm.anywhere(), { 'idempotency-key': key }));
        }
        expect(new Set(made.map(({ id }) => id)).size).toBe(1);
      }
      await firm.goTo(70);
      await firm.expectShown(both('3'));
    });

    test('41: nobody in the firm to be told: the jobs are done, nothing is stored', async () => {
      const firm = await newFirm();
      await firm.set('O', 'off');
      await firm.set('C', 'off');
      await firm.leads(4);
      await firm.goTo(70);
      await firm.expectShown({});
      expect(await firm.jobs()).toHaveLength(0);
      expect(await sql`select from notification where firm_id = ${firm.id}`).toHaveLength(0);
    });
  });
}
