/** What was done to several records at once is undone: each gets back what it had, for an hour. */
import { describe, expect, test } from 'bun:test';
import { takeClock } from '../support/clock.ts';
import { connect, ownDatabase } from '../support/database.ts';
import { makeFirm, owner, startTestServer } from '../support/firm.ts';
import { visitorOf } from '../support/visitor.ts';

const databaseUrl = await ownDatabase();
const clock = await takeClock(databaseUrl);
await clock.run(1);
const server = await startTestServer({ databaseUrl });
const sql = connect(databaseUrl);

const ready = async () => {
  const firm = await makeFirm(server);
  const ada = await visitorOf(server, firm, owner);
  const make = async (kind: 'leads' | 'matters', body: object) => {
    const made = await firm.owner.post(`/v1/${kind}`, body);
    expect(made.status).toBe(201);
    return made.body.data.id as string;
  };
  /** Does this to all of them, and gives the address at which it is undone. */
  const doAll = async (kind: 'leads' | 'matters', what: string, id: string[]) => {
    expect((await ada.post(`/${kind}?view=list`, { do: what, id })).status).toBe(303);
    const [bulk] = await sql`
      select id, counts->>'changed' as changed from bulk_change where firm_id = ${firm.id}
      order by created_at desc limit 1`;
    expect(bulk?.changed).toBe(String(id.length));
    return `/bulk/${bulk?.id}/undo`;
  };
  const read = async (kind: 'leads' | 'matters', ids: string[]) =>
    Promise.all(
      ids.map(async (id) => (await firm.owner.get(`/v1/${kind}/${id}`)).body.data.status as string),
    );
  return { firm, ada, make, doAll, read };
};

describe('Undo of what was done to several', () => {
  for (const kind of ['leads', 'matters'] as const) {
    test(`gives each of the ${kind} its stage back`, async () => {
      const { firm, ada, make, doAll } = await ready();
      const { id: practiceAreaId, stages = {} } = firm.practiceAreas.Family ?? {};
      const [from = '', to = ''] =
        kind === 'leads'
          ? [firm.leadStages.New, firm.leadStages.Contacted]
          : [stages.Intake, stages.Filed];
      const bodyOf = (name: string) =>
        kind === 'leads'
          ? { lastName: name, leadStageColumnId: from }
          : {
              ...{ title: name, practiceAreaId, openDate: '2026-03-03' },
              practiceAreaStageColumnId: from,
            };
      const ids = [await make(kind, bodyOf('Quill')), await make(kind, bodyOf('Rook'))];
      const stagesNow = async () => {
        const rows =
          kind === 'leads'
            ? await sql`select lead_stage_id::text as stage from lead where id = any(${ids})`
            : await sql`select stage_id::text as stage from matter where id = any(${ids})`;
        return rows.map(({ stage }) => stage);
      };
      const undo = await doAll(kind, `all-move:${to}`, ids);
      expect(await stagesNow()).toEqual([to, to]);
      expect((await ada.post(undo)).status).toBe(303);
      expect(await stagesNow()).toEqual([from, from]);
    });
  }

  test('takes "Not hired" back, once', async () => {
    const { firm, ada, make, doAll, read } = await ready();
    const ids = [
      await make('leads', { lastName: 'Quill' }),
      await make('leads', { lastName: 'Rook' }),
    ];
    const [reason] = await sql`select id from not_hired_reason where firm_id = ${firm.id} limit 1`;
    const undo = await doAll('leads', `all-not-hired:${reason?.id}`, ids);
    expect(await read('leads', ids)).toEqual(['NOT_HIRED', 'NOT_HIRED']);
    expect((await ada.post(undo)).status).toBe(303);
    expect(await read('leads', ids)).toEqual(['ACTIVE', 'ACTIVE']);
    const again = await ada.post(undo);
    expect(again.status).toBe(422);
    expect(again.text).toContain('The change was already undone.');
  });

  test('is refused after an hour, and takes nothing back', async () => {
    const { ada, make, doAll, read } = await ready();
    const ids = [
      await make('leads', { lastName: 'Quill' }),
      await make('leads', { lastName: 'Rook' }),
    ];
    const undo = await doAll('leads', 'all-status:ARCHIVE', ids);
    await clock.step(3_601);
    const late = await ada.post(undo);
    expect(late.status).toBe(422);
    expect(late.text).toContain('Undo is possible for an hour.');
    expect(await read('leads', ids)).toEqual(['ARCHIVE', 'ARCHIVE']);
  });

  test('says how many it left, because they were changed since: one, several, or none', async () => {
    const { firm, ada, make, doAll } = await ready();
    for (const [changed, words] of [
      [0, 'Undone for 4 leads.'],
      [1, 'Undone for 3 of 4 leads: the other was changed since.'],
      [2, 'Undone for 2 of 4 leads: the others were changed since.'],
    ] as const) {
      const ids: string[] = [];
      for (const lastName of ['Quill', 'Rook', 'Dove', 'Swan']) {
        ids.push(await make('leads', { lastName }));
      }
      const undo = await doAll('leads', 'all-status:ARCHIVE', ids);
      for (const id of ids.slice(0, changed)) {
        await firm.owner.patch(`/v1/leads/${id}`, { value: 'HIGH' });
      }
      const { text } = await ada.post(undo, {}, { 'x-sent-by': 'page' });
      expect(JSON.parse(text).said.words).toBe(words);
    }
  });
});
