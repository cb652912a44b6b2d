/** What a lead form needs: an id of its own, a note, and the contact's addresses in the same answer. */
import { describe, expect, test } from 'bun:test';
import { leadRecord } from '../../src/leads/record.ts';
import { administrator } from '../../src/record/actor.ts';
import { connect, onDatabase } from '../support/database.ts';
import { auditOf, expectRefusal, totalOf } from '../support/expectations.ts';
import { attorney, makeFirm, makePatientFirm, owner, startTestServer } from '../support/firm.ts';
import { partsIn, textIn } from '../support/html.ts';
import { visitorOf } from '../support/visitor.ts';

const server = await startTestServer();
const sql = connect(server.databaseUrl);

const quill = { lastName: 'Quill' };

describe.each(['leads', 'contacts'])('externalId of %s', (name) => {
  const path = `/v1/${name}`;
  const noun = name.slice(0, -1);

  test('is answered only when it is asked for, and changes nothing else of an answer', async () => {
    const { owner: api } = await makeFirm(server);
    const made = await api.post(path, { ...quill, externalId: '  form 8412 ' });
    const { id } = made.body.data;
    expect(JSON.stringify(made.body)).not.toContain('8412');
    const plain = await api.get(`${path}/${id}`);
    expect(plain.body).toEqual(made.body);
    const asked = await api.get(`${path}/${id}?include=externalId`);
    expect(asked.body.data).toEqual({ ...made.body.data, externalId: 'form 8412' });
    expect(asked.headers.get('etag')).not.toBe(plain.headers.get('etag'));
    const list = await api.get(`${path}?include=externalId`);
    expect(list.body.data.map((one: { externalId: unknown }) => one.externalId)).toContain(
      'form 8412',
    );
    expect(JSON.stringify((await api.get(path)).body)).not.toContain('8412');
    const other = await api.post(path, quill);
    const none = await api.get(`${path}/${other.body.data.id}?include=externalId`);
    expect(none.body.data.externalId).toBe(null);
  });

  test('is 1 to 255 characters', async () => {
    const { owner: api } = await makeFirm(server);
    for (const externalId of ['', '  ', 'x'.repeat(256), 5, null, ['a']]) {
      const answer = await api.post(path, { ...quill, externalId });
      expectRefusal(answer, 400, 'invalid_request', 'externalId must be a string of 1 to 255');
    }
    for (const externalId of ['a', '🗻'.repeat(255)])
      expect((await api.post(path, { ...quill, externalId })).status).toBe(201);
    const change = { externalId: 'b' };
    const { id } = (await api.post(path, { ...quill, externalId: 'mine' })).body.data;
    const changed = await api.patch(`${path}/${id}`, change);
    expect(changed.headers.get('ignored-fields')).toBe('"externalId"');
  });

  test('is taken once: 409 that names the record to a key that may see it', async () => {
    const firm = await makeFirm(server);
    const api = firm.owner;
    const { id } = (await api.post(path, { ...quill, externalId: 'one' })).body.data;
    const writer = await firm.callerOf(owner, [`${name}:write`]);
    const before = await auditOf(firm);
    const again = await api.post(path, { lastName: 'Other', externalId: ' one ' });
    expectRefusal(again, 409, 'conflict', `externalId is taken: the ${noun} ${id} has it.`);
    const blind = await writer.post(path, { ...quill, externalId: 'one' });
    expectRefusal(
      blind,
      409,
      'conflict',
      `externalId is taken: another ${noun} of the firm has it.`,
    );
    expect(blind.body.error.message).not.toContain(id);
    expect(await auditOf(firm)).toEqual(before);
    expect(await totalOf(api.get(path))).toBe(1);
    // Case counts, another firm's does not, and the other kind's does not.
    expect((await api.post(path, { ...quill, externalId: 'ONE' })).status).toBe(201);
    const elsewhere = await makeFirm(server);
    expect((await elsewhere.owner.post(path, { ...quill, externalId: 'one' })).status).toBe(201);
    const kind = name === 'leads' ? '/v1/contacts' : '/v1/leads';
    expect((await api.post(kind, { ...quill, externalId: 'one' })).status).toBe(201);
  });

  test('sent twenty times at once makes one record, with and without Idempotency-Keys', async () => {
    const firm = await makePatientFirm(server);
    for (const isKeyed of [false, true]) {
      const externalId = `at once ${isKeyed}`;
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          firm.owner.post(
            path,
            { lastName: `Q${at}`, externalId },
            isKeyed ? { 'idempotency-key': `${noun} ${at}` } : {},
          ),
        ),
      );
      const made = answers.filter(({ status }) => status === 201);
      expect(made).toHaveLength(1);
      for (const answer of answers.filter(({ status }) => status !== 201))
        expectRefusal(answer, 409, 'conflict', made[0]?.body.data.id);
    }
    expect(await totalOf(firm.owner.get(path))).toBe(2);
    if (name === 'leads') {
      const next = await firm.owner.post(path, quill);
      expect(next.body.data.publicId).toBe('L-0003');
    }
  });

  test('of others at the same moment stays theirs: a refusal stops nobody else', async () => {
    const { owner: api } = await makePatientFirm(server);
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, at) =>
        api.post(path, { lastName: `Q${at}`, ...(at % 3 ? {} : { externalId: 'same' }) }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(17);
    expect(await totalOf(api.get(path))).toBe(17);
  });

  test('is found by it, before anything is typed, and only by those who see the record', async () => {
    const firm = await makeFirm(server);
    const api = firm.owner;
    const { id } = (await api.post(path, { ...quill, externalId: 'a&b/ü 1' })).body.data;
    const find = (query: string, by = api) => by.get(`/v1/search?${query}`);
    const asked = `externalId=${encodeURIComponent('a&b/ü 1')}`;
    const found = await find(asked);
    expect(found.body.pagination.total).toBe(1);
    expect(found.body.data).toEqual([
      expect.objectContaining({
        type: noun.toUpperCase(),
        id,
        title: 'Quill',
        matched: 'externalId',
      }),
    ]);
    expect((await find(`${asked}&q=quil`)).body.data).toHaveLength(1);
    expect((await find(`${asked}&q=other`)).body).toMatchObject({
      data: [],
      pagination: { total: 0 },
    });
    expect((await find(`${asked}&offset=1`)).body).toMatchObject({
      data: [],
      pagination: { total: 1 },
    });
    expect((await find('externalId=a%26b')).body.data).toEqual([]);
    expectRefusal(await find(''), 400, 'invalid_request', 'q is required');
    expectRefusal(await find('externalId='), 400, 'invalid_request', 'externalId');
    expectRefusal(await find(`${asked}&${asked}`), 400, 'invalid_request', 'externalId');
    const blind = await firm.callerOf(owner, ['matters:read']);
    expect((await find(asked, blind)).body.data).toEqual([]);
    const other = await makeFirm(server);
    expect((await find(asked, other.owner)).body.data).toEqual([]);
    await api.delete(`${path}/${id}`);
    expect((await find(asked)).body.data).toEqual([]);
    expect((await api.post(path, { ...quill, externalId: 'a&b/ü 1' })).status).toBe(201);
  });

  test('is left out by a restore if another record has it by then, and the page says so', async () => {
    const firm = await makeFirm(server);
    const api = firm.owner;
    const ada = await visitorOf(server, firm, owner);
    const { id } = (await api.post(path, { ...quill, externalId: 'one' })).body.data;
    const restore = `/settings/deleted/${name}/${id}/restore`;
    const idOf = async () =>
      (await api.get(`${path}/${id}?include=externalId`)).body.data.externalId;
    await api.delete(`${path}/${id}`);
    expect((await ada.post(restore)).location).toBe(`/settings/deleted?kind=${name}`);
    expect(await idOf()).toBe('one');
    await api.delete(`${path}/${id}`);
    const second = (await api.post(path, { ...quill, externalId: 'one' })).body.data.id;
    const { location } = await ada.post(restore);
    expect((await ada.get(location ?? '')).text).toContain(
      'The record was restored without its external id',
    );
    expect(await idOf()).toBe(null);
    const found = await api.get('/v1/search?externalId=one');
    expect(found.body.data.map((one: { id: string }) => one.id)).toEqual([second]);
    const last = (await auditOf(firm, id)).at(-1);
    expect(last?.changes.externalId).toEqual({ before: 'one', after: null });
  });
});

test('a lead that is private is not named by its externalId, and not found', async () => {
  const firm = await makeFirm(server);
  const hidden = { ...quill, isPrivate: true, externalId: 'hidden' };
  const { id, contact } = (await firm.owner.post('/v1/leads', hidden)).body.data;
  const ben = await firm.callerOf(attorney);
  const taken = await ben.post('/v1/leads', { ...quill, externalId: 'hidden' });
  expectRefusal(taken, 409, 'conflict', 'another lead of the firm has it');
  expect(taken.body.error.message).not.toContain(id);
  expect((await ben.get('/v1/search?externalId=hidden')).body.data).toEqual([]);
  const read = await firm.owner.get(`/v1/contacts/${contact.id}?include=externalId`);
  expect(read.body.data.externalId).toBe(null);
});

test('a merge keeps the kept contact’s externalId; undone, the other comes back with its own, if it is free', async () => {
  const firm = await makeFirm(server);
  const api = firm.owner;
  const ada = await visitorOf(server, firm, owner);
  const make = async (lastName: string, externalId: string) =>
    (await api.post('/v1/contacts', { lastName, externalId })).body.data.id as string;
  const [kept, merged] = [await make('Quill', 'kept'), await make('Quil', 'merged')];
  const idOf = async (id: string) =>
    (await api.get(`/v1/contacts/${id}?include=externalId`)).body.data.externalId;
  const merge = async () => {
    await ada.post(`/contacts/${kept}/merge`, { with: merged });
    const { text } = await ada.get(`/contacts/${kept}`);
    return /\/contacts\/merges\/[\w-]{36}\/undo/.exec(text)?.[0] ?? '';
  };
  const first = await merge();
  expect(await idOf(kept)).toBe('kept');
  expect((await ada.post(first)).location).toBe(`/contacts/${kept}`);
  expect([await idOf(kept), await idOf(merged)]).toEqual(['kept', 'merged']);
  const second = await merge();
  await make('Rook', 'merged');
  const { location } = await ada.post(second);
  expect((await ada.get(location ?? '')).text).toContain(
    'The record was restored without its external id',
  );
  expect([await idOf(kept), await idOf(merged)]).toEqual(['kept', null]);
});

describe('note of a new lead', () => {
  const notesOf = (firmId: string) => sql`
    select record_id as "recordId", about, text, member_id as "memberId", came_through_api as "isApi"
    from note where firm_id = ${firmId} order by id`;

  test('is the lead’s first note, by the key’s member, and needs leads:write alone', async () => {
    const firm = await makeFirm(server);
    const writer = await firm.callerOf(attorney, ['leads:write']);
    const note = '  I was hit by a car.\nPlease call after 5.  ';
    const made = await writer.post('/v1/leads', { ...quill, note });
    expect(made.status).toBe(201);
    expect(JSON.stringify(made.body)).not.toContain('hit by');
    const { id, contact, publicId } = made.body.data;
    expect([...(await notesOf(firm.id))]).toEqual([
      {
        recordId: id,
        about: 'lead',
        text: 'I was hit by a car.\nPlease call after 5.',
        memberId: firm.members[attorney],
        isApi: true,
      },
    ]);
    const ada = await visitorOf(server, firm, owner);
    expect((await ada.get(`/leads/${id}`)).text).toContain('I was hit by a car.');
    const ofContact = (await ada.get(`/contacts/${contact.id}`)).text;
    expect(textIn(ofContact, '.timeline .note')).toContain(`about lead ${publicId}`);
    expect(partsIn(ofContact, '.timeline .note form')).toEqual([]);
    // It is no work on the lead: nobody has touched it yet.
    const { firstTouchAt } = await onDatabase(server.databaseUrl, (database) =>
      leadRecord(administrator(database, firm.id), id),
    );
    expect(firstTouchAt).toBe(null);
  });

  test('has at most 10,000 characters; only white space counts as missing', async () => {
    const firm = await makeFirm(server);
    const api = firm.owner;
    const long = await api.post('/v1/leads', { ...quill, note: 'x'.repeat(10_001) });
    expectRefusal(long, 400, 'invalid_request', 'note must be a string of at most 10000');
    expectRefusal(await api.post('/v1/leads', { ...quill, note: null }), 400, 'invalid_request');
    expect((await api.post('/v1/leads', { ...quill, note: ' \n ' })).status).toBe(201);
    expect([...(await notesOf(firm.id))]).toEqual([]);
    expect((await api.post('/v1/leads', { ...quill, note: '🗻'.repeat(10_000) })).status).toBe(201);
    expect(await notesOf(firm.id)).toHaveLength(1);
  });

  test('is made once under one Idempotency-Key, and not in a dry run', async () => {
    const firm = await makeFirm(server);
    const body = { ...quill, note: 'Call me.' };
    for (let call = 0; call < 3; call += 1)
      await firm.owner.post('/v1/leads', body, { 'idempotency-key': 'one' });
    await firm.owner.post('/v1/leads', body, { prefer: 'dry-run' });
    expect(await notesOf(firm.id)).toHaveLength(1);
  });

  test('of leads that come at the same moment goes to each its own', async () => {
    const firm = await makeFirm(server);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        firm.owner.post('/v1/leads', { lastName: `Q${at}`, note: `Note ${at}` }),
      ),
    );
    const notes = await notesOf(firm.id);
    const expected = answers.map(({ body }, at) => `${body.data.id} Note ${at}`);
    expect(notes.map(({ recordId, text }) => `${recordId} ${text}`).sort()).toEqual(
      expected.sort(),
    );
  });
});

describe('include=contact on leads', () => {
  const person = { ...quill, email: 'zoe@quill.example', phone: '+1 555 0100' };
  const addresses = {
    emails: [{ address: 'zoe@quill.example', label: null, isPrimary: true }],
    phones: [{ number: '+1 555 0100', label: null, isPrimary: true }],
  };

  test('adds the addresses to the contact, on lists and single reads, and nothing else', async () => {
    const { owner: api } = await makeFirm(server);
    const first = (await api.post('/v1/leads', quill)).body.data;
    const made = (await api.post('/v1/leads', person)).body.data;
    const plain = await api.get('/v1/leads');
    const asked = await api.get('/v1/leads?include=contact');
    const [newest, oldest] = plain.body.data;
    expect(asked.body).toEqual({
      data: [
        { ...newest, contact: { ...newest.contact, ...addresses } },
        { ...oldest, contact: { ...oldest.contact, emails: [], phones: [] } },
      ],
      pagination: plain.body.pagination,
    });
    expect(Object.keys(newest.contact)).toEqual(['id', 'name']);
    const read = await api.get(`/v1/leads/${made.id}?include=contact, externalId`);
    expect(read.body.data).toEqual({
      ...made,
      contact: { ...made.contact, ...addresses },
      externalId: null,
    });
    await api.delete(`/v1/contacts/${first.contact.id}`);
    expect((await api.get(`/v1/leads/${first.id}?include=contact`)).body.data.contact).toBe(null);
  });

  test('keeps what was asked for on the next pages, also deep ones', async () => {
    const { owner: api } = await makeFirm(server);
    for (let at = 0; at < 3; at += 1)
      await api.post('/v1/leads', { ...person, lastName: `Q${at}` });
    const page = await api.get('/v1/leads?include=contact&limit=1&offset=1');
    expect(page.body.data[0].contact).toMatchObject({ name: 'Q1', ...addresses });
    expect(page.headers.get('link')).toContain('include=contact');
    expect(page.headers.has('ignored-parameters')).toBe(false);
  });

  test('needs contacts:read, and says so; another name is refused', async () => {
    const firm = await makeFirm(server);
    const { id } = (await firm.owner.post('/v1/leads', person)).body.data;
    const reader = await firm.callerOf(owner, ['leads:read']);
    for (const path of ['/v1/leads', `/v1/leads/${id}`]) {
      const refused = await reader.get(`${path}?include=contact`);
      expectRefusal(refused, 403, 'forbidden', 'include=contact needs contacts:read');
      expect((await reader.get(`${path}?include=externalId`)).status).toBe(200);
      for (const include of ['', 'contacts', 'contact,', 'contact;externalId', '__proto__']) {
        const wrong = await firm.owner.get(`${path}?include=${include}`);
        expectRefusal(wrong, 400, 'invalid_request', 'include must be some of contact, externalId');
      }
      const twice = await firm.owner.get(`${path}?include=contact&include=externalId`);
      expectRefusal(twice, 400, 'invalid_request', 'include');
    }
    const other = await firm.owner.get('/v1/matters?include=contact');
    expect(other.headers.get('ignored-parameters')).toBe('"include"');
  });

  test('has an ETag of its own, which If-None-Match and If-Match take', async () => {
    const { owner: api } = await makeFirm(server);
    const { id } = (await api.post('/v1/leads', person)).body.data;
    const queries = ['', '?include=contact', '?include=externalId', '?include=externalId,contact'];
    const tags: string[] = [];
    for (const query of queries) {
      const tag = (await api.get(`/v1/leads/${id}${query}`)).headers.get('etag') ?? '';
      tags.push(tag);
      const known = await api.get(`/v1/leads/${id}${query}`, { 'if-none-match': tag });
      expect(known.status).toBe(304);
    }
    expect(new Set(tags).size).toBe(4);
    for (const [at, tag] of tags.entries()) {
      const same = await api.patch(`/v1/leads/${id}`, {}, { 'if-match': tag });
      expect([at, same.status]).toEqual([at, 200]);
    }
    await api.patch(`/v1/leads/${id}`, { value: 'HIGH' });
    for (const tag of tags) {
      const stale = await api.patch(`/v1/leads/${id}`, { value: 'LOW' }, { 'if-match': tag });
      expectRefusal(stale, 412, 'precondition_failed');
    }
  });
});
