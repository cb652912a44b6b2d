/** The greatest request of each evil shape at every form and parser, while a bystander of another firm waits. */
import { attacked, cookiesOf } from './forms.ts';
import { milliseconds } from './report.ts';
import type { Scene } from './scene.ts';

const mebibyte = 1024 * 1024;
/** What the whole house promises, and what a machine that is busy with other things may take. */
const promisedMilliseconds = 250;
const maxMilliseconds = 1_000;

const many = (piece: (at: number) => string, bytes: number) => {
  const pieces: string[] = [];
  for (let [at, length] = [0, 0]; length < bytes; at += 1) {
    const next = piece(at);
    pieces.push(next);
    length += next.length;
  }
  return pieces.join('').slice(0, bytes);
};

/** As many fields as are taken, and more; long ones, deep ones, and ones that grow when shown. */
const formShapes: Record<string, (bytes: number) => string> = {
  'more names than are taken': (bytes) => many((at) => `${at.toString(36)}&`, bytes),
  'as many names as are taken': () => `once=1&${many((at) => `n${at}=x&`, 38_000)}`,
  'equal names': () => 'emails=x&'.repeat(4_900),
  'names of lists': () =>
    many((at) => `team%5B${at % 999}%5D.memberId=x&was.n${at}=y&`, mebibyte).slice(0, 90_000),
  'deep names': () => `${'a%5B0%5D.'.repeat(30)}=x&`.repeat(4_000),
  'long values': (bytes) =>
    ['title', 'name', 'text', 'firstName', 'emails', 'query', 'kept', 'columns']
      .map((name) => `${name}=${'x'.repeat(bytes / 8 - 40)}`)
      .join('&'),
  lines: (bytes) =>
    ['emails', 'phones', 'stages', 'text', 'options', 'colleagues']
      .map((name) => `${name}=${'a%0A'.repeat(bytes / 24 - 10)}`)
      .join('&'),
  quotes: (bytes) =>
    ['title', 'name', 'text', 'lastName']
      .map((name) => `${name}=${'"'.repeat(bytes / 4 - 20)}`)
      .join('&'),
  commas: (bytes) =>
    ['emails', 'columns', 'value', 'dueOn']
      .map((name) => `${name}=${','.repeat(bytes / 4 - 20)}`)
      .join('&'),
};

const csvShapes: Record<string, string> = {
  'quote pairs': '""\n',
  'spaces below each other': ' \n',
  quotes: '"',
  commas: ',',
  'a million cells': 'a,',
  rows: 'a,b,c\n',
  'one cell': 'a',
  'quoted commas': '"a",',
  lines: '\n',
};

type Sent = { name: string; path: string; init: RequestInit };
/** What a request cost another firm, and the server's main thread meanwhile with all that it served. */
type Cost = { name: string; status: string; waited: number; computed: number };

/** Sends each, and promises that the bystander never waited too long. */
export const costs = async (scene: Scene) => {
  const { url, report, pace, note, seen } = scene;
  const { owner } = await cookiesOf(scene);
  const found: Cost[] = [];
  note(await pace.take());
  for (const { name, path, init } of requestsOf(scene, owner)) {
    const before = (await seen.computed()) ?? 0;
    const answer = await fetch(url + path, { redirect: 'manual', ...init }).catch(String);
    if (typeof answer !== 'string') await answer.arrayBuffer();
    // What is still on its way when it is taken counts for the next.
    const taken = await pace.take();
    note(taken);
    const computed = ((await seen.computed()) ?? 0) - before;
    const status = typeof answer === 'string' ? answer : String(answer.status);
    found.push({ name, status, waited: taken.longest, computed });
  }
  found.sort((one, other) => other.waited - one.waited);
  const attack = `${found.length} requests of their greatest size`;
  for (const one of found.slice(0, 8)) {
    report.state(
      attack,
      one.name,
      `${milliseconds(one.waited)}, computed ${milliseconds(one.computed)}, answered ${one.status}`,
    );
  }
  const worst = found[0]?.waited ?? 0;
  const over = found.filter(({ waited }) => waited > promisedMilliseconds).length;
  report.state(attack, `kept another firm waiting over ${promisedMilliseconds} ms`, over);
  const promise = `no other firm waits over ${maxMilliseconds} ms`;
  report.promise(attack, promise, milliseconds(worst), worst <= maxMilliseconds);
  const failed = found.filter(({ status }) => !/^[234]\d\d$/.test(status));
  report.detail(failed.map(({ name, status }) => `${name}: ${status}`));
  report.promise(attack, 'each is answered, none 5xx', failed.length, failed.length === 0);
};

const requestsOf = function* ({ attacker }: Scene, cookie: string): Generator<Sent> {
  const signedIn = { cookie, accept: 'text/html', 'sec-fetch-site': 'same-origin' };
  let forms = 0;
  // Each form gets another record: what one of them deletes is not missing for all that follow.
  const id = (kind: string) => {
    const ids = attacker.ids[kind] ?? attacker.ids[`lead-${kind}`] ?? attacker.ids.matters ?? [];
    return ids[forms % ids.length] ?? '';
  };
  for (const page of attacked) {
    if (page.method !== 'POST') continue;
    forms += 1;
    const path = page.path.replaceAll(/([\w-]+)\/:\w+/g, (_, kind) => `${kind}/${id(kind)}`);
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const bytes = Math.min(page.policy.maxBytes ?? mebibyte, mebibyte) - 16;
    for (const [shape, of] of Object.entries(formShapes)) {
      const body = of(bytes).slice(0, bytes);
      const init = { method: 'POST', headers: { ...signedIn, ...type }, body };
      yield { name: `${page.path}: ${shape}`, path, init };
    }
  }
  for (const [shape, piece] of Object.entries(csvShapes)) {
    const body = new FormData();
    const text = `a,b\n${piece.repeat((10 * mebibyte) / piece.length - 10)}`;
    body.append('kind', 'contact');
    body.append('file', new File([text], 'a.csv'));
    const init = { method: 'POST', headers: signedIn, body };
    yield { name: `a file of ${shape}`, path: '/settings/imports', init };
  }
  const key = { authorization: `Bearer ${attacker.key}`, 'content-type': 'application/json' };
  const least = `"title":"x","practiceAreaId":"${attacker.ids['practice-areas']?.[0]}","openDate":"2026-02-03"`;
  const texts = { letters: 'x', escapes: '\\u0000', quotes: '\\"', commas: ',' };
  for (const [shape, piece] of Object.entries(texts)) {
    const text = piece.repeat((16 * mebibyte - 300) / piece.length);
    const init = { method: 'POST', headers: key, body: `{${least},"description":"${text}"}` };
    yield { name: `a description of 16 MiB of ${shape}`, path: '/v1/matters', init };
  }
  for (const shape of ['a=b&', 'columns=a,b&', 'limit=1&', 'page=1&', '%5B%5D=&']) {
    const text = shape.repeat(7_000 / shape.length);
    for (const path of ['/leads', '/matters', '/contacts', '/search', '/calendar']) {
      yield { name: `${path}?${shape}…`, path: `${path}?${text}`, init: { headers: signedIn } };
    }
    yield { name: `/v1/leads?${shape}…`, path: `/v1/leads?${text}`, init: { headers: key } };
  }
  for (const piece of ['a=b; ', ';', 'session=x; ', '="']) {
    const headers = { ...signedIn, cookie: `${cookie}; ${piece.repeat(7_000 / piece.length)}` };
    yield { name: `cookies of ${piece}`, path: '/leads', init: { headers } };
  }
  for (const name of ['accept', 'referer', 'x-forwarded-for', 'if-none-match', 'accept-language']) {
    const headers = { ...signedIn, [name]: 'a,;q=1/'.repeat(1_000) };
    yield { name: `a header ${name}`, path: '/leads', init: { headers } };
  }
};
