/** A notice whose date no longer stands is past: it says why, and it is not counted as unread. */
import { describe, expect, test } from 'bun:test';
import { firmIn, guardedDatabase, openMatter } from '../limitation/guarded.ts';
import { attorney, type Firm, owner, startTestServer } from '../support/firm.ts';
import { partsIn, textIn } from '../support/html.ts';
import { visitorOf } from '../support/visitor.ts';

const { databaseUrl, sql, clock, put, settled, newest } = await guardedDatabase();
await clock.standAt(Date.UTC(2021, 0, 4, 12));
const server = await startTestServer({ databaseUrl });

/** A member at the application's door; signed in whatever the clock says. */
const memberOf = (firm: Firm, email: string) => ({
  async post(path: string, fields: Record<string, string | string[]>) {
    const { status } = await (await visitorOf(server, firm, email)).post(path, fields);
    expect(status).toBe(303);
  },
  /** What the inbox shows of each notice, `*` before the unread ones, and what the pages count. */
  async inbox() {
    const visitor = await visitorOf(server, firm, email);
    const text = async (path: string) => (await visitor.get(path)).text;
    const [all, unread, home] = await Promise.all([
      text('/inbox'),
      text('/inbox?show=unread'),
      text('/'),
    ]);
    const lines = (page: string) =>
      partsIn(page, 'li.read, li.unread').map((line) => {
        const said = `${textIn(line, 'a.name')}. ${textIn(line, '.ended')}`.trim();
        return line.classList.contains('unread') ? `* ${said}` : said;
      });
    const count = textIn(all, '[data-unread]').replace(' unread', '');
    expect(lines(home)).toEqual(lines(all));
    expect(lines(unread)).toEqual(lines(all).filter((line) => line.startsWith('*')));
    return { lines: lines(all), count };
  },
});

const newFirm = async () => {
  const firm = await firmIn(server, 'UTC');
  // Their notices come later, by a job.
  for (const kind of ['matter.added', 'matter.archived', 'matter.deleted']) {
    await firm.command(['notify', 'set', '--member', attorney, kind, 'off']);
  }
  return { firm, ada: memberOf(firm, owner), ben: memberOf(firm, attorney) };
};

test('The notice of a limitation date is past once the date has moved, and stands again if it comes back', async () => {
  await put(Date.UTC(2021, 6, 1, 9));
  const { firm, ada, ben } = await newFirm();
  const { id } = await openMatter(firm, '2021-07-20');
  await settled();
  const notice = '* Limitation date in 19 days.';
  expect(await ben.inbox()).toEqual({ lines: [notice], count: '1' });
  const moveTo = async (solDate: string) => {
    await ada.post(`/matters/${id}/limitation`, { solDate, reason: 'A new fact' });
    await settled();
  };
  await moveTo('2023-05-03');
  const moved = 'Limitation date in 19 days. No longer: moved to Wed 3 May 2023';
  expect(await ben.inbox()).toEqual({ lines: [moved], count: '0' });
  await moveTo('2021-07-20');
  expect(await ben.inbox()).toEqual({ lines: [notice], count: '1' });
  await moveTo('');
  const removed = 'Limitation date in 19 days. No longer: the date was removed';
  expect(await ben.inbox()).toEqual({ lines: [removed], count: '0' });
});

test('So is that of a date that was met, and of an archived matter; of a deleted one it is gone', async () => {
  await put(Date.UTC(2021, 7, 2, 9));
  const { firm, ada, ben } = await newFirm();
  const matters = await Promise.all([1, 2, 3].map(() => openMatter(firm, '2021-09-10')));
  await settled();
  const [met, archived, deleted] = matters.map(({ id }) => id);
  expect((await ben.inbox()).count).toBe('3');
  await ada.post(`/matters/${met}/limitation/met`, { metOn: '2021-08-02' });
  await firm.owner.patch(`/v1/matters/${archived}`, { status: 'ARCHIVE' });
  await firm.owner.delete(`/v1/matters/${deleted}`);
  const { lines } = await ben.inbox();
  expect(lines.toSorted()).toEqual([
    'Limitation date in 39 days. No longer: the date was met',
    'Limitation date in 39 days. No longer: the matter was archived',
  ]);
});

test('So is the notice that nobody has a date', async () => {
  await put(Date.UTC(2021, 10, 1, 9));
  const { firm, ada, ben } = await newFirm();
  const { id } = await openMatter(firm, '2021-11-20');
  await settled();
  await put(Date.UTC(2021, 10, 3, 9));
  const { lines } = await ada.inbox();
  expect(lines).toContain('* Not acknowledged: a limitation date in 17 days.');
  await ben.post(`/matters/${id}/limitation`, { solDate: '2021-11-22', reason: 'A new fact' });
  await settled();
  const past =
    'Not acknowledged: a limitation date in 17 days. No longer: moved to Mon 22 Nov 2021';
  expect((await ada.inbox()).lines).toContain(past);
});

test('So is the notice of a task that is done, and of an event that was cancelled; one that moves asks again', async () => {
  await put(Date.UTC(2021, 10, 8, 9));
  const { firm, ada, ben } = await newFirm();
  const { publicId } = await openMatter(firm, undefined);
  const given = { matter: publicId, assigneeId: firm.members[attorney] ?? '' };
  await ada.post('/tasks/new', { ...given, title: 'File the answer', dueOn: '2021-11-12' });
  const task = await newest(firm, 'task');
  const event = { title: 'Hearing', day: '2021-11-11', begins: '10:00', ends: '11:00' };
  const fields = { ...event, matter: publicId, colleagues: [attorney] };
  await ada.post('/calendar/new', fields);
  const hearing = await newest(firm, 'calendar_event');
  expect((await ben.inbox()).lines.filter((line) => line.startsWith('*'))).toHaveLength(2);
  await ada.post(`/tasks/${task}/move`, { to: 'done' });
  expect((await ben.inbox()).lines).toContain('Task assigned to you. No longer: the task was done');
  await put(Date.UTC(2021, 10, 8, 10));
  await ada.post(`/calendar/${hearing}`, { ...fields, day: '2021-11-12' });
  expect((await ben.inbox()).lines[0]).toBe('* An event has another time.');
  await ada.post(`/calendar/${hearing}/cancel`, {});
  const cancelled = 'An event has another time. No longer: it was cancelled';
  expect((await ben.inbox()).lines).toContain(cancelled);
});

test('The notice of an event that has moved says the hour too: its day may be the same', async () => {
  await put(Date.UTC(2021, 10, 8, 9));
  const { firm, ada, ben } = await newFirm();
  const { publicId } = await openMatter(firm, undefined);
  const colleagues = [attorney];
  const call = { title: 'Call', matter: publicId, day: '2021-11-11', colleagues };
  await ada.post('/calendar/new', { ...call, begins: '10:00', ends: '11:00' });
  const id = await newest(firm, 'calendar_event');
  expect((await ben.inbox()).lines).toEqual(['* Invited to an event.']);
  await ben.post(`/calendar/${id}`, { ...call, begins: '14:30', ends: '15:00' });
  const moved = 'Invited to an event. No longer: moved to Thu 11 Nov 2021';
  expect(await ben.inbox()).toEqual({ lines: [`${moved}, 14:30`], count: '0' });
  await ben.post(`/calendar/${id}`, { ...call, isWhole: 'on' });
  expect(await ben.inbox()).toEqual({ lines: [moved], count: '0' });
});

test('A notice of a date that has moved asks for nothing: only that of the new day has “I have it”', async () => {
  await put(Date.UTC(2021, 11, 1, 9));
  const { firm, ben } = await newFirm();
  const { id } = await openMatter(firm, '2021-12-20');
  await settled();
  await put(Date.UTC(2021, 11, 1, 10));
  await ben.post(`/matters/${id}/limitation`, { solDate: '2021-12-24', reason: 'A new fact' });
  await settled();
  const page = (await (await visitorOf(server, firm, attorney)).get('/inbox')).text;
  expect((await ben.inbox()).lines.filter((line) => line.includes('No longer'))).toHaveLength(1);
  expect(page.match(/action="[^"]*\/limitation\/acknowledged"/g)).toHaveLength(1);
});

test('The newest notice that nobody has a date replaces those of the days before, read or not, and none of another record', async () => {
  await put(Date.UTC(2022, 0, 3, 6));
  const { firm, ada } = await newFirm();
  const more = { practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2022-01-01' };
  const { id } = await openMatter(firm, '2022-03-20', { ...more, title: 'Quill v. Rook' });
  await settled();
  const inboxAt = async (day: number) => {
    await put(Date.UTC(2022, 0, day, 9));
    return ada.inbox();
  };
  const says = (days: number) => `Not acknowledged: a limitation date in ${days} days.`;
  expect(await inboxAt(5)).toEqual({ lines: [`* ${says(74)}`], count: '1' });
  const [first] = await sql`select id from notification where firm_id = ${firm.id}
    and kind = 'limitation.unheld'`;
  await ada.post(`/inbox/${first?.id}/read`, {});
  expect(await inboxAt(6)).toEqual({ lines: [`* ${says(73)}`], count: '1' });
  expect(await inboxAt(7)).toEqual({ lines: [`* ${says(72)}`], count: '1' });
  // She has the first one meanwhile, so its notice is read: of the other matter, a line of its own.
  await ada.post(`/matters/${id}/limitation/acknowledged`, { day: '2022-03-20' });
  const other = await openMatter(firm, '2022-03-24', more);
  await settled();
  expect(await inboxAt(11)).toEqual({ lines: [`* ${says(72)}`, says(72)], count: '1' });
  expect(await inboxAt(12)).toEqual({ lines: [`* ${says(71)}`, says(72)], count: '1' });
  const [held] = await sql`select count(*)::int as notices, count(replaced_by_id)::int as replaced
    from notification where firm_id = ${firm.id} and record_id = ${other.id}
      and member_id = ${firm.members[owner] ?? ''} and kind = 'limitation.unheld'`;
  expect(held).toMatchObject({ notices: 2, replaced: 1 });
});

describe('The newest notice of several dates that nobody has', () => {
  const dayOf = (day: string) => Date.parse(`${day}T09:00:00Z`);

  /** A firm on a Monday morning, whose owners are told of what nobody has two working days later. */
  const begin = async (monday: string) => {
    await put(dayOf(monday) - 3 * 3_600_000);
    const { firm, ada, ben } = await newFirm();
    return {
      ...{ firm, ada, ben },
      async open(solDate: string) {
        const { id } = await openMatter(firm, solDate, { openDate: '2022-01-01' });
        await settled();
        return id;
      },
      async inboxOn(day: string) {
        await put(dayOf(day));
        return ada.inbox();
      },
    };
  };

  test('replaces those of the days before, of one and of several, and what somebody has meanwhile is in none', async () => {
    const { ada, ben, open, inboxOn } = await begin('2022-02-07');
    const first = await open('2022-05-20');
    const second = await open('2022-05-21');
    const several = (count: number, days: number) =>
      `* Not acknowledged: ${count} limitation dates, the first in ${days} days.`;
    expect(await inboxOn('2022-02-09')).toEqual({ lines: [several(2, 100)], count: '1' });
    expect(await inboxOn('2022-02-10')).toEqual({ lines: [several(2, 99)], count: '1' });
    await open('2022-05-25');
    expect(await inboxOn('2022-02-11')).toEqual({ lines: [several(2, 98)], count: '1' });
    expect(await inboxOn('2022-02-14')).toEqual({ lines: [several(3, 95)], count: '1' });
    await ben.post(`/matters/${first}/limitation/acknowledged`, { day: '2022-05-20' });
    expect(await inboxOn('2022-02-15')).toEqual({ lines: [several(2, 95)], count: '1' });
    await ada.post(`/matters/${second}/limitation/acknowledged`, { day: '2022-05-21' });
    const one = (days: number) => `* Not acknowledged: a limitation date in ${days} days.`;
    expect(await inboxOn('2022-02-16')).toEqual({ lines: [one(98)], count: '1' });
    await open('2022-05-26');
    expect(await inboxOn('2022-02-17')).toEqual({ lines: [one(97)], count: '1' });
    expect(await inboxOn('2022-02-18')).toEqual({ lines: [several(2, 96)], count: '1' });
  });

  test('leaves one alone that names a date which it does not: on a Sunday only what is near is asked about', async () => {
    const { open, inboxOn } = await begin('2022-03-07');
    await open('2022-06-20');
    await open('2022-03-14');
    const unheld = async (day: string) =>
      (await inboxOn(day)).lines.filter((line) => line.includes('Not acknowledged'));
    const both = (away: string) => `* Not acknowledged: 2 limitation dates, the first ${away}.`;
    expect(await unheld('2022-03-10')).toEqual([both('in 4 days')]);
    expect(await unheld('2022-03-11')).toEqual([both('in 3 days')]);
    const alone = '* Not acknowledged: a limitation date in 2 days.';
    expect(await unheld('2022-03-12')).toEqual([alone, both('in 3 days')]);
    expect(await unheld('2022-03-13')).toEqual([alone, both('in 3 days')]);
    expect(await unheld('2022-03-14')).toEqual([both('today')]);
  });

  test('also replaces one that names a date of which a reminder tells on this day', async () => {
    const { open, inboxOn } = await begin('2022-04-04');
    await open('2022-07-20');
    await open('2022-07-21');
    await open('2022-04-18');
    const both = (away: string, count: number) =>
      `* Not acknowledged: ${count} limitation dates, the first ${away}.`;
    expect((await inboxOn('2022-04-08')).lines).toEqual([both('in 10 days', 3)]);
    expect(await inboxOn('2022-04-11')).toEqual({
      lines: [both('in 100 days', 2), '* Limitation date in 7 days.'],
      count: '2',
    });
    expect((await inboxOn('2022-04-12')).lines).toEqual([
      both('in 6 days', 3),
      '* Limitation date in 7 days.',
    ]);
  });
});
