/** A new lead of the API in the inbox, at the application's door. */

import { describe, expect, test } from 'bun:test';
import { dayInFull } from '../../src/app/moments.tsx';
import { addDays } from '../../src/base/calendar-date.ts';
import { usualFormats } from '../../src/firm/formats.ts';
import { openStage, people } from '../support/burst.ts';
import { attributesIn, partsIn, textsIn } from '../support/html.ts';
import { visitorOf } from '../support/visitor.ts';

const stage = await openStage(1);
const server = { url: stage.servers[0]?.url ?? '', databaseUrl: stage.databaseUrl };

const lines = (page: string) =>
  partsIn(page, '.inbox a.name').map((link) => [link.text, link.getAttribute('href')]);

test('a lead of the API is in the inbox after a minute, and opens; not for who does not read leads', async () => {
  const firm = await stage.newFirm();
  const [reader, other] = await Promise.all([
    visitorOf(server, firm, people.C),
    visitorOf(server, firm, people.N),
  ]);
  const [lead] = await firm.leads(1);
  await firm.goTo(58);
  expect(lines((await reader.get('/inbox')).text)).toEqual([]);
  await firm.goTo(65);
  const found = lines((await reader.get('/inbox')).text);
  expect(found).toHaveLength(1);
  expect(found[0]?.[1]).toBe(`/leads/${lead?.id}`);
  expect((await reader.get(`/leads/${lead?.id}`)).status).toBe(200);
  expect(lines((await other.get('/inbox')).text)).toEqual([]);
});

test('a burst is called by the one key it came through, of several by none, and by none that is hidden', async () => {
  const firm = await stage.newFirm();
  const key = async (name: string) => {
    const expires = '2099-01-01T00:00:00Z';
    const more = ['--name', name, '--expires', expires];
    return firm.anywhere(await firm.callerOf(people.O, ['leads:write', 'contacts:write'], more));
  };
  const [website, fair] = [await key('Website form'), await key('Trade fair')];
  const ben = await visitorOf(server, firm, people.C);
  const ada = await visitorOf(server, firm, people.O);
  const called = async (visitor = ben, path = '/inbox') =>
    textsIn((await visitor.get(path)).text, 'a.name').filter((text) => /new leads/.test(text));
  for (let nth = 0; nth < 4; nth += 1) await firm.post({}, website);
  // Ben may not see this one, nor through which key it came.
  await firm.post({ isPrivate: true }, fair);
  await firm.goTo(65);
  expect(await called()).toEqual(['4 new leads from Website form']);
  expect(await called(ben, '/')).toEqual(['4 new leads from Website form']);
  expect(await called(ada)).toEqual(['5 new leads arrived through the API']);
  expect((await ben.get('/inbox')).text).not.toContain('Trade fair');
});

test('what is marked is named as its line names it, and Undo names it too', async () => {
  const firm = await stage.newFirm();
  const ben = await visitorOf(server, firm, people.C);
  const [lead] = await firm.leads(1);
  await firm.goTo(65);
  const mark = async () => {
    const { text } = await ben.get('/inbox');
    const [form] = partsIn(text, 'form[action$="read"]:has([name=name])');
    const action = form?.getAttribute('action') ?? '';
    const name = form?.querySelector('[name=name]')?.getAttribute('value') ?? '';
    const answer = await ben.post(action, { name }, { 'x-sent-by': 'page' });
    return JSON.parse(answer.text).said;
  };
  const name = `New lead, ${lead?.contact.name} (${lead?.publicId})`;
  const read = await mark();
  expect(read.words).toBe(`Marked as read: ${name}.`);
  expect(read.undo).toEqual({
    action: expect.stringMatching(/^\/inbox\/\d+\/unread$/),
    fields: [['name', name]],
  });
  expect((await mark()).words).toBe(`Marked as unread: ${name}.`);
});

describe('A notice that asks “I have it”', () => {
  /** A firm in which Ada gives tasks to Ben and invites him; `said` is what stands below each of his notices. */
  const begin = async () => {
    const firm = await stage.newFirm();
    const made = await firm.owner.post('/v1/matters', {
      title: 'Quill v Rook',
      openDate: '2026-01-01',
      practiceAreaId: firm.practiceAreas.Family?.id,
    });
    const matter = made.body.data.publicId as string;
    const [ada, ben] = await Promise.all([
      visitorOf(server, firm, people.O),
      visitorOf(server, firm, people.C),
    ]);
    const assigneeId = firm.members[people.C] ?? '';
    /** Sends a form of Ada's; the id of the newest record of this table. */
    const send = async (path: string, fields: Record<string, string>, table: string) => {
      expect((await ada.post(path, fields)).status).toBe(303);
      const [row] = await stage.sql`select id from ${stage.sql(table)}
        where firm_id = ${firm.id} order by created_at desc, id desc limit 1`;
      return String(row?.id);
    };
    return {
      ...{ firm, ada, ben, of: `(${matter} Quill v Rook)` },
      give: (title: string, dueOn: string, path = '/tasks/new') =>
        send(path, { title, dueOn, matter, assigneeId }, 'task'),
      invite: (title: string, when: Record<string, string>, path = '/calendar/new') =>
        send(path, { title, matter, colleagues: people.C, ...when }, 'calendar_event'),
      async said() {
        const [inbox, home] = await Promise.all([ben.get('/inbox'), ben.get('/')]);
        const lines = textsIn(inbox.text, '#list .sub');
        expect(textsIn(home.text, '#inbox .sub')).toEqual(lines);
        return lines;
      },
    };
  };

  test('says the day of a task, and the day and the hour of an event, as its reader has them written', async () => {
    const { firm, ben, of, give, invite, said } = await begin();
    await give('File the answer', '2035-05-04');
    await give('Think about it', '');
    await invite('Trial', { isWhole: 'on', day: '2035-05-07', lastDay: '2035-05-09' });
    await invite('Call', { day: '2035-05-08', begins: '14:30', ends: '15:00' });
    expect(await said()).toEqual([
      `Tue 8 May 2035, 14:30: Call ${of}`,
      `Mon 7 May 2035: Trial ${of}`,
      `Think about it ${of}`,
      `Fri 4 May 2035: File the answer ${of}`,
    ]);
    await ben.post('/settings/me/formats', { clock: '12', dayOrder: 'MDY' });
    const [call] = await said();
    expect(call).toBe(`Tue May 8, 2035, 2:30 PM: Call ${of}`);
    const { text } = await ben.get('/inbox');
    expect(attributesIn(text, '.have-it button', 'aria-label')).toContain(`I have it: ${call}`);
    // Programs and mails read what is stored.
    const [stored] = await firm.command<{ text: string }[]>(['inbox', '--member', people.C]);
    expect(stored?.text).toBe(`Call ${of}`);
  });

  test('says the day as it stands once it has moved, and one that stands no longer says only why', async () => {
    const { of, give, invite, said } = await begin();
    const task = await give('File the answer', '2035-05-04');
    await give('File the answer', '2035-05-11', `/tasks/${task}`);
    const hours = { begins: '14:30', ends: '15:00' };
    const call = await invite('Call', { day: '2035-05-08', ...hours });
    await invite(
      'Call',
      { day: '2035-05-08', begins: '09:15', ends: '10:00' },
      `/calendar/${call}`,
    );
    expect(await said()).toEqual([
      `Tue 8 May 2035, 09:15: Call ${of}`,
      `Fri 11 May 2035: File the answer ${of}`,
      `File the answer ${of}No longer: moved to Fri 11 May 2035`,
    ]);
    await invite('Call', { isWhole: 'on', day: '2035-05-09' }, `/calendar/${call}`);
    expect((await said())[0]).toBe(`Wed 9 May 2035: Call ${of}`);
  });

  test('says the next day of several events that is still asked about, and none once all are answered', async () => {
    const { ben, of, invite, said } = await begin();
    // Near days: events that repeat are not made years ahead.
    const today = new Date(await stage.clock.now()).toISOString().slice(0, 10);
    const [first, second, last] = [7, 14, 21].map((days) => addDays(today, days)) as [
      string,
      string,
      string,
    ];
    const weekly = { repeats: 'week', repeatsUntil: last, begins: '14:30', ends: '15:00' };
    await invite('Call', { day: first, ...weekly });
    const says = (day: string) => [
      `${dayInFull(day, { formats: usualFormats })}, 14:30: Call ${of}`,
    ];
    const press = async (fields: Record<string, string> = {}) => {
      const { text } = await ben.get('/inbox');
      const [form] = partsIn(text, '.have-it form');
      const day = form?.querySelector('[name=day]')?.getAttribute('value') ?? '';
      const answer = await ben.post(form?.getAttribute('action') ?? '', { day, ...fields });
      expect(answer.status).toBe(303);
      return said();
    };
    expect(await said()).toEqual(says(first));
    expect(await press()).toEqual(says(second));
    expect(await press({ which: 'following' })).toEqual([`Call ${of}`]);
  });
});
