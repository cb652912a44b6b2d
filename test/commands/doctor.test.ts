import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fingerprintOf, makeInstallationKey } from '../../src/base/installation-key.ts';
import { diskFindings } from '../../src/doctor/examine.ts';
import type { Finding } from '../../src/doctor/finding.ts';
import { sealAll } from '../support/chain.ts';
import { asksForPasswords, connect, moveClock, ownDatabase } from '../support/database.ts';
import { attorney, makeFirm, owner } from '../support/firm.ts';
import { keyFileOf, run } from '../support/terminal.ts';

const inOrder =
  'Everything is as it should be.\nNo mail is set up: notices stay in the application.\n';

/** A firm on a database of its own, and no server. */
const quietFirm = async (parts: Record<string, unknown> = {}) => {
  const databaseUrl = await ownDatabase();
  const firm = await makeFirm({ url: '', databaseUrl }, parts);
  const sql = connect(databaseUrl);
  afterAll(() => sql.end());
  return { databaseUrl, firm, sql };
};

const examine = async (databaseUrl: string, words: string[] = []) => {
  const ran = await run(databaseUrl, ['doctor', '--json', ...words]);
  const { ok, findings } = JSON.parse(ran.out) as { ok: boolean; findings: Finding[] };
  const hasProblem = findings.some(({ level }) => level === 'problem');
  expect({ ok, exitCode: ran.exitCode }).toEqual({ ok: !hasProblem, exitCode: hasProblem ? 1 : 0 });
  for (const { what, do: todo } of findings) {
    for (const sentence of [what, todo]) expect(sentence).toMatch(/^[A-Z\d].*\.$/);
    expect(`${what} ${todo}`).not.toMatch(/undefined|NaN|\[object/);
  }
  return findings;
};

const job = (sql: ReturnType<typeof connect>, firmId: string, key: string) =>
  sql`insert into job (firm_id, kind, dedupe_key, payload, run_at)
    values (${firmId}, 'lead_announce', ${key}, '{}', moment())`;

describe('doctor', () => {
  test('finds nothing where everything is as it should be', async () => {
    const { databaseUrl } = await quietFirm();
    expect(await examine(databaseUrl)).toEqual([]);
    const text = await run(databaseUrl, ['doctor']);
    expect(text).toEqual({ exitCode: 0, out: inOrder, err: '' });
  });

  test('says of mail what keeps it from going, and what the mail server answered', async () => {
    const { databaseUrl, sql, firm } = await quietFirm();
    const memberId = firm.members[owner] ?? '';
    const mail = (state: string, minutes: number, words: string) => sql`
      insert into mail (firm_id, id, member_id, kind, state, queued_at, next_try_at, ended_at, words)
      select ${firm.id}, gen_random_uuid(), ${memberId}, 'notice', ${state},
        moment() - make_interval(mins => ${minutes}), case when ${state} = 'queued' then moment() end,
        case when ${state} <> 'queued' then moment() end, ${words}`;
    const found = async (environment: Record<string, string>) => {
      const ran = await run(databaseUrl, ['doctor', '--json'], '', environment);
      const { findings } = JSON.parse(ran.out) as { findings: Finding[] };
      return findings.map(({ what }) => what).filter((what) => /mail/i.test(what));
    };
    const mailing = {
      MAIL_URL: 'smtp://127.0.0.1:2525',
      MAIL_FROM: 'office@harrow.example',
      PUBLIC_URL: 'https://practice.harrow.example',
    };
    await mail('queued', 29, '451 Not yet');
    expect(await found(mailing)).toEqual([]);
    await mail('queued', 31, '451 Later.');
    await mail('refused', 1, '550 No such person');
    expect(await found(mailing)).toEqual([
      expect.stringMatching(
        /^1 mail is waiting .* for more than half an hour\. The last answer: 451 Later\.$/,
      ),
      expect.stringMatching(
        /^1 mail is not taken by .* in the last week\. The last answer: 550 No such person\.$/,
      ),
    ]);
    await sql`delete from mail where firm_id = ${firm.id}`;
    expect(await found({ ...mailing, PUBLIC_URL: '' })).toEqual([
      'Mails have no link to what they are about: the address of the application is not known.',
    ]);
  });

  test('names each key, member and role that the audit log does not tell the making of', async () => {
    const { databaseUrl, sql, firm } = await quietFirm();
    await sql`insert into role select (jsonb_populate_record(role, jsonb_build_object(
      'id', gen_random_uuid(), 'name', 'Shadow'))).* from role where holds_all`;
    await sql`insert into member select (jsonb_populate_record(member, jsonb_build_object(
      'id', gen_random_uuid(), 'email', 'eve@harrow.example'))).* from member where email = ${owner}`;
    await sql`insert into api_key select (jsonb_populate_record(api_key, jsonb_build_object(
      'id', gen_random_uuid(), 'name', 'Backdoor', 'digest', ${`\\x${'00'.repeat(32)}`}::text))).* from api_key`;
    const found = (await examine(databaseUrl)).map(({ what }) => what);
    expect(found).toEqual([
      expect.stringContaining('who made the key "Backdoor"'),
      expect.stringContaining('who made the member "eve@harrow.example"'),
      expect.stringContaining('who made the role "Shadow"'),
    ]);
    expect(firm.id).toBeDefined();
  });

  test('says when there is no key to sign with, its file or heads are missing, or instances sign with different ones', async () => {
    const { databaseUrl, firm } = await quietFirm();
    const whats = async (environment: Record<string, string> = {}) => {
      const { out } = await run(databaseUrl, ['doctor', '--json'], '', environment);
      return (JSON.parse(out).findings as Finding[]).map(({ what }) => what);
    };
    expect(await whats({ INSTALLATION_KEY: '' })).toEqual([
      expect.stringContaining('this installation has no key'),
    ]);
    const file = keyFileOf(databaseUrl);
    const key = makeInstallationKey(file);
    await sealAll(databaseUrl, key);
    expect(await whats()).toEqual([]);
    rmSync(`${file}.heads`);
    expect(await whats()).toEqual([expect.stringContaining('with the heads')]);
    const other = makeInstallationKey(`${file}.other`);
    await firm.command(['member', 'deactivate', attorney]);
    await sealAll(databaseUrl, other);
    const found = await whats();
    expect(found).toContainEqual(
      expect.stringContaining(`Another key, ${fingerprintOf(other.publicKey)},`),
    );
    rmSync(file);
    expect(await whats()).toEqual([expect.stringContaining(`${file} is missing`)]);
  });

  test('a problem ends with 1, and says what to do on the same screen', async () => {
    const { databaseUrl, sql, firm } = await quietFirm();
    await job(sql, firm.id, 'one');
    await sql`update job set dead_at = moment()`;
    const { exitCode, out, err } = await run(databaseUrl, ['doctor']);
    expect(exitCode).toBe(1);
    expect(out).toContain('1 job has failed for good (lead_announce).');
    expect(out).toContain('matterhorn job retry --all');
    expect(err).toBe('The doctor found 1 problem. Each says what to do.\n');
  });

  test('a database that does not answer, or not to us, is a problem that is named', async () => {
    const { databaseUrl } = await quietFirm();
    const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
    const [unknown, wrong] = [new URL(databaseUrl), new URL(databaseUrl)];
    // Also a server that asks for no password knows who may come.
    unknown.username = 'nobody';
    wrong.password = 'wrong';
    const sql = connect(databaseUrl);
    const isRefused = await asksForPasswords(sql);
    await sql.end();
    for (const [url, what] of [
      ['postgres://nobody:nothing@127.0.0.1:1/none', 'No database answers at DATABASE_URL.'],
      [`postgres://nobody@127.0.0.1:${silent.port}/none`, 'does not answer like a Postgres'],
      [unknown.href, 'refuses this user'],
      ...(isRefused ? [[wrong.href, 'refuses this user or password'] as const] : []),
    ] as const) {
      expect(await examine(url)).toEqual([
        { level: 'problem', what: expect.stringContaining(what), do: expect.any(String) },
      ]);
      const { err } = await run(url, ['doctor']);
      expect(err).toBe('The doctor found 1 problem. Each says what to do.\n');
    }
    silent.stop(true);
  });

  test('a data directory that is not there is a problem, and is not made', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'matterhorn-doctor-'));
    afterAll(() => rm(folder, { recursive: true }));
    const data = join(folder, 'none');
    const findings = await examine('', ['--data', data]);
    expect(findings).toMatchObject([{ level: 'problem', what: expect.stringContaining(data) }]);
    expect(existsSync(data)).toBe(false);
  });

  test('missing migrations, no schema at all, and a newer schema are problems; nothing is changed', async () => {
    const { databaseUrl, sql } = await quietFirm();
    const [newest] = await sql`
      delete from drizzle.__drizzle_migrations
      where created_at = (select max(created_at) from drizzle.__drizzle_migrations) returning *`;
    expect(await examine(databaseUrl)).toMatchObject([
      { level: 'problem', what: expect.stringContaining('lacks 1 of') },
    ]);
    const still = await sql`select 1 from drizzle.__drizzle_migrations where id = ${newest?.id}`;
    expect(still).toHaveLength(0);
    await sql`alter schema drizzle rename to elsewhere`;
    expect(await examine(databaseUrl)).toMatchObject([
      { level: 'problem', what: expect.stringMatching(/lacks (\d+) of \1 migrations/) },
    ]);
    await sql`alter schema elsewhere rename to drizzle`;
    await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('', 9999999999999)`;
    expect(await examine(databaseUrl)).toMatchObject([
      { level: 'problem', what: expect.stringContaining('newer Matterhorn') },
    ]);
  });

  test('jobs due for more than half a minute are late', async () => {
    const { databaseUrl, sql, firm } = await quietFirm();
    await job(sql, firm.id, 'one');
    await job(sql, firm.id, 'two');
    expect(await examine(databaseUrl)).toEqual([]);
    await sql`update job set run_at = moment() - interval '40 seconds'`;
    expect(await examine(databaseUrl)).toMatchObject([
      { level: 'problem', what: expect.stringMatching(/^2 jobs are late, by up to 4\d seconds/) },
    ]);
  });

  test('audit entries older than a minute that are not sealed are a problem, until they are', async () => {
    const { databaseUrl } = await quietFirm();
    await moveClock(databaseUrl, 90);
    const isUnsealed = ({ what }: Finding) => what.includes('not sealed');
    expect((await examine(databaseUrl)).filter(isUnsealed)).toMatchObject([{ level: 'problem' }]);
    await sealAll(databaseUrl);
    expect((await examine(databaseUrl)).filter(isUnsealed)).toEqual([]);
  });

  test("a database's clock that is not this machine's is a warning", async () => {
    const { databaseUrl } = await quietFirm();
    await moveClock(databaseUrl, 40);
    expect(await examine(databaseUrl)).toMatchObject([
      { level: 'warning', what: "The database's clock is 40 seconds ahead of this machine's." },
    ]);
    await moveClock(databaseUrl, -40);
    expect(await examine(databaseUrl)).toMatchObject([
      { level: 'warning', what: "The database's clock is 40 seconds behind this machine's." },
    ]);
  });

  test('keys that expire within 30 days are warnings; revoked, expired and later ones are not', async () => {
    const { databaseUrl, firm, sql } = await quietFirm();
    const day = 24 * 60 * 60 * 1000;
    const inDays = (days: number) => new Date(Date.now() + days * day).toISOString();
    const soon = inDays(29);
    await firm.callerOf(owner, ['leads:read'], ['--name', 'Soon', '--expires', soon]);
    await firm.callerOf(owner, ['leads:read'], ['--name', 'Later', '--expires', inDays(31)]);
    await firm.callerOf(owner, ['leads:read'], ['--name', 'Never', '--expires', 'never']);
    const gone = ['--name', 'Revoked', '--expires', inDays(2)];
    const { keyId } = await firm.callerOf(owner, ['leads:read'], gone);
    await firm.command(['key', 'revoke', keyId]);
    await firm.callerOf(owner, ['leads:read'], ['--name', 'Expired', '--expires', inDays(2)]);
    await sql`update api_key set expires_at = moment() where name = 'Expired'`;
    const findings = await examine(databaseUrl);
    expect(findings).toMatchObject([{ level: 'warning' }]);
    expect(findings[0]?.what).toContain('"Soon"');
    expect(findings[0]?.what).toContain(soon.slice(0, 10));
  });

  test('a firm without an active owner is a problem', async () => {
    const { databaseUrl, sql, firm } = await quietFirm();
    await makeFirm({ url: '', databaseUrl });
    await sql`update member set deactivated_at = moment() where firm_id = ${firm.id} and email = ${owner}`;
    const findings = await examine(databaseUrl);
    expect(findings).toMatchObject([{ level: 'problem' }]);
    expect(findings[0]?.what).toBe(`The firm "${firm.firm.name}" has no active owner.`);
  });

  test('a firm without numbering or lead stages is a warning that names what it lacks', async () => {
    const { databaseUrl, firm } = await quietFirm({ numbering: {}, leadStages: [] });
    expect(await examine(databaseUrl)).toMatchObject([
      {
        level: 'warning',
        what: `The firm "${firm.firm.name}" has no numbering of leads, numbering of matters, lead stages.`,
      },
    ]);
  });

  test('a disk that is nearly full is a warning, and one that is as good as full a problem', () => {
    const gibibyte = 1024 ** 3;
    const levelOf = (free: number, total: number) =>
      diskFindings('/data', free * gibibyte, total * gibibyte).map(({ level }) => level);
    expect(levelOf(50, 100)).toEqual([]);
    expect(levelOf(4, 100)).toEqual(['warning']);
    expect(levelOf(1.5, 10)).toEqual(['warning']);
    expect(levelOf(0.4, 1)).toEqual(['problem']);
    expect(diskFindings('/data', 0, gibibyte)[0]?.what).toContain('/data has 0.0 GiB left');
  });
});
