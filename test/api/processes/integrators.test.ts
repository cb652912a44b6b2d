/** The recipes of docs/integrators.md, run as they stand there, through a network that fails. */
import { afterAll, describe, expect, test } from 'bun:test';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeFirm, startTestServer } from '../../support/firm.ts';
import { type Language, recipesOf, runRecipe } from '../../support/recipes.ts';

const server = await startTestServer();
const limited = await startTestServer({ environment: { RATE_LIMIT: '4/4' } });

const [pushing, reading] = await Promise.all(
  ['push-a-lead-exactly-once', 'read-everything'].map((page) =>
    recipesOf(server.url, `/docs/${page}`),
  ),
);
const recipe = (recipes: typeof pushing, language: Language) => {
  const text = recipes?.find((one) => one.language === language)?.text;
  if (!text) throw new Error(`The page has no recipe in ${language}.`);
  return text;
};

/** In each language: programs that print the lead made, or a list's records. */
type Way = { name: string; language: Language; push(lead: string): string; readAll(): string };
const languages: Way[] = [
  {
    name: 'curl',
    language: 'sh',
    push: (lead: string) =>
      `${recipe(pushing, 'sh').replace(/-d '.*?'/s, `-d '${lead}'`)}cat lead.json`,
    readAll: () => `${recipe(reading, 'sh')}read_all contacts\ncat contacts-*.json`,
  },
  {
    name: 'TypeScript',
    language: 'ts',
    push: (lead: string) =>
      `${recipe(pushing, 'ts')}console.log(JSON.stringify(await push('8412', ${lead})));`,
    readAll: () =>
      `${recipe(pushing, 'ts')}${recipe(reading, 'ts')}console.log(JSON.stringify(await readAll('contacts')));`,
  },
  {
    name: 'Python',
    language: 'python',
    push: (lead: string) => `${recipe(pushing, 'python')}print(json.dumps(push("8412", ${lead})))`,
    readAll: () =>
      `${recipe(pushing, 'python')}${recipe(reading, 'python')}print(json.dumps(read_all("contacts")))`,
  },
];

/** What became of a request: its answer may get lost on the way back. */
type Fate = { method: string; status: number; ending: 'delivered' | 'cut' };

/**
 * A way to the server. On a bad one the first request comes too often, and the answer to the second
 * gets lost. `before` runs with each page before it is delivered.
 */
const wayTo = async (
  { isBad, key }: { isBad: boolean; key: string },
  before = async (_page: { id: string }[]) => {},
) => {
  const fates: Fate[] = [];
  // Between the last of a budget and the next request the server may already give again: the first
  // request gets the refusal itself. All are sent at once: one after the other, on a slow machine, they
  // would never use the budget up, and a recipe waits 15 seconds for its answer.
  const refusalOfTooMany = async () => {
    for (;;) {
      const headers = { authorization: `Bearer ${key}` };
      const answers = await Promise.all(
        Array.from({ length: 24 }, () => fetch(`${limited.url}/v1/contacts?limit=1`, { headers })),
      );
      const refused = answers.find(({ status }) => status === 429);
      for (const one of answers) if (one !== refused) await one.text();
      if (refused) return refused;
    }
  };
  const way = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = Buffer.concat(await Array.fromAsync(request));
    const pass = () =>
      fetch(limited.url + url, {
        method,
        headers: headers as Record<string, string>,
        body: body.length > 0 ? body : null,
      });
    const answer = await (isBad && fates.length === 0 ? refusalOfTooMany() : pass());
    const text = await answer.text();
    const ending = isBad && fates.length === 1 ? 'cut' : 'delivered';
    fates.push({ method, status: answer.status, ending });
    if (ending === 'cut') return request.socket.destroy();
    if (answer.status === 200) await before(JSON.parse(text).data);
    const retryAfter = answer.headers.get('retry-after');
    const more = retryAfter ? { 'retry-after': retryAfter } : {};
    response.writeHead(answer.status, { 'content-type': 'application/json', ...more }).end(text);
  });
  await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve));
  afterAll(() => way.close());
  return { url: `http://127.0.0.1:${(way.address() as AddressInfo).port}`, fates };
};

/** How many retries a recipe has told of. */
const retriesIn = (err: string) => err.match(/; trying again in \d+ s\n/g)?.length ?? 0;

test('the recipes in TypeScript and Python say each of ten retries, then give up with the reason', async () => {
  let asked = 0;
  const broken = createServer((_, response) => {
    asked += 1;
    response.writeHead(503, { 'retry-after': '1' }).end('{}');
  });
  await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve));
  afterAll(() => broken.close());
  const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
  const ran = languages
    .filter(({ name }) => name !== 'curl')
    .map((one) =>
      runRecipe(one.language, one.push('{"lastName":"Quill"}'), { URL: url, KEY: 'mh_none' }),
    );
  for (const { exitCode, out, err } of await Promise.all(ran)) {
    expect({ exitCode, out, retries: retriesIn(err) }).toEqual({
      exitCode: 1,
      out: '',
      retries: 10,
    });
    expect(err).toContain(`${url}/v1/leads: `);
    expect(err).toContain('503');
  }
  expect(asked).toBe(22);
});

describe.each(languages)('The recipes for integrators in $name', (way) => {
  test('a lead is pushed exactly once, though it comes too often and the answer gets lost', async () => {
    const { owner } = await makeFirm(server);
    const { url, fates } = await wayTo({ isBad: true, key: owner.key });
    const program = way.push('{"firstName":"Zoe","lastName":"Quill"}');
    const { out, err, exitCode } = await runRecipe(way.language, program, {
      URL: url,
      KEY: owner.key,
    });
    expect({ exitCode, retries: retriesIn(err) }).toEqual({
      exitCode: 0,
      retries: way.name === 'curl' ? 0 : 2,
    });
    expect(fates).toEqual([
      { method: 'POST', status: 429, ending: 'delivered' },
      { method: 'POST', status: 201, ending: 'cut' },
      { method: 'POST', status: 201, ending: 'delivered' },
    ]);
    const { data, pagination } = (await owner.get('/v1/leads')).body;
    expect(pagination.total).toBe(1);
    expect(data[0].contact.name).toBe('Zoe Quill');
    expect(out).toContain(data[0].id);
    if (way.name === 'curl') expect(out).toMatch(/^201\n\{/);
  });

  test('a lead that is refused as wrong is not sent again, and the reason is printed', async () => {
    const { owner } = await makeFirm(server);
    const { url, fates } = await wayTo({ isBad: false, key: owner.key });
    const program = way.push('{"email":"zoe@quill.example"}');
    const { out, err, exitCode } = await runRecipe(way.language, program, {
      URL: url,
      KEY: owner.key,
    });
    expect(fates).toEqual([{ method: 'POST', status: 400, ending: 'delivered' }]);
    expect(out + err).toContain('firstName');
    if (way.name === 'curl') expect(out).toMatch(/^400\n\{/);
    else expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' });
  });

  test('everything is read, each record once, though some are made and deleted between pages', async () => {
    const firm = await makeFirm(server);
    const make = async (index: number) => {
      const made = await firm.owner.post('/v1/contacts', { lastName: `Quill ${index}` });
      return made.body.data.id as string;
    };
    const lasting = new Set<string>();
    for (let index = 0; index < 240; index += 8) {
      const ids = await Promise.all(Array.from({ length: 8 }, (_, more) => make(index + more)));
      for (const id of ids) lasting.add(id);
    }
    const passing = new Set<string>();
    const drop = async (ids: string[]) => {
      for (const id of ids) {
        lasting.delete(id);
        passing.add(id);
        expect((await firm.owner.delete(`/v1/contacts/${id}`)).status).toBe(200);
      }
    };
    let pages = 0;
    const { url, fates } = await wayTo({ isBad: true, key: firm.owner.key }, async (records) => {
      pages += 1;
      const ids = records.map(({ id }) => id);
      // More than pages overlap by; then fewer, and a new one.
      if (pages === 1) await drop(ids.slice(20, 35));
      if (pages !== 2) return;
      await drop(ids.slice(50, 52));
      passing.add(await make(240));
    });
    const { out, err, exitCode } = await runRecipe(way.language, way.readAll(), {
      URL: url,
      KEY: firm.owner.key,
    });
    // Bun repeats a cut GET by itself, without a word.
    const unexpected = err.replaceAll(/^.*; trying again in \d+ s\n/gm, '');
    expect({ exitCode, unexpected }).toEqual({ exitCode: 0, unexpected: '' });
    expect(fates.slice(0, 2)).toEqual([
      { method: 'GET', status: 429, ending: 'delivered' },
      { method: 'GET', status: 200, ending: 'cut' },
    ]);
    const found = way.name === 'curl' ? recordsOf(out) : (JSON.parse(out) as { id: string }[]);
    const ids = found.map(({ id }) => id);
    expect(passing.size).toBe(18);
    expect([...lasting].filter((id) => !ids.includes(id))).toEqual([]);
    expect(ids.filter((id) => !lasting.has(id) && !passing.has(id))).toEqual([]);
    expect(ids).toHaveLength(new Set(ids).size);
  });
});

/** Of pages that follow each other without a break: each record once, as the page advises. */
const recordsOf = (pages: string): { id: string }[] => {
  const records = pages
    .replaceAll(/\}\s*\{"data"/g, '}\n{"data"')
    .split('\n')
    .filter((one) => one !== '')
    .flatMap((one) => (JSON.parse(one) as { data: { id: string }[] }).data);
  return [...new Map(records.map((record) => [record.id, record])).values()];
};
