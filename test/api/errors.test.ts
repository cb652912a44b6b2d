import { beforeAll, describe, expect, test } from 'bun:test';
import { resources } from '../../src/contents.ts';
import { act, actions, makeOne } from '../support/actions.ts';
import { connect, ownDatabase } from '../support/database.ts';
import { auditOf, expectRefusal, totalOf, unknownId } from '../support/expectations.ts';
import {
  type Answer,
  bookkeeper,
  caller,
  type Firm,
  makeFirm,
  send,
  startTestServer,
} from '../support/firm.ts';
import { sendRaw } from '../support/raw.ts';

const server = await startTestServer();
const customFields = [{ on: 'lead', name: 'Note', type: 'TEXT' }];

let firm: Firm;
beforeAll(async () => {
  firm = await makeFirm(server, { customFields });
});

const lead = (body: object, of: Firm = firm) => of.owner.post('/v1/leads', body);

const matter = (body: object, of: Firm = firm) =>
  of.owner.post('/v1/matters', {
    practiceAreaId: of.practiceAreas.Family?.id,
    openDate: '2026-02-03',
    ...body,
  });

describe('An error is { error: { code, message } } replacing data', () => {
  const long = (length: number) => 'x'.repeat(length);
  type Row = {
    condition: string;
    status: number;
    code: string;
    names?: string;
    call(): Promise<Answer>;
  };
  const rows: Row[] = [
    {
      condition: 'a field has the wrong type',
      status: 400,
      code: 'invalid_request',
      names: 'firstName',
      call: () => lead({ firstName: 5 }),
    },
    {
      condition: 'a field is too long',
      status: 400,
      code: 'invalid_request',
      names: 'prefix',
      call: () => lead({ lastName: 'Quill', prefix: long(33) }),
    },
    {
      condition: 'a PERSON has neither firstName nor lastName',
      status: 400,
      code: 'invalid_request',
      names: 'firstName',
      call: () => lead({ middleName: 'May', companyName: 'Quill Ltd' }),
    },
    {
      condition: 'a COMPANY has no companyName',
      status: 400,
      code: 'invalid_request',
      names: 'companyName',
      call: () => lead({ type: 'COMPANY', lastName: 'Quill' }),
    },
    {
      condition: 'the firm has no lead stage and no leadStageColumnId was sent',
      status: 400,
      code: 'invalid_request',
      names: 'leadStageColumnId',
      call: async () => lead({ lastName: 'Quill' }, await makeFirm(server, { leadStages: [] })),
    },
    {
      condition: 'something in customFields could not be written',
      status: 400,
      code: 'invalid_custom_field',
      names: 'Note',
      call: () => lead({ lastName: 'Quill', customFields: { Note: 5 } }),
    },
    {
      condition: 'a matter’s date is not YYYY-MM-DD',
      status: 400,
      code: 'invalid_request',
      names: 'openDate',
      call: () => matter({ openDate: '2026-02-30' }),
    },
    {
      condition: 'the practice area has no stage and no practiceAreaStageColumnId was sent',
      status: 400,
      code: 'invalid_request',
      names: 'practiceAreaStageColumnId',
      call: async () => {
        const { body } = await firm.owner.post('/v1/practice-areas', { name: 'Tax' });
        return matter({ practiceAreaId: body.data.id });
      },
    },
    ...['practiceAreaId', 'practiceAreaStageColumnId'].map((field) => ({
      condition: `an update would leave the matter without its ${field}`,
      status: 400,
      code: 'invalid_request',
      names: field,
      call: async () => {
        const { body } = await matter({});
        return firm.owner.patch(`/v1/matters/${body.data.id}`, { [field]: null });
      },
    })),
    {
      condition: 'the key is missing',
      status: 401,
      code: 'unauthorized',
      call: () => caller(server.url, '').get('/v1/leads'),
    },
    {
      condition: 'the key lacks the scope',
      status: 403,
      code: 'forbidden',
      names: 'leads:write',
      call: async () =>
        (await firm.callerOf('ada@harrow.example', ['leads:read'])).post('/v1/leads', {}),
    },
    {
      condition: 'the creating member lacks the matching permission',
      status: 403,
      code: 'forbidden',
      names: 'leads:read',
      call: async () => (await firm.callerOf(bookkeeper)).get('/v1/leads'),
    },
    {
      condition: 'no record of the firm has that id',
      status: 404,
      code: 'not_found',
      call: () => firm.owner.get(`/v1/leads/${unknownId}`),
    },
    {
      condition: 'an id in the body is of no record of the firm',
      status: 404,
      code: 'not_found',
      names: 'practiceAreaId',
      call: () => lead({ lastName: 'Quill', practiceAreaId: unknownId }),
    },
    {
      condition: 'lead create: no lead numbering settings',
      status: 409,
      code: 'not_configured',
      names: 'numbering',
      call: async () => lead({ lastName: 'Quill' }, await makeFirm(server, { numbering: {} })),
    },
    {
      condition: 'matter create: no matter numbering settings',
      status: 409,
      code: 'not_configured',
      names: 'numbering',
      call: async () => matter({}, await makeFirm(server, { numbering: { lead: 'L-{#}' } })),
    },
    {
      condition: 'lead update: the lead has lost its contact',
      status: 409,
      code: 'conflict',
      names: 'contact',
      call: async () => {
        const { body } = await lead({ lastName: 'Quill' });
        await firm.owner.delete(`/v1/contacts/${body.data.contact.id}`);
        return firm.owner.patch(`/v1/leads/${body.data.id}`, { value: 'HIGH' });
      },
    },
    {
      condition: 'the method is not one of the path’s',
      status: 405,
      code: 'method_not_allowed',
      call: () => send(`${server.url}/v1/leads`, { method: 'PUT' }),
    },
    {
      condition: 'the body is over 1 MiB',
      status: 413,
      code: 'payload_too_large',
      names: '1 MiB',
      call: () => lead({ lastName: 'Quill', x: long(1024 * 1024) }),
    },
    {
      condition: 'too many requests',
      status: 429,
      code: 'rate_limited',
      call: async () => {
        const slow = await startTestServer({ environment: { RATE_LIMIT: '1/1' } });
        const { owner } = await makeFirm(slow);
        await owner.get('/v1/leads');
        return owner.get('/v1/leads');
      },
    },
  ];

  test.each(rows)('$status $code: $condition', async ({ status, code, names, call }) => {
    const answer = await call();
    expectRefusal(answer, status, code, names);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-request-id')).toMatch(/^[\w.:-]{1,64}$/);
    expect(answer.headers.has('www-authenticate')).toBe(status === 401);
    expect(answer.headers.has('retry-after')).toBe(status === 429);
    expect(answer.headers.has('allow')).toBe(status === 405);
    expect(answer.headers.has('location')).toBe(false);
    expect(answer.body.error.message).toMatch(/^[A-Za-z].*\.$/);
    expect(answer.body.error.message.length).toBeLessThan(400);
  });
});

describe('A failure of ours', () => {
  test('is 500 internal_error in a fixed text that names the request: details are only in the log', async () => {
    const databaseUrl = await ownDatabase();
    const own = await startTestServer({ databaseUrl });
    const { owner } = await makeFirm(own);
    const sql = connect(databaseUrl);
    await sql`alter table lead_stage rename to lead_stage_elsewhere`;
    await sql.end();
    const answers = [
      await owner.get('/v1/lead-stages', { 'x-request-id': 'mine' }),
      await owner.post('/v1/leads', { lastName: 'Xyzzy' }, { 'x-request-id': 'mine' }),
    ];
    for (const answer of answers) {
      expect({ status: answer.status, body: answer.body }).toEqual({
        status: 500,
        body: {
          error: {
            code: 'internal_error',
            message:
              'The request could not be completed. The log has more under the request id mine.',
          },
        },
      });
    }
    expect((await owner.get('/v1/contacts')).body.pagination.total).toBe(0);
  });

  test('the database out of reach is 503 unavailable with Retry-After, for every route that asks it', async () => {
    const databaseUrl = await ownDatabase();
    const own = await startTestServer({ databaseUrl });
    const { owner } = await makeFirm(own);
    const name = new URL(databaseUrl).pathname.slice(1);
    const admin = connect(process.env.TEST_DATABASE_URL ?? '');
    await admin`drop database ${admin(name)} with (force)`;
    await admin.end();
    for (const answer of [
      await owner.get('/v1/leads'),
      await owner.post('/v1/leads', { lastName: 'Quill' }),
      await owner.get('/readyz'),
    ]) {
      expectRefusal(answer, 503, 'unavailable');
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    }
    expect((await owner.get('/healthz')).status).toBe(200);
    expect((await owner.get('/v1/openapi.json')).status).toBe(200);
  });
});

describe('Paths and methods', () => {
  test('an unknown route is 404 not_found, with a key and without, by any method', async () => {
    for (const path of [
      ...['/nothing', '/v1/nothing', '/v2/leads', '/V1/leads', '/v1/Leads', '/lead'],
      ...[
        '//v1//leads',
        '/v1//leads',
        '/v1/leads/x/y',
        '/v1/leads/x/y/z',
        '/v1/lead',
        '/v1/leads;x=1',
      ],
      ...[
        '/v1/custom-fields/x',
        '/v1/openapi',
        '/v1/openapi.json/x',
        '/v1/%6ceads/%',
        '/favicon.ico',
      ],
      ...['/.env', '/v1/../../etc/passwd', '/v1/%2e%2e/nothing', '/__proto__', '/v1/constructor'],
    ]) {
      for (const method of ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS']) {
        for (const key of ['', firm.owner.key]) {
          const answer = await sendRaw(server.url, `${method} ${path}`, [
            ['Authorization', `Bearer ${key}`],
            ['Content-Length', '0'],
          ]);
          expect({ method, path, status: answer.status }).toEqual({ method, path, status: 404 });
          expect(answer.body).toEqual({
            error: { code: 'not_found', message: 'There is nothing at this path.' },
          });
        }
      }
    }
  });

  test('a known path with another method is 405 method_not_allowed with Allow, without any key', async () => {
    const paths: [string, string][] = [
      ['/v1/custom-fields', 'GET, HEAD'],
      ['/v1/openapi.json', 'GET, HEAD'],
      ['/healthz', 'GET, HEAD'],
      ['/readyz', 'GET, HEAD'],
      ['/version', 'GET, HEAD'],
      ...resources.flatMap(({ name }): [string, string][] => [
        [`/v1/${name}`, 'GET, HEAD, POST'],
        [`/v1/${name}/${unknownId}`, 'DELETE, GET, HEAD, PATCH'],
        [`/v1/${name}/anything`, 'DELETE, GET, HEAD, PATCH'],
      ]),
    ];
    for (const [path, allow] of paths) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
        if (allow.split(', ').includes(method)) continue;
        const answer = await sendRaw(server.url, `${method} ${path}`, [['Content-Length', '0']]);
        expect({ method, path, status: answer.status }).toEqual({ method, path, status: 405 });
        expect(answer.headers.get('allow')).toBe(allow);
        expectRefusal(answer, 405, 'method_not_allowed', allow);
      }
    }
  });

  test('no header or parameter turns one method into another', async () => {
    const { body } = await lead({ lastName: 'Quill' });
    const path = `/v1/leads/${body.data.id}`;
    for (const header of ['x-http-method-override', 'x-http-method', 'x-method-override']) {
      expect((await firm.owner.get(path, { [header]: 'DELETE' })).status).toBe(200);
      const posted = await firm.owner.post(path, { _method: 'DELETE' }, { [header]: 'DELETE' });
      expect(posted.status).toBe(405);
    }
    expect((await firm.owner.get(`${path}?_method=DELETE`)).status).toBe(200);
    expect((await firm.owner.get(path)).status).toBe(200);
  });

  test('HEAD works where GET does: the same status and headers, no body', async () => {
    const id = await makeOne(firm, 'leads');
    for (const [path, status] of [
      ['/v1/leads?limit=1', 200],
      [`/v1/leads/${id}`, 200],
      [`/v1/leads/${unknownId}`, 404],
      ['/v1/leads?limit=0', 400],
      ['/v1/custom-fields', 200],
      ['/v1/openapi.json', 200],
      ['/healthz', 200],
      ['/v1/nothing', 404],
    ] as const) {
      const headers = { authorization: `Bearer ${firm.owner.key}` };
      const head = await send(server.url + path, { method: 'HEAD', headers });
      const get = await send(server.url + path, { headers });
      expect({ path, status: head.status, body: head.body }).toEqual({
        path,
        status,
        body: undefined,
      });
      expect(get.status).toBe(status);
      const named = (answer: Answer, name: string) => answer.headers.get(name);
      for (const name of ['content-type', 'link', 'cache-control']) {
        expect([path, name, named(head, name)]).toEqual([path, name, named(get, name)]);
      }
    }
    for (const path of ['/v1/leads', `/v1/leads/${id}`]) {
      expect((await send(server.url + path, { method: 'HEAD' })).status).toBe(401);
    }
  });
});

describe('Order of checks', () => {
  const broken = '{"broken';
  const path = `/v1/leads/${unknownId}`;
  const dead = { practiceAreaId: unknownId };

  test('401, 403, 404 of the path, 400 of the shape, 404 of references, 409, 400', async () => {
    const nobody = caller(server.url, '');
    const cy = await firm.callerOf(bookkeeper);
    expectRefusal(await nobody.patch(path, broken), 401, 'unauthorized');
    expectRefusal(await cy.patch(path, broken), 403, 'forbidden');
    expectRefusal(await firm.owner.patch(path, broken), 404, 'not_found', 'No record has this id.');
    expectRefusal(await firm.owner.patch(path, { value: 5 }), 404, 'not_found', 'No record has');
    const live = `/v1/leads/${await makeOne(firm, 'leads')}`;
    expectRefusal(await firm.owner.patch(live, broken), 400, 'invalid_request');
    const both = { ...dead, value: 5, customFields: { Unknown: 1 } };
    expectRefusal(await firm.owner.patch(live, both), 400, 'invalid_request', 'value');
    const reference = { ...dead, customFields: { Unknown: 1 } };
    expectRefusal(await firm.owner.patch(live, reference), 404, 'not_found', 'practiceAreaId');
    const wrong = { customFields: { Unknown: 1 } };
    expectRefusal(await firm.owner.patch(live, wrong), 400, 'invalid_custom_field', 'Unknown');
  });

  test('a lead: shape, references, not_configured, no stage, custom fields', async () => {
    const bare = await makeFirm(server, { numbering: {}, leadStages: [], customFields });
    const wrong = { customFields: { Note: 5 } };
    const create = (body: object) => lead(body, bare);
    expectRefusal(
      await create({ ...dead, ...wrong, lastName: 5 }),
      400,
      'invalid_request',
      'lastName',
    );
    expectRefusal(await create({ ...dead, ...wrong }), 400, 'invalid_request', 'lastName');
    expectRefusal(
      await create({ ...dead, ...wrong, lastName: 'Q' }),
      404,
      'not_found',
      'practiceAreaId',
    );
    const stage = { leadStageColumnId: unknownId, ...wrong, lastName: 'Q' };
    expectRefusal(await create(stage), 404, 'not_found', 'leadStageColumnId');
    expectRefusal(await create({ ...wrong, lastName: 'Q' }), 409, 'not_configured');
    const noStage = await makeFirm(server, { leadStages: [], customFields });
    expectRefusal(
      await lead({ ...wrong, lastName: 'Q' }, noStage),
      400,
      'invalid_request',
      'stage',
    );
    expectRefusal(await lead({ ...wrong, lastName: 'Q' }), 400, 'invalid_custom_field', 'Note');
    for (const one of [bare, noStage]) {
      expect(await totalOf(one.owner.get('/v1/leads'))).toBe(0);
      expect(await totalOf(one.owner.get('/v1/contacts'))).toBe(0);
    }
  });

  test('a lead that has lost its contact: references go before 409, 409 before custom fields', async () => {
    const { body } = await lead({ lastName: 'Quill' });
    const live = `/v1/leads/${body.data.id}`;
    await firm.owner.delete(`/v1/contacts/${body.data.contact.id}`);
    const before = await firm.owner.get(live);
    expect(before.body.data.contact).toBeNull();
    const wrong = { customFields: { Note: 5 } };
    expectRefusal(await firm.owner.patch(live, { ...dead, ...wrong }), 404, 'not_found');
    expectRefusal(await firm.owner.patch(live, wrong), 409, 'conflict');
    expectRefusal(await firm.owner.patch(live, { value: 'HIGH' }), 409, 'conflict');
    expectRefusal(await firm.owner.patch(live, { value: 5 }), 400, 'invalid_request');
    expect((await firm.owner.get(live)).body).toEqual(before.body);
  });

  test('an unknown query parameter is ignored, a wrong one is looked at only after the key', async () => {
    expect((await firm.owner.get('/v1/leads?status=HIRED&sort=x&q=1')).status).toBe(200);
    expectRefusal(await caller(server.url, '').get('/v1/leads?limit=x'), 401, 'unauthorized');
    expectRefusal(await firm.owner.get('/v1/leads?limit=x'), 400, 'invalid_request', 'limit');
  });
});

describe('X-Request-Id', () => {
  const requestIdOf = async (given?: string) => {
    const headers = given === undefined ? {} : { 'x-request-id': given };
    return (await firm.owner.get('/v1/leads', headers)).headers.get('x-request-id') ?? '';
  };

  test('a sane one from the client is kept, in the answer and in the audit log', async () => {
    for (const sane of ['a', '42', 'req_1.2:3-4', 'x'.repeat(64), Bun.randomUUIDv7()]) {
      expect(await requestIdOf(sane)).toBe(sane);
    }
    const headers = { 'x-request-id': 'intake-form.7' };
    const { body } = await firm.owner.post('/v1/leads', { lastName: 'Quill' }, headers);
    const entries = await auditOf(firm, body.data.id);
    expect(entries.map(({ requestId }) => requestId)).toEqual(['intake-form.7']);
  });

  test('another is replaced by a new one, on every answer', async () => {
    const made = [await requestIdOf(), await requestIdOf()];
    for (const odd of ['', 'x'.repeat(65), 'a b', 'a;b', '<script>', 'é', '"', 'a/b', 'a,b']) {
      const given = await requestIdOf(odd);
      expect(given).not.toBe(odd);
      made.push(given);
    }
    for (const id of made) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(made).size).toBe(made.length);
    for (const path of ['/nothing', '/healthz', '/v1/openapi.json']) {
      const answer = await send(server.url + path, { headers: { 'x-request-id': 'mine' } });
      expect(answer.headers.get('x-request-id')).toBe('mine');
    }
    const refused = await caller(server.url, '').get('/v1/leads', { 'x-request-id': 'mine' });
    expect(refused.headers.get('x-request-id')).toBe('mine');
  });
});

describe('A message never shows a stack, SQL or what was sent', () => {
  const secret = "Xyzzy'; drop table lead; --";
  const silent = (answer: Answer) => {
    const { message } = answer.body.error;
    expect(answer.status).toBeWithin(400, 500);
    expect(message).not.toMatch(
      /Xyzzy|drop table|select |insert |\brelation\b|\bcolumn\b|\bat \/|node_modules|\.ts:/i,
    );
    expect(message).not.toContain('<script>');
  };

  test('in any field, key, path or parameter', async () => {
    const id = await makeOne(firm, 'leads');
    const texts = [secret, '<script>Xyzzy</script>', 'Xyzzy%s%n$1{{x}}'];
    for (const text of texts) {
      const bodies: object[] = [
        { lastName: { [text]: text } },
        { lastName: 'Q', type: text },
        { lastName: 'Q', value: text },
        { lastName: 'Q', isPrivate: text },
        { lastName: 'Q', prefix: text.repeat(10) },
        { lastName: 'Q', practiceAreaId: text },
        { lastName: 'Q', leadStageColumnId: text },
        { lastName: 'Q', customFields: { Note: [text] } },
        { lastName: 'Q', customFields: text },
        { [text]: text },
      ];
      for (const body of bodies) silent(await lead(body));
      for (const body of [...bodies.slice(2, 4), ...bodies.slice(5, 9)])
        silent(await firm.owner.patch(`/v1/leads/${id}`, body));
      const encoded = encodeURIComponent(text);
      for (const path of [
        ...[`/v1/leads/${encoded}`, `/v1/${encoded}`, `/v1/leads?limit=${encoded}`],
        ...[`/v1/leads?offset=${encoded}`, `/v1/contacts/${encoded}`, `/${encoded}`],
      ]) {
        silent(await firm.owner.get(path));
      }
      silent(await lead({ lastName: 'Q' }, { ...firm, owner: caller(server.url, text) }));
      const key = { 'idempotency-key': `Xyzzy${'x'.repeat(255)}` };
      silent(await firm.owner.post('/v1/leads', { lastName: 'Q' }, key));
    }
  });

  test('an unknown custom field is named shortened and harmless, its value never', async () => {
    const answer = await lead({ lastName: 'Q', customFields: { ['k'.repeat(10_000)]: 'Xyzzy' } });
    expectRefusal(answer, 400, 'invalid_custom_field');
    expect(answer.body.error.message).not.toContain('Xyzzy');
    expect(answer.body.error.message.length).toBeLessThan(500);
  });
});

test('no refusal of any action on any resource leaves a record or an audit entry', async () => {
  const own = await makeFirm(server);
  const cy = await own.callerOf(bookkeeper, ['custom-fields:read']);
  const before = (await auditOf(own)).length;
  for (const { name } of resources) {
    for (const action of actions) {
      expect((await act(cy, action, name, own, unknownId)).status).toBe(403);
      const missing = await act(own.owner, action, name, own, unknownId);
      if (!['list', 'create'].includes(action.action)) expectRefusal(missing, 404, 'not_found');
      else expect(missing.status).toBe(action.status);
    }
  }
  const entries = (await auditOf(own)).slice(before);
  expect(new Set(entries.map(({ action }) => action))).toEqual(new Set(['create']));
});

test('a number that JSON can write and nobody can store is refused by its whole path', async () => {
  for (const [body, path] of [
    ['{"team":[{"memberId":"x","allocation":1e400}]}', 'team[0].allocation'],
    ['{"team":[{},{"allocation":-1e999}]}', 'team[1].allocation'],
    ['{"customFields":{"a b":1e400}}', 'customFields'],
  ] as const) {
    const answer = await firm.owner.post('/v1/matters', body);
    expectRefusal(answer, 400, 'invalid_request', `${path} is too large a number`);
  }
});

test('a reference that is not there is refused with the list in which its ids are', async () => {
  const firm = await makeFirm(server);
  const practiceAreaId = firm.practiceAreas.Family?.id;
  const wrong = { title: 'Roe', openDate: '2026-03-02', practiceAreaId };
  for (const [path, body, list] of [
    ['/v1/leads', { lastName: 'Roe', practiceAreaId: 'Family' }, 'GET /v1/practice-areas'],
    ['/v1/leads', { lastName: 'Roe', leadStageColumnId: 'New' }, 'GET /v1/lead-stages'],
    ['/v1/matters', { ...wrong, practiceAreaId: 'Family' }, 'GET /v1/practice-areas'],
    ['/v1/matters', { ...wrong, clientContactIds: ['Roe'] }, 'GET /v1/contacts'],
    ['/v1/matters', { ...wrong, team: [{ memberId: 'Ada' }] }, 'GET /v1/members'],
    ['/v1/matters', { ...wrong, practiceAreaStageColumnId: 'Open' }, 'GET /v1/practice-areas/{id}'],
    ['/v1/matter-types', { name: 'Roe', practiceAreaId: 'Family' }, 'GET /v1/practice-areas'],
  ] as const) {
    const answer = await firm.owner.post(path, body);
    expectRefusal(answer, 404, 'not_found', ` Ids are listed by \`${list}\`.`);
  }
});
