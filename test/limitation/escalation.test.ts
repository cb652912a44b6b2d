/** While nobody has a limitation date, more people are told, by the firm's working days; nobody twice on a day. */
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
import { partsIn, textsIn } from '../support/html.ts';
import { visitorOf } from '../support/visitor.ts';
import { guardedDatabase, type Notice, openMatter } from './guarded.ts';

const guarded = await guardedDatabase();
const { databaseUrl, sql, put, settled, momentOf, unheldOf } = guarded;
await guarded.clock.standAt(Date.UTC(2022, 0, 3, 12));
const server = await startTestServer({ databaseUrl });

const staff = 'pat@harrow.example';

const newFirm = async () => {
  const firm = await makeFirm(server, {
    members: [...usualBlueprint.members, { email: staff, name: 'Pat Reed', role: 'Attorney' }],
  });
  await sql`update firm set time_zone = 'America/New_York' where id = ${firm.id}`;
  return firm;
};

const countsOf = async (firm: Firm) => {
  const counts = [];
  for (const email of [attorney, staff, owner, bookkeeper]) {
    counts.push((await unheldOf(firm, email)).length);
  }
  return counts;
};

const acknowledge = async (firm: Firm, email: string, id: string, day: string) => {
  const visitor = await visitorOf(server, firm, email);
  const answer = await visitor.post(`/matters/${id}/limitation/acknowledged`, { day });
  expect(answer.status).toBe(303);
};

const at = (day: string, hour: string) => momentOf(day, hour, 'America/New_York');

/** The attorney answers for it, Pat and Cy are also on the team; Cy may not see matters. */
const teamOf = ({ members }: Firm) => [
  { memberId: members[attorney] },
  { memberId: members[staff], role: 'RESPONSIBLE_STAFF' },
  { memberId: members[bookkeeper], role: 'RESPONSIBLE_STAFF' },
];

describe('A limitation date that nobody has', () => {
  test('goes to the team after two working days, to the owners after four, and to these each working day', async () => {
    // Thursday.
    await put(await at('2022-03-03', '12:00'));
    const firm = await newFirm();
    const day = '2022-05-02';
    const { id, publicId } = await openMatter(firm, day, { team: teamOf(firm) });
    await settled();
    const told: [day: string, hour: string, attorney: number, staff: number, owner: number][] = [
      ['2022-03-03', '12:00', 0, 0, 0],
      ['2022-03-04', '07:00', 0, 0, 0],
      ['2022-03-06', '12:00', 0, 0, 0],
      ['2022-03-07', '06:59', 0, 0, 0],
      ['2022-03-07', '07:00', 0, 1, 0],
      ['2022-03-08', '07:00', 0, 1, 0],
      ['2022-03-09', '07:00', 0, 1, 1],
      ['2022-03-09', '18:00', 0, 1, 1],
      ['2022-03-10', '07:00', 0, 1, 2],
      ['2022-03-11', '07:00', 0, 1, 3],
      ['2022-03-12', '07:00', 0, 1, 3],
      // Daylight saving begins on the 13th.
      ['2022-03-13', '07:00', 0, 1, 3],
      ['2022-03-14', '07:00', 0, 1, 4],
    ];
    for (const [date, hour, ...expected] of told) {
      await put(await at(date, hour));
      expect(await countsOf(firm), `${date} ${hour}`).toEqual([...expected, 0]);
    }
    // Who is told because nobody has the date gets that notice, and not the first one too.
    expect([await nearOf(firm, staff), await nearOf(firm, owner)]).toEqual([0, 0]);
    expect((await unheldOf(firm, staff))[0]).toMatchObject({
      recordId: id,
      title: 'Not acknowledged: a limitation date in 56 days',
      text: `Mon 2 May 2022: ${publicId} Quill v. Rook`,
    });
    await put(await at('2022-03-14', '09:00'));
    await acknowledge(firm, staff, id, day);
    for (const date of ['2022-03-15', '2022-03-16', '2022-03-17']) {
      await put(await at(date, '07:00'));
      expect(await countsOf(firm)).toEqual([0, 1, 4, 0]);
    }
    // The next notice, 30 days before, asks again.
    await put(await at('2022-04-02', '07:00'));
    await put(await at('2022-04-05', '07:00'));
    expect(await countsOf(firm)).toEqual([0, 2, 4, 0]);
  });

  test('is told as each has days written: as they chose, else as the firm did', async () => {
    await put(await at('2022-05-04', '12:00'));
    const firm = await newFirm();
    const chooses = async (who: string, path: string, dayOrder: string) => {
      const answer = await (await visitorOf(server, firm, who)).post(path, { dayOrder });
      expect(answer.status).toBe(303);
    };
    await chooses(owner, '/settings/firm/formats', 'MDY');
    await chooses(staff, '/settings/me/formats', 'YMD');
    const { publicId } = await openMatter(firm, '2022-05-16', { team: teamOf(firm) });
    await settled();
    await put(await at('2022-05-06', '07:00'));
    const name = `${publicId} Quill v. Rook`;
    const [near] = await sql`select text from notification where firm_id = ${firm.id}
      and member_id = ${firm.members[attorney] as string} and kind = 'limitation.near'`;
    expect(near?.text).toBe(`Mon May 16, 2022: ${name}`);
    expect((await unheldOf(firm, owner)).at(-1)?.text).toBe(`Mon May 16, 2022: ${name}`);
    expect((await unheldOf(firm, staff)).at(-1)?.text).toBe(`Mon 2022-05-16: ${name}`);
  });

  test('in the last fortnight goes on after each working day', async () => {
    await put(await at('2022-06-01', '12:00'));
    const firm = await newFirm();
    const { id } = await openMatter(firm, '2022-06-13', { team: teamOf(firm) });
    await settled();
    await put(await at('2022-06-02', '07:00'));
    expect(await countsOf(firm)).toEqual([0, 1, 0, 0]);
    await put(await at('2022-06-03', '07:00'));
    expect(await countsOf(firm)).toEqual([0, 1, 1, 0]);
    await acknowledge(firm, owner, id, '2022-06-13');
    await put(await at('2022-06-04', '07:00'));
    expect(await countsOf(firm)).toEqual([0, 1, 1, 0]);
  });

  test('within three days goes to the team at once, and every day of the week', async () => {
    // Friday evening; the date is on Monday.
    await put(await at('2022-07-08', '19:30'));
    const firm = await newFirm();
    await openMatter(firm, '2022-07-11', { team: teamOf(firm) });
    await settled();
    // The owners got the notice itself today: they are not told twice.
    expect(await countsOf(firm)).toEqual([0, 1, 0, 0]);
    for (const [date, count] of [
      ['2022-07-09', 1],
      ['2022-07-10', 1],
      ['2022-07-11', 2],
      ['2022-07-12', 3],
    ] as const) {
      await put(await at(date, '07:00'));
      const [, , owners] = await countsOf(firm);
      expect(owners, date).toBe(count);
    }
    expect((await unheldOf(firm, owner)).map(({ title }) => title)).toEqual([
      'Not acknowledged: a limitation date in 2 days',
      'Not acknowledged: a limitation date today',
      'Not acknowledged: a limitation date 1 day past',
    ]);
  });

  test('is told of in one notice, if there are several on one morning', async () => {
    await put(await at('2022-08-01', '12:00'));
    const firm = await newFirm();
    for (const day of ['2022-09-20', '2022-09-21', '2022-09-22']) {
      await openMatter(firm, day, { team: [{ memberId: firm.members[attorney] }] });
    }
    await settled();
    await put(await at('2022-08-02', '07:00'));
    expect(await unheldOf(firm, owner)).toEqual([]);
    // Nobody else is on the team, so the owners come next.
    await put(await at('2022-08-03', '07:00'));
    expect(await unheldOf(firm, owner)).toMatchObject([
      {
        recordId: null,
        title: 'Not acknowledged: 3 limitation dates, the first in 48 days',
        text: 'The first is on Tue 20 Sep 2022.',
      },
    ]);
  });

  test('is nobody’s if who had it has left, or if all have switched the notices off', async () => {
    await put(await at('2022-10-03', '12:00'));
    const firm = await newFirm();
    const [left, off] = [
      await openMatter(firm, '2022-12-01', { team: [{ memberId: firm.members[staff] }] }),
      await openMatter(firm, '2022-12-02'),
    ];
    await firm.command(['notify', 'set', '--member', attorney, 'limitation.near', 'off']);
    await settled();
    await acknowledge(firm, staff, left.id, '2022-12-01');
    await sql`update member set deactivated_at = moment() where id = ${firm.members[staff] ?? ''}`;
    // Nobody answers for the matter of who has left: the owners get the notice itself.
    await put(await at('2022-10-04', '07:00'));
    expect(await unheldOf(firm, owner)).toEqual([]);
    await put(await at('2022-10-05', '07:00'));
    const [notice, ...more] = await unheldOf(firm, owner);
    expect(more).toEqual([]);
    expect(notice?.title).toBe('Not acknowledged: 2 limitation dates, the first in 57 days');
    expect(off.id).toBeString();
  });

  test('is told of no more once it is met, moved, archived or deleted', async () => {
    await put(await at('2022-11-07', '12:00'));
    const firm = await newFirm();
    const made = [];
    for (let n = 0; n < 4; n += 1) made.push(await openMatter(firm, '2022-12-30'));
    await settled();
    const [met, moved, archived, deleted] = made.map(({ id }) => id);
    await sql`update matter set limitation_met_on = '2022-11-07' where id = ${met ?? ''}`;
    await firm.owner.patch(`/v1/matters/${moved}`, { solDate: '2024-01-01' });
    await firm.owner.patch(`/v1/matters/${archived}`, { status: 'ARCHIVE' });
    await firm.owner.delete(`/v1/matters/${deleted}`);
    for (const date of ['2022-11-09', '2022-11-10', '2022-11-11']) {
      await put(await at(date, '07:00'));
    }
    expect(await countsOf(firm)).toEqual([0, 0, 0, 0]);
  });

  test('does not count the firm’s holidays: its public ones and its own', async () => {
    await put(await at('2022-11-21', '12:00'));
    const firm = await newFirm();
    const ada = await visitorOf(server, firm, owner);
    const place = await ada.post('/settings/holidays/place', { holidaysOf: 'US-NY' });
    const own = await ada.post('/settings/holidays/own', { name: 'Closed', day: '2022-11-28' });
    expect([place.status, own.status]).toEqual([303, 303]);
    // Tuesday.
    await put(await at('2022-11-22', '12:00'));
    await openMatter(firm, '2023-01-20', { team: teamOf(firm) });
    await settled();
    const told: [day: string, staff: number, owner: number][] = [
      ['2022-11-23', 0, 0],
      // Thanksgiving.
      ['2022-11-24', 0, 0],
      ['2022-11-25', 1, 0],
      // The firm's own day is the Monday.
      ['2022-11-28', 1, 0],
      ['2022-11-29', 1, 0],
      ['2022-11-30', 1, 1],
    ];
    for (const [date, ...expected] of told) {
      await put(await at(date, '07:00'));
      expect(await countsOf(firm), date).toEqual([0, ...expected, 0]);
    }
  });

  test('is told of on the firm’s holidays too, within three days', async () => {
    await put(await at('2022-12-02', '12:00'));
    const firm = await newFirm();
    const ada = await visitorOf(server, firm, owner);
    await ada.post('/settings/holidays/own', { name: 'Closed', day: '2022-12-05' });
    await openMatter(firm, '2022-12-08', { team: [{ memberId: firm.members[attorney] }] });
    await settled();
    for (const [date, count] of [
      ['2022-12-04', 0],
      ['2022-12-05', 1],
    ] as const) {
      await put(await at(date, '07:00'));
      expect((await unheldOf(firm, owner)).length, date).toBe(count);
    }
  });
});

/** Sets a member's absence and deputy, on the page of who does it. */
const setAbsence = async (
  firm: Firm,
  [who, path]: [email: string, path: string],
  [awayFrom, awayUntil]: [string, string] | ['', ''],
  deputy: string,
) => {
  const visitor = await visitorOf(server, firm, who);
  return visitor.post(path, { awayFrom, awayUntil, deputyId: firm.members[deputy] ?? '' });
};

const nearOf = async (firm: Firm, email: string) => {
  const notices = await firm.command<Notice[]>(['inbox', '--member', email]);
  return notices.filter(({ kind }) => kind === 'limitation.near').length;
};

describe('The deputy', () => {
  test('gets the notices too while the attorney is away, and an owner can say so for them', async () => {
    await put(await at('2023-02-01', '12:00'));
    const firm = await newFirm();
    const page = `/settings/members/${firm.members[attorney]}/absence`;
    const away = ['2023-02-06', '2023-02-10'] as [string, string];
    expect((await setAbsence(firm, [attorney, page], away, staff)).status).toBe(403);
    expect((await setAbsence(firm, [owner, page], away, staff)).status).toBe(303);
    const mine = await (await visitorOf(server, firm, attorney)).get('/settings/me');
    expect(partsIn(mine.text, '#absence input').map((one) => one.getAttribute('value'))).toEqual(
      away,
    );
    // Notices are due on the day before the absence, on its last day, and on the day after.
    for (const day of ['2023-05-06', '2023-05-11', '2023-05-12']) {
      await openMatter(firm, day, { team: [{ memberId: firm.members[attorney] }] });
    }
    await settled();
    const before = await nearOf(firm, attorney);
    expect(await nearOf(firm, staff)).toBe(0);
    await put(await at('2023-02-05', '07:00'));
    expect([await nearOf(firm, attorney), await nearOf(firm, staff)]).toEqual([before + 1, 0]);
    // From the first day on, the deputy has what was asked before.
    await put(await at('2023-02-06', '07:00'));
    const inherited = await nearOf(firm, staff);
    expect(inherited).toBe(3);
    const standsIn = async (email: string) =>
      (await firm.command<Notice[]>(['inbox', '--member', email])).map(({ title }) =>
        title.endsWith(' days (you stand in for a colleague)'),
      );
    expect([await standsIn(staff), new Set(await standsIn(attorney))]).toEqual([
      [true, true, true],
      new Set([false]),
    ]);
    await put(await at('2023-02-10', '07:00'));
    expect([await nearOf(firm, attorney), await nearOf(firm, staff)]).toEqual([
      before + 2,
      inherited + 1,
    ]);
    await put(await at('2023-02-11', '07:00'));
    expect([await nearOf(firm, attorney), await nearOf(firm, staff)]).toEqual([
      before + 3,
      inherited + 1,
    ]);
  });

  test('is the first who is told of a date that nobody has, before the team and the owners', async () => {
    await put(await at('2023-06-01', '12:00'));
    const firm = await newFirm();
    const own: [string, string] = [attorney, '/settings/me/absence'];
    expect((await setAbsence(firm, own, ['', ''], staff)).status).toBe(303);
    await openMatter(firm, '2023-08-01', { team: [{ memberId: firm.members[attorney] }] });
    await settled();
    // The notice 60 days before has come meanwhile: the time counts from the first one.
    await put(await at('2023-06-05', '07:00'));
    expect(await countsOf(firm)).toEqual([0, 1, 0, 0]);
    await put(await at('2023-06-07', '07:00'));
    expect(await countsOf(firm)).toEqual([0, 1, 1, 0]);
    const [first, second] = [await unheldOf(firm, staff), await unheldOf(firm, owner)];
    expect([first[0]?.title, second[0]?.title]).toEqual([
      'Not acknowledged: a limitation date in 57 days (you stand in for a colleague)',
      'Not acknowledged: a limitation date in 55 days',
    ]);
  });

  test('is not asked about what they may not see; wrong days and deputies are refused', async () => {
    await put(await at('2023-09-04', '12:00'));
    const firm = await newFirm();
    const own: [string, string] = [attorney, '/settings/me/absence'];
    for (const [days, deputy] of [
      [['2023-09-08', '2023-09-04'], staff],
      [['2023-09-08', ''], staff],
      [['', ''], attorney],
    ] as [[string, string], string][]) {
      expect((await setAbsence(firm, own, days, deputy)).status).toBe(422);
    }
    expect((await setAbsence(firm, own, ['2023-09-04', '2023-09-29'], bookkeeper)).status).toBe(
      303,
    );
    await openMatter(firm, '2023-11-01', { team: [{ memberId: firm.members[attorney] }] });
    await settled();
    await put(await at('2023-09-06', '07:00'));
    const told = await sql`select distinct member_id from receipt where firm_id = ${firm.id}`;
    expect(told.map((row) => row.member_id)).not.toContain(firm.members[bookkeeper]);
  });
});

test('Home shows owners, and nobody else, the dates that nobody present has', async () => {
  await put(await at('2023-12-04', '12:00'));
  const firm = await newFirm();
  const team = [{ memberId: firm.members[attorney] }];
  const [held, unheld, away] = [
    await openMatter(firm, '2023-12-20', {
      team: [{ memberId: firm.members[staff] }],
      title: 'Held',
    }),
    await openMatter(firm, '2023-12-21', { team, title: 'Unheld' }),
    await openMatter(firm, '2023-12-22', { team, title: 'Away' }),
  ];
  await settled();
  await acknowledge(firm, staff, held.id, '2023-12-20');
  await acknowledge(firm, attorney, away.id, '2023-12-22');
  const shown = async (email: string) => {
    const { text } = await (await visitorOf(server, firm, email)).get('/');
    return textsIn(text, '[aria-labelledby="unheld-title"] a');
  };
  expect(await shown(owner)).toEqual(['Unheld']);
  await setAbsence(firm, [attorney, '/settings/me/absence'], ['2023-12-04', '2023-12-08'], '');
  expect(await shown(owner)).toEqual(['Unheld', 'Away']);
  expect(await shown(attorney)).toEqual([]);
  await acknowledge(firm, attorney, unheld.id, '2023-12-21');
  await setAbsence(firm, [attorney, '/settings/me/absence'], ['', ''], '');
  expect(await shown(owner)).toEqual([]);
});
