/** Nothing is ignored in silence (docs/contract.md, Requests). */
import { beforeAll, describe, expect, test } from 'bun:test';
import { api } from '../../src/api/api.ts';
import { readSettings } from '../../src/config.ts';
import { openDatabase } from '../../src/postgres/pool.ts';
import { auditOf, expectRefusal, totalOf, unknownId } from '../support/expectations.ts';
import {
  type Answer,
  caller,
  type Firm,
  makeFirm,
  send,
  startTestServer,
} from '../support/firm.ts';
import { inChunks, type Lines, sendRaw } from '../support/raw.ts';
import { type Sample, samples } from '../support/samples.ts';
import { naughtyStrings } from './corpus/strings.ts';

const server = await startTestServer();
const strict = { prefer: 'handling=strict' };

let firm: Firm;
beforeAll(async () => {
  firm = await makeFirm(server, { customFields: [{ on: 'lead', name: 'Note', type: 'TEXT' }] });
});

const ignored = ({ headers }: Answer) => ({
  fields: headers.get('ignored-fields'),
  parameters: headers.get('ignored-parameters'),
});

/** The names of a header's list, as a reader of structured fields gets them. */
const namesIn = (header: string | null): string[] =>
  [...(header ?? '').matchAll(/"((?:[ !#-[\]-~]|\\["\\])*)"/g)].map(([, text = '']) =>
    decodeURIComponent(text.replaceAll(/\\(["\\])/g, '$1')),
  );

const routes = await (async () => {
  const database = openDatabase('postgres://nobody@127.0.0.1:9/none');
  const app = api(database, readSettings({}), async () => undefined);
  await database.close();
  return app.routes.map(({ method, path }) => ({ method, path }));
})();

/** Webhooks are no records of the firm, so the tests of all records do not make them. */
const endpoint = {
  create: () => ({ url: 'https://hooks.harrow.example/' }),
  change: { description: 'Books' },
};

describe('Every route that there is', () => {
  const pathOf = (path: string, id = unknownId) =>
    path.replace(':id', id) + (path === '/v1/matter-types' ? areaOf() : '?');
  const areaOf = () => `?practiceAreaId=${firm.practiceAreas.Family?.id}&`;

  test.each(routes.filter(({ method }) => method === 'GET'))(
    'GET $path names a parameter that it does not know, and refuses it if that is preferred',
    async ({ path }) => {
      const target = `${pathOf(path)}nope=Xyzzy`;
      const get = (headers = {}) =>
        fetch(server.url + target, {
          headers: { authorization: `Bearer ${firm.owner.key}`, ...headers },
        });
      const answer = await get();
      const text = await answer.text();
      if (path !== '/docs') expect(answer.headers.get('ignored-parameters')).toBe('"nope"');
      expect(answer.headers.get('ignored-parameters') ?? '').not.toContain('Xyzzy');
      const refused = await get(strict);
      const body = await refused.text();
      if (path === '/docs') return;
      expect(refused.headers.get('preference-applied')).toBe('handling=strict');
      // A record that does not exist is said first.
      expect(refused.status).toBe(path.includes(':id') ? 404 : 400);
      if (refused.status === 400) expect(body).toContain('\\"nope\\" is not a parameter');
      expect(text.length).toBeGreaterThan(0);
    },
  );

  test.each(routes.filter(({ method }) => method === 'POST' || method === 'PATCH'))(
    '$method $path names fields and parameters that it does not know',
    async ({ method, path }) => {
      const name = path.split('/')[2] ?? '';
      const sample = (samples[name] ?? endpoint) as Sample;
      const made = await firm.owner.post(`/v1/${name}`, await sample.create(firm));
      // What is done to a record that is there has an address below it.
      if (path.includes(':id/')) return expectActHeeded(path, made.body.data.id);
      const target = path.replace(':id', made.body.data.id);
      const call = method === 'POST' ? firm.owner.post : firm.owner.patch;
      const body = {
        ...(method === 'POST' ? await sample.create(firm) : sample.change),
        nope: 'Xyzzy',
        __proto__x: { toString: 1 },
      };
      const answer = await call(`${target}?email=Xyzzy&email=Plugh`, body);
      expect(answer.status).toBe(method === 'POST' ? 201 : 200);
      expect(ignored(answer)).toEqual({ fields: '"nope", "__proto__x"', parameters: '"email"' });
      expect(answer.headers.has('preference-applied')).toBe(false);
      const before = await auditOf(firm);
      const refused = await call(`${target}?email=Xyzzy`, body, strict);
      expectRefusal(refused, 400, 'invalid_request', '"nope" is not a field of this request');
      expect(refused.body.error.message).toContain('"email" is not a parameter of this request');
      expect(refused.body.error.message).not.toContain('Xyzzy');
      expect(refused.headers.get('preference-applied')).toBe('handling=strict');
      expect(await auditOf(firm)).toEqual(before);
      const known = method === 'POST' ? await sample.create(firm) : sample.change;
      const taken = await call(target, known, strict);
      expect(taken.status).toBe(method === 'POST' ? 201 : 200);
      expect(ignored(taken)).toEqual({ fields: null, parameters: null });
      expect(taken.headers.get('preference-applied')).toBe('handling=strict');
    },
  );

  /** A verb below a record: most of them take no body, and name the fields of one. */
  const expectActHeeded = async (path: string, id: string) => {
    const target = `${path.replace(':id', id)}?email=Xyzzy`;
    const body = { ...(path.endsWith('/replay') && { after: '0' }), nope: 1 };
    const refused = await firm.owner.post(target, body, strict);
    expectRefusal(refused, 400, 'invalid_request', '"nope" is not a field of this request');
    expect(refused.body.error.message).toContain('"email" is not a parameter of this request');
    const answer = await firm.owner.post(target, body);
    expect(answer.status).toBe(200);
    expect(ignored(answer)).toEqual({ fields: '"nope"', parameters: '"email"' });
  };

  test.each(routes.filter(({ method }) => method === 'DELETE'))(
    '$method $path names the fields of a body, and takes any other',
    async ({ path }) => {
      const name = path.split('/')[2] ?? '';
      const sample = (samples[name] ?? endpoint) as Sample;
      const remove = async (body: string, type: string, headers = {}) => {
        const made = await firm.owner.post(`/v1/${name}`, await sample.create(firm));
        const authorization = `Bearer ${firm.owner.key}`;
        const target = server.url + path.replace(':id', made.body.data.id);
        return send(target, {
          method: 'DELETE',
          headers: { authorization, 'content-type': type, ...headers },
          body,
        });
      };
      const refused = await remove('{"reason":"Xyzzy"}', 'application/json', strict);
      expectRefusal(refused, 400, 'invalid_request', '"reason" is not a field of this request');
      const named = await remove('{"reason":"Xyzzy"}', 'application/json');
      expect([named.status, ignored(named).fields]).toEqual([200, '"reason"']);
      for (const [body, type] of [
        ...[['{}', 'application/json'] as const, ['{"a', 'application/json'] as const],
        ...[['[1]', 'application/json'] as const, ['reason=1', 'text/plain'] as const],
      ]) {
        const answer = await remove(body, type, strict);
        expect([body, answer.status, ignored(answer).fields]).toEqual([body, 200, null]);
      }
    },
  );

  test('a delete names the fields of a body whose length is not said, up to 1 MiB', async () => {
    const remove = async (body: string, headers: Lines = []) => {
      const { id } = (await firm.owner.post('/v1/leads', { lastName: 'Roe' })).body.data;
      const lines: Lines = [
        ['Authorization', `Bearer ${firm.owner.key}`],
        ['Content-Type', 'application/json'],
        ['Transfer-Encoding', 'chunked'],
        ...headers,
      ];
      return sendRaw(server.url, `DELETE /v1/leads/${id}`, lines, inChunks(body));
    };
    const body = '{"reason":"Xyzzy"}';
    const named = await remove(body);
    expect([named.status, ignored(named).fields]).toEqual([200, '"reason"']);
    const refused = await remove(body, [['Prefer', strict.prefer]]);
    expectRefusal(refused, 400, 'invalid_request', '"reason" is not a field of this request');
    const long = await remove(`{"reason":"${'x'.repeat(1024 * 1024)}"}`);
    expect([long.status, ignored(long).fields]).toEqual([200, null]);
  });

  test('who may not call learns nothing of it', async () => {
    const answer = await caller(server.url, 'wrong').get('/v1/leads?nope=1', strict);
    expectRefusal(answer, 401, 'unauthorized');
    expect(ignored(answer)).toEqual({ fields: null, parameters: null });
  });
});

describe('Ignored-Fields', () => {
  const post = (body: unknown, headers = {}) => firm.owner.post('/v1/leads', body, headers);

  test('names fields at any depth by their path, and nothing of custom fields', async () => {
    const matter = {
      ...(await samples.matters?.create(firm)),
      team: [{ memberId: Object.values(firm.members)[0], rol: 'X' }],
      clients: [],
    };
    const answer = await firm.owner.post('/v1/matters', matter);
    expect(ignored(answer).fields).toBe('"team[0].rol", "clients"');
    const contact = { lastName: 'Q', emails: ['a@b.example', { address: 'c', kind: 1 }] };
    expect(ignored(await firm.owner.post('/v1/contacts', contact)).fields).toBe('"emails[1].kind"');
    const lead = await post({ lastName: 'Q', customFields: { Note: 'x' } });
    expect(ignored(lead).fields).toBe(null);
    const area = { name: 'Sea', stages: [{ name: 'One', position: 1 }] };
    expect(ignored(await firm.owner.post('/v1/practice-areas', area)).fields).toBe(
      '"stages[0].position"',
    );
  });

  test('comes with a refusal too: the field that is missing was misspelled', async () => {
    const answer = await post({ fristName: 'Zoe' });
    expectRefusal(answer, 400, 'invalid_request', 'firstName');
    expect(ignored(answer).fields).toBe('"fristName"');
    const shape = await post({ lastName: 5, lastname: 'Quill' });
    expectRefusal(shape, 400, 'invalid_request', 'lastName must be');
    expect(ignored(shape).fields).toBe('"lastname"');
  });

  test('names a key that was sent twice once, also deep inside; the last value counts', async () => {
    const twice = `{"lastName":"One","value":"LOW","lastName":"Two","value":"HIGH","value":"LOWEST",
      "customFields":{"Note":"a","Note":"b\\"{,:"},"x":{"y":1},"x":2}`;
    const answer = await post(twice);
    expect(answer.status).toBe(201);
    expect(answer.body.data).toMatchObject({
      value: 'LOWEST',
      contact: { name: 'Two' },
      customFields: { Note: 'b"{,:' },
    });
    expect(ignored(answer).fields).toBe('"x", "lastName", "value", "customFields.Note"');
    const list = `{"lastName":"A","emails":["a",{"address":"b","label":"c","address":"d"}]}`;
    const contact = await firm.owner.post('/v1/contacts', list);
    expect(ignored(contact).fields).toBe('"emails[1].address"');
    expect(contact.body.data.emails[1].address).toBe('d');
    const refused = await post('{"lastName":"A","lastName":"B"}', strict);
    expectRefusal(refused, 400, 'invalid_request', '"lastName" is sent twice.');
    expect(ignored(await post('{"lastName":"a:b","nickname":"{\\"x\\":1}"}')).fields).toBe(null);
  });

  test('has at most 20 names of at most 100 characters, whatever is sent', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`no${at}`, at]));
    const names = namesIn(ignored(await post({ lastName: 'Q', ...many })).fields);
    expect(names).toEqual(Array.from({ length: 20 }, (_, at) => `no${at}`));
    const long = 'x'.repeat(100_000);
    expect(ignored(await post({ lastName: 'Q', [long]: 1 })).fields).toBe(`"${'x'.repeat(100)}"`);
    const wide = ignored(await post({ lastName: 'Q', ['🗻'.repeat(1_000)]: 1 })).fields;
    expect(namesIn(wide)).toEqual(['🗻'.repeat(8)]);
    const quotes = ignored(await post({ lastName: 'Q', ['"'.repeat(1_000)]: 1 })).fields;
    expect(quotes).toBe(`"${'\\"'.repeat(50)}"`);
    const refused = await post({ lastName: 'Q', ...many, [long]: 1 }, strict);
    expectRefusal(refused, 400, 'invalid_request');
    expect(refused.body.error.message.length).toBeLessThan(4_000);
  });

  test('repeats every naughty string harmlessly, of bodies and of queries', async () => {
    const usable = naughtyStrings.filter((text) => text.isWellFormed() && !text.includes('\0'));
    expect(usable.length).toBeGreaterThan(500);
    for (let at = 0; at < usable.length; at += 10) {
      const some = [...usable.slice(at, at + 10), 'a\r\nx-evil: 1', '__proto__'];
      const body = `{${some.map((name) => `${JSON.stringify(name)}:1`)}}`;
      const query = some.map((name) => `${encodeURIComponent(name)}=1`).join('&');
      const { id } = (await post({ lastName: 'Q' })).body.data;
      const answer = await firm.owner.patch(`/v1/leads/${id}?${query}`, body);
      expect(answer.status).toBe(200);
      expect(answer.headers.has('x-evil')).toBe(false);
      const own = new Set(['value', 'isPrivate']);
      const sent = [...new Set(some)].filter((name) => !own.has(name));
      for (const header of Object.values(ignored(answer))) {
        expect(header).toMatch(/^[ -~]*$/);
        const names = namesIn(header);
        // JSON has keys like numbers first.
        expect(names.toSorted()).toEqual(sent.map(cut).toSorted());
      }
      const refused = await firm.owner.patch(`/v1/leads/${id}?${query}`, body, strict);
      expect(refused.status).toBe(400);
      expect(refused.body.error.message).not.toMatch(/[<>\r\n\u2028\u202e]/);
    }
  });

  /** As much of a name as a header shows. */
  const cut = (name: string) => {
    let [shown, length] = ['', 0];
    for (const character of name) {
      const isPlain = /^[ -~]$/.test(character) && character !== '%';
      length += isPlain
        ? 1 + Number('"\\'.includes(character))
        : encodeURIComponent(character).length;
      if (length > 100) break;
      shown += character;
    }
    return shown;
  };
});

describe('Prefer: handling=strict', () => {
  test('says what a name may have meant', async () => {
    for (const [sent, meant] of [
      ['fristName', 'firstName'],
      ['first_name', 'firstName'],
      ['LASTNAME', 'lastName'],
      ['practice_area_id', 'practiceAreaId'],
      ['lead_stage_column_id', 'leadStageColumnId'],
    ] as const) {
      const answer = await firm.owner.post('/v1/leads', { lastName: 'Q', [sent]: 'x' }, strict);
      expectRefusal(answer, 400, 'invalid_request', `"${sent}" is not a field of this request`);
      expect(answer.body.error.message).toContain(`did you mean "${meant}"?`);
    }
    const far = await firm.owner.post('/v1/leads', { lastName: 'Q', status: 'HIRED' }, strict);
    expect(far.body.error.message).not.toContain('did you mean');
    const query = await firm.owner.get('/v1/leads?Limit=5', strict);
    expect(query.body.error.message).toContain('did you mean "limit"?');
  });

  test('is read as RFC 7240 says, and other preferences mean nothing', async () => {
    const applied = async (prefer: string) =>
      (await firm.owner.get('/v1/leads?limit=1', { prefer })).headers.get('preference-applied');
    for (const prefer of [
      ...['handling=strict', 'Handling=Strict', 'handling = strict', 'handling="strict"'],
      ...['respond-async, handling=strict; foo=1', 'wait=5,handling=strict'],
    ]) {
      expect([prefer, await applied(prefer)]).toEqual([prefer, 'handling=strict']);
    }
    for (const prefer of [
      ...['', 'strict', 'handling', 'handling=lenient', 'handling=lenient, handling=strict'],
      ...['x="a, handling=strict"', 'return=minimal', ',,;=', 'dry-run'],
    ]) {
      expect([prefer, await applied(prefer)]).toEqual([prefer, null]);
    }
  });
});

describe('Prefer: dry-run', () => {
  const dry = { prefer: 'dry-run' };

  const standing = async () => ({
    audit: await auditOf(firm),
    totals: await Promise.all(
      Object.values(samples).map(async (sample) =>
        totalOf(firm.owner.get(await sample.list(firm))),
      ),
    ),
  });

  test.each(Object.entries(samples))(
    'a create and an update of %s answer what they would, and store nothing',
    async (name, sample) => {
      const path = `/v1/${name}`;
      const made = (await firm.owner.post(path, await sample.create(firm))).body.data;
      const before = await standing();
      const tried = await firm.owner.post(path, await sample.create(firm), dry);
      expect(tried.status).toBe(200);
      expect(tried.headers.get('preference-applied')).toBe('dry-run');
      expect(['etag', 'location'].filter((header) => tried.headers.has(header))).toEqual([]);
      const { contact, stages } = tried.body.data;
      expect(tried.body.data).toEqual({
        ...made,
        id: null,
        ...('publicId' in made && { publicId: null }),
        ...(contact && { contact: { ...made.contact, id: null } }),
        ...(stages && { stages }),
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      });
      const changed = await firm.owner.patch(`${path}/${made.id}`, sample.change, dry);
      expect(changed.status).toBe(200);
      expect(changed.body.data).toMatchObject({ id: null, ...sample.change });
      const deleted = await firm.owner.delete(`${path}/${made.id}`, dry);
      expect([deleted.status, deleted.body.data.deleted]).toEqual([200, true]);
      expect(await standing()).toEqual(before);
      expect((await firm.owner.get(`${path}/${made.id}`)).body.data).toEqual(made);
    },
  );

  test('takes no number', async () => {
    const own = await makeFirm(server);
    for (let tries = 0; tries < 5; tries += 1)
      await own.owner.post('/v1/leads', { lastName: 'Q' }, dry);
    const { data } = (await own.owner.post('/v1/leads', { lastName: 'Q' })).body;
    expect(data.publicId).toBe('L-0001');
  });

  test('neither keeps nor uses an Idempotency-Key', async () => {
    const once = { 'idempotency-key': 'one' };
    const own = await makeFirm(server);
    const tried = await own.owner.post('/v1/leads', { lastName: 'Q' }, { ...dry, ...once });
    expect(tried.status).toBe(200);
    const made = await own.owner.post('/v1/leads', { lastName: 'Other' }, once);
    expect([made.status, made.headers.has('idempotent-replayed')]).toEqual([201, false]);
    const again = await own.owner.post('/v1/leads', { lastName: 'Q' }, { ...dry, ...once });
    expect([again.status, again.body.data.contact.name]).toEqual([200, 'Q']);
    expect(await totalOf(own.owner.get('/v1/leads'))).toBe(1);
  });

  test('is refused as the write would be', async () => {
    const own = await makeFirm(server, { numbering: {} });
    const lead = { lastName: 'Q' };
    expectRefusal(await own.owner.post('/v1/leads', lead, dry), 409, 'not_configured');
    expectRefusal(await own.owner.post('/v1/leads', {}, dry), 400, 'invalid_request');
    const nowhere = { ...lead, practiceAreaId: unknownId };
    expectRefusal(await firm.owner.post('/v1/leads', nowhere, dry), 404, 'not_found');
    expectRefusal(await firm.owner.patch(`/v1/leads/${unknownId}`, {}, dry), 404, 'not_found');
    const made = await firm.owner.post('/v1/leads', lead);
    const path = `/v1/leads/${made.body.data.id}`;
    const stale = { ...dry, 'if-match': '"old"' };
    expectRefusal(
      await firm.owner.patch(path, { value: 'LOW' }, stale),
      412,
      'precondition_failed',
    );
    const both = { prefer: 'handling=strict, dry-run' };
    const refused = await firm.owner.post('/v1/leads', { ...lead, nope: 1 }, both);
    expectRefusal(refused, 400, 'invalid_request', '"nope"');
    expect(refused.headers.get('preference-applied')).toBe('handling=strict, dry-run');
  });

  test('counts against the rate', async () => {
    const limited = await startTestServer({
      databaseUrl: server.databaseUrl,
      environment: { RATE_LIMIT: '1/5' },
    });
    const calls = caller(limited.url, firm.owner.key);
    const left = async () =>
      (await calls.post('/v1/leads', { lastName: 'Q' }, dry)).headers.get('x-ratelimit-remaining');
    expect(await left()).toBe('4');
    expect(await left()).toBe('3');
  });
});
