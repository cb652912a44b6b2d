import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scopes } from '../../src/contents.ts';
import { build, version } from '../../src/version.ts';
import { connect, ownDatabase, sharedDatabase } from '../support/database.ts';
import {
  attorney,
  bookkeeper,
  makeFirm,
  owner,
  type Standing,
  startTestServer,
  usualBlueprint,
} from '../support/firm.ts';
import { type Ran, run, runJson } from '../support/terminal.ts';

const databaseUrl = await sharedDatabase();
const folder = await mkdtemp(join(tmpdir(), 'matterhorn-commands-'));
afterAll(() => rm(folder, { recursive: true }));

const onDatabase = { url: '', databaseUrl };
const newName = () => `Firm ${Bun.randomUUIDv7()}`;
const apply = (blueprint: unknown, words: string[] = []) =>
  run(databaseUrl, ['firm', 'apply', '-', '--another', ...words], JSON.stringify(blueprint));
const applied = (blueprint: unknown) =>
  runJson<Standing>(databaseUrl, ['firm', 'apply', '-', '--another'], JSON.stringify(blueprint));

/** One plain sentence on standard error, nothing on standard output. */
const expectFailure = ({ exitCode, out, err }: Ran, expected: 1 | 2, names: string) => {
  expect({ exitCode, out }).toEqual({ exitCode: expected, out: '' });
  expect(err).toContain(names);
  expect(err.trimEnd().split('\n')).toHaveLength(1);
  expect(err).not.toMatch(/\bat \/|node_modules|undefined|\[object/);
  if (expected === 1) expect(err).toMatch(/^(--)?[A-Za-z].*\.\n$/);
};

/** Text for people: no JSON, and each of these in it. */
const expectText = ({ exitCode, out }: Ran, ...parts: string[]) => {
  expect(exitCode).toBe(0);
  expect(() => JSON.parse(out)).toThrow();
  for (const part of parts) expect(out).toContain(part);
};

describe('firm apply', () => {
  test('makes a firm from a blueprint, and prints what stands, ids by name', async () => {
    const name = newName();
    const blueprint = {
      name,
      roles: [
        {
          name: 'Attorney',
          permissions: ['leads:read', 'leads:write', 'matters:read', 'matters:write'],
        },
      ],
      members: [
        { email: 'ada@harrow.example', name: 'Ada Harrow', role: 'Owner' },
        { email: 'ben@harrow.example', name: 'Ben Lane', role: 'Attorney' },
      ],
      numbering: { lead: 'L-{####}', matter: 'M-{YYYY}-{####}' },
      leadStages: ['New', 'Contacted'],
      practiceAreas: [{ name: 'Family', stages: ['Intake', 'Filed'], matterTypes: ['Divorce'] }],
      customFields: [
        { on: 'lead', name: 'Referral source', type: 'SELECT', options: ['Web', 'Friend'] },
      ],
    };
    const id = expect.any(String);
    const { exitCode, out, err } = await apply(blueprint, ['--json']);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(out.trimEnd().split('\n')).toHaveLength(1);
    const standing = JSON.parse(out);
    expect(standing).toEqual({
      firm: { id, name },
      members: { 'ada@harrow.example': id, 'ben@harrow.example': id },
      leadStages: { New: id, Contacted: id },
      practiceAreas: {
        Family: { id, stages: { Intake: id, Filed: id }, matterTypes: { Divorce: id } },
      },
      customFields: { contact: {}, matter: {}, lead: { 'Referral source': id } },
    });
    expect(Object.keys(standing.leadStages)).toEqual(['New', 'Contacted']);
    expect(Object.keys(standing.practiceAreas.Family.stages)).toEqual(['Intake', 'Filed']);
    expectText(
      await apply(blueprint),
      name,
      'members: 2',
      'src/main.ts key create --firm',
      standing.firm.id,
    );
    const shown = await runJson(databaseUrl, ['firm', 'show', '--firm', standing.firm.id]);
    expect(shown).toEqual({ ...standing, firm: { ...standing.firm, timeZone: 'UTC' } });
    const text = await run(databaseUrl, ['firm', 'show', '--firm', standing.firm.id]);
    expectText(text, name, 'Ben Lane', 'Attorney', 'New', 'Family', 'Intake', 'Divorce');
  });

  test('applied twice it changes nothing', async () => {
    const blueprint = { ...usualBlueprint, name: newName() };
    const first = await applied(blueprint);
    const entries = () =>
      runJson<unknown[]>(databaseUrl, ['audit', 'list', '--firm', first.firm.id]);
    const before = await entries();
    expect(before.length).toBeGreaterThan(10);
    const again = await apply(blueprint, ['--json']);
    expect(again.err).toBe('');
    expect(JSON.parse(again.out)).toEqual(first);
    expect(await entries()).toEqual(before);
  });

  test('adds what is new and keeps every id', async () => {
    const name = newName();
    const first = await applied({ ...usualBlueprint, name });
    const { exitCode, out, err } = await apply(
      {
        ...usualBlueprint,
        name,
        roles: [...usualBlueprint.roles, { name: 'Clerk', permissions: ['leads:read'] }],
        members: [
          ...usualBlueprint.members,
          { email: 'Eve@Harrow.example', name: 'Eve', role: 'Clerk' },
        ],
        leadStages: ['Called', ...usualBlueprint.leadStages],
        practiceAreas: [
          {
            name: 'Family',
            stages: ['Intake', 'Filed', 'Closed'],
            matterTypes: ['Divorce', 'Custody'],
          },
          { name: 'Estates', stages: ['Intake'] },
          { name: 'Tax' },
        ],
        customFields: [{ on: 'matter', name: 'Court', type: 'TEXT' }],
      },
      ['--json'],
    );
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    const second = JSON.parse(out) as Standing;
    expect(second).toMatchObject(first);
    expect(Object.keys(second.leadStages)).toEqual(['Called', 'New', 'Contacted']);
    expect(Object.keys(second.members)).toContain('eve@harrow.example');
    expect(Object.keys(second.practiceAreas.Family?.stages ?? {})).toEqual([
      'Intake',
      'Filed',
      'Closed',
    ]);
    expect(second.practiceAreas.Tax).toEqual({
      id: expect.any(String),
      stages: {},
      matterTypes: {},
    });
    expect(Object.keys(second.customFields.matter)).toEqual(['Court']);
  });

  test('never removes silently: what the blueprint leaves out stays, and is said', async () => {
    const name = newName();
    const customFields = [{ on: 'contact', name: 'Language', type: 'TEXT' }];
    const first = await applied({ ...usualBlueprint, customFields, name });
    const small = {
      name,
      members: [usualBlueprint.members[0]],
      practiceAreas: [{ name: 'Family' }],
    };
    const { exitCode, out, err } = await apply(small, ['--json']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toEqual(first);
    const said = err.trimEnd().split('\n').sort();
    expect(said).toEqual(
      [
        'The contact field "Language" is not in the blueprint and stays.',
        'The lead stage "Contacted" is not in the blueprint and stays.',
        'The lead stage "New" is not in the blueprint and stays.',
        'The matter type of Family "Divorce" is not in the blueprint and stays.',
        'The member "ben@harrow.example" is not in the blueprint and stays.',
        'The member "cy@harrow.example" is not in the blueprint and stays.',
        'The practice area "Estates" is not in the blueprint and stays.',
        'The role "Attorney" is not in the blueprint and stays.',
        'The role "Bookkeeper" is not in the blueprint and stays.',
        'The stage of Family "Filed" is not in the blueprint and stays.',
        'The stage of Family "Intake" is not in the blueprint and stays.',
      ].sort(),
    );
  });

  test('changes names, roles, permissions and number formats, each noted in the audit log', async () => {
    const name = newName();
    const first = await applied({ ...usualBlueprint, name });
    const list = ['audit', 'list', '--firm', first.firm.id];
    type Entry = { recordKind: string; action: string; changes: object };
    const before = (await runJson<Entry[]>(databaseUrl, list)).length;
    await applied({
      ...usualBlueprint,
      name,
      roles: [{ name: 'Attorney', permissions: ['leads:read'] }, usualBlueprint.roles[1]],
      members: [
        usualBlueprint.members[0],
        { email: attorney, name: 'Ben Roe', role: 'Bookkeeper' },
        usualBlueprint.members[2],
      ],
      numbering: { lead: 'X{##}', matter: 'M-{YYYY}-{####}' },
    });
    const entries = (await runJson<Entry[]>(databaseUrl, list)).slice(before);
    expect(entries.map(({ action, recordKind }) => `${action} ${recordKind}`).sort()).toEqual([
      'update firm',
      'update member',
      'update role',
    ]);
    expect(entries.find(({ recordKind }) => recordKind === 'firm')?.changes).toEqual({
      'numbering.lead': { before: 'L-{####}', after: 'X{##}' },
    });
  });

  test('reads YAML too, and from a file', async () => {
    const name = newName();
    const yaml = `
# The firm of the tests
name: ${name}
members:
  - { email: ada@harrow.example, name: Ada Harrow, role: Owner }
numbering:
  lead: "L-{####}"
leadStages: [New, Contacted]
practiceAreas:
  - name: Family
    stages:
      - Intake
`;
    const path = join(folder, 'firm.yaml');
    await Bun.write(path, yaml);
    const fromFile = await runJson<Standing>(databaseUrl, ['firm', 'apply', path, '--another']);
    expect(fromFile.firm.name).toBe(name);
    expect(Object.keys(fromFile.practiceAreas.Family?.stages ?? {})).toEqual(['Intake']);
    expect(await runJson<Standing>(databaseUrl, ['firm', 'apply', '-'], yaml)).toEqual(fromFile);
    const json = join(folder, 'firm.json');
    await Bun.write(json, JSON.stringify(Bun.YAML.parse(yaml)));
    expect(await runJson<Standing>(databaseUrl, ['firm', 'apply', json])).toEqual(fromFile);
    expectFailure(await run(databaseUrl, ['firm', 'apply', join(folder, 'none')]), 1, 'no file');
    expectFailure(await run(databaseUrl, ['firm', 'apply', folder]), 1, folder);
  });

  test('a firm with a name and one Owner is legal: no numbering, no stages, no areas', async () => {
    const name = newName();
    const standing = await applied({ name, members: [usualBlueprint.members[0]] });
    expect(standing).toEqual({
      firm: { id: expect.any(String), name },
      members: { [owner]: expect.any(String) },
      leadStages: {},
      practiceAreas: {},
      customFields: { contact: {}, matter: {}, lead: {} },
    });
    const empty = { roles: [], numbering: {}, leadStages: [], practiceAreas: [], customFields: [] };
    expect(await applied({ name, members: [usualBlueprint.members[0]], ...empty })).toEqual(
      standing,
    );
  });

  const good = { ...usualBlueprint, name: 'Never made' };
  const ada = usualBlueprint.members[0];
  const field = { on: 'lead', name: 'Source', type: 'TEXT' };
  const mistakes: [named: string, blueprint: unknown][] = [
    ['must be an object', null],
    ['must be an object', []],
    ['must be an object', 'Harrow'],
    ['name', { ...good, name: undefined }],
    ['name', { ...good, name: 5 }],
    ['name', { ...good, name: '  ' }],
    ['name', { ...good, name: 'x'.repeat(256) }],
    ['members', { ...good, members: undefined }],
    ['members', { ...good, members: 'ada' }],
    ['Owner', { ...good, members: [] }],
    ['Owner', { ...good, members: [{ ...ada, role: 'Attorney' }] }],
    ['members[0].email', { ...good, members: [{ name: 'Ada', role: 'Owner' }] }],
    [
      'members[0].email of "Ada \\u0007" must be an email address',
      { ...good, members: [{ ...ada, name: 'Ada \x07', email: 'ada' }] },
    ],
    [
      'members[1].role of "x@y.example" must be one of "Owner", "Attorney", "Bookkeeper"; "Atorney" is not one',
      { ...good, members: [ada, { ...ada, email: 'x@y.example', role: 'Atorney' }] },
    ],
    [
      'members[1] repeats "ada@harrow.example" of members[0]. Remove one',
      { ...good, members: [ada, { ...ada, email: ' ADA@harrow.example' }] },
    ],
    ['Owner', { ...good, roles: [{ name: 'Owner', permissions: [] }] }],
    [
      'roles[0].permissions of "A" must be among contacts:read',
      { ...good, roles: [{ name: 'A', permissions: ['leads:delete'] }] },
    ],
    ['roles[0].permissions', { ...good, roles: [{ name: 'A' }] }],
    ['roles[1]', { ...good, roles: ['A', 'A '].map((name) => ({ name, permissions: [] })) }],
    ['numbering.lead', { ...good, numbering: { lead: 'L' } }],
    ['numbering.lead', { ...good, numbering: { lead: 'L-{}' } }],
    ['numbering.lead', { ...good, numbering: { lead: '{##}{##}' } }],
    ['numbering.matter', { ...good, numbering: { matter: 'M-{DD}-{####}' } }],
    ['numbering.matter', { ...good, numbering: { matter: `${'M'.repeat(64)}{#}` } }],
    ['numbering.lead', { ...good, numbering: { lead: 5 } }],
    ['leadStages', { ...good, leadStages: 'New' }],
    ['leadStages[1]', { ...good, leadStages: ['New', ' '] }],
    ['leadStages[2]', { ...good, leadStages: ['New', 'Called', 'New '] }],
    ['practiceAreas[0].name', { ...good, practiceAreas: [{ stages: [] }] }],
    ['practiceAreas[1]', { ...good, practiceAreas: [{ name: 'Tax' }, { name: 'Tax' }] }],
    [
      'practiceAreas[0].stages[1]',
      { ...good, practiceAreas: [{ name: 'Tax', stages: ['A', 'A'] }] },
    ],
    ['practiceAreas[0].stages', { ...good, practiceAreas: [{ name: 'Tax', stages: {} }] }],
    [
      'practiceAreas[0].matterTypes[1]',
      { ...good, practiceAreas: [{ name: 'Tax', matterTypes: ['A', 'A'] }] },
    ],
    ['customFields[0].on', { ...good, customFields: [{ ...field, on: 'firm' }] }],
    ['customFields[0].type', { ...good, customFields: [{ ...field, type: 'text' }] }],
    ['customFields[0].options', { ...good, customFields: [{ ...field, type: 'SELECT' }] }],
    ['customFields[0].options', { ...good, customFields: [{ ...field, options: ['A'] }] }],
    ['customFields[1]', { ...good, customFields: [field, { ...field, type: 'DATE' }] }],
  ];

  test.each(mistakes)('a mistake is named and nothing is made: %s', async (named, blueprint) => {
    expectFailure(await apply(blueprint), 1, named);
    const firms = await runJson<{ name: string }[]>(databaseUrl, ['firm', 'list']);
    expect(firms.map(({ name }) => name)).not.toContain('Never made');
  });

  test('what is neither JSON nor YAML, and nothing at all, is said to be so', async () => {
    for (const text of ['{', '{"name":', 'name: [', '\t- :\n :']) {
      expectFailure(
        await run(databaseUrl, ['firm', 'apply', '-'], text),
        1,
        'neither valid JSON nor',
      );
    }
    expectFailure(await run(databaseUrl, ['firm', 'apply', '-'], ''), 1, 'must be an object');
  });

  test('a firm never loses its last Owner, nor a custom field its type, and all stays as it was', async () => {
    const name = newName();
    const blueprint = { ...usualBlueprint, customFields: [field], name };
    const { firm } = await applied(blueprint);
    const shown = () => runJson<Standing>(databaseUrl, ['firm', 'show', '--firm', firm.id]);
    const first = await shown();
    const without = {
      ...blueprint,
      members: [{ ...ada, role: 'Attorney' }],
      leadStages: ['Other'],
    };
    expectFailure(await apply(without), 1, 'Owner');
    const retyped = {
      ...blueprint,
      customFields: [{ ...field, type: 'DATE' }],
      leadStages: ['Other'],
    };
    expectFailure(await apply(retyped), 1, '"Source" is of type TEXT');
    expectFailure(await apply(retyped), 1, 'give the new field another name');
    expect(await shown()).toEqual(first);
  });

  test('two at the same moment make one firm', async () => {
    const blueprint = { ...usualBlueprint, name: newName() };
    const results = await Promise.all(
      Array.from({ length: 4 }, () => apply(blueprint, ['--json'])),
    );
    expect(results.map(({ exitCode, err }) => [exitCode, err])).toEqual(Array(4).fill([0, '']));
    const made = results.map(({ out }) => JSON.parse(out));
    const standing = await applied(blueprint);
    for (const one of made) expect(one).toEqual(standing);
    const firms = await runJson<{ name: string }[]>(databaseUrl, ['firm', 'list']);
    expect(firms.filter(({ name }) => name === blueprint.name)).toHaveLength(1);
  });
});

describe('firm list, firm show', () => {
  test('list the firms, and one with its ids', async () => {
    const { firm } = await applied({ ...usualBlueprint, name: newName() });
    const firms = await runJson<{ id: string }[]>(databaseUrl, ['firm', 'list']);
    expect(firms.find(({ id }) => id === firm.id)).toEqual({
      ...firm,
      createdAt: expect.stringMatching(/Z$/),
    } as never);
    expectText(await run(databaseUrl, ['firm', 'list']), firm.id, firm.name);
    const unknown = ['firm', 'show', '--firm', '019f0000-0000-7000-8000-000000000000'];
    expectFailure(await run(databaseUrl, unknown), 1, 'matterhorn firm list');
    expectFailure(
      await run(databaseUrl, ['firm', 'show', '--firm', 'x']),
      1,
      'matterhorn firm list',
    );
  });
});

describe('key create, key list, key revoke', () => {
  type Made = { id: string; key: string; name: string; scopes: string[]; expiresAt: string | null };
  const create = (firm: { id: string }, words: string[]) =>
    run(databaseUrl, ['key', 'create', '--firm', firm.id, ...words]);

  test('prints the key once, with its id, name, scopes and expiry', async () => {
    const firm = await makeFirm(onDatabase);
    const words = ['key', 'create', '--member', ' BEN@harrow.example', '--scope', 'leads:read'];
    const made = await firm.command<Made>([...words, 'leads:write', '--name', 'Website form']);
    expect(made).toEqual({
      id: expect.any(String),
      key: expect.stringMatching(/^mh_[0-9A-Za-z]{36}$/),
      name: 'Website form',
      scopes: ['leads:read', 'leads:write'],
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    expect(Object.keys(made).sort()).toEqual(['expiresAt', 'id', 'key', 'name', 'scopes']);
    const year = (Date.parse(made.expiresAt ?? '') - Date.now()) / 86_400_000;
    expect(year).toBeWithin(364.9, 365.1);
    const commas = await firm.command<Made>([...words.slice(0, -1), 'leads:read,matters:read']);
    expect(commas.scopes).toEqual(['leads:read', 'matters:read']);
    expect(commas.name).toBe('API key');
    const long = await firm.command<Made>([...words, '--name', `${'x'.repeat(254)}🗻🗻`]);
    expect(long.name).toBe(`${'x'.repeat(254)}🗻`);
    const text = await create(firm, words.slice(2));
    expectText(text, 'shown once', 'expires');
    expect(text.out.split('\n')[0]).toMatch(/^mh_[0-9A-Za-z]{36}$/);
  });

  test('--expires takes a day, whole, or a moment, or never', async () => {
    const firm = await makeFirm(onDatabase);
    const expiryOf = async (expires: string) =>
      (
        await firm.command<Made>([
          ...['key', 'create', '--member', owner, '--scope', 'leads:read', '--expires', expires],
        ])
      ).expiresAt;
    expect(await expiryOf('2099-02-28')).toBe('2099-02-28T23:59:59.999Z');
    expect(await expiryOf('2099-02-28T10:00:00+02:00')).toBe('2099-02-28T08:00:00.000Z');
    expect(await expiryOf('never')).toBeNull();
    const words = ['--member', owner, '--scope', 'leads:read', '--expires'];
    expectFailure(
      await create(firm, [...words, '2020-01-01']),
      1,
      '--expires must be in the future',
    );
    for (const wrong of [
      '2099-02-30',
      'tomorrow',
      '',
      '1y',
      '4102444800',
      '2099-13-01T00:00:00Z',
    ]) {
      expectFailure(await create(firm, [...words, wrong]), 2, '--expires must be');
    }
  });

  test('refuses an unknown scope or member, a deactivated one, and a 51st live key', async () => {
    const firm = await makeFirm(onDatabase);
    const of = (member: string, ...scopes: string[]) => ['--member', member, '--scope', ...scopes];
    for (const scope of ['leads', 'leads:delete', 'LEADS:READ', '*', 'custom-fields:write', '']) {
      expectFailure(await create(firm, of(owner, 'leads:read', scope)), 2, '--scope takes');
    }
    const nobody = await create(firm, of('no@harrow.example', 'leads:read'));
    expectFailure(
      nobody,
      1,
      'No member of the firm has this email address. `matterhorn member list`',
    );
    const sql = connect(databaseUrl);
    await sql`update member set deactivated_at = moment()
      where firm_id = ${firm.id} and email = ${attorney}`;
    await sql.end();
    expectFailure(await create(firm, of(attorney, 'leads:read')), 1, 'deactivated');
    for (let made = 1; made < 50; made += 1) await create(firm, of(owner, 'leads:read'));
    expectFailure(await create(firm, of(owner, 'leads:read')), 1, '50 live keys');
    await firm.command(['key', 'revoke', firm.owner.keyId]);
    expect((await create(firm, of(owner, 'leads:read'))).exitCode).toBe(0);
    expect(await firm.command<unknown[]>(['key', 'list'])).toHaveLength(51);
  });

  test('wrong usage exits 2 and says which option is missing', async () => {
    const firm = await makeFirm(onDatabase);
    expectFailure(await create(firm, ['--scope', 'leads:read']), 2, '--member');
    expectFailure(await create(firm, ['--member', owner]), 2, '--scope');
    expectFailure(await create(firm, ['--member', owner, '--scope']), 2, '--scope');
    expect(await firm.command<unknown[]>(['key', 'list'])).toHaveLength(1);
  });

  test("says what the member's role does not allow, and makes the key all the same", async () => {
    const firm = await makeFirm(onDatabase);
    const scopes = ['--scope', 'contacts:read', 'leads:read', 'leads:write,leads:read'];
    const made = await create(firm, ['--json', '--member', bookkeeper.toUpperCase(), ...scopes]);
    expect(made.exitCode).toBe(0);
    expect(JSON.parse(made.out)).toMatchObject({
      scopes: ['contacts:read', 'leads:read', 'leads:write'],
    });
    expect(made.err).toBe(
      `The role "Bookkeeper" of ${bookkeeper} does not allow leads:read, leads:write, and so neither does this key. Give the role more with \`matterhorn firm apply\`, or the member another with \`matterhorn member role\`.\n`,
    );
    for (const [member, scope] of [
      [owner, 'leads:write'],
      [bookkeeper, 'contacts:read'],
    ] as const) {
      const { exitCode, err } = await create(firm, ['--member', member, '--scope', scope]);
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    }
  });

  test('lists keys without the keys, oldest first, revoked ones included', async () => {
    const firm = await makeFirm(onDatabase);
    const ben = await firm.callerOf(attorney, ['leads:read']);
    const revoked = await firm.command(['key', 'revoke', ben.keyId]);
    expect(revoked).toEqual({ id: ben.keyId, revokedAt: expect.stringMatching(/Z$/) });
    const keys = await firm.command<object[]>(['key', 'list']);
    expect(keys).toEqual([
      {
        id: firm.owner.keyId,
        start: firm.owner.key.slice(0, 8),
        name: 'API key',
        member: owner,
        scopes: [...scopes],
        state: 'live',
        createdAt: expect.stringMatching(/Z$/),
        expiresAt: expect.stringMatching(/Z$/),
        revokedAt: null,
        lastUsedAt: null,
      },
      {
        id: ben.keyId,
        start: ben.key.slice(0, 8),
        name: 'API key',
        member: attorney,
        scopes: ['leads:read'],
        state: 'revoked',
        createdAt: expect.stringMatching(/Z$/),
        expiresAt: expect.stringMatching(/Z$/),
        revokedAt: (revoked as { revokedAt: string }).revokedAt,
        lastUsedAt: null,
      },
    ]);
    const text = await run(databaseUrl, ['key', 'list', '--firm', firm.id]);
    expectText(text, ben.keyId, ben.key.slice(0, 8), attorney, 'revoked');
  });

  test('revokes only keys of the firm', async () => {
    const [firm, other] = [await makeFirm(onDatabase), await makeFirm(onDatabase)];
    for (const id of [
      other.owner.keyId,
      '019f0000-0000-7000-8000-000000000000',
      'x',
      firm.owner.key,
    ]) {
      const ran = await run(databaseUrl, ['key', 'revoke', id, '--firm', firm.id]);
      expectFailure(ran, 1, 'matterhorn key list');
    }
    expectFailure(await run(databaseUrl, ['key', 'revoke', '--firm', firm.id]), 2, "'key'");
    const [key] = await other.command<{ revokedAt: null }[]>(['key', 'list']);
    expect(key?.revokedAt).toBeNull();
    const text = await run(databaseUrl, ['key', 'revoke', firm.owner.keyId, '--firm', firm.id]);
    expectText(text, 'revoked');
  });
});

describe('inbox, notify set', () => {
  test('an empty inbox is an empty list, and says so to people', async () => {
    const firm = await makeFirm(onDatabase);
    expect(await firm.command<unknown[]>(['inbox', '--member', owner])).toEqual([]);
    const words = ['inbox', '--firm', firm.id, '--member'];
    expectText(await run(databaseUrl, [...words, owner]), 'The inbox is empty.');
    expectFailure(await run(databaseUrl, [...words, 'no@harrow.example']), 1, 'No member');
    expectFailure(await run(databaseUrl, ['inbox', '--firm', firm.id]), 2, '--member');
  });

  test('notify set switches a kind, and refuses what is none', async () => {
    const firm = await makeFirm(onDatabase);
    const set = (...words: string[]) =>
      run(databaseUrl, ['notify', 'set', '--firm', firm.id, '--member', ...words]);
    for (const kind of [
      'matter.added',
      'matter.archived',
      'matter.deleted',
      'event.cancelled',
      'lead.new',
    ]) {
      const words = ['notify', 'set', '--member', owner, kind, 'off'];
      expect(await firm.command(words)).toEqual({ email: owner, kind, on: false });
    }
    expectText(await set(owner, 'lead.new', 'on'), `lead.new is on for ${owner}.`);
    expectFailure(await set(owner, 'lead.burst', 'off'), 2, 'lead.burst');
    expectFailure(await set(owner, 'everything', 'off'), 2, 'everything');
    expectFailure(await set(owner, 'lead.new', 'maybe'), 2, 'maybe');
    expectFailure(await set(owner, 'lead.new'), 2, 'state');
    expectFailure(await set('no@harrow.example', 'lead.new', 'off'), 1, 'No member');
  });
});

describe('audit list', () => {
  test('prints the entries oldest first, of one record where it is named', async () => {
    const server = await startTestServer({ databaseUrl });
    const firm = await makeFirm(server);
    const headers = { 'x-request-id': 'mine' };
    const { body } = await firm.owner.post('/v1/leads', { lastName: 'Quill' }, headers);
    const { id, contact } = body.data;
    await firm.owner.patch(`/v1/leads/${id}`, { value: 'HIGH' });
    type Entry = { id: string; recordId: string; at: string };
    const entries = await firm.command<Entry[]>(['audit', 'list', '--record', id]);
    const common = {
      id: expect.stringMatching(/^\d+$/),
      at: expect.stringMatching(/Z$/),
      recordKind: 'lead',
      recordId: id,
      memberId: firm.members[owner],
      keyId: firm.owner.keyId,
    };
    expect(entries).toEqual([
      { ...common, action: 'create', requestId: 'mine', changes: expect.any(Object) },
      {
        ...common,
        action: 'update',
        requestId: expect.any(String),
        changes: { value: { before: null, after: 'HIGH' } },
      },
    ] as never);
    const all = await firm.command<Entry[]>(['audit', 'list']);
    const ids = all.map((entry) => Number(entry.id));
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(all.map(({ recordId }) => recordId)).toContain(contact.id);
    const words = ['audit', 'list', '--firm', firm.id];
    const text = await run(databaseUrl, words);
    expectText(text, 'AT', 'create', 'lead', id, 'administrator');
    const line = text.out.split('\n').find((one) => one.includes('update  lead'));
    expect(line).not.toContain(firm.owner.keyId);
    expect(line).not.toContain(firm.members[owner] as string);
    expect(line).toContain(`${owner}  API key (${firm.owner.key.slice(0, 8)}…)  value`);
    const unknown = '019f0000-0000-7000-8000-000000000000';
    expect(await firm.command<Entry[]>(['audit', 'list', '--record', unknown])).toEqual([]);
    expectText(await run(databaseUrl, [...words, '--record', unknown]), 'empty');
    expectFailure(await run(databaseUrl, [...words, '--record', 'x']), 2, '--record');
  });

  test("shows nothing of another firm's records", async () => {
    const [firm, other] = [await makeFirm(onDatabase), await makeFirm(onDatabase)];
    const others = await other.command<{ recordId: string }[]>(['audit', 'list']);
    const words = ['audit', 'list', '--record', others[3]?.recordId ?? ''];
    expect(await firm.command<unknown[]>(words)).toEqual([]);
  });
});

describe('--firm', () => {
  test('may be left out where one firm exists, and only there', async () => {
    const own = await ownDatabase();
    const show = () => run(own, ['firm', 'show', '--json']);
    expect(await runJson<unknown[]>(own, ['firm', 'list'])).toEqual([]);
    expectText(await run(own, ['firm', 'list']), 'There is no firm yet', 'matterhorn firm apply');
    expectFailure(await show(), 1, 'There is no firm yet');
    const commands = [
      ['key', 'create', '--member', owner, '--scope', 'leads:read'],
      ['key', 'list'],
      ['inbox', '--member', owner],
      ['notify', 'set', '--member', owner, 'lead.new', 'off'],
      ['audit', 'list'],
      ['firm', 'show'],
    ];
    for (const words of commands) expectFailure(await run(own, words), 1, 'no firm yet');
    const blueprint = { ...usualBlueprint, name: 'Only' };
    await runJson(own, ['firm', 'apply', '-'], JSON.stringify(blueprint));
    for (const words of commands) expect((await run(own, words)).exitCode).toBe(0);
    expect(JSON.parse((await show()).out).firm.name).toBe('Only');
    await runJson(
      own,
      ['firm', 'apply', '-', '--another'],
      JSON.stringify({ ...blueprint, name: 'Another' }),
    );
    for (const words of commands) expectFailure(await run(own, words), 1, '--firm ID');
  });
});

describe('openapi, version, help', () => {
  test('version prints the version alone, then the commit', async () => {
    expect(await run(databaseUrl, ['version'])).toEqual({
      exitCode: 0,
      out: `${version}\ncommit ${build.commit}\n`,
      err: '',
    });
    expect(await runJson<object>(databaseUrl, ['version'])).toEqual(build);
    expect(version).toMatch(/^\d+\.\d+\.\d+(-dev\+[0-9a-f]{7,}(-dirty)?)?$/);
  });

  test('openapi prints one JSON document', async () => {
    const { exitCode, out, err } = await run(databaseUrl, ['openapi']);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(JSON.parse(out).openapi).toMatch(/^3\.1\./);
  });

  test('help lists every command, and shows an example of each', async () => {
    const { exitCode, out } = await run(databaseUrl, ['help']);
    expect(exitCode).toBe(0);
    for (const name of [
      'serve',
      'demo',
      'firm',
      'key',
      'inbox',
      'notify',
      'audit',
      'openapi',
      'version',
    ]) {
      expect(out).toContain(name);
    }
    const commands = [
      ...['serve', 'demo', 'inbox', 'openapi', 'version', 'firm apply', 'firm list', 'firm show'],
      ...['key create', 'key list', 'key revoke', 'notify set', 'audit list'],
    ];
    for (const command of commands) {
      const help = await run(databaseUrl, [...command.split(' '), '--help']);
      expect({ command, exitCode: help.exitCode, err: help.err }).toEqual({
        command,
        exitCode: 0,
        err: '',
      });
      expect(help.out).toContain(`matterhorn ${command}`);
      expect(help.out).toContain('Example:');
      expect(help.out).toContain('--data');
      expect(help.out).toContain('--json');
    }
  });

  test('wrong usage exits 2', async () => {
    for (const words of [
      ['nonsense'],
      ['firm', 'nonsense'],
      ['firm', 'list', 'nonsense'],
      ['firm', 'list', '--nonsense'],
      ['version', '--port', '1'],
      ['firm', 'apply'],
      ['serve', '--port', 'x'],
      ['serve', '--port', '65536'],
      ['firm', 'list', '--data'],
    ]) {
      const ran = await run(databaseUrl, words);
      expect({ words, exitCode: ran.exitCode, out: ran.out }).toEqual({
        words,
        exitCode: 2,
        out: '',
      });
      expect(ran.err).toMatch(/^(error: |--).*\.\n$/);
    }
  });

  test('what is no command is called that, and where the commands are listed', async () => {
    expectFailure(await run(databaseUrl, ['frobnicate']), 2, "unknown command 'frobnicate'");
  });

  test('--version prints the version', async () => {
    const { exitCode, out } = await run(databaseUrl, ['--version']);
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: `${version}\n` });
  });
});

describe('A database that cannot be used is named in one sentence', () => {
  test('a malformed address, a closed port, an unknown database', async () => {
    for (const url of ['nonsense', 'mysql://x/y', 'postgres:/x']) {
      expectFailure(await run(url, ['firm', 'list']), 1, 'DATABASE_URL must be an address');
    }
    const closed = 'postgres://nobody:secret@127.0.0.1:9/none';
    const ran = await run(closed, ['firm', 'list']);
    expectFailure(ran, 1, 'DATABASE_URL');
    expect(ran.err).not.toContain('secret');
    const unknown = new URL(databaseUrl);
    unknown.pathname = '/no_such_database';
    expectFailure(await run(unknown.href, ['firm', 'list']), 1, 'does not exist');
  });

  test('an address that takes connections and ends them, or is no Postgres, is given up after a while', async () => {
    const ending = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: (socket) => void socket.end() },
    });
    const web = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('') });
    const ran = await Promise.all(
      [ending, web].map(({ port }) =>
        run(`postgres://nobody@127.0.0.1:${port}/none`, ['firm', 'list']),
      ),
    );
    for (const one of ran) expectFailure(one, 1, 'does not answer like a Postgres');
    ending.stop(true);
    await web.stop(true);
  });

  test('what others hold for long is given up, and can be tried again', async () => {
    const url = await ownDatabase();
    const sql = connect(url);
    await sql.begin(async (holding) => {
      await holding`lock table firm in access exclusive mode`;
      expectFailure(await run(url, ['firm', 'list']), 1, 'busy for too long');
    });
    await sql.end();
    expect((await run(url, ['firm', 'list'])).exitCode).toBe(0);
  });
});

describe('bun src/main.ts', () => {
  const start = async (words: string[], input = '') => {
    const child = Bun.spawn(['bun', 'src/main.ts', ...words], {
      cwd: join(import.meta.dir, '../..'),
      env: { ...process.env, DATABASE_URL: databaseUrl },
      stdin: Buffer.from(input),
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [out, err, exitCode] = await Promise.all([
      child.stdout.text(),
      child.stderr.text(),
      child.exited,
    ]);
    return { exitCode, out, err };
  };

  test('reads standard input, prints one JSON document, and exits 0, 1 or 2', async () => {
    const name = newName();
    const blueprint = JSON.stringify({ ...usualBlueprint, name });
    const made = await start(['firm', 'apply', '-', '--another', '--json'], blueprint);
    expect({ exitCode: made.exitCode, err: made.err }).toEqual({ exitCode: 0, err: '' });
    expect(JSON.parse(made.out).firm.name).toBe(name);
    expectFailure(await start(['firm', 'apply', '-'], '{}'), 1, 'name');
    expectFailure(await start(['key', 'create', '--member', owner]), 2, '--scope');
  });
});
