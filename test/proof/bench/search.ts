/**
 * GET /v1/search in a firm with this many contacts and in one with a thousand, in one database with
 * a third firm of a hundred thousand: `bun test/proof/bench/search.ts [--contacts 1000000]
 * [--data folder]`. Only the ratios matter; the figures are of one run. With --data the records are
 * kept for the next run.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { startEmbedded } from '../../../src/postgres/embedded/embedded.ts';
import { embeddedUrl } from '../../support/embedded.ts';
import { runJson } from '../../support/terminal.ts';
import { oddOne, storePeople, storeWords, withoutSearchIndexes } from './people.ts';

const { values: flags } = parseArgs({
  options: {
    contacts: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '60' },
    data: { type: 'string' },
  },
});
const few = 1_000;
const beside = 100_000;
const many = Number(flags.contacts);

const cases: Record<string, string[]> = {
  'rare word': [oddOne.firstName, oddOne.lastName],
  'common word': ['smith', 'johnson', 'brown', 'mary', 'gmail', 'llc'],
  'part of a word': ['anders', 'ohnso', 'quacken', 'iams', 'an'],
  phone: ['907 555-0147', '(907) 555 0147', '19075550147', '555-0147'],
  typo: ['zebuln', 'quakenbush', 'quackenbosh', 'smiht', 'jhonson', 'anderzon', 'rodriguess'],
  'no hit': ['xqzxq', 'wuzzwyz', '00000000000'],
  'two words': ['zebulon quackenbush', 'mary johnson', 'smith james', 'brown divorce'],
  'two parts': ['ander brow', 'garcia part', 'ackenb zebu', 'llia joh'],
  'part of very many words': ['ter', 'ba', 'a', '55'],
};

const dataDirectory = flags.data ?? (await mkdtemp(join(tmpdir(), 'matterhorn-bench-')));
const embedded = await startEmbedded({ dataDirectory, say: () => {}, onGaveUp: console.error });
const url = embeddedUrl(embedded.superuser);

const startServer = async () => {
  const child = Bun.spawn([process.execPath, 'src/main.ts', 'serve', '--port', '0'], {
    env: { ...process.env, DATABASE_URL: url, RATE_LIMIT: 'off', MATTERHORN_LOG: 'quiet' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += new TextDecoder().decode(chunk);
    const address = /http:\/\/[\d.:]+/.exec(printed)?.[0];
    if (!address) continue;
    const stop = async () => {
      child.kill();
      await child.exited;
    };
    return { address, stop };
  }
  throw new Error('The server did not start.');
};

type Standing = {
  firm: { id: string };
  leadStages: Record<string, string>;
  practiceAreas: Record<string, { id: string; stages: Record<string, string> }>;
};

/** A firm with this many contacts, stored now or by an earlier run, and a key of its owner. */
const makeFirm = async (contacts: number): Promise<string> => {
  const blueprint = {
    name: `Firm of ${contacts}`,
    members: [{ email: 'ada@harrow.example', name: 'Ada', role: 'Owner' }],
    numbering: { lead: 'L-{####}', matter: 'M-{YYYY}-{####}' },
    leadStages: ['New'],
    practiceAreas: [{ name: 'Family', stages: ['Intake'], matterTypes: [] }],
  };
  const standing = await runJson<Standing>(
    url,
    ['firm', 'apply', '-', '--another'],
    JSON.stringify(blueprint),
  );
  const { id } = standing.firm;
  const area = standing.practiceAreas.Family;
  await store(contacts, {
    id,
    leadStageId: standing.leadStages.New ?? '',
    practiceAreaId: area?.id ?? '',
    stageId: area?.stages.Intake ?? '',
  });
  const words = ['key', 'create', '--firm', id, '--member', 'ada@harrow.example', '--scope'];
  const scopes = ['contacts:read', 'leads:read', 'matters:read'];
  return (await runJson<{ key: string }>(url, [...words, ...scopes])).key;
};

const store = async (contacts: number, firm: Parameters<typeof storePeople>[1]) => {
  const sql = postgres({ ...embedded.superuser, max: 1, onnotice: () => {} });
  const [stored] = await sql`select from contact where firm_id = ${firm.id} limit 1`;
  if (!stored) {
    await withoutSearchIndexes(sql, () => storePeople(sql, firm, contacts));
    await storeWords(sql, firm.id);
    await sql`vacuum analyze`;
  }
  await sql.end();
};

const at = (times: number[], share: number) =>
  times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * share)] ?? 0;

/** Asks the same of each firm in turn, so that what else the machine does falls on all alike. */
const timesOf = async (address: string, keys: string[], queries: string[]) => {
  const times = keys.map((): number[] => []);
  // The first rounds fill caches and have Postgres settle on its plans.
  for (let round = -8; round < Number(flags.rounds); round += 1) {
    for (const q of queries) {
      for (const [firm, key] of keys.entries()) {
        const begun = performance.now();
        const answer = await fetch(`${address}/v1/search?q=${encodeURIComponent(q)}`, {
          headers: { authorization: `Bearer ${key}` },
        });
        await answer.json();
        if (answer.status !== 200) throw new Error(`${q}: ${answer.status}`);
        if (round >= 0) times[firm]?.push(performance.now() - begun);
      }
    }
  }
  return times.map((all) => ({ p50: at(all, 0.5), p99: at(all, 0.99) }));
};

try {
  const [small, , large] = [await makeFirm(few), await makeFirm(beside), await makeFirm(many)];
  const server = await startServer();
  const rows = [];
  for (const [name, queries] of Object.entries(cases)) {
    const none = { p50: 0, p99: 0 };
    const [ofFew = none, ofMany = none] = await timesOf(server.address, [small, large], queries);
    rows.push({
      case: name,
      [`${few} p50/p99 ms`]: `${ofFew.p50.toFixed(1)} / ${ofFew.p99.toFixed(1)}`,
      [`${many} p50/p99 ms`]: `${ofMany.p50.toFixed(1)} / ${ofMany.p99.toFixed(1)}`,
      'p50 ratio': (ofMany.p50 / ofFew.p50).toFixed(1),
      'p99 ratio': (ofMany.p99 / ofFew.p99).toFixed(1),
    });
  }
  console.table(rows);
  await server.stop();
} finally {
  await embedded.stop();
  if (!flags.data) await rm(dataDirectory, { recursive: true, force: true });
}
process.exit();
