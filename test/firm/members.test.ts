import { afterAll, describe, expect, test } from 'bun:test';
import { connect, ownDatabase, sharedDatabase } from '../support/database.ts';
import {
  attorney,
  bookkeeper,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
} from '../support/firm.ts';
import { run } from '../support/terminal.ts';

const databaseUrl = await sharedDatabase();
const server = await startTestServer({ databaseUrl });
const sql = connect(databaseUrl);
afterAll(() => sql.end());

/** All that is stored of the firm's members, and of what its audit log says. */
const storedOf = async ({ id }: Firm) => [
  await sql`select * from member where firm_id = ${id} order by id`,
  await sql`select id from audit_entry where firm_id = ${id} order by id`,
];

type Member = {
  id: string;
  email: string;
  name: string;
  role: string;
  mutedKinds: string[];
  deactivatedAt: string | null;
};
type Entry = { action: string; recordKind: string; recordId: string; changes: object };

const on = (firm: Firm) => {
  const entries = () => firm.command<Entry[]>(['audit', 'list']);
  const members = () => firm.command<Member[]>(['member', 'list']);
  return {
    ran: (...words: string[]) => run(databaseUrl, ['member', ...words, '--firm', firm.id]),
    done: (...words: string[]) => firm.command<Member>(['member', ...words]),
    members,
    /** What the audit log holds beyond what it held before `act`. */
    async entriesOf(act: () => Promise<unknown>) {
      const before = (await entries()).length;
      await act();
      return (await entries()).slice(before);
    },
    /** The command fails with one sentence that holds this, and changes nothing at all. */
    async refused(words: string[], sentence: string) {
      const before = await storedOf(firm);
      const { exitCode, out, err } = await run(databaseUrl, [
        'member',
        ...words,
        '--firm',
        firm.id,
      ]);
      expect({ exitCode, out, lines: err.trimEnd().split('\n').length }).toEqual({
        // What an option takes is judged before anything is looked up.
        exitCode: sentence.startsWith('--') ? 2 : 1,
        out: '',
        lines: 1,
      });
      expect(err).toMatch(/^(--)?[A-Z].*\.\n$/i);
      expect(err).toContain(sentence);
      expect(await storedOf(firm)).toEqual(before);
    },
  };
};

describe('member add, member list', () => {
  test('adds a member, who can have a key at once, and notes it in the audit log', async () => {
    const firm = await makeFirm(server);
    const { done, members, entriesOf, ran } = on(firm);
    let added: Member | undefined;
    const entries = await entriesOf(async () => {
      added = await done(
        'add',
        '--email',
        ' Dee@Harrow.example ',
        '--name',
        ' Dee Roe ',
        '--role',
        'Attorney',
      );
    });
    expect(added).toEqual({
      id: expect.any(String),
      email: 'dee@harrow.example',
      name: 'Dee Roe',
      role: 'Attorney',
      mutedKinds: [],
      deactivatedAt: null,
    });
    expect(entries).toMatchObject([
      { action: 'create', recordKind: 'member', recordId: added?.id },
    ]);
    expect((await members()).map(({ email }) => email)).toEqual([
      ...[owner, attorney, bookkeeper, 'dee@harrow.example'],
    ]);
    const dee = await firm.callerOf('dee@harrow.example', ['leads:read']);
    expect((await dee.get('/v1/leads')).status).toBe(200);
    await firm.command(['notify', 'set', '--member', attorney, 'lead.new', 'off']);
    const { exitCode, out } = await ran('list');
    expect(exitCode).toBe(0);
    expect(out).toMatch(/ben@harrow\.example .* lead\.new\n/);
    expect((await members())[1]?.mutedKinds).toEqual(['lead.new']);
    expect(out).toContain('dee@harrow.example');
    expect(out).toContain('active');
    expect(out).not.toContain('deactivated');
  });

  test('an email address is one member of a firm, however it is written, and free in another', async () => {
    const firm = await makeFirm(server);
    const { refused, ran } = on(firm);
    const add = (email: string) => ['add', '--email', email, '--name', 'X', '--role', 'Attorney'];
    for (const email of [attorney, attorney.toUpperCase(), `  ${attorney}`]) {
      await refused(add(email), 'this email address already');
    }
    const both = await Promise.all([ran(...add('eve@x.example')), ran(...add('Eve@X.example'))]);
    expect(both.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1]);
    const other = await makeFirm(server);
    expect((await on(other).ran(...add('eve@x.example'))).exitCode).toBe(0);
  });

  test('refuses an address that is none, an empty or too long name, and a role the firm has not', async () => {
    const firm = on(await makeFirm(server));
    const add = (email: string, name: string, role: string) => [
      'add',
      '--email',
      email,
      '--name',
      name,
      '--role',
      role,
    ];
    for (const email of [
      '',
      'dee',
      'dee@',
      '@x.example',
      'dee roe@x.example',
      'a@b@c',
      `${'x'.repeat(255)}@y`,
    ]) {
      await firm.refused(add(email, 'Dee', 'Attorney'), '--email must be an email address');
    }
    for (const name of ['', '  ', 'x'.repeat(256)]) {
      await firm.refused(add('dee@x.example', name, 'Attorney'), '--name must be 1 to 255');
    }
    for (const role of ['attorney', 'Chief', '']) {
      await firm.refused(add('dee@x.example', 'Dee', role), '"Attorney", "Bookkeeper", "Owner"');
    }
    for (const words of [
      ['add', '--name', 'Dee'],
      ['add', '--email', 'dee@x.example'],
    ]) {
      expect((await firm.ran(...words)).exitCode).toBe(2);
    }
  });

  test('--role may be left out only if there is one role besides Owner', async () => {
    const roles = [{ name: 'Clerk', permissions: ['leads:read'] }];
    const members = [{ email: owner, name: 'Ada', role: 'Owner' }];
    const one = on(await makeFirm(server, { roles, members }));
    const words = ['add', '--email', 'dee@x.example', '--name', 'Dee'];
    expect((await one.done(...words)).role).toBe('Clerk');
    await on(await makeFirm(server)).refused(words, 'The role must be one of');
    const none = on(await makeFirm(server, { roles: [], members }));
    await none.refused(words, 'The role must be one of the firm\'s: "Owner".');
  });
});

describe('member deactivate, member activate', () => {
  test('the keys of a deactivated member answer 401 on the very next request, and do not come back with them', async () => {
    const firm = await makeFirm(server);
    const { done, entriesOf } = on(firm);
    const [ben, cy] = [await firm.callerOf(attorney), await firm.callerOf(bookkeeper)];
    const statuses = async () =>
      Promise.all([ben, cy, firm.owner].map(async (one) => (await one.get('/v1/contacts')).status));
    expect(await statuses()).toEqual([200, 200, 200]);
    const left = await entriesOf(() => done('deactivate', 'BEN@harrow.example'));
    expect(await statuses()).toEqual([401, 200, 200]);
    const back = await entriesOf(() => done('activate', attorney));
    expect(await statuses()).toEqual([401, 200, 200]);
    const recordId = firm.members[attorney] as string;
    const moment = expect.stringMatching(/Z$/);
    expect([...left, ...back]).toMatchObject([
      {
        action: 'update',
        recordKind: 'member',
        recordId,
        changes: { deactivatedAt: { before: null, after: moment } },
      },
      {
        action: 'update',
        recordKind: 'api_key',
        recordId: ben.keyId,
        changes: { revokedAt: { before: null, after: moment } },
      },
      {
        action: 'update',
        recordKind: 'member',
        recordId,
        changes: { deactivatedAt: { before: moment, after: null } },
      },
    ] as never);
  });

  test('again changes nothing, and an unknown member is refused', async () => {
    const firm = await makeFirm(server);
    const { done, entriesOf } = on(firm);
    const first = await done('deactivate', attorney);
    expect(first.deactivatedAt).toMatch(/Z$/);
    expect(
      await entriesOf(async () => expect(await done('deactivate', attorney)).toEqual(first)),
    ).toEqual([]);
    expect(await entriesOf(() => done('activate', bookkeeper))).toEqual([]);
    await on(firm).refused(['deactivate', 'no@harrow.example'], 'No member of the firm');
    await on(firm).refused(['activate', 'no@harrow.example'], 'No member of the firm');
    expect((await on(firm).ran('deactivate')).exitCode).toBe(2);
  });

  test('a member of another firm with the same address goes on', async () => {
    const [firm, other] = [await makeFirm(server), await makeFirm(server)];
    const ben = await other.callerOf(attorney);
    await on(firm).done('deactivate', attorney);
    expect((await ben.get('/v1/contacts')).status).toBe(200);
    expect((await on(other).members()).map((one) => one.deactivatedAt)).toEqual([null, null, null]);
  });

  test('a deactivated member can have no new key, and the keys there are say why they are no good', async () => {
    const firm = await makeFirm(server);
    const ben = await firm.callerOf(attorney);
    await on(firm).done('deactivate', attorney);
    const key = ['key', 'create', '--member', attorney, '--scope', 'leads:read', '--firm', firm.id];
    expect((await run(databaseUrl, key)).err).toContain('deactivated');
    const rotate = await run(databaseUrl, ['key', 'rotate', ben.keyId, '--firm', firm.id]);
    expect(rotate.err).toContain('revoked');
    const keys = await firm.command<{ id: string; state: string }[]>(['key', 'list']);
    expect(keys.find(({ id }) => id === ben.keyId)?.state).toBe('revoked');
  });
});

describe('member role', () => {
  test('what a key may do follows the role with the very next request', async () => {
    const firm = await makeFirm(server);
    const { done, entriesOf } = on(firm);
    const cy = await firm.callerOf(bookkeeper);
    expect((await cy.get('/v1/leads')).status).toBe(403);
    const entries = await entriesOf(() => done('role', bookkeeper, 'Attorney'));
    expect((await cy.get('/v1/leads')).status).toBe(200);
    expect((await done('role', bookkeeper, 'Bookkeeper')).role).toBe('Bookkeeper');
    expect((await cy.get('/v1/leads')).status).toBe(403);
    expect(entries).toMatchObject([
      {
        action: 'update',
        recordKind: 'member',
        recordId: firm.members[bookkeeper],
        changes: { roleId: { before: expect.any(String), after: expect.any(String) } },
      },
    ] as never);
    expect(await entriesOf(() => done('role', bookkeeper, 'Bookkeeper'))).toEqual([]);
  });

  test('an Owner sees private leads, and no longer once another role is theirs', async () => {
    const firm = await makeFirm(server);
    const ben = await firm.callerOf(attorney);
    const { body } = await firm.owner.post('/v1/leads', { lastName: 'Quill', isPrivate: true });
    const path = `/v1/leads/${body.data.id}`;
    expect((await ben.get(path)).status).toBe(404);
    await on(firm).done('role', attorney, 'Owner');
    expect((await ben.get(path)).status).toBe(200);
    await on(firm).done('role', attorney, 'Attorney');
    expect((await ben.get(path)).status).toBe(404);
  });

  test('an unknown member or role is refused', async () => {
    const firm = on(await makeFirm(server));
    await firm.refused(['role', 'no@harrow.example', 'Attorney'], 'No member of the firm');
    await firm.refused(['role', attorney, 'attorney'], '"Attorney", "Bookkeeper", "Owner"');
    expect((await firm.ran('role', attorney)).exitCode).toBe(2);
  });
});

describe('A firm keeps an active Owner', () => {
  const needed = 'at least one active member with the role Owner';

  test('the last one can be neither deactivated nor given another role', async () => {
    const firm = on(await makeFirm(server));
    await firm.refused(['deactivate', owner], needed);
    await firm.refused(['role', owner, 'Attorney'], needed);
    await firm.done('role', attorney, 'Owner');
    await firm.done('deactivate', attorney);
    await firm.refused(['deactivate', owner], needed);
    await firm.refused(['role', owner, 'Attorney'], needed);
    await firm.done('role', attorney, 'Attorney');
    await firm.done('activate', attorney);
    await firm.done('role', attorney, 'Owner');
    expect((await firm.done('deactivate', owner)).deactivatedAt).not.toBeNull();
    await firm.refused(['deactivate', attorney], needed);
  });

  test('a deactivated Owner does not count in a blueprint either', async () => {
    const firm = await makeFirm(server);
    await on(firm).done('role', attorney, 'Owner');
    await on(firm).done('deactivate', attorney);
    const before = await on(firm).members();
    const [ada, ben, cy] = [
      { email: owner, name: 'Ada Harrow', role: 'Bookkeeper' },
      { email: attorney, name: 'Ben Lane', role: 'Owner' },
      { email: bookkeeper, name: 'Cy Moss', role: 'Bookkeeper' },
    ];
    await expect(firm.reapply({ members: [ada, ben, cy] })).rejects.toThrow(needed);
    expect(await on(firm).members()).toEqual(before);
  });

  test('a blueprint names a deactivated member: it says that they stay so', async () => {
    const firm = await makeFirm(server);
    await on(firm).done('deactivate', bookkeeper);
    const blueprint = {
      name: firm.firm.name,
      members: [
        { email: owner, name: 'Ada Harrow', role: 'Owner' },
        { email: bookkeeper, name: 'Cy Roe', role: 'Bookkeeper' },
      ],
      roles: [{ name: 'Bookkeeper', permissions: [] }],
    };
    const ran = await run(databaseUrl, ['firm', 'apply', '-'], JSON.stringify(blueprint));
    expect(ran.exitCode).toBe(0);
    expect(ran.err).toContain(
      `The member "${bookkeeper}" is deactivated and stays so. \`matterhorn member activate\` lets them back in.`,
    );
    const cy = (await on(firm).members()).find(({ email }) => email === bookkeeper);
    expect(cy).toMatchObject({ name: 'Cy Roe', deactivatedAt: expect.stringMatching(/Z$/) });
  });

  test('of two who would leave at the same moment one stays', async () => {
    const own = await ownDatabase();
    const firm = await makeFirm({ url: '', databaseUrl: own });
    await firm.command(['member', 'role', attorney, 'Owner']);
    const sql = connect(own);
    // A commit that takes its time: both would have asked who is left before either is gone.
    await sql.unsafe(`
      create function linger() returns trigger language plpgsql as
        $$ begin perform pg_sleep(0.5); return null; end $$;
      create constraint trigger linger after update on member deferrable initially deferred
        for each row execute function linger()`);
    const ran = await Promise.all(
      [owner, attorney].map((email) => run(own, ['member', 'deactivate', email])),
    );
    expect(ran.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1]);
    expect(ran.map(({ err }) => err).join('')).toContain(needed);
    const [still] = await sql`select count(*)::int as owners from member
      join role on role.firm_id = member.firm_id and role.id = member.role_id
      where holds_all and deactivated_at is null`;
    expect(still?.owners).toBe(1);
    await sql.end();
  });
});
