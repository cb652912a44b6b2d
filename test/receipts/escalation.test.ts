/** While nobody has a task with a day or an event, more people are told, if the firm has chosen it; nobody twice on a day. */
import { describe, expect, test } from 'bun:test';
import { dayBefore, guardedDatabase, openMatter } from '../limitation/guarded.ts';
import {
  attorney,
  bookkeeper,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
  usualBlueprint,
} from '../support/firm.ts';
import { attributesIn, namesIn, partsIn, textIn, textsIn } from '../support/html.ts';
import { untilItDoes } from '../support/until.ts';
import { visitorOf } from '../support/visitor.ts';

const { databaseUrl, sql, put, momentOf, clock, unheldOf, mornings, newest } =
  await guardedDatabase();
await clock.standAt(Date.UTC(2022, 0, 3, 12));
const server = await startTestServer({ databaseUrl });
const staff = 'pat@harrow.example';
const path = '/settings/reminders';

const at = (day: string, hour = '07:00') => momentOf(day, hour, 'UTC');

const post = async (firm: Firm, email: string, to: string, fields: object, status = 303) => {
  const visitor = await visitorOf(server, firm, email);
  const answer = await visitor.post(to, fields as Record<string, string | string[]>);
  expect([to, answer.status]).toEqual([to, status]);
};

/** A firm that has chosen it, or not. */
const newFirm = async (isChosen = true) => {
  const members = [...usualBlueprint.members, { email: staff, name: 'Pat Reed', role: 'Attorney' }];
  const firm = await makeFirm(server, { members });
  await sql`update firm set time_zone = 'UTC' where id = ${firm.id}`;
  if (isChosen) await post(firm, owner, `${path}/work`, { workEscalates: 'on' });
  return firm;
};

/** A matter with Pat and Cy on its team; Cy may not see matters. */
const matterOf = (firm: Firm) =>
  openMatter(firm, undefined, {
    team: [
      { memberId: firm.members[attorney] },
      { memberId: firm.members[staff], role: 'RESPONSIBLE_STAFF' },
      { memberId: firm.members[bookkeeper], role: 'RESPONSIBLE_STAFF' },
    ],
  });

const taskFor = (firm: Firm, dueOn: string) => ({
  ...{ title: 'File the answer', dueOn },
  assigneeId: firm.members[attorney] ?? '',
});

const giveTask = async (firm: Firm, dueOn: string) => {
  const { id: matterId, publicId } = await matterOf(firm);
  await post(firm, owner, '/tasks/new', { ...taskFor(firm, dueOn), matter: publicId });
  const id = await newest(firm, 'task');
  return { id, matterId, page: `/tasks/${id}` };
};

const eventOn = (day: string, colleagues = [attorney]) => ({
  ...{ title: 'Hearing', day, begins: '09:30', ends: '10:30', colleagues },
});

const invite = async (firm: Firm, day: string, colleagues = [attorney]) => {
  const { id: matterId, publicId } = await matterOf(firm);
  await post(firm, owner, '/calendar/new', { ...eventOn(day, colleagues), matter: publicId });
  const id = await newest(firm, 'calendar_event');
  return { id, matterId, page: `/calendar/${id}` };
};

/** How many notices the assignee, Pat, the owner and Cy have got. */
const countsOf = async (firm: Firm) => {
  const counts = [];
  for (const email of [attorney, staff, owner, bookkeeper]) {
    counts.push((await unheldOf(firm, email)).length);
  }
  return counts;
};

describe('A task with a day, and an event, that nobody has', () => {
  // Thursdays.
  for (const [what, about, make, begins] of [
    ['a task', 'task', giveTask, '2022-03-03'],
    ['an event', 'event', invite, '2022-03-31'],
  ] as const) {
    test(`${what} goes to the team after two working days, then to the owners each working day, until somebody has it`, async () => {
      await put(await at(begins, '12:00'));
      const firm = await newFirm();
      const daysOn = (days: number) => dayBefore(begins, -days);
      const day = daysOn(20);
      const { id, page } = await make(firm, day);
      for (const [days, ...expected] of [
        [1, 0, 0],
        [3, 0, 0],
        [4, 1, 0],
        [5, 1, 0],
        [6, 1, 1],
        [7, 1, 2],
        [9, 1, 2],
        [11, 1, 3],
      ] as const) {
        await mornings(firm, [daysOn(days)]);
        expect(await countsOf(firm), `after ${days} days`).toEqual([0, ...expected, 0]);
      }
      const further =
        'If nobody does, the deputy and the others who work on it are told, and then the owners on each working day.';
      const told = async () =>
        textIn((await (await visitorOf(server, firm, owner)).get(page)).text, '#told .lead');
      expect(await told()).toBe(`Nobody has pressed “I have it” yet. ${further}`);
      await firm.command(['firm', 'escalation', 'off']);
      expect(await told()).toBe('Nobody has pressed “I have it” yet.');
      await post(firm, owner, `${path}/work`, { workEscalates: 'on' });
      expect(await unheldOf(firm, staff)).toMatchObject([
        {
          ...{ kind: `${about}.unheld`, recordId: id, title: `Not acknowledged: ${what}` },
          text: `${about === 'task' ? 'Wed 23 Mar' : 'Wed 20 Apr'} 2022: ${about === 'task' ? 'File the answer' : 'Hearing'}`,
        },
      ]);
      // The owner's third notice has replaced the two before.
      for (const email of [staff, owner]) {
        const inbox = await (await visitorOf(server, firm, email)).get('/inbox');
        const asking = attributesIn(inbox.text, `form[action="${page}/acknowledged"]`, 'action');
        expect(asking).toHaveLength(1);
        expect(attributesIn(inbox.text, `.rows a[href="${page}"]`, 'href')).toHaveLength(1);
      }
      const shown = await (await visitorOf(server, firm, owner)).get(page);
      expect(textIn(shown.text, '#told')).toContain('On the team, told because nobody had it');
      await post(firm, staff, `${page}/acknowledged`, { day });
      await mornings(firm, [12, 13, 18, 19, 20].map(daysOn));
      expect(await countsOf(firm)).toEqual([0, 1, 3, 0]);
    });
  }

  test('is told to nobody else unless the firm has chosen it, on the page or at the terminal; what stood then counts from that day', async () => {
    await put(await at('2022-05-02', '12:00'));
    const firm = await newFirm(false);
    await giveTask(firm, '2022-06-30');
    await invite(firm, '2022-06-30');
    const escalation = (...state: string[]) =>
      firm.command<{ workEscalates: boolean }>(['firm', 'escalation', ...state]);
    expect(await escalation()).toMatchObject({ workEscalates: false });
    await mornings(firm, ['2022-05-04', '2022-05-06', '2022-05-09']);
    expect(await countsOf(firm)).toEqual([0, 0, 0, 0]);
    await post(firm, attorney, `${path}/work`, { workEscalates: 'on' }, 403);
    await post(firm, owner, `${path}/work`, { workEscalates: 'on' });
    await post(firm, owner, `${path}/work`, { workEscalates: 'on' });
    await mornings(firm, ['2022-05-10']);
    expect(await countsOf(firm)).toEqual([0, 0, 0, 0]);
    await mornings(firm, ['2022-05-11']);
    expect(await countsOf(firm)).toEqual([0, 2, 0, 0]);
    expect(await escalation()).toMatchObject({ workEscalates: true });
    expect(await escalation('off')).toMatchObject({ workEscalates: false });
    await mornings(firm, ['2022-05-13', '2022-05-16']);
    expect(await countsOf(firm)).toEqual([0, 2, 0, 0]);
    const entries = await sql`select changes from audit_entry
      where firm_id = ${firm.id} and changes ? 'workEscalates' order by id`;
    expect(entries.map(({ changes }) => changes.workEscalates.after)).toEqual([true, false]);
  });

  test('is told of no more once it is done, moved, cancelled, or its matter is archived or deleted', async () => {
    await put(await at('2022-07-04', '12:00'));
    const firm = await newFirm();
    const day = '2022-08-31';
    const [done, cancelled, moved] = [
      await giveTask(firm, day),
      await giveTask(firm, day),
      await giveTask(firm, day),
    ];
    const [off, later] = [await invite(firm, day), await invite(firm, day)];
    const ends = [
      [await giveTask(firm, day), await invite(firm, day)],
      [await giveTask(firm, day), await invite(firm, day)],
    ] as const;
    await put(await at('2022-07-06', '06:59'));
    await post(firm, attorney, `${done.page}/move`, { to: 'done' });
    await post(firm, owner, `${cancelled.page}/move`, { to: 'cancelled' });
    await post(firm, owner, moved.page, taskFor(firm, '2022-09-01'));
    await post(firm, owner, `${off.page}/cancel`, {});
    await post(firm, owner, later.page, eventOn('2022-09-01'));
    for (const { matterId } of ends[0]) {
      await firm.owner.patch(`/v1/matters/${matterId}`, { status: 'ARCHIVE' });
    }
    for (const { matterId } of ends[1]) await firm.owner.delete(`/v1/matters/${matterId}`);
    await mornings(firm, ['2022-07-06', '2022-07-07']);
    expect(await countsOf(firm)).toEqual([0, 0, 0, 0]);
    // Those that have moved ask anew, each kind in one notice.
    await mornings(firm, ['2022-07-08']);
    expect((await unheldOf(firm, staff)).map(({ recordId }) => String(recordId)).sort()).toEqual(
      [moved.id, later.id].sort(),
    );
  });

  test('of which there are several is one notice of each kind, from which each is acknowledged; then it is past', async () => {
    await put(await at('2022-09-05', '12:00'));
    const firm = await newFirm();
    for (const day of ['2022-10-20', '2022-10-21']) await giveTask(firm, day);
    for (const day of ['2022-10-24', '2022-10-25']) await invite(firm, day);
    await mornings(firm, ['2022-09-07']);
    const told = await unheldOf(firm, staff);
    expect(told.map(({ title, text, recordId }) => [title, text, recordId]).sort()).toEqual([
      ['Not acknowledged: 2 events', 'The first is on Mon 24 Oct 2022.', null],
      ['Not acknowledged: 2 tasks', 'The first is on Thu 20 Oct 2022.', null],
    ] as never);
    const inbox = async () => (await (await visitorOf(server, firm, staff)).get('/inbox')).text;
    const asking = async () => attributesIn(await inbox(), '.have-them form', 'action');
    const shown = await inbox();
    expect(textsIn(shown, '.have-them li > span')).toEqual([
      ...['Mon 24 Oct 2022, 09:30: Hearing', 'Tue 25 Oct 2022, 09:30: Hearing'],
      ...['Thu 20 Oct 2022: File the answer', 'Fri 21 Oct 2022: File the answer'],
    ]);
    const [hearing = '', other = '', first = '', second = '', ...more] = await asking();
    expect(more).toEqual([]);
    await post(firm, staff, first, { day: '2022-10-20' });
    expect(await asking()).toEqual([hearing, other, second]);
    expect(textsIn(await inbox(), '.ended')).toEqual([]);
    await post(firm, staff, second, { day: '2022-10-21' });
    expect(textsIn(await inbox(), 'li.past a.name')).toEqual(['Not acknowledged: 2 tasks']);
    await post(firm, owner, `${hearing.replace('/acknowledged', '')}/cancel`, {});
    await post(firm, staff, other, { day: '2022-10-25' });
    const none = 'No longer: you have all the dates, or they are done, changed or over';
    expect(textsIn(await inbox(), '.ended')).toEqual([none, none]);
    // A colleague who was not asked with them is asked about none of them.
    expect(await unheldOf(firm, bookkeeper)).toEqual([]);
  });

  test('of which there are more than twenty: the first are shown, and how many more there are', async () => {
    await put(await at('2022-09-12', '12:00'));
    const firm = await newFirm();
    for (let nth = 0; nth < 22; nth += 1) await giveTask(firm, '2022-10-27');
    await mornings(firm, ['2022-09-14']);
    const visitor = await visitorOf(server, firm, staff);
    const { text } = await visitor.get('/inbox');
    expect(textsIn(text, '.have-them li > span')).toHaveLength(20);
    expect(textsIn(text, '.have-them > .muted')).toEqual(['and 2 more']);
    const [first = ''] = attributesIn(text, '.have-them form', 'action');
    await post(firm, staff, first, { day: '2022-10-27' });
    const next = (await visitor.get('/inbox')).text;
    expect(textsIn(next, '.have-them li > span')).toHaveLength(20);
    expect(textsIn(next, '.have-them > .muted')).toEqual(['and 1 more']);
  });

  test('are told to a colleague once, and stay in the inbox beside what they are asked about later; the owners have one line', async () => {
    await put(await at('2022-10-03', '12:00'));
    const firm = await newFirm();
    for (const day of ['2022-11-20', '2022-11-21']) await giveTask(firm, day);
    await mornings(firm, ['2022-10-04']);
    for (const day of ['2022-11-22', '2022-11-23']) await giveTask(firm, day);
    await mornings(firm, ['2022-10-05', '2022-10-06', '2022-10-07', '2022-10-10']);
    const linesOf = async (email: string) => {
      const { text } = await (await visitorOf(server, firm, email)).get('/inbox');
      return textsIn(text, '.rows li.unread a.name').filter((name) => name.startsWith('Not'));
    };
    const two = 'Not acknowledged: 2 tasks';
    expect(await linesOf(staff)).toEqual([two, two]);
    expect(await linesOf(owner)).toEqual(['Not acknowledged: 4 tasks']);
    const { text } = await (await visitorOf(server, firm, staff)).get('/inbox');
    expect(new Set(attributesIn(text, '.have-them form', 'action')).size).toBe(4);
  });

  test('goes to the deputy first, and of a private lead to nobody who may not see it', async () => {
    await put(await at('2022-11-07', '12:00'));
    const firm = await newFirm();
    await post(firm, attorney, '/settings/me/absence', {
      ...{ awayFrom: '', awayUntil: '', deputyId: firm.members[staff] ?? '' },
    });
    const { body } = await firm.owner.post('/v1/leads', {
      ...{ lastName: 'Quill', isPrivate: true },
    });
    await post(firm, owner, `/leads/${body.data.id}/assignees`, {
      assigneeIds: firm.members[attorney] ?? '',
    });
    const made = await firm.owner.post('/v1/tasks', {
      ...{ leadId: body.data.id, title: 'Call back', dueDate: '2022-12-20' },
      assigneeId: firm.members[attorney],
    });
    expect(made).toMatchObject({ status: 201 });
    await mornings(firm, ['2022-11-09']);
    // The deputy may not see it: the owners are the next.
    expect(await countsOf(firm)).toEqual([0, 0, 1, 0]);
    const { page } = await invite(firm, '2022-12-20');
    await mornings(firm, ['2022-11-11']);
    expect((await unheldOf(firm, staff)).map(({ kind }) => kind)).toEqual(['event.unheld']);
    const shown = await (await visitorOf(server, firm, owner)).get(page);
    expect(textIn(shown.text, '#told')).toContain('Deputy, told because nobody had it');
  });
});

describe('A next step of a lead that nobody answers', () => {
  /** A lead with a next step for a day, which the attorney answers for. */
  const leadWith = async (firm: Firm, day: string, more: object = {}) => {
    const { body } = await firm.owner.post('/v1/leads', { lastName: 'Quill', ...more });
    const page = `/leads/${body.data.id}`;
    await post(firm, owner, `${page}/assignees`, { assigneeIds: firm.members[attorney] });
    await post(firm, owner, page, { nextTouch: [day, ''] });
    return { id: body.data.id as string, number: body.data.publicId as string, page };
  };

  test('is told to the owners after two working days, and on each working day until a person touches the lead', async () => {
    await put(await at('2023-02-01', '12:00'));
    const firm = await newFirm(false);
    const { id, number, page } = await leadWith(firm, '2023-02-02', { isPrivate: true });
    for (const [day, count] of [
      ['2023-02-02', 0],
      ['2023-02-03', 0],
      ['2023-02-04', 0],
      ['2023-02-06', 1],
      ['2023-02-07', 2],
    ] as const) {
      await mornings(firm, [day]);
      expect(await countsOf(firm), day).toEqual([0, 0, count, 0]);
    }
    const told = await unheldOf(firm, owner);
    expect(told[0]).toMatchObject({
      ...{ kind: 'lead.unheld', recordId: id, title: 'Not answered: a next step' },
      text: `Thu 2 Feb 2023: ${number} Quill`,
    });
    const inbox = await (await visitorOf(server, firm, owner)).get('/inbox');
    expect(textsIn(inbox.text, `.rows a[href="${page}"]`)).toContain('Not answered: a next step');
    // A program answers nothing.
    await firm.owner.patch(`/v1/leads/${id}`, { value: 'LOW' });
    await mornings(firm, ['2023-02-08']);
    expect(await countsOf(firm)).toEqual([0, 0, 3, 0]);
    await post(firm, attorney, `${page}/notes`, { text: 'Called', once: crypto.randomUUID() });
    await mornings(firm, ['2023-02-09', '2023-02-10', '2023-02-13']);
    expect(await countsOf(firm)).toEqual([0, 0, 3, 0]);
  });

  test('is told of with the firm’s own limit, several in one notice that opens their list, and none of what ended', async () => {
    await put(await at('2023-03-01', '12:00'));
    const firm = await newFirm();
    await post(firm, owner, `${path}/limits`, {
      ...{ unheldDays: '1', unheldSoonFrom: '14', unheldDaysSoon: '1', unheldAtOnceFrom: '3' },
    });
    const [archived, deleted] = [
      await leadWith(firm, '2023-03-02'),
      await leadWith(firm, '2023-03-02'),
    ];
    await post(firm, owner, `${archived.page}/status`, { status: 'ARCHIVE' });
    expect(await firm.owner.delete(`/v1/leads/${deleted.id}`)).toMatchObject({ status: 200 });
    await mornings(firm, ['2023-03-03']);
    expect(await countsOf(firm)).toEqual([0, 0, 0, 0]);
    await put(await at('2023-03-05', '12:00'));
    const late = await leadWith(firm, '2023-03-07');
    await leadWith(firm, '2023-03-06');
    // The holiday is no working day.
    await post(firm, owner, '/settings/holidays/own', { day: '2023-03-08', name: 'Outing' });
    await mornings(firm, ['2023-03-07', '2023-03-08', '2023-03-09']);
    const told = await unheldOf(firm, owner);
    expect(told.map(({ title, text }) => [title, text])).toEqual([
      ['Not answered: a next step', expect.stringMatching(/^Mon 6 Mar 2023: L-\d+ Quill$/)],
      ['Not answered: 2 next steps', 'The first was on Mon 6 Mar 2023.'],
    ] as never);
    const inbox = await (await visitorOf(server, firm, owner)).get('/inbox');
    // It replaces that of one of them.
    expect(
      textsIn(inbox.text, '.rows a.name').filter((name) => name.startsWith('Not answered')),
    ).toEqual(['Not answered: 2 next steps']);
    const [list] = attributesIn(inbox.text, '.rows a[href^="/leads?"]', 'href');
    const shown = await (await visitorOf(server, firm, owner)).get(String(list));
    expect(attributesIn(shown.text, `a[href="${late.page}"]`, 'href')).not.toHaveLength(0);
    expect(namesIn(shown.text)).toHaveLength(2);
  });

  test('is told of whatever the firm chooses for tasks and events, and counts from its day; that choice tells nobody twice', async () => {
    await put(await at('2023-05-01', '12:00'));
    const firm = await newFirm(false);
    await leadWith(firm, '2023-05-02');
    await giveTask(firm, '2023-06-30');
    await mornings(firm, ['2023-05-03', '2023-05-04']);
    // Of the task, nobody is told.
    expect(await countsOf(firm)).toEqual([0, 0, 1, 0]);
    for (const state of ['on', 'off']) await firm.command(['firm', 'escalation', state]);
    await mornings(firm, ['2023-05-04']);
    expect(await countsOf(firm)).toEqual([0, 0, 1, 0]);
    await post(firm, owner, `${path}/work`, { workEscalates: 'on' });
    await mornings(firm, ['2023-05-04', '2023-05-05']);
    expect(await countsOf(firm)).toEqual([0, 0, 2, 0]);
    expect((await unheldOf(firm, owner)).map(({ kind }) => kind)).toEqual([
      'lead.unheld',
      'lead.unheld',
    ]);
  });

  test('is told once on a day to an owner who is assigned to it, also if no server ran when it fell due', async () => {
    await put(await at('2023-05-15', '12:00'));
    const firm = await newFirm(false);
    const { body } = await firm.owner.post('/v1/leads', { lastName: 'Quill' });
    const page = `/leads/${body.data.id}`;
    await post(firm, owner, page, { nextTouch: ['2023-05-16', ''] });
    await post(firm, owner, `${page}/assignees`, { assigneeIds: firm.members[owner] });
    const toldOf = async () =>
      (
        await sql`select kind from notification where firm_id = ${firm.id} and kind in ('lead.due', 'lead.unheld') order by id`
      ).map(({ kind }) => kind);
    // The notice of the day waits as if no server had run.
    const wait = (until: number) =>
      sql`update job set run_at = ${new Date(until)} where firm_id = ${firm.id} and kind = 'lead_tell_due'`;
    await wait(await at('2023-05-18', '06:59'));
    await put(await at('2023-05-18', '06:59'));
    await untilItDoes(async () => (await toldOf()).length === 1);
    await mornings(firm, ['2023-05-18']);
    expect(await toldOf()).toEqual(['lead.due']);
    await mornings(firm, ['2023-05-19']);
    expect(await toldOf()).toEqual(['lead.due', 'lead.unheld']);
  });
});

test('The notice that nobody has an event is past once it is over, alone and of several, and gives way to the next', async () => {
  await put(await at('2023-06-05', '12:00'));
  const firm = await newFirm();
  for (const day of ['2023-06-08', '2023-06-09']) await invite(firm, day);
  const inboxOf = async (email: string) => {
    const { text } = await (await visitorOf(server, firm, email)).get('/inbox');
    const lines = ['unread', 'read'].map((state) =>
      partsIn(text, `#list li.${state}`)
        .map((line) => `${textIn(line, 'a.name')}. ${textIn(line, '.ended')}`.trim())
        .filter((line) => line.startsWith('Not acknowledged')),
    );
    return {
      lines,
      asked: textsIn(text, '.have-them li > span, .have-it'),
      count: textIn(text, '[data-unread]'),
    };
  };
  await mornings(firm, ['2023-06-06', '2023-06-07', '2023-06-08']);
  const both = 'Not acknowledged: 2 events.';
  const second = 'Fri 9 Jun 2023, 09:30: Hearing';
  const asked = ['Thu 8 Jun 2023, 09:30: Hearing', second];
  expect(await inboxOf(owner)).toEqual({ lines: [[both], []], asked, count: '1 unread' });
  // Two more say that Pat was added to a matter.
  expect(await inboxOf(staff)).toEqual({ lines: [[both], []], asked, count: '3 unread' });
  // Nobody can take the first one any more.
  await mornings(firm, ['2023-06-09']);
  const alone = 'Not acknowledged: an event.';
  expect(await inboxOf(owner)).toMatchObject({ lines: [[alone], []], count: '1 unread' });
  expect(await inboxOf(staff)).toEqual({ lines: [[both], []], asked: [second], count: '3 unread' });
  await mornings(firm, ['2023-06-10', '2023-06-12']);
  expect(await inboxOf(owner)).toEqual({
    lines: [[], [`${alone} No longer: the event is over`]],
    asked: [],
    count: '0 unread',
  });
  const none = 'No longer: you have all the dates, or they are done, changed or over';
  expect(await inboxOf(staff)).toEqual({
    lines: [[], [`${both} ${none}`]],
    asked: [],
    count: '2 unread',
  });
  // Who was invited is asked as before.
  const { text } = await (await visitorOf(server, firm, attorney)).get('/inbox?show=unread');
  const invited = textsIn(text, '.rows a.name').filter((name) => name === 'Invited to an event');
  expect(invited).toHaveLength(2);
});
