import { beforeAll, describe, expect, test } from 'bun:test';
import {
  attorney,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
  usualBlueprint,
} from '../support/firm.ts';
import { choiceIn, partsIn, textsIn } from '../support/html.ts';
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
      { name: 'Paralegal', permissions: ['contacts:read', 'leads:read', 'matters:read'] },
    ],
    members: [...usualBlueprint.members, { email: paralegal, name: 'Pat Reed', role: 'Paralegal' }],
    customFields: [
      { on: 'lead', name: 'Source', type: 'SELECT', options: ['Website', 'Friend'] },
      { on: 'lead', name: 'Employer', type: 'TEXT' },
      { on: 'lead', name: 'Consultation on', type: 'DATE' },
      { on: 'lead', name: 'Claims', type: 'MULTI_SELECT', options: ['Pay', 'Leave'] },
      { on: 'matter', name: 'Employer', type: 'TEXT' },
    ],
  });
  [ada, ben, pat] = (await Promise.all(
    [owner, attorney, paralegal].map((email) => visitorOf(server, firm, email)),
  )) as [Visitor, Visitor, Visitor];
});

const makeLead = async (more: object = {}) => {
  const { body } = await firm.owner.post('/v1/leads', {
    firstName: 'Zoë',
    lastName: 'Quill',
    email: 'zoe@quill.example',
    ...more,
  });
  return body.data as { id: string; contact: { id: string; name: string }; publicId: string };
};

const stored = async (id: string) => (await firm.owner.get(`/v1/leads/${id}`)).body.data;

describe("A lead's page", () => {
  test('shows the lead, and takes each field by itself', async () => {
    const { id } = await makeLead();
    const page = await ben.get(`/leads/${id}`);
    expect(page.status).toBe(200);
    expect(page.text).toContain('Zoë Quill');
    for (const name of ['Hire', 'Not hired', 'Archive', 'Delete']) {
      expect(page.text).toMatch(new RegExp(`<button[^>]*>(<svg.*?</svg>)?${name}</button>`));
    }
    const area = firm.practiceAreas.Family?.id ?? '';
    const changes = {
      value: { value: 'HIGH' },
      area: { practiceAreaId: area },
      source: { 'customFields.Source': 'Website' },
      day: { 'customFields.Consultation on': '2026-11-30' },
      claims: { 'several.customFields.Claims': 'on', 'customFields.Claims': ['Pay', 'Leave'] },
    };
    for (const fields of Object.values(changes)) {
      const answer = await ben.post(`/leads/${id}`, fields);
      expect([answer.status, answer.location]).toEqual([303, `/leads/${id}`]);
    }
    expect(await stored(id)).toMatchObject({
      value: 'HIGH',
      practiceArea: { name: 'Family' },
      customFields: {
        Source: 'Website',
        'Consultation on': '2026-11-30',
        Claims: ['Pay', 'Leave'],
        Employer: null,
      },
    });
    const after = (await ben.get(`/leads/${id}`)).text;
    expect(after).toContain('changed Value from nothing to High');
    expect(after).toContain('changed Practice area from nothing to Family');
    expect(after).toContain('changed Source from nothing to Website');
  });

  test('refuses a wrong value beside its field, with what was typed, and changes nothing', async () => {
    const { id } = await makeLead();
    const answer = await ben.post(`/leads/${id}`, { 'customFields.Consultation on': '2026-11-31' });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('Consultation on must be a day that exists.');
    expect(answer.text).toContain('value="2026-11-31"');
    expect((await ben.post(`/leads/${id}`, { value: 'GOLD' })).status).toBe(422);
    const elsewhere = await makeFirm(server);
    const foreign = elsewhere.practiceAreas.Family?.id ?? '';
    expect((await ben.post(`/leads/${id}`, { practiceAreaId: foreign })).status).toBe(422);
    expect(await stored(id)).toMatchObject({ value: null, practiceArea: null });
  });
});

describe('A private lead', () => {
  test('is seen by those assigned and owners; all others get the same 404 as for what is not there', async () => {
    const { id } = await makeLead({ isPrivate: true });
    const hidden = await ben.get(`/leads/${id}`);
    const unknown = await ben.get('/leads/019f0000-0000-7000-8000-000000000001');
    const malformed = await ben.get('/leads/nonsense');
    expect([hidden.status, unknown.status, malformed.status]).toEqual([404, 404, 404]);
    expect(hidden.text).toBe(unknown.text);
    const elsewhere = await makeFirm(server);
    const stranger = await visitorOf(server, elsewhere, owner);
    expect((await stranger.get(`/leads/${id}`)).status).toBe(404);
    for (const path of [
      '',
      '/assignees',
      '/status',
      '/notes',
      '/delete',
      '/restore',
      '/undo-hire',
    ]) {
      const sent = { value: 'HIGH', status: 'ARCHIVE', text: 'hello', assigneeIds: [] };
      expect([path, (await ben.post(`/leads/${id}${path}`, sent)).status]).toEqual([path, 404]);
      expect([path, (await stranger.post(`/leads/${id}${path}`, sent)).status]).toEqual([
        path,
        404,
      ]);
    }
    expect((await ada.get(`/leads/${id}`)).text).toContain('Private');
    expect(await stored(id)).toMatchObject({ value: null, status: 'ACTIVE' });
  });

  test('a member who makes it so stays; who leaves it is warned first, and then sees nothing', async () => {
    const { id } = await makeLead();
    const members = firm.members as Record<string, string>;
    expect((await ben.post(`/leads/${id}`, { isPrivate: 'yes' })).status).toBe(303);
    expect((await ben.get(`/leads/${id}`)).status).toBe(200);
    expect((await pat.get(`/leads/${id}`)).status).toBe(404);
    const nobody = await ben.post(`/leads/${id}/assignees`, {
      'was.assigneeIds': members[attorney] ?? '',
    });
    expect(nobody.status).toBe(422);
    expect(nobody.text).toContain('A private lead needs somebody who works on it.');
    const others = {
      'was.assigneeIds': members[attorney] ?? '',
      assigneeIds: [members[paralegal] ?? ''],
    };
    const warned = await ben.post(`/leads/${id}/assignees`, others);
    expect(warned.status).toBe(422);
    expect(warned.text).toContain('you can no longer see it');
    expect((await ben.get(`/leads/${id}`)).status).toBe(200);
    expect((await ben.post(`/leads/${id}/assignees`, { ...others, leaves: 'on' })).status).toBe(
      303,
    );
    expect((await ben.get(`/leads/${id}`)).status).toBe(404);
    expect((await pat.get(`/leads/${id}`)).status).toBe(200);
  });
});

describe('Two who edit', () => {
  test('who moves a lead that another has moved is told where it is', async () => {
    const { id } = await makeLead();
    const [fresh, contacted] = [firm.leadStages.New ?? '', firm.leadStages.Contacted ?? ''];
    const move = { leadStageColumnId: contacted, 'was.leadStageColumnId': fresh };
    expect((await ben.post(`/leads/${id}`, move)).status).toBe(303);
    const stale = { leadStageColumnId: fresh, 'was.leadStageColumnId': '' };
    const late = await ada.post(`/leads/${id}`, {
      ...stale,
      leadStageColumnId: fresh,
      value: 'LOW',
    });
    expect(late.status).toBe(422);
    expect(late.text).toContain('Somebody else moved this lead to Contacted in the meantime.');
    expect((await stored(id)).leadStageColumnId).toBe(contacted);
  });
});

describe('A decision', () => {
  test('not hired needs a reason of the firm, and says it', async () => {
    const { id } = await makeLead();
    const refused = await ben.post(`/leads/${id}/not-hired`, {
      do: 'not-hired',
      note: 'Too far away',
    });
    expect(refused.status).toBe(422);
    expect(partsIn(refused.text, 'dialog#not-hired[open]')).toHaveLength(1);
    expect(refused.text).toContain('Choose a reason.');
    expect(refused.text).toContain('Too far away');
    const reasonId = choiceIn(refused.text, 'Fees');
    const done = await ben.post(`/leads/${id}/not-hired`, { reasonId, note: 'Too far away' });
    expect(done.status).toBe(303);
    const page = (await ben.get(`/leads/${id}`)).text;
    expect(page).toContain('Not hired: <b>Fees</b>');
    expect(page).toContain('marked the lead not hired: Fees');
    expect(page).toContain('Too far away');
    expect((await ben.post(`/leads/${id}/status`, { status: 'ACTIVE' })).status).toBe(303);
    expect((await ben.post(`/leads/${id}/status`, { status: 'HIRED' })).status).toBe(422);
    expect(await stored(id)).toMatchObject({ status: 'ACTIVE' });
  });
});

describe('Notes and the timeline', () => {
  test('the timeline names who did what, through what; and shows fifty lines at first', async () => {
    const { id } = await makeLead({ email: undefined });
    const members = firm.members as Record<string, string>;
    const ids = [members[attorney] ?? '', members[owner] ?? ''];
    await ben.post(`/leads/${id}/assignees`, { assigneeIds: ids, 'was.assigneeIds': '' });
    await ben.post(`/leads/${id}/contact`, { emails: 'new@quill.example', 'was.emails': '' });
    const page = (await ben.get(`/leads/${id}`)).text;
    expect(page).toContain('Came in through API key');
    expect(page).not.toContain('created the lead');
    const lines = textsIn(page, '.timeline li');
    expect(lines).toContainEqual(expect.stringMatching(/Came in through API key · just now/));
    expect(lines).toContainEqual(
      expect.stringMatching(/Ben Lane assigned (Ben Lane and Ada Harrow|Ada Harrow and Ben Lane)/),
    );
    expect(page).toContain('changed the contact’s Emails from nothing to new@quill.example');
    for (let at = 0; at < 51; at += 1) {
      await firm.owner.patch(`/v1/leads/${id}`, { value: at % 2 ? 'LOW' : 'HIGH' });
    }
    const short = (await ben.get(`/leads/${id}`)).text;
    expect(short.match(/changed Value/g)?.length).toBe(50);
    expect(textsIn(short, '.timeline li')).toContainEqual(
      expect.stringMatching(/API key changed Value from \w+ to \w+ with a key of Ada Harrow/),
    );
    expect(short).toContain('Show more');
    const long = (await ben.get(`/leads/${id}?lines=100`)).text;
    expect(long.match(/changed Value/g)?.length).toBe(51);
    expect(long).not.toContain('Show more');
  });

  test('who may be the same person is said, within what the reader sees', async () => {
    const email = `same-${Bun.randomUUIDv7()}@quill.example`;
    const first = await makeLead({ firstName: 'Ola', email, phone: '+44 7700 900 142' });
    const second = await makeLead({ lastName: 'Rook', email: undefined, phone: '07700900142' });
    const hidden = await makeLead({ lastName: 'Hidden', email, isPrivate: true });
    const page = (await ben.get(`/leads/${second.id}`)).text;
    expect(page).toContain('May be the same person');
    expect(page).toContain(
      `<a href="/contacts/${first.contact.id}">Ola Quill</a> has the same phone number`,
    );
    const seen = (await ben.get(`/leads/${first.id}`)).text;
    expect(seen).not.toContain('Zoë Hidden');
    const all = (await ada.get(`/leads/${first.id}`)).text;
    expect(all).toContain(
      `<a href="/contacts/${hidden.contact.id}">Zoë Hidden</a> has the same email`,
    );
  });
});
