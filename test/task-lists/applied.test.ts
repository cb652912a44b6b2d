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
      await ada.post(`${location}/lines`, { title: 'Check', startDay: '', unit: 'days' });
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
      '5 tasks cancelled. 1 stayed: somebody has changed it.',
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
    expect((await ada.get(page)).text).toContain('The firm has no task list yet.');
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
