import { beforeAll, describe, expect, test } from 'bun:test';
import { auditOf, expectRefusal, totalOf, unknownId } from '../support/expectations.ts';
import { type Firm, makeFirm, startTestServer } from '../support/firm.ts';
import { samples } from '../support/samples.ts';

const server = await startTestServer();

const plain = ['TEXT', 'LONG_TEXT', 'URL', 'EMAIL', 'PHONE', 'NUMBER', 'CURRENCY', 'CHECKBOX'];
const uncarried = ['FILE', 'FORMULA', 'SIGNATURE'];

const customFields = [
  ...[...plain, 'DATE', 'CONTACT', 'MATTER', ...uncarried].map((type) => ({ name: type, type })),
  { name: 'SELECT', type: 'SELECT', options: ['Web', 'Friend'] },
  { name: 'MULTI_SELECT', type: 'MULTI_SELECT', options: ['Web', 'Friend', 'Court'] },
].map((field) => ({ on: 'lead', ...field }));

const ofOthers = [
  { on: 'contact', name: 'Note', type: 'TEXT' },
  { on: 'contact', name: 'TEXT', type: 'NUMBER' },
  { on: 'matter', name: 'Court', type: 'TEXT' },
];

let firm: Firm;
let other: Firm;
let contactId: string;
beforeAll(async () => {
  firm = await makeFirm(server, { customFields: [...customFields, ...ofOthers] });
  other = await makeFirm(server);
  contactId = (await firm.owner.post('/v1/contacts', { lastName: 'Quill' })).body.data.id;
});

const create = (fields: unknown) =>
  firm.owner.post('/v1/leads', { lastName: 'Quill', customFields: fields });

const make = async (fields: unknown = {}) => {
  const answer = await create(fields);
  expect(answer.status).toBe(201);
  return answer.body.data;
};

const change = (id: string, fields: unknown) =>
  firm.owner.patch(`/v1/leads/${id}`, { customFields: fields });

const read = async (id: string) => (await firm.owner.get(`/v1/leads/${id}`)).body.data;

const texts = ['', ' kept as sent ', '10.5', 'true', 'null', '🗂', '<b>', 'a\nb', 'x'.repeat(4_096)];
const valid: Record<string, unknown[]> = {
  TEXT: texts,
  URL: texts,
  EMAIL: texts,
  PHONE: texts,
  LONG_TEXT: [...texts, '𝒜'.repeat(5_000)],
  NUMBER: [0, -1, 10.5, 1e21, 0.1, Number.MAX_SAFE_INTEGER],
  CURRENCY: [0, -1, 10.5, 1234567.89],
  CHECKBOX: [true, false],
  DATE: ['2026-02-28', '2024-02-29', '0001-01-01', '9999-12-31'],
  SELECT: ['Web', 'Friend'],
  MULTI_SELECT: [[], ['Court'], ['Friend', 'Web']],
};

const notText = [5, true, [], {}, ['text']];
const notNumber = ['10.5', '', true, [], {}, '1e3'];
const invalid: Record<string, unknown[]> = {
  TEXT: notText,
  LONG_TEXT: notText,
  URL: notText,
  EMAIL: notText,
  PHONE: notText,
  NUMBER: notNumber,
  CURRENCY: notNumber,
  CHECKBOX: ['true', 1, 0, [], {}, ''],
  DATE: [
    '2026-02-29',
    '2026-2-3',
    '2026-02-03T00:00:00Z',
    '0000-01-01',
    '',
    20260203,
    ' 2026-02-03',
  ],
  SELECT: ['web', 'Other', '', ['Web'], 0, true, {}],
  MULTI_SELECT: ['Web', ['Web', 'Other'], ['Web', 'Web'], [null], [['Web']], {}, true],
  CONTACT: [unknownId, 'x', '', 5, {}, ['x']],
  MATTER: [unknownId, 'x', '', 5, {}],
};

describe('Every type of custom field:', () => {
  test.each(Object.entries(valid))(
    '%s takes its values and gives them back as they are',
    async (name, values) => {
      const { id } = await make();
      for (const value of values) {
        const made = await make({ [name]: value });
        expect(made.customFields[name]).toEqual(value as never);
        expect((await change(id, { [name]: value })).body.data.customFields[name]).toEqual(value);
        expect((await read(id)).customFields[name]).toEqual(value as never);
      }
    },
  );

  test.each(Object.entries(invalid))(
    '%s takes nothing else, and nothing is coerced',
    async (name, values) => {
      const made = await make();
      const before = await totalOf(firm.owner.get('/v1/leads'));
      for (const value of values) {
        expectRefusal(await create({ [name]: value }), 400, 'invalid_custom_field', name);
        expectRefusal(await change(made.id, { [name]: value }), 400, 'invalid_custom_field', name);
      }
      expect(await read(made.id)).toEqual(made);
      expect(await totalOf(firm.owner.get('/v1/leads'))).toBe(before);
    },
  );

  test.each(['TEXT', 'URL', 'EMAIL', 'PHONE'])('%s takes no more than its length', async (name) => {
    for (const text of ['a'.repeat(4_097), '𝒜'.repeat(4_097)]) {
      expectRefusal(await create({ [name]: text }), 400, 'invalid_custom_field', name);
    }
    expect((await create({ [name]: '𝒜'.repeat(4_096) })).status).toBe(201);
  });

  test.each([
    ['CONTACT', '/v1/contacts'],
    ['MATTER', '/v1/matters'],
  ])('%s takes the id of one of the firm, not of a deleted or foreign one', async (name, path) => {
    const sample = samples[path.slice(4)]?.create as (firm: Firm) => object;
    const idOf = async (of: Firm) => (await of.owner.post(path, sample(of))).body.data.id;
    const [kept, gone, foreign] = [await idOf(firm), await idOf(firm), await idOf(other)];
    await firm.owner.delete(`${path}/${gone}`);
    expect((await make({ [name]: kept })).customFields[name]).toBe(kept);
    for (const id of [gone, foreign]) {
      expectRefusal(await create({ [name]: id }), 400, 'invalid_custom_field', name);
    }
  });

  test.each(Object.entries({ ...valid, CONTACT: [] }))(
    '%s: null clears it',
    async (name, [value]) => {
      const { id } = await make({ [name]: value ?? contactId });
      expect((await change(id, { [name]: null })).body.data.customFields[name]).toBeNull();
      expect((await read(id)).customFields[name]).toBeNull();
      expect((await make({ [name]: null })).customFields[name]).toBeNull();
    },
  );
});

describe('customFields in answers', () => {
  test('hold every field the API can carry, by name, unset ones as null, and no others', async () => {
    const expected = customFields
      .map(({ name }) => name)
      .filter((name) => !uncarried.includes(name));
    const { customFields: answered } = await make();
    expect(Object.keys(answered).sort()).toEqual(expected.sort());
    expect(new Set(Object.values(answered))).toEqual(new Set([null]));
  });

  test('name the fields the API cannot carry as { id, name, type }, never their values', async () => {
    const { unsupportedCustomFields } = await make();
    expect(unsupportedCustomFields).toEqual(
      uncarried.map((type) => ({ id: firm.customFields.lead[type], name: type, type })),
    );
  });
});

describe('Writing customFields', () => {
  test('merges key by key: only the keys sent change', async () => {
    const { id } = await make({ TEXT: 'a', NUMBER: 1, SELECT: 'Web' });
    await change(id, { NUMBER: 2 });
    await change(id, { SELECT: null, CHECKBOX: true });
    await firm.owner.patch(`/v1/leads/${id}`, { value: 'HIGH' });
    await change(id, {});
    expect((await read(id)).customFields).toMatchObject({
      TEXT: 'a',
      NUMBER: 2,
      SELECT: null,
      CHECKBOX: true,
      DATE: null,
    });
  });

  test.each([
    'no such field',
    'text',
    ' TEXT',
    'TEXT ',
    '',
    'Court',
    'Note',
    'valueOf',
    '0',
    'a'.repeat(500),
  ])('refuses %j, which is not the name of a field of this kind of record', async (name) => {
    const made = await make({ TEXT: 'a' });
    for (const value of ['text', null, 5]) {
      for (const answer of [
        await create({ [name]: value }),
        await change(made.id, { [name]: value }),
      ]) {
        expectRefusal(answer, 400, 'invalid_custom_field', name.slice(0, 20));
        expect(answer.body.error.message.length).toBeLessThan(300);
      }
    }
    expect(await read(made.id)).toEqual(made);
  });

  test.each(uncarried)('refuses a %s field, null too', async (name) => {
    for (const value of ['text', null, {}]) {
      expectRefusal(await create({ [name]: value }), 400, 'invalid_custom_field', name);
    }
  });

  test('refuses a good key together with a bad one as a whole, and the rest of the body with it', async () => {
    const made = await make({ TEXT: 'a' });
    const audited = await auditOf(firm);
    for (const bad of [{ nope: 1 }, { NUMBER: 'x' }, { FILE: 'x' }, { CONTACT: unknownId }]) {
      for (const fields of [
        { TEXT: 'b', ...bad },
        { ...bad, TEXT: 'b' },
      ]) {
        const body = { value: 'HIGH', customFields: fields };
        const answer = await firm.owner.patch(`/v1/leads/${made.id}`, body);
        expectRefusal(answer, 400, 'invalid_custom_field');
      }
    }
    expect(await read(made.id)).toEqual(made);
    expect(await auditOf(firm)).toEqual(audited);
  });

  test('equal values change nothing: updatedAt stays, no audit entry', async () => {
    const fields = { TEXT: 'a', MULTI_SELECT: ['Web', 'Court'], NUMBER: 1, DATE: null };
    const made = await make(fields);
    const answer = await change(made.id, fields);
    expect(answer.body.data).toEqual(made);
    expect(await auditOf(firm, made.id)).toHaveLength(1);
  });

  test('is in the audit log with the values before and after, of the keys that changed alone', async () => {
    const { id } = await make({ TEXT: 'a', NUMBER: 1 });
    await change(id, { TEXT: 'b', DATE: '2026-02-03' });
    const [, entry] = await auditOf(firm, id);
    const { TEXT: text = '', DATE: date = '' } = firm.customFields.lead;
    expect(Object.keys(entry?.changes ?? {})).toEqual(['customFields']);
    expect(entry?.changes.customFields).toEqual({
      before: { [text]: 'a' },
      after: { [text]: 'b', [date]: '2026-02-03' },
    });
  });

  test('of a lead writes on the lead, never on its contact', async () => {
    const { contact } = await make({ TEXT: 'a' });
    const { data } = (await firm.owner.get(`/v1/contacts/${contact.id}`)).body;
    expect(data.customFields).toEqual({ Note: null, TEXT: null });
  });

  test('of a contact follows the contact’s own fields', async () => {
    const path = `/v1/contacts/${contactId}`;
    const set = await firm.owner.patch(path, { customFields: { TEXT: 5, Note: 'a' } });
    expect(set.body.data.customFields).toEqual({ TEXT: 5, Note: 'a' });
    const answer = await firm.owner.patch(path, { customFields: { TEXT: 'five' } });
    expectRefusal(answer, 400, 'invalid_custom_field', 'TEXT');
    const body = { lastName: 'Vane', customFields: { Note: 'b', NUMBER: 1 } };
    expectRefusal(
      await firm.owner.post('/v1/contacts', body),
      400,
      'invalid_custom_field',
      'NUMBER',
    );
  });
});

test('a value that is none of a choice is refused with the options, twenty at the most', async () => {
  const options = Array.from({ length: 25 }, (_, place) => `Option ${place + 1}`);
  const firm = await makeFirm(server, {
    customFields: [
      { on: 'lead', name: 'Source', type: 'SELECT', options: ['Web', 'Friend'] },
      { on: 'lead', name: 'Many', type: 'SELECT', options },
    ],
  });
  const refused = async (customFields: object) =>
    (await firm.owner.post('/v1/leads', { lastName: 'Quill', customFields })).body.error.message;
  expect(await refused({ Source: 'Radio' })).toContain('one of its options ("Web", "Friend")');
  const many = await refused({ Many: 'Radio' });
  expect(many).toContain('"Option 20" and 5 more');
  expect(many).not.toContain('Option 21');
});
