/** The reports, over HTTP: each figure is as long as the list that it opens, for each who may read them. */

import { expect, test } from 'bun:test';
import { connect, movedBy } from '../support/database.ts';
import { attorney, bookkeeper, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { figuresIn, partsIn, textIn, totalIn } from '../support/html.ts';
import { type Visitor, visitorOf } from '../support/visitor.ts';

const server = await startTestServer();
const sql = connect(server.databaseUrl);

const intake = 'ina@harrow.example';
const readsLeads = ['contacts:read', 'contacts:write', 'leads:read', 'leads:write'];

/** A firm with leads over all stages and outcomes, some of them private, on either side of midnight. */
const newFirm = async () => {
  const firm = await makeFirm(server, {
    roles: [
      {
        name: 'Attorney',
        permissions: [...readsLeads, 'matters:read', 'matters:write', 'reports:read'],
      },
      { name: 'Intake', permissions: [...readsLeads, 'reports:read', 'data:export'] },
      { name: 'Bookkeeper', permissions: ['contacts:read'] },
    ],
    members: [
      { email: owner, name: 'Ada Harrow', role: 'Owner' },
      { email: attorney, name: 'Ben Lane', role: 'Attorney' },
      { email: intake, name: 'Ina Roe', role: 'Intake' },
      { email: bookkeeper, name: 'Cy Moss', role: 'Bookkeeper' },
    ],
    leadStages: ['New', 'Contacted', 'Consultation'],
    customFields: [{ on: 'lead', name: 'Channel', type: 'SELECT', options: ['=Web', 'Friend'] }],
  });
  const field = firm.customFields.lead.Channel ?? '';
  await sql`update firm set time_zone = 'America/Los_Angeles', source_field_id = ${field}
    where id = ${firm.id}`;
  const reason = Bun.randomUUIDv7();
  await sql`delete from not_hired_reason where firm_id = ${firm.id}`;
  await sql`insert into not_hired_reason (firm_id, id, name, position, created_at)
    values (${firm.id}, ${reason}, 'Fees', 0, moment())`;
  const make = async (body: object, at = '2026-03-10T12:00:00Z') => {
    const made = await firm.owner.post('/v1/leads', { firstName: 'Prospect', ...body });
    expect(made.status).toBe(201);
    const { id } = made.body.data as { id: string };
    await sql`update lead set created_at = ${at} where firm_id = ${firm.id} and id = ${id}`;
    return id;
  };
  return { firm, make, reason };
};

type Made = Awaited<ReturnType<typeof newFirm>>;

const fill = async ({ firm, make, reason }: Made) => {
  const family = firm.practiceAreas.Family?.id;
  const move = async (id: string, ...stages: string[]) => {
    for (const stage of stages) {
      const body = { leadStageColumnId: firm.leadStages[stage] };
      expect((await firm.owner.patch(`/v1/leads/${id}`, body)).status).toBe(200);
    }
  };
  const decide = (id: string, status: string, hours: number) => sql`
    update lead set status = ${status}, decided_at = ${movedBy(sql, 'created_at', `${hours} hours`)},
      not_hired_reason_id = ${status === 'HIRED' ? null : reason}
    where firm_id = ${firm.id} and id = ${id}`;
  const web = { customFields: { Channel: '=Web' } };
  await make({ ...web, practiceAreaId: family });
  // Went far and came back: it has reached what it left.
  await move(await make({ customFields: { Channel: 'Friend' } }), 'Consultation', 'New');
  await decide(await make({ ...web, practiceAreaId: family }), 'HIRED', 10);
  await decide(await make({}), 'HIRED', 30);
  const declined = await make(web);
  await move(declined, 'Contacted');
  await decide(declined, 'NOT_HIRED', 5);
  await sql`update lead set status = 'ARCHIVE' where firm_id = ${firm.id} and id = ${await make({})}`;
  const hidden = await make({ ...web, isPrivate: true });
  await move(hidden, 'Contacted');
  // The last moment of 31 March in Los Angeles, and the first of April.
  await make({}, '2026-04-01T06:59:59Z');
  await make({}, '2026-04-01T07:00:00Z');
};

const march = 'period=own&from=2026-03-01&to=2026-03-31';

/** The length of the list at an address. */
const lengthOf = async (visitor: Visitor, href: string) => {
  const { status, text } = await visitor.get(href);
  expect(status).toBe(200);
  return totalIn(text);
};

test('each figure of both reports is as long as its list, for owner, attorney and intake', async () => {
  const made = await newFirm();
  await fill(made);
  const lead = await made.make({});
  const ada = await visitorOf(server, made.firm, owner);
  await sql`update lead set created_at = moment() - interval '90 minutes'
    where firm_id = ${made.firm.id} and id = ${lead}`;
  await ada.post('/', { assign: lead });
  const seen = { [owner]: 8, [attorney]: 7, [intake]: 7 };
  for (const [email, leads] of Object.entries(seen)) {
    const visitor = await visitorOf(server, made.firm, email);
    const addresses = ['/reports/intake', '/reports/speed'].flatMap((path) => [
      `${path}?${march}`,
      `${path}?period=own&from=2026-03-01&to=2027-12-31`,
    ]);
    for (const address of addresses) {
      const { status, text } = await visitor.get(address);
      expect(status).toBe(200);
      const figures = figuresIn(text);
      expect(figures.length).toBeGreaterThan(4);
      if (address.endsWith(march)) expect(figures[0]?.count, `${email} ${address}`).toBe(leads);
      for (const { href, count } of new Map(figures.map((one) => [one.href, one])).values()) {
        expect(await lengthOf(visitor, href), `${email} ${href}`).toBe(count);
      }
    }
  }
});

const plain = (text: string) => text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

test('the intake report counts how far leads came, outcomes, sources and areas', async () => {
  const made = await newFirm();
  await fill(made);
  const ben = await visitorOf(server, made.firm, attorney);
  const text = plain((await ben.get(`/reports/intake?${march}`)).text);
  expect(text).toContain(
    'All leads 7 100% New 7 100% Contacted 4 57% Consultation 3 43% Hired 2 29%',
  );
  expect(text).toContain('Not hired: Fees 1 14%');
  expect(text).toContain('Open 3 43% Archived 1 14%');
  expect(text).toContain('Hire rate 67%');
  expect(text).toContain('Leads 7 3 still open Hired 2 of 3 decided');
  expect(text).toContain('Not hired 1 most often: Fees');
  expect(text).not.toMatch(/you may see|What became of them|How far leads came/);
  expect(text).toContain('=Web 3 2 1 1 1 50% Friend 1 1 1 0 0 – None 3 1 1 1 0 100%');
  expect(text).toContain('Family 2 1 1 1 0 100% No area 5 3 2 1 1 50% All 7 4 3 2 1 67%');
});

test('the speed report measures the first response by a person and the decisions of the period', async () => {
  const { firm, make, reason } = await newFirm();
  const ada = await visitorOf(server, firm, owner);
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  for (const hours of [2, 20, 30]) await ada.post('/', { assign: await make({}, ago(hours)) });
  // What comes through a key is no touch.
  const untouched = await make({}, ago(5));
  await firm.owner.patch(`/v1/leads/${untouched}`, { value: 'HIGH' });
  const year = new Date().getUTCFullYear() - 1;
  const decided = await make({}, `${year}-06-01T00:00:00Z`);
  await sql`update lead set status = 'NOT_HIRED', not_hired_reason_id = ${reason},
    decided_at = moment() where firm_id = ${firm.id} and id = ${decided}`;
  const period = `period=own&from=${year}-01-02&to=${year + 2}-01-01`;
  const text = plain((await ada.get(`/reports/speed?${period}`)).text);
  expect(text).toContain('Within 1 hour 0 0% Within 4 hours 1');
  expect(text).toContain('First response to leads created in this period 3 20 hours 30 hours');
  expect(text).toContain('Hired in this period 0 – –');
  expect(text).toMatch(/Not hired in this period 1 \d+/);
  expect(text).toContain('Not yet 2');
  expect(text).toContain('Leads created 5 60% have had a response');
  expect(text).toContain('First response 20 hours median; 90% within 30 hours');
  expect(text).toContain('Hired after – none in this period');
  expect(text).toContain('Any response 3 60%');
  expect(text).not.toMatch(/touch|9 in 10|At all|these days/i);
});

test('what a member took back is no first response, and what they did again after that is one', async () => {
  const { firm, make, reason } = await newFirm();
  const ada = await visitorOf(server, firm, owner);
  const ben = firm.members[attorney] ?? '';
  /** Sends a form as a script does, and gives the form that takes it back. */
  const done = async (path: string, fields: Record<string, string | string[]>) => {
    const { status, text } = await ada.post(path, fields, { 'x-sent-by': 'page' });
    expect(status, text).toBe(200);
    const { action, fields: back } = JSON.parse(text).said?.undo ?? { fields: [] };
    const names = new Set<string>(back.map(([name]: [string]) => name));
    const valuesOf = (name: string) =>
      back.flatMap(([one, value]: [string, string]) => (one === name ? [value] : []));
    return () => done(action, Object.fromEntries([...names].map((name) => [name, valuesOf(name)])));
  };
  const edit = (id: string, value: string, was: string) =>
    done(`/leads/${id}`, { value, 'was.value': was });
  const firstName = async (id: string, now: string, was: string) => {
    const { contact } = (await firm.owner.get(`/v1/leads/${id}`)).body.data;
    await done(`/contacts/${contact.id}`, { firstName: now, 'was.firstName': was });
  };
  const ways: Record<string, (id: string) => Promise<unknown>> = {
    'assigned among several': async (id) => {
      const all = { do: 'all-assign:add', id: [id, await make({})], assigneeIds: ben };
      await (await done('/leads?view=list', all))();
    },
    'moved among several': async (id) => {
      const all = { do: `all-move:${firm.leadStages.Contacted}`, id };
      await (await done('/leads?view=list', all))();
    },
    assigned: async (id) => await (await done(`/leads/${id}/assignees`, { assigneeIds: ben }))(),
    archived: async (id) => await (await done(`/leads/${id}/status`, { status: 'ARCHIVE' }))(),
    'not hired': async (id) => await (await done(`/leads/${id}/not-hired`, { reasonId: reason }))(),
    hired: async (id) => {
      const practiceAreaId = firm.practiceAreas.Family?.id ?? '';
      await (await done(`/leads/${id}/hire`, { practiceAreaId, openDate: '2026-03-10' }))();
    },
    edited: async (id) => {
      await edit(id, 'HIGH', '');
      await edit(id, '', 'HIGH');
      // What a program does in between is no response, and takes nothing back.
      await firm.owner.patch(`/v1/leads/${id}`, { value: 'LOW' });
      await edit(id, 'HIGH', 'LOW');
      await edit(id, 'LOW', 'HIGH');
    },
    named: async (id) => {
      await firstName(id, 'Rosa', 'Prospect');
      await firstName(id, 'Prospect', 'Rosa');
    },
  };
  const ids: string[] = [];
  for (const [way, takesBack] of Object.entries(ways)) {
    const id = await make({});
    ids.push(id);
    await takesBack(id);
    const { text } = await ada.get(`/leads/${id}`);
    expect(plain(text), way).toContain('First response Not yet');
  }
  const figures = async () => plain((await ada.get(`/reports/speed?${march}`)).text);
  expect(await figures()).toContain('Any response 0');
  expect(await figures()).toContain(`Not yet ${ids.length + 1}`);
  expect(await lengthOf(ada, '/leads?view=list&touched=yes')).toBe(0);

  const [again = '', other = '', twice = '', half = ''] = ids;
  await done(`/leads/${again}/assignees`, { assigneeIds: ben });
  // What somebody else gives back is their own work.
  await edit(other, 'HIGH', '');
  const by = await visitorOf(server, firm, attorney);
  expect((await by.post(`/leads/${other}`, { value: '', 'was.value': 'HIGH' })).status).toBe(303);
  await edit(twice, 'HIGH', '');
  await edit(twice, '', 'HIGH');
  await edit(twice, 'HIGH', '');
  await done(`/leads/${half}/assignees`, { assigneeIds: [ben, firm.members[owner] ?? ''] });
  await done(`/leads/${half}/assignees`, { assigneeIds: ben });
  expect(await figures()).toContain('Any response 4');
  expect(await lengthOf(ada, '/leads?view=list&touched=yes')).toBe(4);
});

test('a report as a file is for those who may take records out, is inert, and is written down', async () => {
  const made = await newFirm();
  await fill(made);
  const { firm } = made;
  const [ina, ben, cy] = await Promise.all(
    [intake, attorney, bookkeeper].map((email) => visitorOf(server, firm, email)),
  );
  const given = await ina?.post(`/reports/intake/export?${march}`);
  expect(given?.status).toBe(200);
  expect(given?.text).toContain("Channel,'=Web,3,3,2,1,1,1,1,1,0,0,50%");
  expect((await ina?.post(`/reports/speed/export?${march}`))?.text).toContain('Median (hours)');
  expect((await ben?.post('/reports/intake/export'))?.status).toBe(403);
  expect((await ben?.get('/reports/intake'))?.text).not.toContain('/reports/intake/export');
  expect((await cy?.get('/reports/intake'))?.status).toBe(403);
  expect((await cy?.get('/reports/speed'))?.status).toBe(403);
  const entries = await sql<{ changes: { exported: { after: object } } }[]>`
    select changes from audit_entry where firm_id = ${firm.id} and record_kind = 'firm'
      and changes ? 'exported' order by id`;
  expect(entries.map(({ changes }) => changes.exported.after)).toEqual([
    { what: 'intake report', address: `/reports/intake?${march}`, rows: 6 },
    { what: 'speed report', address: `/reports/speed?${march}`, rows: 3 },
  ]);
});

test('a period that is none is this quarter, and days in the wrong order are put in order', async () => {
  const made = await newFirm();
  await fill(made);
  const ada = await visitorOf(server, made.firm, owner);
  const turned = await ada.get('/reports/intake?period=own&from=2026-03-31&to=2026-03-01');
  expect(figuresIn(turned.text)[0]?.count).toBe(8);
  for (const odd of ['period=ages', 'period=own&from=2026-02-30&to=x', 'period=constructor']) {
    expect((await ada.get(`/reports/intake?${odd}`)).status).toBe(200);
  }
  expect((await ada.get('/reports')).location).toBe('/reports/intake');
});

test('without a source field the report says so', async () => {
  const { firm, make } = await newFirm();
  await make({}, new Date().toISOString());
  await sql`update firm set source_field_id = null where id = ${firm.id}`;
  const ada = await visitorOf(server, firm, owner);
  const { text } = await ada.get('/reports/intake');
  expect(text).toContain('has not chosen the field that says where a lead came from');
  expect(text).toContain('href="/settings/firm#source"');
  expect((await ada.get('/settings/firm')).text).toContain('id="source"');
});

test('a report without anything to count is one sentence, and its file is whole', async () => {
  const { firm } = await newFirm();
  const ada = await visitorOf(server, firm, owner);
  const sentences = {
    intake: 'No leads were created in this period.',
    speed: 'No leads were created or decided in this period.',
    matters: 'No matters are active, and none were opened or closed in this period.',
    'limitation-dates': 'No limitation dates are open, and none are missing.',
    workload: 'There is no open work yet.',
  };
  for (const [name, sentence] of Object.entries(sentences)) {
    const { text } = await ada.get(`/reports/${name}?${march}`);
    expect(textIn(text, '.report .empty'), name).toBe(sentence);
    expect(partsIn(text, '.report :is(table, .figures)')).toEqual([]);
    const { status, text: file } = await ada.post(`/reports/${name}/export?${march}`);
    expect(status).toBe(200);
    expect(file.split('\n')[0]).toMatch(/^\uFEFF?[A-Z][\w ]+,/);
  }
});
