import { beforeAll, describe, expect, test } from 'bun:test';
import { resources } from '../../src/contents.ts';
import { expectRefusal } from '../support/expectations.ts';
import { type Firm, makeFirm, startTestServer } from '../support/firm.ts';
import { samples } from '../support/samples.ts';

const server = await startTestServer();

const lists = [
  ...resources.map(({ name }) => ({
    name,
    list: async (firm: Firm) => (await samples[name]?.list(firm)) ?? `/v1/${name}`,
    fill: async (firm: Firm) => {
      const made = await firm.owner.post(`/v1/${name}`, await samples[name]?.create(firm));
      expect(made.status).toBe(201);
      return made.body.data.id as string;
    },
  })),
  { name: 'custom-fields', list: async () => '/v1/custom-fields', fill: undefined },
  { name: 'members', list: async () => '/v1/members', fill: undefined },
];

const customFields = ['A', 'B', 'C', 'D', 'E'].map((name) => ({ on: 'lead', name, type: 'TEXT' }));

describe.each(lists)('GET /v1/$name', ({ list, fill }) => {
  let firm: Firm;
  let path: (query: string) => string;
  beforeAll(async () => {
    firm = await makeFirm(server, {
      practiceAreas: [{ name: 'Family', stages: ['Intake'] }, { name: 'Estates' }],
      customFields,
      members: ['ada', 'ben', 'cy', 'dee', 'eve'].map((name) => ({
        email: `${name}@harrow.example`,
        name,
        role: 'Owner',
      })),
    });
    if (fill) for (let count = 0; count < 5; count += 1) await fill(firm);
    const start = await list(firm);
    path = (query) => `${start}${start.includes('?') ? '&' : '?'}${query}`;
  });

  const page = async (query: string) => {
    const { status, body } = await firm.owner.get(path(query));
    expect(status).toBe(200);
    return body;
  };

  test('answers { data, pagination: { limit, offset, total } } and nothing else, 20 from 0 by default', async () => {
    const body = await page('');
    const total = body.data.length;
    expect(body).toEqual({
      data: expect.any(Array),
      pagination: { limit: 20, offset: 0, total },
    });
    expect(total).toBeGreaterThanOrEqual(5);
  });

  test.each([
    ['limit=1', { limit: 1, offset: 0 }],
    ['limit=100', { limit: 100, offset: 0 }],
    ['offset=0', { limit: 20, offset: 0 }],
    ['limit=2&offset=1', { limit: 2, offset: 1 }],
  ])('takes %s within the bounds', async (query, expected) => {
    const all = (await page('')).data;
    const { data, pagination } = await page(query);
    expect(pagination).toEqual({ ...expected, total: all.length });
    expect(data).toEqual(all.slice(expected.offset, expected.offset + expected.limit));
  });

  const notIntegers = [
    '',
    '1.0',
    '1e1',
    '0x10',
    '%2B5',
    '+5',
    '%205',
    '5%20',
    'five',
    'null',
    'NaN',
    '1,2',
    '１',
  ];

  test.each([
    ...['0', '101', '-1', '99999999999999999999', ...notIntegers].map((sent) => ['limit', sent]),
    ...['-1', ...notIntegers].map((sent) => ['offset', sent]),
  ])('refuses %s=%s with 400 and never clamps or rounds it', async (parameter, sent) => {
    const answer = await firm.owner.get(path(`${parameter}=${sent}`));
    expectRefusal(answer, 400, 'invalid_request', parameter);
    expect(answer.body.error.message).toContain(parameter === 'limit' ? '1 to 100' : '0');
  });

  test.each(['at', 'past', 'far past', 'farther than 32 bits past'])(
    'answers an offset %s the total with no records and the true total',
    async (where) => {
      const { total } = (await page('')).pagination;
      const offsets = { at: total, past: total + 1, 'far past': 1_000_000_000 };
      const offset = offsets[where as keyof typeof offsets] ?? 5_000_000_000;
      expect(await page(`offset=${offset}`)).toEqual({
        data: [],
        pagination: { limit: 20, offset, total },
      });
    },
  );

  test('shows newest records first, each once, when read page by page along Link', async () => {
    const all = (await page('')).data.map(({ id }: { id: string }) => id);
    const seen: string[] = [];
    let next: string | undefined = path('limit=2');
    for (let pages = 0; next && pages < 10; pages += 1) {
      const answer = await firm.owner.get(next);
      seen.push(...answer.body.data.map(({ id }: { id: string }) => id));
      next = linkOf(answer.headers, 'next');
    }
    expect(seen).toEqual(all);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('names the next and the previous page in Link as far as there are such', async () => {
    const { total } = (await page('')).pagination;
    const linksAt = async (query: string) => {
      const { headers } = await firm.owner.get(path(query));
      const offsetOf = (rel: string) => /offset=(\d+)/.exec(linkOf(headers, rel) ?? '')?.[1];
      return { next: offsetOf('next'), prev: offsetOf('prev') };
    };
    expect(await linksAt('limit=100')).toEqual({ next: undefined, prev: undefined });
    expect(await linksAt('limit=2')).toEqual({ next: '2', prev: undefined });
    expect(await linksAt('limit=2&offset=1')).toEqual({ next: '3', prev: '0' });
    expect(await linksAt(`limit=1&offset=${total - 1}`)).toEqual({
      next: undefined,
      prev: String(total - 2),
    });
  });

  test('ignores unknown query parameters: no filters, no sorting', async () => {
    expect(await page('sort=createdAt&order=asc&status=DRAFT&name=x&q=x&page=3')).toEqual(
      await page(''),
    );
  });

  test('list entries never carry customFields or unsupportedCustomFields', async () => {
    for (const entry of (await page('')).data) {
      expect(Object.keys(entry)).not.toContain('customFields');
      expect(Object.keys(entry)).not.toContain('unsupportedCustomFields');
    }
  });
});

const linkOf = (headers: Headers, rel: string) =>
  (headers.get('link') ?? '')
    .split(', ')
    .map((link) => /^<(.+)>; rel="(.+)"$/.exec(link))
    .find((match) => match?.[2] === rel)?.[1];
