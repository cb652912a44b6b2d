/** Events that repeat: at the doors, on a clock that stands. */
import { describe, expect, test } from 'bun:test';
import { wakeRunners } from '../../src/jobs/runner.ts';
import { hire, makeLead } from '../about/leads.ts';
import { guardedDatabase, openMatter } from '../limitation/guarded.ts';
import {
  attorney,
  bookkeeper,
  comingAgain,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
} from '../support/firm.ts';
import { expectSentence, run } from '../support/terminal.ts';
import { visitorOf } from '../support/visitor.ts';
import { repeated } from './repeated.ts';

const guarded = await guardedDatabase();
const { databaseUrl, sql, clock } = guarded;
const { everyEvent, eventsOf, settled, passTo } = repeated(guarded);
/** A Monday. */
await clock.standAt(Date.UTC(2014, 0, 6, 12));
// Two servers look for the same jobs.
const server = await startTestServer({ databaseUrl });
await startTestServer({ databaseUrl });

const plain = (html: string) => html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
const stranger = 'quill@away.example';

const newFirm = async (timeZone = 'UTC') => {
  const firm = await makeFirm(server);
  await sql`update firm set time_zone = ${timeZone} where id = ${firm.id}`;
  const { id } = await openMatter(firm, undefined);
  return { firm, matterId: id, ada: await visitorOf(server, firm, owner) };
};

type Event = Awaited<ReturnType<typeof eventsOf>>[number];

const daysOf = async (firm: Firm) => (await eventsOf(firm)).map(({ day }) => day);

type Notice = { kind: string; title: string; recordId: string };

/** What the attorney was told of this kind. */
const noticesOf = async (firm: Firm, kind: string) =>
  (await firm.command<Notice[]>(['inbox', '--member', attorney])).filter(
    (one) => one.kind === kind,
  );

const titlesOf = async (firm: Firm, kind: string) =>
  (await noticesOf(firm, kind)).map(({ title }) => title).sort();

const whole = { title: 'Meeting', isWhole: 'on' };

const inRule = (first: string, step: number, last: string) => {
  const days: string[] = [];
  for (let at = Date.parse(first); at <= Date.parse(last); at += step * 86_400_000) {
    days.push(new Date(at).toISOString().slice(0, 10));
  }
  return days;
};

describe('An event that repeats', () => {
  test('is made for 90 days at once, each an event of its own, of which everybody is told once', async () => {
    const { firm, matterId, ada } = await newFirm();
    const sent = {
      title: 'Team meeting',
      day: '2014-01-07',
      begins: '09:30',
      ends: '10:00',
      repeats: 'week',
      colleagues: [attorney],
      guests: stranger,
    };
    expect((await ada.post(`/calendar/new?matter=${matterId}`, sent)).status).toBe(303);
    const made = await eventsOf(firm);
    expect(made.map(({ day }) => day)).toEqual(inRule('2014-01-07', 7, '2014-04-06'));
    for (const { startsAt, endsAt, seriesDay } of made) {
      expect(startsAt.toISOString()).toBe(`${seriesDay}T09:30:00.000Z`);
      expect(endsAt?.toISOString()).toBe(`${seriesDay}T10:00:00.000Z`);
    }
    const listed = await firm.owner.get(`/v1/calendar-events?matterId=${matterId}&limit=100`);
    expect(listed.body.data).toHaveLength(13);
    for (const one of listed.body.data) expect(one.guests).toEqual([attorney, stranger]);
    expect(await noticesOf(firm, 'event.invited')).toEqual([
      expect.objectContaining({ title: 'Invited to 13 events', recordId: made[0]?.id }),
    ]);
    // Each is asked about, with the one notice.
    const [asked] =
      await sql`select count(*)::int as receipts, count(distinct event_id)::int as events,
        count(distinct notification_id)::int as notices, count(told_at)::int as told
      from receipt where firm_id = ${firm.id} and event_id is not null`;
    expect(asked).toEqual({ receipts: 13, events: 13, notices: 1, told: 13 });
    const page = plain((await ada.get(`/calendar/${made[3]?.id}`)).text);
    expect(page).toContain('Repeats every week');
    const matterPage = plain((await ada.get(`/matters/${matterId}`)).text);
    expect(matterPage).toContain('set the event Team meeting to repeat every week');
    expect(matterPage).toContain('Repeats every week');
    expect(plain((await ada.get('/settings/audit')).text)).toMatch(/Repeats.{0,30}every week/);
  });

  test('is on the days of its rule, also at the end of months and in a leap year, until its last day', async () => {
    for (const [first, repeats, until, days] of [
      ['2014-01-31', 'month', '', ['2014-01-31', '2014-02-28', '2014-03-31']],
      ['2014-01-06', 'quarter', '', ['2014-01-06', '2014-04-06']],
      ['2012-02-29', 'year', '', ['2012-02-29', '2014-02-28']],
      ['2014-01-10', 'week', '2014-01-24', ['2014-01-10', '2014-01-17', '2014-01-24']],
      ['2014-01-10', 'fortnight', '2014-02-06', ['2014-01-10', '2014-01-24']],
      ['2013-12-31', 'day', '2014-01-08', ['2013-12-31', '2014-01-06', '2014-01-07', '2014-01-08']],
      ['2014-01-10', 'workday', '2014-01-14', ['2014-01-10', '2014-01-14']],
      ['2015-01-05', 'week', '', ['2015-01-05']],
    ] as const) {
      const { firm, matterId, ada } = await newFirm();
      await sql`insert into holiday (firm_id, id, day, name, is_own, created_at)
        values (${firm.id}, gen_random_uuid(), '2014-01-13', 'Founders', true, moment())`;
      const sent = { ...whole, day: first, repeats, repeatsUntil: until };
      expect((await ada.post(`/calendar/new?matter=${matterId}`, sent)).status).toBe(303);
      expect([repeats, await daysOf(firm)]).toEqual([repeats, [...days]]);
    }
  });

  test('is added by a command, which says what it cannot take; the API says the rule of each', async () => {
    const { firm, matterId } = await newFirm('America/New_York');
    const add = [
      ...['event', 'add', '--matter', matterId, '--title', 'Status call'],
      ...['--starts', '2014-01-31T22:30:00Z', '--guest', attorney],
    ];
    const { id } = await firm.command<{ id: string }>([
      ...[...add, '--repeats', 'month', '--until', '2014-04-01'],
    ]);
    const made = await eventsOf(firm);
    expect(made[0]?.id).toBe(id);
    expect(made.map(({ startsAt }) => startsAt.toISOString())).toEqual([
      '2014-01-31T22:30:00.000Z',
      '2014-02-28T22:30:00.000Z',
      '2014-03-31T21:30:00.000Z',
    ]);
    // As with one event, nobody is told.
    expect(await noticesOf(firm, 'event.invited')).toEqual([]);

    const alone = await firm.command<{ id: string; title: string }>(add);
    expect(alone.title).toBe('Status call');
    const rule = 'FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1;UNTIL=20140401';
    const list = `/v1/calendar-events?matterId=${matterId}`;
    const { body } = await firm.owner.get(`${list}&include=rrule`);
    expect(body.data.map(({ rrule }: { rrule: string | null }) => rrule).sort()).toEqual([
      ...[rule, rule, rule, null],
    ]);
    const one = `/v1/calendar-events/${id}`;
    expect((await firm.owner.get(`${one}?include=rrule`)).body.data.rrule).toBe(rule);
    for (const path of [list, one]) {
      expect(JSON.stringify((await firm.owner.get(path)).body)).not.toContain('rrule');
    }

    for (const [more, words, code] of [
      [['--until', '2014-04-01'], '--until is only for an event that repeats', 1],
      [['--repeats', 'week', '--until', '2014-01-30'], '--until must not be before the day', 1],
      [['--repeats', 'hour'], "'--repeats <how often>' argument 'hour' is invalid", 2],
      [['--repeats', 'week', '--tell'], '--tell cannot be used with --repeats', 2],
    ] as const) {
      const line = [...add, ...more, '--firm', firm.id];
      expectSentence(await run(databaseUrl, line), words, code);
    }
    await firm.owner.patch(`/v1/matters/${matterId}`, { status: 'ARCHIVE' });
    await settled();
    const words = [...add, '--repeats', 'week', '--firm', firm.id];
    expectSentence(await run(databaseUrl, words), '--repeats can only be chosen while the matter');
  });

  test('is acknowledged with all that follow and stand; one that moves asks anew', async () => {
    const { firm, matterId, ada } = await newFirm();
    const sent = { ...whole, day: '2014-01-07', repeats: 'week', colleagues: [attorney] };
    await ada.post(`/calendar/new?matter=${matterId}`, sent);
    const made = await eventsOf(firm);
    const at = (nth: number) => `/calendar/${made[nth]?.id}`;
    const move = async (nth: number, startDate: string) => {
      const path = `/v1/calendar-events/${made[nth]?.id}`;
      expect((await firm.owner.patch(path, { startDate, endDate: startDate })).status).toBe(200);
    };
    await move(5, '2014-02-12');
    await firm.owner.delete(`/v1/calendar-events/${made[6]?.id}`);
    const ben = await visitorOf(server, firm, attorney);
    /** The days that Ben is still asked about. */
    const asked = async () =>
      (
        await sql<{ day: string }[]>`select day::text as day from receipt
          where firm_id = ${firm.id} and acknowledged_at is null and withdrawn_at is null order by day`
      ).map(({ day }) => day);
    /** The days on which the events of Ben's unread notices begin. */
    const unread = async () =>
      (
        await sql<{ day: string }[]>`
          select (select min(first_day)::text from calendar_event where id = record_id) as day
          from notification where firm_id = ${firm.id} and kind = 'event.invited'
            and read_at is null and replaced_by_id is null order by day`
      ).map(({ day }) => day);
    const all = 'I have this and all that follow';
    expect((await ben.get(at(2))).text).toContain(all);
    const press = (nth: number, fields: Record<string, string>) =>
      ben.post(`${at(nth)}/acknowledged`, fields);
    const following = { which: 'following' };
    expect((await press(2, { ...following, day: '2014-01-22' })).status).toBe(422);
    expect((await press(2, { which: 'none', day: '2014-01-21' })).status).toBe(422);
    const island = { 'x-sent-by': 'island', accept: 'application/json' };
    const pressed = { ...following, day: '2014-01-21' };
    const { text } = await ben.post(`${at(2)}/acknowledged`, pressed, island);
    expect(JSON.parse(text).said.words).toBe(
      'You have the event Meeting, Tue 21 Jan 2014, and the 8 after it.',
    );
    expect(await asked()).toEqual(['2014-01-07', '2014-01-14', '2014-02-12']);
    await move(8, '2014-03-05');
    expect(await asked()).toEqual(['2014-01-07', '2014-01-14', '2014-02-12', '2014-03-05']);
    // Their notice is read once they have all that it asks about.
    expect(await unread()).toEqual(['2014-01-07', '2014-02-12', '2014-03-05']);

    // The inbox asks about the first one, and about those after it.
    const inbox = (await ben.get('/inbox')).text;
    expect(inbox).toContain(`${at(0)}/acknowledged`);
    expect(inbox).toContain(`${all}: Tue 7 Jan 2014: Meeting`);
    expect((await press(0, { ...following, day: '2014-01-07' })).status).toBe(303);
    expect(await asked()).toEqual(['2014-02-12', '2014-03-05']);
    expect(await unread()).toEqual(['2014-02-12', '2014-03-05']);
    // What was changed separately is asked about by itself.
    expect((await ben.get(at(5))).text).not.toContain(all);
    for (const [nth, day] of [
      [5, '2014-02-12'],
      [8, '2014-03-05'],
    ] as const) {
      expect((await press(nth, { day })).status).toBe(303);
    }
    expect(await asked()).toEqual([]);
    expect(await unread()).toEqual([]);
    expect((await ben.get('/inbox')).text).not.toContain('I have');
    // Nobody has what they were not invited to.
    expect(
      (await ada.post(`${at(3)}/acknowledged`, { ...following, day: '2014-01-28' })).status,
    ).toBe(422);
  });

  test('keeps its hours when the clocks change, in the time zone of its firm', async () => {
    const { firm, matterId, ada } = await newFirm('America/New_York');
    const evening = { title: 'Call', day: '2014-03-03', begins: '23:30', ends: '00:30' };
    const sent = { ...evening, lastDay: '2014-03-04', repeats: 'week', repeatsUntil: '2014-03-12' };
    await ada.post(`/calendar/new?matter=${matterId}`, sent);
    const night = { title: 'Night', day: '2014-03-08', begins: '02:15', ends: '02:45' };
    const daily = { repeats: 'day', repeatsUntil: '2014-03-10' };
    await ada.post(`/calendar/new?matter=${matterId}`, { ...night, ...daily });
    const days = { ...whole, day: '2014-03-08', lastDay: '2014-03-09', repeats: 'week' };
    await ada.post(`/calendar/new?matter=${matterId}`, { ...days, repeatsUntil: '2014-03-15' });
    const times = (await eventsOf(firm)).map(({ title, startsAt, endsAt }) =>
      [title, startsAt.toISOString().slice(0, 16), endsAt?.toISOString().slice(0, 16)].join(' '),
    );
    // On 9 March, 2:15 is 3:15.
    expect(times).toEqual([
      'Call 2014-03-04T04:30 2014-03-04T05:30',
      'Meeting 2014-03-08T05:00 ',
      'Night 2014-03-08T07:15 2014-03-08T07:45',
      'Night 2014-03-09T07:15 2014-03-09T07:45',
      'Night 2014-03-10T06:15 2014-03-10T06:45',
      'Call 2014-03-11T03:30 2014-03-11T04:30',
      'Meeting 2014-03-15T04:00 ',
    ]);
    const last = (await firm.owner.get(`/v1/calendar-events?matterId=${matterId}`)).body.data;
    expect(
      last.find(({ startDate }: { startDate: string }) => startDate === '2014-03-15'),
    ).toMatchObject({ startDate: '2014-03-15', endDate: '2014-03-16' });
  });

  test('is refused with words at its fields', async () => {
    const { firm, matterId, ada } = await newFirm();
    for (const [wrong, words] of [
      [
        { repeats: 'week', repeatsUntil: '2014-01-06' },
        'Repeats until must not be before the day of the event',
      ],
      [{ repeatsUntil: '2014-02-07' }, 'Repeats until is only for an event that repeats'],
      [{ repeats: 'century' }, 'Repeats must be one of the choices'],
      [{ repeats: 'week', repeatsUntil: '2014-02-30' }, 'Repeats until must be a day that exists'],
    ] as const) {
      const sent = { ...whole, day: '2014-01-07', ...wrong } as Record<string, string>;
      const { status, text } = await ada.post(`/calendar/new?matter=${matterId}`, sent);
      expect([status, plain(text).includes(words), words]).toEqual([422, true, words]);
    }
    expect(await everyEvent(firm)).toEqual([]);
    expect(await sql`select from event_series where firm_id = ${firm.id}`).toHaveLength(0);
  });

  test('that is changed by itself changes alone; with all that follow, others take their place', async () => {
    const { firm, matterId, ada } = await newFirm();
    const sent = { title: 'Status', day: '2014-01-08', begins: '09:00', ends: '', repeats: 'week' };
    const until = { repeatsUntil: '2014-02-19', colleagues: [attorney], guests: stranger };
    await ada.post(`/calendar/new?matter=${matterId}`, { ...sent, ...until });
    const [first, second, third, fourth, fifth] = await eventsOf(firm);
    const change = (event: Event | undefined, more: object) =>
      ada.post(`/calendar/${event?.id}`, { ...sent, ...until, which: 'this', ...more });
    // One alone: its day, also after the last day of the rule, but not how often it repeats.
    expect((await change(third, { day: '2014-01-23' })).status).toBe(303);
    expect(await daysOf(firm)).toEqual([
      '2014-01-08',
      '2014-01-15',
      '2014-01-23',
      '2014-01-29',
      '2014-02-05',
      '2014-02-12',
      '2014-02-19',
    ]);
    const refused = await change(second, { day: '2014-01-15', repeats: 'month' });
    expect([refused.status, plain(refused.text)]).toEqual([
      422,
      expect.stringContaining('Repeats can only change for this and all that follow'),
    ]);
    expect(await titlesOf(firm, 'event.invited')).toEqual([
      'An event has another time',
      'Invited to 7 events',
    ]);
    await ada.post(`/calendar/${fifth?.id}/cancel`);
    // From the second on, at another hour and with another title.
    const following = { day: '2014-01-15', begins: '14:00', title: 'Review', which: 'following' };
    expect((await change(second, following)).status).toBe(303);
    const now = (await eventsOf(firm)).map(({ id, title, startsAt }) => [
      title,
      startsAt.toISOString().slice(0, 16),
      [first, second, third, fourth].findIndex((one) => one?.id === id),
    ]);
    // The one that was moved stays, and the day whose event was cancelled stays free.
    expect(now).toEqual([
      ['Status', '2014-01-08T09:00', 0],
      ['Review', '2014-01-15T14:00', 1],
      ['Status', '2014-01-23T09:00', 2],
      ['Review', '2014-01-29T14:00', -1],
      ['Review', '2014-02-12T14:00', -1],
      ['Review', '2014-02-19T14:00', -1],
    ]);
    expect(await titlesOf(firm, 'event.cancelled')).toEqual([
      '3 events cancelled',
      'Event cancelled',
    ]);
    expect(await titlesOf(firm, 'event.invited')).toContain('Invited to 3 events');
    // The same again changes nothing.
    const before = await everyEvent(firm);
    const again = { ...following, begins: '14:00' };
    expect((await change(second, again)).status).toBe(303);
    expect(await everyEvent(firm)).toEqual(before);
    // No more: those that follow are gone, this one stays.
    const never = { ...following, repeats: '', repeatsUntil: '' };
    expect((await change(second, never)).status).toBe(303);
    expect(await daysOf(firm)).toEqual(['2014-01-08', '2014-01-15', '2014-01-23']);
    expect(plain((await ada.get(`/calendar/${second?.id}`)).text)).not.toContain('Repeats every');
    const history = plain((await ada.get(`/matters/${matterId}`)).text);
    for (const words of [
      'set the event Status to repeat every week until',
      'stopped the event Status from repeating',
      'stopped the event Review from repeating',
    ]) {
      expect([words, history.includes(words)]).toEqual([words, true]);
    }
    // And again from an event that is there.
    expect(
      (await change(second, { ...following, repeats: 'month', repeatsUntil: '' })).status,
    ).toBe(303);
    expect(await daysOf(firm)).toEqual([
      '2014-01-08',
      '2014-01-15',
      '2014-01-23',
      '2014-02-15',
      '2014-03-15',
    ]);
  });

  test('moves to another weekday with all that follow', async () => {
    const { firm, matterId, ada } = await newFirm();
    const sent = { ...whole, day: '2014-01-07', repeats: 'week', repeatsUntil: '2014-02-07' };
    await ada.post(`/calendar/new?matter=${matterId}`, sent);
    const [, , third] = await eventsOf(firm);
    const moved = { ...sent, day: '2014-01-22', which: 'following' };
    expect((await ada.post(`/calendar/${third?.id}`, moved)).status).toBe(303);
    const days = ['2014-01-07', '2014-01-14', '2014-01-22', '2014-01-29', '2014-02-05'];
    expect(await daysOf(firm)).toEqual(days);
    const [, , same, fourth] = await eventsOf(firm);
    expect(same?.id).toBe(third?.id);
    // One that was changed by itself is cancelled with the others, and told of by itself.
    const own = {
      ...whole,
      title: 'Own',
      day: '2014-01-30',
      which: 'this',
      colleagues: [attorney],
    };
    expect((await ada.post(`/calendar/${fourth?.id}`, { ...own })).status).toBe(303);
    await ada.post(`/calendar/${fourth?.id}/cancel`, { which: 'following' });
    expect(await daysOf(firm)).toEqual(days.slice(0, 3));
    expect(await titlesOf(firm, 'event.cancelled')).toEqual(['Event cancelled']);
  });

  test('is cancelled by itself, or with all that follow', async () => {
    const { firm, matterId, ada } = await newFirm();
    const sent = { ...whole, day: '2014-01-08', repeats: 'day', colleagues: [attorney] };
    await ada.post(`/calendar/new?matter=${matterId}`, sent);
    const made = await eventsOf(firm);
    // Sixty at most.
    expect(made.map(({ day }) => day)).toEqual(inRule('2014-01-08', 1, '2014-03-08'));
    const [, second, third] = made;
    expect(plain((await ada.get(`/calendar/${second?.id}?do=cancel`)).text)).toContain(
      'all that follow',
    );
    await ada.post(`/calendar/${second?.id}/cancel`);
    expect(await eventsOf(firm)).toHaveLength(59);
    const wrong = await ada.post(`/calendar/${third?.id}/cancel`, { which: 'all' });
    expect(wrong.status).toBe(422);
    const end = () => ada.post(`/calendar/${third?.id}/cancel`, { which: 'following' });
    expect((await end()).status).toBe(303);
    expect(await daysOf(firm)).toEqual(['2014-01-08']);
    expect(await titlesOf(firm, 'event.cancelled')).toEqual([
      '58 events cancelled',
      'Event cancelled',
    ]);
    const [open] = await sql`select count(*)::int as count from receipt join calendar_event event
        on event.firm_id = receipt.firm_id and event.id = receipt.event_id and event.cancelled_at is not null
      where receipt.firm_id = ${firm.id} and receipt.withdrawn_at is null`;
    expect(open?.count).toBe(0);
    // A program sees and cancels single events.
    const [last] = await eventsOf(firm);
    expect((await firm.owner.delete(`/v1/calendar-events/${last?.id}`)).status).toBeLessThan(300);
    expect(await eventsOf(firm)).toEqual([]);
  });

  test('belongs to a lead as its events do: hidden, and taken along at the hire', async () => {
    const { firm, ada } = await newFirm();
    const secret = await makeLead(firm, { isPrivate: true });
    const ben = await visitorOf(server, firm, attorney);
    const sent = { ...whole, title: 'Zanzibar', day: '2014-01-07', repeats: 'week' };
    const to = `/calendar/new?lead=${secret.id}`;
    expect((await ada.post(to, { ...sent, colleagues: [attorney] })).status).toBe(422);
    expect((await ben.post(to, sent)).status).toBe(404);
    await ada.post(`/leads/${secret.id}/assignees`, {
      assigneeIds: [firm.members[attorney] ?? ''],
    });
    expect((await ada.post(to, { ...sent, colleagues: [attorney] })).status).toBe(303);
    const [, second] = await eventsOf(firm);
    expect((await ben.get(`/calendar/${second?.id}`)).status).toBe(200);
    const assigneeIds = [firm.members[owner] ?? ''];
    await ada.post(`/leads/${secret.id}/assignees`, { assigneeIds });
    expect((await ben.get(`/calendar/${second?.id}`)).status).toBe(404);
    const change = { ...sent, day: '2014-01-14', which: 'following' };
    expect((await ben.post(`/calendar/${second?.id}`, change)).status).toBe(404);
    const cancel = { which: 'following' };
    expect((await ben.post(`/calendar/${second?.id}/cancel`, cancel)).status).toBe(404);
    expect((await ben.get('/settings/audit')).text).not.toContain('Zanzibar');
    await passTo(Date.UTC(2014, 2, 10, 12));
    // Who no longer sees the lead is invited to none of those that were made since.
    const [guests] = await sql`select count(*)::int as count from event_guest guest
      join calendar_event event on event.firm_id = guest.firm_id and event.id = guest.event_id
      where event.firm_id = ${firm.id} and event.series_day > '2014-04-01'`;
    expect((await daysOf(firm)).at(-1)).toBe('2014-05-20');
    expect(guests?.count).toBe(0);

    const { id: matterId } = await hire(server, firm, secret.id);
    expect(new Set((await eventsOf(firm)).map((one) => one.matterId))).toEqual(new Set([matterId]));
    await passTo(Date.UTC(2014, 4, 10, 12));
    expect((await daysOf(firm)).at(-1)).toBe('2014-07-08');
    expect(new Set((await eventsOf(firm)).map((one) => one.matterId))).toEqual(new Set([matterId]));
  });

  test('comes back when a hire is undone, and is made no more for a lead that is not hired', async () => {
    const { firm, ada } = await newFirm();
    const lead = await makeLead(firm);
    const start = await clock.now();
    const day = new Date(start).toISOString().slice(0, 10);
    await ada.post(`/calendar/new?lead=${lead.id}`, { ...whole, day, repeats: 'week' });
    await hire(server, firm, lead.id);
    expect((await ada.post(`/leads/${lead.id}/undo-hire`)).status).toBe(303);
    expect(new Set((await eventsOf(firm)).map((one) => one.matterId))).toEqual(new Set([null]));
    await passTo(start + 55 * 86_400_000);
    const known = await eventsOf(firm);
    expect(known.length).toBeGreaterThan(13);
    await sql`update lead set status = 'NOT_HIRED', decided_at = moment() where firm_id = ${firm.id} and id = ${lead.id}`;
    await passTo(start + 120 * 86_400_000);
    expect(await eventsOf(firm)).toEqual(known);
    const sent = { ...whole, day, repeats: 'week' };
    // The session from before is over.
    const again = await visitorOf(server, firm, owner);
    const refused = await again.post(`/calendar/new?lead=${lead.id}`, sent);
    expect([refused.status, plain(refused.text)]).toEqual([
      422,
      expect.stringContaining('Repeats can only be chosen while the lead is open'),
    ]);
    // It is taken up again.
    await sql`update lead set status = 'ACTIVE', decided_at = null where firm_id = ${firm.id} and id = ${lead.id}`;
    await passTo(start + 122 * 86_400_000);
    expect((await eventsOf(firm)).length).toBeGreaterThan(known.length);
  });

  test('leaves nothing behind where its matter is archived while the next ones are made', async () => {
    const { firm, ada } = await newFirm();
    const start = await clock.now();
    const day = new Date(start).toISOString().slice(0, 10);
    const matters = await Promise.all(Array.from({ length: 8 }, () => openMatter(firm, undefined)));
    for (const { id } of matters) {
      await ada.post(`/calendar/new?matter=${id}`, { ...whole, day, repeats: 'day' });
    }
    // All of them are due now.
    await clock.step(20 * 86_400);
    const archive = (id: string) =>
      comingAgain(firm.owner).patch(`/v1/matters/${id}`, { status: 'ARCHIVE' });
    wakeRunners();
    const answers = await Promise.all(matters.map(({ id }) => archive(id)));
    expect(answers.map(({ status }) => status)).toEqual(matters.map(() => 200));
    await settled();
    const now = await clock.now();
    expect((await eventsOf(firm)).filter(({ startsAt }) => startsAt.getTime() > now)).toEqual([]);
    const open =
      await sql`select from event_series where firm_id = ${firm.id} and ended_at is null`;
    expect(open).toHaveLength(0);
    await passTo(start + 30 * 86_400_000);
    expect((await eventsOf(firm)).filter(({ startsAt }) => startsAt.getTime() > now)).toEqual([]);
  });

  test('ends with its matter: archived, no more are made, and the coming ones are cancelled', async () => {
    const { firm, matterId, ada } = await newFirm();
    const start = await clock.now();
    const today = new Date(start).toISOString().slice(0, 10);
    await ada.post(`/calendar/new?matter=${matterId}`, { ...whole, day: today, repeats: 'week' });
    await firm.owner.patch(`/v1/matters/${matterId}`, { status: 'ARCHIVE' });
    await settled();
    // Today's has begun.
    expect(await daysOf(firm)).toEqual([today]);
    const sent = { ...whole, day: today, repeats: 'week' };
    const refused = await ada.post(`/calendar/new?matter=${matterId}`, sent);
    expect([refused.status, plain(refused.text)]).toEqual([
      422,
      expect.stringContaining('Repeats can only be chosen while the matter is not archived'),
    ]);
    await firm.owner.patch(`/v1/matters/${matterId}`, { status: 'ACTIVE' });
    await passTo(start + 60 * 86_400_000);
    expect(await daysOf(firm)).toEqual([today]);
    expect(
      await sql`select from job where firm_id = ${firm.id} and kind = 'event_series'`,
    ).toHaveLength(0);
  });

  test('goes on without who has left, and is not for a role that may not change matters', async () => {
    const { firm, matterId, ada } = await newFirm();
    const start = await clock.now();
    const day = new Date(start).toISOString().slice(0, 10);
    const sent = { ...whole, day, repeats: 'month', colleagues: [attorney], guests: stranger };
    await ada.post(`/calendar/new?matter=${matterId}`, sent);
    const cy = await visitorOf(server, firm, bookkeeper);
    const [first] = await eventsOf(firm);
    expect((await cy.post(`/calendar/${first?.id}/cancel`, { which: 'following' })).status).toBe(
      403,
    );
    expect((await cy.post(`/calendar/${first?.id}`, { ...sent, which: 'following' })).status).toBe(
      403,
    );
    await sql`update member set email = 'ada@new.example' where firm_id = ${firm.id} and email = ${owner}`;
    await sql`update member set deactivated_at = moment() where firm_id = ${firm.id} and email = ${attorney}`;
    const known = (await eventsOf(firm)).length;
    await passTo(start + 80 * 86_400_000);
    const now = await eventsOf(firm);
    expect(now.length).toBeGreaterThan(known);
    const invited = await sql`select email from event_guest where firm_id = ${firm.id}
      and event_id = ${now.at(-1)?.id ?? ''}`;
    expect(invited.map(({ email }) => email)).toEqual([stranger]);
  });
});
