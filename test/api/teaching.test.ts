/** A refusal says what to do, and leads to more (docs/contract.md, Response envelope). */
import { beforeAll, describe, expect, test } from 'bun:test';
import { statusOf } from '../../src/http/failure.ts';
import { expectRefusal, unknownId } from '../support/expectations.ts';
import {
  type Answer,
  caller,
  type Firm,
  makeFirm,
  send,
  startTestServer,
} from '../support/firm.ts';

const server = await startTestServer();
const options = Array.from({ length: 25 }, (_, at) => `Way ${at}`);

let firm: Firm;
beforeAll(async () => {
  firm = await makeFirm(server, {
    customFields: [
      { on: 'lead', name: 'Source', type: 'SELECT', options: ['Web', 'Friend "Zoe"'] },
      { on: 'lead', name: 'Ways', type: 'MULTI_SELECT', options },
      { on: 'lead', name: 'Sent by', type: 'CONTACT' },
    ],
  });
});

const paragraphs = async () => {
  const page = await fetch(`${server.url}/docs/errors.md`);
  expect([page.status, page.headers.get('content-type')]).toEqual([
    200,
    'text/markdown; charset=utf-8',
  ]);
  const parts = (await page.text()).split(/^## /m).slice(1);
  return new Map(
    parts.map((part): [string, string] => {
      const [heading = '', ...lines] = part.split('\n');
      return [heading.replaceAll('`', ''), lines.join('\n').trim()];
    }),
  );
};

test('each code has a paragraph, which begins with its status', async () => {
  const found = await paragraphs();
  for (const [code, status] of Object.entries(statusOf))
    expect([code, found.get(code)]).toEqual([
      code,
      expect.stringMatching(new RegExp(`^${status}\\\\\\. [A-Z][^]{40,}\\.\\)?$`)),
    ]);
});

describe('Link', () => {
  const calls: [string, () => Promise<Answer>][] = [
    ['invalid_request', () => firm.owner.post('/v1/leads', {})],
    ['invalid_request', () => firm.owner.post('/v1/leads', '{"broken')],
    ['invalid_request', () => firm.owner.get('/v1/leads?limit=0')],
    [
      'invalid_custom_field',
      () => firm.owner.post('/v1/leads', { lastName: 'Q', customFields: { No: 1 } }),
    ],
    ['unauthorized', () => caller(server.url, 'wrong').get('/v1/leads')],
    ['not_found', () => firm.owner.get(`/v1/leads/${unknownId}`)],
    ['not_found', () => firm.owner.get('/v1/nowhere')],
    ['method_not_allowed', () => firm.owner.patch('/v1/leads', {})],
    [
      'precondition_failed',
      async () => {
        const { id } = (await firm.owner.post('/v1/leads', { lastName: 'Q' })).body.data;
        return firm.owner.delete(`/v1/leads/${id}`, { 'if-match': '"old"' });
      },
    ],
  ];

  test.each(calls)('of %s leads to its paragraph', async (code, call) => {
    const { body, headers } = await call();
    expect(body.error.code).toBe(code);
    expect(headers.get('link')).toBe(`</docs/errors.md#${code}>; rel="help"`);
    expect((await paragraphs()).has(code)).toBe(true);
  });

  test('of a page of a list leads to the next page, as before', async () => {
    for (let made = 0; made < 2; made += 1) await firm.owner.post('/v1/leads', { lastName: 'Q' });
    const { headers } = await firm.owner.get('/v1/leads?limit=1');
    expect(headers.get('link')).toBe('</v1/leads?limit=1&offset=1>; rel="next"');
  });
});

describe('A refusal', () => {
  const write = (customFields: object) =>
    firm.owner.post('/v1/leads', { lastName: 'Q', customFields });

  test('of a choice lists its options, twenty at the most', async () => {
    const one = await write({ Source: 'Radio' });
    expectRefusal(one, 400, 'invalid_custom_field', '("Web", "Friend \\"Zoe\\"")');
    for (const wrong of [['Radio'], 'Way 1', ['Way 1', 'Way 1']]) {
      const several = await write({ Ways: wrong });
      expectRefusal(several, 400, 'invalid_custom_field', '"Way 19" and 5 more)');
      expect(several.body.error.message).not.toContain('Way 20');
      expect(several.body.error.message).not.toContain('Radio');
    }
  });

  test('of a name in place of an id says which list has the ids', async () => {
    const contact = await write({ 'Sent by': 'Zoe Quill' });
    expectRefusal(contact, 400, 'invalid_custom_field', 'GET /v1/contacts');
    const matter = { openDate: '2026-02-03', practiceAreaId: firm.practiceAreas.Family?.id };
    const cases: [string, object, string][] = [
      ['leads', { lastName: 'Q', practiceAreaId: 'Family' }, 'GET /v1/practice-areas'],
      ['leads', { lastName: 'Q', leadStageColumnId: 'New' }, 'GET /v1/lead-stages'],
      ['matters', { ...matter, practiceAreaId: 'Family' }, 'GET /v1/practice-areas'],
      ['matters', { ...matter, practiceAreaStageColumnId: 'Filed' }, 'GET /v1/practice-areas/{id}'],
      ['matters', { ...matter, clientContactIds: ['Zoe'] }, 'GET /v1/contacts'],
      ['matters', { ...matter, team: [{ memberId: 'Ada' }] }, 'GET /v1/members'],
      ['matter-types', { name: 'Will', practiceAreaId: 'Family' }, 'GET /v1/practice-areas'],
    ];
    for (const [name, body, list] of cases)
      expectRefusal(await firm.owner.post(`/v1/${name}`, body), 404, 'not_found', list);
  });
});

test('GET /v1 lists what is there, without a key, and every path of it answers', async () => {
  for (const path of ['/v1', '/v1/']) {
    const { status, body } = await send(`${server.url}${path}`, {});
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ openapi: '/v1/openapi.json', docs: '/docs' });
    expect(body.data.paths).toEqual(expect.arrayContaining(['/v1/leads', '/v1/search', '/v1/me']));
    for (const one of body.data.paths)
      expect([one, (await firm.owner.get(one)).status]).not.toEqual([one, 404]);
  }
});

test('who sends a key to a page of the application reads where the API is', async () => {
  const headers = { authorization: `Bearer ${firm.owner.key}`, 'content-type': 'application/json' };
  const sent = { method: 'POST', headers, body: '{"lastName":"Roe"}' };
  for (const answer of [
    await send(`${server.url}/leads`, { headers }),
    await send(`${server.url}/leads`, sent),
  ]) {
    expect([answer.status, answer.body.error]).toEqual([
      ...[401, { code: 'unauthorized', message: expect.stringContaining('GET /v1 lists it') }],
    ]);
  }
});
