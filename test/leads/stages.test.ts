import { expect, test } from 'bun:test';
import { auditOf, expectRefusal } from '../support/expectations.ts';
import { attorney, bookkeeper, caller, makeFirm, owner, startTestServer } from '../support/firm.ts';

const server = await startTestServer();

test('GET /v1/lead-stages lists id and name of the firm’s stages, in the order of its pipeline', async () => {
  const [firm, other] = await Promise.all([
    makeFirm(server, { leadStages: ['New', ' Contacted ', 'Won'] }),
    makeFirm(server, { leadStages: [] }),
  ]);
  const answer = await firm.owner.get('/v1/lead-stages');
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    data: ['New', 'Contacted', 'Won'].map((name) => ({ id: firm.leadStages[name], name })) as never,
    pagination: { limit: 100, offset: 0, total: 3 },
  });
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect((await other.owner.get('/v1/lead-stages')).body).toEqual({
    data: [],
    pagination: { limit: 100, offset: 0, total: 0 },
  });
});

test('they have pages as every list has, and without a limit they come all at once as before', async () => {
  const leadStages = Array.from({ length: 25 }, (_, place) => `Stage ${place + 1}`);
  const { owner } = await makeFirm(server, { leadStages });
  const { body: all } = await owner.get('/v1/lead-stages');
  expect(all.data.map(({ name }: { name: string }) => name)).toEqual(leadStages);
  const page = await owner.get('/v1/lead-stages?limit=10&offset=20');
  expect(page.body).toEqual({
    data: all.data.slice(20),
    pagination: { limit: 10, offset: 20, total: 25 },
  });
  expect(page.headers.get('link')).toBe('</v1/lead-stages?limit=10&offset=10>; rel="prev"');
  const first = await owner.get('/v1/lead-stages?limit=10');
  expect(first.headers.get('link')).toBe('</v1/lead-stages?limit=10&offset=10>; rel="next"');
  for (const query of ['limit=0', 'limit=101', 'limit=', 'offset=-1', 'limit=1&limit=2']) {
    expectRefusal(await owner.get(`/v1/lead-stages?${query}`), 400, 'invalid_request');
  }
});

test('a new lead starts in the first of them, and in each when it is sent', async () => {
  const firm = await makeFirm(server, { leadStages: ['B', 'A', 'C'] });
  const stages = (await firm.owner.get('/v1/lead-stages')).body.data;
  const create = async (more: object) =>
    (await firm.owner.post('/v1/leads', { lastName: 'Quill', ...more })).body.data;
  expect((await create({})).leadStageColumnId).toBe(stages[0].id);
  for (const { id } of stages) {
    expect((await create({ leadStageColumnId: id })).leadStageColumnId).toBe(id);
  }
});

test('another order in the blueprint is the order of the list, and of where new leads start', async () => {
  const firm = await makeFirm(server, { leadStages: ['New', 'Won'] });
  const [first, second] = (await firm.owner.get('/v1/lead-stages')).body.data;
  await firm.reapply({ leadStages: ['Won', 'Lost', 'New'] });
  const { data } = (await firm.owner.get('/v1/lead-stages')).body;
  expect(data).toEqual([second, { id: expect.any(String), name: 'Lost' }, first]);
  const { body } = await firm.owner.post('/v1/leads', { lastName: 'Quill' });
  expect(body.data.leadStageColumnId).toBe(second.id);
});

test('it takes the scope leads:read, no other, and the member’s permission', async () => {
  const firm = await makeFirm(server);
  const reader = await firm.callerOf(attorney, ['leads:read']);
  expect((await reader.get('/v1/lead-stages')).status).toBe(200);
  for (const scopes of [['leads:write'], ['matters:read', 'practice-areas:read']]) {
    const stranger = await firm.callerOf(owner, scopes);
    expectRefusal(await stranger.get('/v1/lead-stages'), 403, 'forbidden', 'leads:read');
  }
  const cy = await firm.callerOf(bookkeeper);
  expectRefusal(await cy.get('/v1/lead-stages'), 403, 'forbidden', 'leads:read');
  expectRefusal(await caller(server.url, '').get('/v1/lead-stages'), 401, 'unauthorized');
});

test('it is read only and holds no single stages; unknown parameters mean nothing', async () => {
  const firm = await makeFirm(server);
  const before = await firm.owner.get('/v1/lead-stages');
  const audited = await auditOf(firm);
  const path = '/v1/lead-stages';
  for (const answer of [
    await firm.owner.post(path, { name: 'Lost' }),
    await firm.owner.patch(path, { name: 'Lost' }),
    await firm.owner.delete(path),
  ]) {
    expectRefusal(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe('GET, HEAD');
  }
  for (const rest of [`/${firm.leadStages.New}`, '/x', '//']) {
    expectRefusal(await firm.owner.get(path + rest), 404, 'not_found');
  }
  for (const query of ['?sort=name', '?page=2']) {
    expect((await firm.owner.get(path + query)).body).toEqual(before.body);
  }
  expect(await auditOf(firm)).toEqual(audited);
});
