/**
 * The application's pages and its search, and what is written for it, beside another build, in turn, on
 * copies of one database with 50,000 leads and 100,000 notes:
 * `bun test/proof/bench/application.ts --vs EXECUTABLE [--executable EXECUTABLE] [--rounds N] [--leads N]
 * [--data folder] [--only pages|search]`. With --data the older database is kept for the next run.
 * Says how long the newer build needs to start on the older one's database, and until it finds all notes.
 * What counts are the ratios, the other build's time by this one's: above 1 this one is faster. `cpu` is what the
 * server and Postgres used together; it depends less on what else the machine does.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { startEmbedded } from '../../../src/postgres/embedded/embedded.ts';
import { embeddedUrl } from '../../support/embedded.ts';
import { sessionOf } from '../../support/session.ts';
import { freshExecutable } from './executable.ts';
import { oddOne, storePeople, storeWords, withoutSearchIndexes } from './people.ts';
import { cpuSecondsOf, postmasterOf } from './processes.ts';

const { values: flags } = parseArgs({
  options: {
    vs: { type: 'string' },
    executable: { type: 'string' },
    rounds: { type: 'string', default: '40' },
    leads: { type: 'string', default: '50000' },
    data: { type: 'string' },
    only: { type: 'string' },
  },
});
if (!flags.vs) {
  console.error('--vs takes the executable to compare with.');
  process.exit(2);
}
const rounds = Number(flags.rounds);
const leads = Number(flags.leads);
const member = 'ada@harrow.example';

const searches: Record<string, string[]> = {
  'rare name': [oddOne.firstName, oddOne.lastName],
  'common name': ['smith', 'johnson', 'mary', 'gmail'],
  'part of a name': ['anders', 'quacken', 'iams', 'wil'],
  number: ['L-4711', 'L-41', 'L-49999', 'M-2026-17'],
  phone: ['907 555-0147', '555-0147'],
  'two names': ['zebulon quackenbush', 'mary johnson', 'smith james'],
  typo: ['zebuln', 'quakenbush', 'smiht', 'rodriguess'],
  'word in every third note': ['called', 'insurance'],
  'word in few notes': ['lighthouse', 'windmill'],
  'no hit': ['xqzxq', 'wuzzwyz'],
  'two words, no hit': ['smith xqzxq', 'xqzxq wuzzwyz'],
};

const folder = flags.data ?? (await mkdtemp(join(tmpdir(), 'matterhorn-bench-')));
const embedded = await startEmbedded({
  dataDirectory: folder,
  say: () => {},
  onGaveUp: console.error,
});
const open = (database: string) =>
  postgres({ ...embedded.superuser, database, max: 1, onnotice: () => {} });
const urlOf = (database: string) => embeddedUrl({ ...embedded.superuser, database });

const environmentOf = (database: string) => ({
  ...process.env,
  DATABASE_URL: urlOf(database),
  RATE_LIMIT: 'off',
  MATTERHORN_LOG: 'quiet',
});

const startServer = async (executable: string, database: string) => {
  const child = Bun.spawn([executable, 'serve', '--port', '0'], {
    env: environmentOf(database),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += new TextDecoder().decode(chunk);
    const url = /http:\/\/[\d.:]+/.exec(printed)?.[0];
    if (!url) continue;
    return {
      url,
      pid: child.pid,
      async stop() {
        child.kill();
        await child.exited;
      },
    };
  }
  throw new Error('The server did not start.');
};

const ask = async (executable: string, database: string, words: string[], input = '') => {
  const child = Bun.spawn([executable, ...words, '--json'], {
    env: environmentOf(database),
    stdio: [new Blob([input]), 'pipe', 'inherit'],
  });
  return JSON.parse(await new Response(child.stdout).text());
};

const vocabulary =
  `called insurance accident brother office letter asked about money paper house tuesday
  signed waiting worried appointment doctor employer contract deadline children school mortgage claim
  witness police report settlement offer refused evening tomorrow translator certificate`
    .trim()
    .split(/\s+/);

/** Leads of every contact, and two notes of thirty words about each; `rare` words in a few. */
const fill = async (
  database: string,
  firm: Parameters<typeof storePeople>[1],
  memberId: string,
) => {
  const sql = open(database);
  await withoutSearchIndexes(sql, async () => {
    await storePeople(sql, firm, leads);
    await sql`
      insert into lead (firm_id, id, ordinal, number, status, is_private, lead_stage_id, contact_id,
        custom_fields, findable_by, came_through_api, created_at, updated_at)
      select firm_id, gen_random_uuid(), at, 'L-' || at, 'ACTIVE', random() < 0.1, ${firm.leadStageId},
        id, '{}', ' l ' || at || ' |' || findable_by, true, created_at, updated_at
      from (select *, row_number() over (order by ordinal) + ${leads / 10}::int as at
        from contact where firm_id = ${firm.id} and ordinal % 10 <> 0) of_contact`;
    await sql`update register set live = ${leads}, last_ordinal = ${leads}, last_number = ${leads}
      where firm_id = ${firm.id} and kind = 'lead'`;
    await sql`
      insert into note (firm_id, id, about, record_id, member_id, text, created_at, updated_at)
      select lead.firm_id, gen_random_uuid(), 'lead', lead.id, ${memberId},
        array_to_string(array(select case
            when word = 1 and ordinal % 5000 = 7 then 'lighthouse'
            when word = 2 and ordinal % 9000 = 8 then 'windmill'
            when random() < 0.5 then (${sql.array(vocabulary)}::text[])[
              1 + floor(power(random(), 2) * ${vocabulary.length})::int]
            else substr(md5((random() * 20000 + one * 0)::int::text), 1, 4 + (random() * 4)::int) end
          from generate_series(1, 30) word where lead.id is not null), ' '),
        lead.created_at, lead.created_at
      from lead, generate_series(1, 2) one where lead.firm_id = ${firm.id}`;
  });
  await storeWords(sql, firm.id);
  await sql`vacuum analyze`;
  await sql.end();
};

const middle = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;

try {
  const before = flags.vs;
  const now = flags.executable ?? (await freshExecutable());
  const admin = open('postgres');
  const [kept] = await admin`select from pg_database where datname = 'before'`;
  if (!kept) await admin`create database before`;
  await admin`drop database if exists now`;
  const blueprint = JSON.stringify({
    name: 'Firm',
    members: [{ email: member, name: 'Ada', role: 'Owner' }],
    numbering: { lead: 'L-{####}', matter: 'M-{YYYY}-{####}' },
    leadStages: ['New'],
    practiceAreas: [{ name: 'Family', stages: ['Intake'], matterTypes: [] }],
  });
  const standing = await ask(before, 'before', ['firm', 'apply', '-'], blueprint);
  const { id } = standing.firm;
  const store = kept ? async () => {} : fill;
  await store(
    'before',
    {
      id,
      leadStageId: standing.leadStages.New,
      practiceAreaId: standing.practiceAreas.Family.id,
      stageId: standing.practiceAreas.Family.stages.Intake,
    },
    standing.members[member],
  );
  const made = await ask(before, 'before', [
    ...['key', 'create', '--firm', id, '--member', member, '--scope', 'leads:write', 'leads:read'],
  ]);
  await admin`create database now template before`;
  await admin.end();

  let began = performance.now();
  const ofNow = await startServer(now, 'now');
  console.log(`started on the older database in ${Math.round(performance.now() - began)} ms`);
  began = performance.now();
  const sql = open('now');
  const isFilling = async () => {
    const [job] = await sql`select to_regclass('written_text') as there,
      exists (select from job where kind = 'text_find') as "isThere"`;
    return job?.there && job.isThere;
  };
  while (await isFilling()) await Bun.sleep(100);
  console.log(`found all notes after ${Math.round(performance.now() - began)} ms`);
  await sql`vacuum analyze`;
  const [size] = await sql`select pg_size_pretty(pg_total_relation_size('written_text')) as of`;
  console.log(`written_text: ${size?.of}`);
  await sql.end();

  const ofBefore = await startServer(before, 'before');
  // The present program makes the session, and the older database gets a copy: its tables are older.
  const firm = { id, members: standing.members };
  const token = await sessionOf({ databaseUrl: urlOf('now') }, firm, member);
  const [from, to] = [open('now'), open('before')];
  const [session] = await from`
    select to_jsonb(session)::text as row from session where firm_id = ${id} order by id desc limit 1`;
  await to`insert into session select (jsonb_populate_record(null::session, ${session?.row}::text::jsonb)).*`;
  await Promise.all([from.end(), to.end()]);
  const headers = { cookie: `__Host-session=${token}` };
  const pair = [ofNow, ofBefore].map(({ url, pid }) => ({ url, pid, headers }));

  const asker = open('now');
  const [backend] = await asker`select pg_backend_pid() as pid`;
  const postmaster = postmasterOf(backend?.pid);

  type Times = { wall: number[]; cpu: number[] };
  /** The requests go to both builds in turn, a round at a time; which one is first changes. */
  const compare = async (name: string, requests: ((url: string, headers: object) => Request)[]) => {
    const times: [Times, Times] = [
      { wall: [], cpu: [] },
      { wall: [], cpu: [] },
    ];
    for (let round = -3; round < rounds; round += 1) {
      for (const at of round % 2 ? ([0, 1] as const) : ([1, 0] as const)) {
        const { url, pid, headers } = pair[at] as (typeof pair)[number];
        const used = () => cpuSecondsOf(pid) + cpuSecondsOf(postmaster);
        const before = used();
        for (let repeat = 0; repeat < 20; repeat += 1) {
          const asked = (requests[repeat % requests.length] as (typeof requests)[number])(
            url,
            headers,
          );
          const begun = performance.now();
          const answer = await fetch(asked, { redirect: 'manual' });
          await answer.text();
          if (answer.status >= 400) throw new Error(`${name}: ${answer.status}`);
          if (round >= 0) times[at].wall.push(performance.now() - begun);
        }
        if (round >= 0) times[at].cpu.push(((used() - before) * 1000) / 20);
      }
    }
    const [ofNow, ofBefore] = times.map(({ wall, cpu }) => ({
      wall: middle(wall),
      cpu: cpu.reduce((sum, one) => sum + one, 0) / cpu.length,
    })) as [Record<'wall' | 'cpu', number>, Record<'wall' | 'cpu', number>];
    return {
      case: name,
      'now ms': ofNow.wall.toFixed(2),
      'before ms': ofBefore.wall.toFixed(2),
      ratio: (ofBefore.wall / ofNow.wall).toFixed(2),
      'now cpu ms': ofNow.cpu.toFixed(2),
      'before cpu ms': ofBefore.cpu.toFixed(2),
      'ratio of cpu': (ofBefore.cpu / ofNow.cpu).toFixed(2),
    };
  };

  type Row = Awaited<ReturnType<typeof compare>>;
  const rows: Row[] = [];
  const sqlOfBoth = open('before');
  const newest = async (table: string) => {
    const [row] = await sqlOfBoth`
      select id from ${sqlOfBoth(table)} where firm_id = ${id} order by ordinal desc limit 1`;
    return row?.id as string;
  };
  const [leadId, matterId, contactId] = await Promise.all(
    ['lead', 'matter', 'contact'].map(newest),
  );
  await sqlOfBoth.end();
  const pages = {
    'board of leads': '/leads',
    'list of leads': '/leads?view=list',
    'list of leads, filtered and sorted': '/leads?view=list&status=ACTIVE&sort=name',
    lead: `/leads/${leadId}`,
    'new lead': '/leads/new',
    'board of matters': '/matters',
    'list of matters': '/matters?view=list',
    matter: `/matters/${matterId}`,
    'new matter': '/matters/new',
    'list of contacts': '/contacts',
    contact: `/contacts/${contactId}`,
    home: '/',
    tasks: '/tasks',
    calendar: '/calendar',
  };
  for (const [name, path] of flags.only === 'search' ? [] : Object.entries(pages)) {
    const asks = (url: string, headers: object) =>
      new Request(url + path, { headers: { ...headers, accept: 'text/html' } });
    rows.push(await compare(name, [asks]));
  }
  const island = { 'x-sent-by': 'island', accept: 'application/json' };
  for (const [name, queries] of flags.only === 'pages' ? [] : Object.entries(searches)) {
    for (const [door, more] of [
      ['palette', island],
      ['page', { accept: 'text/html' }],
    ] as const) {
      const asking = queries.map((q) => (url: string, headers: object) => {
        const address = `${url}/search?q=${encodeURIComponent(q)}`;
        return new Request(address, { headers: { ...headers, ...more } });
      });
      rows.push(await compare(`${name}, ${door}`, asking));
    }
  }
  const text = `${vocabulary.slice(0, 30).join(' ')}.`;
  const sends = (url: string, headers: object) =>
    new Request(`${url}/leads/${leadId}/notes`, {
      method: 'POST',
      headers: { ...headers, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ text: `${text} ${Math.random().toString(36).slice(2)}` }),
    });
  if (flags.only !== 'pages') rows.push(await compare('write a note', [sends]));
  const creates = (url: string) =>
    new Request(`${url}/v1/leads`, {
      method: 'POST',
      headers: { authorization: `Bearer ${made.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ firstName: 'Mary', lastName: `Smith ${Math.random()}` }),
    });
  if (flags.only !== 'pages') rows.push(await compare('create a lead', [creates]));
  console.table(rows);
  await Promise.all([ofNow.stop(), ofBefore.stop(), asker.end()]);
} finally {
  await embedded.stop();
  if (!flags.data) await rm(folder, { recursive: true, force: true });
}
process.exit();
