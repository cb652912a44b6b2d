import { expect, test } from 'bun:test';
import { expectRefusal } from '../support/expectations.ts';
import { attorney, makeFirm, startTestServer } from '../support/firm.ts';

const server = await startTestServer();

const customFields = [
  { on: 'contact', name: 'Note', type: 'TEXT' },
  { on: 'lead', name: 'Source', type: 'SELECT', options: ['Web', 'Friend'] },
  { on: 'matter', name: 'Scan', type: 'FILE' },
];

test('GET /v1/custom-fields lists names and ids, what each applies to, its type and options', async () => {
  const [firm, other] = [await makeFirm(server, { customFields }), await makeFirm(server)];
  const { data, pagination } = (await firm.owner.get('/v1/custom-fields')).body;
  const { contact, lead, matter } = firm.customFields;
  expect(pagination).toEqual({ limit: 20, offset: 0, total: 3 });
  expect(data).toHaveLength(3);
  for (const field of [
    { id: contact.Note, name: 'Note', appliesTo: 'CONTACT', type: 'TEXT', options: [] },
    {
      id: lead.Source,
      name: 'Source',
      appliesTo: 'LEAD',
      type: 'SELECT',
      options: ['Web', 'Friend'],
    },
    { id: matter.Scan, name: 'Scan', appliesTo: 'MATTER', type: 'FILE', options: [] },
  ]) {
    expect(data).toContainEqual({ ...field, isWritable: field.type !== 'FILE' });
  }
  expect((await other.owner.get('/v1/custom-fields')).body.data).toEqual([]);
});

test('it takes the scope custom-fields:read, and is read only', async () => {
  const firm = await makeFirm(server, { customFields });
  const stranger = await firm.callerOf(attorney, ['leads:read']);
  expectRefusal(await stranger.get('/v1/custom-fields'), 403, 'forbidden', 'custom-fields:read');
  const answer = await firm.owner.post('/v1/custom-fields', { name: 'New' });
  expectRefusal(answer, 405, 'method_not_allowed');
  expect(answer.headers.get('allow')).toBe('GET, HEAD');
  expectRefusal(
    await firm.owner.get(`/v1/custom-fields/${firm.customFields.contact.Note}`),
    404,
    'not_found',
  );
  expect((await firm.owner.get('/v1/custom-fields')).body.pagination.total).toBe(3);
});
