import { expect, test } from 'bun:test';
import { scopes } from '../../src/contents.ts';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { expectSentence, run } from '../support/terminal.ts';

const server = await startTestServer();

const ofTheApplication = [
  ...['firm:write', 'members:write', 'keys:write', 'audit:read', 'reports:read'],
  ...['data:import', 'data:export'],
];

test('a role may hold what only the application asks for, and no key has it as a scope', async () => {
  const roles = [{ name: 'Attorney', permissions: ['leads:read', ...ofTheApplication] }];
  const members = [
    { email: owner, name: 'Ada Harrow', role: 'Owner' },
    { email: attorney, name: 'Ben Lane', role: 'Attorney' },
  ];
  const firm = await makeFirm(server, { roles, members });
  const { out } = await run(server.databaseUrl, ['firm', 'show', '--firm', firm.id]);
  for (const permission of ofTheApplication) {
    expect(scopes as readonly string[]).not.toContain(permission);
    expect(out).toContain(permission);
    for (const email of [owner, attorney]) {
      const words = ['key', 'create', '--firm', firm.id, '--member', email, '--scope'];
      expectSentence(await run(server.databaseUrl, [...words, permission]), '--scope takes', 2);
    }
  }
  expect(await firm.command<unknown[]>(['key', 'list'])).toHaveLength(1);
  const ben = await firm.callerOf(attorney);
  expect((await ben.get('/v1/leads')).status).toBe(200);
  expect((await ben.get('/v1/contacts')).status).toBe(403);
});
