import { expect, test } from 'bun:test';
import { attorney, bookkeeper, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { attributeIn, textsIn } from '../support/html.ts';
import { visitorOf } from '../support/visitor.ts';

const server = await startTestServer();
const firm = await makeFirm(server);
const ben = await visitorOf(server, firm, attorney);
const family = firm.practiceAreas.Family;
const area = { practiceAreaId: family?.id ?? '' };
const idIn = (location: string | null) => /^\/matters\/([0-9a-f-]{36})$/.exec(location ?? '')?.[1];
const stored = async (id: string | undefined) =>
  (await firm.owner.get(`/v1/matters/${id}`)).body.data;
const contactCount = async () => (await firm.owner.get('/v1/contacts')).body.pagination.total;

test('a matter is opened on one page, with what is usual where nothing was said', async () => {
  const contact = (await firm.owner.post('/v1/contacts', { lastName: 'Quill' })).body.data.id;
  const page = await ben.get(`/matters/new?client=${contact}`);
  expect(page.text).toContain('Quill');
  const answer = await ben.post('/matters/new', {
    ...area,
    clientContactIds: contact,
    responsible: firm.members[attorney] ?? '',
  });
  expect(answer.status).toBe(303);
  expect(await stored(idIn(answer.location))).toMatchObject({
    title: 'Quill',
    status: 'ACTIVE',
    openDate: new Date().toISOString().slice(0, 10),
    stage: { name: 'Intake' },
    clients: [{ contactId: contact, isPrimary: true, isBillRecipient: true }],
    team: [{ memberId: firm.members[attorney], role: 'RESPONSIBLE_ATTORNEY' }],
  });
  const full = await ben.post('/matters/new', {
    ...area,
    title: 'Quill v. Rook',
    practiceAreaStageColumnId: family?.stages.Filed ?? '',
    matterTypeId: family?.matterTypes.Divorce ?? '',
    solDate: '2027-01-01',
    openDate: '2026-02-02',
    formerNumber: 'HL/1',
  });
  const id = idIn(full.location);
  expect(await stored(id)).toMatchObject({
    title: 'Quill v. Rook',
    stage: { name: 'Filed' },
    solDate: '2027-01-01',
    openDate: '2026-02-02',
  });
  const shown = (await ben.get(`/matters/${id}`)).text;
  expect(shown).toContain('Family, Divorce');
  expect(shown).toContain('Formerly HL/1');
});

test('a new client becomes a contact with it; whom the firm may know is named first', async () => {
  const before = await contactCount();
  const zoe = { firstName: 'Zoë', lastName: 'Rook', email: 'zoe@rook.example' };
  const made = await ben.post('/matters/new', { ...area, ...zoe });
  expect(await stored(idIn(made.location))).toMatchObject({
    title: 'Zoë Rook',
    clients: [{ name: 'Zoë Rook' }],
  });
  expect(await contactCount()).toBe(before + 1);
  const again = { ...area, firstName: 'Z.', lastName: 'Rooke', email: 'zoe@rook.example' };
  const asked = await ben.post('/matters/new', again);
  expect(asked.status).toBe(422);
  expect(asked.text).toContain('The firm may know this person');
  expect(asked.text).toContain('Yes, Zoë Rook is the client');
  expect(await contactCount()).toBe(before + 1);
  const known = attributeIn(asked.text, '[name=known]', 'value');
  const chosen = await ben.post('/matters/new', { ...again, known, clientContactIds: known });
  expect(await stored(idIn(chosen.location))).toMatchObject({ clients: [{ name: 'Zoë Rook' }] });
  expect(await contactCount()).toBe(before + 1);
  const another = await ben.post('/matters/new', { ...again, known });
  expect(await stored(idIn(another.location))).toMatchObject({ clients: [{ name: 'Z. Rooke' }] });
  expect(await contactCount()).toBe(before + 2);
});

test('what is refused is said at its field, what was typed stays, and nothing is made', async () => {
  const before = await contactCount();
  const total = async () => (await firm.owner.get('/v1/matters')).body.pagination.total;
  const matters = await total();
  const zed = { lastName: 'Zed', title: 'Typed' };
  const without = await ben.post('/matters/new', zed);
  expect(without.status).toBe(422);
  expect(without.text).toContain('Choose a practice area.');
  expect(without.text).toContain('value="Typed"');
  const empty = await ben.post('/matters/new', {});
  expect(empty.status).toBe(422);
  expect(empty.text).toContain('<a href="#f-client">Choose a client.</a>');
  expect(textsIn(empty.text, '#f-client > .refusal')).toEqual(['Choose a client.']);
  expect(empty.text).toContain('Choose a practice area.');
  const nobody = await ben.post('/matters/new', area);
  expect(nobody.text).not.toContain('Choose a practice area.');
  expect(nobody.text).toContain('Choose a client.');
  const wrong = await ben.post('/matters/new', { ...zed, ...area, solDate: '2026-02-30' });
  expect(wrong.text).toContain('Limitation date must be a day that exists.');
  const foreign = { ...zed, ...area, responsible: crypto.randomUUID() };
  expect((await ben.post('/matters/new', foreign)).status).toBe(422);
  const ofOther = { ...zed, ...area, matterTypeId: crypto.randomUUID() };
  expect((await ben.post('/matters/new', ofOther)).status).toBe(422);
  expect([await contactCount(), await total()]).toEqual([before, matters]);
});

test('without numbering it is said what is missing; who may not write sees no form', async () => {
  const { numbering, ...own } = (await import('../support/firm.ts')).usualBlueprint;
  const bare = await makeFirm(server, { ...own, numbering: { lead: numbering.lead } });
  const visitor = await visitorOf(server, bare, owner);
  const sent = { practiceAreaId: bare.practiceAreas.Family?.id ?? '', title: 'Kept' };
  const answer = await visitor.post('/matters/new', sent);
  expect(answer.status).toBe(422);
  expect(answer.text).toContain('value="Kept"');
  expect(answer.text).toMatch(/number/i);
  const clerk = await visitorOf(server, firm, bookkeeper);
  expect((await clerk.get('/matters/new')).status).toBe(403);
  expect((await clerk.post('/matters/new', area)).status).toBe(403);
});
