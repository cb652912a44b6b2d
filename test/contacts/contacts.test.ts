import { beforeAll, describe, expect, test } from 'bun:test';
import { alphabets, around, auditOf, expectRefusal, notOf } from '../support/expectations.ts';
import { type Firm, makeFirm, startTestServer } from '../support/firm.ts';

const server = await startTestServer();
let firm: Firm;
beforeAll(async () => {
  firm = await makeFirm(server);
});

const create = (body: object) => firm.owner.post('/v1/contacts', body);

const make = async (body: object = {}) => {
  const answer = await create({ lastName: 'Quill', ...body });
  expect(answer.status).toBe(201);
  return answer.body.data;
};

const change = (id: string, body: object) => firm.owner.patch(`/v1/contacts/${id}`, body);

const unset = {
  prefix: null,
  firstName: null,
  middleName: null,
  lastName: null,
  suffix: null,
  nickname: null,
  companyName: null,
  tradeName: null,
  companyType: null,
};

describe('A contact', () => {
  test('is answered with all its fields, those not sent as null or empty', async () => {
    const data = await make();
    expect(data).toEqual({
      id: expect.any(String),
      type: 'PERSON',
      name: 'Quill',
      ...unset,
      lastName: 'Quill',
      emails: [],
      phones: [],
      customFields: {},
      unsupportedCustomFields: [],
      createdAt: expect.any(String),
      updatedAt: data.createdAt,
    });
    const { customFields, unsupportedCustomFields, ...row } = data;
    expect((await firm.owner.get('/v1/contacts')).body.data[0]).toEqual(row);
  });

  test.each([
    [{ firstName: 'Zoe', middleName: 'May', lastName: 'Quill', prefix: 'Dr' }, 'Zoe May Quill'],
    [{ firstName: 'Zoe', companyName: 'Quill Ltd' }, 'Zoe'],
    [{ type: 'COMPANY', companyName: 'Quill Ltd', lastName: 'Quill' }, 'Quill Ltd'],
  ])('made from %j is called %s', async (body, name) => {
    expect((await create(body)).body.data).toMatchObject({ ...body, name });
  });

  test.each([
    [{}],
    [{ middleName: 'May' }],
    [{ firstName: ' ', lastName: '\t' }],
    [{ companyName: 'Quill Ltd' }],
    [{ type: 'COMPANY', lastName: 'Quill' }],
    [{ type: 'COMPANY', companyName: ' ' }],
  ])('is not made from %j: a PERSON needs a name, a COMPANY a companyName', async (body) => {
    expectRefusal(await create(body), 400, 'invalid_request');
  });
});

describe('PATCH /v1/contacts/{id}', () => {
  test('changes the parts sent and with them the name; null clears a part', async () => {
    const made = await make({ firstName: 'Zoe', middleName: 'May', companyName: 'Quill Ltd' });
    const rows: [object, string][] = [
      [{ lastName: 'Reed' }, 'Zoe May Reed'],
      [{ middleName: null }, 'Zoe Reed'],
      [{ firstName: '  ' }, 'Reed'],
      [{ type: 'COMPANY' }, 'Quill Ltd'],
      [{ type: 'PERSON', firstName: ' Eve ', lastName: null }, 'Eve'],
    ];
    for (const [body, name] of rows) {
      const answer = await change(made.id, body);
      expect({ status: answer.status, name: answer.body.data.name }).toEqual({ status: 200, name });
    }
    const { data } = (await firm.owner.get(`/v1/contacts/${made.id}`)).body;
    const kept = { type: 'PERSON', firstName: 'Eve', companyName: 'Quill Ltd' };
    expect(data).toEqual({ ...made, ...unset, ...kept, name: 'Eve', updatedAt: data.updatedAt });
  });

  test.each([
    [{ firstName: null, lastName: null }],
    [{ firstName: '', lastName: ' ' }],
    [{ type: 'COMPANY' }],
  ])('refuses %j, which would leave the contact without a name', async (body) => {
    const made = await make({ firstName: 'Zoe' });
    expectRefusal(await change(made.id, body), 400, 'invalid_request');
    expect((await firm.owner.get(`/v1/contacts/${made.id}`)).body.data).toEqual(made);
  });

  test.each(['emails', 'phones'])(
    '%s sent replace the stored list, they do not merge',
    async (list) => {
      const field = list === 'emails' ? 'address' : 'number';
      const one = (text: string, isPrimary: boolean) => ({ [field]: text, label: null, isPrimary });
      const made = await make({ emails: ['a', 'b'], phones: ['a', 'b'] });
      expect(made[list]).toEqual([one('a', true), one('b', false)]);
      const replaced = (await change(made.id, { [list]: ['c'] })).body.data;
      expect(replaced[list]).toEqual([one('c', true)]);
      const other = list === 'emails' ? 'phones' : 'emails';
      expect(replaced[other]).toEqual(made[other]);
      expect((await change(made.id, { lastName: 'Reed' })).body.data[list]).toEqual(replaced[list]);
      expect((await change(made.id, { [list]: [] })).body.data[list]).toEqual([]);
      expect((await firm.owner.get(`/v1/contacts/${made.id}`)).body.data[list]).toEqual([]);
    },
  );

  test('writes one audit entry, with what changed before and after', async () => {
    const made = await make({ emails: ['a'] });
    await change(made.id, { lastName: 'Reed', emails: ['a'], prefix: null });
    const entries = await auditOf(firm, made.id);
    expect(entries.map(({ action }) => action)).toEqual(['create', 'update']);
    expect(entries[1]?.changes).toEqual({
      lastName: { before: 'Quill', after: 'Reed' },
      name: { before: 'Quill', after: 'Reed' },
    });
  });
});

describe.each([
  { list: 'emails', field: 'address' },
  { list: 'phones', field: 'number' },
])('The $list of a contact', ({ list, field }) => {
  const stored = async (sent: unknown) => (await make({ [list]: sent }))[list];
  const one = (text: string, isPrimary: boolean, label: string | null = null) => ({
    [field]: text,
    label,
    isPrimary,
  });

  test('are written as strings or objects, and answered as objects', async () => {
    expect(await stored([' a ', { [field]: ' b ', label: ' Work ' }])).toEqual([
      one('a', true),
      one('b', false, 'Work'),
    ]);
  });

  test('the first is primary unless one says so, and only one ever is', async () => {
    const b = { [field]: 'b', isPrimary: true, label: null };
    expect(await stored(['a', b, { ...b, [field]: 'c' }])).toEqual([
      one('a', false),
      one('b', true),
      one('c', false),
    ]);
    expect(await stored([{ [field]: 'a', isPrimary: false }])).toEqual([one('a', true)]);
  });

  test('take 20 entries and refuse 21, also on update', async () => {
    const entries = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);
    expect(await stored(entries(19))).toHaveLength(19);
    expect(await stored(entries(20))).toHaveLength(20);
    const refused = await create({ lastName: 'Quill', [list]: entries(21) });
    expectRefusal(refused, 400, 'invalid_request', list);
    const { id } = await make();
    expectRefusal(await change(id, { [list]: entries(21) }), 400, 'invalid_request', list);
  });

  test.each(alphabets)('take 255 characters and labels of 32, in $script', async ({ of }) => {
    for (const length of around(255).allowed) {
      expect(await stored([of(length)])).toEqual([one(of(length), true)]);
    }
    for (const length of around(32).allowed) {
      const entry = { [field]: 'a', label: of(length) };
      expect(await stored([entry])).toEqual([one('a', true, of(length))]);
    }
    for (const entry of [of(256), { [field]: of(256) }, { [field]: 'a', label: of(33) }]) {
      const refused = await create({ lastName: 'Quill', [list]: [entry] });
      expectRefusal(refused, 400, 'invalid_request', `${list}[0]`);
    }
  });

  test.each([
    ...notOf.list.map((value) => [value]),
    ...[5, true, null, [], {}, '', ' '].map((entry) => [['a', entry]]),
    ...notOf.string.map((value) => [[{ [field]: value }]]),
    ...notOf.boolean.map((value) => [[{ [field]: 'a', isPrimary: value }]]),
    ...[5, true, {}].map((value) => [[{ [field]: 'a', label: value }]]),
  ])('refuse %j', async (sent) => {
    const before = await firm.owner.get('/v1/contacts?limit=1');
    const refused = await create({ lastName: 'Quill', [list]: sent });
    expectRefusal(refused, 400, 'invalid_request', list);
    expect((await firm.owner.get('/v1/contacts?limit=1')).body).toEqual(before.body);
  });
});

const names: [string, number][] = [
  ...['firstName', 'middleName', 'lastName', 'nickname'].map((name) => [name, 128] as const),
  ...['prefix', 'suffix'].map((name) => [name, 32] as const),
  ...['companyName', 'tradeName'].map((name) => [name, 255] as const),
  ['companyType', 64] as const,
].map(([name, limit]) => [name, limit]);

describe.each(alphabets)('In $script', ({ of }) => {
  test.each(names)('%s takes %d characters and refuses one more', async (field, limit) => {
    const { id } = await make({ firstName: 'Zoe' });
    for (const length of around(limit).allowed) {
      expect((await make({ firstName: 'Zoe', [field]: of(length) }))[field]).toBe(of(length));
      expect((await change(id, { [field]: of(length) })).body.data[field]).toBe(of(length));
    }
    const body = { lastName: 'Quill', [field]: of(limit + 1) };
    expectRefusal(await create(body), 400, 'invalid_request', field);
    expectRefusal(await change(id, body), 400, 'invalid_request', field);
  });
});

test.each(names)('%s of the wrong type is refused, null only cleared on update', async (field) => {
  const { id } = await make({ firstName: 'Zoe' });
  for (const value of notOf.string) {
    const body = { firstName: 'Zoe', lastName: 'Quill', [field]: value };
    expectRefusal(await create(body), 400, 'invalid_request', field);
    if (value === null) expect((await change(id, body)).status).toBe(200);
    else expectRefusal(await change(id, body), 400, 'invalid_request', field);
  }
});

test.each(['type', 'customFields'])('%s of the wrong type is refused, null too', async (field) => {
  const { id } = await make();
  for (const value of field === 'type' ? [...notOf.string, 'person', ''] : notOf.object) {
    expectRefusal(await create({ lastName: 'Q', [field]: value }), 400, 'invalid_request', field);
    expectRefusal(await change(id, { [field]: value }), 400, 'invalid_request', field);
  }
});
