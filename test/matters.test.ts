import { describe, expect, test } from 'bun:test';
import { attorney, makeFirm, owner, startTestServer } from './support/firm.ts';

const server = await startTestServer();

describe('POST /v1/matters', () => {
  test('stores the matter with its clients and team, the first client primary and bill recipient', async () => {
    const firm = await makeFirm(server);
    const contact = async (lastName: string) =>
      (await firm.owner.post('/v1/contacts', { lastName })).body.data.id;
    const [quill, rook] = [await contact('Quill'), await contact('Rook')];
    const area = firm.practiceAreas.Family;
    const answer = await firm.owner.post('/v1/matters', {
      practiceAreaId: area?.id,
      openDate: '2026-02-28',
      clientContactIds: [quill, rook, quill],
      team: [
        { memberId: firm.members[owner] },
        {
          memberId: firm.members[attorney],
          role: 'RESPONSIBLE_STAFF',
          allocation: 33.333333333333336,
        },
        { memberId: firm.members[attorney], role: 'RESPONSIBLE_STAFF', allocation: 1 },
        { memberId: firm.members[attorney] },
      ],
    });
    expect(answer.status).toBe(201);
    const { data } = answer.body;
    expect(data).toEqual({
      id: expect.any(String),
      publicId: `M-${new Date().getUTCFullYear()}-0001`,
      title: 'Untitled matter',
      description: null,
      status: 'ACTIVE',
      openDate: '2026-02-28',
      closeDate: null,
      solDate: null,
      practiceArea: { id: area?.id, name: 'Family' },
      stage: { id: area?.stages.Intake, name: 'Intake' },
      clients: [
        { contactId: quill, name: 'Quill', isPrimary: true, isBillRecipient: true },
        { contactId: rook, name: 'Rook', isPrimary: false, isBillRecipient: false },
      ],
      team: [
        {
          memberId: firm.members[owner],
          role: 'RESPONSIBLE_ATTORNEY',
          allocation: 0,
          name: 'Ada Harrow',
        },
        {
          memberId: firm.members[attorney],
          role: 'RESPONSIBLE_STAFF',
          allocation: 33.333333333333336,
          name: 'Ben Lane',
        },
        {
          memberId: firm.members[attorney],
          role: 'RESPONSIBLE_ATTORNEY',
          allocation: 0,
          name: 'Ben Lane',
        },
      ],
      customFields: {},
      unsupportedCustomFields: [],
      createdAt: expect.any(String),
      updatedAt: data.createdAt,
    });
    expect((await firm.owner.get(`/v1/matters/${data.id}`)).body.data).toEqual(data);
    const { customFields, unsupportedCustomFields, ...row } = data;
    expect((await firm.owner.get('/v1/matters')).body).toEqual({
      data: [row],
      pagination: { limit: 20, offset: 0, total: 1 },
    });
  });
});
