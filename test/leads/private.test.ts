import { beforeEach, describe, expect, test } from 'bun:test';
import { auditOf, expectRefusal, unknownId } from '../support/expectations.ts';
import { attorney, type Caller, type Firm, makeFirm, startTestServer } from '../support/firm.ts';

const server = await startTestServer();

describe('A private lead: only its assignees and firm owners can see it', () => {
  let firm: Firm;
  let ben: Caller;
  let dee: Caller;
  beforeEach(async () => {
    firm = await makeFirm(server, {
      members: [
        { email: 'ada@harrow.example', name: 'Ada', role: 'Owner' },
        { email: 'eve@harrow.example', name: 'Eve', role: 'Owner' },
        { email: attorney, name: 'Ben', role: 'Attorney' },
        { email: 'dee@harrow.example', name: 'Dee', role: 'Attorney' },
      ],
    });
    [ben, dee] = await Promise.all([
      firm.callerOf(attorney),
      firm.callerOf('dee@harrow.example', ['leads:read', 'leads:write']),
    ]);
  });

  const make = async (caller: Caller, more: object = {}) => {
    const answer = await caller.post('/v1/leads', { lastName: 'Quill', ...more });
    expect(answer.status).toBe(201);
    return answer.body.data;
  };

  /** The ids a caller's list shows, and the total it states. */
  const seenBy = async (caller: Caller, query = '') => {
    const { data, pagination } = (await caller.get(`/v1/leads${query}`)).body;
    return [data.map(({ id }: { id: string }) => id), pagination.total];
  };

  test('a private lead made through the API has the key’s member as assignee', async () => {
    const { id, isPrivate } = await make(ben, { isPrivate: true });
    expect(isPrivate).toBe(true);
    const eve = await firm.callerOf('eve@harrow.example');
    for (const caller of [ben, firm.owner, eve]) {
      expect((await caller.get(`/v1/leads/${id}`)).status).toBe(200);
      expect(await seenBy(caller)).toEqual([[id], 1]);
    }
    expect(await seenBy(dee)).toEqual([[], 0]);
    const [created] = await auditOf(firm, id);
    expect(created?.changes.assignee?.after).toEqual(firm.members[attorney]);
  });

  test('to anyone else it is not there: every call answers as for an unknown id, whatever is sent', async () => {
    const { id } = await make(ben, { isPrivate: true });
    const before = await ben.get(`/v1/leads/${id}`);
    const unknown = await dee.get(`/v1/leads/${unknownId}`);
    for (const answer of [
      await dee.get(`/v1/leads/${id}`),
      await dee.patch(`/v1/leads/${id}`, { value: 'HIGH' }),
      await dee.patch(`/v1/leads/${id}`, { isPrivate: false }),
      await dee.patch(`/v1/leads/${id}`, { value: 5 }),
      await dee.patch(`/v1/leads/${id}`, { practiceAreaId: unknownId }),
      await dee.patch(`/v1/leads/${id}`, { customFields: { nope: 1 } }),
      await dee.patch(`/v1/leads/${id}`, 'not json'),
      await dee.delete(`/v1/leads/${id}`),
    ]) {
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(unknown.body);
    }
    expect((await ben.get(`/v1/leads/${id}`)).body).toEqual(before.body);
    expect(await auditOf(firm, id)).toHaveLength(1);
  });

  test('also when its contact is lost', async () => {
    const { id, contact } = await make(ben, { isPrivate: true });
    await firm.owner.delete(`/v1/contacts/${contact.id}`);
    expectRefusal(await dee.patch(`/v1/leads/${id}`, {}), 404, 'not_found');
    expectRefusal(await ben.patch(`/v1/leads/${id}`, {}), 409, 'conflict');
  });

  test('lists, pages and totals hold exactly the leads the key’s member may see, newest first', async () => {
    const open = await make(dee);
    const bens = await make(ben, { isPrivate: true });
    const adas = await make(firm.owner, { isPrivate: true });
    const dees = await make(dee, { isPrivate: true });
    const last = await make(ben);
    expect(await seenBy(firm.owner)).toEqual([[last.id, dees.id, adas.id, bens.id, open.id], 5]);
    expect(await seenBy(ben)).toEqual([[last.id, bens.id, open.id], 3]);
    expect(await seenBy(dee)).toEqual([[last.id, dees.id, open.id], 3]);
    expect(await seenBy(dee, '?limit=1&offset=1')).toEqual([[dees.id], 3]);
    expect(await seenBy(dee, '?limit=1&offset=2')).toEqual([[open.id], 3]);
    expect(await seenBy(dee, '?offset=3')).toEqual([[], 3]);
  });

  test('every key of a member sees what the member sees', async () => {
    const { id } = await make(ben, { isPrivate: true });
    const another = await firm.callerOf(attorney, ['leads:read']);
    expect((await another.get(`/v1/leads/${id}`)).status).toBe(200);
    expect(await seenBy(another)).toEqual([[id], 1]);
  });

  test('made private by an update it is hidden from the others, not from who did it', async () => {
    const { id } = await make(dee);
    const answer = await ben.patch(`/v1/leads/${id}`, { isPrivate: true });
    expect(answer.body.data.isPrivate).toBe(true);
    expect(await seenBy(ben)).toEqual([[id], 1]);
    expect(await seenBy(dee)).toEqual([[], 0]);
    expect(await seenBy(firm.owner)).toEqual([[id], 1]);
    const [, updated] = await auditOf(firm, id);
    expect(updated?.changes.isPrivate).toEqual({ before: false, after: true });
  });

  test('opened by an update it is there for everyone again', async () => {
    const { id } = await make(ben, { isPrivate: true });
    await ben.patch(`/v1/leads/${id}`, { isPrivate: false });
    expect((await dee.get(`/v1/leads/${id}`)).status).toBe(200);
    expect(await seenBy(dee)).toEqual([[id], 1]);
    await ben.patch(`/v1/leads/${id}`, { isPrivate: true });
    expect(await seenBy(dee)).toEqual([[], 0]);
    expect(await seenBy(ben)).toEqual([[id], 1]);
  });

  test('deleted it leaves the totals of those who saw it, and no others', async () => {
    const open = await make(dee);
    const { id } = await make(ben, { isPrivate: true });
    await ben.delete(`/v1/leads/${id}`);
    for (const caller of [ben, dee, firm.owner]) {
      expect(await seenBy(caller)).toEqual([[open.id], 1]);
      expectRefusal(await caller.get(`/v1/leads/${id}`), 404, 'not_found');
    }
  });

  test('a refused update of isPrivate moves no count', async () => {
    const { id } = await make(dee);
    const body = { isPrivate: true, customFields: { nope: 1 } };
    expectRefusal(await ben.patch(`/v1/leads/${id}`, body), 400, 'invalid_custom_field');
    expect(await seenBy(dee)).toEqual([[id], 1]);
    expect(await seenBy(firm.owner)).toEqual([[id], 1]);
  });
});
