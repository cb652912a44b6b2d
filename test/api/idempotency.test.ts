import { describe, expect, test } from 'bun:test';
import { resources } from '../../src/contents.ts';
import { connect, moveClock, ownDatabase } from '../support/database.ts';
import { auditOf, expectRefusal, totalOf, unknownId } from '../support/expectations.ts';
import {
  attorney,
  bookkeeper,
  caller,
  comingAgain,
  type Firm,
  makeFirm,
  makePatientFirm,
  send,
  startTestServer,
} from '../support/firm.ts';
import { type Sample, samples } from '../support/samples.ts';

const server = await startTestServer();

const key = (text: string) => ({ 'idempotency-key': text });
const quill = { firstName: 'Zoe', lastName: 'Quill', email: 'zoe@quill.example' };

/** The answer as it is on the wire, to compare it letter by letter. */
const textOf = async (firm: Firm, path: string, body: unknown, idempotencyKey: string) => {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${firm.owner.key}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    },
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    text: await response.text(),
    location: response.headers.get('location'),
    replayed: response.headers.get('idempotent-replayed'),
  };
};

const jobsOf = async (databaseUrl: string, firmId: string) => {
  const sql = connect(databaseUrl);
  const rows = await sql`select kind, ref from job where firm_id = ${firmId}`;
  await sql.end();
  return rows;
};

/** One lead with its contact, number 1, an audit pair and one job: no trace of any repeat. */
const expectOneLead = async (firm: Firm, databaseUrl = server.databaseUrl) => {
  expect(await totalOf(firm.owner.get('/v1/leads'))).toBe(1);
  expect(await totalOf(firm.owner.get('/v1/contacts'))).toBe(1);
  const entries = (await auditOf(firm)).filter(({ keyId }) => keyId !== null);
  expect(entries.map(({ action, recordKind }) => `${action} ${recordKind}`).sort()).toEqual([
    'create contact',
    'create lead',
  ]);
  expect(await jobsOf(databaseUrl, firm.id)).toHaveLength(1);
};

/** The numbers had no gap: the next lead takes the second. */
const expectNextNumber = async (firm: Firm, number: string) =>
  expect((await firm.owner.post('/v1/leads', quill)).body.data.publicId).toBe(number);

describe('Idempotency-Key on POST', () => {
  test.each(resources.map(({ name }) => ({ name, sample: samples[name] as Sample })))(
    'a repeat on $name answers the first answer to the letter, with Idempotent-Replayed: true',
    async ({ name, sample }) => {
      const firm = await makeFirm(server);
      const path = `/v1/${name}`;
      const before = await totalOf(firm.owner.get(await sample.list(firm)));
      const body = await sample.create(firm);
      const first = await textOf(firm, path, body, 'one');
      expect(first).toMatchObject({ status: 201, replayed: null });
      const { id } = JSON.parse(first.text).data;
      // The record changes, but the answer is still the first one.
      await firm.owner.patch(`${path}/${id}`, sample.change);
      for (let repeat = 0; repeat < 3; repeat += 1) {
        expect(await textOf(firm, path, body, 'one')).toEqual({ ...first, replayed: 'true' });
      }
      expect(await totalOf(firm.owner.get(await sample.list(firm)))).toBe(before + 1);
      await firm.owner.delete(`${path}/${id}`);
      expect(await textOf(firm, path, body, 'one')).toEqual({ ...first, replayed: 'true' });
      expect(await totalOf(firm.owner.get(await sample.list(firm)))).toBe(before);
    },
  );

  test('a repeat leaves no second record, number, audit entry or job', async () => {
    const firm = await makeFirm(server);
    for (let repeat = 0; repeat < 4; repeat += 1) {
      expect((await firm.owner.post('/v1/leads', quill, key('one'))).status).toBe(201);
    }
    await expectOneLead(firm);
    await expectNextNumber(firm, 'L-0002');
  });

  test('20 concurrent repeats create one record', async () => {
    const firm = await makePatientFirm(server);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => firm.owner.post('/v1/leads', quill, key('one'))),
    );
    const firsts = answers.filter(({ headers }) => !headers.has('idempotent-replayed'));
    expect(firsts).toHaveLength(1);
    for (const { status, body } of answers) {
      expect({ status, body }).toEqual({ status: 201, body: firsts[0]?.body });
    }
    await expectOneLead(firm);
    await expectNextNumber(firm, 'L-0002');
  });

  test('20 concurrent repeats on two instances create one record', async () => {
    const other = await startTestServer({ databaseUrl: server.databaseUrl });
    const firm = await makePatientFirm(server);
    const there = comingAgain(caller(other.url, firm.owner.key));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? firm.owner : there).post('/v1/leads', quill, key('one')),
      ),
    );
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(answers.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1);
    await expectOneLead(firm);
    await expectNextNumber(firm, 'L-0002');
  });

  test('many keys at once, each several times, create one record each', async () => {
    const firm = await makePatientFirm(server);
    const calls = Array.from({ length: 60 }, (_, index) =>
      firm.owner.post('/v1/leads', { lastName: `Q${index % 12}` }, key(`key ${index % 12}`)),
    );
    const answers = await Promise.all(calls);
    expect(answers.map(({ status }) => status)).toEqual(Array(60).fill(201));
    expect(new Set(answers.map(({ body }) => body.data.publicId)).size).toBe(12);
    expect(await totalOf(firm.owner.get('/v1/leads'))).toBe(12);
    expect(await totalOf(firm.owner.get('/v1/contacts'))).toBe(12);
  });

  test('another body or another path under the same key is 409 conflict, and does nothing', async () => {
    const firm = await makeFirm(server);
    const first = await firm.owner.post('/v1/leads', quill, key('one'));
    for (const body of [{ ...quill, value: 'HIGH' }, { lastName: 'Quill' }, { ...quill, x: 1 }]) {
      expectRefusal(await firm.owner.post('/v1/leads', body, key('one')), 409, 'conflict', 'Key');
    }
    const elsewhere = await firm.owner.post('/v1/contacts', quill, key('one'));
    expectRefusal(elsewhere, 409, 'conflict', 'Idempotency-Key');
    await expectOneLead(firm);
    const repeat = await firm.owner.post('/v1/leads', quill, key('one'));
    expect(repeat.body).toEqual(first.body);
    await expectNextNumber(firm, 'L-0002');
  });

  test('the order of fields does not matter, at any depth; the order of a list does', async () => {
    const firm = await makeFirm(server, {
      customFields: [{ on: 'contact', name: 'Note', type: 'TEXT' }],
    });
    const address = { address: 'zoe@quill.example', label: 'Home' };
    const sent = {
      lastName: 'Quill',
      emails: [address, 'z@quill.example'],
      customFields: { Note: 'x' },
    };
    const first = await firm.owner.post('/v1/contacts', sent, key('one'));
    const turned = {
      customFields: { Note: 'x' },
      emails: [{ label: 'Home', address: address.address }, 'z@quill.example'],
      lastName: 'Quill',
    };
    const again = await firm.owner.post('/v1/contacts', turned, key('one'));
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = { ...turned, emails: turned.emails.toReversed() };
    expectRefusal(await firm.owner.post('/v1/contacts', other, key('one')), 409, 'conflict', 'Key');
    expect(await totalOf(firm.owner.get('/v1/contacts'))).toBe(1);
  });

  test('a key of 0.2, whose fingerprint kept the order, still answers what was sent under it', async () => {
    const firm = await makeFirm(server);
    const first = await firm.owner.post('/v1/leads', quill, key('one'));
    const former = new Bun.CryptoHasher('sha256').update(`/v1/leads\n${JSON.stringify(quill)}`);
    const sql = connect(server.databaseUrl);
    await sql`update idempotency set fingerprint = ${former.digest('hex')} where firm_id = ${firm.id}`;
    await sql.end();
    const again = await firm.owner.post('/v1/leads', quill, key('one'));
    expect([again.status, again.body]).toEqual([201, first.body]);
    const other = { ...quill, value: 'HIGH' };
    expectRefusal(await firm.owner.post('/v1/leads', other, key('one')), 409, 'conflict', 'Key');
    await expectOneLead(firm);
  });

  test('an answer kept before an upgrade comes as it was, without the fields added since', async () => {
    const firm = await makeFirm(server);
    const first = await textOf(firm, '/v1/leads', quill, 'kept');
    const sql = connect(server.databaseUrl);
    // As a release would have kept it whose leads had no value and no custom fields yet.
    await sql`update idempotency set answer = (answer::jsonb - 'value' - 'customFields')::text
      where firm_id = ${firm.id}`;
    await sql.end();
    const again = await textOf(firm, '/v1/leads', quill, 'kept');
    const { value, customFields, ...older } = JSON.parse(first.text).data;
    expect([value, customFields]).toEqual([null, {}]);
    expect({ ...again, text: JSON.parse(again.text) }).toEqual({
      status: 201,
      text: { data: older },
      location: first.location,
      replayed: 'true',
    });
    // The description says so: the same answer, read by the checks of every test.
    const { status, body } = await firm.owner.post('/v1/leads', quill, key('kept'));
    expect([status, body.data]).toEqual([201, older]);
  });

  test('each API key has its own: another one with the same Idempotency-Key makes a record of its own', async () => {
    const firm = await makeFirm(server);
    const other = await makeFirm(server);
    const ben = await firm.callerOf(attorney);
    const answers = [
      await firm.owner.post('/v1/leads', quill, key('one')),
      await ben.post('/v1/leads', quill, key('one')),
      await other.owner.post('/v1/leads', { lastName: 'Vane' }, key('one')),
    ];
    for (const { status, headers } of answers) {
      expect({ status, replayed: headers.get('idempotent-replayed') }).toEqual({
        status: 201,
        replayed: null,
      });
    }
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(3);
    expect(await totalOf(firm.owner.get('/v1/leads'))).toBe(2);
    expect(await totalOf(other.owner.get('/v1/leads'))).toBe(1);
  });

  test('keys that differ in anything are different keys', async () => {
    const firm = await makeFirm(server);
    const keys = ['a', 'A', 'a b', 'ab', `"a"`, "'; drop table lead; --", 'k'.repeat(255), '%00'];
    for (const one of keys) {
      expect((await firm.owner.post('/v1/leads', quill, key(one))).status).toBe(201);
    }
    expect(await totalOf(firm.owner.get('/v1/leads'))).toBe(keys.length);
    for (const one of keys) {
      const { headers } = await firm.owner.post('/v1/leads', quill, key(one));
      expect(headers.get('idempotent-replayed')).toBe('true');
    }
    expect(await totalOf(firm.owner.get('/v1/leads'))).toBe(keys.length);
  });

  test('is 1 to 255 characters: others are 400 invalid_request', async () => {
    const firm = await makeFirm(server);
    for (const wrong of ['', 'k'.repeat(256), 'k'.repeat(5_000)]) {
      const answer = await firm.owner.post('/v1/leads', quill, key(wrong));
      expectRefusal(answer, 400, 'invalid_request', 'of 1 to 255 characters');
      expect(answer.body.error.message).toMatch(/^Idempotency-Key /i);
    }
    expect(await totalOf(firm.owner.get('/v1/leads'))).toBe(0);
  });

  test('a refused request is not stored: put right, it is done under the same key', async () => {
    const firm = await makeFirm(server);
    const cy = await firm.callerOf(bookkeeper);
    const refused = [
      [400, await firm.owner.post('/v1/leads', {}, key('one'))],
      [400, await firm.owner.post('/v1/leads', '{"broken', key('one'))],
      [
        404,
        await firm.owner.post('/v1/leads', { ...quill, practiceAreaId: unknownId }, key('one')),
      ],
      [400, await firm.owner.post('/v1/leads', { ...quill, customFields: { No: 1 } }, key('one'))],
      [403, await cy.post('/v1/leads', quill, key('one'))],
      [401, await caller(server.url, 'wrong').post('/v1/leads', quill, key('one'))],
    ] as const;
    for (const [status, answer] of refused) {
      expect(answer.status).toBe(status);
      expect(answer.headers.has('idempotent-replayed')).toBe(false);
    }
    const good = await firm.owner.post('/v1/leads', quill, key('one'));
    expect(good.status).toBe(201);
    expect(good.headers.has('idempotent-replayed')).toBe(false);
    await expectOneLead(firm);
  });

  test('409 not_configured is not stored either: once the firm is set up the repeat succeeds', async () => {
    const firm = await makeFirm(server, { numbering: {} });
    expectRefusal(await firm.owner.post('/v1/leads', quill, key('one')), 409, 'not_configured');
    await firm.reapply({ numbering: { lead: 'L-{####}' } });
    const { status, body } = await firm.owner.post('/v1/leads', quill, key('one'));
    expect({ status, number: body.data?.publicId }).toEqual({ status: 201, number: 'L-0001' });
  });

  test('a repeat needs a good key and its rights like any request', async () => {
    const firm = await makeFirm(server);
    const ben = await firm.callerOf(attorney);
    expect((await ben.post('/v1/leads', quill, key('one'))).status).toBe(201);
    await firm.command(['key', 'revoke', ben.keyId]);
    expectRefusal(await ben.post('/v1/leads', quill, key('one')), 401, 'unauthorized');
  });

  test('without the header equal requests are different requests', async () => {
    const firm = await makeFirm(server);
    for (let call = 0; call < 3; call += 1) await firm.owner.post('/v1/leads', quill);
    expect(await totalOf(firm.owner.get('/v1/leads'))).toBe(3);
  });

  test('on other methods it does nothing', async () => {
    const firm = await makeFirm(server);
    const { body } = await firm.owner.post('/v1/leads', quill);
    const path = `/v1/leads/${body.data.id}`;
    for (const value of ['HIGH', 'LOW']) {
      const changed = await firm.owner.patch(path, { value }, key('one'));
      expect(changed.body.data.value).toBe(value);
      expect(changed.headers.has('idempotent-replayed')).toBe(false);
    }
    expect((await firm.owner.get(path, key('one'))).status).toBe(200);
    expect((await firm.owner.delete(path, key('one'))).status).toBe(200);
    expectRefusal(await firm.owner.delete(path, key('one')), 404, 'not_found');
  });

  test('is kept 7 days', async () => {
    const databaseUrl = await ownDatabase();
    const own = await startTestServer({ databaseUrl });
    const firm = await makeFirm(own);
    const contact = { lastName: 'Quill' };
    const first = await firm.owner.post('/v1/contacts', contact, key('one'));
    await moveClock(databaseUrl, 7 * 24 * 60 * 60 - 60);
    const repeat = await firm.owner.post('/v1/contacts', contact, key('one'));
    expect(repeat.headers.get('idempotent-replayed')).toBe('true');
    expect(repeat.body).toEqual(first.body);
    expect(await totalOf(firm.owner.get('/v1/contacts'))).toBe(1);
  });
});

test('a request cut off by the client is done once, however often it comes again', async () => {
  const firm = await makeFirm(server);
  for (let cut = 0; cut < 5; cut += 1) {
    await send(`${server.url}/v1/leads`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${firm.owner.key}`,
        'content-type': 'application/json',
        ...key('one'),
      },
      body: JSON.stringify(quill),
      signal: AbortSignal.timeout(1 + cut),
    }).catch(() => {});
  }
  expect((await firm.owner.post('/v1/leads', quill, key('one'))).status).toBe(201);
  await expectOneLead(firm);
});
