/** What tests of backup and restore share: a firm with something of everything, and what it answers. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './at-end.ts';
import { connect } from './database.ts';
import { attorney, makeFirm } from './firm.ts';
import { programWords } from './program.ts';
import { environmentOf } from './roles.ts';
import { expectSentence, type Ran } from './terminal.ts';

/** A folder of the test's own, which goes when the test file is over; Postgres may enter it too. */
export const ownFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'matterhorn-backup-'));
  await chmod(folder, 0o755);
  atEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

/** Texts that trip over quoting, escaping, line ends, byte order, direction and normal forms. */
export const oddTexts = [
  `O’Brien "the 'Fox'" \\ \\n \\u0041 \t{"a":[1,null]}`,
  'Zoë Zoe\u0308 ﬁ ﷺ \u202eright to left\u202c שלום \u0628\u0644',
  '𝕳𝖆𝖗𝖗𝖔𝖜 👩‍⚖️🏳️‍🌈 \u{10ffff} \ufeff\ufffe \u2028\u2029 \u0001\u001f\u007f\u0085',
  'line\nafter\r\nline \\. \\N $1 %s {x} <b>&amp;</b> -- ; drop',
];

const made = async (answer: Promise<{ status: number; body: { data: { id: string } } }>) => {
  const { status, body } = await answer;
  if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body.data;
};

/** A firm with records of every kind, some private, changed, archived and deleted, with odd content. */
export const furnishedFirm = async (server: { url: string; databaseUrl: string }) => {
  const firm = await makeFirm(server, {
    customFields: [
      { on: 'lead', name: 'Source "x" \\', type: 'SELECT', options: ['Web', 'Fr,i{e}nd'] },
      { on: 'contact', name: 'Note', type: 'LONG_TEXT' },
      { on: 'matter', name: 'Amount', type: 'NUMBER' },
    ],
  });
  const ben = await firm.callerOf(attorney);
  const family = firm.practiceAreas.Family;
  const contacts: string[] = [];
  for (const [index, text] of oddTexts.entries()) {
    const { id } = await made(
      firm.owner.post('/v1/contacts', {
        lastName: `${text} ${index}`,
        email: `zoe${index}@quill.example`,
        phone: '+43 (1) 234-56 78',
        customFields: { Note: `${text}\n`.repeat(index * 400 + 1) },
      }),
    );
    contacts.push(id);
  }
  const lead = await made(
    ben.post('/v1/leads', {
      lastName: 'Quill-Ångström',
      email: 'q@quill.example',
      value: 'HIGH',
      isPrivate: true,
      customFields: { 'Source "x" \\': 'Fr,i{e}nd' },
    }),
  );
  await firm.owner.patch(`/v1/leads/${lead.id}`, { value: null });
  const matter = await made(
    firm.owner.post('/v1/matters', {
      practiceAreaId: family?.id,
      openDate: '2026-02-03',
      clientContactIds: contacts.slice(0, 3),
      title: oddTexts[1],
      description: (oddTexts[2] ?? '').repeat(5_000),
      team: [{ memberId: firm.members[attorney], role: 'RESPONSIBLE_ATTORNEY', allocation: 33.3 }],
      customFields: { Amount: 0.1 },
    }),
  );
  const archived = await made(
    firm.owner.post('/v1/matters', { practiceAreaId: family?.id, openDate: '2024-02-29' }),
  );
  const meeting = ['--title', oddTexts[3] ?? '', '--starts', '2030-01-02T03:04:05Z'];
  for (const { id } of [matter, archived]) {
    await firm.command([
      'event',
      'add',
      '--matter',
      id,
      ...meeting,
      '--guest',
      attorney,
      'x@y.example',
    ]);
    await firm.command(['task', 'add', '--matter', id, '--title', oddTexts[0] ?? '']);
  }
  await firm.owner.patch(`/v1/matters/${archived.id}`, { status: 'ARCHIVE' });
  await firm.owner.delete(`/v1/contacts/${contacts[3]}`);
  await firm.command(['notify', 'set', '--member', attorney, 'lead.new', 'off']);
  return { ...firm, ben, ids: { contacts, lead: lead.id, matter: matter.id } };
};

/** What a firm answers over HTTP to two of its keys, to the letter: lists, every record in them, searches. */
export const answersOf = async (url: string, firm: Awaited<ReturnType<typeof furnishedFirm>>) => {
  const answers: Record<string, string> = {};
  const ask = async (key: string, path: string) => {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
    const text = await response.text();
    answers[`${key.slice(-4)} ${path}`] = `${response.status} ${text}`;
    return JSON.parse(text) as { data: { id: string }[] };
  };
  for (const { key } of [firm.owner, firm.ben]) {
    const family = firm.practiceAreas.Family?.id;
    for (const list of ['contacts', 'leads', 'matters', 'practice-areas', 'custom-fields']) {
      const { data } = await ask(key, `/v1/${list}?limit=100`);
      if (list === 'custom-fields') continue;
      for (const { id } of Array.isArray(data) ? data : []) await ask(key, `/v1/${list}/${id}`);
    }
    await ask(key, `/v1/matter-types?practiceAreaId=${family}`);
    for (const id of [...firm.ids.contacts, firm.ids.lead]) await ask(key, `/v1/contacts/${id}`);
    for (const word of ['quil', 'Ångström', 'zoe', '𝕳𝖆𝖗', 'nothing such']) {
      await ask(key, `/v1/search?q=${encodeURIComponent(word)}`);
    }
  }
  return answers;
};

/** What a command complained of; lines that say how far it is, which slow work shows, are left out. */
export const complaintsOf = ({ err }: Ran) =>
  err.replaceAll(/^(?:Counting records|(?:\w+ )+\d+ %)\n/gm, '');

/** A command failed with this sentence; how far it had come by then may stand before it. */
export const expectRefused = (ran: Ran, sentence: string) =>
  expectSentence({ ...ran, err: complaintsOf(ran) }, sentence);

/** For embedded databases that are thrown away: they need not wait for the disk. */
export const notDurable = { MATTERHORN_TEST_FSYNC: 'off' };

/** A command as a process of its own, to be interrupted. */
export const startCommand = (databaseUrl: string, words: string[]) => {
  const child = Bun.spawn([...programWords(databaseUrl), ...words], {
    env: { ...process.env, ...environmentOf(databaseUrl), ...notDurable },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atEnd(() => child.kill('SIGKILL'));
  return {
    end: async (signal: NodeJS.Signals) => {
      child.kill(signal);
      const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
      return { exitCode: await child.exited, out, err };
    },
    exited: async () => {
      const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
      return { exitCode: await child.exited, out, err };
    },
  };
};

/**
 * A gate in a database: what comes to it waits until it is opened. `inBackup` puts it into a table
 * of its own, which a backup reads last, `inRestore` before the first lead is stored.
 */
export const gateIn = async (databaseUrl: string) => {
  const sql = connect(databaseUrl);
  atEnd(() => sql.end());
  const key = Math.floor(Math.random() * 2 ** 31);
  const wait = `perform pg_advisory_lock_shared(${key}); perform pg_advisory_unlock_shared(${key});`;
  await sql`select pg_advisory_lock(${key})`;
  const waiting = async () =>
    (await sql`select pid from pg_locks where locktype = 'advisory' and objid = ${key}
      and database = (select oid from pg_database where datname = current_database())
      and not granted`) as unknown as { pid: number }[];
  return {
    sql,
    inBackup: () =>
      sql.unsafe(`
        create type gate as enum ('gate');
        create function gate_as_json(gate) returns json language plpgsql as
          $$ begin ${wait} return '"gate"'; end $$;
        create cast (gate as json) with function gate_as_json(gate);
        create table zz_gate as select 'gate'::gate as gate`),
    inRestore: () =>
      sql.unsafe(`
        create function wait_at_gate() returns trigger language plpgsql as
          $$ begin ${wait} return null; end $$;
        create trigger gate before insert on lead for each statement execute function wait_at_gate();
        alter table lead enable always trigger gate`),
    /** Resolves once somebody waits at it; gives the process of Postgres. */
    reached: async () => {
      for (;;) {
        const [found] = await waiting();
        if (found) return found.pid;
        await Bun.sleep(10);
      }
    },
    isLeft: async () => {
      while ((await waiting()).length > 0) await Bun.sleep(10);
    },
    open: () => sql`select pg_advisory_unlock(${key})`,
  };
};
