/** The API's description in the hands of the tools that people give it to. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Document, type RulesetDefinition, Spectral } from '@stoplight/spectral-core';
import owasp from '@stoplight/spectral-owasp-ruleset';
import { Json } from '@stoplight/spectral-parsers';
import { oas } from '@stoplight/spectral-rulesets';
import ruleset from '../../../.spectral.yaml' with { type: 'yaml' };
import { makeFirm, send, startTestServer } from '../../support/firm.ts';
import { runTool } from '../../support/tool.ts';

const server = await startTestServer();
// Its name starts with a dot, so that the compiler passes it over when it checks the repository.
const folder = await mkdtemp(join(import.meta.dir, '.client-'));
afterAll(() => rm(folder, { recursive: true }));

const { body: document } = await send(`${server.url}/v1/openapi.json`, {});

describe('GET /v1/openapi.json', () => {
  test('is in order by every rule of Redocly, at its strictest', async () => {
    const path = join(folder, 'openapi.json');
    await Bun.write(path, JSON.stringify(document));
    const { exitCode, out, err } = await runTool(
      ['bunx', 'redocly', 'lint', path, '--extends=recommended-strict', '--format=json'],
      {
        REDOCLY_TELEMETRY: 'off',
        REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      },
    );
    expect({ exitCode, err: exitCode === 0 ? '' : err }).toEqual({ exitCode: 0, err: '' });
    const { totals, problems } = JSON.parse(out) as {
      totals: { errors: number; warnings: number };
      problems: { ruleId: string }[];
    };
    expect({ ...totals, problems }).toMatchObject({ errors: 0, warnings: 0, problems: [] });
  });

  test('is in order by every rule of Spectral and OWASP, but for those that are refused with a reason', async () => {
    const { rules } = ruleset as unknown as { rules: Record<string, string | boolean> };
    const found = async (refused: object) => {
      const spectral = new Spectral();
      spectral.setRuleset({ extends: [oas, owasp], rules: refused } as RulesetDefinition);
      const problems = await spectral.run(new Document(JSON.stringify(document), Json));
      return problems.map(({ code, message, path }) => `${code}: ${message} (${path.join('.')})`);
    };
    expect(await found(rules)).toEqual([]);
    // Each refused rule is one that would complain: none is there for nothing.
    const complaints = await found({});
    const idle = Object.keys(rules).filter(
      (name) => !complaints.some((one) => one.startsWith(`${name}: `)),
    );
    expect(idle).toEqual([]);
  });
});

describe('A client generated from it', () => {
  test('compiles, and creates a lead', async () => {
    const firm = await makeFirm(server);
    const program = `
import createClient from 'openapi-fetch';
import type { paths } from './schema.ts';

declare const process: { env: Record<string, string>; stdout: { write(text: string): void } };
const { URL: baseUrl = '', KEY: key = '' } = process.env;
const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } });
const made = await client.POST('/v1/leads', { body: { firstName: 'Zoe', lastName: 'Quill', value: 'HIGH' } });
if (!made.data) throw new Error(made.error.error.message);
const lead = made.data.data;
const status: 'ACTIVE' | 'DRAFT' | 'HIRED' | 'NOT_HIRED' | 'ARCHIVE' = lead.status;
const read = await client.GET('/v1/leads/{id}', { params: { path: { id: lead.id } } });
const page = await client.GET('/v1/leads', { params: { query: { limit: 5 } } });
const refused = await client.GET('/v1/leads/{id}', { params: { path: { id: 'none' } } });
const code: string | undefined = refused.error?.error.code;
// @ts-expect-error a value that is none
const wrong: paths['/v1/leads']['post']['requestBody']['content']['application/json'] = { value: 'HUGE' };
process.stdout.write(JSON.stringify({
  id: lead.id, status, contact: read.data?.data.contact?.name, customFields: read.data?.data.customFields,
  total: page.data?.pagination.total, number: page.data?.data[0]?.publicId, code, wrong,
}));
`;
    await Bun.write(join(folder, 'document.json'), JSON.stringify(document));
    await Bun.write(join(folder, 'program.ts'), program);
    const settings = {
      extends: '../../../../tsconfig.json',
      compilerOptions: { types: [], lib: ['ESNext', 'DOM', 'DOM.Iterable'] },
      include: ['./*.ts'],
    };
    await Bun.write(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    const at = (name: string) => join(folder, name);
    const generated = await runTool([
      ...['bunx', 'openapi-typescript', at('document.json'), '-o', at('schema.ts')],
    ]);
    expect(generated).toMatchObject({ exitCode: 0 });
    const checked = await runTool(['bunx', 'tsc', '--noEmit', '-p', folder]);
    expect(checked).toEqual({ exitCode: 0, out: '', err: '' });
    const ran = await runTool(['bun', at('program.ts')], { URL: server.url, KEY: firm.owner.key });
    expect({ exitCode: ran.exitCode, err: ran.err }).toEqual({ exitCode: 0, err: '' });
    expect(JSON.parse(ran.out)).toEqual({
      id: expect.any(String),
      status: 'ACTIVE',
      contact: 'Zoe Quill',
      customFields: {},
      total: 1,
      number: 'L-0001',
      code: 'not_found',
      wrong: { value: 'HUGE' },
    });
    expect((await firm.owner.get('/v1/leads')).body.pagination.total).toBe(1);
  });
});
