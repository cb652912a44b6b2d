import { afterAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { resources } from '../../src/contents.ts';
import { act, actions, makeOne } from '../support/actions.ts';
import { connect, moveClock, ownDatabase } from '../support/database.ts';
import { type AuditEntry, auditOf } from '../support/expectations.ts';
import {
  attorney,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
  usualBlueprint,
} from '../support/firm.ts';
import { matterFor, samples } from '../support/samples.ts';
import { run } from '../support/terminal.ts';

const server = await startTestServer();
const sql = connect(server.databaseUrl);
afterAll(() => sql.end());

/** What the log gained while `act` was done. */
const gained = async (firm: Firm, change: () => Promise<unknown>): Promise<AuditEntry[]> => {
  const before = (await auditOf(firm)).length;
  await change();
  return (await auditOf(firm)).slice(before);
};

const kindsOf = (entries: AuditEntry[]) =>
  entries.map(({ action, recordKind }) => `${action} ${recordKind}`).sort();

const kindOfResource = (name: string) => name.replace(/s$/, '').replaceAll('-', '_');

describe('audit list', () => {
  test('shows a number of the newest, and those from a moment on, oldest first', async () => {
    const databaseUrl = await ownDatabase();
    const firm = await makeFirm({ url: '', databaseUrl });
    const list = (words: string[]) => firm.command<AuditEntry[]>(['audit', 'list', ...words]);
    const all = await list([]);
    expect(await list(['--limit', '3'])).toEqual(all.slice(-3));
    expect(await list(['--limit', '9999'])).toEqual(all);
    await moveClock(databaseUrl, 3_600);
    const [{ now } = { now: new Date() }] = await connectedOnce(databaseUrl);
    await firm.command(['member', 'deactivate', attorney]);
    const later = await list(['--since', new Date(now).toISOString()]);
    expect(later).toEqual((await list([])).slice(all.length));
    expect(later.length).toBeGreaterThan(0);
    expect(await list(['--since', new Date(now).toISOString(), '--limit', '1'])).toEqual(
      later.slice(-1),
    );
    for (const words of [
      ['--limit', '0'],
      ['--limit', 'x'],
      ['--since', 'yesterday'],
    ]) {
      const { exitCode, err } = await run(databaseUrl, ['audit', 'list', ...words]);
      expect([exitCode, err]).toEqual([2, expect.stringContaining(`${words[0]} must be`)]);
    }
  });
});

/** The database's own time. */
const connectedOnce = async (databaseUrl: string) => {
  const own = connect(databaseUrl);
  const rows = await own`select moment() as now`;
  await own.end();
  return rows as unknown as { now: Date }[];
};

describe('The audit log is append-only', () => {
  test.each(['audit_entry', 'audit_seal', 'audit_signature'])(
    '%s refuses UPDATE, DELETE and TRUNCATE, also to its owner',
    async (table) => {
      const databaseUrl = await ownDatabase();
      await makeFirm({ url: '', databaseUrl });
      const own = connect(databaseUrl);
      await own`insert into audit_seal select firm_id, 1, min(id), 'x' from audit_entry group by firm_id`;
      await own`insert into audit_signature select firm_id, 1, 'x', moment(), 'x' from audit_seal`;
      const rows = () => own.unsafe(`select * from ${table} order by 1, 2`);
      const before = [...(await rows())];
      expect(before.length).toBeGreaterThan(0);
      const attempts = [
        `update ${table} set firm_id = gen_random_uuid()`,
        `update ${table} set firm_id = firm_id`,
        `delete from ${table}`,
        `truncate ${table}`,
        `truncate audit_entry, audit_seal`,
        `with gone as (delete from ${table} returning 1) select count(*) from gone`,
        `merge into ${table} using (select 1) as one on true when matched then delete`,
        `insert into ${table} select * from ${table} on conflict (firm_id, ${
          ({ audit_entry: 'id', audit_seal: 'seal_number' } as Record<string, string>)[table] ??
          'seal_number, public_key'
        }) do update set firm_id = excluded.firm_id`,
      ];
      for (const attempt of attempts) {
        const error = await own.unsafe(attempt).then(
          () => undefined,
          (refused) => refused,
        );
        expect({ attempt, code: error?.code }).toEqual({ attempt, code: '42501' });
      }
      expect([...(await rows())]).toEqual(before);
      await own.end();
    },
  );

  test('another user of the database may not even ask: the rights are revoked', async () => {
    const grants = await sql`
      select grantee, privilege_type from information_schema.role_table_grants
      where table_name in ('audit_entry', 'audit_seal')
        and privilege_type in ('UPDATE', 'DELETE', 'TRUNCATE')`;
    expect([...grants]).toEqual([]);
  });
});

describe('What is recorded', () => {
  test.each(resources.map(({ name }) => ({ name })))(
    'create, update and delete of one of the $name: one entry each, by whom, through which key and request',
    async ({ name }) => {
      const firm = await makeFirm(server);
      const kind = kindOfResource(name);
      const id = await makeOne(firm, name);
      const [field, value] = Object.entries(samples[name]?.change ?? {})[0] ?? [];
      const [created] = (await auditOf(firm, id)).filter(({ recordKind }) => recordKind === kind);
      const updated = await gained(firm, () =>
        act(firm.owner, { action: 'update' }, name, firm, id),
      );
      const { gone = { action: 'delete', field: 'deletedAt' } } = samples[name] ?? {};
      const deleted = await gained(firm, () =>
        act(firm.owner, { action: 'delete' }, name, firm, id),
      );
      expect(updated).toHaveLength(1);
      expect(deleted.filter(({ recordId }) => recordId === id)).toHaveLength(1);
      const about = {
        recordKind: kind,
        recordId: id,
        memberId: firm.members[owner],
        keyId: firm.owner.keyId,
      };
      expect(created).toMatchObject({ ...about, action: 'create' });
      expect(updated[0]).toMatchObject({ ...about, action: 'update' });
      expect(updated[0]?.changes[field ?? '']?.after).toEqual(value);
      expect(updated[0]?.changes[field ?? '']?.before).not.toEqual(value);
      expect(deleted.find(({ recordId }) => recordId === id)).toMatchObject({
        ...about,
        action: gone.action,
        changes: { [gone.field]: { before: null, after: expect.any(String) } },
      });
      const requests = [created, updated[0], deleted[0]].map((entry) => entry?.requestId);
      expect(new Set(requests).size).toBe(3);
    },
  );

  test('reading, refused requests, repeats and changes that change nothing leave no entry', async () => {
    const firm = await makeFirm(server);
    const key = { 'idempotency-key': 'one' };
    const { body } = await firm.owner.post('/v1/leads', { lastName: 'Quill' }, key);
    const path = `/v1/leads/${body.data.id}`;
    await matterFor(firm);
    const entries = await gained(firm, async () => {
      for (const { name } of resources) {
        await firm.owner.get((await samples[name]?.list(firm)) ?? '');
        await firm.owner.post(`/v1/${name}`, samples[name]?.misshapen);
      }
      await firm.owner.get(path);
      await firm.owner.post('/v1/leads', { lastName: 'Quill' }, key);
      await firm.owner.patch(path, {});
      await firm.owner.patch(path, { isPrivate: false });
      await firm.reapply({});
      await firm.command(['notify', 'set', '--member', owner, 'lead.new', 'on']);
      await firm.command(['key', 'list']);
    });
    expect(entries).toEqual([]);
  });

  test('a lead and the contact made for it are two entries of one request, which the answer names', async () => {
    const firm = await makeFirm(server);
    let requestId = '';
    const entries = await gained(firm, async () => {
      const { headers } = await firm.owner.post('/v1/leads', { lastName: 'Quill' });
      requestId = headers.get('x-request-id') ?? '';
    });
    expect(kindsOf(entries)).toEqual(['create contact', 'create lead']);
    expect(entries.map((entry) => entry.requestId)).toEqual([requestId, requestId]);
  });

  test('keys made and revoked, members, roles and settings changed: once each, with before and after', async () => {
    const firm = await makeFirm(server);
    const made = await gained(firm, () => firm.callerOf(attorney, ['leads:read']));
    expect(kindsOf(made)).toEqual(['create api_key']);
    expect(made[0]?.changes).toMatchObject({
      scopes: { before: null, after: ['leads:read'] },
      memberId: { before: null, after: firm.members[attorney] },
    });
    const keyId = made[0]?.recordId ?? '';
    const revoked = await gained(firm, async () => {
      await firm.command(['key', 'revoke', keyId]);
      await firm.command(['key', 'revoke', keyId]);
    });
    expect(revoked).toMatchObject([
      { action: 'update', recordId: keyId, changes: { revokedAt: { before: null } } },
    ]);

    const muted = await gained(firm, () =>
      firm.command(['notify', 'set', '--member', attorney, 'lead.new', 'off']),
    );
    expect(muted).toMatchObject([
      { recordKind: 'member', changes: { mutedKinds: { before: [], after: ['lead.new'] } } },
    ]);

    const [attorneys, bookkeepers] = usualBlueprint.roles;
    const [ada, ben, cy] = usualBlueprint.members;
    const settings = await gained(firm, () =>
      firm.reapply({
        roles: [attorneys, { ...bookkeepers, permissions: ['contacts:read', 'leads:read'] }],
        members: [ada, { ...ben, role: 'Owner' }, { ...cy, name: 'Cyrus Moss' }],
        numbering: { lead: 'LEAD-{####}', matter: 'M-{YYYY}-{####}' },
        leadStages: ['New', 'Contacted', 'Booked'],
        customFields: [{ on: 'lead', name: 'Source', type: 'SELECT', options: ['Web'] }],
      }),
    );
    expect(kindsOf(settings)).toEqual([
      ...['create custom_field', 'create lead_stage', 'update firm'],
      ...['update member', 'update member', 'update role'],
    ]);
    const changesOf = (kind: string) =>
      settings.filter((one) => one.recordKind === kind).map(({ changes }) => changes);
    expect(changesOf('firm')).toEqual([
      { 'numbering.lead': { before: 'L-{####}', after: 'LEAD-{####}' } },
    ]);
    expect(changesOf('role')).toEqual([
      { permissions: { before: ['contacts:read'], after: ['contacts:read', 'leads:read'] } },
    ]);
    expect(changesOf('member')).toContainEqual({
      name: { before: 'Cy Moss', after: 'Cyrus Moss' },
    });
    expect(changesOf('member').filter(({ roleId }) => roleId)).toHaveLength(1);
    for (const entry of [...made, ...revoked, ...muted, ...settings]) {
      expect({ memberId: entry.memberId, keyId: entry.keyId }).toEqual({
        memberId: null,
        keyId: null,
      });
    }
  });

  test('played back from empty, the log gives every record as it is stored', async () => {
    const firm = await makeFirm(server, {
      customFields: [
        { on: 'lead', name: 'Source', type: 'SELECT', options: ['Web', 'Friend'] },
        { on: 'contact', name: 'Shoe size', type: 'NUMBER' },
        { on: 'matter', name: 'Court', type: 'TEXT' },
      ],
    });
    await firm.callerOf(attorney, ['leads:read']);
    for (let round = 0; round < 3; round += 1) {
      for (const { name } of resources) {
        const id = await makeOne(firm, name);
        for (const { action } of actions) {
          if (action === 'update') await act(firm.owner, { action }, name, firm, id);
          if (action === 'delete' && round === 2) await act(firm.owner, { action }, name, firm, id);
        }
      }
    }
    const { body } = await firm.owner.post('/v1/leads', {
      firstName: 'Zoe',
      lastName: 'Quill',
      isPrivate: true,
      email: 'zoe@quill.example',
      customFields: { Source: 'Web' },
    });
    const path = `/v1/leads/${body.data.id}`;
    await firm.owner.patch(path, { customFields: { Source: 'Friend' }, isPrivate: false });
    await firm.owner.patch(path, { customFields: { Source: null }, value: 'LOW' });
    const contact = `/v1/contacts/${body.data.contact.id}`;
    await firm.owner.patch(contact, { customFields: { 'Shoe size': 42.5 }, emails: [] });
    await firm.reapply({ numbering: { lead: 'L-{#####}', matter: 'M-{YYYY}-{####}' } });
    expect(await differencesFromLog(firm)).toEqual([]);
    // What is stored past the log is told apart.
    await sql`update contact set last_name = 'Forged' where firm_id = ${firm.id} and id = ${body.data.contact.id}`;
    expect(await differencesFromLog(firm)).toEqual([expect.stringContaining('lastName')]);
  });

  test('no key and no digest of one is ever in it', async () => {
    const firm = await makeFirm(server);
    const ben = await firm.callerOf(attorney);
    await firm.command(['key', 'revoke', ben.keyId]);
    await firm.owner.post('/v1/leads', { lastName: 'Quill' });
    const rows = await sql`
      select entry::text as text from audit_entry entry where firm_id = ${firm.id}`;
    const log = rows.map(({ text }) => text).join('\n');
    expect(log).toContain(ben.keyId);
    for (const { key } of [firm.owner, ben]) {
      const digest = createHash('sha256').update(key).digest();
      const secrets = [
        key,
        key.slice(8),
        digest.toString('hex'),
        digest.toString('base64'),
        'digest',
      ];
      for (const secret of secrets) expect(log).not.toContain(secret);
      const [stored] = await sql`select 1 from api_key where digest = ${digest}`;
      expect(stored).toBeDefined();
    }
  });
});

const tables = [
  ...resources.map(({ name }) => kindOfResource(name)),
  ...['role', 'member', 'api_key', 'lead_stage', 'stage', 'custom_field'],
  'not_hired_reason',
];

/**
 * The service's own marks by their columns, which the log leaves out: also when a key was last used, and how often an
 * event was changed.
 */
const marks = new Set([
  ...['firmId', 'id', 'ordinal', 'createdAt', 'updatedAt', 'findableBy', 'digest', 'lastUsedAt'],
  'sequence',
]);

const camel = (name: string) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Where the stored records differ from what the log says of them. */
const differencesFromLog = async (firm: Firm): Promise<string[]> => {
  const records = new Map<string, Record<string, unknown>>();
  for (const { recordKind, recordId, changes } of await auditOf(firm)) {
    const record = records.get(`${recordKind} ${recordId}`) ?? {};
    for (const [field, { before, after }] of Object.entries(changes)) {
      if (!isPlain(before ?? after) || !isPlain(after ?? before)) record[field] = after;
      else {
        const kept = { ...(record[field] as object) } as Record<string, unknown>;
        for (const key of Object.keys(before ?? {})) delete kept[key];
        record[field] = { ...kept, ...(after as object) };
      }
    }
    records.set(`${recordKind} ${recordId}`, record);
  }
  const differences: string[] = [];
  for (const table of tables) {
    const rows = await sql.unsafe(
      `select to_jsonb(stored) as row from ${table} stored where firm_id = $1`,
      [firm.id],
    );
    for (const { row } of rows) {
      const name = `${table} ${row.id}`;
      const logged = records.get(name);
      if (!logged) differences.push(`${name} is not in the log`);
      records.delete(name);
      for (const [column, value] of Object.entries(row)) {
        const field = camel(column);
        if (marks.has(field) || !logged) continue;
        const said = logged[field] ?? null;
        const isEmpty = isPlain(value) && Object.keys(value).length === 0 && said === null;
        const isSame = /At$/.test(field)
          ? new Date(String(said)).getTime() === new Date(String(value)).getTime() || said === value
          : Bun.deepEquals(said, value);
        if (!isSame && !isEmpty) {
          differences.push(
            `${name} ${field}: ${JSON.stringify(said)}, stored ${JSON.stringify(value)}`,
          );
        }
      }
    }
  }
  const unknown = [...records.keys()].filter((name) => !name.startsWith('firm '));
  return [...differences, ...unknown.map((name) => `${name} is in the log only`)];
};
