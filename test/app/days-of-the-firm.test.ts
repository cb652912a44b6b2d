/** The firm's own day, year and midnight on its pages, wherever the server and the browser are. */
import { afterEach, expect, setSystemTime, test } from 'bun:test';
import { takeClock } from '../support/clock.ts';
import { ownDatabase } from '../support/database.ts';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { textIn } from '../support/html.ts';
import { visitorOf } from '../support/visitor.ts';

const databaseUrl = await ownDatabase();
const clock = await takeClock(databaseUrl);
const server = await startTestServer({ databaseUrl });
afterEach(() => {
  setSystemTime();
});

/** Puts both clocks, the server's and its database's, at this moment. */
const standAt = async (at: number) => {
  setSystemTime(at);
  await clock.standAt(at);
};

const plain = (text: string) => text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

const firmInLosAngeles = async () => {
  const firm = await makeFirm(server, { numbering: { lead: 'L-{YYYY}-{##}', matter: 'M-{##}' } });
  const ada = await visitorOf(server, firm, owner);
  await ada.post('/settings/firm', { name: firm.firm.name, timeZone: 'America/Los_Angeles' });
  return { firm, ada };
};

test('the preview of a number carries the year of the firm, as the number does', async () => {
  // 23:30 on 31 December in Los Angeles; in UTC the new year is there already.
  await standAt(Date.UTC(2026, 11, 31, 20));
  const { firm, ada } = await firmInLosAngeles();
  const preview = async () =>
    textIn((await ada.get('/settings/numbering')).text, '#lead [role=status]');
  const made = async () => (await firm.owner.post('/v1/leads', { lastName: 'Quill' })).body.data;
  await standAt(Date.UTC(2027, 0, 1, 7, 30));
  expect(await preview()).toContain('The next three: L-2026-01, L-2026-02, L-2026-03');
  expect((await made()).publicId).toBe('L-2026-01');
  await standAt(Date.UTC(2027, 0, 1, 8));
  expect(await preview()).toContain('The next three: L-2027-02, L-2027-03, L-2027-04');
  expect((await made()).publicId).toBe('L-2027-02');
});

test('today turns at the midnight of the firm, on every page that says it', async () => {
  await standAt(Date.UTC(2026, 11, 14, 12));
  const { firm, ada } = await firmInLosAngeles();
  const { body } = await firm.owner.post('/v1/matters', {
    title: 'Quill v. Rook',
    openDate: '2026-01-01',
    practiceAreaId: firm.practiceAreas.Family?.id,
    solDate: '2026-12-15',
    team: [{ memberId: firm.members[attorney] }],
  });
  const id: string = body.data.id;
  const task = { title: 'File the answer', dueOn: '2026-12-15', matter: body.data.publicId };
  await ada.post('/tasks/new', { ...task, assigneeId: firm.members[attorney] ?? '' });
  const said = async () => {
    // A session ends after twelve hours without use.
    const ben = await visitorOf(server, firm, attorney);
    const [matter, list, tasks, home] = await Promise.all(
      [`/matters/${id}`, '/matters?view=list', '/tasks', '/'].map((path) => ben.get(path)),
    );
    return [matter, list, tasks, home].map(
      (page) =>
        /tomorrow|today|1 day (past|overdue)/i.exec(plain(page?.text.split('<main')[1] ?? ''))?.[0],
    );
  };
  // Midnight in Los Angeles is eight in the morning of UTC, and five in the afternoon in Tokyo.
  await standAt(Date.UTC(2026, 11, 15, 7, 59));
  expect(await said()).toEqual(['tomorrow', 'tomorrow', 'tomorrow', 'Tomorrow']);
  await standAt(Date.UTC(2026, 11, 15, 8));
  expect(await said()).toEqual(['today', 'today', 'today', 'Today']);
  await standAt(Date.UTC(2026, 11, 16, 7, 59));
  expect(await said()).toEqual(['today', 'today', 'today', 'Today']);
  await standAt(Date.UTC(2026, 11, 16, 8));
  expect((await said()).slice(0, 3)).toEqual(['1 day past', '1 day past', '1 day overdue']);
});

test('a timeline says the time of day of the firm, as the member has it written', async () => {
  await standAt(Date.UTC(2027, 1, 3, 22, 5));
  const { firm, ada } = await firmInLosAngeles();
  const { id } = (await firm.owner.post('/v1/leads', { lastName: 'Quill' })).body.data;
  expect((await ada.post(`/leads/${id}`, { value: 'HIGH' })).status).toBe(303);
  await standAt(Date.UTC(2027, 1, 16, 12));
  const said = async () => {
    const later = await visitorOf(server, firm, owner);
    const { text } = await later.get(`/leads/${id}`);
    return { later, words: plain(text) };
  };
  const { later, words } = await said();
  expect(words).toMatch(/changed Value .*? · Wed 3 Feb, 14:05 /);
  await later.post('/settings/me/formats', { clock: '12', dayOrder: 'MDY' });
  expect((await said()).words).toMatch(/changed Value .*? · Wed Feb 3, 2:05 PM /);
});
