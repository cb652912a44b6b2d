/** Tasks and events by the pages' forms, and what they tell. */
import { describe, expect, test } from 'bun:test';
import { connect } from '../support/database.ts';
import {
  attorney,
  bookkeeper,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
} from '../support/firm.ts';
import { textIn } from '../support/html.ts';
import { visitorOf } from '../support/visitor.ts';

const server = await startTestServer();

const plain = (text: string) => text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

const openMatter = async (firm: Firm, email = attorney) => {
  const { body } = await firm.owner.post('/v1/matters', {
    practiceAreaId: firm.practiceAreas.Family?.id,
    openDate: '2026-01-01',
    title: 'Quill v. Rook',
    team: [{ memberId: firm.members[email] }],
  });
  return body.data as { id: string; publicId: string };
};

const noticesOf = async (firm: Firm, email: string) =>
  (await firm.command<{ kind: string; text: string }[]>(['inbox', '--member', email])).filter(
    ({ kind }) => kind !== 'matter.added',
  );

const entriesOf = (firm: Firm, id: string) =>
  firm.command<{ action: string; changes: object; memberId: string }[]>([
    ...['audit', 'list', '--record', id],
  ]);

type Stored = { id: string; title: string; doneAt: string | null; cancelledAt: string | null };
const list = <Kind extends object = Stored>(firm: Firm, what: 'task' | 'event') =>
  firm.command<(Stored & Kind)[]>([what, 'list']);

describe('A task', () => {
  test('is added, given to somebody, done by them, opened again and cancelled', async () => {
    const firm = await makeFirm(server);
    const { id, publicId } = await openMatter(firm);
    const [ada, ben, cy] = [
      await visitorOf(server, firm, owner),
      await visitorOf(server, firm, attorney),
      await visitorOf(server, firm, bookkeeper),
    ];
    const fields = {
      title: 'File the answer',
      dueOn: '2020-01-02',
      matter: publicId.toLowerCase(),
    };
    const made = await ada.post('/tasks/new', {
      ...fields,
      assigneeId: firm.members[bookkeeper] ?? '',
    });
    expect(made).toMatchObject({ status: 303, location: '/tasks' });
    const [task] = await list(firm, 'task');
    const told = `File the answer (${publicId} Quill v. Rook)`;
    const path = `/tasks/${task?.id}`;
    // A bookkeeper does not read matters: the notice names one, and is not shown.
    expect(await noticesOf(firm, bookkeeper)).toEqual([]);
    await ada.post(path, { ...fields, assigneeId: firm.members[attorney] ?? '' });
    expect(await noticesOf(firm, attorney)).toMatchObject([{ kind: 'task.assigned', text: told }]);
    await ada.post(path, { ...fields, title: 'File it', assigneeId: firm.members[attorney] ?? '' });
    expect(await noticesOf(firm, attorney)).toHaveLength(1);
    const mine = plain((await ben.get('/tasks')).text);
    expect(mine).toContain(`Mine 1 My matters and leads 1 Overdue 1 Done`);
    expect(mine).toMatch(/File it M-\d+-0001 · Quill v. Rook [\d,]+ days overdue/);
    expect(plain((await ada.get('/tasks')).text)).toContain('You have no open tasks.');
    const move = (to: string, by = ben) => by.post(`${path}/move`, { to });
    expect((await move('done', cy)).status).toBe(403);
    expect((await move('nonsense')).status).toBe(422);
    expect((await move('done')).status).toBe(303);
    expect((await move('done')).status).toBe(303);
    expect((await list(firm, 'task'))[0]?.doneAt).not.toBeNull();
    expect(plain((await ben.get('/tasks?show=done')).text)).toContain('File it');
    await move('open');
    await move('cancelled');
    expect((await list(firm, 'task'))[0]).toMatchObject({ doneAt: null });
    expect((await list(firm, 'task'))[0]?.cancelledAt).not.toBeNull();
    const entries = await entriesOf(firm, task?.id ?? '');
    expect(entries.map(({ action, changes }) => [action, Object.keys(changes).sort()])).toEqual([
      ['create', expect.arrayContaining(['title', 'dueOn', 'assigneeId'])],
      ['update', ['assigneeId']],
      ['update', ['title']],
      ['update', ['doneAt']],
      ['update', ['doneAt']],
      ['update', ['cancelledAt']],
    ]);
    expect(entries[3]?.memberId).toBe(firm.members[attorney]);
    expect(plain((await ada.get(`/tasks/new?matter=${id}`)).text)).toContain('Quill v. Rook');
  });

  test('is done by its assignee without the right to change matters, and by nobody else without it', async () => {
    const firm = await makeFirm(server, {
      roles: [{ name: 'Reader', permissions: ['matters:read'] }],
      members: [
        { email: owner, name: 'Ada Harrow', role: 'Owner' },
        { email: attorney, name: 'Ben Lane', role: 'Reader' },
        { email: bookkeeper, name: 'Cy Moss', role: 'Reader' },
      ],
    });
    const { id } = await openMatter(firm);
    const ada = await visitorOf(server, firm, owner);
    const add = await ada.post(`/tasks/new?matter=${id}`, {
      title: 'Call',
      dueOn: '',
      assigneeId: firm.members[attorney] ?? '',
    });
    expect(add).toMatchObject({ status: 303, location: `/matters/${id}` });
    const path = `/tasks/${(await list(firm, 'task'))[0]?.id}`;
    const [ben, cy] = [
      await visitorOf(server, firm, attorney),
      await visitorOf(server, firm, bookkeeper),
    ];
    expect((await ben.post(path, { title: 'Other' })).status).toBe(403);
    expect((await cy.post(`${path}/move`, { to: 'done' })).status).toBe(403);
    expect((await ben.post(`${path}/move`, { to: 'cancelled' })).status).toBe(403);
    expect((await ben.post(`${path}/move`, { to: 'done' })).status).toBe(303);
    expect((await cy.get('/tasks')).text).not.toContain('New task');
    expect((await cy.get(path)).status).toBe(200);
  });

  test('is not overwritten by who began earlier: different fields are both kept, the same one asks', async () => {
    const firm = await makeFirm(server);
    const { id } = await openMatter(firm);
    const [ada, ben] = [
      await visitorOf(server, firm, owner),
      await visitorOf(server, firm, attorney),
    ];
    const first = { title: 'File', dueOn: '2026-12-01', assigneeId: firm.members[attorney] ?? '' };
    await ada.post(`/tasks/new?matter=${id}`, first);
    const [task] = await list(firm, 'task');
    const path = `/tasks/${task?.id}`;
    const page = (await ada.get(path)).text;
    for (const [name, value] of Object.entries(first)) {
      expect(page).toContain(`name="was.${name}" value="${value}"`);
    }
    const began = Object.fromEntries(
      Object.entries(first).map(([name, value]) => [`was.${name}`, value]),
    );
    const change = (by: typeof ada, fields: Record<string, string>) =>
      by.post(path, { ...began, ...first, ...fields });
    expect((await change(ada, { dueOn: '2026-12-24' })).status).toBe(303);
    expect((await change(ben, { title: 'File the answer' })).status).toBe(303);
    const both = plain((await ada.get(path)).text);
    expect(both).toContain('File the answer');
    expect(both).toContain('24 Dec');
    const asked = await change(ben, { dueOn: '2026-12-08' });
    expect(asked.status).toBe(422);
    expect(asked.text).toContain('changed this to <b>Thu 24 Dec 2026</b>');
    expect(textIn(asked.text, '[role=alert] li')).toBe('Due on changed in the meantime.');
    expect(asked.text).toContain('value="2026-12-08"');
    expect(asked.text).toContain('name="was.dueOn" value="2026-12-24"');
    expect(plain((await ada.get(path)).text)).toContain('24 Dec');
    const chosen = await change(ben, { dueOn: '2026-12-08', 'was.dueOn': '2026-12-24' });
    expect(chosen.status).toBe(303);
    expect(plain((await ada.get(path)).text)).toContain('8 Dec');
    // Somebody finished it meanwhile.
    await ada.post(`${path}/move`, { to: 'done' });
    const late = await change(ben, { title: 'Other', 'was.title': 'File the answer' });
    expect(late.status).toBe(422);
    expect(plain(late.text)).toContain('This task is done. Open it again to change it.');
    expect((await list(firm, 'task'))[0]?.title).toBe('File the answer');
  });

  test('finds its matter by title, number or client; words that fit several are to be chosen from', async () => {
    const firm = await makeFirm(server);
    const { id, publicId } = await openMatter(firm);
    const client = (await firm.owner.post('/v1/contacts', { lastName: 'Szczepanska' })).body.data
      .id;
    const make = async (title: string) => {
      const { body } = await firm.owner.post('/v1/matters', {
        practiceAreaId: firm.practiceAreas.Family?.id,
        openDate: '2026-01-01',
        title,
        clientContactIds: [client],
      });
      return body.data as { id: string; publicId: string };
    };
    const [lease, will] = [await make('Lease'), await make('Will')];
    const ada = await visitorOf(server, firm, owner);
    const add = (matter: string, more: Record<string, string> = {}) =>
      ada.post('/tasks/new', {
        title: `For ${matter}`,
        matter,
        dueOn: '',
        assigneeId: '',
        ...more,
      });
    for (const exact of [publicId, 'quill v. rook']) expect((await add(exact)).status).toBe(303);
    const asked = await add('Szczepan');
    expect(asked.status).toBe(422);
    expect(plain(asked.text)).toContain('Which matter is it?');
    for (const { publicId: number } of [lease, will]) {
      expect(asked.text).toContain(`name="matterChosen" value="${number}"`);
    }
    expect(asked.text.includes(`name="matterChosen" value="${publicId}"`)).toBe(false);
    expect(asked.text).toContain('value="Szczepan"');
    const chosen = { matterAsked: 'Szczepan', matterChosen: will.publicId };
    expect((await add('Szczepan', chosen)).status).toBe(303);
    // The choice was for other words.
    expect((await add('nothing like it', chosen)).status).toBe(422);
    type OfMatter = { matterId: string };
    const made = (await list<OfMatter>(firm, 'task')).map(({ matterId }) => matterId);
    expect(made).toEqual([id, id, will.id]);
    const found = (await ada.get('/search?kind=matters&q=szczepan')).text;
    expect([found.includes(`/matters/${will.id}`), found.includes(client)]).toEqual([true, false]);
  });

  test('is refused without a matter, a title, a real day or a member; another firm’s is not found', async () => {
    const firm = await makeFirm(server);
    const other = await makeFirm(server);
    const { publicId } = await openMatter(firm);
    const foreign = await openMatter(other);
    const ada = await visitorOf(server, firm, owner);
    const right = { title: 'File', matter: publicId, dueOn: '', assigneeId: '' };
    for (const [wrong, words] of [
      [{ matter: 'zzzz' }, 'No matter has this title, number or client'],
      [{ title: ' ' }, 'Enter a task.'],
      [{ dueOn: '2026-02-30' }, 'Due on must be a day that exists'],
      [{ assigneeId: other.members[owner] ?? '' }, 'no longer exists. Choose another'],
    ] as const) {
      const { status, text } = await ada.post('/tasks/new', { ...right, ...wrong });
      expect([status, plain(text).includes(words), words]).toEqual([422, true, words]);
    }
    expect((await ada.get(`/tasks/new?matter=${foreign.id}`)).status).toBe(404);
    expect(await list(firm, 'task')).toEqual([]);
    expect((await ada.get(`/tasks/${Bun.randomUUIDv7()}`)).status).toBe(404);
  });
});

describe('An event', () => {
  test('keeps the hour of the wall across daylight saving, and invites and calls off', async () => {
    const firm = await makeFirm(server);
    const ada = await visitorOf(server, firm, owner);
    await ada.post('/settings/firm', { name: firm.firm.name, timeZone: 'America/Los_Angeles' });
    const { publicId } = await openMatter(firm);
    const fields = {
      title: 'Hearing',
      matter: publicId,
      day: '2026-10-30',
      begins: '10:00',
      ends: '11:30',
      lastDay: '',
      guests: 'outside@court.example',
      colleagues: [attorney, owner],
    };
    const guests = 'outside@court.example\nclerk.court.example';
    const { text } = await ada.post('/calendar/new', { ...fields, guests });
    expect(textIn(text, '#f-guests-fault')).toBe(
      'Others invited must be email addresses, one per line: “clerk.court.example” is none.',
    );
    const made = await ada.post('/calendar/new', fields);
    expect(made).toMatchObject({ status: 303, location: '/calendar?day=2026-10-30' });
    const [event] = await list<{ startsAt: string; guests: string[] }>(firm, 'event');
    expect(event).toMatchObject({
      startsAt: '2026-10-30T17:00:00.000Z',
      guests: [owner, attorney, 'outside@court.example'],
    });
    const path = `/calendar/${event?.id}`;
    expect(await noticesOf(firm, attorney)).toMatchObject([
      { kind: 'event.invited', text: `Hearing (${publicId} Quill v. Rook)` },
    ]);
    expect(await noticesOf(firm, owner)).toEqual([]);
    const month = plain((await ada.get('/calendar?day=2026-10-01')).text);
    expect(month).toMatch(/30 Event: 10:00 Hearing/);
    expect(month).toContain('Times are Los Angeles time.');
    expect(plain((await ada.get('/calendar?view=week&day=2026-10-30')).text)).toContain('Hearing');
    const agenda = plain((await ada.get('/calendar?view=agenda&day=2026-10-20')).text);
    expect(agenda).toMatch(/Fri 30 Oct 2026 Hearing .* 10:00–11:30/);
    // A week later the clocks have gone back: ten in the morning stays ten in the morning.
    const moved = await ada.post(path, { ...fields, day: '2026-11-06', colleagues: [attorney] });
    expect(moved.status).toBe(303);
    const [later] = await list<{ startsAt: string; guests: string[] }>(firm, 'event');
    expect(later).toMatchObject({
      startsAt: '2026-11-06T18:00:00.000Z',
      guests: [attorney, 'outside@court.example'],
    });
    expect(await noticesOf(firm, attorney)).toHaveLength(1);
    expect((await ada.get(path)).text).toContain('10:00–11:30');
    await ada.post(`${path}/cancel`);
    await ada.post(`${path}/cancel`);
    expect((await noticesOf(firm, attorney)).map(({ kind }) => kind)).toEqual([
      'event.cancelled',
      'event.invited',
    ]);
    expect((await ada.post(path, fields)).status).toBe(422);
    expect(plain((await ada.get('/calendar?day=2026-11-01')).text)).not.toContain('Hearing');
  });

  test('is not overwritten by who began earlier: hours, guests and days are kept, or asked about', async () => {
    const firm = await makeFirm(server);
    const { id } = await openMatter(firm);
    const [ada, ben] = [
      await visitorOf(server, firm, owner),
      await visitorOf(server, firm, attorney),
    ];
    const first = {
      title: 'Hearing',
      day: '2026-12-01',
      begins: '10:00',
      ends: '11:00',
      lastDay: '',
      guests: 'court@court.example',
      colleagues: attorney,
    };
    await ada.post(`/calendar/new?matter=${id}`, first);
    type Stored = { id: string; startsAt: string; guests: string[] };
    const stored = async () => (await list<Stored>(firm, 'event'))[0];
    const path = `/calendar/${(await stored())?.id}`;
    const page = (await ada.get(path)).text;
    const began: Record<string, string> = { 'was.isWhole': '' };
    for (const [name, value] of Object.entries(first)) began[`was.${name}`] = value;
    for (const [name, value] of Object.entries(began)) {
      expect(page).toMatch(new RegExp(`name="${name}" value(="${value}")?`));
    }
    const change = (by: typeof ada, fields: Record<string, string | string[]>) =>
      by.post(path, { ...began, ...first, ...fields });
    expect((await change(ada, { begins: '09:30' })).status).toBe(303);
    expect((await change(ben, { colleagues: [owner, attorney] })).status).toBe(303);
    expect((await change(ben, { title: 'Trial' })).status).toBe(303);
    const kept = { startsAt: '2026-12-01T09:30:00.000Z', title: 'Trial' };
    const guests = [owner, attorney, 'court@court.example'];
    expect(await stored()).toMatchObject({ ...kept, guests });
    // The same hour, and the same guests.
    const hour = await change(ben, { begins: '10:15' });
    expect([hour.status, hour.text.includes('changed this to <b>09:30</b>')]).toEqual([422, true]);
    const invited = await change(ada, { colleagues: [] });
    expect(invited.status).toBe(422);
    expect(plain(invited.text)).toContain(
      'changed this to Ada Harrow, Ben Lane . Your choice is ticked',
    );
    const whole = await change(ada, { isWhole: 'on' });
    expect(whole.status).toBe(303);
    expect((await change(ben, { isWhole: 'on', day: '2026-12-02' })).status).toBe(303);
    expect(plain((await ada.get(path)).text)).toContain('2 Dec');
    expect(await stored()).toMatchObject({ title: 'Trial', guests });
  });

  test('takes whole days, and is refused without an hour, before it begins, and for no address', async () => {
    const firm = await makeFirm(server);
    const { publicId } = await openMatter(firm);
    const ada = await visitorOf(server, firm, owner);
    const right = { title: 'Trial', matter: publicId, day: '2026-12-14', lastDay: '2026-12-16' };
    expect((await ada.post('/calendar/new', { ...right, isWhole: 'on' })).status).toBe(303);
    const week = plain((await ada.get('/calendar?view=week&day=2026-12-14&whose=all')).text);
    expect(week.match(/Event: Trial/g)).toHaveLength(3);
    for (const [wrong, words] of [
      [{}, 'Enter the time it starts, or tick “All day”.'],
      [{ begins: '25:00' }, 'Starts must be an hour'],
      [
        { begins: '23:30', ends: '00:30', lastDay: '' },
        'Ends must not be before the start, unless “Ends on” has a later day.',
      ],
      [{ begins: '10:00', lastDay: '2026-12-01' }, 'Ends on must not be before the first day'],
      [{ begins: '10:00', guests: 'nobody' }, 'must be email addresses'],
    ] as const) {
      const { status, text } = await ada.post('/calendar/new', { ...right, ...wrong });
      expect([status, plain(text).includes(words), words]).toEqual([422, true, words]);
    }
    expect(await list(firm, 'event')).toHaveLength(1);
    expect((await ada.get('/calendar?view=nonsense&day=nonsense')).status).toBe(200);
  });
});

describe('A limitation date', () => {
  test('is set, moved with a reason, met and not met, and says so in words and tone', async () => {
    const firm = await makeFirm(server, {});
    const { id } = await openMatter(firm);
    const ada = await visitorOf(server, firm, owner);
    const path = `/matters/${id}`;
    const box = async () => {
      const { text } = await ada.get(path);
      const [, look = '', inner = ''] =
        /class="limitation (\w+)">(.*?)<div class="row">/s.exec(text) ?? [];
      return `${look}: ${plain(inner).replace('Limitation date', '').trim()}`;
    };
    const dayFrom = (days: number) =>
      new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    const set = (solDate: string, reason: string) =>
      ada.post(`${path}/limitation`, { do: 'limitation-date', solDate, reason });
    expect(await box()).toStartWith('far: None set');
    expect((await set('2026-02-30', '')).status).toBe(422);
    expect((await set(dayFrom(91), '')).status).toBe(303);
    expect(await box()).toMatch(
      /^far: in 91 days, \w{3} \d+ \w{3} 20\d\d The next reminder is on .*, 90 days before/,
    );
    const refused = await set(dayFrom(90), ' ');
    expect(refused.status).toBe(422);
    expect(plain(refused.text)).toContain('Say why the date changes.');
    for (const [days, look, words] of [
      [90, 'soon', 'in 90 days'],
      [31, 'soon', 'in 31 days'],
      [30, 'near', 'in 30 days'],
      [0, 'near', 'today'],
      [-11, 'past', '11 days past'],
    ] as const) {
      await set(dayFrom(days), 'The court says so');
      expect(await box()).toStartWith(`${look}: ${words}, `);
    }
    const meet = (metOn: string) => ada.post(`${path}/limitation/met`, { metOn });
    expect((await meet(dayFrom(1))).status).toBe(422);
    expect((await meet(dayFrom(-12))).status).toBe(303);
    expect(await box()).toMatch(/^met: Met on \w{3} .*, by Ada Harrow/);
    await ada.post(`${path}/limitation/not-met`);
    expect(await box()).toStartWith('past: 11 days past');
    await meet(dayFrom(-12));
    await set(dayFrom(10), 'Served late');
    expect(await box()).toStartWith('near: in 10 days');
    const entries = await entriesOf(firm, id);
    expect(entries.at(-1)?.changes).toMatchObject({
      solDate: { before: dayFrom(-11), after: dayFrom(10) },
      limitationMetOn: { before: dayFrom(-12), after: null },
      reason: { before: null, after: 'Served late' },
    });
    expect(plain((await ada.get(path)).text)).toContain('Served late');
    const cy = await visitorOf(server, firm, bookkeeper);
    expect((await cy.post(`${path}/limitation/met`, { metOn: dayFrom(0) })).status).toBe(403);
    await set('', 'Not needed');
    expect(await box()).toStartWith('far: None set');
    expect((await meet(dayFrom(0))).status).toBe(422);
  });

  test('says when the team is reminded: as the firm has set it, next, no more, or that the area expects one', async () => {
    const firm = await makeFirm(server, {
      roles: [{ name: 'Reader', permissions: ['matters:read'] }],
      members: [
        { email: owner, name: 'Ada Harrow', role: 'Owner' },
        { email: attorney, name: 'Ben Lane', role: 'Reader' },
      ],
    });
    const { id } = await openMatter(firm);
    const ada = await visitorOf(server, firm, owner);
    const says = async (visitor = ada) =>
      textIn((await visitor.get(`/matters/${id}`)).text, '.limitation p.muted');
    // Who may only read matters is not told to press what is not there.
    const ben = await visitorOf(server, firm, attorney);
    for (const [days, inWorkingDays, words] of [
      ['180, 90, 7', '', 'The team is reminded from 180 days before, more often as it nears.'],
      ['10, 1', 'on', 'The team is reminded from 10 working days before, more often as it nears.'],
      ['1', '', 'The team is reminded 1 day before.'],
      ['5', 'on', 'The team is reminded 5 working days before.'],
    ] as const) {
      const chosen = { days, ...(inWorkingDays && { inWorkingDays }) };
      expect((await ada.post('/settings/reminders/ladder', chosen)).status).toBe(303);
      expect(await says()).toBe(words);
    }
    expect((await ada.post('/settings/reminders/ladder', { days: '30, 7' })).status).toBe(303);
    const set = (solDate: string, reason = 'Other') =>
      ada.post(`/matters/${id}/limitation`, { solDate, reason });
    await set('2092-03-31');
    expect(await says()).toBe('The next reminder is on Sat 1 Mar 2092, 30 days before.');
    await set(new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10));
    expect(await says()).toBe('Mark the limitation date as met, or change it.');
    expect(await says(ben)).toBe('Nobody has marked the limitation date as met.');
    await set('2020-01-02');
    expect(await says(ben)).toBe('Nobody is reminded of a date that is more than 30 days past.');
    expect(await says()).toBe(
      'Nobody is reminded of a date that is more than 30 days past. Mark it as met, or change it.',
    );
    await ada.post(`/matters/${id}/limitation/met`, { metOn: '2020-01-01' });
    expect(await says()).toMatch(/^The limitation date was .+\. There are no more reminders\.$/);
    await ada.post(`/matters/${id}/limitation/not-met`);
    await set('');
    const sql = connect(server.databaseUrl);
    await sql`update practice_area set expects_limitation_date = true where firm_id = ${firm.id}`;
    await sql.end();
    expect(await says()).toBe('Matters of the area Family should have a limitation date.');
  });

  test('that an area expects is missed on the matter’s page and at Home', async () => {
    const firm = await makeFirm(server);
    const { id } = await openMatter(firm);
    const sql = connect(server.databaseUrl);
    await sql`update practice_area set expects_limitation_date = true where firm_id = ${firm.id}`;
    await sql.end();
    const ben = await visitorOf(server, firm, attorney);
    expect((await ben.get(`/matters/${id}`)).text).toContain('class="limitation soon"');
    expect(plain((await ben.get('/')).text)).toContain('No limitation date Quill v. Rook');
    await ben.post(`/matters/${id}/limitation`, { solDate: '2035-01-01', reason: '' });
    expect(plain((await ben.get('/')).text)).not.toContain('No limitation date Quill v. Rook');
  });
});
