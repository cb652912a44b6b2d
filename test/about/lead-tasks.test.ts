/** Tasks about leads: who sees them, and where they go when the lead is hired. */
import { describe, expect, test } from 'bun:test';
import { expectRefusal, totalOf, unknownId } from '../support/expectations.ts';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { visitorOf } from '../support/visitor.ts';
import { divided, foundBy, hire, inboxOf, inDays, makeLead } from './leads.ts';

const server = await startTestServer();

const noticesOf = async (firm: Firm, email: string) =>
  (await inboxOf(firm, email)).filter(({ kind }) => kind === 'task.assigned');

describe('A task about a lead', () => {
  test('is made, listed, changed, finished and cancelled, and tells its assignee', async () => {
    const firm = await makeFirm(server);
    const lead = await makeLead(firm);
    const body = {
      leadId: lead.id,
      title: 'Call back',
      dueDate: inDays(1),
      assigneeId: firm.members[attorney],
    };
    const made = await firm.owner.post('/v1/tasks', body);
    expect(made.status).toBe(201);
    expect(made.body.data).toMatchObject({
      leadId: lead.id,
      matterId: null,
      title: 'Call back',
      status: 'OPEN',
      assignee: { name: 'Ben Lane' },
    });
    expect(await noticesOf(firm, attorney)).toMatchObject([
      { text: `Call back (${lead.publicId} Quill)` },
    ]);
    const list = `/v1/tasks?leadId=${lead.id}`;
    expect((await firm.owner.get(list)).body.data).toEqual([made.body.data]);
    const path = `/v1/tasks/${made.body.data.id}`;
    const done = await firm.owner.patch(path, { title: 'Call her', status: 'DONE' });
    expect(done.body.data).toMatchObject({ title: 'Call her', status: 'DONE', leadId: lead.id });
    await firm.owner.delete(path);
    expect(await totalOf(firm.owner.get(list))).toBe(0);
    expectRefusal(await firm.owner.get(path), 404, 'not_found');
    const { leadId: _, ...about } = body;
    expectRefusal(await firm.owner.post('/v1/tasks', about), 400, 'invalid_request', 'leadId');
    const unknown = await firm.owner.post('/v1/tasks', { ...body, leadId: unknownId });
    expectRefusal(unknown, 404, 'not_found', 'leadId');
  });

  test('is made at the terminal too, and so is an event, by the lead’s id', async () => {
    const firm = await makeFirm(server);
    const lead = await makeLead(firm);
    const of = ['--lead', lead.id, '--title'];
    const made = await firm.command<{ id: string; leadId: string }>([
      ...['task', 'add', ...of, 'Call back', '--assignee', attorney],
    ]);
    expect(made.leadId).toBe(lead.id);
    const { data } = (await firm.owner.get(`/v1/tasks?leadId=${lead.id}`)).body;
    expect(data).toMatchObject([
      { id: made.id, title: 'Call back', assignee: { name: 'Ben Lane' } },
    ]);
    expect(await noticesOf(firm, attorney)).toHaveLength(1);
    await firm.command([
      'event',
      'add',
      ...of,
      'First meeting',
      '--starts',
      '2099-03-14T09:30:00Z',
    ]);
    expect(await totalOf(firm.owner.get(`/v1/calendar-events?leadId=${lead.id}`))).toBe(1);
  });

  test('on a private lead does not exist for others: in no list, page, search, event, notice', async () => {
    const firm = await makeFirm(server);
    const secret = await makeLead(firm, { isPrivate: true });
    const ben = await firm.callerOf(attorney);
    const [ada, page] = [
      await visitorOf(server, firm, owner),
      await visitorOf(server, firm, attorney),
    ];
    const cursor = (await ben.get('/v1/events')).body.cursor;
    const task = { leadId: secret.id, title: 'Zanzibar', dueDate: inDays(0) };
    const made = await firm.owner.post('/v1/tasks', task);
    expect(made.status).toBe(201);
    const { id } = made.body.data;
    const refused = await firm.owner.post('/v1/tasks', {
      ...task,
      assigneeId: firm.members[attorney],
    });
    expectRefusal(refused, 400, 'invalid_request', 'assigneeId');
    const given = await firm.owner.patch(`/v1/tasks/${id}`, {
      assigneeId: firm.members[attorney],
    });
    expectRefusal(given, 400, 'invalid_request', 'assigneeId');
    const path = `/v1/tasks/${id}`;
    const none = await ben.get(`/v1/tasks/${unknownId}`);
    for (const answer of [
      await ben.get(path),
      await ben.patch(path, { status: 'DONE' }),
      await ben.delete(path),
    ]) {
      expect([answer.status, answer.body]).toEqual([404, none.body]);
    }
    expectRefusal(await ben.post('/v1/tasks', task), 404, 'not_found', 'leadId');
    expectRefusal(await ben.get(`/v1/tasks?leadId=${secret.id}`), 404, 'not_found', 'leadId');
    const day = inDays(0);
    for (const address of [
      '/',
      '/tasks',
      '/tasks?show=team',
      '/tasks?show=overdue',
      `/tasks?member=${firm.members[owner]}`,
      `/calendar?view=agenda&whose=all&day=${day}`,
      '/search?q=zanzibar',
    ]) {
      expect((await page.get(address)).text).not.toContain('Zanzibar');
    }
    expect((await page.get(`/tasks/${id}`)).status).toBe(404);
    expect((await page.post(`/tasks/${id}`, { title: 'Mine' })).status).toBe(404);
    expect((await page.post(`/tasks/${id}/move`, { to: 'done' })).status).toBe(404);
    expect((await page.get(`/tasks/new?lead=${secret.id}`)).status).toBe(404);
    for (const address of [
      '/tasks?show=team',
      `/calendar?view=agenda&whose=all&day=${day}`,
      '/search?q=zanzibar',
      `/leads/${secret.id}`,
      `/tasks/${id}`,
    ]) {
      const { text } = await ada.get(address);
      if (address !== '/tasks?show=team') expect(text).toContain('Zanzibar');
    }
    // The log is read on when other transactions let it: the owner's answer comes when it has the task.
    const events = async (by: typeof ben, wait: number) => {
      const query = `after=${cursor}&limit=100&wait=${wait}&types=task.created`;
      const { data } = (await by.get(`/v1/events?${query}`)).body;
      return (data as { data: { id: string } }[]).map((one) => one.data.id);
    };
    expect(await events(firm.owner, 25)).toEqual([id]);
    expect(await events(ben, 0)).toEqual([]);
    // Who is assigned sees the lead, and its tasks.
    await ada.post(`/leads/${secret.id}/assignees`, {
      assigneeIds: firm.members[attorney] ?? '',
    });
    expect((await ben.get(path)).status).toBe(200);
    await firm.owner.patch(path, { assigneeId: firm.members[attorney] });
    expect(await noticesOf(firm, attorney)).toHaveLength(1);
    expect((await page.get('/tasks')).text).toContain('Zanzibar');
    expect((await page.get('/inbox')).text).toContain(`href="/tasks/${id}"`);
    await ada.post(`/leads/${secret.id}/assignees`, {
      assigneeIds: firm.members[owner] ?? '',
    });
    expect((await ben.get(path)).status).toBe(404);
    expect(await noticesOf(firm, attorney)).toEqual([]);
    expect((await page.get('/tasks')).text).not.toContain('Zanzibar');
  });

  test('is gone with its lead when that is deleted, and comes back with it', async () => {
    const firm = await makeFirm(server);
    const lead = await makeLead(firm);
    const made = await firm.owner.post('/v1/tasks', { leadId: lead.id, title: 'Wait' });
    const path = `/v1/tasks/${made.body.data.id}`;
    await firm.owner.delete(`/v1/leads/${lead.id}`);
    expectRefusal(await firm.owner.get(path), 404, 'not_found');
    const ada = await visitorOf(server, firm, owner);
    await ada.post(`/leads/${lead.id}/restore`);
    expect((await firm.owner.get(path)).body).toEqual(made.body);
  });

  test('needs the permission for leads, and one about a matter that for matters', async () => {
    const { firm, named, query, sides } = await divided(server);
    const made = { leads: '', matters: '' };
    for (const kind of ['leads', 'matters'] as const) {
      const body = { ...named[kind], title: `About ${kind}`, dueDate: inDays(0) };
      made[kind] = (await firm.owner.post('/v1/tasks', body)).body.data.id;
    }
    for (const [email, may, mayNot] of sides) {
      const by = await firm.callerOf(email);
      const page = await visitorOf(server, firm, email);
      expect((await by.patch(`/v1/tasks/${made[may]}`, { dueDate: inDays(0) })).status).toBe(200);
      const theirs = `/v1/tasks/${made[mayNot]}`;
      expectRefusal(await by.get(theirs), 403, 'forbidden', `${mayNot}:read`);
      expectRefusal(await by.delete(theirs), 403, 'forbidden', `${mayNot}:write`);
      const post = await by.post('/v1/tasks', { ...named[mayNot], title: 'X' });
      expectRefusal(post, 403, 'forbidden', `${mayNot}:write`);
      for (const address of [
        `/tasks?member=${firm.members[owner]}&show=overdue`,
        '/calendar?view=agenda&whose=all',
      ]) {
        expect((await page.get(address)).text).not.toContain(`About ${mayNot}`);
      }
      expect((await page.get('/calendar?view=agenda&whose=all')).text).toContain(`About ${may}`);
      expect((await page.get(`/tasks/${made[may]}`)).status).toBe(200);
      expect((await page.get(`/tasks/${made[mayNot]}`)).status).toBe(404);
      expect((await page.post(`/tasks/${made[mayNot]}`, { title: 'X' })).status).toBe(403);
      expect((await page.get(`/tasks/new?${query[mayNot]}`)).status).toBe(403);
      expect((await page.post(`/tasks/new?${query[mayNot]}`, { title: 'X' })).status).toBe(403);
    }
  });
});

describe('At Hire', () => {
  test('the tasks of the lead go to its matter; and an undo gives them back', async () => {
    const firm = await makeFirm(server);
    const lead = await makeLead(firm);
    const make = async (title: string) =>
      (await firm.owner.post('/v1/tasks', { leadId: lead.id, title, dueDate: inDays(2) })).body.data
        .id as string;
    const [open, done] = [await make('Quagga photographs'), await make('Call back')];
    await firm.owner.patch(`/v1/tasks/${done}`, { status: 'DONE' });
    const matter = await hire(server, firm, lead.id);
    const ada = await visitorOf(server, firm, owner);
    const found = () => foundBy(server, firm, 'quagga');
    const statuses = async (query: string) =>
      ((await firm.owner.get(`/v1/tasks?${query}`)).body.data as { status: string }[])
        .map(({ status }) => status)
        .sort();
    expect(await statuses(`matterId=${matter.id}`)).toEqual(['DONE', 'OPEN']);
    expect(await statuses(`leadId=${lead.id}`)).toEqual([]);
    expect((await firm.owner.get(`/v1/tasks/${open}`)).body.data).toMatchObject({
      leadId: null,
      matterId: matter.id,
    });
    expect(await found()).toEqual([`/matters/${matter.id}`]);
    const page = (await ada.get(`/matters/${matter.id}`)).text;
    expect(page).toContain('Quagga photographs');
    const hired = (await ada.get(`/leads/${lead.id}`)).text;
    expect(hired).toContain(
      `hired the lead as matter ${matter.publicId}, and moved the tasks to the matter`,
    );
    expect(hired).not.toContain('Add a task');
    const late = await firm.owner.post('/v1/tasks', { leadId: lead.id, title: 'Late' });
    expectRefusal(late, 409, 'conflict', 'hired');
    expect((await ada.post(`/leads/${lead.id}/undo-hire`)).status).toBe(303);
    expect(await statuses(`leadId=${lead.id}`)).toEqual(['DONE', 'OPEN']);
    expect(await found()).toEqual([`/leads/${lead.id}`]);
    expect((await ada.get(`/leads/${lead.id}`)).text).toContain('moved the tasks back to the lead');
  });

  test('a new task of the matter keeps the hire from being undone', async () => {
    const firm = await makeFirm(server);
    const lead = await makeLead(firm);
    await firm.owner.post('/v1/tasks', { leadId: lead.id, title: 'Came along' });
    const matter = await hire(server, firm, lead.id);
    await firm.owner.post('/v1/tasks', { matterId: matter.id, title: 'New' });
    const ada = await visitorOf(server, firm, owner);
    const { status, text } = await ada.post(`/leads/${lead.id}/undo-hire`);
    expect(status).toBe(422);
    expect(text).toContain('the matter has a new task');
    expect(await totalOf(firm.owner.get(`/v1/tasks?matterId=${matter.id}`))).toBe(2);
  });
});
