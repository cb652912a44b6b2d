import { beforeAll, describe, expect, test } from 'bun:test';
import { days, notDays } from '../../api/corpus/dates.ts';
import {
  alphabets,
  around,
  auditOf,
  expectRefusal,
  notOf,
  totalOf,
} from '../../support/expectations.ts';
import { type Firm, makeFirm, owner, startTestServer } from '../../support/firm.ts';
import { partOf } from '../../support/whole.ts';

const server = await startTestServer();

/** Each date has a twelfth of the days, and another date others; with WHOLE=1 each has all. */
const someFor = (field: string, all: readonly unknown[]) =>
  partOf(all, 12, (one) => `${field} ${JSON.stringify(one)}`);

let firm: Firm;
let path: string;
beforeAll(async () => {
  firm = await makeFirm(server);
  path = `/v1/matters/${(await create({})).body.data.id}`;
});

const create = (more: object) =>
  firm.owner.post('/v1/matters', {
    practiceAreaId: firm.practiceAreas.Family?.id,
    openDate: '2026-02-03',
    ...more,
  });

const update = (body: object) => firm.owner.patch(path, body);

/** Both doors that take a field: each must take or refuse it alike. */
const writes = [
  { call: 'create', send: create, status: 201 },
  { call: 'update', send: update, status: 200 },
];

const stateOf = async () => [
  await totalOf(firm.owner.get('/v1/matters')),
  await auditOf(firm),
  (await firm.owner.get(path)).body,
];

describe.each(writes)('On $call,', ({ send, status, call }) => {
  const expectKept = async (field: string, value: unknown) => {
    const { body, status: answered } = await send({ [field]: value });
    expect([field, value, answered]).toEqual([field, value, status]);
    expect(body.data[field]).toEqual(value);
    expect((await firm.owner.get(`/v1/matters/${body.data.id}`)).body.data[field]).toEqual(value);
  };

  test.each(['openDate', 'closeDate', 'solDate'])(
    '%s takes every real calendar day, in whatever order to the other dates',
    async (field) => {
      for (const day of someFor(field, days)) await expectKept(field, day);
    },
  );

  test.each(['openDate', 'closeDate', 'solDate'])(
    '%s takes nothing but YYYY-MM-DD of a day that exists',
    async (field) => {
      const before = await stateOf();
      for (const value of [
        ...someFor(field, notDays),
        ...(call === 'update' && field !== 'openDate' ? [] : [null]),
      ]) {
        expectRefusal(await send({ [field]: value }), 400, 'invalid_request', field);
      }
      expect(await stateOf()).toEqual(before);
    },
  );

  test.each(alphabets)(
    'title takes 255 characters and refuses one more, in $script',
    async ({ of }) => {
      for (const length of [1, ...around(255).allowed]) await expectKept('title', of(length));
      const before = await stateOf();
      const answer = await send({ title: of(around(255).refused) });
      expectRefusal(answer, 400, 'invalid_request', 'title');
      expect(answer.body.error.message).toContain('255');
      expect(await stateOf()).toEqual(before);
    },
  );

  test('a title is kept without the white space at its ends, empty it becomes `Untitled matter`', async () => {
    expect((await send({ title: ' \tA  b\u00a0\n' })).body.data.title).toBe('A  b');
    for (const title of ['', ' ', '\u3000\n']) {
      expect((await send({ title })).body.data.title).toBe('Untitled matter');
    }
  });

  test('a description is kept as sent, white space and all', async () => {
    for (const text of [
      '',
      ' ',
      '\n',
      ' a\r\n\tb ',
      '\u00a0',
      '=1+1',
      '<b>',
      'null',
      '🗂'.repeat(9),
    ]) {
      await expectKept('description', text);
    }
  });

  test.each([
    ['title', notOf.string],
    ['description', notOf.string.filter((value) => value !== null)],
    ['practiceAreaId', notOf.string],
    ['practiceAreaStageColumnId', notOf.string],
    ['status', [...notOf.string, 'active', 'Archive', 'ACTIVE ', 'HIRED', '']],
    ['customFields', notOf.object],
  ] as [string, unknown[]][])(
    '%s of the wrong type is refused, never coerced',
    async (field, values) => {
      const before = await stateOf();
      for (const value of values) {
        expectRefusal(await send({ [field]: value }), 400, 'invalid_request', field);
      }
      expect(await stateOf()).toEqual(before);
    },
  );
});

test('an explicit null description is refused on a create, where nothing is there to be cleared', async () => {
  expectRefusal(await create({ description: null }), 400, 'invalid_request', 'description');
});

describe('clientContactIds', () => {
  const contacts: string[] = [];
  beforeAll(async () => {
    for (let count = 0; count < 51; count += 1) {
      contacts.push(
        (await firm.owner.post('/v1/contacts', { lastName: `C${count}` })).body.data.id,
      );
    }
  });

  test('takes 50 entries and refuses one more, duplicates counted', async () => {
    for (const length of around(50).allowed) {
      const { data } = (await create({ clientContactIds: contacts.slice(0, length) })).body;
      expect(data.clients.map((one: { contactId: string }) => one.contactId)).toEqual(
        contacts.slice(0, length),
      );
    }
    const before = await stateOf();
    for (const ids of [contacts, Array(51).fill(contacts[0]), Array(51).fill('x')]) {
      const answer = await create({ clientContactIds: ids });
      expectRefusal(answer, 400, 'invalid_request', 'clientContactIds');
      expect(answer.body.error.message).toContain('50');
    }
    expect(await stateOf()).toEqual(before);
  });

  test('takes nothing but a list of strings', async () => {
    const before = await stateOf();
    for (const value of [...notOf.list, contacts[0]]) {
      const answer = await create({ clientContactIds: value });
      expectRefusal(answer, 400, 'invalid_request', 'clientContactIds');
    }
    for (const entry of [5, null, true, {}, [contacts[1]], { contactId: contacts[1] }]) {
      const answer = await create({ clientContactIds: [contacts[0], entry] });
      expectRefusal(answer, 400, 'invalid_request', 'clientContactIds[1]');
    }
    expect(await stateOf()).toEqual(before);
  });
});

describe('team', () => {
  test('takes 50 entries and refuses one more, duplicates counted', async () => {
    const memberId = firm.members[owner];
    const entries = (length: number) => Array(length).fill({ memberId });
    for (const length of around(50).allowed) {
      expect((await create({ team: entries(length) })).body.data.team).toHaveLength(1);
    }
    const before = await stateOf();
    const answer = await create({ team: entries(51) });
    expectRefusal(answer, 400, 'invalid_request', 'team');
    expect(answer.body.error.message).toContain('50');
    for (const value of notOf.list) {
      expectRefusal(await create({ team: value }), 400, 'invalid_request', 'team');
    }
    expect(await stateOf()).toEqual(before);
  });

  test('of fifty different members is kept whole and in order', async () => {
    const many = Array.from({ length: 50 }, (_, index) => ({
      email: `m${index}@harrow.example`,
      name: `Member ${index}`,
      role: 'Owner',
    }));
    const big = await makeFirm(server, {
      members: [{ email: owner, name: 'Ada', role: 'Owner' }, ...many],
    });
    const team = many.map(({ email, name }, index) => ({
      memberId: big.members[email],
      role: 'RESPONSIBLE_STAFF',
      allocation: index,
      name,
    }));
    const { body } = await big.owner.post('/v1/matters', {
      practiceAreaId: big.practiceAreas.Family?.id,
      openDate: '2026-02-03',
      team: team.map(({ name, ...entry }) => entry),
    });
    expect(body.data.team).toEqual(team as never);
    expect((await big.owner.get('/v1/matters')).body.data[0].team).toEqual(team);
  });

  const allocations = (values: string[]) => values.map((value) => [value]);
  const sent = (allocation: string) =>
    `{"practiceAreaId":"${firm.practiceAreas.Family?.id}","openDate":"2026-02-03",
      "team":[{"memberId":"${firm.members[owner]}","allocation":${allocation}}]}`;

  test.each(
    allocations([
      ...['0', '-0', '0.0', '1', '50', '99.99', '100', '100.0', '1e2', '1E2', '1e-9'],
      ...['33.333333333333336', '0.1', '12.5', '5e-324'],
    ]),
  )('an allocation of %s is kept exactly', async (allocation) => {
    const { status, body } = await firm.owner.post('/v1/matters', sent(allocation));
    expect(status).toBe(201);
    const expected = Number(allocation) + 0;
    expect(body.data.team[0].allocation).toBe(expected);
    const read = await firm.owner.get(`/v1/matters/${body.data.id}`);
    expect(read.body.data.team[0].allocation).toBe(expected);
  });

  test.each(
    allocations([
      ...['-0.01', '-1', '100.0000001', '100.00000000000001', '101', '1e3', '1e400', '-1e400'],
      ...['"50"', '"0"', '""', 'true', 'false', 'null', '[]', '[50]', '{}'],
    ]),
  )('an allocation of %s is refused, never rounded or clamped', async (allocation) => {
    const before = await totalOf(firm.owner.get('/v1/matters'));
    const answer = await firm.owner.post('/v1/matters', sent(allocation));
    expectRefusal(answer, 400, 'invalid_request', 'team[0]');
    expect(await totalOf(firm.owner.get('/v1/matters'))).toBe(before);
  });
});
