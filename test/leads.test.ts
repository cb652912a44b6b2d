import { describe, expect, test } from 'bun:test';
import { attorney, makeFirm, startTestServer } from './support/firm.ts';

const server = await startTestServer();

describe('POST /v1/leads', () => {
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

  test('shows a private lead to its assignee and to owners, to nobody else', async () => {
    const firm = await makeFirm(server, {
      members: [
        { email: 'ada@harrow.example', name: 'Ada', role: 'Owner' },
        { email: attorney, name: 'Ben', role: 'Attorney' },
        { email: 'dee@harrow.example', name: 'Dee', role: 'Attorney' },
      ],
    });
    const ben = await firm.callerOf(attorney);
    const dee = await firm.callerOf('dee@harrow.example');
    const { body } = await ben.post('/v1/leads', { lastName: 'Quill', isPrivate: true });
    const path = `/v1/leads/${body.data.id}`;
    expect((await ben.get(path)).status).toBe(200);
    expect((await firm.owner.get(path)).status).toBe(200);
    expect((await dee.get(path)).status).toBe(404);
    expect((await dee.patch(path, { value: 'HIGH' })).status).toBe(404);
    expect((await dee.delete(path)).status).toBe(404);
    expect((await dee.get('/v1/leads')).body).toEqual({
      data: [],
      pagination: { limit: 20, offset: 0, total: 0 },
    });
    expect((await ben.get('/v1/leads')).body.pagination.total).toBe(1);
    expect((await firm.owner.get('/v1/leads')).body.pagination.total).toBe(1);
  });
});
