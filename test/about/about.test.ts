import { beforeAll, describe, expect, test } from 'bun:test';
import { permissions, type Scope } from '../../src/contents.ts';
import { expectRefusal, totalOf, unknownId } from '../support/expectations.ts';
import {
  attorney,
  bookkeeper,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
} from '../support/firm.ts';
import { matterFor } from '../support/samples.ts';

const server = await startTestServer();

const kinds = ['tasks', 'calendar-events', 'notes'] as const;

let firm: Firm;
let matterId: string;
let leadId: string;
beforeAll(async () => {
  firm = await makeFirm(server);
  matterId = await matterFor(firm);
  leadId = (await firm.owner.post('/v1/leads', { lastName: 'Quill' })).body.data.id;
});

describe.each(kinds.map((name) => ({ name })))('The list of $name', ({ name }) => {
  test('is of one lead or one matter: without it 400, with both 400', async () => {
    expectRefusal(
      await firm.owner.get(`/v1/${name}`),
      400,
      'invalid_request',
      'leadId or matterId',
    );
    const both = `/v1/${name}?leadId=${leadId}&matterId=${matterId}`;
    expectRefusal(await firm.owner.get(both), 400, 'invalid_request', 'matterId');
    expect(await totalOf(firm.owner.get(`/v1/${name}?leadId=${leadId}`))).toBe(0);
  });

  test('of an unknown, foreign, deleted or hidden record is 404 naming the parameter', async () => {
    const other = await makeFirm(server);
    const theirs = await matterFor(other);
    const gone = (await firm.owner.post('/v1/leads', { lastName: 'Gone' })).body.data.id;
    await firm.owner.delete(`/v1/leads/${gone}`);
    const hidden = { lastName: 'Hidden', isPrivate: true };
    const secret = (await firm.owner.post('/v1/leads', hidden)).body.data.id;
    const ben = await firm.callerOf(attorney);
    for (const [parameter, id] of [
      ['leadId', unknownId],
      ['leadId', 'x'],
      ['leadId', matterId],
      ['leadId', gone],
      ['leadId', secret],
      ['matterId', unknownId],
      ['matterId', theirs],
      ['matterId', leadId],
    ] as const) {
      const answer = await ben.get(`/v1/${name}?${parameter}=${id}`);
      expectRefusal(answer, 404, 'not_found', parameter);
    }
    expect((await firm.owner.get(`/v1/${name}?leadId=${secret}`)).status).toBe(200);
  });
});

describe('Rights follow the record', () => {
  const both: Scope[] = kinds.flatMap((name): Scope[] => [`${name}:read`, `${name}:write`]);

  test('a member without the permission gets 403 that names it, whatever scopes the key has', async () => {
    const cy = await firm.callerOf(bookkeeper, both);
    for (const name of ['tasks', 'calendar-events'] as const) {
      const list = `/v1/${name}?matterId=${matterId}`;
      expectRefusal(await cy.get(list), 403, 'forbidden', 'matters:read');
      const body = { matterId, title: 'X', startDate: '2031-04-02' };
      expectRefusal(await cy.post(`/v1/${name}`, body), 403, 'forbidden', 'matters:write');
    }
    const none = 'has none of the permissions leads:read, matters:read';
    expectRefusal(await cy.get(`/v1/notes?matterId=${matterId}`), 403, 'forbidden', none);
  });

  test('the scope alone is not enough, and the scope of the record is not needed', async () => {
    const scoped = await firm.callerOf(owner, ['matters:read', 'matters:write']);
    const tasks = `/v1/tasks?matterId=${matterId}`;
    expectRefusal(await scoped.get(tasks), 403, 'forbidden', 'tasks:read');
    const reads = await firm.callerOf(owner, ['tasks:read']);
    expect((await reads.get(tasks)).status).toBe(200);
    const body = { matterId, title: 'X' };
    expectRefusal(await reads.post('/v1/tasks', body), 403, 'forbidden', 'tasks:write');
  });

  test('notes about leads need the permission for leads, notes about matters that for matters', async () => {
    const roles = [
      { name: 'Leads', permissions: ['leads:read', 'leads:write'] },
      { name: 'Matters', permissions: ['matters:read', 'matters:write'] },
    ];
    const members = [
      { email: owner, name: 'Ada', role: 'Owner' },
      { email: 'lea@harrow.example', name: 'Lea', role: 'Leads' },
      { email: 'mat@harrow.example', name: 'Mat', role: 'Matters' },
    ];
    const own = await makeFirm(server, { roles, members });
    const lead = (await own.owner.post('/v1/leads', { lastName: 'Quill' })).body.data.id;
    const subjects = { leads: { leadId: lead }, matters: { matterId: await matterFor(own) } };
    for (const [email, may, mayNot] of [
      ['lea@harrow.example', 'leads', 'matters'],
      ['mat@harrow.example', 'matters', 'leads'],
    ] as const) {
      const caller = await own.callerOf(email);
      const query = (kind: 'leads' | 'matters') =>
        `/v1/notes?${new URLSearchParams(subjects[kind] as Record<string, string>)}`;
      const mine = await caller.post('/v1/notes', { ...subjects[may], text: 'Mine' });
      expect(mine.status).toBe(201);
      expect((await caller.get(query(may))).body.data).toEqual([mine.body.data]);
      const refused = await caller.post('/v1/notes', { ...subjects[mayNot], text: 'Not mine' });
      expectRefusal(refused, 403, 'forbidden', `${mayNot}:write`);
      expectRefusal(await caller.get(query(mayNot)), 403, 'forbidden', `${mayNot}:read`);
      const other = await own.owner.post('/v1/notes', { ...subjects[mayNot], text: 'Hers' });
      const path = `/v1/notes/${other.body.data.id}`;
      expectRefusal(await caller.get(path), 403, 'forbidden', `${mayNot}:read`);
      expectRefusal(await caller.patch(path, { text: 'X' }), 403, 'forbidden', `${mayNot}:write`);
      expectRefusal(await caller.delete(path), 403, 'forbidden', `${mayNot}:write`);
      await own.owner.delete(path);
    }
  });

  test('no role holds any of the new scopes: the matrix has no line for them, and a blueprint may not name them', async () => {
    const ofKeysAlone = [...both, 'members:read'];
    for (const scope of ofKeysAlone) expect(permissions as readonly string[]).not.toContain(scope);
    for (const scope of ofKeysAlone) {
      const roles = [{ name: 'Attorney', permissions: [scope] }];
      const made = makeFirm(server, {
        roles,
        members: [{ email: owner, name: 'A', role: 'Owner' }],
      });
      expect(await made.then(() => 'made', String)).toContain(scope);
    }
  });

  test('a member makes a key for themselves with these scopes, if their role allows what they need', async () => {
    const make = (email: string, scope: string) =>
      firm.command(['key', 'create', '--member', email, '--scope', scope]).then(
        (key) => caller_(key),
        (error) => String(error),
      );
    const caller_ = (key: unknown) => (key as { id: string }).id.length;
    expect(await make(attorney, 'tasks:write')).toBe(36);
    expect(await make(bookkeeper, 'members:read')).toBe(36);
  });
});

describe('A note on a private lead', () => {
  test('does not exist for others: not in lists, not by id, not to change or delete', async () => {
    const hidden = { lastName: 'Secret', isPrivate: true };
    const secret = (await firm.owner.post('/v1/leads', hidden)).body.data.id;
    const body = { leadId: secret, text: 'Confidential' };
    const made = await firm.owner.post('/v1/notes', body);
    expect([made.status, made.body.data.leadId]).toEqual([201, secret]);
    const path = `/v1/notes/${made.body.data.id}`;
    const ben = await firm.callerOf(attorney);
    const unknown = await ben.get(`/v1/notes/${unknownId}`);
    for (const answer of [
      await ben.get(path),
      await ben.patch(path, { text: 'X' }),
      await ben.patch(path, { text: 5 }),
      await ben.delete(path),
    ]) {
      expect([answer.status, answer.body]).toEqual([404, unknown.body]);
    }
    expectRefusal(await ben.post('/v1/notes', body), 404, 'not_found', 'leadId');
    expect((await firm.owner.get(path)).body).toEqual(made.body);
    await firm.owner.patch(`/v1/leads/${secret}`, { isPrivate: false });
    expect((await ben.get(path)).status).toBe(200);
    await firm.owner.delete(`/v1/leads/${secret}`);
    expect((await firm.owner.get(path)).status).toBe(404);
  });

  test('only its author changes a note; its author and owners delete it', async () => {
    const ben = await firm.callerOf(attorney);
    const made = await firm.owner.post('/v1/notes', { leadId, text: 'Mine' });
    const path = `/v1/notes/${made.body.data.id}`;
    expectRefusal(await ben.patch(path, { text: 'Theirs' }), 403, 'forbidden', 'author');
    expectRefusal(await ben.delete(path), 403, 'forbidden', 'author');
    const his = await ben.post('/v1/notes', { leadId, text: 'His' });
    expectRefusal(
      await firm.owner.patch(`/v1/notes/${his.body.data.id}`, { text: 'X' }),
      403,
      'forbidden',
    );
    expect((await firm.owner.delete(`/v1/notes/${his.body.data.id}`)).status).toBe(200);
    for (const text of ['', '   ', 'x'.repeat(20_001)]) {
      expectRefusal(await firm.owner.patch(path, { text }), 400, 'invalid_request', 'text');
    }
  });
});

describe('A task', () => {
  test('is finished and opened again; a done one takes no other change', async () => {
    const assigneeId = firm.members[attorney];
    const body = { matterId, title: 'File', dueDate: '2031-02-03', assigneeId };
    const { id } = (await firm.owner.post('/v1/tasks', body)).body.data;
    const path = `/v1/tasks/${id}`;
    const done = await firm.owner.patch(path, { status: 'DONE', title: 'Filed' });
    expect(done.body.data).toMatchObject({
      status: 'DONE',
      title: 'Filed',
      dueDate: '2031-02-03',
      assignee: { id: assigneeId, name: 'Ben Lane' },
    });
    expect((await firm.owner.patch(path, { title: 'Filed' })).body).toEqual(done.body);
    expectRefusal(await firm.owner.patch(path, { title: 'Again' }), 409, 'conflict', 'done');
    const open = await firm.owner.patch(path, { status: 'OPEN', dueDate: null, assigneeId: null });
    expect(open.body.data).toMatchObject({ status: 'OPEN', dueDate: null, assignee: null });
  });

  test('of a deleted matter is gone with it, and a cancelled one is gone', async () => {
    const own = await makeFirm(server);
    const matter = await matterFor(own);
    const make = async () =>
      (await own.owner.post('/v1/tasks', { matterId: matter, title: 'X' })).body.data.id as string;
    const [one, two] = [await make(), await make()];
    await own.owner.delete(`/v1/tasks/${one}`);
    expect(await totalOf(own.owner.get(`/v1/tasks?matterId=${matter}`))).toBe(1);
    await own.owner.delete(`/v1/matters/${matter}`);
    expectRefusal(await own.owner.get(`/v1/tasks/${two}`), 404, 'not_found');
    expectRefusal(await own.owner.get(`/v1/tasks?matterId=${matter}`), 404, 'not_found');
  });
});

describe('A calendar event', () => {
  const make = async (body: object) =>
    firm.owner.post('/v1/calendar-events', { matterId, ...body });

  test('has hours or whole days, and becomes the other by what is sent', async () => {
    const hours = await make({ title: 'Hearing', startsAt: '2031-04-02T11:30:00+02:00' });
    expect(hours.body.data).toMatchObject({
      startsAt: '2031-04-02T09:30:00.000Z',
      endsAt: null,
      startDate: null,
      endDate: null,
      guests: [],
    });
    const path = `/v1/calendar-events/${hours.body.data.id}`;
    const days = await firm.owner.patch(path, { startDate: '2031-04-02', endDate: '2031-04-03' });
    expect(days.body.data).toMatchObject({
      startsAt: null,
      endsAt: null,
      startDate: '2031-04-02',
      endDate: '2031-04-03',
    });
    const back = await firm.owner.patch(path, {
      startsAt: '2031-04-02T09:30:00Z',
      endsAt: '2031-04-02T10:30:00Z',
      guests: ['Ben@harrow.example', 'zoe@quill.example'],
    });
    expect(back.body.data).toMatchObject({
      startsAt: '2031-04-02T09:30:00.000Z',
      endsAt: '2031-04-02T10:30:00.000Z',
      startDate: null,
      guests: ['ben@harrow.example', 'zoe@quill.example'],
    });
  });

  test('keeps what each of several callers changes at the same moment', async () => {
    const again = {
      title: 'Moved',
      startsAt: '2031-05-02T09:30:00.000Z',
      guests: ['zoe@quill.example'],
    };
    for (let round = 0; round < 10; round += 1) {
      const { body } = await make({ title: 'Hearing', startsAt: '2031-04-02T09:30:00Z' });
      const path = `/v1/calendar-events/${body.data.id}`;
      const changes = Object.entries(again).map(([name, value]) => ({ [name]: value }));
      const answers = await Promise.all(changes.map((change) => firm.owner.patch(path, change)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect((await firm.owner.get(path)).body.data).toMatchObject(again);
    }
  });

  test.each([
    [{}, 'startsAt'],
    [{ startsAt: '2031-04-02' }, 'startsAt'],
    [{ startsAt: '2031-02-30T10:00:00Z' }, 'startsAt'],
    [{ startsAt: '2031-04-02T10:00:00' }, 'startsAt'],
    [{ startsAt: '2031-04-02T10:00:00Z', endsAt: '2031-04-02T09:00:00Z' }, 'endsAt'],
    [{ startsAt: '2031-04-02T10:00:00Z', startDate: '2031-04-02' }, 'startDate'],
    [{ startsAt: '2031-04-02T10:00:00Z', endDate: '2031-04-02' }, 'endDate'],
    [{ startDate: '2031-04-02', endDate: '2031-04-01' }, 'endDate'],
    [{ startDate: '2031-04-02', endsAt: '2031-04-02T09:00:00Z' }, 'endsAt'],
    [{ startDate: '2031-04-02', guests: ['no address'] }, 'guests'],
  ])('is refused with %j, naming %s', async (time, field) => {
    expectRefusal(await make({ title: 'Hearing', ...time }), 400, 'invalid_request', field);
  });
});

describe('GET /v1/me', () => {
  test('says for any key whose it is, and which of its scopes its member may use now', async () => {
    const scopes = ['leads:read', 'matters:write', 'members:read', 'tasks:write', 'notes:read'];
    const cy = await firm.callerOf(bookkeeper, scopes);
    const { status, body } = await cy.get('/v1/me');
    expect(status).toBe(200);
    expect(body.data).toEqual({
      firm: { id: firm.id, name: firm.firm.name, timeZone: 'UTC' },
      member: {
        id: firm.members[bookkeeper],
        name: 'Cy Moss',
        email: bookkeeper,
        role: 'Bookkeeper',
      },
      key: {
        id: cy.keyId,
        prefix: cy.key.slice(0, 8),
        scopes,
        expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
      scopes: ['members:read'],
    });
    const ada = await firm.callerOf(owner, scopes);
    expect((await ada.get('/v1/me')).body.data.scopes).toEqual(scopes);
    expect((await firm.owner.get('/v1/me')).headers.get('cache-control')).toBe('no-store');
    await firm.command(['key', 'revoke', cy.keyId]);
    expectRefusal(await cy.get('/v1/me'), 401, 'unauthorized');
  });
});

describe('GET /v1/members', () => {
  test('lists who works in the firm, newest first, also who left; whose ids a team takes', async () => {
    const own = await makeFirm(server);
    await own.command(['member', 'deactivate', bookkeeper]);
    const ben = await own.callerOf(attorney, ['members:read']);
    const { body } = await ben.get('/v1/members');
    const of = (email: string, name: string, role: string, isActive = true) => ({
      id: own.members[email] as string,
      name,
      email,
      role,
      isActive,
    });
    expect(body).toEqual({
      data: expect.arrayContaining([
        of(owner, 'Ada Harrow', 'Owner'),
        of(attorney, 'Ben Lane', 'Attorney'),
        of(bookkeeper, 'Cy Moss', 'Bookkeeper', false),
      ]),
      pagination: { limit: 20, offset: 0, total: 3 },
    });
    const [first] = (await ben.get('/v1/members?limit=1&offset=2')).body.data;
    const team = [{ memberId: first.id }];
    const practiceAreaId = own.practiceAreas.Family?.id;
    const matter = { practiceAreaId, openDate: '2031-02-03', team };
    const isActive = first.isActive;
    expect((await own.owner.post('/v1/matters', matter)).status).toBe(isActive ? 201 : 404);
  });

  test('takes members:read, which any member’s key may have, and no other', async () => {
    const cy = await firm.callerOf(bookkeeper, ['members:read']);
    expect((await cy.get('/v1/members')).status).toBe(200);
    const without = await firm.callerOf(owner, ['matters:read', 'contacts:read']);
    expectRefusal(await without.get('/v1/members'), 403, 'forbidden', 'members:read');
  });
});
