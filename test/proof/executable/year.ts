/**
 * Plays an administrator's year with the executable alone, as an administrator would: first run, the
 * firm, keys, 1,000 leads, a backup while it serves, a crash, a restore elsewhere, an upgrade, keys
 * rotated and revoked. `bun test/proof/executable/year.ts EXECUTABLE`; prints what it saw, ends with 1 where something
 * is wrong.
 */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { startEmbedded } from '../../../src/postgres/embedded/embedded.ts';
import { check, placeAlone } from '../../support/executable.ts';
import { megabytesOf } from '../bench/processes.ts';

const { folder, executable, environment } = await placeAlone(
  process.argv[2] ?? 'dist/matterhorn',
  'year',
);
const spawn = (...words: string[]) =>
  Bun.spawn([executable, ...words], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/** Runs a command to its end. */
const mh = async (...words: string[]) => {
  const ran = spawn(...words);
  const [out, err] = await Promise.all([ran.stdout.text(), ran.stderr.text()]);
  return { out, err, exitCode: await ran.exited };
};

const mhJson = async (...words: string[]): Promise<Answer['body']> => {
  const { out, err, exitCode } = await mh(...words, '--json');
  if (exitCode !== 0) throw new Error(`matterhorn ${words.join(' ')}: ${err}`);
  return JSON.parse(out);
};

/** Starts the server on a data directory, and tells its address and how long that took. */
const serve = async (data: string) => {
  const started = performance.now();
  const server = spawn('serve', '--port', '0', '--data', data, '--json');
  const { value } = await server.stdout.getReader().read();
  const { url } = JSON.parse(new TextDecoder().decode(value)) as { url: string };
  void server.stderr.pipeTo(new WritableStream());
  return { server, url, milliseconds: Math.round(performance.now() - started) };
};

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Answer = { status: number; body: any };

const callAs =
  (url: string, key: string) =>
  async (path: string, body?: object, more: object = {}): Promise<Answer> => {
    const answer = await fetch(`${url}/v1${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: answer.status, body: await answer.json() };
  };

const memoryOf = (pid: number) => `${Math.round(megabytesOf(pid))} MB`;

/** A data directory as the first release left it. */
const oldDirectory = async () => {
  const dataDirectory = join(folder, 'old');
  const embedded = await startEmbedded({ dataDirectory, say: () => {}, onGaveUp: console.error });
  const kept = join(import.meta.dir, '../../upgrades/0.1.0');
  const dump = await Bun.file(join(kept, 'database.sql.gz')).bytes();
  const sql = postgres({ ...embedded.superuser, max: 1, onnotice: () => {} });
  await sql.unsafe(new TextDecoder().decode(Bun.gunzipSync(dump)));
  // The first release had one role. Its password is the file's last line.
  await sql.unsafe(`reassign owned by matterhorn_owner to matterhorn;
    drop owned by matterhorn_owner, matterhorn_requests;
    drop role matterhorn_owner, matterhorn_requests`);
  await sql.end();
  await embedded.stop();
  const passwords = join(dataDirectory, 'pgpass');
  const lines = (await Bun.file(passwords).text()).trim().split('\n');
  await writeFile(passwords, `${lines.at(-1)}\n`);
  const { key, answers } = await Bun.file(join(kept, 'answers.json')).json();
  return { key, leads: answers['/v1/leads'].pagination.total as number };
};

let last: Awaited<ReturnType<typeof serve>> | undefined;
try {
  // January: the first run.
  const first = (last = await serve('data'));
  console.log(`first start ${first.milliseconds} ms, ${memoryOf(first.server.pid)} in all`);
  await Bun.write(join(folder, 'firm.yaml'), (await mh('firm', 'example')).out);
  const applied = await mhJson('firm', 'apply', 'firm.yaml', '--data', 'data');
  check('the example makes a firm', applied.firm.id.length === 36);
  const owner = Object.keys(applied.members)[0] ?? '';
  const rights = ['leads:read', 'leads:write', 'contacts:read'];
  const makeKey = (name: string) =>
    mhJson(
      'key',
      'create',
      '--data',
      'data',
      '--member',
      owner,
      '--name',
      name,
      '--scope',
      ...rights,
    );
  const form = await makeKey('Website form');
  const lent = await makeKey('Lent to a contractor');

  // Spring: a thousand leads, by two keys, since each may send 600 at once.
  const call = callAs(first.url, form.key);
  const other = callAs(first.url, lent.key);
  const began = performance.now();
  const post = (by: typeof call, index: number) =>
    by('/leads', { lastName: `Prospect ${index}` }, { 'idempotency-key': `lead ${index}` });
  const answers: Awaited<ReturnType<typeof post>>[] = [];
  for (let made = 0; made < 1_000; made += 20) {
    const twenty = Array.from({ length: 20 }, (_, index) =>
      post(index % 2 === 0 ? call : other, made + index),
    );
    answers.push(...(await Promise.all(twenty)));
  }
  check(
    '1,000 leads are created',
    answers.every(({ status }) => status === 201),
  );
  const eighth = answers[8]?.body.data.id;
  console.log(
    `1,000 leads in ${Math.round(performance.now() - began)} ms, ${memoryOf(first.server.pid)} in all`,
  );
  check('repeated, one is the same', (await post(call, 8)).body.data.id === eighth);

  // Summer: a backup while it serves, more leads, and a crash.
  const backedUp = await mh('backup', 'summer.backup', '--data', 'data');
  check('a backup is made while it serves', backedUp.exitCode === 0);
  check(
    'it is not made over another',
    (await mh('backup', 'summer.backup', '--data', 'data')).exitCode === 1,
  );
  const size = Bun.file(join(folder, 'summer.backup')).size;
  console.log(`the backup has ${Math.round(size / 1000)} kB`);
  const late = await call('/leads', { lastName: 'After the backup' });
  first.server.kill('SIGKILL');
  await first.server.exited;
  const second = (last = await serve('data'));
  console.log(`start after a crash ${second.milliseconds} ms`);
  const afterCrash = await callAs(second.url, form.key)(`/leads/${late.body.data.id}`);
  check('what was acknowledged before a crash is there', afterCrash.status === 200);
  check('the audit log is whole', (await mh('audit', 'verify', '--data', 'data')).exitCode === 0);
  second.server.kill('SIGTERM');
  check('it stops in order', (await second.server.exited) === 0);

  // Autumn: another machine.
  const restored = await mh('restore', 'summer.backup', '--data', 'elsewhere');
  check('the backup is restored elsewhere', restored.exitCode === 0);
  check(
    'not over what is there',
    (await mh('restore', 'summer.backup', '--data', 'data')).exitCode === 1,
  );
  check(
    'its audit log is whole',
    (await mh('audit', 'verify', '--data', 'elsewhere')).exitCode === 0,
  );
  const third = (last = await serve('elsewhere'));
  console.log(`next start ${third.milliseconds} ms, ${memoryOf(third.server.pid)} in all`);
  const there = callAs(third.url, form.key);
  check('it has every lead of the backup', (await there('/leads')).body.pagination.total === 1_000);
  const found = await there('/search?q=prospect%20500');
  check('search finds them', found.body.data[0]?.title === 'Prospect 500');
  check('repeated there, a lead is the same', (await post(there, 8)).body.data.id === eighth);
  const next = await there('/leads', { lastName: 'First of the new machine' });
  check('numbers go on', next.body.data.publicId === late.body.data.publicId);

  // Winter: keys.
  const rotated = await mhJson('key', 'rotate', form.id, '--grace', '24h', '--data', 'elsewhere');
  const withNew = callAs(third.url, rotated.key);
  check('a rotated key works', (await withNew('/leads?limit=1')).status === 200);
  check('the old one too, for a day', (await there('/leads?limit=1')).status === 200);
  const contractor = callAs(third.url, lent.key);
  check('the lent key works', (await contractor('/leads?limit=1')).status === 200);
  await mhJson('key', 'revoke', lent.id, '--data', 'elsewhere');
  check('revoked, it is refused at once', (await contractor('/leads?limit=1')).status === 401);
  check(
    'the doctor has nothing to say',
    (await mh('doctor', '--data', 'elsewhere')).exitCode === 0,
  );
  third.server.kill('SIGTERM');
  check('it stops in order', (await third.server.exited) === 0);

  // The year's end: a data directory of the first release.
  const old = await oldDirectory();
  const fourth = (last = await serve('old'));
  const upgraded = await callAs(fourth.url, old.key)('/leads');
  check('an older data directory is upgraded', upgraded.body.pagination.total === old.leads);
  check('its audit log is whole', (await mh('audit', 'verify', '--data', 'old')).exitCode === 0);
  fourth.server.kill('SIGTERM');
  check('it stops in order', (await fourth.server.exited) === 0);
  check(
    'nothing is left beside the data',
    (await readdir(folder)).sort().join() ===
      'data,elsewhere,firm.yaml,matterhorn,old,summer.backup',
  );
} finally {
  last?.server.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
}
process.exit();
