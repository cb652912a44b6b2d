import { beforeAll, describe, expect, test } from 'bun:test';
import { auditOf, expectRefusal, totalOf, unknownId } from '../support/expectations.ts';
import { type Firm, makeFirm, startTestServer, usualBlueprint } from '../support/firm.ts';
import { runJson } from '../support/terminal.ts';

const server = await startTestServer();

describe('POST /v1/leads', () => {
  let firm: Firm;
  beforeAll(async () => {
    firm = await makeFirm(server);
  });

  test('creates the prospect as a brand-new contact, and the lead attached to it, as ACTIVE', async () => {
    const firm = await makeFirm(server);
    const answer = await firm.owner.post('/v1/leads', {
      firstName: ' Zoe ',
      middleName: 'May',
      lastName: 'Quill',
      email: 'zoe@quill.example',
      phone: '+1 555 0100',
    });
    expect(answer.status).toBe(201);
    const { data } = answer.body;
    expect(data).toEqual({
      id: expect.any(String),
      publicId: 'L-0001',
      status: 'ACTIVE',
      value: null,
      isPrivate: false,
      leadStageColumnId: firm.leadStages.New,
      contact: { id: expect.any(String), name: 'Zoe May Quill' },
      practiceArea: null,
      customFields: {},
      unsupportedCustomFields: [],
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: data.createdAt,
    });
    const contact = await firm.owner.get(`/v1/contacts/${data.contact.id}`);
    expect(contact.body.data).toMatchObject({
      type: 'PERSON',
      name: 'Zoe May Quill',
      firstName: 'Zoe',
      emails: [{ address: 'zoe@quill.example', label: null, isPrimary: true }],
      phones: [{ number: '+1 555 0100', label: null, isPrimary: true }],
    });
  });

  test('takes every field of the contract', async () => {
    const sent = {
      practiceAreaId: firm.practiceAreas.Family?.id,
      value: 'HIGHEST',
      isPrivate: true,
      leadStageColumnId: firm.leadStages.Contacted,
    };
    const name = {
      type: 'COMPANY',
      prefix: 'The',
      firstName: 'Zoe',
      middleName: 'M',
      lastName: 'Quill',
      suffix: 'Jr',
      nickname: 'Zo',
      companyName: 'Quill Ltd',
      tradeName: 'Quills',
      companyType: 'Limited',
    };
    const { data } = (await firm.owner.post('/v1/leads', { ...name, ...sent })).body;
    expect(data).toMatchObject({
      value: 'HIGHEST',
      isPrivate: true,
      leadStageColumnId: sent.leadStageColumnId,
      practiceArea: { id: sent.practiceAreaId, name: 'Family' },
      contact: { name: 'Quill Ltd' },
    });
    const contact = await firm.owner.get(`/v1/contacts/${data.contact.id}`);
    expect(contact.body.data).toMatchObject(name);
  });

  test.each(['LOWEST', 'LOW', 'MEDIUM', 'HIGH', 'HIGHEST'])('takes the value %s', async (value) => {
    const { body } = await firm.owner.post('/v1/leads', { lastName: 'Quill', value });
    expect(body.data.value).toBe(value);
  });

  test.each([
    [{ firstName: 'Zoe' }, 'PERSON', 'Zoe'],
    [{ lastName: 'Quill' }, 'PERSON', 'Quill'],
    [{ firstName: 'Zoe', lastName: 'Quill', prefix: 'Dr', suffix: 'Jr' }, 'PERSON', 'Zoe Quill'],
    [{ type: 'PERSON', firstName: 'Zoe', companyName: 'Quill Ltd' }, 'PERSON', 'Zoe'],
    [{ type: 'COMPANY', companyName: 'Quill Ltd', firstName: 'Zoe' }, 'COMPANY', 'Quill Ltd'],
  ])('calls the contact of %j a %s named %s', async (body, type, name) => {
    const { data } = (await firm.owner.post('/v1/leads', body)).body;
    expect(data.contact.name).toBe(name);
    const contact = await firm.owner.get(`/v1/contacts/${data.contact.id}`);
    expect(contact.body.data).toMatchObject({ type, name });
  });

  test.each([
    [{}],
    [{ middleName: 'May', nickname: 'Zo' }],
    [{ companyName: 'Quill Ltd' }],
    [{ type: 'COMPANY', firstName: 'Zoe', lastName: 'Quill' }],
    [{ type: 'COMPANY', tradeName: 'Quills' }],
  ])('refuses %j: a PERSON needs firstName or lastName, a COMPANY companyName', async (body) => {
    expectRefusal(await firm.owner.post('/v1/leads', body), 400, 'invalid_request');
  });

  test('never attaches the lead to an existing contact, and takes no status from outside', async () => {
    const body = { lastName: 'Quill', email: 'q@quill.example' };
    const first = (await firm.owner.post('/v1/leads', body)).body.data;
    const known = { contactId: first.contact.id, contact: first.contact, status: 'HIRED' };
    const before = await totalOf(firm.owner.get('/v1/contacts'));
    const second = (await firm.owner.post('/v1/leads', { ...body, ...known })).body.data;
    expect(second.contact.id).not.toBe(first.contact.id);
    expect(second.status).toBe('ACTIVE');
    expect(await totalOf(firm.owner.get('/v1/contacts'))).toBe(before + 1);
  });

  test('numbers leads without a gap, whatever was refused or deleted in between', async () => {
    const firm = await makeFirm(server);
    const create = (more = {}) => firm.owner.post('/v1/leads', { lastName: 'Quill', ...more });
    const first = (await create()).body.data;
    await create({ customFields: { nope: 1 } });
    await create({ practiceAreaId: unknownId });
    await firm.owner.delete(`/v1/leads/${first.id}`);
    const numbers = await Promise.all([create(), create(), create()]);
    expect(numbers.map(({ body }) => body.data.publicId).sort()).toEqual([
      'L-0002',
      'L-0003',
      'L-0004',
    ]);
  });

  test('writes one audit entry for the contact and one for the lead', async () => {
    const headers = { 'x-request-id': 'two-records' };
    const { data } = (await firm.owner.post('/v1/leads', { lastName: 'Vane' }, headers)).body;
    const written = (await auditOf(firm)).filter((one) => one.requestId === 'two-records');
    const by = { memberId: firm.members['ada@harrow.example'], keyId: firm.owner.keyId };
    expect(written).toHaveLength(2);
    expect(written).toMatchObject([
      { action: 'create', recordKind: 'contact', recordId: data.contact.id, ...by },
      { action: 'create', recordKind: 'lead', recordId: data.id, ...by },
    ]);
    expect(written[0]?.changes.lastName).toEqual({ before: null, after: 'Vane' });
    expect(written[1]?.changes.number).toEqual({ before: null, after: data.publicId });
  });

  test.each([
    ['practiceAreaId', unknownId],
    ['practiceAreaId', 'Family'],
    ['practiceAreaId', ''],
    ['leadStageColumnId', unknownId],
    ['leadStageColumnId', 'New'],
    ['leadStageColumnId', ''],
  ])('answers 404 naming %s when it is %j', async (field, id) => {
    const answer = await firm.owner.post('/v1/leads', { lastName: 'Quill', [field]: id });
    expectRefusal(answer, 404, 'not_found', field);
  });

  test('answers 404 for a deleted practice area; leads that have it keep it', async () => {
    const area = (await firm.owner.post('/v1/practice-areas', { name: 'Tax' })).body.data;
    const body = { lastName: 'Quill', practiceAreaId: area.id };
    const lead = (await firm.owner.post('/v1/leads', body)).body.data;
    await firm.owner.delete(`/v1/practice-areas/${area.id}`);
    const answer = await firm.owner.post('/v1/leads', body);
    expectRefusal(answer, 404, 'not_found', 'practiceAreaId');
    const kept = await firm.owner.patch(`/v1/leads/${lead.id}`, { practiceAreaId: area.id });
    expect(kept.status).toBe(200);
    expect(kept.body.data.practiceArea).toEqual({ id: area.id, name: 'Tax' });
  });
});

test('the checks of a create come in the contract’s order, and none of them leaves a trace', async () => {
  const firm = await makeFirm(server, { numbering: {}, leadStages: [] });
  const grow = (parts: object) =>
    runJson(
      server.databaseUrl,
      ['firm', 'apply', '-'],
      JSON.stringify({ ...usualBlueprint, name: firm.firm.name, numbering: {}, ...parts }),
    );
  const create = (body: object) => firm.owner.post('/v1/leads', body);
  const wrong = { customFields: { nope: 1 } };
  const person = { ...wrong, practiceAreaId: unknownId };
  expectRefusal(await create({ ...person, isPrivate: 'no' }), 400, 'invalid_request', 'isPrivate');
  expectRefusal(await create(person), 400, 'invalid_request', 'firstName');
  expectRefusal(await create({ ...person, lastName: 'Q' }), 404, 'not_found', 'practiceAreaId');
  await grow({ leadStages: [] });
  expectRefusal(await create({ ...wrong, lastName: 'Q' }), 409, 'not_configured');
  await grow({ leadStages: [], numbering: { lead: 'L-{##}' } });
  expectRefusal(await create({ ...wrong, lastName: 'Q' }), 400, 'invalid_request', 'lead stage');
  await grow({ leadStages: ['New'] });
  expectRefusal(await create({ ...wrong, lastName: 'Q' }), 400, 'invalid_custom_field', 'nope');
  expect(await totalOf(firm.owner.get('/v1/leads'))).toBe(0);
  expect(await totalOf(firm.owner.get('/v1/contacts'))).toBe(0);
  expect((await create({ lastName: 'Q' })).body.data.publicId).toBe('L-01');
});
