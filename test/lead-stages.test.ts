import { expect, test } from 'bun:test';
import { expectRefusal } from './support/expectations.ts';
import { attorney, bookkeeper, makeFirm, startTestServer } from './support/firm.ts';

const server = await startTestServer();

test('GET /v1/lead-stages shows the firm’s pipeline in order, each stage with its id', async () => {
  const firm = await makeFirm(server, { leadStages: ['New', 'Contacted', 'Booked'] });
  const answer = await firm.owner.get('/v1/lead-stages');
  expect({ status: answer.status, body: answer.body }).toEqual({
    status: 200,
    body: {
      data: ['New', 'Contacted', 'Booked'].map((name) => ({ id: firm.leadStages[name], name })),
    },
  } as never);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const { data } = (await firm.owner.post('/v1/leads', { lastName: 'Quill' })).body;
  expect(data.leadStageColumnId).toBe(answer.body.data[0].id);
});

test('a firm without a pipeline has no stages, and never another firm’s', async () => {
  const [bare] = [await makeFirm(server, { leadStages: [] }), await makeFirm(server)];
  expect((await bare.owner.get('/v1/lead-stages')).body).toEqual({ data: [] });
});

test('it takes leads:read, of the key and of its member', async () => {
  const firm = await makeFirm(server);
  const writer = await firm.callerOf(attorney, ['leads:write', 'contacts:read']);
  const without = await firm.callerOf(bookkeeper, ['leads:read']);
  for (const caller of [writer, without]) {
    expectRefusal(await caller.get('/v1/lead-stages'), 403, 'forbidden', 'leads:read');
  }
  const answer = await firm.owner.post('/v1/lead-stages', { name: 'New' });
  expectRefusal(answer, 405, 'method_not_allowed');
});
