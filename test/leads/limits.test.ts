import { beforeAll, describe, expect, test } from 'bun:test';
import { alphabets, around, expectRefusal, notOf } from '../support/expectations.ts';
import { type Firm, makeFirm, startTestServer } from '../support/firm.ts';

const server = await startTestServer();
let firm: Firm;
beforeAll(async () => {
  firm = await makeFirm(server);
});

const lead = (body: object) => firm.owner.post('/v1/leads', { lastName: 'Quill', ...body });

/** Creates a lead and gives the contact that came with it. */
const contactOf = async (body: object) => {
  const { status, body: answer } = await lead(body);
  expect(status).toBe(201);
  return (await firm.owner.get(`/v1/contacts/${answer.data.contact.id}`)).body.data;
};

/** The limits of docs/contract.md, Limits; where on the contact each is found again. */
const limits: { field: string; limit: number }[] = [
  ...['firstName', 'middleName', 'lastName', 'nickname'].map((field) => ({ field, limit: 128 })),
  ...['prefix', 'suffix'].map((field) => ({ field, limit: 32 })),
  ...['companyName', 'tradeName'].map((field) => ({ field, limit: 255 })),
  { field: 'companyType', limit: 64 },
  { field: 'email', limit: 255 },
  { field: 'phone', limit: 255 },
];

const storedAt = (field: string, contact: Record<string, unknown>) => {
  const { emails, phones } = contact as {
    emails: { address: string }[];
    phones: { number: string }[];
  };
  if (field === 'email') return emails[0]?.address;
  return field === 'phone' ? phones[0]?.number : contact[field];
};

describe.each(alphabets)('A length is counted in characters, in $script:', ({ of }) => {
  test.each(limits)('$field takes $limit and keeps them all, and refuses one more', async (row) => {
    const { field, limit } = row;
    for (const length of around(limit).allowed) {
      expect(storedAt(field, await contactOf({ [field]: of(length) }))).toBe(of(length));
    }
    const refused = await lead({ [field]: of(around(limit).refused) });
    expectRefusal(refused, 400, 'invalid_request', field);
    expect(refused.body.error.message).toContain(String(limit));
  });
});

describe('A field of the wrong type is refused, never coerced, never taken for missing:', () => {
  const types = {
    ...Object.fromEntries(limits.map(({ field }) => [field, notOf.string])),
    type: [...notOf.string, 'person', 'PERSON ', 'OTHER', ''],
    practiceAreaId: notOf.string,
    leadStageColumnId: notOf.string,
    value: [...notOf.string, 'high', 'HIGH ', 'HUGE', ''],
    isPrivate: notOf.boolean,
    customFields: notOf.object,
  };
  const rows = Object.entries(types);

  test.each(rows)('%s of a new lead, explicit null included', async (field, values) => {
    for (const value of values) {
      expectRefusal(await lead({ [field]: value }), 400, 'invalid_request', field);
    }
  });

  const nullable = ['practiceAreaId', 'value'];
  const changeable = [...nullable, 'leadStageColumnId', 'isPrivate', 'customFields'];
  test.each(changeable)('%s of a lead update, null only where null clears it', async (field) => {
    const { id } = (await lead({})).body.data;
    for (const value of types[field as keyof typeof types]) {
      const answer = await firm.owner.patch(`/v1/leads/${id}`, { [field]: value });
      if (value === null && nullable.includes(field)) expect(answer.status).toBe(200);
      else expectRefusal(answer, 400, 'invalid_request', field);
    }
  });

  test('what was refused left no lead and no contact behind', async () => {
    const totals = async () => {
      const [leads, contacts] = await Promise.all([
        firm.owner.get('/v1/leads?limit=1'),
        firm.owner.get('/v1/contacts?limit=1'),
      ]);
      return [leads.body.pagination.total, contacts.body.pagination.total];
    };
    const before = await totals();
    for (const [field, [value]] of rows) await lead({ [field]: value });
    for (const { field, limit } of limits) await lead({ [field]: 'a'.repeat(limit + 1) });
    expect(await totals()).toEqual(before);
  });
});

describe('A name is trimmed, and white space alone counts as missing:', () => {
  const blanks = ['', ' ', '\t\n', '\u00a0', '\u3000'];

  test.each(blanks.map((blank) => [JSON.stringify(blank), blank]))(
    'a PERSON whose firstName and lastName are %s is refused',
    async (_, blank) => {
      const body = { firstName: blank, lastName: blank, companyName: 'Quill Ltd' };
      expectRefusal(await lead(body), 400, 'invalid_request', 'firstName');
    },
  );

  test.each(blanks.map((blank) => [JSON.stringify(blank), blank]))(
    'a COMPANY whose companyName is %s is refused',
    async (_, blank) => {
      const body = { type: 'COMPANY', firstName: 'Zoe', companyName: blank };
      expectRefusal(await lead(body), 400, 'invalid_request', 'companyName');
    },
  );

  test.each(limits)('$field is kept without the white space at its ends', async ({ field }) => {
    const contact = await contactOf({ [field]: ' \t A  b\u00a0\n' });
    expect(storedAt(field, contact)).toBe('A  b');
  });

  test('optional parts that are white space alone are unset', async () => {
    const blank = Object.fromEntries(limits.map(({ field }) => [field, '  ']));
    const contact = await contactOf({ ...blank, lastName: 'Quill' });
    for (const { field } of limits) {
      expect(storedAt(field, contact) ?? null).toBe(field === 'lastName' ? 'Quill' : null);
    }
    expect(contact).toMatchObject({ name: 'Quill', emails: [], phones: [] });
  });

  test.each(['no address', 'a@b@c', '📮', '<zoe@quill.example>', 'tel:+1-555', "' or 1=1 --"])(
    'email and phone take any text within the length: %s',
    async (text) => {
      const { emails, phones } = await contactOf({ email: text, phone: text });
      expect([emails[0].address, phones[0].number]).toEqual([text, text]);
    },
  );
});

describe('A text that no database can keep is refused:', () => {
  test.each([
    ['NUL', '{"lastName":"a\\u0000b"}'],
    ['half a surrogate pair', '{"lastName":"a\\ud83d"}'],
    ['NUL inside customFields', '{"lastName":"a","customFields":{"a":["\\u0000"]}}'],
    ['NUL in a key inside customFields', '{"lastName":"a","customFields":{"\\u0000":1}}'],
    ['nesting over 32', `{"lastName":"a","customFields":{"a":${'['.repeat(31)}${']'.repeat(31)}}}`],
  ])('%s', async (_, body) => {
    expectRefusal(await firm.owner.post('/v1/leads', body), 400, 'invalid_request');
  });

  test('32 levels are still read: what is refused then is the unknown custom field', async () => {
    const body = `{"lastName":"a","customFields":{"a":${'['.repeat(30)}${']'.repeat(30)}}}`;
    expectRefusal(await firm.owner.post('/v1/leads', body), 400, 'invalid_custom_field', 'a');
  });
});
