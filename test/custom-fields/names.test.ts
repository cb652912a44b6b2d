import { beforeAll, describe, expect, test } from 'bun:test';
import { expectRefusal, totalOf } from '../support/expectations.ts';
import { type Firm, makeFirm, startTestServer } from '../support/firm.ts';

const server = await startTestServer();

/** Names that a careless reader would find on every object, or lose. */
const oddNames = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'a.b[0]', 'Ünï 🗂'];

let firm: Firm;
beforeAll(async () => {
  const fields = ['TEXT', ...oddNames].map((name) => ({ on: 'lead', name, type: 'TEXT' }));
  firm = await makeFirm(server, { customFields: fields });
});

/** An object that holds the key as it is, `__proto__` too. */
const keyed = (name: string, value: unknown) => Object.fromEntries([[name, value]]);

const change = (id: string, customFields: object) =>
  firm.owner.patch(`/v1/leads/${id}`, { customFields });

const fieldsOf = async (id: string) =>
  Object.entries((await firm.owner.get(`/v1/leads/${id}`)).body.data.customFields);

describe('Odd names are names like any other:', () => {
  test.each(oddNames)('a field called %s is written, merged, cleared and read', async (name) => {
    const body = { lastName: 'Quill', customFields: keyed(name, 'a') };
    const { id, customFields } = (await firm.owner.post('/v1/leads', body)).body.data;
    expect(Object.entries(customFields)).toContainEqual([name, 'a']);
    await change(id, { TEXT: 'b' });
    expect(await fieldsOf(id)).toContainEqual([name, 'a']);
    expectRefusal(await change(id, keyed(name, 5)), 400, 'invalid_custom_field');
    await change(id, keyed(name, null));
    expect(await fieldsOf(id)).toContainEqual([name, null]);
  });

  test.each(oddNames)('%s is an unknown name where no field is called so', async (name) => {
    const bare = await makeFirm(server);
    for (const value of ['a', null, {}, { polluted: true }]) {
      const body = { lastName: 'Quill', customFields: keyed(name, value) };
      const answer = await bare.owner.post('/v1/leads', body);
      expectRefusal(answer, 400, 'invalid_custom_field', name);
    }
    expect(await totalOf(bare.owner.get('/v1/contacts'))).toBe(0);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
