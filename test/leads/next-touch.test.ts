/** A lead's next step: when a person means to speak with it again. */
import { expect, test } from 'bun:test';
import { wakeRunners } from '../../src/jobs/runner.ts';
import { takeClock } from '../support/clock.ts';
import { connect, ownDatabase } from '../support/database.ts';
import { attorney, bookkeeper, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { attributesIn, namesIn, partsIn, textIn, textsIn } from '../support/html.ts';
import { bringIn, checkRows, refusedIn, uploadCsv } from '../support/imports.ts';
import { until } from '../support/until.ts';
import { type Visitor, visitorOf } from '../support/visitor.ts';

const databaseUrl = await ownDatabase();
const clock = await takeClock(databaseUrl);
const server = await startTestServer({ databaseUrl });
const sql = connect(databaseUrl);

/** Monday, noon in New York. */
const monday = Date.parse('2026-06-01T16:00:00Z');
const hour = 3600;

/** A day of 2026 as a page shows it, which has the year beside it in every other year. */
const shown = (weekday: string, day: string) => `(${weekday} ${day}|${day} 2026)`;

type Colleague = Pick<Visitor, 'get' | 'post' | 'save'>;

/** A firm in New York at noon of a Monday. */
const newFirm = async () => {
  await clock.standAt(monday);
  const firm = await makeFirm(server, { timeZone: 'America/New_York' });
  const make = async (lastName: string, more: object = {}) =>
    (await firm.owner.post('/v1/leads', { lastName, ...more })).body.data.id as string;
  // A session of a day ago is over.
  const [ada, ben] = [owner, attorney].map((email) => ({
    get: async (path: string) => (await visitorOf(server, firm, email)).get(path),
    post: async (path: string, fields: Record<string, string | string[]>) =>
      (await visitorOf(server, firm, email)).post(path, fields),
    save: async (path: string) => (await visitorOf(server, firm, email)).save(path),
  })) as [Colleague, Colleague];
  const set = async (id: string, ...nextTouch: string[]) => {
    const answer = await ada.post(`/leads/${id}`, { nextTouch });
    expect(answer.status).toBe(303);
  };
  const assign = async (id: string, ...emails: string[]) => {
    const assigneeIds = emails.map((email) => firm.members[email] ?? '');
    expect((await ada.post(`/leads/${id}/assignees`, { assigneeIds })).status).toBe(303);
  };
  const stepOf = async (id: string) =>
    (await sql`select next_touch from lead where firm_id = ${firm.id} and id = ${id}`)[0]
      ?.next_touch as string | null;
  const told = async () =>
    (
      await sql`select member.email, notification.title, notification.text from notification
        join member on member.firm_id = notification.firm_id and member.id = notification.member_id
        where notification.firm_id = ${firm.id} and notification.kind = 'lead.due' order by member.email`
    ).map(({ email, title, text }) => `${email}: ${title}, ${text}`);
  return { firm, make, ada, ben, set, assign, stepOf, told };
};

/** Lets the jobs that tell of due steps until this moment be done. */
const at = async (moment: string) => {
  await clock.standAt(Date.parse(moment));
  wakeRunners();
  const left = () => sql`select from job where kind = 'lead_tell_due' and run_at <= moment()`;
  await until(async () => (await left()).length === 0);
};

test('a day, or a day with a time, is set on the page, and told in the timeline; anything else is refused', async () => {
  const { make, ada, set, stepOf } = await newFirm();
  const id = await make('Quill');
  expect(textIn((await ada.get(`/leads/${id}`)).text, '#details')).toContain('No next step');
  await set(id, '2026-06-04', '');
  expect(await stepOf(id)).toBe('2026-06-04');
  expect(textIn((await ada.get(`/leads/${id}`)).text, '#details')).toMatch(
    new RegExp(shown('Thu', '4 Jun')),
  );
  await set(id, '2026-06-04', '09:30');
  expect(await stepOf(id)).toBe('2026-06-04T09:30');
  const page = (await ada.get(`/leads/${id}`)).text;
  const thursday = shown('Thu', '4 Jun');
  expect(textIn(page, '#details')).toMatch(new RegExp(`${thursday}, 09:30`));
  expect(page).toMatch(new RegExp(`Next step from ${thursday} to ${thursday}, 09:30`));
  expect(attributesIn(page, '#details [name=nextTouch]', 'value')).toEqual(['2026-06-04', '09:30']);
  for (const wrong of [
    ['', '09:30'],
    ['2026-02-30', ''],
    ['2026-06-04', '25:00'],
  ]) {
    const refused = await ada.post(`/leads/${id}`, { nextTouch: wrong });
    expect(refused.status, wrong.join()).toBe(422);
    expect(textsIn(refused.text, '#details .refusal').join()).toMatch(
      /day that exists|Enter a day/,
    );
  }
  expect(await stepOf(id)).toBe('2026-06-04T09:30');
  // Neither is somebody else's change undone, nor is theirs.
  const clash = { 'was.nextTouch': '2026-06-04\n', nextTouch: ['2026-06-05', ''] };
  const theirs = await ada.post(`/leads/${id}`, clash);
  expect(theirs.status).toBe(422);
  expect(textsIn(theirs.text, '.theirs').join()).toMatch(new RegExp(`${thursday}, 09:30`));
  await set(id, '', '');
  expect(await stepOf(id)).toBeNull();
  // A lead that was not changed by anybody else is changed from where it began.
  const plain = { 'was.nextTouch': '\n', nextTouch: ['2026-06-05', ''] };
  expect((await ada.post(`/leads/${id}`, plain)).status).toBe(303);
  expect(await stepOf(id)).toBe('2026-06-05');
});

test('it is a field of the new form, a column, a file’s column, an order, and a filter of open leads', async () => {
  const { make, ada, set } = await newFirm();
  const made = await ada.post('/leads/new', {
    lastName: 'Made',
    nextTouch: ['2026-06-09', '14:00'],
    once: crypto.randomUUID(),
  });
  expect(made.status).toBe(303);
  const [past, early, late, gone] = [
    await make('Past'),
    await make('Early'),
    await make('Late'),
    await make('Gone'),
  ];
  await make('Bare');
  await set(past, '2026-05-31', '');
  // At noon, ten o'clock is past, and the day is not.
  await set(early, '2026-06-01', '10:00');
  await set(late, '2026-06-01', '');
  await set(gone, '2026-05-30', '');
  await ada.post(`/leads/${gone}/status`, { status: 'ARCHIVE' });
  const list = async (query: string) =>
    (await ada.get(`/leads?view=list&status=ALL&${query}`)).text;
  expect(namesIn(await list('next=overdue')).sort()).toEqual(['Early', 'Past']);
  expect(namesIn(await list('next=today')).sort()).toEqual(['Early', 'Late']);
  expect(namesIn(await list('next=none'))).toEqual(['Bare']);
  expect(namesIn(await list('next=nonsense'))).toHaveLength(6);
  const sorted = namesIn((await ada.get('/leads?view=list&sort=next')).text);
  expect(sorted).toEqual(['Past', 'Late', 'Early', 'Made', 'Bare']);
  const table = textIn(await list(''), 'tbody');
  expect(table).toMatch(new RegExp(`Overdue: ${shown('Sun', '31 May')}`));
  expect(table).toMatch(new RegExp(`${shown('Tue', '9 Jun')}, 14:00`));
  expect(table).toContain('No next step');
  const file = await (await ada.save('/leads/export?view=list&status=ALL')).text();
  expect(file).toContain('Next step');
  expect(file).toContain('2026-06-09 14:00');
  const cards = textIn((await ada.get('/leads')).text, 'main');
  expect(cards).toMatch(new RegExp(`Overdue: ${shown('Mon', '1 Jun')}, 10:00`));
  expect(cards).toContain('No next step');
  const red = partsIn((await ada.get('/leads')).text, '.tone-danger');
  expect(red).toHaveLength(2);
  const report = (await ada.get('/reports/intake?period=own&from=2026-06-01&to=2026-06-30')).text;
  const figure = attributesIn(report, '.figures a', 'href').find((one) =>
    one.includes('next=none'),
  );
  expect(namesIn((await ada.get(figure ?? '')).text)).toEqual(['Bare']);
});

test('those assigned are told once when it falls due: at its time, or at 7:00 of its day', async () => {
  const { make, ada, set, assign, told, stepOf } = await newFirm();
  const [timed, whole, moved, decided, alone] = [
    await make('Timed'),
    await make('Whole'),
    await make('Moved'),
    await make('Decided'),
    await make('Alone'),
  ];
  for (const id of [timed, whole, moved, decided]) await assign(id, attorney);
  await assign(timed, attorney, owner);
  await set(timed, '2026-06-02', '06:30');
  await set(whole, '2026-06-02', '');
  await set(moved, '2026-06-02', '');
  await set(moved, '2026-06-03', '');
  await set(decided, '2026-06-02', '');
  await ada.post(`/leads/${decided}/status`, { status: 'ARCHIVE' });
  await set(alone, '2026-06-02', '');
  await at('2026-06-02T10:29:59Z');
  expect(await told()).toEqual([]);
  await at('2026-06-02T10:30:00Z');
  expect(await told()).toEqual([
    expect.stringMatching(/^ada@harrow.example: Next step due, L-\d+ Timed$/),
    expect.stringMatching(/^ben@harrow.example: Next step due, L-\d+ Timed$/),
  ]);
  await at('2026-06-02T10:59:59Z');
  expect(await told()).toHaveLength(2);
  await at('2026-06-02T12:00:00Z');
  expect((await told()).filter((one) => one.endsWith('Whole'))).toHaveLength(1);
  expect(await told()).toHaveLength(3);
  // Set again to what it was, it is not told again.
  await set(whole, '2026-06-04', '');
  await set(whole, '2026-06-02', '');
  await at('2026-06-05T12:00:00Z');
  expect((await told()).filter((one) => one.endsWith('Whole'))).toHaveLength(1);
  expect((await told()).filter((one) => one.endsWith('Moved'))).toHaveLength(1);
  expect((await told()).filter((one) => /Decided|Alone/.test(one))).toEqual([]);
  expect(await stepOf(decided)).toBe('2026-06-02');
});

test('who switched the kind off is not told, nor who may no longer see the lead', async () => {
  const { make, ada, ben, set, assign, told } = await newFirm();
  const id = await make('Quiet');
  await assign(id, attorney, bookkeeper);
  const settings = (await ben.get('/settings/me')).text;
  const kinds = attributesIn(settings, '[name=kinds]', 'value');
  expect(kinds).toContain('lead.due');
  const others = kinds.filter((kind) => kind !== 'lead.due');
  expect((await ben.post('/settings/me/notifications', { kinds: others })).status).toBe(303);
  await set(id, '2026-06-02', '');
  await at('2026-06-02T13:00:00Z');
  // The bookkeeper's role reads no leads.
  expect(await told()).toEqual([]);
  const seen = await make('Seen');
  await assign(seen, owner);
  await set(seen, '2026-06-03', '');
  await at('2026-06-03T13:00:00Z');
  expect(textIn((await ada.get('/inbox')).text, 'main')).toContain('Next step due');
});

test('what a person does with the lead answers a step that was due; before, and by a program, it stays', async () => {
  const { firm, make, ada, ben, set, assign, stepOf } = await newFirm();
  const { New, Contacted } = firm.leadStages;
  const acts: Record<string, (id: string) => Promise<unknown>> = {
    note: (id) => ben.post(`/leads/${id}/notes`, { text: 'Called', once: crypto.randomUUID() }),
    move: (id) => ben.post(`/leads/${id}`, { leadStageColumnId: Contacted ?? '' }),
    edit: (id) => ben.post(`/leads/${id}`, { value: 'HIGH' }),
    assign: (id) => assign(id, attorney),
    drop: (id) => ada.post(`/leads/${id}/status`, { status: 'DRAFT' }),
  };
  for (const [name, act] of Object.entries(acts)) {
    await clock.standAt(monday);
    const id = await make(name);
    await set(id, '2026-06-02', '');
    await act(id);
    expect(await stepOf(id), `${name}, before`).toBe('2026-06-02');
    await firm.owner.patch(`/v1/leads/${id}`, { leadStageColumnId: New, value: 'LOW' });
    if (name === 'assign') await assign(id, owner);
    if (name === 'drop') await ada.post(`/leads/${id}/status`, { status: 'ACTIVE' });
    await clock.standAt(monday + 24 * hour * 1000);
    await firm.owner.patch(`/v1/leads/${id}`, { value: 'MEDIUM' });
    await firm.owner.post('/v1/notes', { leadId: id, text: 'By a program' });
    expect(await stepOf(id), `${name}, by a program`).toBe('2026-06-02');
    await act(id);
    expect(await stepOf(id), name).toBeNull();
    expect((await ada.get(`/leads/${id}`)).text).toContain('Next step from');
  }
  // Nor is a change of the contact less than one of the lead: on either page, and not by a program.
  for (const where of ['lead', 'contact']) {
    await clock.standAt(monday);
    const id = await make(`By ${where}`);
    const { body } = await firm.owner.get(`/v1/leads/${id}`);
    const contact = `/contacts/${body.data.contact.id}`;
    const to = where === 'lead' ? `/leads/${id}/contact` : contact;
    await set(id, '2026-06-02', '');
    await ben.post(to, { firstName: 'Early' });
    expect(await stepOf(id)).toBe('2026-06-02');
    await clock.standAt(monday + 24 * hour * 1000);
    await firm.owner.patch(`/v1${contact}`, { firstName: 'Program' });
    expect((await ben.post(to, { firstName: 'Program' })).status).toBe(303);
    expect(await stepOf(id), 'unchanged').toBe('2026-06-02');
    expect((await ben.post(to, { firstName: 'Ann' })).status).toBe(303);
    expect(await stepOf(id), where).toBeNull();
    expect((await ada.get(`/leads/${id}`)).text).toContain('Next step from');
  }
  // Saved without a change, nobody has touched it. One for the same day has until its end.
  await clock.standAt(monday);
  const id = await make('Same');
  await set(id, '2026-06-01', '');
  await acts.edit?.(id);
  expect(await stepOf(id)).toBe('2026-06-01');
  await clock.standAt(monday + 24 * hour * 1000);
  await acts.edit?.(id);
  expect(await stepOf(id)).toBe('2026-06-01');
  await acts.move?.(id);
  expect(await stepOf(id)).toBeNull();
});

test('a file fills it, in the order in which it writes its days; a row says what is wrong with it', async () => {
  const { firm } = await newFirm();
  const csv = [
    'Last name,Follow-up date',
    'Day,25.6.2026',
    'Time,4.6.2026 9:30',
    'Afternoon,4.6.2026 2:05 PM',
    'Soon,next week',
    'Late,4.6.2026 25:00',
    'Bare,',
  ].join('\n');
  const visitor = await visitorOf(server, firm, owner);
  const path = await uploadCsv(visitor, 'lead', csv);
  const preview = await checkRows(visitor, path);
  expect(refusedIn(preview)).toEqual([
    ['5', 'Next step must be a day that exists. The file has “next week”.'],
    ['6', 'Next step must be a day that exists. The file has “4.6.2026 25:00”.'],
  ]);
  await clock.run(1);
  await bringIn(visitor, path);
  await clock.standAt(monday);
  const stored =
    await sql`select next_touch as step from lead where firm_id = ${firm.id} order by ordinal`;
  expect(stored.map(({ step }) => step)).toEqual([
    '2026-06-25',
    '2026-06-04T09:30',
    '2026-06-04T14:05',
    null,
  ]);
});

test('the API has no field for it: it takes none, answers none, and its events name none', async () => {
  const { firm, ada } = await newFirm();
  const from = (await firm.owner.get('/v1/events?after=')).body.cursor as string;
  const made = await firm.owner.post('/v1/leads', { lastName: 'Api', nextTouch: '2026-06-09' });
  expect(made.headers.get('ignored-fields')).toBe('"nextTouch"');
  const { id } = made.body.data;
  const changed = await firm.owner.patch(`/v1/leads/${id}`, { nextTouch: '2026-06-09' });
  expect(changed.headers.get('ignored-fields')).toBe('"nextTouch"');
  const [stored] = await sql`select next_touch, next_touch_due_at from lead where id = ${id}`;
  expect(stored).toEqual({ next_touch: null, next_touch_due_at: null });
  expect((await ada.post(`/leads/${id}`, { nextTouch: ['2026-06-09', ''] })).status).toBe(303);
  for (const answer of [
    await firm.owner.get(`/v1/leads/${id}`),
    await firm.owner.get('/v1/leads'),
    await firm.owner.get(`/v1/events?after=${from}`),
  ]) {
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer.body)).not.toMatch(/nextTouch|2026-06-09/);
  }
});
