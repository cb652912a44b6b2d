import { describe, expect, test } from 'bun:test';
import { newSecret } from '../../src/api-keys/secret.ts';
import { readSettings } from '../../src/config.ts';
import { stepProcess, takeClock } from '../support/clock.ts';
import { ownDatabase } from '../support/database.ts';
import {
  type Answer,
  attorney,
  bookkeeper,
  caller,
  makeFirm,
  startTestServer,
} from '../support/firm.ts';
import { run } from '../support/terminal.ts';

const limited = (limit: string, at: { databaseUrl?: string } = {}) =>
  startTestServer({ ...at, environment: { RATE_LIMIT: limit } });

// Here a test decides how time goes: the calls of a key are counted by the database's clock.
const standing = await ownDatabase();
const clock = await takeClock(standing);

const secondsNow = () => Math.floor(Date.now() / 1000);

const expectLimited = (answer: Answer) => {
  expect(answer.status).toBe(429);
  const seconds = Number(answer.headers.get('retry-after'));
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(answer.body).toEqual({
    error: {
      code: 'rate_limited',
      message: `Too many requests. Wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'} and try again.`,
    },
  });
  return seconds;
};

describe('Too many requests: 429 rate_limited', () => {
  test('every keyed answer says what is left, whatever its status', async () => {
    const server = await limited('0.1/10', { databaseUrl: standing });
    const firm = await makeFirm(server);
    const cy = await firm.callerOf(bookkeeper);
    const ben = await firm.callerOf(attorney);
    const answers = [
      [200, await cy.get('/v1/contacts')],
      [403, await cy.get('/v1/leads')],
      [403, await cy.post('/v1/leads', '{"broken')],
      [201, await ben.post('/v1/leads', { lastName: 'Quill' })],
      [400, await ben.post('/v1/leads', {})],
      [400, await ben.get('/v1/leads?limit=0')],
      [404, await ben.get('/v1/leads/no-id')],
      [404, await ben.delete('/v1/leads/019f0000-0000-7000-8000-000000000000')],
      [200, await ben.get('/v1/custom-fields')],
    ] as const;
    for (const [status, { headers, ...answer }] of answers) {
      expect(answer.status).toBe(status);
      const remaining = Number(headers.get('x-ratelimit-remaining'));
      expect(headers.get('x-ratelimit-limit')).toBe('10');
      expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d$/);
      expect(Number(headers.get('x-ratelimit-reset'))).toBeWithin(
        secondsNow() - 2,
        secondsNow() + 101,
      );
      expect(headers.get('ratelimit-policy')).toBe('"key";q=10;w=100');
      expect(headers.get('ratelimit')).toMatch(new RegExp(`^"key";r=${remaining};t=\\d{1,2}$`));
      expect(headers.get('retry-after')).toBeNull();
    }
    const [first, second] = answers;
    expect(first[1].headers.get('x-ratelimit-remaining')).toBe('9');
    expect(second[1].headers.get('x-ratelimit-remaining')).toBe('8');
  });

  test('what needs no key, and what has no good one, says nothing of limits', async () => {
    const server = await limited('5/10');
    for (const path of ['/v1/openapi.json', '/healthz', '/v1/leads', '/v1/nothing']) {
      const { headers } = await caller(server.url, '').get(path);
      expect([...headers.keys()].filter((name) => name.includes('ratelimit'))).toEqual([]);
    }
  });

  test('a client that waits the seconds of Retry-After succeeds; a refused call costs nothing and does nothing', async () => {
    const server = await limited('0.1/3', { databaseUrl: standing });
    const firm = await makeFirm(server);
    const { owner } = firm;
    const asked = await Promise.all(
      Array.from({ length: 28 }, () => owner.post('/v1/leads', { lastName: 'Q' })),
    );
    const refused = asked.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(25);
    const waits = refused.map(expectLimited);
    expect(new Set(waits)).toEqual(new Set([10]));
    await clock.step(9.9);
    expect(expectLimited(await owner.get('/v1/leads'))).toBe(1);
    await clock.step(0.1);
    const listed = await owner.get('/v1/leads');
    expect(listed.status).toBe(200);
    expect(listed.body.pagination.total).toBe(3);
    expect(listed.headers.get('x-ratelimit-remaining')).toBe('0');
    expectLimited(await owner.get('/v1/leads'));
  });

  test('at a slow rate Retry-After grows to whole seconds that are enough', async () => {
    const server = await limited('0.1/1', { databaseUrl: standing });
    const { owner } = await makeFirm(server);
    expect((await owner.get('/v1/leads')).status).toBe(200);
    const refused = await owner.get('/v1/leads');
    const seconds = expectLimited(refused);
    expect(seconds).toBe(10);
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(refused.headers.get('ratelimit')).toMatch(/^"key";r=0;t=\d{1,2}$/);
    await clock.step(seconds);
    expect((await owner.get('/v1/leads')).status).toBe(200);
  });

  test('a burst at once passes no more than it may', async () => {
    const server = await limited('0.1/10', { databaseUrl: standing });
    const { owner } = await makeFirm(server);
    const all = await Promise.all(Array.from({ length: 60 }, () => owner.get('/v1/leads')));
    const passed = all.filter(({ status }) => status === 200).length;
    expect(passed).toBe(10);
    for (const answer of all) if (answer.status !== 200) expectLimited(answer);
  });

  test("the limit is the key's alone: another key of the same member goes on", async () => {
    const server = await limited('0.1/2', { databaseUrl: standing });
    const firm = await makeFirm(server);
    const another = await firm.callerOf('ada@harrow.example');
    for (let call = 0; call < 2; call += 1) await firm.owner.get('/v1/leads');
    expectLimited(await firm.owner.get('/v1/leads'));
    const answer = await another.get('/v1/leads');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('1');
  });

  test('429 goes before 403 and before what is wrong with the request', async () => {
    const server = await limited('0.1/1', { databaseUrl: standing });
    const firm = await makeFirm(server);
    const cy = await firm.callerOf(bookkeeper);
    expect((await cy.get('/v1/leads')).status).toBe(403);
    expectLimited(await cy.get('/v1/leads'));
    expectLimited(await cy.post('/v1/leads', '{"broken'));
    expectLimited(await cy.get('/v1/leads/no-id'));
  });
});

describe('Failed authentication is limited per address', () => {
  const wrong = (server: { url: string }) => caller(server.url, 'wrong');

  test('twenty at once get 401, the next 429 with Retry-After, without a good key or with a strange one', async () => {
    const server = await limited('20/600');
    const asked = Array.from({ length: 20 }, (_, call) =>
      caller(server.url, call % 2 === 0 ? '' : 'wrong').get('/v1/leads'),
    );
    for (const { status } of await Promise.all(asked)) expect(status).toBe(401);
    const seconds = expectLimited(await wrong(server).get('/v1/leads'));
    expect(seconds).toBeWithin(1, 7);
    expectLimited(await caller(server.url, '').post('/v1/leads', { lastName: 'Q' }));
    expect((await caller(server.url, '').get('/v1/openapi.json')).status).toBe(200);
    expect((await caller(server.url, '').get('/healthz')).status).toBe(200);
    expect((await caller(server.url, '').get('/v1/nothing')).status).toBe(404);
    stepProcess(seconds);
    expect((await wrong(server).get('/v1/leads')).status).toBe(401);
  });

  test('does not shut out a key that was good lately, behind the same address', async () => {
    const server = await limited('20/600');
    const firm = await makeFirm(server);
    const ben = await firm.callerOf(attorney);
    expect((await ben.get('/v1/leads')).status).toBe(200);
    await Promise.all(Array.from({ length: 25 }, () => wrong(server).get('/v1/leads')));
    expectLimited(await wrong(server).get('/v1/leads'));
    expect((await ben.get('/v1/leads')).status).toBe(200);
    expect((await ben.post('/v1/leads', { lastName: 'Q' })).status).toBe(201);
    await firm.command(['key', 'revoke', ben.keyId]);
    expect((await ben.get('/v1/leads')).status).not.toBe(200);
  });

  test('does not shut out a good key that is used for the first time, behind the same address', async () => {
    const server = await limited('20/600');
    const firm = await makeFirm(server);
    const strange = () => caller(server.url, newSecret()).get('/v1/leads');
    await Promise.all(Array.from({ length: 25 }, strange));
    expectLimited(await strange());
    const flood = Array.from({ length: 50 }, strange);
    expect((await firm.owner.get('/v1/leads')).status).toBe(200);
    for (const answer of await Promise.all(flood)) expectLimited(answer);
  });

  test('holds for a hundred strange keys at once', async () => {
    const server = await limited('20/600');
    // Right in form and checksum, so that each would be looked up.
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => caller(server.url, newSecret()).get('/v1/leads')),
    );
    const refused = answers.filter(({ status }) => status === 401).length;
    expect(refused).toBeWithin(20, 22);
    for (const answer of answers) if (answer.status !== 401) expectLimited(answer);
  });

  test('good calls are no failures, however many', async () => {
    const server = await limited('100/600');
    const { owner } = await makeFirm(server);
    for (let call = 0; call < 40; call += 1) {
      expect((await owner.get('/v1/leads')).status).toBe(200);
    }
    expect((await wrong(server).get('/v1/leads')).status).toBe(401);
  });
});

describe('RATE_LIMIT', () => {
  test('off: nothing is limited and nothing said of limits', async () => {
    const server = await limited('off');
    const { owner } = await makeFirm(server);
    const answers = await Promise.all(Array.from({ length: 100 }, () => owner.get('/v1/leads')));
    for (const { status, headers } of answers) {
      expect(status).toBe(200);
      expect(headers.get('x-ratelimit-limit')).toBeNull();
    }
    for (let call = 0; call < 40; call += 1) {
      expect((await caller(server.url, 'wrong').get('/v1/leads')).status).toBe(401);
    }
  });

  test('is 20 requests a second, burst 600, where it is not set', () => {
    expect(readSettings({}).rateLimit).toEqual({ perSecond: 20, burst: 600 });
    expect(readSettings({ RATE_LIMIT: '0.5/1' }).rateLimit).toEqual({ perSecond: 0.5, burst: 1 });
  });

  test('a malformed setting ends the command with one sentence that says what it takes', async () => {
    const server = await limited('off');
    for (const setting of [
      ...['', 'on', 'OFF', '20', '20/', '/600', '20/600/3', '0/600', '20/0', '-1/600', '20/-1'],
      ...['20 / 600', '1e3/600', '20/0.5', 'Infinity/600', 'NaN/NaN', '0x10/600', '20/600 '],
    ]) {
      const { exitCode, out, err } = await run(server.databaseUrl, ['firm', 'list'], '', {
        RATE_LIMIT: setting,
      });
      expect({ setting, exitCode, out, err }).toEqual({
        setting,
        exitCode: 1,
        out: '',
        err: 'RATE_LIMIT must be `off` or `<per second>/<burst>`, for example 20/600.\n',
      });
    }
  });
});
