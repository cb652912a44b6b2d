import { beforeAll, describe, expect, test } from 'bun:test';
import {
  attorney,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
  usualBlueprint,
} from '../support/firm.ts';
import { attributeIn, attributesIn, textIn } from '../support/html.ts';
import { until } from '../support/until.ts';
import { type Visitor, visitorOf } from '../support/visitor.ts';

const server = await startTestServer();
const paralegal = 'pat@harrow.example';
let firm: Firm;
let ada: Visitor;
let ben: Visitor;
let pat: Visitor;

beforeAll(async () => {
  firm = await makeFirm(server, {
    roles: [
      ...usualBlueprint.roles,
      { name: 'Intake', permissions: ['contacts:read', 'matters:read'] },
    ],
    members: [...usualBlueprint.members, { email: paralegal, name: 'Pat Reed', role: 'Intake' }],
    customFields: [
      { on: 'matter', name: 'Employer', type: 'TEXT' },
      { on: 'matter', name: 'Hearing', type: 'DATE' },
    ],
  });
  [ada, ben, pat] = (await Promise.all(
    [owner, attorney, paralegal].map((email) => visitorOf(server, firm, email)),
  )) as [Visitor, Visitor, Visitor];
});

const family = () => firm.practiceAreas.Family;
const makeContact = async (lastName: string) =>
  (await firm.owner.post('/v1/contacts', { lastName })).body.data.id as string;
const makeMatter = async (more: object = {}) => {
  const { body, status } = await firm.owner.post('/v1/matters', {
    practiceAreaId: family()?.id,
    openDate: '2026-03-03',
    title: 'Quill v. Rook',
    ...more,
  });
  expect(status).toBe(201);
  return body.data as { id: string; publicId: string };
};
const stored = async (id: string) => (await firm.owner.get(`/v1/matters/${id}`)).body.data;
const found = async (text: string) => {
  const { text: page } = await ada.get(`/search?q=${encodeURIComponent(text)}`);
  return attributesIn(page, 'main a[href^="/matters/"]', 'href').map((path) => path.split('/')[2]);
};

/** What a form of the page sends of what it began from. */
const began = (page: string, name: string) => ({
  [`was.${name}`]: attributeIn(page, `[name="was.${name}"]`, 'value'),
});

describe("A matter's page", () => {
  test('shows the matter, and takes each field by itself', async () => {
    const { id } = await makeMatter();
    const page = (await ben.get(`/matters/${id}`)).text;
    for (const name of ['Clients', 'Team', 'Dates']) {
      expect(page).toContain(`role="group" aria-label="${name}"`);
    }
    for (const name of ['Task', 'Event', 'Archive', 'Delete']) {
      expect(page).toMatch(new RegExp(`<button[^>]*>(<svg.*?</svg>)?${name}</button>`));
    }
    const changes = [
      { title: 'Rook v. Quill' },
      { description: 'A long\nstory' },
      { practiceAreaStageColumnId: family()?.stages.Filed ?? '' },
      { matterTypeId: family()?.matterTypes.Divorce ?? '' },
      { formerNumber: 'HL/19/2207' },
      { 'customFields.Employer': 'Northgate' },
      { 'customFields.Hearing': '2026-11-30' },
    ];
    for (const fields of changes) {
      const answer = await ben.post(`/matters/${id}`, fields as Record<string, string>);
      expect([fields, answer.status, answer.location]).toEqual([fields, 303, `/matters/${id}`]);
    }
    expect(await stored(id)).toMatchObject({
      title: 'Rook v. Quill',
      description: 'A long\nstory',
      stage: { name: 'Filed' },
      customFields: { Employer: 'Northgate', Hearing: '2026-11-30' },
    });
    const after = (await ben.get(`/matters/${id}`)).text;
    expect(after).toContain('moved the matter from Intake to Filed');
    expect(after).toContain('changed Type from nothing to Divorce');
    expect(after).toContain('changed Former number from nothing to HL/19/2207');
    expect(after).toContain('changed Employer from nothing to Northgate');
    expect(await found('2207')).toEqual([id]);
  });

  test('loses its type with its area, and takes the first stage of the new one', async () => {
    const { id } = await makeMatter();
    await ben.post(`/matters/${id}`, { matterTypeId: family()?.matterTypes.Divorce ?? '' });
    const estates = firm.practiceAreas.Estates?.id ?? '';
    expect((await ben.post(`/matters/${id}`, { practiceAreaId: estates })).status).toBe(303);
    expect(await stored(id)).toMatchObject({
      practiceArea: { name: 'Estates' },
      stage: { name: 'Intake' },
    });
    const page = (await ben.get(`/matters/${id}`)).text;
    expect(page).toContain('Type from Divorce to nothing');
    const wrong = { matterTypeId: family()?.matterTypes.Divorce ?? '' };
    expect((await ben.post(`/matters/${id}`, wrong)).status).toBe(422);
  });

  test('of two who choose a stage in its details, the second reads what the first has chosen', async () => {
    const { id } = await makeMatter();
    const { Intake = '', Filed = '' } = family()?.stages ?? {};
    const choice = { practiceAreaId: family()?.id ?? '', practiceAreaStageColumnId: Filed };
    expect((await ada.post(`/matters/${id}`, choice)).status).toBe(303);
    const late = { ...choice, 'was.practiceAreaStageColumnId': Intake };
    const answer = await ben.post(`/matters/${id}`, { ...late, practiceAreaStageColumnId: '' });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('Ada changed this to <b>Filed</b> just now.');
    expect((await stored(id)).stage.name).toBe('Filed');
  });
});

describe('The clients of a matter', () => {
  test('are changed: it is found by the new name, and no longer by the old', async () => {
    const [old, fresh] = await Promise.all(['Oldenburg', 'Freshwater'].map(makeContact));
    const { id } = await makeMatter({ clientContactIds: [old] });
    expect(await found('oldenb')).toEqual([id]);
    const before = (await ben.get(`/matters/${id}`)).text;
    const sent = { ...began(before, 'clients'), clientContactIds: [fresh ?? ''] };
    expect((await ben.post(`/matters/${id}/clients`, sent)).status).toBe(303);
    expect(await found('freshw')).toEqual([id]);
    expect(await found('oldenb')).toEqual([]);
    expect((await stored(id)).clients).toEqual([
      { contactId: fresh, name: 'Freshwater', isPrimary: true, isBillRecipient: true },
    ]);
    const page = (await ben.get(`/matters/${id}`)).text;
    expect(page).toContain('added the client Freshwater');
    expect(page).toContain('removed the client Oldenburg');
    // A renamed client is found by its new name.
    await firm.owner.patch(`/v1/contacts/${fresh}`, { lastName: 'Saltwater' });
    expect([await found('saltw'), await found('freshw')]).toEqual([[id], []]);
  });

  test('have one primary and one who gets the bill, chosen among them', async () => {
    const [one, two, three] = await Promise.all(['One', 'Two', 'Three'].map(makeContact));
    const { id } = await makeMatter({ clientContactIds: [one, two] });
    const chosen = { primary: three ?? '', billRecipient: two ?? '' };
    const input = { clientContactIds: [two ?? '', three ?? ''], ...chosen };
    await ben.post(`/matters/${id}/clients`, input);
    const parts = ({ name, isPrimary, isBillRecipient }: Record<string, unknown>) => [
      ...[name, isPrimary, isBillRecipient],
    ];
    expect((await stored(id)).clients.map(parts)).toEqual([
      ['Two', false, true],
      ['Three', true, false],
    ]);
    await ben.post(`/matters/${id}/clients`, {});
    expect((await stored(id)).clients).toEqual([]);
  });

  test('are not changed by somebody who saw older ones, or to missing records; what was sent stays', async () => {
    const [mine, theirs] = await Promise.all(['Mine', 'Theirs'].map(makeContact));
    const { id } = await makeMatter();
    const before = began((await ben.get(`/matters/${id}`)).text, 'clients');
    await ada.post(`/matters/${id}/clients`, { clientContactIds: theirs ?? '' });
    const sent = { ...before, clientContactIds: mine ?? '' };
    const answer = await ben.post(`/matters/${id}/clients`, { ...sent, do: 'change-clients' });
    expect(answer.status).toBe(422);
    expect(textIn(answer.text, 'main')).toMatch(/The clients are now:? Theirs/);
    expect((await stored(id)).clients).toMatchObject([{ name: 'Theirs' }]);
    const foreign = await makeFirm(server);
    const alien = (await foreign.owner.post('/v1/contacts', { lastName: 'Alien' })).body.data.id;
    const unknown = await ben.post(`/matters/${id}/clients`, { clientContactIds: alien });
    expect(unknown.status).toBe(422);
    expect(unknown.text).not.toContain('Alien');
    const many = Array.from({ length: 51 }, () => crypto.randomUUID());
    expect((await ben.post(`/matters/${id}/clients`, { clientContactIds: many })).status).toBe(422);
    expect((await stored(id)).clients).toMatchObject([{ name: 'Theirs' }]);
  });

  test('are seen by all from then on, also with a private lead; hidden ones cannot be named', async () => {
    const lead = (await firm.owner.post('/v1/leads', { lastName: 'Hushed', isPrivate: true })).body
      .data;
    const { id } = await makeMatter();
    const sent = { clientContactIds: lead.contact.id };
    expect((await ben.post(`/matters/${id}/clients`, sent)).status).toBe(422);
    expect((await ben.get(`/contacts/${lead.contact.id}`)).status).toBe(404);
    expect((await ada.post(`/matters/${id}/clients`, sent)).status).toBe(303);
    expect((await ben.get(`/contacts/${lead.contact.id}`)).status).toBe(200);
  });

  test('are hidden with their private lead again once they are no client; others are not', async () => {
    const make = async (lastName: string, isPrivate: boolean) =>
      (await firm.owner.post('/v1/leads', { lastName, isPrivate })).body.data;
    const [hushed, open] = [await make('Muffled', true), await make('Outspoken', false)];
    const plain = await makeContact('Ordinary');
    const all = [hushed.contact.id, open.contact.id, plain];
    const [one, two] = [await makeMatter(), await makeMatter()];
    const change = (id: string, clientContactIds: string[]) =>
      ada.post(`/matters/${id}/clients`, { clientContactIds });
    const seen = async () => (await ben.get(`/contacts/${hushed.contact.id}`)).status;
    const bens = await firm.callerOf(attorney);
    const totals = async () => (await bens.get('/v1/contacts')).body.pagination.total;
    const before = await totals();
    await change(one.id, all);
    await change(two.id, all);
    expect([await seen(), (await found('muffl')).sort()]).toEqual([200, [one.id, two.id].sort()]);
    await change(one.id, []);
    expect([await seen(), await found('muffl')]).toEqual([200, [two.id]]);
    await change(two.id, [plain]);
    expect([await seen(), await found('muffl')]).toEqual([404, []]);
    expect((await ben.get('/contacts?q=Muffle')).text.includes(hushed.contact.id)).toBe(false);
    expect(await totals()).toBe(before);
    expect((await ada.get(`/contacts/${hushed.contact.id}`)).status).toBe(200);
    const page = (await ben.get(`/matters/${two.id}`)).text;
    expect(page.includes('Muffled')).toBe(false);
    for (const id of [open.contact.id, plain]) {
      expect((await ben.get(`/contacts/${id}`)).status).toBe(200);
    }
    await change(two.id, []);
    expect((await ben.get(`/contacts/${plain}`)).status).toBe(200);
    // As a client once more it is seen once more, also of a matter that is deleted later.
    await change(one.id, [hushed.contact.id]);
    await ada.post(`/matters/${one.id}/delete`);
    expect(await seen()).toBe(200);
  });
});

describe('The team of a matter', () => {
  const row = (at: number, memberId: string, role: string, allocation = '') => ({
    [`team[${at}].memberId`]: memberId,
    [`team[${at}].role`]: role,
    [`team[${at}].allocation`]: allocation,
  });

  test('is changed; those who join are told, the doer is not', async () => {
    const { id, publicId } = await makeMatter();
    const [adaId, benId] = [firm.members[owner] ?? '', firm.members[attorney] ?? ''];
    const sent = {
      ...row(0, benId, 'RESPONSIBLE_ATTORNEY', '60'),
      ...row(1, adaId, 'ORIGINATING_ATTORNEY'),
      ...row(2, '', 'RESPONSIBLE_STAFF'),
    };
    expect((await ben.post(`/matters/${id}/team`, sent)).status).toBe(303);
    expect((await stored(id)).team).toEqual([
      { memberId: benId, role: 'RESPONSIBLE_ATTORNEY', allocation: 60, name: 'Ben Lane' },
      { memberId: adaId, role: 'ORIGINATING_ATTORNEY', allocation: 0, name: 'Ada Harrow' },
    ]);
    await until(async () => (await ada.get('/inbox')).text.includes(publicId));
    expect((await ben.get('/inbox')).text).not.toContain(publicId);
    expect((await ben.get(`/matters/${id}`)).text).toContain('Ben Lane and Ada Harrow to the team');
  });

  test('keeps who is deactivated, and lets nobody join who is', async () => {
    const own = await makeFirm(server);
    const visitor = await visitorOf(server, own, owner);
    const [gone, stays] = [own.members[attorney] ?? '', own.members[owner] ?? ''];
    const make = async (team: object[]) =>
      (
        await own.owner.post('/v1/matters', {
          practiceAreaId: own.practiceAreas.Family?.id,
          openDate: '2026-03-03',
          team,
        })
      ).body.data.id as string;
    const [on, off] = [await make([{ memberId: gone }]), await make([])];
    await own.command(['member', 'deactivate', attorney, '--leave']);
    const sent = { ...row(0, gone, 'RESPONSIBLE_ATTORNEY'), ...row(1, stays, 'RESPONSIBLE_STAFF') };
    expect((await visitor.post(`/matters/${on}/team`, sent)).status).toBe(303);
    expect((await visitor.post(`/matters/${off}/team`, sent)).status).toBe(422);
    const teamOf = async (id: string) => (await own.owner.get(`/v1/matters/${id}`)).body.data.team;
    expect([(await teamOf(on)).length, (await teamOf(off)).length]).toEqual([2, 0]);
    const wrong = { ...row(0, stays, 'RESPONSIBLE_STAFF', '300') };
    expect((await visitor.post(`/matters/${on}/team`, wrong)).status).toBe(422);
  });
});

describe('Archiving', () => {
  test('does what was foretold; reactivating and restoring revive nothing that was cancelled', async () => {
    const team = [{ memberId: firm.members[owner] }, { memberId: firm.members[attorney] }];
    const { id } = await makeMatter({ team });
    for (const title of ['Draft', 'File', 'Serve']) {
      await firm.command(['task', 'add', '--matter', id, '--title', title]);
    }
    const at = ['--starts', '2031-01-01T10:00:00Z'];
    await firm.command(['event', 'add', '--matter', id, '--title', 'Hearing', ...at]);
    const page = (await ben.get(`/matters/${id}?do=archive`)).text;
    expect(page).toContain('Archiving cancels 3 tasks and 1 event, and tells 2 people.');
    await ben.post(`/matters/${id}/status`, { status: 'ARCHIVE' });
    const cancelled = async (kind: string) => {
      const words = [kind, 'list', '--matter', id];
      const all = await firm.command<{ cancelledAt: string | null }[]>(words);
      return all.filter(({ cancelledAt }) => cancelledAt !== null).length;
    };
    const allCancelled = async () => [await cancelled('task'), await cancelled('event')];
    await until(async () => (await allCancelled()).join() === '3,1');
    await ben.post(`/matters/${id}/status`, { status: 'ACTIVE' });
    expect([(await stored(id)).status, ...(await allCancelled())]).toEqual(['ACTIVE', 3, 1]);
    const again = (await ben.get(`/matters/${id}`)).text;
    expect(again).toContain('Archiving cancels no task and no event, and tells 2 people.');
    expect(again).toContain('reactivated the matter');
    expect(again).toContain('cancelled the task Serve');
    const gone = await ben.post(`/matters/${id}/delete`);
    expect(gone.location).toBe(`/matters/${id}/deleted`);
    expect((await ben.get(`/matters/${id}`)).status).toBe(404);
    expect((await ben.get(gone.location ?? '')).text).toContain('Restore');
    const deleted = (await ben.get('/settings/deleted?kind=matters')).text;
    expect(deleted).toContain(`action="/settings/deleted/matters/${id}/restore"`);
    expect((await ben.post(`/settings/deleted/matters/${id}/restore`)).status).toBe(303);
    expect((await stored(id)).status).toBe('ACTIVE');
    expect((await ben.post(`/matters/${id}/restore`)).status).toBe(404);
  });
});

describe('The timeline of a matter', () => {
  test("has its lead's past before it, for those who see the lead", async () => {
    const made = await firm.owner.post('/v1/leads', { lastName: 'Grown' });
    const lead = made.body.data as { id: string; publicId: string };
    await ben.post(`/leads/${lead.id}/notes`, { text: 'Called on Monday' });
    await ben.post(`/leads/${lead.id}/hire`, {
      title: 'Grown',
      practiceAreaId: family()?.id ?? '',
      openDate: '2026-03-03',
    });
    const hired = (await ben.get(`/leads/${lead.id}`)).text;
    const id = /href="\/matters\/([0-9a-f-]{36})"/.exec(hired)?.[1] ?? '';
    await ben.post(`/matters/${id}/notes`, { text: 'Signed & sealed' });
    const own = (await ben.get(`/matters/${id}`)).text;
    expect(own).toMatch(
      new RegExp(`opened the matter from <a class="nowrap" href="/leads/${lead.id}">`),
    );
    expect(textIn(own, '.timeline')).toContain('Came in through API key (');
    expect(own).toContain('Called on Monday');
    expect(own).toContain('Signed &amp; sealed');
    const others = (await pat.get(`/matters/${id}`)).text;
    expect(others).toContain('Signed &amp; sealed');
    expect(others).not.toContain('Called on Monday');
    expect(others).not.toContain(lead.publicId);
  });
});
