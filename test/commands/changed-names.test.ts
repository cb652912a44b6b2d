import { describe, expect, test } from 'bun:test';
import { ownDatabase, sharedDatabase } from '../support/database.ts';
import { attorney, makeFirm, owner, type Standing, startTestServer } from '../support/firm.ts';
import { expectSentence, run, runJson } from '../support/terminal.ts';

const databaseUrl = await sharedDatabase();
const server = await startTestServer({ databaseUrl });

describe('firm apply, firm rename', () => {
  test('a second firm is made with --another alone; a firm of the name is brought up as before', async () => {
    const own = await ownDatabase();
    const blueprint = (name: string) =>
      JSON.stringify({ name, members: [{ email: owner, name: 'Ada Harrow', role: 'Owner' }] });
    const apply = (name: string, ...words: string[]) =>
      run(own, ['firm', 'apply', '-', ...words], blueprint(name));
    expect((await apply('Harrow')).exitCode).toBe(0);
    expect((await apply('Harrow')).exitCode).toBe(0);
    expectSentence(await apply('Harow'), 'a second firm beside "Harrow"');
    const firms = () => runJson<{ id: string; name: string }[]>(own, ['firm', 'list']);
    expect((await firms()).map(({ name }) => name)).toEqual(['Harrow']);
    expect((await apply('Lane', '--another')).exitCode).toBe(0);
    expect((await apply('Lane')).exitCode).toBe(0);
    expectSentence(await apply('Moss'), 'a second firm');
    const [harrow] = await firms();
    const rename = (name: string) =>
      run(own, ['firm', 'rename', name, '--firm', harrow?.id ?? '', '--json']);
    expectSentence(await rename('Lane'), 'Another firm of this database has this name');
    expectSentence(await rename('  '), 'name must be 1 to 255 characters');
    expect(JSON.parse((await rename(' Harrow & Lane ')).out)).toEqual({
      id: harrow?.id ?? '',
      name: 'Harrow & Lane',
    });
    const standing = await apply('Harrow & Lane', '--json');
    expect((JSON.parse(standing.out) as Standing).firm.id).toBe(harrow?.id ?? '');
    expect((await firms()).map(({ name }) => name)).toEqual(['Harrow & Lane', 'Lane']);
  });
});

describe('member email', () => {
  test('changes the address of a member, who stays the same one, keys included', async () => {
    const firm = await makeFirm(server);
    const ben = await firm.callerOf(attorney);
    type Member = { id: string; email: string };
    const changed = await firm.command<Member>([
      'member',
      'email',
      attorney,
      ' Ben.Lane@X.example',
    ]);
    expect(changed).toMatchObject({ id: firm.members[attorney], email: 'ben.lane@x.example' });
    expect((await ben.get('/v1/leads')).status).toBe(200);
    const words = ['member', 'email', '--firm', firm.id];
    expectSentence(
      await run(databaseUrl, [...words, attorney, 'x@x.example']),
      'No member of the firm has this email address. `matterhorn member list`',
    );
    expectSentence(
      await run(databaseUrl, [...words, 'ben.lane@x.example', owner.toUpperCase()]),
      'this email address already',
    );
    expectSentence(
      await run(databaseUrl, [...words, 'ben.lane@x.example', 'ben']),
      'must be an email address',
    );
  });
});

describe('key rotate, key revoke', () => {
  test('take a name where it is unique, and name the ids where it is not', async () => {
    const firm = await makeFirm(server);
    type Key = { id: string; name: string };
    const make = (name: string) =>
      firm.command<Key>([
        ...['key', 'create', '--member', owner, '--scope', 'leads:read', '--name', name],
      ]);
    const form = await make('Web form');
    const rotated = await firm.command<Key & { replaces: { id: string } }>([
      ...['key', 'rotate', 'Web form'],
    ]);
    expect(rotated.replaces.id).toBe(form.id);
    // The old one is good for a while yet; the new one is meant.
    const again = await firm.command<Key & { replaces: { id: string } }>([
      ...['key', 'rotate', 'Web form', '--grace', '0'],
    ]);
    expect(again.replaces.id).toBe(rotated.id);
    const revoke = (key: string) =>
      run(databaseUrl, ['key', 'revoke', key, '--firm', firm.id, '--json']);
    expectSentence(
      await revoke('Web form'),
      `Several keys have this name: ${form.id}, ${again.id}.`,
    );
    expectSentence(await revoke('web form'), 'No key of the firm has this id or name.');
    expect((await revoke(form.id)).exitCode).toBe(0);
    expect(JSON.parse((await revoke('Web form')).out).id).toBe(again.id);
    expectSentence(await revoke('Web form'), 'No key of the firm has this id or name.');
  });
});
