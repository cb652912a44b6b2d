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
  test('gives each lead its own stage back', async () => {
    const { firm, ada, make, doAll } = await ready();
    const { New = '', Contacted = '' } = firm.leadStages;
    const ids = [
      await make('leads', { lastName: 'Quill', leadStageColumnId: New }),
      await make('leads', { lastName: 'Rook', leadStageColumnId: New }),
    ];
    const stages = async () =>
      (
        await sql`select lead_stage_id::text as stage from lead where id = any(${ids}) order by ordinal`
      ).map(({ stage }) => stage);
    const undo = await doAll('leads', `all-move:${Contacted}`, ids);
    expect(await stages()).toEqual([Contacted, Contacted]);
    expect((await ada.post(undo)).status).toBe(303);
    expect(await stages()).toEqual([New, New]);
  });

  test('gives each matter its own stage back', async () => {
    const { firm, ada, make, doAll } = await ready();
    const { id: practiceAreaId = '', stages = {} } = firm.practiceAreas.Family ?? {};
    const { Intake = '', Filed = '' } = stages;
    const opened = { practiceAreaId, openDate: '2026-03-03', practiceAreaStageColumnId: Intake };
    const ids = [
      await make('matters', { ...opened, title: 'Quill' }),
      await make('matters', { ...opened, title: 'Rook' }),
    ];
    const stagesNow = async () =>
      (
        await sql`select stage_id::text as stage from matter where id = any(${ids}) order by ordinal`
      ).map(({ stage }) => stage);
    const undo = await doAll('matters', `all-move:${Filed}`, ids);
    expect(await stagesNow()).toEqual([Filed, Filed]);
    expect((await ada.post(undo)).status).toBe(303);
    expect(await stagesNow()).toEqual([Intake, Intake]);
  });

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
});
