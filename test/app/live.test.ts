/** What an open page is told of changes: the kinds of record, of a private one only to those who see it. */
import { afterEach, expect, test } from 'bun:test';
import { memberBrowser } from '../support/app.ts';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { visitorOf } from '../support/visitor.ts';

const server = await startTestServer();
let ended = new AbortController();
// A process holds 256 connections at most.
afterEach(() => {
  ended.abort();
  ended = new AbortController();
});

type Stream = {
  query?: string;
  headers?: Record<string, string>;
  at?: typeof server;
  /** What is done once the stream has begun, and before it was told anything. */
  meanwhile?: () => Promise<unknown>;
};

/** Listens as a page of a member does. `hears` waits until it was told of a kind this often. */
const listenAs = async (
  firm: { id: string; members: Record<string, string> },
  email: string,
  { query = '', headers = {}, at = server, meanwhile }: Stream = {},
) => {
  const { cookie } = await memberBrowser(at, firm, email);
  const answer = await fetch(`${at.url}/live${query}`, {
    headers: { cookie, ...headers },
    signal: ended.signal,
  });
  if (!answer.body) throw new Error('The stream has no body.');
  const told: string[] = [];
  let wake = () => {};
  const read = async (body: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      told.push(...decoder.decode(chunk, { stream: true }).split('\n\n'));
      wake();
    }
  };
  void read(answer.body).catch(() => {});
  /** How often it was told of this. */
  const times = (kind: string) =>
    told.filter((one) => {
      const [, event = '', data = ''] = /event: (\w+)\ndata: (.*)/.exec(one) ?? [];
      return [event, ...data.split(' ')].includes(kind);
    }).length;
  const hears = async (kind: string, count: number) => {
    while (times(kind) < count) {
      await new Promise<void>((go) => {
        wake = go;
      });
    }
  };
  await meanwhile?.();
  await hears('unread', 1);
  const lastId = () => told.flatMap((one) => /id: (\d+)/.exec(one)?.[1] ?? []).at(-1) ?? '';
  return { times, hears, lastId };
};

/** What was done before is older than a stream by more than it takes to read the database's clock. */
const untilOlder = () => Bun.sleep(2_000);

test('a private lead is told to those who see it, and to all when it becomes private', async () => {
  const firm = await makeFirm(server);
  const shown = (await firm.owner.post('/v1/leads', { lastName: 'Shown' })).body.data.id;
  await untilOlder();
  const [ada, ben] = [await listenAs(firm, owner), await listenAs(firm, attorney)];
  await firm.owner.post('/v1/leads', { lastName: 'Hidden', isPrivate: true });
  await ada.hears('lead', 1);
  const visitor = await visitorOf(server, firm, owner);
  await visitor.post(`/leads/${shown}`, { isPrivate: 'yes' });
  await Promise.all([ada.hears('lead', 2), ben.hears('lead', 1)]);
  await firm.owner.post('/v1/contacts', { lastName: 'Open' });
  await ben.hears('contact', 1);
  // Only that the second lead became private.
  expect([ben.times('lead'), ben.times('contact')]).toEqual([1, 1]);
});

test('what changed between a page and its stream is told when the stream begins', async () => {
  const firm = await makeFirm(server);
  await firm.owner.post('/v1/leads', { lastName: 'Hidden', isPrivate: true });
  const minute = { query: '?shown=60000' };
  const ada = await listenAs(firm, owner, minute);
  await ada.hears('lead', 1);
  await firm.owner.post('/v1/contacts', { lastName: 'Open' });
  await untilOlder();
  const [ben, cy] = [await listenAs(firm, attorney, minute), await listenAs(firm, attorney)];
  await ben.hears('contact', 1);
  await firm.owner.post('/v1/practice-areas', { name: 'Probate' });
  await Promise.all([ben.hears('practice_area', 1), cy.hears('practice_area', 1)]);
  // The private lead is not told, and nothing to a page that is as new as its stream.
  expect([ben.times('lead'), cy.times('contact')]).toEqual([0, 0]);
});

test('what changes before the first look at a stream is told, also if it began while others were looked at', async () => {
  const firms = await Promise.all(Array.from({ length: 8 }, () => makeFirm(server)));
  for (const { owner: api } of firms) await api.post('/v1/practice-areas', { name: 'Before' });
  await untilOlder();
  const streams = await Promise.all(
    firms.map((firm) => {
      const meanwhile = () => firm.owner.post('/v1/contacts', { lastName: 'Meanwhile' });
      return listenAs(firm, owner, { meanwhile });
    }),
  );
  await Promise.all(streams.map((stream) => stream.hears('contact', 1)));
  expect(streams.map((stream) => stream.times('practice_area'))).toEqual(Array(8).fill(0));
});

test('what changed while a browser was away is told when it comes again, and nothing else', async () => {
  const firm = await makeFirm(server);
  await firm.owner.post('/v1/contacts', { lastName: 'Before' });
  const first = await listenAs(firm, owner);
  await firm.owner.post('/v1/practice-areas', { name: 'Tax' });
  // A server that has just started knows of no change before.
  const at = await startTestServer({});
  const again = await listenAs(firm, owner, {
    at,
    query: '?shown=60000',
    headers: { 'last-event-id': first.lastId() },
  });
  await again.hears('practice_area', 1);
  expect(again.times('contact')).toBe(0);
  const wrong = { 'last-event-id': "1'; --" };
  const other = await listenAs(firm, owner, { headers: wrong });
  await firm.owner.post('/v1/practice-areas', { name: 'Probate' });
  await other.hears('practice_area', 1);
  expect(other.times('contact')).toBe(0);
});

// An answer that nobody holds any more may be collected, and its place is free then.
const held: Response[] = [];
const listenWith = async (url: string, cookie: string, signal: AbortSignal) => {
  const answer = await fetch(`${url}/live`, { headers: { cookie }, signal });
  held.push(answer);
  return answer.status;
};

test('a member has ten places, and the eleventh is told that none is free', async () => {
  const firm = await makeFirm(server);
  const { cookie } = await memberBrowser(server, firm, owner);
  const listening = new AbortController();
  const ask = (as: string) => listenWith(server.url, as, listening.signal);
  const taken = await Promise.all(Array.from({ length: 10 }, () => ask(cookie)));
  expect(taken).toEqual(Array(10).fill(200));
  expect(await ask(cookie)).toBe(204);
  const colleague = await memberBrowser(server, firm, attorney);
  expect(await ask(colleague.cookie)).toBe(200);
  listening.abort();
  // A place that was left is free again.
  while ((await listenWith(server.url, cookie, ended.signal)) === 204) {
    await Bun.sleep(20);
  }
});

test('a firm has half of the places, and another firm the others', async () => {
  const own = await startTestServer({});
  const emails = [owner, ...Array.from({ length: 25 }, (_, at) => `m${at}@harrow.example`)];
  const members = emails.map((email) => ({ email, name: 'Ada Harrow', role: 'Owner' }));
  const [firm, other] = [await makeFirm(own, { members }), await makeFirm(own)];
  const ask = (cookie: string) => listenWith(own.url, cookie, ended.signal);
  const statuses: number[] = [];
  for (const email of emails) {
    const { cookie } = await memberBrowser(own, firm, email);
    statuses.push(...(await Promise.all(Array.from({ length: 10 }, () => ask(cookie)))));
  }
  expect(statuses).toEqual([...Array(250).fill(200), ...Array(10).fill(204)]);
  expect(await ask((await memberBrowser(own, other, owner)).cookie)).toBe(200);
});
