import { describe, expect, test } from 'bun:test';
import { Ajv2020 } from 'ajv/dist/2020';
import { api } from '../../src/api/api.ts';
import { readSettings } from '../../src/config.ts';
import { resources } from '../../src/contents.ts';
import { statusOf } from '../../src/http/failure.ts';
import { openDatabase } from '../../src/postgres/pool.ts';
import { version } from '../../src/version.ts';
import { send, startTestServer } from '../support/firm.ts';
import { run } from '../support/terminal.ts';

const server = await startTestServer();

type Schema = Record<string, unknown> & {
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
};
type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: unknown[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content: Record<string, { schema: Schema }>; headers?: object }>;
};
type Document = {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

const answer = await send(`${server.url}/v1/openapi.json`, {});
const document = answer.body as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe('GET /v1/openapi.json returns an OpenAPI 3.1 description and needs no key', () => {
  test('as JSON, of this version, the same that `matterhorn openapi` prints', async () => {
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(document.openapi).toMatch(/^3\.1\.\d$/);
    expect(document.info.version).toBe(version);
    const printed = await run('postgres://nobody@127.0.0.1:9/none', ['openapi']);
    expect(printed.exitCode).toBe(0);
    expect(JSON.parse(printed.out)).toEqual(document);
    expect((await send(`${server.url}/v1/openapi.json`, {})).body).toEqual(document);
  });

  test('describes every route of the API, and no other', async () => {
    const database = openDatabase('postgres://nobody@127.0.0.1:9/none');
    const { routes } = api(database, readSettings({}), async () => undefined);
    await database.close();
    const served = routes
      .filter(
        ({ path }) => /^\/(v1|healthz|readyz|version)\b/.test(path) && path !== '/v1/openapi.json',
      )
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    const described = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    expect(described.sort()).toEqual([...new Set(served)].sort());
    for (const { name } of resources) {
      expect(Object.keys(document.paths[`/v1/${name}`] ?? {}).sort()).toEqual(['get', 'post']);
      expect(Object.keys(document.paths[`/v1/${name}/{id}`] ?? {}).sort()).toEqual([
        ...['delete', 'get', 'patch'],
      ]);
    }
  });

  test('every operation names itself once, its key, its success and every refusal that may come', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const success: Record<string, string> = {
      get: '200',
      post: '201',
      patch: '200',
      delete: '200',
    };
    for (const { path, method, operation } of operations) {
      expect(operation.description).toMatch(/^[A-Z].*\.$/);
      if (!path.startsWith('/v1/')) {
        expect({ path, security: operation.security }).toEqual({ path, security: [] });
        continue;
      }
      expect(operation.summary).toMatch(/^[A-Z]/);
      const verb = method === 'get' ? 'read' : 'write';
      const named = path
        .split('/')[2]
        ?.replace('lead-stages', 'leads')
        .replace('webhook-endpoints', 'webhooks');
      expect(operation.security).toEqual(
        named === 'me'
          ? [{ apiKey: [] }]
          : named === 'search'
            ? ['contacts', 'matters', 'leads'].map((kind) => ({ apiKey: [`${kind}:read`] }))
            : [{ apiKey: [`${named}:${verb}`] }],
      );
      const statuses = Object.keys(operation.responses);
      const done = path.includes('{id}/') && method === 'post' ? '200' : success[method];
      for (const status of [done, '401', '403', '429', '500', '503']) {
        expect([path, method, statuses]).toEqual([path, method, expect.arrayContaining([status])]);
      }
      expect(statuses.includes('404') || !path.includes('{id}')).toBe(true);
      expect(statuses.includes('413')).toBe(operation.requestBody !== undefined);
      expect(operation.responses['429']?.headers).toHaveProperty('Retry-After');
      for (const [status, response] of Object.entries(operation.responses)) {
        expect(Object.keys(response.content ?? {})).toEqual(
          status === '304' ? [] : ['application/json'],
        );
        if (Number(status) < 400) continue;
        expect(response.content['application/json']?.schema).toEqual({
          $ref: '#/components/schemas/Error',
        });
      }
    }
  });

  test('an error is exactly { error: { code, message } }, its codes those the service has', () => {
    const { Error: shape } = document.components.schemas;
    const inner = shape?.properties?.error;
    expect(shape).toMatchObject({ required: ['error'], additionalProperties: false });
    expect(inner).toMatchObject({ required: ['code', 'message'], additionalProperties: false });
    expect([...((inner?.properties?.code?.enum ?? []) as string[])].toSorted()).toEqual(
      Object.keys(statusOf).toSorted(),
    );
  });

  test('whatever an object requires it also describes', () => {
    for (const [name, { required = [], properties = {} }] of Object.entries(
      document.components.schemas,
    )) {
      expect([name, Object.keys(properties)]).toEqual([name, expect.arrayContaining(required)]);
    }
  });
});

describe('The limits of the contract stand in it', () => {
  const field = (schema: string, name: string): Schema | undefined =>
    document.components.schemas[schema]?.properties?.[name];

  test('of lists: limit 1 to 100, default 20; offset from 0, default 0', () => {
    const lists = operations.filter(
      ({ path, method }) =>
        method === 'get' && /^\/v1\/(?!lead-stages|events$|me$)[a-z-]+$/.test(path),
    );
    expect(lists.length).toBeGreaterThan(resources.length);
    for (const { operation } of lists) {
      const of = (name: string) => operation.parameters?.find((one) => one.name === name);
      expect(of('limit')).toMatchObject({ in: 'query', required: false });
      expect(of('limit')?.schema).toEqual({
        type: 'integer',
        minimum: 1,
        maximum: 100,
        default: 20,
      });
      const { maximum, ...offset } = of('offset')?.schema ?? {};
      expect(offset).toEqual({ type: 'integer', minimum: 0, default: 0 });
    }
  });

  const lengths: Record<string, Record<string, number | undefined>> = {
    NewLead: {
      firstName: 128,
      middleName: 128,
      lastName: 128,
      nickname: 128,
      prefix: 32,
      suffix: 32,
      companyName: 255,
      tradeName: 255,
      companyType: 64,
      email: 255,
      phone: 255,
    },
    NewMatter: { title: 255, description: undefined },
    MatterChange: { title: 255, description: undefined },
  };

  test.each(Object.entries(lengths))('of the texts of %s', (schema, fields) => {
    for (const [name, maxLength] of Object.entries(fields)) {
      const described = field(schema, name);
      expect([name, described?.maxLength]).toEqual([name, maxLength]);
      expect([described?.type].flat()).toContain('string');
    }
  });

  test.each(['NewLead', 'NewContact'])(
    '%s takes what has the names it needs, and nothing else',
    (schema) => {
      const ajv = new Ajv2020({ strict: false, validateFormats: false });
      ajv.addSchema({ $id: 'document', components: document.components });
      const accepts = ajv.compile({ $ref: `document#/components/schemas/${schema}` });
      for (const body of [
        { firstName: 'Zoe' },
        { lastName: 'Quill', firstName: ' ' },
        { type: 'PERSON', lastName: 'Quill' },
        { type: 'COMPANY', companyName: 'Quill & Co.' },
      ]) {
        expect([body, accepts(body)]).toEqual([body, true]);
      }
      for (const body of [
        {},
        { firstName: '' },
        { firstName: ' ', lastName: '\t' },
        { companyName: 'Quill & Co.' },
        { type: 'COMPANY', lastName: 'Quill' },
        { type: 'COMPANY', companyName: ' ' },
      ]) {
        expect([body, accepts(body)]).toEqual([body, false]);
      }
    },
  );

  test('of texts that must not be empty or all white space', () => {
    const filled = { minLength: 1, pattern: '\\S' };
    for (const schema of ['NewPracticeArea', 'NewStage', 'NewMatterType', 'PracticeAreaChange']) {
      expect(field(schema, 'name')).toMatchObject(filled);
    }
    expect(field('NewEmail', 'address')).toMatchObject(filled);
    expect(field('NewPhone', 'number')).toMatchObject(filled);
    for (const list of ['emails', 'phones']) {
      const either = field('NewContact', list)?.items?.anyOf as Schema[] | undefined;
      expect(either?.[0]).toMatchObject(filled);
    }
  });

  test('of answers: every text, list and integer has one, but for the long ones', () => {
    const boundless = Object.entries(document.components.schemas)
      .filter(([name]) => !/^New|Change$|^Error$/.test(name))
      .flatMap(([name, { properties = {} }]) =>
        Object.entries(properties)
          .filter(([, one]) => {
            const types = [one.type].flat();
            const isBound = one.enum ?? one.const ?? one.format ?? one.maxLength ?? one.maxItems;
            const isNumber = types.includes('integer') && one.maximum === undefined;
            return isNumber || (/string|array/.test(types.join()) && isBound === undefined);
          })
          .map(([property]) => `${name}.${property}`),
      );
    // A description is limited by the body alone; a firm may have any number of custom fields, and
    // `firm apply` adds any number of stages.
    const isLong = (one: string) => /\.(description|unsupportedCustomFields|stages)$/.test(one);
    expect(boundless.filter((one) => !isLong(one))).toEqual([]);
    expect(field('Matter', 'clients')?.maxItems).toBe(50);
    expect(field('Matter', 'team')?.maxItems).toBe(50);
    expect(field('CustomField', 'options')?.maxItems).toBe(1_000);
  });

  test('of custom fields that name a record: where its id is from', () => {
    const said = [
      ...['NewContact', 'ContactChange', 'NewLead', 'LeadChange', 'NewMatter', 'MatterChange'],
      ...['ContactDetail', 'LeadDetail', 'MatterDetail'],
    ].map((schema) => field(schema, 'customFields')?.description);
    for (const words of [...said, field('CustomField', 'type')?.description]) {
      for (const kind of ['contact', 'matter']) {
        expect(words).toContain(`${kind.toUpperCase()} field`);
        expect(words).toContain(`GET /v1/${kind}s`);
      }
    }
  });

  test.each(['NewLead', 'NewContact'])('%s says which name it needs', (schema) => {
    for (const name of ['firstName', 'lastName']) {
      expect(field(schema, name)?.description).toContain('needs firstName or lastName');
    }
    expect(field(schema, 'companyName')?.description).toBe('A COMPANY needs it.');
  });

  test('of a matter: 50 clients, 50 in the team, an allocation of 0 to 100', () => {
    expect(field('NewMatter', 'clientContactIds')?.maxItems).toBe(50);
    expect(field('NewMatter', 'team')?.maxItems).toBe(50);
    expect(field('NewTeamEntry', 'allocation')).toMatchObject({ minimum: 0, maximum: 100 });
    expect(document.components.schemas.NewMatter?.required?.toSorted()).toEqual([
      ...['openDate', 'practiceAreaId'],
    ]);
    expect(document.components.schemas.NewTeamEntry?.required).toEqual(['memberId']);
  });

  test('of words: lead values and statuses, matter statuses, team roles', () => {
    const values = ['LOWEST', 'LOW', 'MEDIUM', 'HIGH', 'HIGHEST'];
    expect(field('NewLead', 'value')?.enum).toEqual(values);
    expect(field('LeadChange', 'value')?.anyOf).toEqual([
      { type: 'string', enum: values },
      { type: 'null' },
    ]);
    expect(field('NewLead', 'type')?.enum).toEqual(['PERSON', 'COMPANY']);
    const statuses = ['ACTIVE', 'DRAFT', 'HIRED', 'NOT_HIRED', 'ARCHIVE'];
    expect([...((field('Lead', 'status')?.enum ?? []) as string[])].toSorted()).toEqual(
      statuses.toSorted(),
    );
    expect(field('NewMatter', 'status')?.enum).toEqual(['ACTIVE', 'DRAFT']);
    expect(field('MatterChange', 'status')?.enum).toEqual(['ACTIVE', 'DRAFT', 'ARCHIVE']);
    expect(field('NewTeamEntry', 'role')?.enum).toEqual([
      ...['ORIGINATING_ATTORNEY', 'RESPONSIBLE_ATTORNEY', 'RESPONSIBLE_STAFF'],
    ]);
  });

  test('of null: where the contract allows it, and nowhere else', () => {
    const nullable = (schema: string) =>
      Object.entries(document.components.schemas[schema]?.properties ?? {})
        .filter(
          ([, one]) => [one.type].flat().includes('null') || JSON.stringify(one).includes('"null"'),
        )
        .map(([name]) => name)
        .toSorted();
    expect(nullable('NewLead')).toEqual([]);
    expect(nullable('LeadChange')).toEqual(['practiceAreaId', 'value']);
    expect(nullable('NewMatter')).toEqual([]);
    expect(nullable('MatterChange')).toEqual(['closeDate', 'description', 'solDate']);
    // An external id is answered only if it is asked for; null if there is none.
    expect(nullable('Lead')).toEqual([
      ...['contact', 'externalId', 'leadStageColumnId', 'practiceArea', 'value'],
    ]);
    expect(nullable('Matter')).toEqual([
      ...['closeDate', 'description', 'openDate', 'practiceArea', 'solDate', 'stage'],
    ]);
  });

  test('of the custom field properties: on single records, never on list entries', () => {
    for (const [row, full] of [
      ['Lead', 'LeadDetail'],
      ['Matter', 'MatterDetail'],
      ['Contact', 'ContactDetail'],
    ] as const) {
      const names = (schema: string) =>
        Object.keys(document.components.schemas[schema]?.properties ?? {}).toSorted();
      expect(names(full)).toEqual(
        [...names(row), 'customFields', 'unsupportedCustomFields'].toSorted(),
      );
      expect(names(row)).not.toContain('customFields');
    }
  });
});
