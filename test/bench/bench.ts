/**
 * The server beside the bare yardstick, under the same load on the same database, alternating:
 * `bun run bench [--seconds N] [--rounds N]`. What counts are the ratios; figures of one run only.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { startEmbedded } from '../../src/postgres/embedded/embedded.ts';
import { runJson } from '../support/terminal.ts';
import { type Measured, measure, median } from './load.ts';

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    executable: { type: 'string', default: 'dist/matterhorn' },
  },
});
const seconds = Number(flags.seconds);
const rounds = Number(flags.rounds);
const manyLeads = 100_000;

const dataDirectory = await mkdtemp(join(tmpdir(), 'matterhorn-bench-'));
const embedded = await startEmbedded({ dataDirectory, say: () => {}, onGaveUp: console.error });
const { path, username, password, database } = embedded.address;
const folder = encodeURIComponent(path.slice(0, path.lastIndexOf('/')));
const url = `postgres://${username}:${encodeURIComponent(password)}@${folder}/${database}`;

const started: { kill(): void }[] = [];
/** Starts a program and gives the address it prints. */
const start = async (cmd: string[]) => {
  const child = Bun.spawn(cmd, {
    env: {
      ...process.env,
      DATABASE_URL: url,
      RATE_LIMIT: 'off',
      NODE_ENV: 'production',
      MATTERHORN_LOG: 'quiet',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += new TextDecoder().decode(chunk);
    const address = /http:\/\/[\d.:]+/.exec(printed)?.[0];
    if (address) return address;
  }
  throw new Error(`${cmd[0]} did not start`);
};

/** A firm with its owner's key; `leads` of them stored at once, without a door. */
const makeFirm = async (name: string, leads: number) => {
  const standing = await runJson<{ firm: { id: string }; leadStages: Record<string, string> }>(
    url,
    ['firm', 'apply', '-'],
    JSON.stringify({
      name,
      members: [{ email: 'ada@harrow.example', name: 'Ada', role: 'Owner' }],
      numbering: { lead: 'L-{####}' },
      leadStages: ['New'],
      customFields: [{ on: 'lead', name: 'Referral source', type: 'TEXT' }],
    }),
  );
  const firmId = standing.firm.id;
  const words = [
    'key',
    'create',
    '--firm',
    firmId,
    '--member',
    'ada@harrow.example',
    '--scope',
    'leads:read',
    'leads:write',
  ];
  const { key } = await runJson<{ key: string }>(url, words);
  await storeLeads(firmId, standing.leadStages.New ?? '', leads);
  return key;
};

const storeLeads = async (firmId: string, stageId: string, leads: number) => {
  if (leads === 0) return;
  const sql = postgres({ ...embedded.address, max: 1, onnotice: () => {} });
  await sql.begin(async (tx) => {
    await tx`
      insert into contact (firm_id, id, ordinal, type, name, last_name, emails, phones, custom_fields, created_at, updated_at)
      select ${firmId}, gen_random_uuid(), n, 'PERSON', 'Prospect ' || n, 'Prospect ' || n, '[]', '[]', '{}',
        now() - (${leads} - n) * interval '1 second', now() from generate_series(1, ${leads}::int) n`;
    await tx`
      insert into lead (firm_id, id, ordinal, number, status, is_private, lead_stage_id, contact_id, custom_fields, came_through_api, created_at, updated_at)
      select firm_id, gen_random_uuid(), ordinal, 'L-' || ordinal, 'ACTIVE', false, ${stageId}, id, '{}', true, created_at, updated_at
      from contact where firm_id = ${firmId}`;
    await tx`
      update register set live = ${leads}, last_ordinal = ${leads}, last_number = ${leads}, last_at = now()
      where firm_id = ${firmId} and kind in ('contact', 'lead')`;
  });
  await sql`vacuum analyze`;
  await sql.end();
};

type Case = { name: string; clients: number; request: Parameters<typeof measure>[1] };

const compare = async (ours: string, yardstick: string, { name, clients, request }: Case) => {
  const runs: [Measured[], Measured[]] = [[], []];
  for (const address of [ours, yardstick]) await measure(address, request, clients, 1);
  for (let round = 0; round < rounds; round += 1) {
    runs[0].push(await measure(ours, request, clients, seconds));
    runs[1].push(await measure(yardstick, request, clients, seconds));
  }
  const of = (list: Measured[], part: keyof Measured) => median(list.map((one) => one[part]));
  const [mine, theirs] = runs.map((list) => of(list, 'perSecond')) as [number, number];
  const failed = [...runs[0], ...runs[1]].reduce((sum, one) => sum + one.failed, 0);
  return {
    case: name,
    clients,
    'server/s': Math.round(mine),
    'yardstick/s': Math.round(theirs),
    ratio: (mine / theirs).toFixed(2),
    'server p50/p99 ms': `${of(runs[0], 'p50').toFixed(2)} / ${of(runs[0], 'p99').toFixed(2)}`,
    'yardstick p50/p99 ms': `${of(runs[1], 'p50').toFixed(2)} / ${of(runs[1], 'p99').toFixed(2)}`,
    failed,
  };
};

try {
  const executable = (await Bun.file(flags.executable).exists())
    ? [flags.executable]
    : [process.execPath, 'src/main.ts'];
  const ours = await start([...executable, 'serve', '--port', '0']);
  const yardstick = await start([process.execPath, join(import.meta.dir, 'yardstick.ts'), url]);
  const [many, few] = [await makeFirm('Many leads', manyLeads), await makeFirm('Few leads', 100)];
  const headers = { authorization: `Bearer ${few}` };
  const page = (await (await fetch(`${ours}/v1/leads?limit=1`, { headers })).json()) as {
    data: { id: string }[];
  };
  const one = { method: 'GET', path: `/v1/leads/${page.data[0]?.id}`, key: few };
  const list = { method: 'GET', path: '/v1/leads?limit=20', key: many };
  const body = JSON.stringify({ firstName: 'Zoe', lastName: 'Quill', email: 'zoe@quill.example' });
  const create = { method: 'POST', path: '/v1/leads', key: few, body };
  const cases = [
    { name: 'read one lead', request: one },
    { name: `list 20 of ${manyLeads} leads`, request: list },
    { name: 'create a lead', request: create },
  ].flatMap((one) => [1, 16].map((clients) => ({ ...one, clients })));
  const rows = [];
  for (const one of cases) rows.push(await compare(ours, yardstick, one));
  console.table(rows);
} finally {
  for (const child of started) child.kill();
  await embedded.stop();
  await rm(dataDirectory, { recursive: true, force: true });
}
process.exit();
