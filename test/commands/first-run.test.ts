import { afterAll, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownDatabase, sharedDatabase } from '../support/database.ts';
import { caller, makeFirm, owner, type Standing, startTestServer } from '../support/firm.ts';
import { textsIn } from '../support/html.ts';
import { programWords } from '../support/program.ts';
import { expectSentence, run, runJson } from '../support/terminal.ts';

const databaseUrl = await sharedDatabase();
const program = join(import.meta.dir, '../../src/main.ts');
const folder = mkdtempSync(join(tmpdir(), 'matterhorn-first-run-'));
// Root's Postgres runs as another user, who must get in.
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts the program in a process of its own, as its user does. */
const start = (words: string[], environment: Record<string, string> = {}) => {
  const child = Bun.spawn([...programWords(environment.DATABASE_URL ?? ''), ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', MATTERHORN_TEST_FSYNC: 'off', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  afterAll(() => child.kill('SIGKILL'));
  const err = child.stderr.text();
  return {
    child,
    /** What it prints until `mark` is in it. */
    async until(mark: string) {
      let text = '';
      const decoder = new TextDecoder();
      const reader = child.stdout.getReader();
      while (!text.includes(mark)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`It ended before it said ${mark}: ${text}${await err}`);
        text += decoder.decode(value, { stream: true });
      }
      reader.releaseLock();
      return text;
    },
    said: () => err,
    async ended() {
      return { out: await child.stdout.text(), err: await err, exitCode: await child.exited };
    },
    async stop() {
      child.kill('SIGTERM');
      return child.exited;
    },
  };
};

describe('The first run', () => {
  test('on an empty directory it says three commands that lead to a first lead', async () => {
    const server = start(['serve', '--data', 'data', '--port', '0']);
    const greeting = await server.until('key create');
    expect(greeting).toMatch(
      /^There is no firm yet\. Open this address to set it up: http.*\/setup\?token=/m,
    );
    const url = /http:\/\/\S+/.exec(greeting)?.[0] ?? '';
    const steps = greeting.split('\n').filter((line) => line.startsWith('  '));
    expect(steps).toHaveLength(3);
    let printed = '';
    for (const step of steps) {
      const words = step.replace(/^.*src\/main\.ts/, `bun ${program}`).replace('EMAIL', owner);
      const ran = Bun.spawnSync(['sh', '-c', words], {
        cwd: folder,
        env: { PATH: process.env.PATH ?? '' },
      });
      expect({ step, exitCode: ran.exitCode, err: ran.stderr.toString() }).toEqual({
        step,
        exitCode: 0,
        err: '',
      });
      printed = ran.stdout.toString();
    }
    const key = /mh_\w{36}/.exec(printed)?.[0] ?? '';
    const { status, body } = await caller(url, key).post('/v1/leads', { lastName: 'Quill' });
    expect({ status, publicId: body.data.publicId }).toEqual({ status: 201, publicId: 'L-0001' });
    expect(await server.stop()).toBe(0);
    const again = start(['serve', '--data', 'data', '--port', '0']);
    expect(await again.until('\nFirms: ')).not.toContain('There is no firm yet');
    expect(await again.stop()).toBe(0);
  });

  test('on an empty database of DATABASE_URL it says that the commands want that too', async () => {
    const own = await ownDatabase();
    const server = start(['serve', '--port', '0'], { DATABASE_URL: own });
    const greeting = await server.until('key create');
    expect(greeting).toContain(
      'Or in another terminal, with the same DATABASE_URL, print an example',
    );
    expect(greeting).not.toContain(own);
    expect(await server.stop()).toBe(0);
    const data = ['--data', join(folder, 'unused')];
    const both = start(['serve', '--port', '0', '--json', ...data], { DATABASE_URL: own });
    expect(JSON.parse(await both.until('\n'))).toMatchObject({ url: expect.any(String) });
    await both.stop();
    expect(await both.said()).toStartWith(
      'DATABASE_URL is set: its database is used, and --data is not.\n',
    );
    expect(existsSync(join(folder, 'unused'))).toBe(false);
  });

  test('firm example is a blueprint that applies as it stands, every part of it explained', async () => {
    const own = await ownDatabase();
    const { out, err, exitCode } = await run(own, ['firm', 'example']);
    expect({ err, exitCode }).toEqual({ err: '', exitCode: 0 });
    const applied = await run(own, ['firm', 'apply', '-', '--json'], out);
    expect({ err: applied.err, exitCode: applied.exitCode }).toEqual({ err: '', exitCode: 0 });
    const standing = JSON.parse(applied.out) as Standing;
    const entries = await runJson<unknown[]>(own, ['audit', 'list']);
    expect(await runJson<Standing>(own, ['firm', 'apply', '-'], out)).toEqual(standing);
    expect(await runJson<unknown[]>(own, ['audit', 'list'])).toEqual(entries);
    const lines = out.split('\n');
    const parts = lines.filter((line) => /^\w/.test(line)).map((line) => line.split(':')[0] ?? '');
    expect(parts).toEqual([
      ...[
        'name',
        'timeZone',
        'roles',
        'members',
        'numbering',
        'leadStages',
        'practiceAreas',
        'customFields',
      ],
      'sourceField',
    ]);
    for (const part of parts) {
      const line = lines.findIndex((one) => one.startsWith(`${part}:`));
      expect({ part, explained: lines[line - 1]?.startsWith('# ') }).toEqual({
        part,
        explained: true,
      });
    }
    const blueprint = await runJson<{ name: string }>(own, ['firm', 'example']);
    expect(Object.keys(blueprint)).toEqual(parts);
    expect(standing.firm.name).toBe(blueprint.name);
    const doctor = await run(own, ['doctor']);
    expect(doctor.out).toBe(
      'Everything is as it should be.\nNo mail is set up: notices stay in the application.\n',
    );
  });

  test('an administrator gets from an example to a firm at work, with one command after another', async () => {
    const own = await ownDatabase();
    const server = await startTestServer({ databaseUrl: own });
    const done = async (...words: string[]) => {
      const ran = await run(own, words);
      expect({ words, err: ran.err, exitCode: ran.exitCode }).toEqual({
        words,
        err: '',
        exitCode: 0,
      });
      return ran.out;
    };
    const example = (await done('firm', 'example')).replace(/^name: .*$/m, 'name: Roe & Roe');
    writeFileSync(join(folder, 'roe.yaml'), example);
    const applied = await done('firm', 'apply', join(folder, 'roe.yaml'));
    expect(applied).toMatch(
      /^Roe & Roe is ready, members: 3, practice areas: 2\. Its time zone is America\/New_York\.\nNext: .*key create/,
    );
    expect(await done('firm', 'list')).toContain('Roe & Roe');
    await done(
      'member',
      'add',
      '--email',
      'dee@roe.example',
      '--name',
      'Dee',
      '--role',
      'Attorney',
    );
    const words = [
      '--member',
      'dee@roe.example',
      '--name',
      'Form',
      '--scope',
      'leads:read',
      'leads:write',
    ];
    const [key = ''] = (await done('key', 'create', ...words)).split('\n');
    const lead = await caller(server.url, key).post('/v1/leads', { lastName: 'Quill' });
    expect(lead.status).toBe(201);
    const [listed] = await runJson<{ id: string }[]>(own, ['key', 'list']);
    const [next = ''] = (await done('key', 'rotate', listed?.id ?? '', '--grace', '0')).split('\n');
    const statuses = async () =>
      Promise.all(
        [key, next].map(async (one) => (await caller(server.url, one).get('/v1/leads')).status),
      );
    expect(await statuses()).toEqual([401, 200]);
    await done('member', 'role', 'dee@roe.example', 'Bookkeeper');
    expect(await statuses()).toEqual([401, 403]);
    await done('member', 'role', 'dee@roe.example', 'Attorney');
    await done('notify', 'set', '--member', 'dee@roe.example', 'lead.new', 'off');
    await done('member', 'deactivate', 'dee@roe.example');
    expect(await statuses()).toEqual([401, 401]);
    expect(await done('member', 'list')).toMatch(/dee@roe\.example +Dee +Attorney +deactivated/);
    expect(await done('key', 'list')).toMatch(
      /Form +dee@roe\.example +expired[\s\S]*Form +dee@roe\.example +revoked/,
    );
    const log = await done('audit', 'list');
    expect(log).toMatch(
      new RegExp(`create +lead +${lead.body.data.id} +dee@roe\\.example +Form \\(mh_`),
    );
    const shown = await done('firm', 'show');
    for (const part of [
      ...['Roe & Roe', 'Bookkeeper  contacts:read matters:read', 'Owner       everything'],
      ...['dee@roe.example', 'deactivated', 'M-{YYYY}-{####}', 'Consultation booked', 'Estates'],
      ...['Drafting', 'Probate', 'Referral source', 'Web, Friend', 'Preferred language'],
    ]) {
      expect(shown).toContain(part);
    }
    expect(await done('audit', 'verify')).toContain('all fit');
  });
});

describe('The setup page', () => {
  const input = {
    firm: 'Roe & Roe',
    timeZone: 'America/Denver',
    start: 'immigration',
    name: 'Rita Roe',
    email: ' Rita@Roe.example',
    password: 'four calm otters',
  };

  const send = (url: string, fields: Record<string, string>) =>
    fetch(`${url}/setup`, {
      method: 'POST',
      redirect: 'manual',
      headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin', origin: url },
      body: new URLSearchParams(fields),
    });

  test('makes the first firm and signs its owner in; it works once, also after a restart', async () => {
    const own = await ownDatabase();
    const serve = () => start(['serve', '--json', '--port', '0'], { DATABASE_URL: own });
    type Greeting = { url: string; setupLink?: string };
    const first = serve();
    const earlier = JSON.parse(await first.until('\n')) as Greeting;
    expect(await first.stop()).toBe(0);
    const server = serve();
    const { url, setupLink = '' } = JSON.parse(await server.until('\n')) as Greeting;
    expect(setupLink).toStartWith(`${url}/setup?token=`);
    const token = setupLink.split('=')[1] ?? '';
    expect(earlier.setupLink).toEndWith(token);
    expect(await (await fetch(setupLink)).text()).toContain('Create firm');
    const wrong = `${'A'.repeat(43)}`;
    expect(await (await fetch(`${url}/setup?token=${wrong}`)).text()).toContain(
      'This link no longer works',
    );
    expect((await send(url, { ...input, token: wrong })).status).toBe(410);

    for (const [field, value, words] of [
      ['firm', ' ', 'Enter the name of the firm.'],
      ['timeZone', 'Nowhere/Else', 'Time zone must be the name of a time zone.'],
      ['start', 'none', 'Starting point must be one of the choices.'],
      ['email', 'rita', 'Email must be an email address'],
      ['password', 'otters', 'Password must have 12 to 256 characters.'],
    ] as const) {
      const refused = await send(url, { ...input, token, [field]: value });
      expect({ field, status: refused.status }).toEqual({ field, status: 422 });
      expect(await refused.text()).toContain(words);
    }
    // All at once, each once.
    const wrongly = { ...input, token, firm: '', timeZone: 'Nowhere/Else', password: 'otters' };
    for (const [email, words] of [
      ['rita', 'Email must be an email address, for example ada@harrow.example.'],
      [`${'r'.repeat(300)}@x`, 'Email must have 1 to 255 characters.'],
    ] as const) {
      const refused = await send(url, { ...wrongly, email });
      expect(textsIn(await refused.text(), '[role=alert] a')).toEqual([
        'Enter the name of the firm.',
        'Time zone must be the name of a time zone.',
        words,
        'Password must have 12 to 256 characters.',
      ]);
    }
    expect(await runJson<unknown[]>(own, ['firm', 'list'])).toEqual([]);

    const make = async (): Promise<Response> => {
      const answer = await send(url, { ...input, token });
      return answer.status === 503 ? make() : answer;
    };
    const made = await Promise.all([make(), make()]);
    expect(made.map(({ status }) => status).sort()).toEqual([303, 410]);
    const cookie = made
      .map(({ headers }) => headers.get('set-cookie')?.split(';')[0])
      .find(Boolean);
    const home = await fetch(url, { headers: { accept: 'text/html', cookie: cookie ?? '' } });
    expect(await home.text()).toContain('Roe &amp; Roe');
    expect(await (await fetch(setupLink)).text()).toContain('This link no longer works');
    const standing = await runJson<Standing>(own, ['firm', 'show']);
    expect(Object.keys(standing.members)).toEqual(['rita@roe.example']);
    expect(Object.keys(standing.practiceAreas)).toContain('Work visas');
    const shown = (await run(own, ['firm', 'show'])).out;
    for (const role of ['Administrator', 'Attorney', 'Paralegal', 'Intake', 'Owner']) {
      expect(shown).toContain(role);
    }
    const scope = ['--scope', 'leads:read', 'leads:write'];
    const key = ['key', 'create', '--member', 'rita@roe.example', ...scope];
    const caught = await runJson<{ key: string }>(own, key);
    const lead = await caller(url, caught.key).post('/v1/leads', { lastName: 'Quill' });
    expect(lead.body.data.publicId).toBe('L-0001');
    const report = await fetch(`${url}/reports/intake`, {
      headers: { accept: 'text/html', cookie: cookie ?? '' },
    });
    const text = await report.text();
    expect(text).toMatch(/By source\s*</);
    expect(text).not.toContain('has not chosen the field');
    expect(await server.stop()).toBe(0);
    const again = serve();
    expect(JSON.parse(await again.until('\n'))).not.toHaveProperty('setupLink');
    expect(await again.stop()).toBe(0);
  });

  test('is not offered once a command has made a firm', async () => {
    const own = await ownDatabase();
    const server = start(['serve', '--json', '--port', '0'], { DATABASE_URL: own });
    const { url, setupLink = '' } = JSON.parse(await server.until('\n'));
    const blueprint = { name: 'Roe', members: [{ email: owner, name: 'Ada', role: 'Owner' }] };
    await runJson(own, ['firm', 'apply', '-'], JSON.stringify(blueprint));
    expect(await (await fetch(setupLink)).text()).toContain('This link no longer works');
    const token = setupLink.split('=')[1];
    expect((await send(url, { ...input, token })).status).toBe(410);
    expect(await runJson<unknown[]>(own, ['firm', 'list'])).toHaveLength(1);
    expect(await server.stop()).toBe(0);
  });
});

describe('demo', () => {
  const demo = (data: string) => start(['demo', '--port', '0', '--json', '--data', data]);
  type Greeting = {
    url: string;
    signInLink: string;
    key: string;
    firm: { id: string; name: string };
  };
  const members = [{ email: owner, name: 'Ada', role: 'Owner' }];
  const newKey = ['key', 'create', '--member', owner, '--scope', 'leads:read', '--name'];

  /** A data directory with a firm of this name, and a command about it. */
  const firmIn = async (data: string, name: string) => {
    const there = <Document>(words: string[], input = '') =>
      runJson<Document>('', [...words, '--data', join(folder, data)], input);
    const standing = await there<Standing>(
      ['firm', 'apply', '-'],
      JSON.stringify({ name, members }),
    );
    const about = <Document>(words: string[]) =>
      there<Document>([...words, '--firm', standing.firm.id]);
    return { there, standing, about };
  };

  test("makes its firm and a fresh key at each start, and touches no other firm's keys", async () => {
    const { there, about } = await firmIn('demo', 'Roe');
    const kept = await about<{ id: string }>([...newKey, 'Demonstration']);
    const first = demo('demo');
    const { url, key, ...said } = JSON.parse(await first.until('\n')) as Greeting;
    expect(Object.keys(said)).toEqual(['signInLink', 'firm']);
    const { status, body } = await caller(url, key).get('/v1/leads');
    expect({ status, total: body.pagination.total }).toEqual({ status: 200, total: 43 });
    expect((await caller(url, key).get('/v1/matters')).body.pagination.total).toBe(20);
    expect(await (await fetch(said.signInLink)).text()).toContain('Open the demonstration');
    for (const kind of ['task', 'event']) {
      const listed = [kind, 'list', '--firm', said.firm.id];
      const all = await there<{ leadId: string | null }[]>(listed);
      expect([kind, all.some(({ leadId }) => leadId !== null)]).toEqual([kind, true]);
    }
    // Its past looks old, so that it is sealed before the address is printed.
    expect(await run('', ['audit', 'verify', '--data', join(folder, 'demo')])).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining('all fit'),
    });
    expect(await first.stop()).toBe(0);
    const second = demo('demo');
    const again = JSON.parse(await second.until('\n')) as Greeting;
    expect((await caller(again.url, key).get('/v1/leads')).status).toBe(401);
    const { body: stays } = await caller(again.url, again.key).get('/v1/leads');
    expect(stays.pagination.total).toBe(43);
    const links = [said.signInLink.replace(url, again.url), again.signInLink];
    const shown = await Promise.all(links.map(async (link) => (await fetch(link)).text()));
    expect(shown.map((text) => text.includes('Open the demonstration'))).toEqual([false, true]);
    const keys = await about<{ id: string; state: string }[]>(['key', 'list']);
    expect(keys.find(({ id }) => id === kept.id)?.state).toBe('live');
    const firms = await there<{ id: string; name: string }[]>(['firm', 'list']);
    expect(firms.map(({ name }) => name).sort()).toEqual(['Harrow & Lane', 'Roe']);
    expect(firms.find(({ id }) => id === again.firm.id)).toMatchObject(again.firm);
    expect(await second.stop()).toBe(0);
  });

  test('refuses where a real firm has the name of its own, and leaves it and its keys alone', async () => {
    const { about } = await firmIn('real', 'Harrow & Lane');
    const standing = await about<Standing>(['firm', 'show']);
    await about([...newKey, 'Demonstration']);
    const before = await about<unknown[]>(['audit', 'list']);
    const quiet = { MATTERHORN_LOG: 'quiet' };
    const words = ['demo', '--port', '0', '--data', 'real'];
    const ran = await start(words, quiet).ended();
    expectSentence(
      ran,
      "There is a firm called Harrow & Lane here that is not the demonstration's.",
    );
    expect(await about<unknown[]>(['audit', 'list'])).toEqual(before);
    expect(await about<Standing>(['firm', 'show'])).toEqual(standing);
  });

  test('in the database of DATABASE_URL says so, and makes no data directory', async () => {
    const own = await ownDatabase();
    const server = start(['demo', '--port', '0'], { DATABASE_URL: own });
    const greeting = await server.until('Stop with Ctrl-C');
    expect(greeting).toContain('Its data is in the database of DATABASE_URL\n');
    expect(greeting).not.toContain('--data');
    expect(greeting).not.toContain(own);
    expect(await server.stop()).toBe(0);
    const firms = await runJson<{ name: string }[]>(own, ['firm', 'list']);
    expect(firms.map(({ name }) => name)).toEqual(['Harrow & Lane']);
    expect((await run('', ['demo', '--help'])).out).toMatch(/default: a\s+temporary one/);
  });

  test('says a command for a colleague whose link leads where its own does', async () => {
    const own = await ownDatabase();
    const environment = { DATABASE_URL: own, PUBLIC_URL: 'https://practice.harrow.example' };
    const server = start(['demo', '--port', '0'], environment);
    const greeting = await server.until('Stop with Ctrl-C');
    expect(greeting).toMatch(/^ {2}https:\/\/practice\.harrow\.example\/welcome\//m);
    const [, step = ''] = /A link for one of them: (.+)/.exec(greeting) ?? [];
    // In another terminal, which knows nothing of the server's settings but the database.
    const { stdout, exitCode } = Bun.spawnSync(
      ['sh', '-c', step.replace(/npx.*src\/main\.ts/, `bun ${program}`)],
      { cwd: folder, env: { PATH: process.env.PATH ?? '', DATABASE_URL: own } },
    );
    expect(exitCode).toBe(0);
    expect(stdout.toString()).toStartWith('https://practice.harrow.example/welcome/');
    expect(await server.stop()).toBe(0);
  });
});

describe('Several practice areas of one name', () => {
  test('none of them is lost: the oldest has the name, and a blueprint means it and says so', async () => {
    const server = await startTestServer({ databaseUrl });
    const firm = await makeFirm(server);
    const twin = await firm.owner.post('/v1/practice-areas', {
      name: 'Family',
      stages: [{ name: 'Twin' }],
    });
    const { id } = twin.body.data;
    const standing = await firm.command<Standing>(['firm', 'show']);
    expect(standing.practiceAreas.Family?.id).toBe(firm.practiceAreas.Family?.id as string);
    expect(standing.practiceAreas[`Family (${id})`]).toMatchObject({
      id,
      stages: { Twin: expect.any(String) },
    });
    const { out } = await run(databaseUrl, ['firm', 'show', '--firm', firm.id]);
    for (const area of [firm.practiceAreas.Family?.id, id]) expect(out).toContain(area as string);
    const words = {
      practiceAreas: [
        { name: 'Family', stages: ['Intake', 'Filed', 'Appeal'], matterTypes: ['Divorce'] },
        { name: 'Estates', stages: ['Intake'] },
      ],
    };
    const blueprint = JSON.stringify({
      name: firm.firm.name,
      members: [{ email: owner, name: 'Ada Harrow', role: 'Owner' }],
      ...words,
    });
    const applied = await run(databaseUrl, ['firm', 'apply', '-', '--json'], blueprint);
    expect(applied.err).toContain(
      'There are 2 practice areas "Family"; the blueprint changes the oldest.',
    );
    const after = JSON.parse(applied.out) as Standing;
    expect(Object.keys(after.practiceAreas.Family?.stages ?? {})).toEqual([
      'Intake',
      'Filed',
      'Appeal',
    ]);
    expect(after.practiceAreas[`Family (${id})`]).toEqual(
      standing.practiceAreas[`Family (${id})`] as never,
    );
  });
});
