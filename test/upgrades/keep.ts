/**
 * Keeps a database as a release leaves it, for the tests of upgrades: run in the source tree of that
 * release, `bun test/upgrades/keep.ts POSTGRES_URL FOLDER`, on an empty database of a Postgres whose
 * `pg_dump` is on the PATH. It takes two minutes: the time until notifications are delivered.
 *
 * FOLDER/database.sql.gz is the database; FOLDER/answers.json what that release answered, and when.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readSettings } from '../../src/config.ts';
import { migrate } from '../../src/postgres/migrate.ts';
import { startServer } from '../../src/server.ts';
import { makeFirm } from '../support/firm.ts';
import { keepPeople } from './people.ts';

const [databaseUrl = '', folder = ''] = process.argv.slice(2);

const made = async (answer: Promise<{ status: number; body: { data: { id: string } } }>) => {
  const { status, body } = await answer;
  if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body.data;
};

await migrate(databaseUrl);
const settings = readSettings({ DATABASE_URL: databaseUrl, RATE_LIMIT: 'off' });
const server = startServer(databaseUrl, settings, { host: '127.0.0.1', port: 0 });
const firm = await makeFirm(
  { url: server.url, databaseUrl },
  {
    name: 'Kept & Söhne',
    customFields: [
      { on: 'lead', name: 'Referral source', type: 'SELECT', options: ['Web', 'Friend'] },
      { on: 'contact', name: 'Note', type: 'LONG_TEXT' },
      { on: 'matter', name: 'Court', type: 'TEXT' },
      { on: 'matter', name: 'Opponent', type: 'CONTACT' },
    ],
  },
);
const { owner } = firm;
const family = firm.practiceAreas.Family;
const attorneyId = firm.members['ben@harrow.example'];

const zoe = await made(
  owner.post('/v1/contacts', {
    firstName: 'Zoë',
    lastName: 'Quill-Ångström',
    emails: ['zoe@quill.example'],
    phones: ['+43 (1) 234-56 78'],
    customFields: { Note: 'Prefers "calls"\nin the morning. 🗂' },
  }),
);
const company = await made(
  owner.post('/v1/contacts', { type: 'COMPANY', companyName: 'O’Brien Limited', tradeName: 'OB' }),
);
const gone = await made(owner.post('/v1/contacts', { lastName: 'Gone' }));
await owner.delete(`/v1/contacts/${gone.id}`);
const matter = await made(
  owner.post('/v1/matters', {
    practiceAreaId: family?.id,
    practiceAreaStageColumnId: family?.stages.Filed,
    matterTypeId: family?.matterTypes.Divorce,
    title: 'Quill v. O’Brien',
    openDate: '2026-02-03',
    clientContactIds: [zoe.id, company.id],
    team: [{ memberId: attorneyId, role: 'RESPONSIBLE_ATTORNEY', allocation: 60 }],
    customFields: { Court: 'Vienna', Opponent: company.id },
  }),
);
const closed = await made(
  owner.post('/v1/matters', { practiceAreaId: family?.id, openDate: '2025-12-31' }),
);
await owner.patch(`/v1/matters/${closed.id}`, { status: 'ARCHIVE' });
await firm.command([
  'event',
  'add',
  '--matter',
  matter.id,
  '--title',
  'Hearing',
  '--starts',
  '2027-03-01T09:00:00Z',
  '--guest',
  'ben@harrow.example',
]);
await firm.command(['task', 'add', '--matter', matter.id, '--title', 'File the answer']);
await firm.command(['notify', 'set', '--member', 'ben@harrow.example', 'lead.new', 'off']);
await firm.callerOf('ben@harrow.example', ['leads:read'], ['--expires', 'never']);
const lead = (body: object, headers = {}) => owner.post('/v1/leads', body, headers);
const early = await made(
  lead({ firstName: 'Early', lastName: 'Bird', customFields: { 'Referral source': 'Web' } }),
);
for (const leadStageColumnId of [firm.leadStages.Contacted, firm.leadStages.New]) {
  await owner.patch(`/v1/leads/${early.id}`, { leadStageColumnId });
}
await made(lead({ lastName: 'Hidden', isPrivate: true }));
const people = await keepPeople(server.url, firm, { leadId: early.id, matterId: matter.id });
await Bun.sleep(70_000);

// These are due after the dump: the server that upgrades delivers them.
const once = { 'idempotency-key': 'kept before the upgrade' };
const late = { firstName: 'Late', lastName: 'Riser' };
const repeated = await lead(late, once);
await made(Promise.resolve(repeated));
await Bun.sleep(12_000);

const paths = ['contacts', 'leads', 'matters', 'practice-areas', 'custom-fields', 'lead-stages']
  .map((name) => `/v1/${name}`)
  .concat(`/v1/matter-types?practiceAreaId=${family?.id}`, '/v1/search?q=quill');
const answers: Record<string, unknown> = {};
for (const path of paths) {
  const { status, body } = await owner.get(path);
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
  answers[path] = body;
  for (const { id } of path.includes('?') || /fields|stages/.test(path) ? [] : body.data) {
    answers[`/v1/${path.split('/')[2]}/${id}`] = (
      await owner.get(`/v1/${path.split('/')[2]}/${id}`)
    ).body;
  }
}
const commands: Record<string, unknown> = {};
for (const words of [
  ['inbox', '--member', 'ada@harrow.example'],
  ['audit', 'list'],
  ['event', 'list', '--matter', matter.id],
  ['task', 'list', '--matter', matter.id],
  ['firm', 'show'],
  ['key', 'list'],
]) {
  commands[words.join(' ')] = await firm.command(words);
}
const at = new Date();
await server.stop();

const dump = Bun.spawn(
  [
    'pg_dump',
    '--no-owner',
    '--no-privileges',
    '--inserts',
    '--rows-per-insert=100',
    '--exclude-table-data=rate_bucket',
    databaseUrl,
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
const text = (await dump.stdout.text()).replace(/^\\.*$/gm, '');
if ((await dump.exited) !== 0) throw new Error('pg_dump failed.');
await mkdir(folder, { recursive: true });
await Bun.write(join(folder, 'database.sql.gz'), Bun.gzipSync(text, { level: 9 }));
const kept = {
  at,
  firmId: firm.id,
  key: owner.key,
  repeated: { ...once, body: late, answer: repeated.body },
  answers,
  commands,
  people,
};
await Bun.write(join(folder, 'answers.json'), `${JSON.stringify(kept, null, 1)}\n`);
process.exit();
