import { beforeAll, describe, expect, test } from 'bun:test';
import {
  attorney,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
  usualBlueprint,
} from '../support/firm.ts';
import { attributeIn, attributesIn, partsIn } from '../support/html.ts';
import { type Visitor, visitorOf } from '../support/visitor.ts';

const server = await startTestServer();
let firm: Firm;
let ben: Visitor;

beforeAll(async () => {
  firm = await makeFirm(server, {
    customFields: [
      { on: 'lead', name: 'Employer', type: 'TEXT' },
      { on: 'lead', name: 'Source', type: 'SELECT', options: ['Website'] },
      { on: 'matter', name: 'Employer', type: 'TEXT' },
      { on: 'matter', name: 'Source', type: 'TEXT' },
    ],
  });
  ben = await visitorOf(server, firm, attorney);
});

type Members = Record<string, string>;

const makeLead = async (more: object = {}, of = firm) => {
  const sent = { firstName: 'Zoë', lastName: `Quill ${Bun.randomUUIDv7()}`, ...more };
  const { body } = await of.owner.post('/v1/leads', sent);
  return body.data as { id: string; contact: { id: string; name: string } };
};

const family = () => firm.practiceAreas.Family?.id ?? '';
const mattersOf = async (of = firm) => (await of.owner.get('/v1/matters')).body.data;

describe('A new lead', () => {
  test('is made of what was said, and its maker works on it', async () => {
    expect((await ben.get('/leads/new')).text).toContain('Create lead');
    const sent = {
      firstName: 'Ola',
      lastName: 'Wiśniewska',
      companyName: '',
      email: 'ola@wisla.example',
      phone: '07700 900 142',
      practiceAreaId: family(),
      assigneeIds: (firm.members as Record<string, string>)[attorney] ?? '',
    };
    const made = await ben.post('/leads/new', sent);
    expect(made.status).toBe(303);
    const page = (await ben.get(made.location ?? '')).text;
    for (const words of [
      'Ola Wiśniewska',
      'ola@wisla.example',
      '07700 900 142',
      'Family',
      'Ben Lane',
    ]) {
      expect(page).toContain(words);
    }
  });

  test('of somebody we know is only made when they have been named', async () => {
    const email = `known-${Bun.randomUUIDv7()}@quill.example`;
    const known = await makeLead({ email });
    const { body } = await firm.owner.post('/v1/matters', {
      practiceAreaId: family(),
      openDate: '2026-01-02',
      title: 'Quill v. Rook',
      clientContactIds: [known.contact.id],
    });
    const leads = async () => (await firm.owner.get('/v1/leads')).body.pagination.total;
    const before = await leads();
    const first = await ben.post('/leads/new', { lastName: 'Other', email: email.toUpperCase() });
    expect(first.status).toBe(422);
    for (const path of [
      `/contacts/${known.contact.id}`,
      `/leads/${known.id}`,
      `/matters/${body.data.id}`,
    ]) {
      expect(first.text).toContain(`href="${path}"`);
    }
    expect(await leads()).toBe(before);
    const named = attributeIn(first.text, '[name=known]', 'value');
    const second = await ben.post('/leads/new', { lastName: 'Other', email, known: named });
    expect(second.status).toBe(303);
    expect(await leads()).toBe(before + 1);
  });

  test('without a name, or with a wrong area, is refused and keeps what was typed', async () => {
    for (const [field, value, words] of [
      ['email', 'not an email', 'Email must be an email address, for example'],
      ['email', 'two@a.example, b@c.example', 'Email must be an email address'],
      ['phone', 'abc', 'Phone must be a phone number, for example'],
    ] as const) {
      const asked = await ben.post('/leads/new', { lastName: 'Implausible', [field]: value });
      expect({ value, status: asked.status }).toEqual({ value, status: 422 });
      expect(asked.text).toContain(`id="f-${field}-fault"`);
      expect(asked.text).toContain(words);
      expect(asked.text).toContain(`value="${value}"`);
      // The API takes what it is sent: losing a lead is worse than a wrong address.
      const sent = await firm.owner.post('/v1/leads', { lastName: 'Sent', [field]: value });
      expect(sent.status).toBe(201);
    }
    const contacts = await firm.owner.get('/v1/contacts?limit=100');
    expect(JSON.stringify(contacts.body.data)).not.toContain('Implausible');
    const nameless = await ben.post('/leads/new', { email: 'kept@quill.example' });
    expect(nameless.status).toBe(422);
    expect(nameless.text).toContain('value="kept@quill.example"');
    expect(nameless.text).toContain('Enter a first name, last name or company.');
    const elsewhere = await makeFirm(server);
    const foreign = elsewhere.practiceAreas.Family?.id ?? '';
    const refused = await ben.post('/leads/new', { lastName: 'Area', practiceAreaId: foreign });
    expect(refused.status).toBe(422);
    const company = await ben.post('/leads/new', { companyName: 'Rook Ltd' });
    expect(company.status).toBe(303);
    expect((await ben.get(company.location ?? '')).text).toContain('Company');
  });
});

describe('A hire', () => {
  const body = () => ({ do: 'hire', practiceAreaId: family(), openDate: '2026-11-22' });

  test('proposes an attorney who may change matters, and intake as staff', async () => {
    const blueprint = {
      ...usualBlueprint,
      roles: [
        ...usualBlueprint.roles,
        { name: 'Intake', permissions: ['leads:read', 'leads:write', 'matters:read'] },
      ],
      members: [
        ...usualBlueprint.members,
        { email: 'di@harrow.example', name: 'Di Fox', role: 'Intake' },
      ],
    };
    const of = await makeFirm(server, blueprint);
    const visitor = await visitorOf(server, of, attorney);
    const ada = await visitorOf(server, of, owner);
    const { [owner]: adaId = '', [attorney]: self = '', ...more } = of.members as Members;
    const di = more['di@harrow.example'] ?? '';
    const cases = [
      { assigneeIds: [di], team: [self, di] },
      { assigneeIds: [di, adaId], team: [adaId, di] },
      { assigneeIds: [], team: [self] },
    ];
    for (const { assigneeIds, team } of cases) {
      const lead = await makeLead({}, of);
      expect((await ada.post(`/leads/${lead.id}/assignees`, { assigneeIds })).status).toBe(303);
      const page = (await visitor.get(`/leads/${lead.id}?do=hire`)).text;
      const chosen = team.map(
        (_, at) => attributesIn(page, `[name="team[${at}].memberId"] option[selected]`, 'value')[0],
      );
      expect(chosen).toEqual(team);
    }
  });

  test('makes one matter with clients, team and fields, even if pressed twice; and is undone', async () => {
    const lead = await makeLead({ customFields: { Employer: 'Rook Ltd', Source: 'Website' } });
    const second = await firm.owner.post('/v1/contacts', { lastName: 'Second' });
    const page = (await ben.get(`/leads/${lead.id}?do=hire`)).text;
    expect(page).toContain('Hire and open a matter');
    expect(page).toContain('Also copied to the matter: Employer.');
    const members = firm.members as Record<string, string>;
    const sent = {
      ...body(),
      title: 'Quill v. Rook',
      solDate: '2027-01-31',
      client: lead.contact.id,
      clientContactIds: [second.body.data.id],
      'team[0].memberId': members[attorney] ?? '',
      'team[0].role': 'RESPONSIBLE_ATTORNEY',
      'team[0].allocation': '60 %',
      'team[1].memberId': members[owner] ?? '',
      'team[1].role': 'RESPONSIBLE_STAFF',
      'team[1].allocation': '',
      'team[2].memberId': '',
    };
    const before = (await mattersOf()).length;
    const answers = await Promise.all([1, 2].map(() => ben.post(`/leads/${lead.id}/hire`, sent)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 422]);
    const matters = await mattersOf();
    expect(matters.length).toBe(before + 1);
    const matter = (await firm.owner.get(`/v1/matters/${matters[0].id}`)).body.data;
    expect(matter).toMatchObject({
      title: 'Quill v. Rook',
      solDate: '2027-01-31',
      openDate: '2026-11-22',
      clients: [{ contactId: lead.contact.id, isPrimary: true }, { name: 'Second' }],
      team: [
        { name: 'Ben Lane', role: 'RESPONSIBLE_ATTORNEY', allocation: 60 },
        { name: 'Ada Harrow', role: 'RESPONSIBLE_STAFF', allocation: 0 },
      ],
      customFields: { Employer: 'Rook Ltd', Source: null },
    });
    const hired = (await ben.get(`/leads/${lead.id}`)).text;
    expect(hired).toContain(`<a href="/matters/${matter.id}">${matter.publicId}</a>`);
    expect(hired).toContain(`hired the lead as matter ${matter.publicId}`);
    const shown = (await ben.get(`/matters/${matter.id}`)).text;
    for (const words of ['Quill v. Rook', 'Ada Harrow', 'Second', 'Rook Ltd']) {
      expect(shown).toContain(words);
    }
    expect((await ben.get('/matters')).text).toContain('Quill v. Rook');
    expect((await ben.post(`/leads/${lead.id}/undo-hire`)).status).toBe(303);
    expect((await ben.get(`/matters/${matter.id}`)).status).toBe(404);
    expect((await ben.get(`/leads/${lead.id}`)).text).toContain('undid the hire');
  });

  test('of a matter somebody has worked on stays, and says why', async () => {
    const lead = await makeLead();
    await ben.post(`/leads/${lead.id}/hire`, body());
    const [matter] = await mattersOf();
    await firm.owner.patch(`/v1/matters/${matter.id}`, { title: 'Worked on' });
    const page = (await ben.get(`/leads/${lead.id}`)).text;
    expect(page).toContain('The hire can no longer be undone: the matter was changed.');
    expect(page).not.toContain('Undo hire');
    const answer = await ben.post(`/leads/${lead.id}/undo-hire`);
    expect(answer.status).toBe(422);
    expect((await ben.get(`/matters/${matter.id}`)).status).toBe(200);
  });

  test('that is wrong is refused in its dialog, with all that was typed, and changes nothing', async () => {
    const lead = await makeLead({ isPrivate: true });
    const ada = await visitorOf(server, firm, owner);
    expect((await ada.get(`/leads/${lead.id}?do=hire`)).text).toContain(
      'Everyone who can read matters will see the matter',
    );
    const before = (await mattersOf()).length;
    const wrong = {
      area: { ...body(), practiceAreaId: '', title: 'Typed title' },
      day: { ...body(), solDate: '2026-11-31', title: 'Typed title' },
      share: {
        ...body(),
        title: 'Typed title',
        'team[0].memberId': (firm.members as Record<string, string>)[owner] ?? '',
        'team[0].role': 'RESPONSIBLE_STAFF',
        'team[0].allocation': 'half',
      },
      client: { ...body(), title: 'Typed title', client: '019f0000-0000-7000-8000-000000000001' },
    };
    for (const sent of Object.values(wrong)) {
      const answer = await ada.post(`/leads/${lead.id}/hire`, sent);
      expect(answer.status).toBe(422);
      expect(partsIn(answer.text, 'dialog#hire[open]')).toHaveLength(1);
      expect(answer.text).toContain('value="Typed title"');
      expect(answer.text).toContain('role="alert"');
    }
    expect((await mattersOf()).length).toBe(before);
    expect((await ben.post(`/leads/${lead.id}/hire`, body())).status).toBe(404);
  });

  test('without matter numbering says what is missing, with the form intact', async () => {
    const bare = await makeFirm(server, { numbering: { lead: 'L-{####}' } });
    const lead = await makeLead({}, bare);
    const ada = await visitorOf(server, bare, owner);
    const sent = {
      ...body(),
      practiceAreaId: bare.practiceAreas.Family?.id ?? '',
      title: 'Typed title',
    };
    const answer = await ada.post(`/leads/${lead.id}/hire`, sent);
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('The firm has no matter numbering yet.');
    expect(answer.text).toContain('value="Typed title"');
    expect((await bare.owner.get(`/v1/leads/${lead.id}`)).body.data.status).toBe('ACTIVE');
  });
});
