/** Who is told if somebody assigns several leads at once. */
import { expect, test } from 'bun:test';
import { wakeRunners } from '../../src/jobs/runner.ts';
import { takeClock } from '../support/clock.ts';
import { connect, ownDatabase } from '../support/database.ts';
import { attorney, bookkeeper, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { textIn } from '../support/html.ts';
import { visitorOf } from '../support/visitor.ts';

const databaseUrl = await ownDatabase();
const clock = await takeClock(databaseUrl);
await clock.run(1);
const server = await startTestServer({ databaseUrl });
const sql = connect(databaseUrl);

/** Lets the jobs of the firm that are due in a moment be done. */
const later = async (firm: { id: string }) => {
  await clock.step(11);
  wakeRunners();
  const until = performance.now() + 60_000;
  const left = () => sql`select from job where firm_id = ${firm.id} and kind like 'lead_tell%'`;
  while ((await left()).length > 0) {
    if (performance.now() > until) throw new Error('The jobs were not done in a minute.');
    await Bun.sleep(50);
  }
};

test('each gets one notice for all of them, with who it was and how many; for one lead, the usual one', async () => {
  const firm = await makeFirm(server);
  const [ada, ben] = [
    await visitorOf(server, firm, owner),
    await visitorOf(server, firm, attorney),
  ];
  const make = async (lastName: string) =>
    (await firm.owner.post('/v1/leads', { lastName })).body.data.id as string;
  const ids = [await make('One'), await make('Two'), await make('Three')];
  const idOf = (email: string) => firm.members[email] ?? '';
  const add = async (id: string[], ...emails: string[]) => {
    const sent = { do: 'all-assign:add', id, assigneeIds: emails.map(idOf) };
    expect((await ada.post('/leads?view=list', sent)).status).toBe(303);
  };
  const assignedTo = async (email: string) =>
    await sql<{ title: string; recordId: string | null; count: number | null }[]>`
      select title, record_id::text as "recordId", count from notification
      where firm_id = ${firm.id} and member_id = ${idOf(email)} and kind = 'lead.assigned'
      order by id`;
  await add(ids.slice(0, 1), attorney);
  await later(firm);
  const first = { title: 'Lead assigned to you', recordId: ids[0] ?? '', count: 1 };
  expect([...(await assignedTo(attorney))]).toEqual([first]);
  // Of the three, one is Ben's already. A second press assigns nobody else.
  await add(ids, attorney, owner, bookkeeper);
  await add(ids, attorney, owner, bookkeeper);
  await later(firm);
  const more = { title: 'Ada Harrow assigned you 2 leads', recordId: null, count: 2 };
  expect([...(await assignedTo(attorney))]).toEqual([first, more]);
  expect([...(await assignedTo(owner))]).toEqual([]);
  expect([...(await assignedTo(bookkeeper))]).toEqual([]);
  const inbox = (await ben.get('/inbox')).text;
  expect(textIn(inbox, 'main')).toContain('Ada Harrow assigned you 2 leads');
  expect(inbox).toContain('/leads?view=list&amp;assignee=me');
  // What is undone before anybody was told is told to nobody.
  const fourth = [await make('Four'), await make('Five')];
  await add(fourth, attorney);
  for (const id of fourth) await ada.post(`/leads/${id}/assignees`, { assigneeIds: [] });
  await later(firm);
  expect(await assignedTo(attorney)).toHaveLength(2);
}, 120_000);
