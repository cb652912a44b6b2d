/** A client that checks what it sends and gets with zod, as openapi-zod-client generates it of the description. */
import { afterAll, expect, test } from 'bun:test';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startTestServer } from '../../support/firm.ts';
import { compilerMilliseconds, runGenerated } from '../../support/generated-client.ts';
import { runTool } from '../../support/tool.ts';

const server = await startTestServer();
const folder = await mkdtemp(join(import.meta.dir, '.zod-'));
afterAll(() => rm(folder, { recursive: true }));

const program = `
import { createApiClient } from './client.ts';

declare const process: { env: Record<string, string>; stdout: { write(text: string): void } };
const { URL: baseUrl = '', KEY: key = '', MEMBER: memberId = '' } = process.env;
const headers = { authorization: 'Bearer ' + key };
// It checks each body before it is sent, and each answer that comes.
const api = createApiClient(baseUrl, { validate: true, axiosConfig: { headers, adapter: 'fetch' } });

const area = (await api.createPracticeArea({ name: 'Tax', stages: [{ name: 'Open' }] })).data;
const contact = (await api.createContact({ lastName: 'Quill', emails: ['zoe@quill.example'] })).data;
const lead = (await api.createLead({ lastName: 'Rook', value: 'HIGH' })).data;
const matter = (await api.createMatter(
  {
    practiceAreaId: area.id, openDate: '2026-03-14', clientContactIds: [contact.id],
    team: [{ memberId, allocation: 60 }],
  },
  { headers: { 'idempotency-key': 'once' } },
)).data;
const archived = (await api.updateMatter(
  { status: 'ARCHIVE', closeDate: '2026-12-24' },
  { params: { id: matter.id } },
)).data;
const found = (await api.search({ queries: { q: 'quill' } })).data;
const stages = (await api.listLeadStages()).data;
const gone = (await api.deleteContact(undefined, { params: { id: contact.id } })).data;
const refused = await api.readContact({ params: { id: contact.id } }).catch((error) => error.response.status);
const unsent = await api
  .createMatter({ practiceAreaId: area.id, openDate: '2026-03-14', title: 'x'.repeat(256) })
  .catch((error) => error.message.startsWith('Zodios: Invalid Body'));
process.stdout.write(JSON.stringify({
  stage: matter.stage?.name, lead: lead.value, status: archived.status, team: matter.team[0]?.allocation,
  found: found.map((one) => one.type).sort(), stages: stages.length > 0, deleted: gone.deleted, refused, unsent,
}));
`;

test(
  'a client that openapi-zod-client generates compiles, and takes every answer of a matter’s way as the description says it',
  async () => {
    const said = await runGenerated(server, folder, program, async (at) => {
      // Its packages are only for this test.
      await cp(join(import.meta.dir, 'zod-client'), folder, { recursive: true });
      const install = ['bun', 'install', '--frozen-lockfile', '--silent', '--cwd', folder];
      expect(await runTool(install)).toMatchObject({ exitCode: 0 });
      const generator = at('node_modules/.bin/openapi-zod-client');
      const words = ['bun', generator, at('document.json'), '-o', at('client.ts')];
      expect(await runTool(words)).toMatchObject({ exitCode: 0 });
    });
    expect(said).toEqual({
      stage: 'Open',
      lead: 'HIGH',
      status: 'ARCHIVE',
      team: 60,
      found: ['CONTACT', 'MATTER'],
      stages: true,
      deleted: true,
      refused: 404,
      unsent: true,
    });
  },
  compilerMilliseconds,
);
