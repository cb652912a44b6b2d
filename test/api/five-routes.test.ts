import { beforeAll, describe, expect, test } from 'bun:test';
import { resources } from '../../src/contents.ts';
import { auditOf, expectRefusal, totalOf, unknownId } from '../support/expectations.ts';
import { attorney, caller, type Firm, makeFirm, send, startTestServer } from '../support/firm.ts';
import { matterFor, type Sample, samples } from '../support/samples.ts';

const server = await startTestServer();

type Field = { type?: string; format?: string; enum?: string[]; anyOf?: Field[] };

const fieldsOf = (shape: object) => (shape as { properties: Record<string, Field> }).properties;

/** Values that may be sent in a field; none in one that holds more than one value. */
const valuesFor = ({ type, format, enum: words, anyOf }: Field): unknown[] => {
  if (anyOf) return anyOf.flatMap(valuesFor);
  if (type === 'null') return [null];
  if (type === 'boolean') return [true, false];
  if (type !== 'string') return [];
  return words ?? (format === 'date' ? ['2026-03-21'] : ['Rook']);
};

const cards = resources.map(({ name, noun, shapes }) => {
  const sample = samples[name];
  if (!sample) throw new Error(`test/support/samples.ts has no sample of ${name}.`);
  const both = Object.entries(fieldsOf(shapes.update)).filter(([field]) => {
    return field in fieldsOf(shapes.full);
  });
  return { name, noun, sample, path: `/v1/${name}`, both: Object.fromEntries(both) };
});

const customFields = [
  ...['contact', 'matter', 'lead'].map((on) => ({ on, name: 'Note', type: 'TEXT' })),
  ...['contact', 'matter', 'lead'].map((on) => ({ on, name: 'Scan', type: 'FILE' })),
];

const make = async (firm: Firm, path: string, sample: Sample) => {
  const answer = await firm.owner.post(path, await sample.create(firm));
  expect(answer.status).toBe(201);
  return answer.body.data as Record<string, unknown> & { id: string };
};

describe.each(cards)('Any of $name', ({ name, sample, path, both }) => {
  const { gone = { action: 'delete', field: 'deletedAt' } } = sample;
  let firm: Firm;
  beforeAll(async () => {
    firm = await makeFirm(server, { customFields });
    await matterFor(firm);
  });

  test('a create answers 201 with { data }, the address of the record in Location', async () => {
    const answer = await firm.owner.post(path, await sample.create(firm));
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ data: expect.objectContaining({ id: expect.any(String) }) });
    expect(answer.headers.get('location')).toBe(`${path}/${answer.body.data.id}`);
    const read = await firm.owner.get(answer.headers.get('location') ?? '');
    expect({ status: read.status, body: read.body }).toEqual({ status: 200, body: answer.body });
  });

  test('timestamps are ISO 8601 UTC with milliseconds', async () => {
    const { createdAt, updatedAt } = await make(firm, path, sample);
    expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(updatedAt).toBe(createdAt);
  });

  test('create, read and update carry the custom field properties exactly where they belong', async () => {
    const made = await make(firm, path, sample);
    const read = await firm.owner.get(`${path}/${made.id}`);
    const changed = await firm.owner.patch(`${path}/${made.id}`, sample.change);
    for (const data of [made, read.body.data, changed.body.data]) {
      expect(data.customFields).toEqual(sample.carriesCustomFields ? { Note: null } : undefined);
      const scan = { id: expect.any(String), name: 'Scan', type: 'FILE' };
      expect(data.unsupportedCustomFields).toEqual(sample.carriesCustomFields ? [scan] : undefined);
    }
  });

  test('an update changes the fields sent, keeps the others, and answers the reloaded record', async () => {
    const made = await make(firm, path, sample);
    const answer = await firm.owner.patch(`${path}/${made.id}`, sample.change);
    const { updatedAt } = answer.body.data;
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ data: sample.change });
    const names = { name: answer.body.data.name, title: answer.body.data.title };
    const derived = Object.fromEntries(Object.entries(names).filter(([key]) => key in made));
    expect(answer.body.data).toEqual({ ...made, ...derived, ...sample.change, updatedAt });
    expect(Date.parse(updatedAt)).toBeGreaterThanOrEqual(Date.parse(String(made.createdAt)));
    expect((await firm.owner.get(`${path}/${made.id}`)).body).toEqual(answer.body);
  });

  test('an update shows each field that it takes as it was sent, or is refused', async () => {
    const made = await make(firm, path, sample);
    const shown: string[] = [];
    for (const [field, shape] of Object.entries(both)) {
      for (const value of valuesFor(shape)) {
        const { status, body } = await firm.owner.patch(`${path}/${made.id}`, { [field]: value });
        if (status === 200) expect({ [field]: body.data[field] }).toEqual({ [field]: value });
        else expect([400, 404, 409]).toContain(status);
        if (status === 200) shown.push(field);
      }
    }
    expect(shown).not.toEqual([]);
  });

  test('an update that changes nothing answers 200: updatedAt stays, the audit log says nothing', async () => {
    const { id } = await make(firm, path, sample);
    const changed = await firm.owner.patch(`${path}/${id}`, sample.change);
    const audited = await auditOf(firm);
    for (const body of [{}, sample.change, { unknown: 1, id: unknownId, createdAt: null }]) {
      const answer = await firm.owner.patch(`${path}/${id}`, body);
      expect({ status: answer.status, body: answer.body }).toEqual({
        status: 200,
        body: changed.body,
      });
    }
    expect(await auditOf(firm)).toEqual(audited);
  });

  test('unknown fields of a create are ignored, an id or a number is never taken from a client', async () => {
    const sent = {
      ...(await sample.create(firm)),
      id: unknownId,
      publicId: 'X-1',
      createdAt: 5,
      no: {},
    };
    const { status, body } = await firm.owner.post(path, sent);
    expect(status).toBe(201);
    expect(body.data.id).not.toBe(unknownId);
    expect(body.data.publicId).not.toBe('X-1');
    expect(body.data).not.toHaveProperty('no');
    // Not even through the prototype: a value there was not sent as a field.
    const hidden = `{"__proto__":${JSON.stringify(await sample.create(firm))}}`;
    expectRefusal(await firm.owner.post(path, hidden), 400, 'invalid_request');
  });

  test('a delete answers { data: { id, deleted: true } }; the record is then gone from reads, lists and totals', async () => {
    const kept = await make(firm, path, sample);
    const { id } = await make(firm, path, sample);
    const before = await totalOf(firm.owner.get(await sample.list(firm)));
    const answer = await firm.owner.delete(`${path}/${id}`);
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: { data: { id, deleted: true } },
    });
    expectRefusal(await firm.owner.get(`${path}/${id}`), 404, 'not_found');
    expectRefusal(await firm.owner.patch(`${path}/${id}`, sample.change), 404, 'not_found');
    expectRefusal(await firm.owner.delete(`${path}/${id}`), 404, 'not_found');
    const list = (await firm.owner.get(await sample.list(firm))).body;
    expect(list.pagination.total).toBe(before - 1);
    expect(list.data.map((one: { id: string }) => one.id)).not.toContain(id);
    expect(list.data[0].id).toBe(kept.id);
    expect((await auditOf(firm, id)).map(({ action }) => action)).toEqual(['create', gone.action]);
  });

  test('no record, a malformed id, a deleted record: 404 in the very same words', async () => {
    const { id } = await make(firm, path, sample);
    await firm.owner.delete(`${path}/${id}`);
    const answers = new Set<string>();
    for (const one of [
      id,
      unknownId,
      'x',
      '1',
      'null',
      '%00',
      'a%2Fb',
      `${id}0`,
      '%F0%9D%92%9C',
      '%ZZ',
    ]) {
      for (const call of [
        firm.owner.get(`${path}/${one}`),
        firm.owner.patch(`${path}/${one}`, sample.change),
        firm.owner.delete(`${path}/${one}`),
      ]) {
        const answer = await call;
        expectRefusal(answer, 404, 'not_found');
        answers.add(JSON.stringify(answer.body));
      }
    }
    expect(answers.size).toBe(1);
  });

  test('that there is no such record (404) goes before what is wrong with the body (400)', async () => {
    for (const id of [unknownId, 'x']) {
      for (const body of [sample.misshapen, 'not json', [], { customFields: { nope: 1 } }]) {
        expectRefusal(await firm.owner.patch(`${path}/${id}`, body), 404, 'not_found');
      }
    }
  });

  test('what the key may not do (401, 403) goes before everything else', async () => {
    const reader = await firm.callerOf(attorney, [`${name}:read`]);
    const stranger = { authorization: `Bearer mh_${'0'.repeat(36)}` };
    for (const target of [path, `${path}/${unknownId}`]) {
      const call = target === path ? ('post' as const) : ('patch' as const);
      for (const body of [sample.misshapen, 'not json', {}]) {
        expectRefusal(await firm.owner[call](target, body, stranger), 401, 'unauthorized');
        expectRefusal(await reader[call](target, body), 403, 'forbidden', `${name}:write`);
      }
    }
    expectRefusal(await reader.delete(`${path}/${unknownId}`), 403, 'forbidden', `${name}:write`);
  });

  test('a refused create or update changes nothing: no record, no total, no audit entry', async () => {
    const { id } = await make(firm, path, sample);
    const before = await firm.owner.get(`${path}/${id}`);
    const totals = () =>
      Promise.all(cards.map(async (card) => totalOf(firm.owner.get(await card.sample.list(firm)))));
    const counted = await totals();
    const audited = await auditOf(firm);
    const good = await sample.create(firm);
    const nope = { customFields: { 'no such field': 1 } };
    for (const bad of [sample.misshapen, ...(sample.carriesCustomFields ? [nope] : [])]) {
      expect((await firm.owner.post(path, { ...good, ...bad })).status).toBe(400);
      const changed = await firm.owner.patch(`${path}/${id}`, { ...sample.change, ...bad });
      expect(changed.status).toBe(400);
    }
    for (const body of ['{"', '[]', '""', 'null', '5', '']) {
      expectRefusal(await firm.owner.post(path, body), 400, 'invalid_request');
      expectRefusal(await firm.owner.patch(`${path}/${id}`, body), 400, 'invalid_request');
    }
    expect((await firm.owner.get(`${path}/${id}`)).body).toEqual(before.body);
    expect(await totals()).toEqual(counted);
    expect(await auditOf(firm)).toEqual(audited);
  });

  test('the body of a delete means nothing', async () => {
    for (const body of ['', '{}', 'not json', '[1]']) {
      const { id } = await make(firm, path, sample);
      const stranger = caller(server.url, '');
      for (const [by, status] of [
        [stranger, 401],
        [firm.owner, 200],
      ] as const) {
        const headers = { authorization: `Bearer ${by.key}`, 'content-type': 'application/json' };
        const request = { method: 'DELETE', headers, body };
        expect((await send(`${server.url}${path}/${id}`, request)).status).toBe(status);
      }
    }
  });

  test('every write is in the audit log once, with the member, the key, the request, before and after', async () => {
    const ids = (requestId: string) => ({ 'x-request-id': requestId });
    const made = await firm.owner.post(path, await sample.create(firm), ids('first'));
    const { id } = made.body.data;
    await firm.owner.patch(`${path}/${id}`, sample.change, ids('second'));
    await firm.owner.delete(`${path}/${id}`, ids('third'));
    const entries = await auditOf(firm, id);
    const by = {
      recordKind: name.replace('-', '_').replace(/s$/, ''),
      recordId: id,
      memberId: firm.members['ada@harrow.example'] as string,
      keyId: firm.owner.keyId,
    };
    expect(entries).toMatchObject([
      { action: 'create', requestId: 'first', ...by },
      { action: 'update', requestId: 'second', ...by },
      { action: gone.action, requestId: 'third', ...by },
    ]);
    for (const [field, after] of Object.entries(sample.change)) {
      const before = made.body.data[field];
      expect(entries[1]?.changes[field]).toEqual({ before, after });
    }
    expect(entries[2]?.changes[gone.field]).toEqual({ before: null, after: expect.any(String) });
  });

  test.each(['GET', 'POST', 'PATCH', 'DELETE', 'GET unknown'])(
    '%s: every answer carries X-Request-Id and Cache-Control: no-store',
    async (call) => {
      const [method = 'GET', unknown] = call.split(' ');
      const { id } = await make(firm, path, sample);
      const target = method === 'POST' ? path : `${path}/${unknown ? unknownId : id}`;
      const verb = method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete';
      const body = method === 'POST' ? await sample.create(firm) : sample.change;
      const send = (headers: Record<string, string>) =>
        verb === 'get' || verb === 'delete'
          ? firm.owner[verb](target, headers)
          : firm.owner[verb](target, body, headers);
      const first = await send({ 'x-request-id': 'trace:7f.a_b-1' });
      expect(first.headers.get('x-request-id')).toBe('trace:7f.a_b-1');
      expect(first.headers.get('cache-control')).toBe('no-store');
      for (const odd of ['two words', 'a'.repeat(65), '<b>']) {
        const { headers } = await send({ 'x-request-id': odd });
        expect(headers.get('x-request-id')).toMatch(/^[\w.:-]{1,64}$/);
        expect(headers.get('cache-control')).toBe('no-store');
      }
    },
  );
});
