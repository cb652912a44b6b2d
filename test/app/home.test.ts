/** Home and the list of contacts, over HTTP. */

import { expect, test } from 'bun:test';
import { connect } from '../support/database.ts';
import { attorney, bookkeeper, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { attributesIn, namesIn, textsIn } from '../support/html.ts';
import { visitorOf } from '../support/visitor.ts';

const server = await startTestServer();
const sql = connect(server.databaseUrl);

const plain = (text: string) => text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

/** A part of a page: the words under its heading. */
const panel = (text: string, id: string) => {
  const [, after = ''] = text.split(`id="${id}-title"`);
  return plain(`<${after.split('</section>')[0]}`);
};

const dayFrom = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

test('new leads are those of the first stage that are mine or nobody’s; one is made mine', async () => {
  const firm = await makeFirm(server);
  const make = async (lastName: string, more: object = {}) => {
    const made = await firm.owner.post('/v1/leads', { lastName, ...more });
    return made.body.data.id as string;
  };
  const old = await make('Older');
  await make('Newer');
  await make('Further', { leadStageColumnId: firm.leadStages.Contacted });
  await make('Hidden', { isPrivate: true });
  const theirs = await make('Theirs');
  await sql`update lead set created_at = moment() - interval '3 days'
    where firm_id = ${firm.id} and id = ${old}`;
  const [ada, ben, cy] = [
    await visitorOf(server, firm, owner),
    await visitorOf(server, firm, attorney),
    await visitorOf(server, firm, bookkeeper),
  ];
  expect((await ada.post('/', { assign: theirs })).status).toBe(303);
  const before = panel((await ben.get('/')).text, 'new-leads');
  expect(before).toMatch(/Newer.*Older No area · waiting 3 days/);
  expect(before).not.toMatch(/Theirs|Further|Hidden|Mine/);
  expect(before).toContain('Unassigned (2)');
  expect(await ben.post('/', { assign: old })).toMatchObject({ status: 303, location: '/' });
  const after = panel((await ben.get('/')).text, 'new-leads');
  expect(after).toContain('Mine (1) Unassigned (1)');
  expect(panel((await ada.get('/')).text, 'new-leads')).not.toContain('Older');
  const hidden = await sql<{ id: string }[]>`
    select lead.id from lead where firm_id = ${firm.id} and is_private`;
  for (const id of [hidden[0]?.id ?? '', Bun.randomUUIDv7(), 'x', '']) {
    expect((await ben.post('/', { assign: id })).status).toBe(404);
  }
  expect((await cy.post('/', { assign: old })).status).toBe(403);
  expect((await cy.get('/')).text).not.toContain('new-leads');
});

test('my dates are those of my matters, from overdue to 14 days', async () => {
  const firm = await makeFirm(server);
  const area = firm.practiceAreas.Family;
  const contact = await firm.owner.post('/v1/contacts', { type: 'PERSON', lastName: 'Roe' });
  const make = async (title: string, solDate: string, email = attorney) => {
    const made = await firm.owner.post('/v1/matters', {
      title,
      solDate,
      openDate: '2020-01-01',
      practiceAreaId: area?.id,
      stageId: area?.stages.Intake,
      clientContactIds: [contact.body.data.id],
      team: [{ memberId: firm.members[email], role: 'RESPONSIBLE_ATTORNEY' }],
    });
    expect(made.status).toBe(201);
    return made.body.data.id as string;
  };
  const late = await make('Late', dayFrom(-11));
  await make('Soon', dayFrom(9));
  await make('Now', dayFrom(0));
  await make('Distant', dayFrom(15));
  await make('Foreign', dayFrom(3), owner);
  await firm.owner.patch(`/v1/matters/${await make('Archived', dayFrom(2))}`, {
    status: 'ARCHIVE',
  });
  const event = async (title: string, days: number, cancelled = false) => sql`
    insert into calendar_event (firm_id, id, matter_id, title, starts_at, cancelled_at, created_at, updated_at)
    values (${firm.id}, ${Bun.randomUUIDv7()}, ${late}, ${title}, ${`${dayFrom(days)}T10:30:00Z`},
      ${cancelled ? new Date() : null}, moment(), moment())`;
  await event('Hearing', 2);
  await event('Past hearing', -1);
  await event('Called off', 2, true);
  const ben = await visitorOf(server, firm, attorney);
  const { text } = await ben.get('/');
  const dates = panel(text, 'dates');
  expect(dates).toMatch(
    /Overdue Limitation: Late .* 11 days past .* Today Limitation: Now .* Today .*Next 14 days Hearing .* In 2 days .*, 10:30 Limitation: Soon .* In 9 days/,
  );
  expect(attributesIn(text, '.dates > header a', 'href')).toEqual(['/calendar']);
  // Numbers do not break over lines.
  expect(textsIn(text, '.dates .sub .nowrap')).toContain(
    (await firm.owner.get(`/v1/matters/${late}`)).body.data.publicId,
  );
  expect(dates).not.toMatch(/Distant|Foreign|Archived|Past hearing|Called off/);
  expect(plain(text)).toContain('1 overdue, 3 in the next 14 days');
  const cy = await visitorOf(server, firm, bookkeeper);
  expect((await cy.get('/')).text).not.toContain('My dates');
});

test('contacts are sorted and found by their words, within what the reader sees', async () => {
  const firm = await makeFirm(server);
  const make = (body: object) => firm.owner.post('/v1/contacts', body);
  await make({ type: 'PERSON', lastName: 'Brontë', phones: ['020 7946 0991'] });
  await make({ type: 'COMPANY', companyName: 'Acme', emails: ['z@acme.example'] });
  await make({ type: 'PERSON', lastName: '=Calder', emails: ['calder@roe.example'] });
  await firm.owner.post('/v1/leads', { lastName: 'Hidden', isPrivate: true });
  const [ada, ben] = [
    await visitorOf(server, firm, owner),
    await visitorOf(server, firm, attorney),
  ];
  const names = async (query: string, visitor = ben) => {
    const { status, text } = await visitor.get(`/contacts?${query}`);
    expect(status).toBe(200);
    return namesIn(text);
  };
  expect(await names('')).toEqual(['=Calder', 'Acme', 'Brontë']);
  expect((await names('', ada))[0]).toBe('Hidden');
  expect(await names('sort=-name')).toEqual(['Brontë', 'Acme', '=Calder']);
  expect(await names('sort=email')).toEqual(['=Calder', 'Acme', 'Brontë']);
  expect(await names('sort=-phone')).toEqual(['Brontë', '=Calder', 'Acme']);
  expect(await names('sort=nonsense')).toEqual(['=Calder', 'Acme', 'Brontë']);
  expect(await names('q=BRONTE')).toEqual(['Brontë']);
  expect(await names('q=7946+0991')).toEqual(['Brontë']);
  expect(await names('q=hidden')).toEqual([]);
  expect(await names('q=%25')).toHaveLength(3);
  expect(await names('type=COMPANY&sort=name')).toEqual(['Acme']);
  const file = await ada.post('/contacts/export?q=calder&sort=name');
  expect(file.status).toBe(200);
  expect(file.text).toContain("Name,Type,Email,Phone,Matters,Leads\n'=Calder,Person,calder@roe");
  expect(file.text).not.toContain('Acme');
  expect((await ben.post('/contacts/export')).status).toBe(403);
});

test('owners see each limitation date that is past or near, as its notices tell them', async () => {
  const firm = await makeFirm(server);
  const make = async (title: string, days: number, more: object = {}) => {
    const made = await firm.owner.post('/v1/matters', {
      title,
      solDate: dayFrom(days),
      openDate: '2020-01-01',
      practiceAreaId: firm.practiceAreas.Family?.id,
      team: [{ memberId: firm.members[attorney], role: 'RESPONSIBLE_ATTORNEY' }],
      ...more,
    });
    return made.body.data.id as string;
  };
  await make('Late', -11);
  await make('Nobody’s', -2, { team: [] });
  await make('Near', 6);
  await make('Far', 9);
  const met = await make('Met', -3);
  const archived = await make('Archived', -4);
  await firm.owner.patch(`/v1/matters/${archived}`, { status: 'ARCHIVE' });
  await sql`update matter set limitation_met_on = sol_date where firm_id = ${firm.id} and id = ${met}`;
  const [ada, ben] = await Promise.all([
    visitorOf(server, firm, owner),
    visitorOf(server, firm, attorney),
  ]);
  const text = (await ada.get('/')).text;
  expect(plain(text)).toContain('2 overdue, 1 in the next 14 days');
  const dates = panel(text, 'dates');
  expect(dates).toMatch(/Overdue Limitation: Late .*Limitation: Nobody’s .*Limitation: Near/);
  expect(dates).not.toMatch(/Far|Met|Archived/);
  // Who is responsible sees their own, and sees them further ahead.
  const bens = (await ben.get('/')).text;
  expect(plain(bens)).toContain('1 overdue, 2 in the next 14 days');
  expect(panel(bens, 'dates')).not.toContain('Nobody’s');
});
