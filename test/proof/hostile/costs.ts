/** The greatest request of each evil shape at every form and parser, while a bystander of another firm waits. */
import type { SentForm } from '../../../src/app/visit.ts';
import { millisecondsForMemory } from '../../support/turns.ts';
import { attacked, cookiesOf } from './forms.ts';
import { openRecords } from './records.ts';
import { milliseconds } from './report.ts';
import type { Scene } from './scene.ts';

const mebibyte = 1024 * 1024;
/** What the whole house promises, and what a machine that is busy with other things may take. */
const promisedMilliseconds = 250;
/** What the largest body takes while it is read, stored and entered in the audit log: eight times itself. */
const heldBytes = 8 * 16 * mebibyte;
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
/**
 * What a request cost another firm in waiting, and the server's main thread in computing: all that it
 * served meanwhile, and its longest turn, in which nobody else is served. `kept` is the part of the
 * wait that its computing explains, or that no other work of the machine does.
 */
type Cost = {
  name: string;
  status: string;
  waited: number;
  kept: number;
  computed: number;
  turn: number;
};

/** A wait that the server causes comes each time. */
const maxTimes = 5;

/** Sends each, and promises that the bystander never waited too long, and that no form was missed. */
export const costs = async (scene: Scene) => {
  const { pace, note } = scene;
  const { owner } = await cookiesOf(scene);
  const records = openRecords(scene, owner);
  const forms = attacked.filter((page) => page.method === 'POST');
  records.mustKnow(forms.map(({ path }) => path));
  const found: Cost[] = [];
  note(await pace.take());
  // Other attacks remove records: the matters get a practice area of their own.
  const area = await records.addressOf('/settings/practice-areas/:id');
  const areaId = area.slice(area.lastIndexOf('/') + 1);
  for (const sent of plainRequests(scene, owner, areaId)) {
    found.push(await leastOf(scene, () => sent));
  }
  for (const page of forms) {
    // One record serves a form's requests until one of them takes it away.
    let path = await records.addressOf(page.path);
    const named = await records.fieldsOf(page.path);
    for (const [shape, of] of Object.entries(formShapes)) {
      const sent = () => formRequest({ page, path, named }, owner, shape, of);
      let cost = await leastOf(scene, sent);
      if (cost.status === '404' && page.path.includes(':')) {
        path = await records.addressOf(page.path);
        cost = await leastOf(scene, sent);
      }
      found.push(cost);
    }
  }
  await records.close();
  tell(scene, found);
};

/** Sends it; again if another firm waited too long, and then gives the time with the least wait. */
const leastOf = async (scene: Scene, sent: () => Sent): Promise<Cost> => {
  let least = await costOf(scene, sent());
  for (let times = 1; times < maxTimes && least.kept > maxMilliseconds; times += 1) {
    const next = await costOf(scene, sent());
    // A record that it took away is no longer there to be asked again.
    if (next.status !== least.status) break;
    const turn = Math.max(least.turn, next.turn);
    least = { ...(next.kept < least.kept ? next : least), turn };
  }
  return least;
};

const costOf = async (
  { url, pace, note, seen }: Scene,
  { name, path, init }: Sent,
): Promise<Cost> => {
  const before = { computed: (await seen.computed()) ?? 0, pressed: await seen.pressed() };
  seen.takeTurn();
  const answer = await fetch(url + path, { redirect: 'manual', ...init }).catch(String);
  if (typeof answer !== 'string') await answer.arrayBuffer();
  // What is still on its way when it is taken counts for the next.
  const taken = await pace.take();
  note(taken);
  const turn = seen.takeTurn();
  const computed = ((await seen.computed()) ?? 0) - before.computed;
  const status = typeof answer === 'string' ? answer : String(answer.status);
  const { longest: waited } = taken;
  const pressed = (await seen.pressed()) - before.pressed;
  const kept = Math.max(Math.min(waited, computed), waited - pressed);
  return { name, status, waited, kept, computed, turn };
};

const tell = ({ report, hasTurns }: Scene, found: readonly Cost[]) => {
  const attack = `${found.length} requests of their greatest size`;
  const wordsOf = ({ waited, kept, computed, turn, status }: Cost) =>
    `waited ${milliseconds(waited)}, at most ${milliseconds(kept)} of it by the server, computed ${milliseconds(computed)}, longest turn ${milliseconds(turn)}, answered ${status}`;
  const byTurn = found.toSorted((one, other) => other.turn - one.turn);
  const byWait = found.toSorted((one, other) => other.kept - one.kept);
  for (const one of byTurn.slice(0, 12)) report.state(attack, one.name, wordsOf(one));
  const slow = byWait.filter(({ kept }) => kept > promisedMilliseconds);
  report.detail(slow.map((one) => `${one.name}: ${wordsOf(one)}`));
  const max = `kept another firm waiting over ${promisedMilliseconds} ms, all of them above`;
  report.state(attack, max, slow.length);
  const worst = byWait[0]?.kept ?? 0;
  const promise = `the server keeps no other firm waiting over ${maxMilliseconds} ms`;
  report.promise(attack, promise, milliseconds(worst), worst <= maxMilliseconds);
  const turn = byTurn[0]?.turn ?? 0;
  if (hasTurns) {
    const unbroken = `nobody's turn computes over ${promisedMilliseconds} ms, beside having memory for it`;
    const forMemory = millisecondsForMemory(heldBytes);
    const figures = `${milliseconds(turn)}, ${milliseconds(forMemory)} for memory`;
    report.promise(attack, unbroken, figures, turn - forMemory <= promisedMilliseconds);
    const ofFiles = byTurn.find(({ name }) => name.startsWith('a file of '))?.turn ?? 0;
    report.state(attack, 'longest turn of a file', milliseconds(ofFiles));
  }
  const failed = found.filter(({ status }) => !/^[234]\d\d$/.test(status));
  report.detail(failed.map(({ name, status }) => `${name}: ${status}`));
  report.promise(attack, 'each is answered, none 5xx', failed.length, failed.length === 0);
  const missed = found.filter(({ status }) => status === '404');
  report.detail(missed.map(({ name }) => `${name}: its record was not there`));
  report.promise(
    attack,
    'each reaches what it is for, none 404',
    missed.length,
    missed.length === 0,
  );
  const long = found.filter(({ name }) => name.startsWith('a description '));
  const stored = long.filter(({ status }) => status === '201').length;
  report.promise(
    attack,
    'descriptions of 16 MiB are stored',
    `${stored} of ${long.length}`,
    stored > 1,
  );
};

const signedIn = (cookie: string) => ({
  cookie,
  accept: 'text/html',
  'sec-fetch-site': 'same-origin',
});

const formRequest = (
  { page, path, named }: { page: SentForm; path: string; named: string },
  cookie: string,
  shape: string,
  of: (bytes: number) => string,
): Sent => {
  const bytes = Math.min(page.policy.maxBytes ?? mebibyte, mebibyte) - 16;
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = `${named}${of(bytes)}`.slice(0, bytes);
  const init = { method: 'POST', headers: { ...signedIn(cookie), ...type }, body };
  return { name: `${page.path}: ${shape}`, path, init };
};

/** All that are about no record, or about one that no form has touched yet. */
const plainRequests = function* (
  { attacker }: Scene,
  cookie: string,
  areaId: string,
): Generator<Sent> {
  for (const [shape, piece] of Object.entries(csvShapes)) {
    const body = new FormData();
    const text = `a,b\n${piece.repeat((10 * mebibyte) / piece.length - 10)}`;
    body.append('kind', 'contact');
    body.append('file', new File([text], 'a.csv'));
    const init = { method: 'POST', headers: signedIn(cookie), body };
    yield { name: `a file of ${shape}`, path: '/settings/imports', init };
  }
  const key = { authorization: `Bearer ${attacker.key}`, 'content-type': 'application/json' };
  const least = `"title":"x","practiceAreaId":"${areaId}","openDate":"2026-02-03"`;
  const texts = { letters: 'x', escapes: '\\u0000', quotes: '\\"', commas: ',' };
  for (const [shape, piece] of Object.entries(texts)) {
    const text = piece.repeat((16 * mebibyte - 300) / piece.length);
    const init = { method: 'POST', headers: key, body: `{${least},"description":"${text}"}` };
    yield { name: `a description of 16 MiB of ${shape}`, path: '/v1/matters', init };
  }
  for (const shape of ['a=b&', 'columns=a,b&', 'limit=1&', 'page=1&', '%5B%5D=&']) {
    const text = shape.repeat(7_000 / shape.length);
    for (const path of ['/leads', '/matters', '/contacts', '/search', '/calendar']) {
      yield {
        name: `${path}?${shape}…`,
        path: `${path}?${text}`,
        init: { headers: signedIn(cookie) },
      };
    }
    yield { name: `/v1/leads?${shape}…`, path: `/v1/leads?${text}`, init: { headers: key } };
  }
  for (const piece of ['a=b; ', ';', 'session=x; ', '="']) {
    const headers = {
      ...signedIn(cookie),
      cookie: `${cookie}; ${piece.repeat(7_000 / piece.length)}`,
    };
    yield { name: `cookies of ${piece}`, path: '/leads', init: { headers } };
  }
  for (const name of ['accept', 'referer', 'x-forwarded-for', 'if-none-match', 'accept-language']) {
    const headers = { ...signedIn(cookie), [name]: 'a,;q=1/'.repeat(1_000) };
    yield { name: `a header ${name}`, path: '/leads', init: { headers } };
  }
};
