/** Tasks that repeat: at the doors, on a clock that stands. */
import { describe, expect, test } from 'bun:test';
import { makeLead } from '../about/leads.ts';
import { guardedDatabase, openMatter } from '../limitation/guarded.ts';
import { connect } from '../support/database.ts';
import { expectRefusal } from '../support/expectations.ts';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { untilItDoes } from '../support/until.ts';
import { visitorOf } from '../support/visitor.ts';

const { databaseUrl, sql, clock } = await guardedDatabase();
await clock.standAt(Date.UTC(2014, 0, 6, 12));
const server = await startTestServer({ databaseUrl });

const plain = (html: string) => html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

const newFirm = async () => {
  const firm = await makeFirm(server);
  await sql`update firm set time_zone = 'UTC' where id = ${firm.id}`;
  const { id } = await openMatter(firm, undefined);
  return { firm, matterId: id };
};

type Task = { id: string; title: string; status: string; dueDate: string | null; rrule: string };

const make = async (firm: Firm, body: object) => {
  const { status, body: answer } = await firm.owner.post('/v1/tasks', { title: 'Report', ...body });
  expect(status).toBe(201);
  return answer.data as Task;
};

const tasksOf = async (firm: Firm, matterId: string) =>
  (await firm.owner.get(`/v1/tasks?matterId=${matterId}&include=rrule&limit=100`)).body
    .data as Task[];

const put = (firm: Firm, id: string, body: object) => firm.owner.patch(`/v1/tasks/${id}`, body);

const openDays = async (firm: Firm, matterId: string) =>
  (await tasksOf(firm, matterId))
    .filter(({ status }) => status === 'OPEN')
    .map((one) => one.dueDate);

describe('A task that repeats', () => {
  test('is followed by the next when it is done, counted from its day, until its last day', async () => {
    const { firm, matterId } = await newFirm();
    const first = await make(firm, {
      matterId,
      dueDate: '2014-01-31',
      rrule: 'FREQ=MONTHLY;UNTIL=20140401',
      assigneeId: firm.members[attorney],
    });
    expect(first.rrule).toBe('FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1;UNTIL=20140401');
    for (const day of ['2014-02-28', '2014-03-31', null]) {
      const [open] = (await tasksOf(firm, matterId)).filter(({ status }) => status === 'OPEN');
      expect(open?.rrule).toBe('FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1;UNTIL=20140401');
      expect((await put(firm, open?.id ?? '', { status: 'DONE' })).status).toBe(200);
      expect(await openDays(firm, matterId)).toEqual(day ? [day] : []);
    }
    const all = await firm.owner.get(`/v1/tasks?matterId=${matterId}`);
    expect(all.body.data.map(({ assignee }: { assignee: object }) => assignee)).toEqual(
      Array(3).fill({ id: firm.members[attorney], name: 'Ben Lane' }),
    );
    expect(all.body.data[0]).not.toHaveProperty('rrule');
    const notices = await firm.command<{ title: string; kind: string }[]>([
      ...['inbox', '--member', attorney],
    ]);
    expect(
      notices.filter(({ kind }) => kind === 'task.assigned').map(({ title }) => title),
    ).toEqual(['Your task repeats', 'Your task repeats', 'Task assigned to you']);
  });

  test('that was missed is due next on the first day of its rule that is not past; on working days alone', async () => {
    const { firm, matterId } = await newFirm();
    await sql`insert into holiday (firm_id, id, day, name, is_own, created_at)
      values (${firm.id}, gen_random_uuid(), '2014-01-08', 'Founders', true, moment())`;
    for (const [dueDate, rrule, next] of [
      ['2013-12-02', 'FREQ=WEEKLY', '2014-01-06'],
      ['2013-12-03', 'FREQ=WEEKLY;INTERVAL=2', '2014-01-14'],
      ['2013-01-05', 'FREQ=DAILY', '2014-01-06'],
      ['2012-07-15', 'FREQ=MONTHLY;INTERVAL=3', '2014-01-15'],
      ['2012-02-29', 'FREQ=YEARLY', '2014-02-28'],
      ['2014-01-03', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', '2014-01-06'],
      ['2014-01-07', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', '2014-01-09'],
      ['2014-01-10', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', '2014-01-13'],
    ]) {
      const { id } = await make(firm, { matterId, dueDate, rrule });
      await put(firm, id, { status: 'DONE' });
      const [newest] = await tasksOf(firm, matterId);
      expect([rrule, dueDate, newest?.dueDate]).toEqual([rrule, dueDate, next ?? '']);
    }
  });

  test('is followed once: done twice, at the same moment, and again after it was opened', async () => {
    const { firm, matterId } = await newFirm();
    const { id } = await make(firm, { matterId, dueDate: '2014-03-03', rrule: 'FREQ=WEEKLY' });
    const ada = await visitorOf(server, firm, owner);
    const done = () => put(firm, id, { status: 'DONE' });
    const ticked = () => ada.post(`/tasks/${id}/move`, { to: 'done' });
    const answers = await Promise.all([done(), ticked(), done(), ticked(), done(), ticked()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 303, 200, 303, 200, 303]);
    expect(await openDays(firm, matterId)).toEqual(['2014-03-10']);
    // Opened again, the next one goes, and comes again with the next tick.
    await put(firm, id, { status: 'OPEN' });
    expect(await openDays(firm, matterId)).toEqual(['2014-03-03']);
    await ticked();
    expect(await openDays(firm, matterId)).toEqual(['2014-03-10']);
    // The next one that somebody changed stays, and no second one is made.
    const [next] = await tasksOf(firm, matterId);
    await clock.step(1);
    await put(firm, next?.id ?? '', { title: 'Report to the bank' });
    await put(firm, id, { status: 'OPEN' });
    await done();
    expect(await openDays(firm, matterId)).toEqual(['2014-03-10']);
    // Who cancels the next one ends it.
    await firm.owner.delete(`/v1/tasks/${next?.id}`);
    await put(firm, id, { status: 'OPEN' });
    await done();
    expect(await openDays(firm, matterId)).toEqual([]);
  });

  test('is made, shown, changed and ended on its pages, which say what becomes of it', async () => {
    const { firm, matterId } = await newFirm();
    const ada = await visitorOf(server, firm, owner);
    const fields = {
      title: 'Check the trust account',
      dueOn: '2014-01-08',
      repeats: 'week',
      repeatsUntil: '',
      assigneeId: '',
    };
    const add = (more: object = {}) =>
      ada.post(`/tasks/new?matter=${matterId}`, { ...fields, ...more });
    for (const [wrong, words] of [
      [{ dueOn: '' }, 'Enter the day of the first one: the task repeats'],
      [{ repeatsUntil: '2014-01-07' }, 'Repeats until must not be before the day on which'],
      [
        { repeats: '', repeatsUntil: '2014-02-07' },
        'Repeats until is only for a task that repeats',
      ],
      [{ repeats: 'century' }, 'Repeats must be one of the choices'],
      [{ repeatsUntil: '2014-02-30' }, 'Repeats until must be a day that exists'],
    ] as const) {
      const { status, text } = await add(wrong);
      expect([status, plain(text).includes(words), words]).toEqual([422, true, words]);
    }
    expect(await tasksOf(firm, matterId)).toEqual([]);
    expect((await add()).status).toBe(303);
    const [task] = await tasksOf(firm, matterId);
    const path = `/tasks/${task?.id}`;
    expect(plain((await ada.get(path)).text)).toContain('Repeats every week');
    expect(plain((await ada.get(`/matters/${matterId}`)).text)).toContain('Repeats every week');
    const change = (more: object) => ada.post(path, { ...fields, ...more });
    const often = { repeats: 'fortnight', repeatsUntil: '2014-02-28' };
    expect((await change(often)).status).toBe(303);
    expect(plain((await ada.get(path)).text)).toContain('Repeats every two weeks until');
    expect((await change({ ...often, dueOn: '' })).status).toBe(422);
    expect((await change({ ...often, dueOn: '2014-01-09' })).status).toBe(303);
    const saidOf = async (to: string) => {
      const sent = { 'x-sent-by': 'page', accept: 'application/json' };
      return JSON.parse((await ada.post(`${path}/move`, { to }, sent)).text).said.words;
    };
    expect(await saidOf('done')).toBe(
      'Done: Check the trust account. The next one is due Thu 23 Jan 2014.',
    );
    expect(await saidOf('open')).toBe(
      'Reopened: Check the trust account. The next one, due Thu 23 Jan 2014, was removed.',
    );
    expect((await change({ ...often, dueOn: '2014-01-09', repeats: '' })).status).toBe(422);
    expect((await change({ dueOn: '2014-01-09', repeats: '' })).status).toBe(303);
    expect((await tasksOf(firm, matterId))[0]?.rrule).toBeNull();
    const history = plain((await ada.get(`/matters/${matterId}`)).text);
    for (const words of [
      'set the task Check the trust account to repeat every two weeks until',
      'created the next task Check the trust account, due 23 Jan',
      'removed the next task Check the trust account',
      'stopped the task Check the trust account from repeating',
    ]) {
      expect([words, history.includes(words)]).toEqual([words, true]);
    }
    const log = plain((await ada.get('/settings/audit')).text);
    expect(log).toMatch(/Repeats.{0,30}every week.{0,30}every two weeks until/);
  });

  test('takes its rule from the API, keeps it, and refuses what is none', async () => {
    const { firm, matterId } = await newFirm();
    const body = { matterId, title: 'Report' };
    const send = (more: object) => firm.owner.post('/v1/tasks', { ...body, ...more });
    const rule = 'FREQ=WEEKLY';
    expectRefusal(await send({ rrule: rule }), 400, 'invalid_request', 'dueDate');
    for (const wrong of ['FREQ=HOURLY', '', 'FREQ=WEEKLY;COUNT=2', 'FREQ=WEEKLY;UNTIL=20130101']) {
      const refused = await send({ dueDate: '2014-03-03', rrule: wrong });
      expectRefusal(refused, 400, 'invalid_request', 'rrule');
    }
    const { id } = await make(firm, { ...body, dueDate: '2014-03-03', rrule: 'FREQ=MONTHLY' });
    const now = async () => (await firm.owner.get(`/v1/tasks/${id}?include=rrule`)).body.data.rrule;
    expect(await now()).toBe('FREQ=MONTHLY;BYMONTHDAY=3');
    await put(firm, id, { dueDate: '2014-03-05' });
    expect(await now()).toBe('FREQ=MONTHLY;BYMONTHDAY=5');
    await put(firm, id, { title: 'Report to the court', rrule: await now() });
    expectRefusal(await put(firm, id, { dueDate: null }), 400, 'invalid_request', 'dueDate');
    await put(firm, id, { rrule: 'UNTIL=20140401;FREQ=MONTHLY' });
    expect(await now()).toBe('FREQ=MONTHLY;BYMONTHDAY=5;UNTIL=20140401');
    const late = await put(firm, id, { dueDate: '2014-04-02' });
    expectRefusal(late, 400, 'invalid_request', 'dueDate');
    await put(firm, id, { rrule: null, dueDate: null });
    expect(await now()).toBeNull();
    const events = await firm.owner.get('/v1/events?after=0&limit=100&types=task.updated&wait=25');
    const changed = events.body.data.flatMap(
      (one: { data: { changed: string[] } }) => one.data.changed,
    );
    expect(changed).toContain('rrule');
    await put(firm, id, { dueDate: '2014-03-05', rrule: rule, status: 'DONE' });
    expect(await openDays(firm, matterId)).toEqual(['2014-03-12']);
  });

  test('stops with its matter, keeps nobody who has left, and stays hidden with a private lead', async () => {
    const { firm, matterId } = await newFirm();
    const rrule = 'FREQ=WEEKLY';
    const dueDate = '2014-03-03';
    const given = { dueDate, rrule, assigneeId: firm.members[attorney] };
    const secret = await makeLead(firm, { isPrivate: true });
    const ada = await visitorOf(server, firm, owner);
    const assign = (assigneeIds: string[]) =>
      ada.post(`/leads/${secret.id}/assignees`, { assigneeIds });
    await assign([firm.members[attorney] ?? '']);
    const hidden = await make(firm, { ...given, leadId: secret.id });
    await assign([firm.members[owner] ?? '']);
    await put(firm, hidden.id, { status: 'DONE' });
    const [next] = (await firm.owner.get(`/v1/tasks?leadId=${secret.id}`)).body.data;
    expect(next).toMatchObject({ dueDate: '2014-03-10', assignee: null, leadId: secret.id });
    const ben = await firm.callerOf(attorney);
    expect((await ben.get(`/v1/tasks/${next.id}`)).status).toBe(404);

    const left = await make(firm, { ...given, matterId });
    await sql`update member set deactivated_at = moment()
      where firm_id = ${firm.id} and id = ${firm.members[attorney] ?? ''}`;
    await put(firm, left.id, { status: 'DONE' });
    expect((await tasksOf(firm, matterId))[0]).toMatchObject({
      dueDate: '2014-03-10',
      assignee: null,
    });

    await sql`update matter set status = 'ARCHIVE' where firm_id = ${firm.id} and id = ${matterId}`;
    const [last] = await tasksOf(firm, matterId);
    await put(firm, last?.id ?? '', { status: 'DONE' });
    expect(await openDays(firm, matterId)).toEqual([]);
  });

  test('leaves no next one open where its matter is archived in the moment of the tick', async () => {
    const { firm, matterId } = await newFirm();
    const { id } = await make(firm, { matterId, dueDate: '2014-03-03', rrule: 'FREQ=WEEKLY' });
    const [first, second] = [connect(databaseUrl), connect(databaseUrl)];
    const areWaiting = async (count: number, what = '') =>
      (
        await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query ilike ${`${what}%`}`
      ).length >= count;
    // The archive comes as far as its jobs, and what is made of the tick as far as its words.
    await first`begin`;
    await first`lock table job in share mode`;
    await second`begin`;
    await second`lock table written_text in share mode`;
    const archive = firm.owner.patch(`/v1/matters/${matterId}`, { status: 'ARCHIVE' });
    // The server's own looking for jobs may wait, too.
    await untilItDoes(() => areWaiting(1, 'insert'));
    let isTicked = false;
    const tick = put(firm, id, { status: 'DONE' }).finally(() => {
      isTicked = true;
    });
    await untilItDoes(() => areWaiting(2));
    await first`commit`;
    expect((await archive).status).toBe(200);
    await untilItDoes(async () => isTicked || (await areWaiting(2)));
    await second`commit`;
    expect((await tick).status).toBe(200);
    await untilItDoes(
      async () => (await sql`select from job where kind = 'close_out_tasks'`).length === 0,
    );
    expect(await openDays(firm, matterId)).toEqual([]);
    await Promise.all([first.end(), second.end()]);
  });

  test('is added by a command', async () => {
    const { firm, matterId } = await newFirm();
    const add = ['task', 'add', '--matter', matterId, '--title', 'Report', '--repeats', 'quarter'];
    await firm.command([...add, '--due', '2014-03-31', '--until', '2014-12-31']);
    const [task] = await tasksOf(firm, matterId);
    expect(task?.rrule).toBe(
      'FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=28,29,30,31;BYSETPOS=-1;UNTIL=20141231',
    );
  });
});
