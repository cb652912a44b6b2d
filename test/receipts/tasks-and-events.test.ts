/** Who was told of a task with a day and of an event, who opened it, and who has it: at the doors, with a real mail server. */
import { describe, expect, test } from 'bun:test';
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
import { partsIn, textIn, textsIn } from '../support/html.ts';
import { startMailServer, untilMailing } from '../support/mail.ts';
import { untilItDoes as until } from '../support/until.ts';
import { visitorOf } from '../support/visitor.ts';

const home = 'https://practice.harrow.example';

const { databaseUrl, sql, clock, put, newest, untilSent } = await guardedDatabase();
await clock.standAt(Date.UTC(2021, 0, 4, 12));
const post = await startMailServer({ user: { name: 'office', password: 'p' } });
const server = await startTestServer({
  databaseUrl,
  environment: { PUBLIC_URL: home, ...post.environment },
});

/** A member at the application's door; signed in whatever the clock says. */
const memberOf = (firm: Firm, email: string) => {
  const get = async (path: string, headers = {}) =>
    (await visitorOf(server, firm, email)).get(path, headers);
  return {
    get,
    post: async (path: string, fields: Record<string, string | string[]> = {}) =>
      (await visitorOf(server, firm, email)).post(path, fields, {
        origin: home,
        referer: `${home}${path}`,
      }),
    /** The lines that a page shows when it renews itself. */
    async lines(path: string) {
      const page = await get(path, { 'x-member': String(firm.members[email]) });
      expect(page.status).toBe(200);
      return partsIn(page.text, '#told tbody tr').map((row) => textsIn(row, 'th, td').join(' · '));
    },
  };
};

const newFirm = async (more: Parameters<typeof makeFirm>[1] = {}) => {
  const firm = await makeFirm(server, more);
  await sql`update firm set time_zone = 'UTC' where id = ${firm.id}`;
  const [ada, ben, cy] = [
    memberOf(firm, owner),
    memberOf(firm, attorney),
    memberOf(firm, bookkeeper),
  ];
  return { firm, ada, ben, cy };
};

type Standing = Awaited<ReturnType<typeof newFirm>>;

/** A task of the attorney's, which the owner gives to them. */
const giveTask = async ({ firm, ada }: Standing, dueOn: string) => {
  const { publicId } = await openMatter(firm, undefined);
  const fields = { title: 'File the answer', dueOn, matter: publicId };
  const assigneeId = firm.members[attorney] ?? '';
  expect((await ada.post('/tasks/new', { ...fields, assigneeId })).status).toBe(303);
  return `/tasks/${await newest(firm, 'task')}`;
};

const eventFields = (day: string, guests: string[]) => ({
  title: 'Hearing',
  day,
  begins: '09:30',
  ends: '10:30',
  colleagues: guests,
});

const makeEvent = async ({ firm, ada }: Standing, day: string, guests: string[]) => {
  const { publicId } = await openMatter(firm, undefined);
  const sent = { ...eventFields(day, guests), matter: publicId };
  expect((await ada.post('/calendar/new', sent)).status).toBe(303);
  return `/calendar/${await newest(firm, 'calendar_event')}`;
};

const acknowledgedIn = async (firm: Firm) => {
  const [row] = await sql`select count(*)::int as count from audit_entry
    where firm_id = ${firm.id} and record_kind = 'receipt'`;
  return row?.count as number;
};

describe('The receipt of a task with a day', () => {
  test('says when its assignee was told, by mail too, opened it, and has it; once in the audit log', async () => {
    const standing = await newFirm();
    const { firm, ada, ben } = standing;
    await untilMailing(sql, clock, firm.id);
    await put(Date.UTC(2021, 2, 3, 9));
    const path = await giveTask(standing, '2021-03-08');
    await untilSent(firm);
    expect(await ada.lines(path)).toEqual([
      'Ben LaneAssigned · Inbox 3 Mar 2021, 09:00 · Mail Accepted (250), 3 Mar 2021, 09:00 · Opened Not opened · Has it Not yet',
    ]);
    await put(Date.UTC(2021, 2, 3, 9, 12));
    const opened = await ben.get(path);
    expect(textIn(opened.text, '#told .tag')).toBe('Not acknowledged');
    await until(async () => (await ada.lines(path))[0]?.includes('09:12') === true);
    expect((await ben.get('/inbox')).text).toContain(`${path}/acknowledged`);
    expect((await ada.get(path)).text).not.toContain(`${path}/acknowledged`);
    for (const minute of [13, 14]) {
      await put(Date.UTC(2021, 2, 3, 9, minute));
      const pressed = await ben.post(`${path}/acknowledged`, { day: '2021-03-08' });
      expect(pressed.status).toBe(303);
    }
    expect((await ada.lines(path))[0]).toEndWith('Has it since 3 Mar 2021, 09:13');
    expect(await acknowledgedIn(firm)).toBe(1);
    expect((await ben.get('/inbox')).text).not.toContain(`${path}/acknowledged`);
    const matter = await sql`select matter_id from task where firm_id = ${firm.id}`;
    const page = await ada.get(`/matters/${matter[0]?.matter_id}`);
    expect(textsIn(page.text, '.timeline li').join()).toContain(
      'Ben Lane said “I have it” of a task',
    );
  });

  test('is not asked of who gives the task to themselves, of a task without a day, and by a command', async () => {
    const standing = await newFirm();
    const { firm, ada } = standing;
    const { id, publicId } = await openMatter(firm, undefined);
    const made = { title: 'My own', matter: publicId };
    const own = { ...made, dueOn: '2021-05-01', assigneeId: firm.members[owner] ?? '' };
    await ada.post('/tasks/new', own);
    await ada.post('/tasks/new', { ...made, assigneeId: firm.members[attorney] ?? '' });
    await firm.command([
      'event',
      'add',
      '--matter',
      id,
      '--title',
      'By a command',
      '--guest',
      attorney,
      '--starts',
      '2021-05-01T09:00:00Z',
    ]);
    expect(await sql`select from receipt where firm_id = ${firm.id}`).toHaveLength(0);
  });

  test('is withdrawn and asked for anew when the task moves; and given by nobody else', async () => {
    const standing = await newFirm();
    const { firm, ada, ben, cy } = standing;
    const path = await giveTask(standing, '2021-03-08');
    await ben.post(`${path}/acknowledged`, { day: '2021-03-08' });
    const fields = { title: 'File the answer', assigneeId: firm.members[attorney] ?? '' };
    expect((await ada.post(path, { ...fields, dueOn: '2021-03-20' })).status).toBe(303);
    expect((await ada.lines(path))[0]).toEndWith('Has it Not yet');
    expect(textIn((await ada.get(path)).text, '#told .fold li')).toContain('the date was changed');
    const [notice] = await firm.command<{ title: string }[]>(['inbox', '--member', attorney]);
    expect(notice?.title).toBe('Your task has another day');
    for (const [who, day, status] of [
      [ben, '2021-03-08', 422],
      [ada, '2021-03-20', 422],
      [cy, '2021-03-20', 403],
      [ben, '2021-03-20', 303],
    ] as const) {
      expect((await who.post(`${path}/acknowledged`, { day })).status).toBe(status);
    }
    expect(await acknowledgedIn(firm)).toBe(2);
  });

  test('is asked for no more when the task is done, given away or cancelled, or its matter is archived or deleted', async () => {
    const standing = await newFirm();
    const { firm, ada, ben } = standing;
    const given = async (dueOn: string) => {
      const path = await giveTask(standing, dueOn);
      expect(await ada.lines(path)).toHaveLength(1);
      return path;
    };
    const done = await given('2021-03-01');
    await ben.post(`${done}/move`, { to: 'done' });
    const away = await given('2021-03-02');
    const others = { title: 'File the answer', dueOn: '2021-03-02' };
    await ada.post(away, { ...others, assigneeId: firm.members[owner] ?? '' });
    const cancelled = await given('2021-03-03');
    await ada.post(`${cancelled}/move`, { to: 'cancelled' });
    for (const [path, why] of [
      [done, 'the task was done'],
      [away, 'somebody else is responsible now'],
      [cancelled, 'it was cancelled'],
    ] as const) {
      const { text } = await ada.get(path);
      expect(textIn(text, '#told .lead')).toBe('Nobody is asked now.');
      expect(textIn(text, '#told .fold li')).toEndWith(why);
    }
    for (const end of ['archive', 'delete'] as const) {
      const path = await giveTask(standing, '2021-03-04');
      const [row] = await sql`select matter_id from task where id = ${path.slice(7)}`;
      const matter = `/v1/matters/${row?.matter_id}`;
      await (end === 'archive'
        ? firm.owner.patch(matter, { status: 'ARCHIVE' })
        : firm.owner.delete(matter));
    }
    await until(async () => {
      const open =
        await sql`select from receipt where firm_id = ${firm.id} and withdrawn_at is null`;
      return open.length === 0;
    });
    // Opened again by another, it is asked about again.
    await ada.post(`${done}/move`, { to: 'open' });
    expect(await ada.lines(done)).toHaveLength(1);
  });
});

describe('The receipt of an event', () => {
  test('is a line for each colleague who is invited, with the invitation’s mail; each says it for themselves', async () => {
    const standing = await newFirm();
    const { firm, ada, ben } = standing;
    await untilMailing(sql, clock, firm.id);
    await put(Date.UTC(2021, 3, 6, 9));
    const path = await makeEvent(standing, '2021-04-12', [owner, attorney, bookkeeper]);
    await untilSent(firm);
    const mailed = 'Invited · Inbox 6 Apr 2021, 09:00 · Mail Accepted (250), 6 Apr 2021, 09:00';
    expect(await ada.lines(path)).toEqual([
      `Ben Lane${mailed} · Opened Not opened · Has it Not yet`,
      `Cy Moss${mailed} · Opened Not opened · Has it Not yet`,
    ]);
    expect((await ben.get('/inbox')).text).toContain(`${path}/acknowledged`);
    expect((await ben.post(`${path}/acknowledged`, { day: '2021-04-12' })).status).toBe(303);
    const [first, second] = await ada.lines(path);
    expect(first).toEndWith('Has it since 6 Apr 2021, 09:00');
    expect(second).toEndWith('Has it Not yet');
    expect(textIn((await ada.get(path)).text, '#told .tag')).toBe('Acknowledged by 1 of 2');
    expect(await acknowledgedIn(firm)).toBe(1);
  });

  test('is withdrawn from who is uninvited, asked for anew when it moves, and no more when it is cancelled', async () => {
    const standing = await newFirm();
    const { firm, ada, ben } = standing;
    const path = await makeEvent(standing, '2021-04-12', [attorney, bookkeeper]);
    await ben.post(`${path}/acknowledged`, { day: '2021-04-12' });
    expect((await ada.post(path, eventFields('2021-04-12', [attorney]))).status).toBe(303);
    expect(await ada.lines(path)).toHaveLength(1);
    expect((await ada.lines(path))[0]).toContain('since');
    expect((await ada.get(path)).text).toContain('they are no longer invited');
    await ada.post(path, eventFields('2021-04-13', [attorney]));
    expect((await ada.lines(path))[0]).toEndWith('Has it Not yet');
    expect((await ben.post(`${path}/acknowledged`, { day: '2021-04-12' })).status).toBe(422);
    const [notice] = await firm.command<{ title: string }[]>(['inbox', '--member', attorney]);
    expect(notice?.title).toBe('An event has another time');
    await ada.post(`${path}/cancel`);
    expect(textIn((await ada.get(path)).text, '#told .lead')).toBe('Nobody is asked now.');
    expect((await ben.post(`${path}/acknowledged`, { day: '2021-04-13' })).status).toBe(422);
  });
});

describe('A colleague who is away', () => {
  const pat = 'pat@harrow.example';

  /** The attorney is away on these days of March 2021; Pat, another attorney, stands in, or somebody else. */
  const absent = async (from: string, until: string, deputy = pat, isMailed = false) => {
    const members = [...usualBlueprint.members, { email: pat, name: 'Pat Reed', role: 'Attorney' }];
    const standing = await newFirm({ members });
    const { firm, ada } = standing;
    if (isMailed) await untilMailing(sql, clock, firm.id);
    await put(Date.UTC(2021, 2, 3, 9));
    const fields = { awayFrom: from, awayUntil: until, deputyId: String(firm.members[deputy]) };
    const path = `/settings/members/${firm.members[attorney]}/absence`;
    expect((await ada.post(path, fields)).status).toBe(303);
    return { ...standing, pat: memberOf(firm, pat) };
  };

  const standsIn = ' (you stand in for a colleague)';

  test('is told with their deputy of a task and of an event, who is asked too, by mail as well', async () => {
    const standing = await absent('2021-03-01', '2021-03-05', pat, true);
    const { firm, ada, pat: deputy } = standing;
    const task = await giveTask(standing, '2021-03-08');
    const event = await makeEvent(standing, '2021-03-09', [attorney]);
    await untilSent(firm);
    for (const [page, ben, title] of [
      [task, 'Assigned', 'Task assigned to you'],
      [event, 'Invited', 'Invited to an event'],
    ] as const) {
      const lines = (await ada.lines(page)).map((line) =>
        line.split(' · ').slice(0, 3).join(' · '),
      );
      expect(lines.map((line) => line.replace(/, \d\d:\d\d/g, '')).sort()).toEqual([
        `Ben Lane${ben} · Inbox 3 Mar 2021 · Mail Accepted (250), 3 Mar 2021`,
        'Pat ReedDeputy · Inbox 3 Mar 2021 · Mail Accepted (250), 3 Mar 2021',
      ]);
      const inbox = (await deputy.get('/inbox')).text;
      expect(inbox).toContain(title + standsIn);
      expect(inbox).toContain(`${page}/acknowledged`);
      expect((await memberOf(firm, attorney).get('/inbox')).text).not.toContain(standsIn);
    }
    // An invitation with a calendar file is for those alone who are invited.
    const came = (email: string) => post.mails.filter(({ to }) => to[0] === email);
    expect(
      came(pat)
        .map(({ headers }) => headers.get('subject'))
        .sort(),
    ).toEqual([`Invited to an event${standsIn}`, `Task assigned to you${standsIn}`]);
    expect(came(pat).some(({ raw }) => raw.includes('BEGIN:VCALENDAR'))).toBe(false);
    expect(came(attorney).some(({ raw }) => raw.includes('BEGIN:VCALENDAR'))).toBe(true);
    expect((await deputy.post(`${task}/acknowledged`, { day: '2021-03-08' })).status).toBe(303);
    expect((await ada.lines(task)).find((line) => line.startsWith('Pat'))).toContain(
      'Has it since',
    );
    // What moves is told to both again, and is asked about anew.
    await ada.post(event, { ...eventFields('2021-03-10', [attorney]) });
    expect((await deputy.get('/inbox')).text).toContain(`An event has another time${standsIn}`);
    expect((await ada.lines(event)).filter((line) => line.startsWith('Pat'))).not.toEqual([]);
  });

  test('is told alone when they are there, and of what their deputy may not see or does', async () => {
    const there = await absent('2021-03-08', '2021-03-12');
    const task = await giveTask(there, '2021-03-15');
    expect(await there.ada.lines(task)).toHaveLength(1);
    expect((await there.pat.get('/inbox')).text).not.toContain(standsIn);

    const blind = await absent('2021-03-01', '2021-03-05', bookkeeper);
    await sql`update role set permissions = '{}' where firm_id = ${blind.firm.id}
      and id = (select role_id from member where firm_id = ${blind.firm.id} and email = ${bookkeeper})`;
    const hidden = await giveTask(blind, '2021-03-15');
    const event = await makeEvent(blind, '2021-03-09', [attorney]);
    for (const page of [hidden, event]) expect(await blind.ada.lines(page)).toHaveLength(1);
    expect(await blind.firm.command(['inbox', '--member', bookkeeper])).toEqual([]);

    const own = await absent('2021-03-01', '2021-03-05', owner);
    const given = await giveTask(own, '2021-03-15');
    const made = await makeEvent(own, '2021-03-09', [attorney, pat]);
    expect((await own.ada.get('/inbox')).text).not.toContain(standsIn);
    expect(await own.ada.lines(given)).toHaveLength(1);
    expect(await own.ada.lines(made)).toHaveLength(2);
  });
});
