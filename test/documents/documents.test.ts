/** The documents for integrators at /docs: open to everybody, whole, and with nothing of any firm. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { Glob } from 'bun';
import { statusOf } from '../../src/http/failure.ts';
import { makeFirm, startTestServer } from '../support/firm.ts';
import { attributesIn, partsIn, textIn, textsIn } from '../support/html.ts';

const server = await startTestServer();
const atPublic = await startTestServer({
  environment: { PUBLIC_URL: 'https://practice.harrow.example' },
});

const get = async (path: string, headers: Record<string, string> = {}, url = server.url) => {
  const answer = await fetch(`${url}${path}`, { headers: { accept: 'text/html', ...headers } });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

/** Every page that the contents or another page leads to, by its path. */
const pages = new Map<string, string>();
beforeAll(async () => {
  const next = ['/docs'];
  for (let path = next.pop(); path; path = next.pop()) {
    const { status, text } = await get(path);
    expect([path, status]).toEqual([path, 200]);
    pages.set(path, text);
    for (const href of attributesIn(text, 'a', 'href')) {
      const [to = ''] = href.split('#');
      const isNew = to !== '' && !pages.has(to) && !next.includes(to);
      if (isNew && to.startsWith('/docs') && !to.endsWith('.md')) next.push(to);
    }
  }
});

const description = async () =>
  (await (await fetch(`${server.url}/v1/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };

describe('Every page', () => {
  test('is found from the first: guides, recipes, the contract and each operation of the API', async () => {
    const operations = Object.values((await description()).paths).flatMap(Object.values);
    const ofOperations = [...pages.keys()].filter((path) => path.split('/').length === 5);
    expect(ofOperations).toHaveLength(operations.length);
    for (const page of ['push-a-lead-exactly-once', 'follow-what-happens', 'errors', 'contract'])
      expect(pages.has(`/docs/${page}`)).toBe(true);
    for (const page of ['a-form-in-a-browser', 'wordpress', 'zapier', 'make'])
      expect(pages.has(`/docs/${page}`)).toBe(true);
  });

  test('leads nowhere that is not there', async () => {
    const dead: string[] = [];
    const others = new Set<string>();
    for (const [path, text] of pages) {
      for (const href of attributesIn(text, 'a, link, script', 'href').concat(
        attributesIn(text, 'script', 'src'),
      )) {
        const [to = '', anchor] = href.split('#');
        const page = pages.get(to || path);
        if (page === undefined) others.add(to);
        else if (anchor && !partsIn(page, `[id="${anchor}"]`).length) dead.push(`${path}: ${href}`);
      }
    }
    for (const other of others) {
      expect([other, other.startsWith('/')]).toEqual([other, true]);
      const { status } = await get(other);
      if (status !== 200) dead.push(other);
    }
    expect(dead).toEqual([]);
    expect([...others].filter((one) => one.endsWith('.md'))).toHaveLength(pages.size);
  });

  test('has a title of its own, one first heading, and every anchor once', () => {
    const titles = [...pages.values()].map((text) => textIn(text, 'title'));
    expect(new Set(titles).size).toBe(titles.length);
    for (const [path, text] of pages) {
      expect([path, textsIn(text, 'h1').length]).toEqual([path, 1]);
      const ids = attributesIn(text, '[id]', 'id');
      expect([path, ids.length]).toEqual([path, new Set(ids).size]);
    }
  });

  test('weighs little at the first visit, with its sheet and its script', async () => {
    const text = pages.get('/docs/reference/leads/create-lead') ?? '';
    const [sheet = ''] = attributesIn(text, 'link[rel=stylesheet]', 'href');
    const [script = ''] = attributesIn(text, 'script', 'src');
    let bytes = 0;
    for (const path of ['/docs/reference/leads/create-lead', sheet, script]) {
      const answer = await fetch(`${server.url}${path}`, {
        headers: { 'accept-encoding': 'gzip' },
        decompress: false,
      } as RequestInit);
      bytes += (await answer.arrayBuffer()).byteLength;
    }
    expect(bytes).toBeLessThan(60_000);
  });

  test('is sent with a policy that allows no script but ours, and keeps to it', async () => {
    const { headers } = await get('/docs');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toContain('unsafe');
    for (const [path, text] of pages) {
      const inline = partsIn(text, 'script:not([src]), style, [style], [onclick]');
      expect([path, inline.length]).toEqual([path, 0]);
    }
  });
});

describe('For programs', () => {
  test('each page is also Markdown at .md, with the same words and links to Markdown', async () => {
    for (const [path, html] of pages) {
      const { status, headers, text } = await get(`${path}.md`);
      expect([path, status, headers.get('content-type')]).toEqual([
        ...[path, 200, 'text/markdown; charset=utf-8'],
      ]);
      expect(text).toMatch(/^# \S/);
      expect(textIn(html, 'h1')).toBe((/^# (.+)$/m.exec(text)?.[1] ?? '').replaceAll('`', ''));
      for (const [, to = ''] of text.matchAll(/\]\((\/docs[^)#]*)/g))
        expect([path, to.endsWith('.md') && pages.has(to.slice(0, -3))]).toEqual([path, true]);
    }
  });

  test('/llms.txt lists every page, and /llms-full.txt contains them all', async () => {
    const list = (await get('/llms.txt')).text;
    const listed = [...list.matchAll(/^- \[[^\]]+\]\((\/docs\S*)\.md\): \S/gm)].map(
      ([, path]) => path,
    );
    expect(listed.toSorted()).toEqual([...pages.keys()].toSorted() as string[]);
    const all = (await get('/llms-full.txt')).text;
    for (const path of pages.keys()) {
      const { text } = await get(`${path}.md`);
      expect([path, all.includes(text.trim())]).toEqual([path, true]);
    }
  });

  test('a page that is not there is 404, and a page takes no other method than GET and HEAD', async () => {
    for (const path of ['/docs/nothing', '/docs/nothing.md', '/docs/reference/leads/nothing']) {
      expect((await get(path)).status).toBe(404);
      const answer = await fetch(`${server.url}${path}`);
      expect([answer.status, await answer.text()]).toEqual([
        ...[404, expect.stringContaining('/llms.txt lists them')],
      ]);
    }
    for (const path of ['/docs', '/docs/errors', '/llms.txt']) {
      const answer = await fetch(`${server.url}${path}`, { method: 'POST' });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      expect(((await answer.json()) as { error: { code: string } }).error.code).toBe(
        'method_not_allowed',
      );
      expect((await fetch(`${server.url}${path}`, { method: 'HEAD' })).status).toBe(200);
    }
  });
});

test('No sample that reads is refused for what it asks, and custom fields are said to be an example', async () => {
  const { owner } = await makeFirm(server);
  let count = 0;
  for (const path of pages.keys()) {
    const { text } = await get(`${path}.md`);
    const [, target] = /^`GET [^`]+`[\s\S]*?\ncurl '?https?:\/\/[^/]+([^'\s]+)/m.exec(text) ?? [];
    if (path.split('/').length === 5) {
      const fills = /```sh[\s\S]*?"customFields"[\s\S]*?```\n\n```ts/.test(text);
      expect([path, text.includes('those of an imagined firm')]).toEqual([path, fills]);
    }
    if (!target || path.split('/').length !== 5) continue;
    const { status, body } = await owner.get(target);
    expect([target, status === 400 ? body : status]).toEqual([target, status]);
    count += 1;
  }
  expect(count).toBeGreaterThan(25);
});

test('Each code of a refusal has its paragraph in the page, where the reference leads', () => {
  const page = pages.get('/docs/errors') ?? '';
  for (const code of Object.keys(statusOf)) expect(textIn(page, `h2#${code}`)).toBe(code);
  const create = pages.get('/docs/reference/leads/create-lead') ?? '';
  expect(attributesIn(create, '.errors a', 'href')).toContain('/docs/errors#not_configured');
});

describe('Nobody’s data', () => {
  test('is on a page: no firm, no member and no record, with a key or without', async () => {
    const firm = await makeFirm(server);
    const name = `Quillfeather-${Bun.randomUUIDv7()}`;
    const made = await firm.owner.post('/v1/leads', { lastName: name });
    expect(made.status).toBe(201);
    const authorization = `Bearer ${firm.owner.key}`;
    for (const path of [
      '/docs',
      '/docs/search?q=quillfeather',
      '/llms-full.txt',
      ...pages.keys(),
    ]) {
      const { text } = await get(path, { authorization });
      expect([path, text.includes(name) || text.includes(made.body.data.id)]).toEqual([
        path,
        false,
      ]);
      expect([path, text.includes(firm.owner.key)]).toEqual([path, false]);
    }
  });

  test('is needed for a page: the words for administrators stay out', async () => {
    const own = new Set(['integrators.md', 'recipes.md', 'contract.md']);
    const all = (await get('/llms-full.txt')).text;
    const folder = `${import.meta.dir}/../../docs`;
    const others = [...new Glob('*.md').scanSync(folder)].filter((file) => !own.has(file));
    expect(others).toContain('administrators.md');
    for (const file of others) {
      expect((await get(`/docs/${file}`)).status).toBe(404);
      expect((await get(`/docs/${file.replace('.md', '')}`)).status).toBe(404);
      const text = await Bun.file(`${folder}/${file}`).text();
      const lines = text.split('\n').filter((line) => line.length > 60);
      expect([file, lines.filter((line) => all.includes(line))]).toEqual([file, []]);
    }
  });
});

describe('What a caller sends', () => {
  const hostile = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onfocus='alert(1)",
    '</title><svg onload=alert(1)>',
    '\u0000\u202e{{constructor}}',
  ];

  test('is text on the page of a search, and nothing else', async () => {
    for (const text of hostile) {
      const { status, text: page } = await get(`/docs/search?q=${encodeURIComponent(text)}`);
      expect(status).toBe(200);
      const words = text.replaceAll(/[\0]/g, '');
      expect(textIn(page, 'h1').replaceAll(/[\0\ufffd]/g, '')).toContain(
        words.replaceAll(/\s+/g, ' '),
      );
      expect(partsIn(page, 'main script, main img, main svg, [onfocus], [onerror]')).toEqual([]);
    }
    expect((await get(`/docs/search?q=${'x'.repeat(8_000)}`)).text.length).toBeLessThan(40_000);
  });

  test('as Host is the server’s address only if it can be one; PUBLIC_URL goes before it', async () => {
    const shown = async (headers: Record<string, string>, url = server.url) =>
      (await get('/docs/your-first-lead.md', headers, url)).text;
    expect(await shown({})).toContain(`export URL=${server.url} KEY=`);
    expect(await shown({ host: 'law.example:8080' })).toContain(
      'export URL=http://law.example:8080 ',
    );
    for (const host of ['a"><script>alert(1)</script>', "x';rm -rf ~;'", '$(id).example'])
      expect(await shown({ host })).toContain('export URL=https://matterhorn.harrow.example ');
    expect(await shown({ host: 'law.example' }, atPublic.url)).toContain(
      'export URL=https://practice.harrow.example ',
    );
  });
});

describe('The search', () => {
  const found = async (words: string) => {
    const { text } = await get(`/docs/search?q=${encodeURIComponent(words)}`);
    return attributesIn(text, '.found a', 'href');
  };

  test('finds pages and their parts by words, paths and codes, and every place leads there', async () => {
    expect((await found('exactly once'))[0]).toBe('/docs/push-a-lead-exactly-once');
    expect(await found('precondition_failed')).toContain('/docs/errors#precondition_failed');
    expect(await found('/v1/lead-stages')).toContain('/docs/reference/leads/list-lead-stages');
    expect(await found('WORDPRESS')).toContain('/docs/wordpress');
    for (const place of await found('scope')) {
      const [path = '', anchor] = place.split('#');
      expect(pages.has(path)).toBe(true);
      if (anchor)
        expect([place, partsIn(pages.get(path) ?? '', `[id="${anchor}"]`).length]).toEqual([
          place,
          1,
        ]);
    }
  });

  test('finds by the beginning of a word, and a word with one typo, and says so', async () => {
    expect(await found('idempot')).toContain('/docs/push-a-lead-exactly-once');
    expect(await found('wordpess')).toEqual(await found('wordpress'));
    expect((await get('/docs/search?q=wordpess')).text).toContain('found for “wordpress”');
    expect((await get('/docs/search?q=wordpress')).text).not.toContain('was found for');
    expect(await found('wrdpess')).toEqual([]);
  });

  test('finds nothing without words, or for words that are nowhere', async () => {
    expect(await found('')).toEqual([]);
    expect(await found('  ')).toEqual([]);
    expect(await found('zyzzyva')).toEqual([]);
    expect((await get('/docs/search?q=zyzzyva')).text).toContain('Nothing was found.');
  });
});
