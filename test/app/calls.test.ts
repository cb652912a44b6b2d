/** A call is noted from every page. */
import { beforeAll, expect, test } from 'bun:test';
import {
  attorney,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
  usualBlueprint,
} from '../support/firm.ts';
import { attributeIn, attributesIn, partsIn, textIn, textsIn } from '../support/html.ts';
import { type Visitor, visitorOf } from '../support/visitor.ts';

const server = await startTestServer();
const reader = 'rhea@harrow.example';
const intake = 'ivy@harrow.example';
let firm: Firm;
let ada: Visitor;
let ben: Visitor;
let rhea: Visitor;
let lead = '';
let contact = '';
let matter = '';

beforeAll(async () => {
  firm = await makeFirm(server, {
    roles: [
      ...usualBlueprint.roles,
      { name: 'Reader', permissions: ['leads:read', 'matters:read', 'contacts:read'] },
      { name: 'Intake', permissions: ['leads:read', 'leads:write', 'matters:read'] },
    ],
    members: [
      ...usualBlueprint.members,
      { email: reader, name: 'Rhea Roe', role: 'Reader' },
      { email: intake, name: 'Ivy Dale', role: 'Intake' },
    ],
  });
  [ada, ben, rhea] = (await Promise.all(
    [owner, attorney, reader].map((email) => visitorOf(server, firm, email)),
  )) as [Visitor, Visitor, Visitor];
  const made = await firm.owner.post('/v1/leads', { firstName: 'Zoe', lastName: 'Quill' });
  [lead, contact] = [made.body.data.id, made.body.data.contact.id];
  const practiceAreaId = firm.practiceAreas.Family?.id;
  const body = { practiceAreaId, openDate: '2026-03-03', title: 'Quill v Moss' };
  matter = (await firm.owner.post('/v1/matters', body)).body.data.id;
});

const once = () => crypto.randomUUID();
const referer = (path: string) => ({ referer: `${server.url}${path}` });

test('on a record’s page it is about that record, with a lead’s next step; one comes back to where one was', async () => {
  const page = (await ada.get('/calls/new', referer(`/leads/${lead}?lines=100`))).text;
  expect(textIn(page, 'main')).toContain('Zoe Quill');
  expect(attributeIn(page, '[name=fixed]', 'value')).toBe(`/leads/${lead}`);
  const back = attributeIn(page, '[name=back]', 'value');
  expect(back).toBe(`/leads/${lead}?lines=100`);
  const sent = {
    back,
    fixed: `/leads/${lead}`,
    direction: 'out',
    text: 'She will send the papers.',
    nextTouch: ['2031-06-04', '09:30'],
    once: once(),
  };
  const answer = await ada.post('/calls/new', sent);
  expect([answer.status, answer.location]).toEqual([303, back]);
  const shown = (await ada.get(`/leads/${lead}`)).text;
  expect(textsIn(shown, '.note .as-written').join()).toContain(
    'Call out: She will send the papers.',
  );
  expect(textIn(shown, '#details')).toContain('4 Jun 2031, 09:30');
  for (const [path, name] of [
    [`/matters/${matter}`, 'Quill v Moss'],
    [`/contacts/${contact}`, 'Zoe Quill'],
  ] as const) {
    const asked = (await ada.get(`/calls/new?about=${path}`)).text;
    expect(textIn(asked, 'main')).toContain(name);
    expect(partsIn(asked, '[name=nextTouch]')).toEqual([]);
    // The key C asks for it without the record: the page that it is pressed on says which one.
    const pressed = (await ada.get('/calls/new', referer(path))).text;
    expect(attributeIn(pressed, '[name=fixed]', 'value')).toBe(path);
    expect(attributesIn((await ada.get(path)).text, 'main a', 'href')).toContain(
      `/calls/new?about=${path}`,
    );
    const said = { back: path, fixed: path, direction: 'in', text: `About ${path}`, once: once() };
    expect((await ada.post('/calls/new', said)).location).toBe(path);
    expect((await ada.get(path)).text).toContain(`Call in: About ${path}`);
  }
});

test('elsewhere it is found by words, also without a script: the words that fit are offered', async () => {
  const page = (await ada.get('/calls/new', referer('/tasks'))).text;
  expect(attributeIn(page, '[name=back]', 'value')).toBe('/tasks');
  const typed = { back: '/tasks', direction: 'in', text: 'Asked for a time.', who: 'Quill' };
  const unclear = await ada.post('/calls/new', { ...typed, once: once() });
  expect(unclear.status).toBe(422);
  const listed = attributesIn(unclear.text, '[name=listed]', 'value');
  expect(listed.sort()).toEqual(
    [`/contacts/${contact}`, `/leads/${lead}`, `/matters/${matter}`].sort(),
  );
  expect(unclear.text).toContain('Asked for a time.');
  const chosen = { asked: 'Quill', listed: `/matters/${matter}` };
  const step = await ada.post('/calls/new', {
    ...typed,
    ...chosen,
    nextTouch: ['2031-01-01', ''],
    once: once(),
  });
  expect(step.status).toBe(422);
  expect(step.text).toContain('only for leads');
  const other = await ada.post('/calls/new', { ...typed, ...chosen, who: 'Moss', once: once() });
  expect(other.status).toBe(422);
  const answer = await ada.post('/calls/new', { ...typed, ...chosen, once: once() });
  expect([answer.status, answer.location]).toEqual([303, '/tasks']);
  expect((await ada.get(`/matters/${matter}`)).text).toContain('Call in: Asked for a time.');
  const nobody = await ada.post('/calls/new', { ...typed, who: 'Xyzzy', once: once() });
  expect(nobody.status).toBe(422);
  const sent = {
    ...typed,
    who: 'Tilly Xyzzy, +44 20 7946 0018',
    nextTouch: ['2031-06-04', '09:30'],
  };
  const path = attributeIn(
    (await ada.post('/calls/new', { ...sent, once: once() })).text,
    '.only-plain:not([hidden]) button',
    'formaction',
  );
  const begun = await ada.post(path, { ...sent, once: once() });
  expect(begun.status).toBe(200);
  const filled = (name: string) => attributeIn(begun.text, `[name=${name}]`, 'value');
  expect(['firstName', 'lastName', 'phone', 'nextTouch'].map(filled)).toEqual([
    'Tilly',
    'Xyzzy',
    '+44 20 7946 0018',
    '2031-06-04',
  ]);
  expect(textIn(begun.text, '[name=note]')).toBe('Asked for a time.');
  for (const number of ['+1 212 555 0143', '(+44) 20 7946 0019', '555–0150']) {
    const alone = { ...sent, who: number, once: once() };
    const offer = '.only-plain:not([hidden]) button';
    expect(textIn((await ada.post('/calls/new', alone)).text, offer)).toBe('Create a lead');
    const form = (await ada.post(path, alone)).text;
    expect(
      ['firstName', 'lastName', 'phone'].map((name) =>
        attributeIn(form, `[name=${name}]`, 'value'),
      ),
    ).toEqual(['', '', number]);
  }
  const empty = await ada.post('/calls/new', { back: '/tasks', who: '', text: ' ', once: once() });
  expect(textsIn(empty.text, '.refusal').join()).toMatch(/Say who it was\..*Write what was said/);
  // Another server's address is no place to go back to.
  const away = await ada.post('/calls/new', {
    ...typed,
    ...chosen,
    back: '//evil.example/',
    once: once(),
  });
  expect(away.location).toBe('/');
});

test('a matter is asked for only where one may be called about', async () => {
  const ivy = await visitorOf(server, firm, intake);
  const hintFor = async (who: Visitor) =>
    textIn((await who.get('/calls/new')).text, '#f-call-who-hint');
  expect(await hintFor(ada)).toBe('A name, a number, or a matter');
  expect(await hintFor(ivy)).toBe(
    'A name or a number. Calls cannot be noted on matters: your role may not change them.',
  );
});

test('nobody notes a call on what they may not see or write', async () => {
  const hidden = await firm.owner.post('/v1/leads', { lastName: 'Veiled', isPrivate: true });
  const { id } = hidden.body.data;
  const page = (await ben.get(`/calls/new?about=/leads/${id}`)).text;
  expect(page).not.toContain('Veiled');
  const sent = { back: '/', direction: 'in', text: 'Peeked', once: once() };
  const refused = await ben.post('/calls/new', { ...sent, fixed: `/leads/${id}` });
  expect(refused.status).toBe(404);
  const found = await ben.post('/calls/new', { ...sent, who: 'Veiled', once: once() });
  expect(found.status).toBe(422);
  expect(attributesIn(found.text, '[name=listed]', 'value')).toEqual([]);
  expect((await ada.get(`/leads/${id}`)).text).not.toContain('Peeked');
  expect((await rhea.get('/calls/new')).status).toBe(403);
  expect((await rhea.post('/calls/new', { ...sent, fixed: `/leads/${lead}` })).status).toBe(403);
  expect((await rhea.get(`/leads/${lead}`)).text).not.toContain('/calls/new');
  expect((await ada.get(`/leads/${lead}`)).text).not.toContain('Peeked');
});

test('a contact’s page has the notes and calls of their leads and matters, of those that the reader sees', async () => {
  const made = await firm.owner.post('/v1/leads', { firstName: 'Una', lastName: 'Whole' });
  const { id, contact: person } = made.body.data;
  const client = await firm.owner.post('/v1/matters', {
    practiceAreaId: firm.practiceAreas.Family?.id,
    openDate: '2026-03-03',
    title: 'Whole v Part',
    clientContactIds: [person.id],
  });
  const hidden = await firm.owner.post('/v1/leads', { lastName: 'Whole', isPrivate: true });
  const note = async (path: string, text: string) => {
    const sent = { back: '/', fixed: path, direction: 'in', text, once: once() };
    expect((await ada.post('/calls/new', sent)).status).toBe(303);
  };
  await note(`/leads/${id}`, 'Of the lead');
  await note(`/matters/${client.body.data.id}`, 'Of the matter');
  await note(`/contacts/${person.id}`, 'Of the person');
  await note(`/leads/${hidden.body.data.id}`, 'Of another, hidden');
  const notesOn = async (visitor: Visitor) =>
    textsIn((await visitor.get(`/contacts/${person.id}`)).text, '.timeline .note');
  const seen = await notesOn(ben);
  expect(seen.map((one) => /Of [a-z ]+/.exec(one)?.[0])).toEqual([
    'Of the person',
    'Of the matter',
    'Of the lead',
  ]);
  expect(seen[1]).toContain(`about matter ${client.body.data.publicId}`);
  // What is of a lead is changed on the lead's page.
  const page = (await ada.get(`/contacts/${person.id}`)).text;
  expect(attributesIn(page, '.timeline form', 'action').join()).not.toContain(`/leads/${id}`);
  // Made private, the lead's notes are for those who see it.
  await firm.owner.patch(`/v1/leads/${id}`, { isPrivate: true });
  const left = await notesOn(ben);
  expect(left.join()).not.toContain('Of the lead');
  expect((await notesOn(ada)).join()).toContain('Of the lead');
});
