import { afterAll, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, ownDatabase, sharedDatabase } from '../support/database.ts';
import { makeFirm, owner } from '../support/firm.ts';
import { expectSentence, run, runJson } from '../support/terminal.ts';

const databaseUrl = await sharedDatabase();
const program = join(import.meta.dir, '../../src/main.ts');
const folder = mkdtempSync(join(tmpdir(), 'matterhorn-mistakes-'));
// Root's Postgres runs as another user, who must get in.
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('A mistake is answered in one sentence that names the cause and the way out', () => {
  test('a data directory that holds none is not made by a command that only looks or changes', async () => {
    const all = [
      ...[
        ['firm', 'list'],
        ['firm', 'show'],
        ['member', 'list'],
        ['key', 'list'],
        ['job', 'list'],
      ],
      ...[
        ['audit', 'list'],
        ['audit', 'verify'],
        ['event', 'list'],
        ['task', 'list'],
      ],
      ['inbox', '--member', owner],
      ['key', 'create', '--member', owner, '--scope', 'leads:read'],
      ['member', 'deactivate', owner],
    ];
    const none = join(folder, 'none');
    for (const words of all) {
      expectSentence(await run('', [...words, '--data', none]), `There is no data in ${none}.`);
    }
    expect(existsSync(none)).toBe(false);
    mkdirSync(none);
    expectSentence(await run('', ['firm', 'list', '--data', none]), 'matterhorn serve');
    const file = join(folder, 'file');
    writeFileSync(file, '');
    for (const [data, sentence] of [
      [file, `The path ${file} is a file, not a folder.`],
      [join(file, 'below'), `A part of the path ${join(file, 'below')} is a file, not a folder.`],
    ] as const) {
      expectSentence(await run('', ['firm', 'list', '--data', data]), sentence);
    }
    expect((await run('', ['firm', 'list', '--data', ''])).exitCode).toBe(2);
  });

  test('a directory that cannot be made or used, and one of another Postgres', async () => {
    const apply = (data: string) =>
      run('', ['firm', 'apply', '-', '--data', data], JSON.stringify(small));
    const small = { name: 'X', members: [{ email: owner, name: 'Ada', role: 'Owner' }] };
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    expectSentence(
      await apply(file),
      `The path ${file} is a file, not a folder. Name another one.`,
    );
    expectSentence(
      await apply(join(file, 'below')),
      `A part of the path ${join(file, 'below')} is a file`,
    );
    expectSentence(await apply('/proc/none'), 'The data directory /proc/none cannot be used');
    const newer = join(folder, 'newer');
    mkdirSync(join(newer, 'pgdata'), { recursive: true });
    writeFileSync(join(newer, 'pgdata/PG_VERSION'), '99\n');
    expectSentence(await apply(newer), 'was written by PostgreSQL 99, and this program carries');
    expectSentence(await apply(newer), '`matterhorn backup`');
  });

  test('a database of a newer Matterhorn, and a Postgres that is too old', async () => {
    const newer = await ownDatabase();
    const sql = connect(newer);
    await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('', 9999999999999)`;
    await sql.end();
    expectSentence(await run(newer, ['firm', 'list']), 'made by a newer Matterhorn');
    const old = await ownDatabase();
    const admin = connect(old);
    await admin.unsafe(`
      create schema aged;
      create function aged.current_setting(text) returns text language sql
        return case $1 when 'server_version_num' then '140012' else pg_catalog.current_setting($1) end;
      do $$ begin execute format('alter database %I set search_path = aged, pg_catalog, public',
        current_database()); end $$`);
    await admin.end();
    expectSentence(
      await run(old, ['firm', 'list']),
      'is PostgreSQL 14; Matterhorn needs 15 or newer',
    );
  });

  test('a user that the database does not know, and a socket that is not there', async () => {
    const stranger = new URL(databaseUrl);
    stranger.username = 'no_such_user';
    stranger.password = 'secret';
    const ran = await run(stranger.href, ['firm', 'list']);
    expectSentence(ran, 'refuses this user');
    expect(ran.err).not.toContain('secret');
    expectSentence(await run('postgres://%2Fnone/db', ['firm', 'list']), 'No database answers');
  });

  test('a port that is taken, and a host that is not this machine', async () => {
    const taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
    const serve = (...words: string[]) => run(databaseUrl, ['serve', ...words]);
    expectSentence(await serve('--port', String(taken.port)), `Port ${taken.port} is taken`);
    taken.stop();
    for (const host of ['203.0.113.9', 'no.such']) {
      expectSentence(await serve('--port', '0', '--host', host), '--host must be an address');
    }
  });

  test.each([
    ['line 3, column 1: ', 'name: X\nmembers: [\nroles: []\n'],
    ['line 2, column 1: tabs are not allowed', 'name: X\n\tmembers: []\n'],
    ['line 2, column 1: map keys must be unique', 'name: X\nname: Y\n'],
    ['line 2, column 15: ', '{ "name": "X",\n  "members": [}'],
    ['an alias in it leads nowhere', 'name: *nowhere\n'],
  ])('a blueprint that cannot be read, with the line: %s', async (sentence, text) => {
    const ran = await run(databaseUrl, ['firm', 'apply', '-'], text);
    expectSentence(ran, 'The blueprint is neither valid JSON nor valid YAML: ');
    expectSentence(ran, sentence);
  });

  test('a misspelled part is refused with the one that was meant; what is like none is ignored', async () => {
    const own = await ownDatabase();
    const apply = (text: string) => run(own, ['firm', 'apply', '-'], text);
    const member = '{ email: ada@harrow.example, name: Ada, role: Owner }';
    const firm = `name: X\nmembers: [${member}]`;
    for (const [text, sentence] of [
      [
        `name: X\nmebmers: [${member}]`,
        '"mebmers" is not part of a blueprint; did you mean `members`?',
      ],
      [
        `name: X\nmembers: [${member.replace('email', 'e-mail')}]`,
        '"members[0].e-mail" is not part of a blueprint; did you mean `members[0].email`?',
      ],
      [
        `${firm}\nleadStage: [New]`,
        '"leadStage" is not part of a blueprint; did you mean `leadStages`?',
      ],
      [`${firm}\npractice_areas: []`, 'did you mean `practiceAreas`?'],
      [
        `${firm}\npracticeAreas: [{ name: Tax }, { name: Family, stage: [Intake] }]`,
        '"practiceAreas[1].stage" is not part of a blueprint; did you mean `practiceAreas[1].stages`?',
      ],
      [`${firm}\nnumbering: { laed: L }`, 'did you mean `numbering.lead`?'],
      [`${firm}\n"role\\ns": []`, '"role\\ns" is not part of a blueprint; did you mean `roles`?'],
    ] as const) {
      expectSentence(await apply(text), sentence);
    }
    expect(await runJson<unknown[]>(own, ['firm', 'list'])).toEqual([]);
    const { exitCode, err } = await apply(
      `${firm}\nleadStages: [New]\nLeadStages: []\nweather: fine`,
    );
    expect(exitCode).toBe(0);
    expect(err.trimEnd().split('\n')).toEqual([
      '"LeadStages" is not part of a blueprint; did you mean `leadStages`? It was ignored.',
      '"weather" is not part of a blueprint. It was ignored.',
    ]);
  });

  test('a member without an address that can be one, and a name that cannot be stored', async () => {
    const apply = (email: string, name: string) =>
      run(
        databaseUrl,
        ['firm', 'apply', '-', '--another'],
        JSON.stringify({
          name: `Firm ${Bun.randomUUIDv7()}`,
          members: [{ email, name, role: 'Owner' }],
        }),
      );
    expectSentence(await apply('ada', 'Ada'), 'members[0].email of "Ada" must be an email address');
    expectSentence(await apply(owner, 'A\0da'), 'cannot be stored');
  });

  test('a file that is a folder, or cannot be written', async () => {
    const firm = await makeFirm({ url: '', databaseUrl });
    expectSentence(
      await run(databaseUrl, ['firm', 'apply', folder]),
      `The path ${folder} is a folder.`,
    );
    const to = (file: string) => run(databaseUrl, ['audit', 'export', file, '--firm', firm.id]);
    expectSentence(await to(folder), `The file ${folder} is there already.`);
    expectSentence(await to(join(folder, 'no/file')), `There is no folder ${join(folder, 'no')}.`);
  });

  test('what is printed goes into a pipe whole, and a reader that goes away early is no failure', async () => {
    const shell = async (line: string) => {
      const child = Bun.spawn(['sh', '-c', line], { stdio: ['ignore', 'pipe', 'pipe'] });
      return { out: await child.stdout.text(), err: await child.stderr.text() };
    };
    const whole = await shell(`bun ${program} openapi | (sleep 0.5; cat)`);
    expect(JSON.parse(whole.out).openapi).toMatch(/^3\.1/);
    expect(whole.out.length).toBeGreaterThan(200_000);
    expect(await shell(`bun ${program} openapi | head -c 1`)).toEqual({ out: '{', err: '' });
    const full = await shell(`bun ${program} version > /dev/full; echo $?`);
    expect(full.out).toBe('1\n');
    expect(full.err).toMatch(/^The disk is full .*\.\n$/);
  });
});
