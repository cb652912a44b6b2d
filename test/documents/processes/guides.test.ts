/** Every sample of the guides and recipes, taken out of its page and run against a server. */
import { afterAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { type Caller, type Firm, makeFirm, startTestServer } from '../../support/firm.ts';
import { freePort } from '../../support/instances.ts';
import {
  folderWith,
  type Language,
  recipesOf,
  runRecipe,
  startRecipe,
} from '../../support/recipes.ts';
import { matterFor } from '../../support/samples.ts';
import { until } from '../../support/until.ts';

const server = await startTestServer();

/** The guides and recipes, as /llms.txt lists them. */
const list = await (await fetch(`${server.url}/llms.txt`)).text();
const names = [...list.matchAll(/\(\/docs\/([\w-]+)\.md\)/g)].map(([, name = '']) => name);
const pages = new Map(
  await Promise.all(
    names.map(async (name) => [name, await recipesOf(server.url, `/docs/${name}`)] as const),
  ),
);

const taken = new Set<string>();

/** A sample of a page: the first in that language, or the one at this place among them. */
const sample = (page: string, language: string, at = 0): string => {
  const found = pages.get(page)?.filter((one) => one.language === language)[at];
  if (!found) throw new Error(`/docs/${page} has no ${language} at ${at}.`);
  taken.add(`${page} ${language} ${at}`);
  return found.text;
};

/** What a reader has done before: they are signed in, or have copied the function that asks. */
const before = (language: Language, key: string) =>
  language === 'sh'
    ? sample('your-first-lead', 'sh').replace('KEY=…', `KEY=${key}`)
    : sample('push-a-lead-exactly-once', language);

const run = async (language: Language, program: string, { key }: Caller) => {
  const ran = await runRecipe(language, program, { URL: server.url, KEY: key });
  expect({ exitCode: ran.exitCode, err: ran.err }).toEqual({ exitCode: 0, err: '' });
  return ran.out;
};

/** What samples in curl print: one document after the other, without a line break. */
const documentsIn = (out: string) =>
  out
    .replaceAll(/\}\s*(?=\{"(?:data|error)")/g, '}\n')
    .split('\n')
    .filter((line) => line.startsWith('{"'))
    .map((line) => JSON.parse(line));

const languages: Language[] = ['sh', 'ts', 'python'];
const anyId = /\b019f0000-[\w-]+/g;

test('Your first lead: who you are, and the same lead in each language', async () => {
  const firm = await makeFirm(server);
  const [me, first] = documentsIn(
    await run('sh', before('sh', firm.owner.key) + sample('your-first-lead', 'sh', 1), firm.owner),
  );
  expect(me.data.firm.name).toBe(firm.firm.name);
  expect(first.data.contact.name).toBe('Zoe Quill');
  for (const language of ['ts', 'python'] as const) {
    const out = await run(language, sample('your-first-lead', language), firm.owner);
    expect(out).toStartWith('201 ');
    expect(out).toContain(first.data.id);
  }
  expect((await firm.owner.get('/v1/leads')).body.pagination.total).toBe(1);
});

test('Push a lead: it is found by your own id, and read with what it includes', async () => {
  const { owner } = await makeFirm(server);
  const body = { lastName: 'Quill', email: 'zoe@quill.example', externalId: 'form-8412' };
  const { id } = (await owner.post('/v1/leads', body)).body.data;
  const program = [1, 2].map((at) => `${sample('push-a-lead-exactly-once', 'sh', at)}\n`);
  const [, found, leads] = documentsIn(
    await run('sh', before('sh', owner.key) + program.join(''), owner),
  );
  expect(found.data.map((one: { id: string }) => one.id)).toEqual([id]);
  expect(leads.data).toHaveLength(1);
  expect(leads.data[0].externalId).toBe('form-8412');
  expect(leads.data[0].contact.emails).toEqual([expect.objectContaining({ address: body.email })]);
});

test('Open a matter: from names to one matter with its client and team, in each language', async () => {
  const { owner, members } = await makeFirm(server);
  for (const language of languages) {
    const program = before(language, owner.key) + sample('open-a-matter-with-its-team', language);
    const out = await run(language, program, owner);
    expect(out).toMatch(/M-\d{4}-0001/);
    expect(out).toContain(members['ada@harrow.example'] ?? 'no member');
  }
  const { data, pagination } = (await owner.get('/v1/matters')).body;
  expect(pagination.total).toBe(1);
  const matter = (await owner.get(`/v1/matters/${data[0].id}`)).body.data;
  expect(matter.title).toBe('Quill v. Rook');
  expect((await owner.get('/v1/contacts')).body.pagination.total).toBe(1);
});

test('Notes, tasks and events: written, done and cancelled', async () => {
  const firm = await makeFirm(server);
  const { owner } = firm;
  const lead = (await owner.post('/v1/leads', { lastName: 'Quill' })).body.data.id;
  const matter = await matterFor(firm);
  const program =
    sample('notes-tasks-and-events', 'sh', 0).replaceAll(anyId, lead) +
    sample('notes-tasks-and-events', 'sh', 1).replaceAll(anyId, matter);
  const out = documentsIn(await run('sh', before('sh', owner.key) + program, owner));
  expect(out.filter(({ error }) => error)).toEqual([]);
  const read = async (path: string) => (await owner.get(path)).body.data;
  expect(await read(`/v1/notes?leadId=${lead}`)).toEqual([
    expect.objectContaining({ text: 'She called back.' }),
  ]);
  expect(await read(`/v1/tasks?matterId=${matter}`)).toEqual([
    expect.objectContaining({ title: 'Call the court', status: 'DONE' }),
  ]);
  expect(await read(`/v1/calendar-events?matterId=${matter}`)).toEqual([]);
});

test('Nothing is ignored in silence: what is unknown is named or refused, and a dry run stores nothing', async () => {
  const { owner } = await makeFirm(server);
  const lead = (await owner.post('/v1/leads', { lastName: 'Quill' })).body.data.id;
  const [request = '', answer = ''] = sample('nothing-is-ignored-in-silence', 'http').split('\n\n');
  const [line = '', body = ''] = request.replaceAll(anyId, lead).split('\n');
  expect(line).toStartWith('PATCH ');
  const answered = await owner.patch(line.slice(6), JSON.parse(body));
  const [status = '', ...headers] = answer.trim().split('\n');
  expect(`${answered.status} OK`).toBe(status);
  for (const header of headers) {
    const [name = '', value = ''] = header.split(': ');
    expect(answered.headers.get(name)).toBe(value);
  }
  const program = [0, 1].map((at) => `${sample('nothing-is-ignored-in-silence', 'sh', at)}\n`);
  const [, refused, tried] = documentsIn(
    await run('sh', before('sh', owner.key) + program.join(''), owner),
  );
  expect(refused.error.code).toBe('invalid_request');
  expect(refused.error.message).toContain('firstName');
  expect(tried.data).toMatchObject({ id: null, publicId: null });
  expect((await owner.get('/v1/leads')).body.pagination.total).toBe(1);
});

test('Change only what you read: a change, and a refusal if somebody was faster', async () => {
  const { owner } = await makeFirm(server);
  const { id } = (await owner.post('/v1/leads', { lastName: 'Quill' })).body.data;
  const program = sample('change-only-what-you-read', 'sh').replaceAll(anyId, id);
  const change = (value: string) => owner.patch(`/v1/leads/${id}`, { value });
  const [, changed] = documentsIn(await run('sh', before('sh', owner.key) + program, owner));
  expect(changed.data.value).toBe('HIGH');
  await change('LOW');
  // Somebody else writes between the two lines.
  const meanwhile = `curl -s -o other.json -X PATCH "$URL/v1/leads/${id}" -H @"$AUTH" -H 'Content-Type: application/json' -d '{"value":"LOWEST"}'\n`;
  const raced = program.replace(/(?=^curl -s -X PATCH)/m, meanwhile);
  expect(raced).toContain(meanwhile);
  const [, refused] = documentsIn(await run('sh', before('sh', owner.key) + raced, owner));
  expect(refused.error.code).toBe('precondition_failed');
  expect((await owner.get(`/v1/leads/${id}`)).body.data.value).toBe('LOWEST');
});

test('Errors: a refusal is told by its code and its message, in each language', async () => {
  const { owner } = await makeFirm(server);
  for (const language of languages) {
    // The first page signs in; the others read the key from the environment.
    const signedIn = language === 'sh' ? before('sh', owner.key) : '';
    const out = await run(language, signedIn + sample('errors', language), owner);
    expect([language, out]).toEqual([language, expect.stringContaining('not_found: ')]);
  }
});

test('Find: a person by a word', async () => {
  const { owner } = await makeFirm(server);
  const { id } = (await owner.post('/v1/contacts', { lastName: 'Quill' })).body.data;
  await owner.post('/v1/contacts', { lastName: 'Rook' });
  const [, found] = documentsIn(
    await run('sh', before('sh', owner.key) + sample('find', 'sh'), owner),
  );
  expect(found.data.map((one: { id: string }) => one.id)).toEqual([id]);
});

/** What a program prints until something holds; then it is ended. */
const printedUntil = async (
  child: Awaited<ReturnType<typeof startRecipe>>,
  holds: (out: string) => Promise<boolean>,
) => {
  let out = '';
  const decoder = new TextDecoder();
  const reading = (async () => {
    for await (const part of child.stdout) out += decoder.decode(part);
  })();
  await until(() => holds(out));
  child.kill('SIGKILL');
  await Promise.all([child.exited, reading]);
  return out;
};

const newLead = async ({ owner }: Firm, lastName: string) =>
  (await owner.post('/v1/leads', { lastName, email: 'zoe@quill.example' })).body.data.id as string;

/** From here on, as the guide begins: with an answer to which nothing has happened. */
const cursorOf = async ({ owner }: Firm) => (await owner.get('/v1/events')).body.cursor as string;

describe.each(languages)('Follow what happens, in %s', (language) => {
  test('tells each event once, and goes on where it stopped', async () => {
    const firm = await makeFirm(server);
    const { key } = firm.owner;
    const environment = { URL: server.url, KEY: key };
    const program = before(language, key) + sample('follow-what-happens', language);
    const cursor = await cursorOf(firm);
    const cwd = await folderWith({ cursor });
    const start = () => startRecipe(language, program, environment, cwd);
    const toldUntilKept = async () => {
      const kept = async () => (await readFile(`${cwd}/cursor`, 'utf8')).trim();
      const from = await kept();
      const out = await printedUntil(await start(), async () => (await kept()) !== from);
      return out.match(/lead\.\w+ \S+/g);
    };
    const [first, second] = [await newLead(firm, 'One'), await newLead(firm, 'Two')];
    // Once both can be read, one answer has both: the program is ended when it has kept its first.
    await until(async () => {
      const { body } = await firm.owner.get(`/v1/events?after=${cursor}&types=lead.created`);
      return body.data.length === 2;
    });
    expect(await toldUntilKept()).toEqual([`lead.created ${first}`, `lead.created ${second}`]);
    const third = await newLead(firm, 'Three');
    expect(await toldUntilKept()).toEqual([`lead.created ${third}`]);
  });
});

/** A server of ours that answers as it is told, and keeps what it was sent. */
const listen = async (answer: (body: string) => number) => {
  const hook = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request)).toString();
    response.writeHead(answer(body)).end();
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  afterAll(() => hook.close());
  return `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
};

test('Zapier and Make: the relay sends each new lead to the hook, and repeats what it could not', async () => {
  const firm = await makeFirm(server);
  const heard: { name: string; emails: unknown[] }[] = [];
  let isDown = false;
  let last = Promise.withResolvers<void>();
  const HOOK = await listen((body) => {
    if (isDown) return 503;
    const { contact } = JSON.parse(body);
    heard.push(contact);
    last.resolve();
    return 200;
  });
  const environment = { URL: server.url, KEY: firm.owner.key, HOOK };
  const program = before('ts', '') + sample('zapier', 'ts');
  const cwd = await folderWith({ cursor: await cursorOf(firm) });
  const child = await startRecipe('ts', program, environment, cwd);
  await newLead(firm, 'One');
  await last.promise;
  isDown = true;
  const gone = await newLead(firm, 'Gone');
  // The hook answers 503: the relay says so and ends.
  expect(await child.exited).toBe(1);
  expect(await child.stderr.text()).toContain('The hook answered 503.');
  await firm.owner.delete(`/v1/leads/${gone}`);
  await newLead(firm, 'Two');
  isDown = false;
  last = Promise.withResolvers();
  const restarted = await startRecipe('ts', program, environment, cwd);
  await last.promise;
  restarted.kill();
  await restarted.exited;
  expect(heard.map(({ name }) => name)).toEqual(['One', 'Two']);
  expect(heard[0]?.emails).toEqual([expect.objectContaining({ address: 'zoe@quill.example' })]);
});

test('A form in a browser: the relay makes one lead of a form that is sent twice, and says what is refused', async () => {
  const firm = await makeFirm(server);
  const intake = await firm.callerOf('ada@harrow.example', ['leads:write']);
  const port = await freePort();
  const program = before('ts', '') + sample('a-form-in-a-browser', 'ts');
  const environment = { URL: server.url, KEY: intake.key, PORT: String(port) };
  const child = await startRecipe('ts', program, environment, await folderWith());
  const send = (fields: Record<string, string>) =>
    fetch(`http://127.0.0.1:${port}/intake`, { method: 'POST', body: new URLSearchParams(fields) });
  const form = {
    submission: '1',
    lastName: 'Zoë Quill',
    email: 'zoe@quill.example',
    note: 'x'.repeat(12_000),
  };
  let first: Response | undefined;
  await until(async () => {
    first = await send(form).catch(() => undefined);
    return first !== undefined;
  });
  expect([first?.status, await first?.text()]).toEqual([201, 'Thank you. We call you back.']);
  expect((await send(form)).status).toBe(201);
  const refused = await send({ submission: '2' });
  expect(refused.status).toBe(502);
  expect(await refused.text()).toContain('Please call us: ');
  child.kill();
  await child.exited;
  const { data, pagination } = (await firm.owner.get('/v1/leads?include=contact')).body;
  expect(pagination.total).toBe(1);
  expect(data[0].contact).toMatchObject({
    name: 'Zoë Quill',
    emails: [expect.objectContaining({ address: 'zoe@quill.example' })],
  });
  const notes = (await firm.owner.get(`/v1/notes?leadId=${data[0].id}`)).body.data;
  expect(notes).toEqual([expect.objectContaining({ text: 'x'.repeat(10_000) })]);
  // The fields of the page's form are those that the relay reads.
  const html = sample('a-form-in-a-browser', 'html');
  for (const name of Object.keys(form)) expect(html).toContain(`name="${name}"`);
});

test('Webhooks: one is made in curl, with its secret', async () => {
  const { owner } = await makeFirm(server);
  const program = before('sh', owner.key) + sample('webhooks', 'sh');
  const [, made] = documentsIn(await run('sh', program, owner));
  expect(made.data.secret).toStartWith('whsec_');
  expect(made.data.types).toEqual(['lead.created', 'lead.hired']);
  expect((await owner.get('/v1/webhook-endpoints')).body.data).toHaveLength(1);
});

describe.each(['ts', 'python'] as const)('A receiver of webhooks, in %s', (language) => {
  test('takes what the official library signs, and nothing that was changed, is old or of another', async () => {
    const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
    const PORT = String(await freePort());
    const program = sample('webhooks', language);
    const child = await startRecipe(language, program, { SECRET, PORT }, await folderWith());
    const body = JSON.stringify({ id: '1', type: 'lead.created', data: { id: 'zoë' } });
    type Part = { secret?: string; at?: number; sent?: string; before?: string };
    const send = async ({
      secret = SECRET,
      at = Date.now(),
      sent = body,
      before: more = '',
    }: Part) => {
      const signature = new Webhook(secret).sign('msg_1', new Date(at), body);
      const headers = {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(at / 1000)),
        'webhook-signature': more + signature,
      };
      return fetch(`http://127.0.0.1:${PORT}/`, { method: 'POST', headers, body: sent });
    };
    await until(() =>
      send({}).then(
        () => true,
        () => false,
      ),
    );
    const other = `whsec_${randomBytes(32).toString('base64')}`;
    expect((await send({ before: 'v1,AAAA v1a,BBBB ' })).status).toBe(204);
    expect((await send({ sent: body.replace('zoë', 'rook') })).status).toBe(401);
    expect((await send({ secret: other })).status).toBe(401);
    expect((await send({ at: Date.now() - 600_000 })).status).toBe(401);
    const unsigned = await fetch(`http://127.0.0.1:${PORT}/`, { method: 'POST', body });
    expect(unsigned.status).toBe(401);
    child.kill('SIGKILL');
    expect(await child.stdout.text()).toBe('lead.created zoë\n'.repeat(2));
    await child.exited;
  });
});

test('every sample of every guide and recipe is run: here, or beside it', () => {
  // test/api/processes/integrators.test.ts, wordpress.test.ts
  const elsewhere = ['push-a-lead-exactly-once', 'read-everything'].flatMap((page) =>
    languages.map((language) => `${page} ${language} 0`),
  );
  const ran = new Set([...taken, ...elsewhere, 'wordpress php 0']);
  const all = [...pages].flatMap(([page, recipes]) => {
    const counts: Record<string, number> = {};
    return recipes.flatMap(({ language }) => {
      // Bodies are no programs.
      if (language === 'json') return [];
      counts[language] = (counts[language] ?? -1) + 1;
      return `${page} ${language} ${counts[language]}`;
    });
  });
  expect(all.length).toBeGreaterThan(25);
  expect(all.filter((one) => !ran.has(one))).toEqual([]);
});
