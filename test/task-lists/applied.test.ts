/** A task list is added to a matter or a lead: what is shown before, what is made, who is told, and what takes it back. */
import { describe, expect, test } from 'bun:test';
import { makeLead } from '../about/leads.ts';
import { guardedDatabase, openMatter } from '../limitation/guarded.ts';
import {
  attorney,
  bookkeeper,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
  usualBlueprint,
} from '../support/firm.ts';
import { attributesIn, textIn, textsIn } from '../support/html.ts';
import { visitorOf } from '../support/visitor.ts';
import { addExampleList } from './made.ts';

const { databaseUrl, sql, clock } = await guardedDatabase();
// A Friday.
await clock.standAt(Date.UTC(2014, 0, 3, 12));
const server = await startTestServer({ databaseUrl });
const staff = 'pat@harrow.example';

const newFirm = async () => {
  const members = [...usualBlueprint.members, { email: staff, name: 'Pat Reed', role: 'Attorney' }];
  const firm = await makeFirm(server, { members });
  await sql`update firm set time_zone = 'UTC' where id = ${firm.id}`;
  return firm;
};

const teamOf = (firm: Firm) => [
  { memberId: firm.members[attorney] },
  { memberId: firm.members[staff], role: 'RESPONSIBLE_STAFF' },
];

const matterOf = (firm: Firm, more: object = {}) =>
  openMatter(firm, '2014-03-31', { openDate: '2014-01-01', team: teamOf(firm), ...more });

/** The firm's field "Served on", and its kinds Hearing and Service, with a list of a task of each, and a way to make events. */
const countingFirm = async () => {
  const firm = await newFirm();
  const ada = await visitorOf(server, firm, owner);
  const field = { appliesTo: 'MATTER', name: 'Served on', type: 'DATE' };
  await ada.post('/settings/fields', field);
  for (const name of ['Hearing', 'Service']) {
    await ada.post('/settings/event-kinds/kinds', { name });
  }
  const rows = await sql<{ id: string; name: string }[]>`
    select id::text as id, name from event_kind where firm_id = ${firm.id}
    union all select id::text, name from custom_field where firm_id = ${firm.id}`;
  const ids = Object.fromEntries(rows.map(({ id, name }) => [name, id]));
  const { location: list } = await ada.post('/settings/task-lists', { name: 'Counted' });
  for (const [title, trigger, amount, direction] of [
    ['Answer', `field:${ids['Served on']}`, '21', 'after'],
    ['Bundle', `event:${ids.Hearing}`, '7', 'before'],
    ['Proof', `event:${ids.Service}`, '0', 'after'],
    ['File', 'limitation', '1', 'before'],
    ['Greet', 'opened', '2', 'after'],
  ] as const) {
    const line = { title, trigger, amount, unit: 'days', direction, assignee: '' };
    expect((await ada.post(`${list}/lines`, line)).status).toBe(303);
  }
  const addEvent = async (of: string, title: string, day: string, kind = 'Hearing') => {
    const event = { title, kindId: ids[kind] ?? '', day, begins: '10:00' };
    expect((await ada.post(`/calendar/new?${of}`, event)).status).toBe(303);
    const [row] = await sql<{ id: string }[]>`select id::text as id from calendar_event
      where firm_id = ${firm.id} and title = ${title}`;
    return row?.id ?? '';
  };
  /** Each task that the page shows: its title, its day and how that is counted. */
  const shownAt = async (page: string) => {
    const { text, tasks } = await previewAt(firm, page);
    const words = textsIn(text, '.preview .sub');
    return tasks.map(({ title, day }, at) => [title, day, words[at] ?? '']);
  };
  return { firm, ada, ids, list: list ?? '', addEvent, shownAt };
};

/** What the page shows that the list would add: each task with its day and person, and whether it is ticked. */
const previewAt = async (firm: Firm, page: string, email = owner) => {
  const answer = await (await visitorOf(server, firm, email)).get(page);
  return { ...answer, ...readPreview(answer.text) };
};

const readPreview = (text: string) => {
  const ids = attributesIn(text, '.preview input[name="lines"]', 'value');
  const ticked = attributesIn(text, '.preview input[name="lines"][checked]', 'value');
  const days = attributesIn(text, '.preview input[type="date"]', 'value');
  const whose = textsIn(text, '.preview .whose').map((words) =>
    words.replace(/^(\p{Lu}{2}|–)(?=\p{Lu})/u, ''),
  );
  const titles = attributesIn(text, '.preview input[name="lines"]', 'aria-label');
  const [seen = ''] = attributesIn(text, 'input[name="seen"]', 'value');
  const [list = ''] = attributesIn(text, 'input[name="list"]', 'value');
  const [once = ''] = attributesIn(text, 'input[name="once"]', 'value');
  const tasks = ids.map((id, at) => ({
    ...{ id, title: (titles[at] ?? '').replace('Add: ', ''), day: days[at] ?? '' },
    ...{ whose: whose[at] ?? '', isTicked: ticked.includes(id) },
  }));
  return { tasks, seen, list, once };
};

type Preview = ReturnType<typeof readPreview>;

/** What its form sends, with nothing changed. */
const sentBy = ({ tasks, seen, list, once }: Preview): Record<string, string | string[]> => ({
  ...{ seen, list, once },
  lines: tasks.filter(({ isTicked }) => isTicked).map(({ id }) => id),
  ...Object.fromEntries(tasks.map(({ id, day }) => [`dueOn.${id}`, day])),
});

const tasksOf = async (firm: Firm, of: string) =>
  (await firm.owner.get(`/v1/tasks?${of}&limit=100`)).body.data as {
    id: string;
    title: string;
    dueDate: string | null;
    assignee: { id: string } | null;
  }[];

const noticesOf = async (firm: Firm, email: string) =>
  (
    await firm.command<{ kind: string; title: string; text: string }[]>([
      'inbox',
      '--member',
      email,
    ])
  ).filter(({ kind }) => kind === 'task.assigned');

describe('A task list on a matter', () => {
  test('shows each task with its day and person first, and then makes them at once', async () => {
    const firm = await newFirm();
    await addExampleList(server, firm);
    const { id, publicId } = await matterOf(firm);
    const page = `/tasks/from-list?matter=${id}`;
    const ada = await visitorOf(server, firm, owner);
    expect((await ada.get(`/matters/${id}`)).text).toContain(`href="${page}"`);
    // The holiday is no working day.
    await ada.post('/settings/holidays/own', { day: '2014-01-06', name: 'Outing' });
    const shown = await previewAt(firm, page);
    expect(textIn(shown.text, '.facts')).toContain(publicId);
    expect(shown.tasks.map(({ title, day, whose }) => [title, day, whose])).toEqual([
      ['Check', '2014-01-03', 'Ada Harrow'],
      ['Letter', '2014-01-07', 'Ben Lane'],
      ['Report', '2014-01-29', 'Ben Lane'],
      ['File', '2014-03-17', 'Pat Reed'],
      ['Count', '2014-03-01', 'Nobody'],
      ['Think', '', 'Nobody'],
    ]);
    const [check, letter, report] = shown.tasks;
    const fields = {
      ...sentBy(shown),
      lines: shown.tasks.filter((one) => one !== check).map((one) => one.id),
      [`dueOn.${letter?.id}`]: '2014-01-09',
      [`dueOn.${report?.id}`]: '',
    };
    expect((await ada.post(page, fields)).location).toBe(`/matters/${id}`);
    const made = await tasksOf(firm, `matterId=${id}`);
    expect(
      made
        .map(({ title, dueDate, assignee }) => [title, dueDate, assignee?.id ?? null])
        .sort((one, other) => String(one[0]).localeCompare(String(other[0]))),
    ).toEqual([
      ['Count', '2014-03-01', null],
      ['File', '2014-03-17', firm.members[staff] ?? ''],
      ['Letter', '2014-01-09', firm.members[attorney] ?? ''],
      ['Report', null, firm.members[attorney] ?? ''],
      ['Think', null, null],
    ]);
    const entries = await sql`
      select distinct request_id from audit_entry where firm_id = ${firm.id} and record_kind = 'task'`;
    expect(entries).toHaveLength(1);
    expect((await ada.get(`/matters/${id}`)).text).toContain('added the task Letter');
    // Sent again, it makes nothing.
    expect((await ada.post(page, fields)).location).toBe(`/matters/${id}`);
    expect(await tasksOf(firm, `matterId=${id}`)).toHaveLength(5);
  });

  test('of its stage is offered first, then those of its area and of all, then the others', async () => {
    const firm = await newFirm();
    const { Family, Estates } = firm.practiceAreas;
    const ada = await visitorOf(server, firm, owner);
    for (const [name, practiceAreaId] of [
      ['All', ''],
      ['Area', Family?.id ?? ''],
      ['Estates', Estates?.id ?? ''],
      ['Filed', Family?.stages.Filed ?? ''],
      ['Intake', Family?.stages.Intake ?? ''],
    ] as const) {
      const { location } = await ada.post('/settings/task-lists', { name, practiceAreaId });
      await ada.post(`${location}/lines`, { title: 'Check', trigger: '', unit: 'days' });
    }
    const offered = async (page: string) =>
      textsIn((await ada.get(page)).text, '.choose-list option').map((one) => one.split(' ')[0]);
    const { id } = await matterOf(firm);
    const page = `/tasks/from-list?matter=${id}`;
    expect(await offered(page)).toEqual(['Intake', 'Area', 'All', 'Estates', 'Filed']);
    const stage = { practiceAreaStageColumnId: Family?.stages.Filed };
    expect((await firm.owner.patch(`/v1/matters/${id}`, stage)).status).toBe(200);
    expect(await offered(page)).toEqual(['Filed', 'Area', 'All', 'Estates', 'Intake']);
    const { id: lead } = await makeLead(firm, { practiceAreaId: Family?.id });
    expect(await offered(`/tasks/from-list?lead=${lead}`)).toEqual([
      ...['Area', 'All', 'Estates', 'Filed', 'Intake'],
    ]);
  });

  test('tells each person once of all their tasks, and asks for each of those with a day', async () => {
    const firm = await newFirm();
    await addExampleList(server, firm);
    const { id } = await matterOf(firm);
    const page = `/tasks/from-list?matter=${id}`;
    const ada = await visitorOf(server, firm, owner);
    await ada.post(page, sentBy(await previewAt(firm, page)));
    expect(await noticesOf(firm, attorney)).toMatchObject([
      { title: '2 tasks assigned to you', text: 'Open them, the next first' },
    ]);
    expect(await noticesOf(firm, staff)).toMatchObject([{ title: 'Task assigned to you' }]);
    // Who adds it knows it.
    expect(await noticesOf(firm, owner)).toEqual([]);
    const ben = await visitorOf(server, firm, attorney);
    const inbox = (await ben.get('/inbox')).text;
    expect(textsIn(inbox, '.rows a[href="/tasks"]')).toContain('2 tasks assigned to you');
    const [letter] = (await tasksOf(firm, `matterId=${id}`)).filter(
      (one) => one.title === 'Letter',
    );
    const told = await ben.get(`/tasks/${letter?.id}`);
    expect(textIn(told.text, '#told tbody th')).toContain('Ben Lane');
  });

  test('is taken back whole, but for what somebody has touched since', async () => {
    const firm = await newFirm();
    await addExampleList(server, firm);
    const { id } = await matterOf(firm);
    const page = `/tasks/from-list?matter=${id}`;
    const ada = await visitorOf(server, firm, owner);
    const answer = await ada.post(page, sentBy(await previewAt(firm, page)), {
      ...{ 'x-sent-by': 'island', accept: 'application/json' },
    });
    const { said } = JSON.parse(answer.text);
    expect(said.words).toBe('6 tasks added from Opened.');
    const tasks = await tasksOf(firm, `matterId=${id}`);
    const [kept] = tasks.filter(({ title }) => title === 'Letter');
    await clock.standAt(Date.UTC(2014, 0, 3, 12, 1));
    await firm.owner.patch(`/v1/tasks/${kept?.id}`, { dueDate: '2014-01-08' });
    const [other] = await tasksOf(firm, `matterId=${(await matterOf(firm)).id}`);
    expect(other).toBeUndefined();
    const undone = await ada.post(
      said.undo.action,
      { task: said.undo.fields.map(([, task]: [string, string]) => task) },
      { 'x-sent-by': 'island', accept: 'application/json' },
    );
    expect(JSON.parse(undone.text).said.words).toBe(
      '5 tasks cancelled. 1 task stayed: somebody has changed it.',
    );
    expect((await tasksOf(firm, `matterId=${id}`)).map(({ title }) => title)).toEqual(['Letter']);
  });

  test('that is not what was looked at is shown anew: the list, a person, a day or a task has changed', async () => {
    const firm = await newFirm();
    const list = await addExampleList(server, firm);
    const { id } = await matterOf(firm);
    const page = `/tasks/from-list?matter=${id}`;
    const ada = await visitorOf(server, firm, owner);
    const refusedAfter = async (change: () => Promise<unknown>) => {
      const before = await previewAt(firm, page);
      await change();
      const refused = await ada.post(page, sentBy(before));
      expect(refused.status).toBe(422);
      expect(refused.text).toContain('has changed since you looked');
      expect(await tasksOf(firm, `matterId=${id}`)).toHaveLength(0);
      return readPreview(refused.text).tasks;
    };
    const added = await refusedAfter(() =>
      ada.post(`${list}/lines`, { title: 'More', unit: 'days' }),
    );
    expect(added.map(({ title }) => title)).toContain('More');
    const moved = await refusedAfter(() =>
      firm.owner.patch(`/v1/matters/${id}`, { openDate: '2014-01-02' }),
    );
    expect(moved.find(({ title }) => title === 'Report')?.day).toBe('2014-01-30');
    const gone = await refusedAfter(() => firm.command(['member', 'deactivate', staff, '--leave']));
    expect(gone.find(({ title }) => title === 'File')?.whose).toBe('Nobody');
    const made = await firm.owner.post('/v1/tasks', { matterId: id, title: 'letter' });
    const there = await previewAt(firm, page);
    expect(there.text).toContain('already a task');
    expect(there.tasks.find(({ title }) => title === 'Letter')?.isTicked).toBe(false);
    await firm.owner.delete(`/v1/tasks/${made.body.data.id}`);
  });

  test('refuses a wrong day beside its field, and nothing at all, and makes none then', async () => {
    const firm = await newFirm();
    await addExampleList(server, firm);
    const { id } = await matterOf(firm);
    const page = `/tasks/from-list?matter=${id}`;
    const ada = await visitorOf(server, firm, owner);
    const shown = await previewAt(firm, page);
    const [first] = shown.tasks;
    const wrong = await ada.post(page, { ...sentBy(shown), [`dueOn.${first?.id}`]: '2014-02-30' });
    expect(wrong.status).toBe(422);
    expect(textsIn(wrong.text, '.preview .refusal')).toHaveLength(1);
    const none = await ada.post(page, { ...sentBy(shown), lines: [] });
    expect(none.status).toBe(422);
    expect(textsIn(none.text, '.refusal')).toContain('Choose a task.');
    expect(await tasksOf(firm, `matterId=${id}`)).toEqual([]);
  });

  test('that is archived, of another firm, or not theirs to change is refused, and without a list the page says so', async () => {
    const firm = await newFirm();
    const { id } = await matterOf(firm);
    const page = `/tasks/from-list?matter=${id}`;
    const ada = await visitorOf(server, firm, owner);
    const empty = (await ada.get(page)).text;
    expect(empty).toContain('The firm has no task list yet.');
    expect(empty).toContain('Task lists in the settings');
    expect(empty).not.toContain('can create a task list');
    const ben = await visitorOf(server, firm, attorney);
    const told = (await ben.get(page)).text;
    expect(told).toContain('Anyone who may change the firm’s settings can create a task list.');
    expect(told).not.toContain('href="/settings/task-lists"');
    await addExampleList(server, firm);
    const shown = await previewAt(firm, page);
    const other = await newFirm();
    const eve = await visitorOf(server, other, owner);
    expect((await eve.get(page)).status).toBe(404);
    expect((await eve.post(page, sentBy(shown))).status).toBe(404);
    const cy = await visitorOf(server, firm, bookkeeper);
    expect((await cy.get(page)).status).toBe(403);
    expect((await cy.post(page, sentBy(shown))).status).toBe(403);
    await ada.post(`/matters/${id}/status`, { status: 'ARCHIVE' });
    expect((await ada.get(`/matters/${id}`)).text).not.toContain(`href="${page}"`);
    const archived = await ada.post(page, sentBy(shown));
    expect(archived.status).toBeGreaterThanOrEqual(400);
    expect(archived.text).toContain('is archived');
    expect(await tasksOf(firm, `matterId=${id}`)).toEqual([]);
  });
});

describe('A task list that counts from a field or an event', () => {
  test('says of each task how its day is counted, or what the matter does not have yet', async () => {
    const { firm, ada, addEvent, shownAt } = await countingFirm();
    const { id } = await openMatter(firm, undefined, { openDate: '2014-01-01' });
    const page = `/tasks/from-list?matter=${id}`;
    expect(await shownAt(page)).toEqual([
      ['Answer', '', 'The matter’s field “Served on” is empty'],
      ['Bundle', '', 'The matter has no event of the kind “Hearing”'],
      ['Proof', '', 'The matter has no event of the kind “Service”'],
      ['File', '', 'The matter has no limitation date'],
      ['Greet', '2014-01-03', 'Opening day, Wed 1 Jan 2014 + 2 days = Fri 3 Jan 2014'],
    ]);
    const customFields = { 'Served on': '2014-02-03' };
    await firm.owner.patch(`/v1/matters/${id}`, { customFields, solDate: '2014-03-31' });
    await addEvent(`matter=${id}`, 'Before the master', '2014-03-11');
    await addEvent(`matter=${id}`, 'Papers', '2014-02-03', 'Service');
    expect(await shownAt(page)).toEqual([
      ['Answer', '2014-02-24', 'Served on, Mon 3 Feb 2014 + 21 days = Mon 24 Feb 2014'],
      ['Bundle', '2014-03-04', 'Event: Hearing, Tue 11 Mar 2014 − 7 days = Tue 4 Mar 2014'],
      ['Proof', '2014-02-03', 'Event: Service, Mon 3 Feb 2014'],
      ['File', '2014-03-30', 'Limitation date, Mon 31 Mar 2014 − 1 day = Sun 30 Mar 2014'],
      ['Greet', '2014-01-03', 'Opening day, Wed 1 Jan 2014 + 2 days = Fri 3 Jan 2014'],
    ]);
    expect((await ada.post(page, sentBy(await previewAt(firm, page)))).status).toBe(303);
    const made = async () =>
      (await tasksOf(firm, `matterId=${id}`)).map(({ title, dueDate }) => `${title} ${dueDate}`);
    const days = ['Answer 2014-02-24', 'Bundle 2014-03-04', 'File 2014-03-30'];
    expect((await made()).sort()).toEqual([...days, 'Greet 2014-01-03', 'Proof 2014-02-03']);
    // Tasks that were added are a person's own: they stay, whatever they were counted from.
    const moved = { customFields: { 'Served on': '2014-02-10' }, solDate: '2014-05-31' };
    expect((await firm.owner.patch(`/v1/matters/${id}`, moved)).status).toBe(200);
    expect(await made()).toEqual(expect.arrayContaining(days));
    expect(textsIn((await ada.get(`/matters/${id}`)).text, '.moved h2')).toEqual([]);
  });

  test('takes the next of several events that is not over, or the last, on the firm’s day, and is looked at again if one moves', async () => {
    const { firm, ada, ids, addEvent, shownAt } = await countingFirm();
    await sql`update firm set time_zone = 'Pacific/Auckland' where id = ${firm.id}`;
    const { id } = await matterOf(firm);
    const page = `/tasks/from-list?matter=${id}`;
    const bundle = async () => (await shownAt(page)).find(([title]) => title === 'Bundle');
    await addEvent(`matter=${id}`, 'First', '2013-03-05');
    await addEvent(`matter=${id}`, 'Second', '2013-04-04');
    expect(await bundle()).toEqual([
      ...['Bundle', '2013-03-28'],
      'Event: Hearing, Thu 4 Apr 2013 − 7 days = Thu 28 Mar 2013 · “Second”, the last of 2 events of its kind',
    ]);
    await addEvent(`matter=${id}`, 'Fourth', '2014-06-04');
    // Ten in the morning there is the day before in UTC.
    const third = await addEvent(`matter=${id}`, 'Third', '2014-05-06');
    expect(await bundle()).toEqual([
      ...['Bundle', '2014-04-29'],
      'Event: Hearing, Tue 6 May 2014 − 7 days = Tue 29 Apr 2014 · “Third”, the next of 4 events of its kind',
    ]);
    const before = await previewAt(firm, page);
    const event = { title: 'Third', kindId: ids.Hearing ?? '', begins: '10:00' };
    expect((await ada.post(`/calendar/${third}`, { ...event, day: '2014-05-07' })).status).toBe(
      303,
    );
    const refused = await ada.post(page, sentBy(before));
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('has changed since you looked');
    expect(readPreview(refused.text).tasks[1]?.day).toBe('2014-04-30');
    await ada.post(`/calendar/${third}/cancel`, {});
    expect((await bundle())?.[1]).toBe('2014-05-28');
    // Those of another matter and of another kind are none of its.
    const other = await matterOf(firm);
    await addEvent(`matter=${other.id}`, 'Papers', '2014-02-03', 'Service');
    const [, none] = await shownAt(`/tasks/from-list?matter=${other.id}`);
    expect(none).toEqual(['Bundle', '', 'The matter has no event of the kind “Hearing”']);
  });

  test('says that its field was removed, and adds the task without a day', async () => {
    const { firm, ada, ids, shownAt } = await countingFirm();
    const { id } = await matterOf(firm);
    const customFields = { 'Served on': '2014-02-03' };
    await firm.owner.patch(`/v1/matters/${id}`, { customFields });
    const page = `/tasks/from-list?matter=${id}`;
    const remove = { standing: '1', deleted: '0' };
    const removed = await ada.post(`/settings/fields/${ids['Served on']}/remove`, remove);
    expect(removed.status).toBe(303);
    const [answer] = await shownAt(page);
    expect(answer).toEqual(['Answer', '', 'The field that it counts from was removed']);
    expect((await ada.post(page, sentBy(await previewAt(firm, page)))).status).toBe(303);
    const made = await tasksOf(firm, `matterId=${id}`);
    expect(made.find(({ title }) => title === 'Answer')?.dueDate).toBeNull();
  });

  test('counts from a lead’s own events, and says what only matters have', async () => {
    const { firm, ada, addEvent, shownAt } = await countingFirm();
    const lead = await makeLead(firm, {});
    const page = `/tasks/from-list?lead=${lead.id}`;
    const greeted = 'Opening day, Fri 3 Jan 2014 + 2 days = Sun 5 Jan 2014';
    expect(await shownAt(page)).toEqual([
      ['Answer', '', 'Only matters have “Served on”'],
      ['Bundle', '', 'The lead has no event of the kind “Hearing”'],
      ['Proof', '', 'The lead has no event of the kind “Service”'],
      ['File', '', 'The lead has no limitation date'],
      ['Greet', '2014-01-05', greeted],
    ]);
    await addEvent(`lead=${lead.id}`, 'First meeting', '2014-02-04');
    const [, bundle] = await shownAt(page);
    const counted = 'Event: Hearing, Tue 4 Feb 2014 − 7 days = Tue 28 Jan 2014';
    expect(bundle).toEqual(['Bundle', '2014-01-28', counted]);
    expect((await ada.post(page, sentBy(await previewAt(firm, page)))).status).toBe(303);
    const made = await tasksOf(firm, `leadId=${lead.id}`);
    expect(made.find(({ title }) => title === 'Bundle')?.dueDate).toBe('2014-01-28');
  });
});

describe('A task list on a lead', () => {
  test('gives each part to its assignee, and does not exist for who may not see the private lead', async () => {
    const firm = await newFirm();
    await addExampleList(server, firm);
    const lead = await makeLead(firm, { isPrivate: true });
    const ada = await visitorOf(server, firm, owner);
    await ada.post(`/leads/${lead.id}/assignees`, { assigneeIds: firm.members[attorney] ?? '' });
    const page = `/tasks/from-list?lead=${lead.id}`;
    const shown = await previewAt(firm, page, attorney);
    expect(shown.tasks.map(({ title, day, whose }) => [title, day, whose])).toEqual([
      ['Check', '2014-01-03', 'Ben Lane'],
      ['Letter', '2014-01-06', 'Ben Lane'],
      ['Report', '2014-01-31', 'Ben Lane'],
      ['File', '', 'Ben Lane'],
      ['Count', '', 'Nobody'],
      ['Think', '', 'Nobody'],
    ]);
    const pat = await visitorOf(server, firm, staff);
    expect((await pat.get(page)).status).toBe(404);
    expect((await pat.post(page, sentBy(shown))).status).toBe(404);
    await ada.post(page, sentBy(await previewAt(firm, page)));
    expect(await tasksOf(firm, `leadId=${lead.id}`)).toHaveLength(6);
    expect(await noticesOf(firm, attorney)).toMatchObject([{ title: '3 tasks assigned to you' }]);
  });
});
