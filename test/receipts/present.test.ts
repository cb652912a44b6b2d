/** Home shows owners the tasks with a day and the events whose people are not there. */
import { expect, test } from 'bun:test';
import { guardedDatabase, openMatter } from '../limitation/guarded.ts';
import {
  attorney,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
  usualBlueprint,
} from '../support/firm.ts';
import { textIn, textsIn } from '../support/html.ts';
import { visitorOf } from '../support/visitor.ts';

const { databaseUrl, momentOf, clock, newest } = await guardedDatabase();
await clock.standAt(await momentOf('2022-03-07', '12:00', 'UTC'));
const server = await startTestServer({ databaseUrl });
const staff = 'pat@harrow.example';

const post = async (firm: Firm, email: string, to: string, fields: object, status = 303) => {
  const visitor = await visitorOf(server, firm, email);
  const answer = await visitor.post(to, fields as Record<string, string | string[]>);
  expect([to, answer.status]).toEqual([to, status]);
};

/** On Mon 7 March 2022 at noon, Ben is away from Tuesday until Friday, and Pat stands in. */
const newFirm = async () => {
  await clock.standAt(await momentOf('2022-03-07', '12:00', 'UTC'));
  const members = [...usualBlueprint.members, { email: staff, name: 'Pat Reed', role: 'Attorney' }];
  const firm = await makeFirm(server, { members, timeZone: 'UTC' });
  const { id: matterId, publicId } = await openMatter(firm, undefined);
  const absent = (email: string, from: string, until: string, deputy = '') =>
    post(firm, owner, `/settings/members/${firm.members[email]}/absence`, {
      ...{ awayFrom: from, awayUntil: until, deputyId: firm.members[deputy] ?? '' },
    });
  await absent(attorney, '2022-03-08', '2022-03-11', staff);
  const give = async (title: string, dueOn: string, email = attorney) => {
    const assigneeId = firm.members[email] ?? '';
    await post(firm, owner, '/tasks/new', { title, dueOn, assigneeId, matter: publicId });
    return `/tasks/${await newest(firm, 'task')}`;
  };
  const invite = async (title: string, day: string, ...colleagues: string[]) => {
    const hours = { begins: '09:30', ends: '10:30' };
    await post(firm, owner, '/calendar/new', {
      ...{ title, day, ...hours, colleagues, matter: publicId },
    });
    return `/calendar/${await newest(firm, 'calendar_event')}`;
  };
  const panel = async (email = owner) => {
    const { text } = await (await visitorOf(server, firm, email)).get('/');
    return { text, at: '[aria-labelledby="unheld-title"]' };
  };
  const names = async (email = owner) => {
    const { text, at } = await panel(email);
    return textsIn(text, `${at} a.name`);
  };
  return { firm, matterId, absent, give, invite, panel, names };
};

const goTo = async (day: string) => clock.standAt(await momentOf(day, '12:00', 'UTC'));

test('a task whose assignee is away on its day, or that is due and nobody’s, until somebody who is there has it', async () => {
  const { firm, absent, give, panel, names } = await newFirm();
  await give('Of somebody there', '2022-03-09', staff);
  await give('Before', '2022-03-07');
  await give('Back again', '2022-03-14');
  const away = await give('Away', '2022-03-09');
  await give('Nobody', '2022-03-07', 'nobody');
  await give('Nobody, tomorrow', '2022-03-08', 'nobody');
  await give('Nobody, without a day', '', 'nobody');
  const done = await give('Nobody, done', '2022-03-07', 'nobody');
  await post(firm, owner, `${done}/move`, { to: 'done' });
  expect(await names()).toEqual(['Nobody', 'Away']);
  const { text, at } = await panel();
  expect(textIn(text, at)).toMatch(
    /Quill v. Rook · Ben Lane is away until (Fri 11 Mar|11 Mar 2022)/,
  );
  expect(textIn(text, at)).toMatch(/Quill v. Rook · Not assigned/);
  // It is for owners alone.
  expect(await names(staff)).toEqual([]);
  const nobodys = ['Nobody', 'Nobody, tomorrow'];
  // On Tuesday, what was due on Monday is nobody's who is there. From now on, Pat is asked as the deputy.
  await goTo('2022-03-08');
  const asked = await give('Given today', '2022-03-11');
  expect(await names()).toEqual(['Before', ...nobodys, 'Away', 'Given today']);
  await post(firm, attorney, `${away}/acknowledged`, { day: '2022-03-09' });
  await post(firm, staff, `${asked}/acknowledged`, { day: '2022-03-11' });
  expect(await names()).toEqual(['Before', ...nobodys, 'Away']);
  // Who has it will not be there either.
  await absent(staff, '2022-03-11', '2022-03-11');
  expect(await names()).toEqual(['Before', ...nobodys, 'Away', 'Given today']);
  await absent(staff, '', '');
  expect(await names()).toEqual(['Before', ...nobodys, 'Away']);
  await absent(attorney, '', '');
  expect(await names()).toEqual(nobodys);
});

test('an event to which colleagues are invited of whom none is there on its day; not one without colleagues', async () => {
  const { firm, matterId, absent, invite, panel, names } = await newFirm();
  await invite('Away', '2022-03-09', attorney);
  await invite('One is there', '2022-03-09', attorney, staff);
  await invite('Without anybody', '2022-03-09');
  await invite('Back again', '2022-03-14', attorney);
  const off = await invite('Cancelled', '2022-03-10', attorney);
  await post(firm, owner, `${off}/cancel`, {});
  expect(await names()).toEqual(['Away']);
  const { text, at } = await panel();
  expect(textIn(text, at)).toMatch(/Ben Lane is away until (Fri 11 Mar|11 Mar 2022)/);
  await absent(staff, '2022-03-09', '2022-03-09');
  expect(await names()).toEqual(['Away', 'One is there']);
  await absent(staff, '', '');
  await goTo('2022-03-08');
  const asked = await invite('Given today', '2022-03-11', attorney);
  expect(await names()).toEqual(['Away', 'Given today']);
  await post(firm, staff, `${asked}/acknowledged`, { day: '2022-03-11' });
  expect(await names()).toEqual(['Away']);
  await goTo('2022-03-10');
  expect(await names()).toEqual([]);
  await goTo('2022-03-08');
  await firm.owner.patch(`/v1/matters/${matterId}`, { status: 'ARCHIVE' });
  expect(await names()).toEqual([]);
});

test('an event says that everybody invited has left, once nobody of them is in the firm, and before that nothing', async () => {
  const { firm, invite, panel, names } = await newFirm();
  await invite('Hearing', '2022-03-14', attorney, staff);
  const leave = (email: string) =>
    post(firm, owner, `/settings/members/${firm.members[email]}/deactivate`, {
      heirId: firm.members[owner] ?? '',
    });
  await leave(staff);
  expect(await names()).toEqual([]);
  await leave(attorney);
  expect(await names()).toEqual(['Hearing']);
  const { text, at } = await panel();
  const said = textIn(text, at);
  expect(said).toMatch(/Quill v. Rook · Everybody invited has left/);
  expect(said).not.toMatch(/Not assigned|is away until|Not acknowledged/);
});

test('they stand beside the limitation dates, ten at most, with how many more there are; nothing of what is deleted', async () => {
  const { firm, give, panel, names } = await newFirm();
  await openMatter(firm, '2022-03-20', { title: 'Limitation' });
  const lead = (await firm.owner.post('/v1/leads', { lastName: 'Quill', isPrivate: true })).body
    .data.id;
  const made = await firm.owner.post('/v1/tasks', {
    ...{ leadId: lead, title: 'Of a lead', dueDate: '2022-03-06' },
  });
  expect(made.status).toBe(201);
  for (let nth = 0; nth < 11; nth += 1) await give('Nobody', '2022-03-07', 'nobody');
  expect(await names()).toEqual(['Of a lead', ...Array(9).fill('Nobody'), 'Limitation']);
  const { text, at } = await panel();
  expect(textIn(text, at)).toEndWith('And 2 more tasks and events');
  expect(textIn(text, at)).toMatch(/L-\d+ Quill · Not assigned/);
  await firm.owner.delete(`/v1/leads/${lead}`);
  expect(await names()).toEqual([...Array(10).fill('Nobody'), 'Limitation']);
  const after = await panel();
  expect(textIn(after.text, at)).toEndWith('And one more task or event');
});
