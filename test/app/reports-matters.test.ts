/** The reports about matters, dates and work: their definitions, and each figure as long as its list. */

import { describe, expect, test } from 'bun:test';
import { connect } from '../support/database.ts';
import { attorney, bookkeeper, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { figuresIn, textIn, totalIn } from '../support/html.ts';
import { type Visitor, visitorOf } from '../support/visitor.ts';

const server = await startTestServer();
const sql = connect(server.databaseUrl);
const intake = 'ina@harrow.example';
const zone = 'Pacific/Kiritimati';

/** A day of the firm, so many days from today. */
const day = (days: number) =>
  new Date(Date.now() + 14 * 3_600_000 + days * 86_400_000).toISOString().slice(0, 10);

const newFirm = async () => {
  const reads = ['contacts:read', 'leads:read', 'leads:write', 'matters:read', 'reports:read'];
  const firm = await makeFirm(server, {
    roles: [
      { name: 'Attorney', permissions: [...reads, 'matters:write'] },
      { name: 'Intake', permissions: [...reads, 'data:export'] },
      { name: 'Bookkeeper', permissions: ['contacts:read', 'reports:read'] },
    ],
    members: [
      { email: owner, name: 'Ada Harrow', role: 'Owner' },
      { email: attorney, name: 'Ben Lane', role: 'Attorney' },
      { email: intake, name: 'Ina Ray', role: 'Intake' },
      { email: bookkeeper, name: 'Cy Moss', role: 'Bookkeeper' },
    ],
    practiceAreas: [
      { name: 'Family', stages: ['Intake', 'Filed'] },
      { name: 'Injury', stages: ['Intake', '=Demand'], expectsLimitationDate: true },
    ],
  });
  await sql`update firm set time_zone = ${zone} where id = ${firm.id}`;
  const make = async (area: string, body: object = {}) => {
    const made = await firm.owner.post('/v1/matters', {
      practiceAreaId: firm.practiceAreas[area]?.id,
      openDate: '2026-02-03',
      ...body,
    });
    expect(made.status).toBe(201);
    return made.body.data.id as string;
  };
  const set = (id: string, fields: Record<string, unknown>) =>
    sql`update matter set ${sql(fields)} where firm_id = ${firm.id} and id = ${id}`;
  const team = (email: string, role = 'RESPONSIBLE_ATTORNEY', allocation = 60) => ({
    memberId: firm.members[email],
    role,
    allocation,
  });
  return { firm, make, set, team };
};

type Made = Awaited<ReturnType<typeof newFirm>>;

/** Matters over all stages, states and dates, tasks and leads, some of them private. */
const fill = async ({ firm, make, set, team }: Made) => {
  const filed = firm.practiceAreas.Family?.stages.Filed;
  const ben = { team: [team(attorney), team(owner, 'ORIGINATING_ATTORNEY', 40)] };
  const first = await make('Family', ben);
  await firm.owner.patch(`/v1/matters/${first}`, { practiceAreaStageColumnId: filed });
  await make('Family', { openDate: '2025-12-31' });
  for (const solDate of [day(-1), day(0), day(7), day(8), day(30), day(31), day(181)]) {
    await make('Injury', { ...ben, solDate });
  }
  await make('Injury', { team: [team(owner), team(attorney)], solDate: day(20) });
  const met = await make('Injury', { ...ben, solDate: day(3) });
  await set(met, { limitation_met_on: day(0), limitation_met_by_id: firm.members[owner] });
  await make('Injury', ben);
  await make('Injury');
  const draft = await make('Injury', { ...ben, solDate: day(5) });
  await set(draft, { status: 'DRAFT' });
  const closed = await make('Injury', { ...ben, solDate: day(2), openDate: '2026-03-01' });
  await set(closed, { status: 'ARCHIVE', close_date: '2026-03-31' });
  const gone = await make('Injury', { ...ben, solDate: day(1) });
  await firm.owner.delete(`/v1/matters/${gone}`);
  for (const [due, done] of [
    [day(-1), false],
    [day(0), false],
    [null, false],
    [day(-3), true],
  ] as const) {
    await sql`insert into task (firm_id, id, matter_id, title, due_on, assignee_id, done_at,
        created_at, updated_at)
      values (${firm.id}, ${Bun.randomUUIDv7()}, ${first}, 'Call', ${due}, ${firm.members[attorney] ?? ''},
        ${done ? new Date() : null}, now(), now())`;
  }
  for (const body of [{}, { isPrivate: true }]) {
    const lead = await firm.owner.post('/v1/leads', {
      leadStageColumnId: firm.leadStages.New,
      lastName: 'Roe',
      ...body,
    });
    await sql`insert into lead_assignee (firm_id, lead_id, member_id)
      values (${firm.id}, ${lead.body.data.id}, ${firm.members[owner] ?? ''})
      on conflict do nothing`;
  }
};

const plain = (text: string) =>
  text
    .replace(/.*<main/s, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');

/** How long the list at an address is. */
const lengthOf = async (visitor: Visitor, href: string) => {
  const { status, text } = await visitor.get(href);
  expect(status).toBe(200);
  if (href.startsWith('/tasks')) {
    return Number(textIn(text, '[aria-label="Which tasks"] [aria-current] span'));
  }
  return totalIn(text);
};

describe('The reports about matters', () => {
  test('count by area and stage, what was opened and closed, and how long matters stay', async () => {
    const made = await newFirm();
    await fill(made);
    await sql`update matter set created_at = moment() - interval '10 days'
      where firm_id = ${made.firm.id}`;
    const ben = await visitorOf(server, made.firm, attorney);
    const { text } = await ben.get('/reports/matters?period=own&from=2026-03-01&to=2026-03-31');
    const said = plain(text);
    expect(said).toContain('Active today 13');
    expect(said).toContain('Opened 1 this period Closed 1 this period');
    expect(said).toContain('Family: 2 active');
    expect(said).toMatch(/Intake 1 10 days Filed 1 under a minute/);
    expect(said).toMatch(/Injury: 11 active .* Intake 11 10 days =Demand 0 –/);
  });

  test('count limitation dates that are past, come, and are missing, by attorney', async () => {
    const made = await newFirm();
    await fill(made);
    const ben = await visitorOf(server, made.firm, attorney);
    const said = plain((await ben.get('/reports/limitation-dates')).text);
    expect(said).toContain('Past 1 and not met');
    expect(said).toMatch(
      /All 9 100% Past 1 11% Within 7 days 3 33% Within 30 days 6 67% Within 60 days 7 78% Within 90 days 7 78% Within 180 days 7 78%/,
    );
    expect(said).toContain('None set 2 active matters that need one');
    expect(said).toMatch(/Ada Harrow 0 0 1 1 1 1 0 Ben Lane 1 3 6 7 7 7 1 Nobody 0 0 0 0 0 0 1/);
    expect(said).toContain('All matters 1 3 6 7 7 7 2');
  });

  test('add up the work of each member who holds any', async () => {
    const made = await newFirm();
    await fill(made);
    const [ada, ben] = await Promise.all(
      [owner, attorney].map((email) => visitorOf(server, made.firm, email)),
    );
    const own = plain((await ada?.get('/reports/workload'))?.text ?? '');
    // Shares, then: responsible, originating, staff, leads, tasks, overdue, limitation.
    expect(own).toContain('Ada Harrow 4.6 matters’ worth 1 10 0 2 0 0 7');
    expect(own).toContain('Ben Lane 6.6 matters’ worth 11 0 0 0 3 1 7');
    expect(own).not.toContain('Ina Ray');
    const others = plain((await ben?.get('/reports/workload'))?.text ?? '');
    expect(others).toContain('Ada Harrow 4.6 matters’ worth 1 10 0 1 0 0 7');
  });

  test('say one matter’s worth of one, of parts and of several how many matters’ worth, and no percent', async () => {
    const firm = await makeFirm(server);
    const practiceAreaId = firm.practiceAreas.Family?.id;
    const give = async (email: string, allocation: number) => {
      const team = [{ memberId: firm.members[email], allocation }];
      const sent = { title: 'Dove', practiceAreaId, openDate: '2026-03-03', team };
      expect((await firm.owner.post('/v1/matters', sent)).status).toBe(201);
    };
    const ada = await visitorOf(server, firm, owner);
    const worth = async () => plain((await ada.get('/reports/workload')).text);
    await give(owner, 100);
    await give(attorney, 50);
    const one = await worth();
    expect(one).toContain('Ada Harrow 1 matter’s worth');
    expect(one).toContain('Ben Lane 0.5 matters’ worth');
    await give(attorney, 50);
    await give(owner, 100);
    const two = await worth();
    expect(two).toContain('Ada Harrow 2 matters’ worth');
    expect(two).toContain('Ben Lane 1 matter’s worth');
    expect(two).not.toMatch(/\d ?%/);
  });

  test('are as long as the list of each figure, for owner, attorney and intake', async () => {
    const made = await newFirm();
    await fill(made);
    for (const email of [owner, attorney, intake]) {
      const visitor = await visitorOf(server, made.firm, email);
      for (const address of [
        '/reports/matters?period=own&from=2026-03-01&to=2026-03-31',
        '/reports/limitation-dates',
        '/reports/workload',
      ]) {
        const { status, text } = await visitor.get(address);
        expect(status).toBe(200);
        const figures = new Map(figuresIn(text).map((one) => [one.href, one]));
        expect(figures.size).toBeGreaterThan(4);
        const lengths = await Promise.all(
          [...figures.values()].map(async ({ href }) => [href, await lengthOf(visitor, href)]),
        );
        expect(Object.fromEntries(lengths)).toEqual(
          Object.fromEntries([...figures.values()].map(({ href, count }) => [href, count])),
        );
      }
    }
  });

  test('are given as files to those who may export, written down, and refused to others', async () => {
    const made = await newFirm();
    await fill(made);
    const { firm } = made;
    const [ina, ben, cy] = await Promise.all(
      [intake, attorney, bookkeeper].map((email) => visitorOf(server, firm, email)),
    );
    const files = {
      matters: "Injury,'=Demand,0,",
      'limitation-dates': 'Ben Lane,1,3,6,7,7,7,1',
      workload: 'Ben Lane,660%,11,0,0,0,3,1,7',
    };
    for (const [name, line] of Object.entries(files)) {
      const path = `/reports/${name}`;
      const given = await ina?.post(`${path}/export`);
      expect(given?.status).toBe(200);
      expect(given?.text).toContain(line);
      expect((await ben?.post(`${path}/export`))?.status).toBe(403);
      expect((await cy?.get(path))?.status).toBe(403);
    }
    const entries = await sql<{ what: string }[]>`
      select changes->'exported'->'after'->>'what' as what from audit_entry
      where firm_id = ${firm.id} and changes ? 'exported' order by id`;
    expect(entries.map(({ what }) => what)).toEqual([
      'matters report',
      'limitation dates report',
      'workload report',
    ]);
  });
});
