/**
 * What was kept of each release (`upgrades/keep.ts`) is upgraded by this one: the same answers to the
 * same keys, nothing lost, nothing told twice. And what is newer than this program is left alone.
 * It is the newest of them, and with WHOLE=1 each.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { knownMigrations } from '../../src/postgres/migrate.ts';
import {
  searchTextOf,
  searchTextOfNumber,
  searchTextWith,
} from '../../src/search-text/search-text.ts';
import { takeClock } from '../support/clock.ts';
import { connect, emptyDatabase } from '../support/database.ts';
import { caller, startTestServer, usualBlueprint } from '../support/firm.ts';
import { programWords } from '../support/program.ts';
import { receiversAt, startReceiver } from '../support/receiver.ts';
import { environmentOf } from '../support/roles.ts';
import { run, runJson } from '../support/terminal.ts';
import { until } from '../support/until.ts';
import { isWhole } from '../support/whole.ts';
import { expectPeople, type KeptPeople } from './people.ts';

const folder = import.meta.dir;
const all = readdirSync(folder).filter((name) => /^\d/.test(name));
const releases = isWhole ? all : all.sort(Bun.semver.order).slice(-1);

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Body = any;

type Kept = {
  at: string;
  firmId: string;
  key: string;
  repeated: { 'idempotency-key': string; body: object; answer: Body };
  answers: Record<string, Body>;
  commands: Record<string, Body>;
  /** Releases before the application have none. */
  people?: KeptPeople;
};

/** A database as the release left it. Its clock is a moment later and does not run. */
const restored = async (release: string) => {
  const databaseUrl = await emptyDatabase();
  const sql = connect(databaseUrl);
  const dump = await Bun.file(join(folder, release, 'database.sql.gz')).bytes();
  await sql.unsafe(new TextDecoder().decode(Bun.gunzipSync(dump)));
  await sql.end();
  const kept: Kept = await Bun.file(join(folder, release, 'answers.json')).json();
  const clock = await takeClock(databaseUrl);
  await clock.standAt(clockOfKept(kept).getTime());
  return { databaseUrl, kept, clock };
};

const clockOfKept = ({ at }: Kept) => new Date(new Date(at).getTime() + 1_000);

/** The first releases had no application, so nobody signed in. */
const hasPeople = (release: string) => !['0.1.0', '0.2.0'].includes(release);

const appliedIn = async (databaseUrl: string) => {
  const sql = connect(databaseUrl);
  const rows =
    await sql`select created_at::float8 as at from drizzle.__drizzle_migrations order by id`;
  await sql.end();
  return rows.map(({ at }) => at as number);
};

/** Fields that a newer release adds are no difference; those it had must stay as they were. */
const expectStill = (now: Body, before: Body) => {
  if (typeof before === 'object' && before !== null) expect(now).toMatchObject(before);
  else expect(now).toEqual(before);
};

describe.each(releases)('A database of release %s', (release) => {
  test('answers as before, goes on numbering, and delivers what was pending once', async () => {
    const { databaseUrl, kept, clock } = await restored(release);
    expect(await runJson(databaseUrl, ['firm', 'list'])).toHaveLength(1);
    const server = await startTestServer({ databaseUrl });
    const owner = caller(server.url, kept.key);
    const command = <Document>(words: string) =>
      runJson<Document>(databaseUrl, [...words.split(' '), '--firm', kept.firmId]);

    expect(Object.keys(kept.answers).length).toBeGreaterThan(10);
    for (const [path, before] of Object.entries(kept.answers)) {
      const { status, body } = await owner.get(path);
      expect([path, status]).toEqual([path, 200]);
      expectStill(body, before);
    }
    const { 'idempotency-key': once, body: late, answer } = kept.repeated;
    const replay = await owner.post('/v1/leads', late, { 'idempotency-key': once });
    expect([replay.status, replay.body]).toEqual([201, answer]);

    const told = (notices: Body[]) => notices.filter(({ kind }) => kind === 'lead.new');
    const inbox = 'inbox --member ada@harrow.example';
    const before = told(kept.commands[inbox]).length;
    expect(told(await command<Body[]>(inbox))).toHaveLength(before);
    await clock.step(120);
    await until(async () => told(await command<Body[]>(inbox)).length > before);
    await Bun.sleep(1_500);
    expect(told(await command<Body[]>(inbox))).toHaveLength(before + 1);
    // Nobody gets mail because of an upgrade.
    const sql = connect(databaseUrl);
    expect(await sql`select from mail`).toHaveLength(0);
    expect(await sql`select from firm where mails_since is not null`).toHaveLength(0);
    await sql.end();

    const highest = Math.max(
      ...kept.answers['/v1/leads'].data.map(({ publicId }: Body) => Number(publicId.slice(2))),
    );
    const made = await owner.post('/v1/leads', { lastName: 'Newcomer' });
    expect(made.status).toBe(201);
    expect(made.body.data.publicId).toBe(`L-${String(highest + 1).padStart(4, '0')}`);
    const list = await owner.get('/v1/leads');
    expect(list.body.pagination.total).toBe(kept.answers['/v1/leads'].pagination.total + 1);
    for (const words of ['quill', 'newcomer', 'ångström', 'obrien']) {
      const found = await owner.get(`/v1/search?q=${encodeURIComponent(words)}`);
      expect([words, found.body.data.length > 0]).toEqual([words, true]);
    }

    const log = await command<Body[]>('audit list');
    const earlier: Body[] = kept.commands['audit list'];
    expect(log.length).toBeGreaterThan(earlier.length);
    expectStill(log.slice(0, earlier.length), earlier);
    expect((await run(databaseUrl, ['audit', 'verify'])).exitCode).toBe(0);
  });

  if (hasPeople(release))
    test('keeps its people signed in, and what they have', async () => {
      const { databaseUrl, kept } = await restored(release);
      expect(await runJson(databaseUrl, ['firm', 'list'])).toHaveLength(1);
      const server = await startTestServer({ databaseUrl });
      for (const words of ['firm show', 'key list']) {
        const now = await runJson(databaseUrl, [...words.split(' '), '--firm', kept.firmId]);
        expectStill(now, kept.commands[words]);
      }
      if (kept.people) await expectPeople(server.url, kept.people, clockOfKept(kept));
    });

  test('is paged through to the end', async () => {
    const { databaseUrl, kept } = await restored(release);
    // As many records as fit into several blocks, long ones too; all but a few of them are deleted.
    const sql = connect(databaseUrl);
    await sql`update lead set ordinal = ordinal * 9000`;
    await sql`update register set last_ordinal = last_ordinal * 9000 where kind = 'lead'`;
    await sql`delete from register_block where kind = 'lead'`;
    // The first release had blocks of one length.
    const [{ hasLengths } = { hasLengths: false }] = await sql`select exists (
      select from information_schema.columns
      where table_name = 'register_block' and column_name = 'length') as "hasLengths"`;
    const [length, of] = hasLengths
      ? [sql`length,`, sql`, unnest(array[500, 25000]) length`]
      : [sql``, sql`, (values (2000)) as block(length)`];
    await sql`insert into register_block (firm_id, kind, ${length} block, live, live_private)
      select firm_id, 'lead', ${length} ordinal / length, count(*), count(*) filter (where is_private)
      from lead ${of} where deleted_at is null group by firm_id, length, ordinal / length`;
    await sql.end();
    await run(databaseUrl, ['firm', 'list']);
    const server = await startTestServer({ databaseUrl });
    const owner = caller(server.url, kept.key);
    const ids = async (query: string): Promise<string[]> =>
      (await owner.get(`/v1/leads?${query}`)).body.data.map(({ id }: Body) => id);
    const all = await ids('limit=100');
    expect(all.length).toBeGreaterThan(2);
    for (const [offset, id] of all.entries())
      expect([offset, await ids(`limit=1&offset=${offset}`)]).toEqual([offset, [id]]);
    expect(await ids(`offset=${all.length}`)).toEqual([]);
  });

  test('is searched as if this release had written it', async () => {
    const { databaseUrl, kept } = await restored(release);
    const sql = connect(databaseUrl);
    afterAll(() => sql.end());
    // As the first release stored a name with digits in it.
    const isFirst = release === '0.1.0';
    if (isFirst)
      await sql`update contact set findable_by = ' early bird4you 4711b ' where name = 'Early Bird'`;
    await run(databaseUrl, ['firm', 'list']);
    const server = await startTestServer({ databaseUrl });
    const owner = caller(server.url, kept.key);
    const found = async (words: string): Promise<string[]> => {
      const { body } = await owner.get(`/v1/search?q=${encodeURIComponent(words)}`);
      return body.data.map(({ type, title }: Body) => `${type} ${title}`).sort();
    };
    const [zoe, early] = ['CONTACT Zoë Quill-Ångström', ['CONTACT Early Bird', 'LEAD Early Bird']];
    const withDigits = isFirst ? early : [];
    const quill = [zoe, 'MATTER Quill v. O’Brien'];
    const expected: Record<string, string[]> = {
      quill,
      uil: quill,
      qu: quill,
      quil: quill,
      angstorm: quill,
      'zoe@quill.example': quill,
      '2345678': quill,
      '1 234 56': quill,
      '431234': quill,
      'angstrom v brien': [quill[1] ?? ''],
      'early bird': early,
      bird4you: withDigits,
      4711: withDigits,
      '4711 b': withDigits,
      arly: early,
      l1: ['LEAD Early Bird'],
      'bird 0001': ['LEAD Early Bird'],
      hiden: ['CONTACT Hidden', 'LEAD Hidden'],
      '2026-0002': ['MATTER Untitled matter'],
      '20260002': ['MATTER Untitled matter'],
      gone: [],
      quyllx: [],
    };
    for (const [words, lines] of Object.entries(expected))
      expect([words, await found(words)]).toEqual([words, lines]);

    const wordsOf = (text: string) => [...new Set(text.split(' ').filter(Boolean))].sort();
    const contactsOf = sql`coalesce((select string_agg(findable_by, '') from contact
      where id = any(clients) and (deleted_at is null or kind = 'matter')), '')`;
    const rows = await sql`
      select number, title, findable_by as "searchText", ${contactsOf} as contacts from (
        select 'lead' as kind, number, '' as title, findable_by, array[contact_id] as clients from lead
        union all select 'matter', number, title, findable_by, array(select contact_id
          from matter_client where matter_id = matter.id) from matter) record`;
    expect(rows.length).toBeGreaterThan(4);
    for (const { number, title, searchText, contacts } of rows) {
      const written = searchTextWith(searchTextOf([searchTextOfNumber(number), title]), [contacts]);
      expect(wordsOf(searchText)).toEqual(wordsOf(written));
    }

    // What is renamed from now on is found by its new name, with its leads and matters.
    const [{ id } = { id: '' }] = await sql`select id from contact where name like 'Zoë%'`;
    await owner.patch(`/v1/contacts/${id}`, { lastName: 'Rutherford' });
    expect(await found('rutherford')).toEqual([
      'CONTACT Zoë Rutherford',
      'MATTER Quill v. O’Brien',
    ]);
    expect(await found('angstrom')).toEqual([]);
  });

  // Later releases note each move themselves, a moment apart from its entry in the log.
  test.if(!hasPeople(release))(
    'knows the way of its leads through the pipeline from the audit log',
    async () => {
      const { databaseUrl, kept } = await restored(release);
      await run(databaseUrl, ['firm', 'list']);
      const log = await runJson<Body[]>(databaseUrl, ['audit', 'list', '--firm', kept.firmId]);
      const moves = log
        .filter(({ action, changes }) => action === 'update' && changes.leadStageId)
        .map(({ at, recordId, changes: { leadStageId } }) => ({
          leadId: recordId,
          fromStageId: leadStageId.before,
          toStageId: leadStageId.after,
          at,
        }));
      const sql = connect(databaseUrl);
      const stored = await sql`select lead_id as "leadId", from_stage_id as "fromStageId",
      to_stage_id as "toStageId", at from lead_move order by at, id`;
      await sql.end();
      expect(stored.map((move) => ({ ...move, at: move.at.toISOString() }))).toEqual(
        moves as never,
      );
      expect(moves.length).toBe(release === '0.1.0' ? 0 : 2);
    },
  );

  test('hides the contacts of private leads from those who do not see the leads', async () => {
    const { databaseUrl, kept } = await restored(release);
    const attorney = ['--member', 'ben@harrow.example', '--firm', kept.firmId];
    const words = ['key', 'create', ...attorney, '--scope', 'contacts:read', 'leads:read'];
    const { key } = await runJson<{ key: string }>(databaseUrl, words);
    const server = await startTestServer({ databaseUrl });
    const [owner, ben] = [caller(server.url, kept.key), caller(server.url, key)];
    const all: Body[] = (await owner.get('/v1/contacts?limit=100')).body.data;
    const open = all.filter(({ name }) => name !== 'Hidden').map(({ id }) => id);
    expect(open.length).toBe(all.length - 1);
    for (let offset = 0; offset <= open.length; offset += 1) {
      const { data, pagination } = (await ben.get(`/v1/contacts?limit=2&offset=${offset}`)).body;
      const ids = data.map(({ id }: Body) => id);
      expect([ids, pagination.total]).toEqual([open.slice(offset, offset + 2), open.length]);
    }
    for (const { id, name } of all) {
      const { status } = await ben.get(`/v1/contacts/${id}`);
      expect([name, status]).toEqual([name, name === 'Hidden' ? 404 : 200]);
    }
    for (const q of ['hidden', 'hiden', 'idde']) {
      expect([q, (await ben.get(`/v1/search?q=${q}`)).body.data]).toEqual([q, []]);
      expect((await owner.get(`/v1/search?q=${q}`)).body.data).toHaveLength(2);
    }
    const sql = connect(databaseUrl);
    afterAll(() => sql.end());
    const known = await sql`select word, is_private as "isPrivate" from known_word
      where word in ('hidden', 'quill')`;
    expect(known.map(({ word, isPrivate }) => [word, isPrivate]).sort()).toEqual([
      ['hidden', true],
      ['quill', false],
    ]);
  });

  test('tells a webhook of what happens from now on, and of what was before only if asked to', async () => {
    const { databaseUrl, kept } = await restored(release);
    const who = ['--member', 'ada@harrow.example', '--firm', kept.firmId];
    const scopes = ['leads:read', 'leads:write', 'webhooks:write', 'webhooks:read'];
    const words = ['key', 'create', ...who, '--scope', ...scopes];
    const { key } = await runJson<{ key: string }>(databaseUrl, words);
    const server = await startTestServer({ databaseUrl, environment: receiversAt });
    const owner = caller(server.url, key);
    const receiver = startReceiver();
    const asked = { url: receiver.url, types: ['lead.created'] };
    const { id } = (await owner.post('/v1/webhook-endpoints', asked)).body.data;
    const made = (await owner.post('/v1/leads', { lastName: 'Newcomer' })).body.data.id;
    const [first] = await receiver.until(1);
    expect(first?.event.data.id).toBe(made);
    await owner.post(`/v1/webhook-endpoints/${id}/replay`, { after: '0' });
    const all = (await receiver.until(2, ({ event }) => event.data.id === made)).at(-1);
    expect(all?.id).toBe(first?.id as string);
    const before: string[] = kept.answers['/v1/leads'].data.map(({ id }: Body) => id);
    const told = receiver.arrived.map(({ event }) => event.data.id);
    for (const one of before) expect([one, told.includes(one)]).toEqual([one, true]);
  });

  test('is upgraded once by six instances that start at the same moment', async () => {
    const { databaseUrl, kept } = await restored(release);
    const instances = Array.from({ length: 6 }, () =>
      Bun.spawn([...programWords(databaseUrl), 'serve', '--port', '0', '--json'], {
        env: { ...process.env, ...environmentOf(databaseUrl), DATABASE_CONNECTIONS: '2' },
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
    afterAll(() => {
      for (const instance of instances) instance.kill('SIGKILL');
    });
    for (const instance of instances) {
      const reader = instance.stdout.getReader();
      const { value } = await reader.read();
      const { url } = JSON.parse(new TextDecoder().decode(value));
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      const { status, body } = await caller(url, kept.key).get('/v1/leads');
      expect(status).toBe(200);
      expectStill(body, kept.answers['/v1/leads']);
    }
    expect(await appliedIn(databaseUrl)).toEqual(await knownMigrations());
    for (const instance of instances) instance.kill('SIGTERM');
    for (const instance of instances) expect(await instance.exited).toBe(0);
  });
});

test('A database of a newer release is left as it is, by the server and by commands', async () => {
  const { databaseUrl } = await restored(releases[0] ?? '');
  expect(await runJson(databaseUrl, ['firm', 'list'])).toHaveLength(1);
  const sql = connect(databaseUrl);
  afterAll(() => sql.end());
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at)
    values ('of a newer release', ${Date.now() + 1e12})`;
  const applied = await appliedIn(databaseUrl);
  const blueprint = JSON.stringify({ name: 'New', ...usualBlueprint });
  for (const words of [
    ['serve', '--port', '0'],
    ['firm', 'list'],
    ['firm', 'apply', '-'],
  ]) {
    const { exitCode, out, err } = await run(databaseUrl, words, blueprint);
    expect([exitCode, out]).toEqual([1, '']);
    expect(err).toMatch(/^This database was made by a newer Matterhorn\. [^\n]+\n$/);
  }
  expect(await appliedIn(databaseUrl)).toEqual(applied);
  expect((await sql`select from firm`).length).toBe(1);
});
