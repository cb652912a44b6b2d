/** The firm's own reminders of limitation dates, and its limits until more people are told. */
import { describe, expect, test } from 'bun:test';
import {
  attorney,
  bookkeeper,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
  usualBlueprint,
} from '../support/firm.ts';
import { textsIn } from '../support/html.ts';
import { visitorOf } from '../support/visitor.ts';
import { dayBefore, guardedDatabase, noticesOf, openMatter } from './guarded.ts';

const { databaseUrl, sql, put, settled, momentOf, clock } = await guardedDatabase();
await clock.standAt(Date.UTC(2022, 0, 3, 12));
const server = await startTestServer({ databaseUrl });
const page = '/settings/reminders';
const staff = 'pat@harrow.example';

const at = (day: string, hour: string) => momentOf(day, hour, 'UTC');

const newFirm = async () => {
  const members = [...usualBlueprint.members, { email: staff, name: 'Pat Reed', role: 'Attorney' }];
  const firm = await makeFirm(server, { members });
  await sql`update firm set time_zone = 'UTC' where id = ${firm.id}`;
  return firm;
};

const countOf = async (firm: Firm, id: string) =>
  (await noticesOf(firm, attorney)).filter(({ recordId }) => recordId === id).length;

const acknowledge = async (firm: Firm, id: string, day: string) => {
  const ben = await visitorOf(server, firm, attorney);
  expect((await ben.post(`/matters/${id}/limitation/acknowledged`, { day })).status).toBe(303);
};

describe('The firm’s reminders', () => {
  test('come on their days; a change sends nothing twice, and nothing for what was past its day', async () => {
    await put(await at('2022-03-01', '12:00'));
    const firm = await newFirm();
    const ada = await visitorOf(server, firm, owner);
    const [near, far, late] = ['2022-04-10', '2022-04-16', '2022-04-13'] as const;
    const open = async (day: string) => {
      const { id } = await openMatter(firm, day);
      await settled();
      await acknowledge(firm, id, day);
      return id;
    };
    const [soon, next] = [await open(near), await open(far)];
    expect([await countOf(firm, soon), await countOf(firm, next)]).toEqual([1, 1]);
    expect((await ada.post(`${page}/ladder`, { days: '200, 45; 5' })).status).toBe(303);

    // 40 days before its date: past the 45th, and asked by a reminder that is gone now.
    for (const day of ['2022-03-01', '2022-03-02']) {
      await put(await at(day, '18:00'));
      expect([day, await countOf(firm, soon)]).toEqual([day, 1]);
    }
    // The 45th day before this one is the day after the change.
    expect(await countOf(firm, next)).toBe(2);
    expect((await noticesOf(firm, attorney)).at(-1)?.title).toBe('Limitation date in 45 days');
    await acknowledge(firm, next, far);
    // A date that is set now is asked about at once.
    const set = await open(late);
    expect(await countOf(firm, set)).toBe(1);
    // A day has ended her session.
    const again = await visitorOf(server, firm, owner);
    const shown = await again.get(`/matters/${next}`);
    const ladder = textsIn(shown.text, 'ol.ladder li').join(' ');
    for (const days of ['45', '5']) expect(ladder).toContain(days);
    for (const days of ['30', '14']) expect(ladder).not.toContain(days);

    for (const day of [dayBefore(near, 30), dayBefore(near, 14), dayBefore(near, 6)]) {
      await put(await at(day, '07:00'));
      expect([day, await countOf(firm, soon), await countOf(firm, set)]).toEqual([day, 1, 1]);
    }
    await put(await at(dayBefore(near, 5), '07:00'));
    expect([await countOf(firm, soon), await countOf(firm, set)]).toEqual([2, 1]);
    const entries = await sql`
      select changes from audit_entry where firm_id = ${firm.id} and changes ? 'reminders'`;
    expect(entries.map(({ changes }) => changes)).toEqual([
      { reminders: { before: [180, 90, 60, 30, 14, 7, 1], after: [200, 45, 5] } },
    ]);
  });

  test('are refused unless they are numbers of days, and are an owner’s to change', async () => {
    const firm = await newFirm();
    const ada = await visitorOf(server, firm, owner);
    const many = Array.from({ length: 21 }, (_, index) => index + 1).join(', ');
    for (const days of ['', '0', '731', '-1', '1.5', 'x', '7 x', '1e2', many]) {
      const sent = await ada.post(`${page}/ladder`, { days });
      expect([days, sent.status]).toEqual([days, 422]);
    }
    const right = {
      ...{ unheldDays: '2', unheldSoonFrom: '14' },
      ...{ unheldDaysSoon: '1', unheldAtOnceFrom: '3' },
    };
    const wrong = {
      unheldDays: '0',
      unheldSoonFrom: '91',
      unheldDaysSoon: '',
      unheldAtOnceFrom: '15',
    };
    for (const [name, value] of Object.entries(wrong)) {
      const sent = await ada.post(`${page}/limits`, { ...right, [name]: value });
      expect([name, sent.status]).toEqual([name, 422]);
    }
    for (const email of [attorney, bookkeeper]) {
      const one = await visitorOf(server, firm, email);
      expect((await one.get(page)).status).toBe(403);
      expect((await one.post(`${page}/ladder`, { days: '9' })).status).toBe(403);
      expect((await one.post(`${page}/limits`, right)).status).toBe(403);
    }
    expect((await ada.get(page)).text).toContain('value="180, 90, 60, 30, 14, 7, 1"');
  });
});

test('The limits until more people are told are the firm’s', async () => {
  // Tuesday.
  await put(await at('2022-05-03', '12:00'));
  const firm = await newFirm();
  const ada = await visitorOf(server, firm, owner);
  const limits = {
    ...{ unheldDays: '4', unheldSoonFrom: '20' },
    ...{ unheldDaysSoon: '3', unheldAtOnceFrom: '0' },
  };
  expect((await ada.post(`${page}/limits`, limits)).status).toBe(303);
  const team = [
    { memberId: firm.members[attorney] },
    { memberId: firm.members[staff], role: 'RESPONSIBLE_STAFF' },
  ];
  const far = await openMatter(firm, '2022-06-30', { team });
  const soon = await openMatter(firm, '2022-05-20', { team });
  await settled();
  const toldOf = async () => {
    const rows = await sql<{ matterId: string }[]>`
      select matter_id as "matterId" from receipt
      where firm_id = ${firm.id} and member_id = ${firm.members[staff] ?? ''}`;
    return [far, soon].map(({ id }) => rows.some(({ matterId }) => matterId === id));
  };
  for (const [day, ...expected] of [
    ['2022-05-05', false, false],
    ['2022-05-06', false, true],
    ['2022-05-08', false, true],
    ['2022-05-09', true, true],
  ] as const) {
    await put(await at(day, '07:00'));
    expect([day, ...(await toldOf())]).toEqual([day, ...expected]);
  }
});

test('The reminders count working days, if the firm has chosen it', async () => {
  await put(await at('2023-05-01', '12:00'));
  const firm = await newFirm();
  const ada = await visitorOf(server, firm, owner);
  const chosen = { days: '10, 3, 1', inWorkingDays: 'on' };
  expect((await ada.post(`${page}/ladder`, chosen)).status).toBe(303);
  const changed = await ada.get(page);
  expect(changed.text).toContain('value="10, 3, 1"');
  expect(textsIn(changed.text, '[name=inWorkingDays][checked]').length).toBe(1);
  expect((await ada.post(`${page}/ladder`, { ...chosen, days: '366' })).status).toBe(422);
  const closed = { name: 'Founders’ day', day: '2023-05-25' };
  expect((await ada.post('/settings/holidays/own', closed)).status).toBe(303);
  // Before this Monday: Friday; with the closed Thursday, three days are the Tuesday, and ten the Friday of two weeks before.
  const date = '2023-05-29';
  const { id } = await openMatter(firm, date);
  const far = await openMatter(firm, '2099-12-31');
  await settled();
  const told = async (day: string, hour = '07:00') => {
    await put(await at(day, hour));
    return countOf(firm, id);
  };
  const first = await countOf(firm, id);
  const days: [day: string, more: number][] = [
    ['2023-05-11', 0],
    ['2023-05-12', 1],
    ['2023-05-22', 1],
    ['2023-05-23', 2],
    ['2023-05-25', 2],
    ['2023-05-26', 3],
    ['2023-05-28', 3],
    ['2023-05-29', 3],
  ];
  const seen: [day: string, more: number][] = [];
  for (const [day] of days) {
    seen.push([day, (await told(day)) - first]);
    if (day !== '2023-05-23') continue;
    // A holiday that comes after a reminder asks about nothing again: three working days are the Monday now.
    const late = await visitorOf(server, firm, owner);
    const shown = await late.get(`/matters/${far.id}`);
    expect(textsIn(shown.text, 'ol.ladder li').map(Number.parseFloat)).toEqual([10, 3, 1]);
    expect(textsIn(shown.text, '.limitation p').join(' ')).toContain(
      'The next reminder is on Thu 17 Dec 2099, 10 working days before.',
    );
    const more = { name: 'Moving', day: '2023-05-24' };
    expect((await late.post('/settings/holidays/own', more)).status).toBe(303);
    expect(await told(day, '18:00')).toBe(first + 2);
    expect(await told('2023-05-24')).toBe(first + 2);
  }
  expect(seen).toEqual(days);
  const steps = await sql<{ step: number }[]>`
    select distinct step from receipt
    where firm_id = ${firm.id} and matter_id = ${id} and member_id = ${firm.members[attorney] ?? ''}
    order by step desc`;
  expect(steps.map(({ step }) => step)).toEqual([30, 17, 6, 3]);
  const entries = await sql`
    select changes from audit_entry where firm_id = ${firm.id} and changes ? 'reminders'`;
  expect(entries.map(({ changes }) => changes)).toEqual([
    {
      reminders: { before: [180, 90, 60, 30, 14, 7, 1], after: [10, 3, 1] },
      remindersInWorkingDays: { before: false, after: true },
    },
  ]);
});
