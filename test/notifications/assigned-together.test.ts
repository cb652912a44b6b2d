/** Who is told if something is done to several leads or matters at once. */
import { expect, test } from 'bun:test';
import { wakeRunners } from '../../src/jobs/runner.ts';
import { takeClock } from '../support/clock.ts';
import { connect, ownDatabase } from '../support/database.ts';
import { attorney, bookkeeper, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { textIn } from '../support/html.ts';
import { untilItDoes } from '../support/until.ts';
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
  await untilItDoes(async () => {
    const left = await sql`select from job where firm_id = ${firm.id}
      and (kind like '%_tell%' or kind like 'close_out_%')`;
    // Who waits for others looks again after a while.
    if (left.length > 0) await clock.step(1);
    return left.length === 0;
  });
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
  // The title is the subject of a mail, which names nobody.
  const more = { title: 'Leads assigned to you', recordId: null, count: 2 };
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
});

test('matters too: one notice for all that somebody was added to, or that were archived', async () => {
  const firm = await makeFirm(server);
  const [ada, ben] = [
    await visitorOf(server, firm, owner),
    await visitorOf(server, firm, attorney),
  ];
  const [adaId, benId] = [firm.members[owner] ?? '', firm.members[attorney] ?? ''];
  const practiceAreaId = firm.practiceAreas.Family?.id;
  const make = async (title: string, memberId: string) => {
    const team = [{ memberId, allocation: 40 }];
    const sent = { title, practiceAreaId, team, openDate: '2026-03-03' };
    return (await firm.owner.post('/v1/matters', sent)).body.data.id as string;
  };
  const ids = [await make('One', adaId), await make('Two', adaId), await make('Three', benId)];
  await later(firm);
  const noticesOf = async (memberId: string, kind: string) =>
    await sql<{ title: string; text: string; count: number | null }[]>`
      select title, text, count from notification where firm_id = ${firm.id}
        and member_id = ${memberId} and kind = ${kind} order by id`;
  const before = await noticesOf(benId, 'matter.added');
  const added = async () => (await noticesOf(benId, 'matter.added')).slice(before.length);
  // Ben is on the third already, as an attorney.
  const add = { do: 'all-assign:add', id: ids, assigneeIds: [benId] };
  expect((await ada.post('/matters?view=list', add)).status).toBe(303);
  await later(firm);
  expect([...(await added())]).toEqual([
    { title: 'Added to matters', text: 'Ada Harrow added you to 2 matters', count: 2 },
  ]);
  const inbox = (await ben.get('/inbox')).text;
  expect(inbox).toContain('/matters?view=list&amp;member=me');
  await ada.post('/matters?view=list', { do: 'all-status:ARCHIVE', id: ids });
  await later(firm);
  const text = 'Ada Harrow archived 3 matters';
  const all = { title: 'Matters archived', text, count: 3 };
  expect([...(await noticesOf(benId, 'matter.archived'))]).toEqual([all]);
  expect(await noticesOf(adaId, 'matter.archived')).toMatchObject([{ count: 2 }]);
  // A single one is told of as ever.
  await ada.post('/matters?view=list&status=ARCHIVE', { do: 'all-status:ACTIVE', id: ids });
  await ada.post('/matters?view=list', { do: 'all-status:ARCHIVE', id: ids.slice(2) });
  await later(firm);
  const [, single] = await noticesOf(benId, 'matter.archived');
  expect(single).toMatchObject({ title: 'Matter archived', count: 1 });
  expect(single?.text).toEndWith('Three');
});

test('events of matters that are archived together: one notice, for one event the usual one', async () => {
  const firm = await makeFirm(server);
  const ada = await visitorOf(server, firm, owner);
  const ben = await visitorOf(server, firm, attorney);
  const practiceAreaId = firm.practiceAreas.Family?.id;
  const make = async (title: string) => {
    const sent = { title, practiceAreaId, openDate: '2026-03-03' };
    const matterId = (await firm.owner.post('/v1/matters', sent)).body.data.id as string;
    return matterId;
  };
  const invite = async (matterId: string, title: string, day: number, ...guests: string[]) => {
    const startsAt = `2099-03-${day}T09:30:00Z`;
    const made = await firm.owner.post('/v1/calendar-events', {
      ...{ matterId, title, startsAt },
      guests,
    });
    expect(made.status).toBe(201);
  };
  const archive = (id: string[]) =>
    ada.post('/matters?view=list', { do: 'all-status:ARCHIVE', id });
  const [one, two, three] = [await make('One'), await make('Two'), await make('Three')];
  await invite(one, 'Hearing', 11, attorney, bookkeeper, 'outside@court.example');
  await invite(one, 'Signing', 12, attorney);
  await invite(two, 'Mediation', 13, attorney);
  await invite(three, 'Meeting', 14, attorney);
  await archive([one, two, three]);
  await later(firm);
  const told = async (email: string) => [
    ...(await sql<{ title: string; text: string; count: number | null }[]>`
      select title, text, count from notification where firm_id = ${firm.id}
        and member_id = ${firm.members[email] ?? ''} and kind = 'event.cancelled' order by id`),
  ];
  const number = async (id: string) =>
    (await firm.owner.get(`/v1/matters/${id}`)).body.data.publicId;
  const [first, second] = [await number(one), await number(two)];
  const named = [`Hearing (${first} One)`, `Signing (${first} One)`, `Mediation (${second} Two)`];
  expect(await told(attorney)).toEqual([
    { title: '4 events cancelled', text: `${named.join('; ')}; and 1 more`, count: 4 },
  ]);
  expect(await told(bookkeeper)).toEqual([
    { title: 'Event cancelled', text: named[0] ?? '', count: 1 },
  ]);
  expect(textIn((await ben.get('/inbox')).text, 'main')).toContain('4 events cancelled');
  // What is archived again by itself, or together with others, is told again.
  await ada.post('/matters?view=list&status=ARCHIVE', { do: 'all-status:ACTIVE', id: [one, two] });
  await invite(one, 'Second hearing', 15, bookkeeper);
  await invite(two, 'Second mediation', 16, bookkeeper);
  await archive([one, two]);
  await later(firm);
  expect((await told(bookkeeper)).map(({ title }) => title)).toEqual([
    'Event cancelled',
    '2 events cancelled',
  ]);
  expect(await told(attorney)).toHaveLength(1);
});
