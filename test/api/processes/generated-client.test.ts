import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startTestServer } from '../../support/firm.ts';
import { compilerMilliseconds, runGenerated } from '../../support/generated-client.ts';
import { runTool } from '../../support/tool.ts';

const server = await startTestServer();
const folder = await mkdtemp(join(import.meta.dir, '.client-'));
afterAll(() => rm(folder, { recursive: true }));

const program = `
import * as api from './client/index.ts';
import { client } from './client/client.gen.ts';

declare const process: { env: Record<string, string>; stdout: { write(text: string): void } };
const { URL: baseUrl = '', KEY: key = '', MEMBER: memberId = '' } = process.env;
client.setConfig({ baseUrl, auth: () => key, throwOnError: true });
const throwOnError = true as const;

const area = (await api.createPracticeArea({ throwOnError, body: { name: 'Tax', stages: [{ name: 'Open' }] } })).data.data;
const type = (await api.createMatterType({ throwOnError, body: { practiceAreaId: area.id, name: 'Audit' } })).data.data;
const contact = (await api.createContact({
  throwOnError,
  body: { lastName: 'Quill', emails: ['zoe@quill.example'] },
})).data.data;
const matter = (await api.createMatter({
  throwOnError,
  headers: { 'idempotency-key': 'once' },
  body: {
    practiceAreaId: area.id, openDate: '2026-03-14', clientContactIds: [contact.id],
    team: [{ memberId, allocation: 60 }],
  },
})).data.data;
const again = await api.createMatter({
  throwOnError,
  headers: { 'idempotency-key': 'once' },
  body: {
    practiceAreaId: area.id, openDate: '2026-03-14', clientContactIds: [contact.id],
    team: [{ memberId, allocation: 60 }],
  },
});
const archived = (await api.updateMatter({
  throwOnError, path: { id: matter.id }, body: { status: 'ARCHIVE', closeDate: '2026-12-24' },
})).data.data;
const types = (await api.listMatterTypes({ throwOnError, query: { practiceAreaId: area.id } })).data.data;
const found = (await api.search({ throwOnError, query: { q: 'quill' } })).data.data;
const gone = (await api.deleteContact({ throwOnError, path: { id: contact.id } })).data.data;
const refused = await api.readContact({ path: { id: contact.id }, throwOnError: false });
const kept = (await api.readMatter({ throwOnError, path: { id: matter.id } })).data.data;
process.stdout.write(JSON.stringify({
  stage: matter.stage?.name, again: again.data.data.id === matter.id,
  replayed: again.response.headers.get('idempotent-replayed'),
  status: archived.status, closeDate: archived.closeDate, types: types.map((one) => one.id === type.id),
  found: found.map((one) => one.type).sort(), deleted: gone.deleted,
  code: refused.error?.error.code, clients: kept.clients.map((one) => one.name), team: kept.team[0]?.allocation,
}));
`;

test(
  'a client that @hey-api/openapi-ts generates compiles, and goes the whole way of a matter',
  async () => {
    const said = await runGenerated(server, folder, program, async (at) => {
      const words = ['bunx', 'openapi-ts', '-i', at('document.json'), '-o', at('client')];
      expect(await runTool(words)).toMatchObject({ exitCode: 0 });
    });
    expect(said).toEqual({
      stage: 'Open',
      again: true,
      replayed: 'true',
      status: 'ARCHIVE',
      closeDate: '2026-12-24',
      types: [true],
      found: ['CONTACT', 'MATTER'],
      deleted: true,
      code: 'not_found',
      clients: ['Quill'],
      team: 60,
    });
  },
  compilerMilliseconds,
);
