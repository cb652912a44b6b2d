import { beforeAll, describe, expect, test } from 'bun:test';
import { auditOf, expectRefusal, totalOf, unknownId } from '../support/expectations.ts';
import { type Firm, makeFirm, startTestServer } from '../support/firm.ts';

const server = await startTestServer();
let firm: Firm;
beforeAll(async () => {
  firm = await makeFirm(server);
});

const makeLead = async (more: object = {}) =>
  (await firm.owner.post('/v1/leads', { lastName: 'Quill', ...more })).body.data;

describe('PATCH /v1/leads/{id}', () => {
  test('moves, values and files a lead, field by field, and keeps what is not sent', async () => {
    const made = await makeLead();
    const path = `/v1/leads/${made.id}`;
    const area = firm.practiceAreas.Family?.id;
    let expected = made;
    for (const [sent, shown] of [
      [{ value: 'LOW' }, { value: 'LOW' }],
      [{ practiceAreaId: area }, { practiceArea: { id: area, name: 'Family' } }],
      [{ leadStageColumnId: firm.leadStages.Contacted }, undefined],
      [{ isPrivate: true }, undefined],
      [{ value: 'HIGHEST', isPrivate: false }, undefined],
    ]) {
      const { status, body } = await firm.owner.patch(path, sent);
      expect(status).toBe(200);
      expected = { ...expected, ...(shown ?? sent), updatedAt: body.data.updatedAt };
      expect(body.data).toEqual(expected);
      expect((await firm.owner.get(path)).body.data).toEqual(expected);
    }
    const { customFields, unsupportedCustomFields, ...row } = expected;
    const list = (await firm.owner.get('/v1/leads')).body.data;
    expect(list.find(({ id }: { id: string }) => id === made.id)).toEqual(row);
  });

  test('null clears practiceAreaId and value', async () => {
    const { id } = await makeLead({
      practiceAreaId: firm.practiceAreas.Family?.id,
      value: 'HIGH',
    });
    const body = { practiceAreaId: null, value: null };
    const answer = await firm.owner.patch(`/v1/leads/${id}`, body);
    expect(answer.body.data).toMatchObject({ practiceArea: null, value: null });
    expect((await firm.owner.get(`/v1/leads/${id}`)).body).toEqual(answer.body);
  });

  test('name, email, phone, status and number are not editable on a lead: they are ignored', async () => {
    const made = await makeLead({ email: 'a@quill.example' });
    const audited = await auditOf(firm);
    const answer = await firm.owner.patch(`/v1/leads/${made.id}`, {
      firstName: 'Eve',
      lastName: 5,
      name: 'Eve',
      type: 'COMPANY',
      companyName: 'Eve Ltd',
      email: 'b@quill.example',
      phone: '1',
      status: 'HIRED',
      publicId: 'L-9',
      id: unknownId,
      contact: { id: unknownId, name: 'Eve' },
    });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual(made);
    expect(await auditOf(firm)).toEqual(audited);
  });

  test('the name is changed on the linked contact, and the lead shows it', async () => {
    const made = await makeLead();
    await firm.owner.patch(`/v1/contacts/${made.contact.id}`, { firstName: 'Eve' });
    const { data } = (await firm.owner.get(`/v1/leads/${made.id}`)).body;
    expect(data).toEqual({ ...made, contact: { id: made.contact.id, name: 'Eve Quill' } });
  });

  test.each([
    ['practiceAreaId', unknownId],
    ['practiceAreaId', 'Family'],
    ['leadStageColumnId', unknownId],
    ['leadStageColumnId', ''],
  ])('answers 404 naming %s when it is %j, and changes nothing', async (field, id) => {
    const made = await makeLead();
    const path = `/v1/leads/${made.id}`;
    const answer = await firm.owner.patch(path, { value: 'HIGH', [field]: id });
    expectRefusal(answer, 404, 'not_found', field);
    expect((await firm.owner.get(path)).body.data).toEqual(made);
    expect(await auditOf(firm, made.id)).toHaveLength(1);
  });

  test('writes one audit entry, with the fields that changed before and after', async () => {
    const { id } = await makeLead({ value: 'LOW' });
    const headers = { 'x-request-id': `moved-${id}` };
    const body = { value: 'HIGH', isPrivate: false, practiceAreaId: firm.practiceAreas.Family?.id };
    await firm.owner.patch(`/v1/leads/${id}`, body, headers);
    const written = (await auditOf(firm)).filter((one) => one.requestId === `moved-${id}`);
    expect(written).toHaveLength(1);
    expect(written[0]).toMatchObject({
      action: 'update',
      recordKind: 'lead',
      recordId: id,
      keyId: firm.owner.keyId,
      memberId: firm.members['ada@harrow.example'],
    });
    expect(written[0]?.changes).toEqual({
      value: { before: 'LOW', after: 'HIGH' },
      practiceAreaId: { before: null, after: firm.practiceAreas.Family?.id },
    });
  });
});

describe('A lead that has lost its contact', () => {
  let lead: { id: string; contact: { id: string } };
  let path: string;
  beforeAll(async () => {
    lead = await makeLead();
    path = `/v1/leads/${lead.id}`;
    await firm.owner.delete(`/v1/contacts/${lead.contact.id}`);
  });

  test('is still read and listed, with contact null', async () => {
    expect((await firm.owner.get(path)).body.data).toEqual({ ...lead, contact: null });
    const list = (await firm.owner.get('/v1/leads')).body.data;
    expect(list.find(({ id }: { id: string }) => id === lead.id)?.contact).toBeNull();
  });

  test.each([[{}], [{ value: 'HIGH' }], [{ value: null }], [{ customFields: { nope: 1 } }]])(
    'refuses the update %j with 409 conflict',
    async (body) => {
      const audited = await auditOf(firm);
      expectRefusal(await firm.owner.patch(path, body), 409, 'conflict');
      expect((await firm.owner.get(path)).body.data).toEqual({ ...lead, contact: null });
      expect(await auditOf(firm)).toEqual(audited);
    },
  );

  test('is refused for a wrong shape (400) and a missing reference (404) before that', async () => {
    expectRefusal(await firm.owner.patch(path, { value: 'HUGE' }), 400, 'invalid_request', 'value');
    const answer = await firm.owner.patch(path, { practiceAreaId: unknownId });
    expectRefusal(answer, 404, 'not_found', 'practiceAreaId');
  });

  test('can be deleted', async () => {
    const other = await makeLead();
    await firm.owner.delete(`/v1/contacts/${other.contact.id}`);
    const answer = await firm.owner.delete(`/v1/leads/${other.id}`);
    expect(answer.body).toEqual({ data: { id: other.id, deleted: true } });
    expectRefusal(await firm.owner.patch(`/v1/leads/${other.id}`, {}), 404, 'not_found');
  });
});

describe('DELETE /v1/leads/{id}', () => {
  test('takes the lead out of the pipeline; the contact created with it stays in place', async () => {
    const lead = await makeLead();
    const contact = await firm.owner.get(`/v1/contacts/${lead.contact.id}`);
    const contacts = await totalOf(firm.owner.get('/v1/contacts'));
    const leads = await totalOf(firm.owner.get('/v1/leads'));
    expect((await firm.owner.delete(`/v1/leads/${lead.id}`)).body).toEqual({
      data: { id: lead.id, deleted: true },
    });
    expect((await firm.owner.get(`/v1/contacts/${lead.contact.id}`)).body).toEqual(contact.body);
    expect(await totalOf(firm.owner.get('/v1/contacts'))).toBe(contacts);
    expect(await totalOf(firm.owner.get('/v1/leads'))).toBe(leads - 1);
    expect((await auditOf(firm, lead.contact.id)).map(({ action }) => action)).toEqual(['create']);
  });
});
