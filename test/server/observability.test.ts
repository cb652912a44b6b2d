/** What a running server says of itself: its log, its metrics, and whether it is ready. */
import { describe, expect, test } from 'bun:test';
import { newSecret } from '../../src/api-keys/secret.ts';
import { readSettings } from '../../src/config.ts';
import { version } from '../../src/version.ts';
import { startProxy } from '../proof/faults/proxy.ts';
import { connect, moveClock, ownDatabase } from '../support/database.ts';
import { readExposition, type Sample } from '../support/exposition.ts';
import {
  attorney,
  bookkeeper,
  caller,
  type Firm,
  makeFirm,
  send,
  startTestServer,
} from '../support/firm.ts';
import { freePort, startInstance } from '../support/instances.ts';
import { environmentOf } from '../support/roles.ts';
import { keyFileOf } from '../support/terminal.ts';
import { until } from '../support/until.ts';

/** What a client's record may hold, and no log. */
const secrets = ['Zoemarker', 'quillmarker', 'Titlemarker', 'Describedmarker', '5550142', 'ada@'];

type Line = Record<string, unknown>;

/** A server whose log is read, on a database of its own. */
const startHeard = async (environment: Record<string, string> = {}) => {
  const databaseUrl = await ownDatabase();
  let heard = '';
  const instance = await startInstance(databaseUrl, {
    environment: {
      MATTERHORN_LOG: '',
      DRAIN_SECONDS: '0',
      INSTALLATION_KEY: keyFileOf(databaseUrl),
      ...environment,
    },
    hear: (text) => (heard += text),
  });
  const lines = (): Line[] =>
    heard
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  return { ...instance, databaseUrl, heard: () => heard, lines };
};

const requestKeys = [
  ...['at', 'level', 'event', 'requestId', 'method', 'route', 'status', 'milliseconds'],
  ...['firmId', 'keyId'],
];

describe('The log', () => {
  test('has one JSON line for each request and each job with the request id, and nothing of what was sent', async () => {
    const server = await startHeard({ RATE_LIMIT: '500/1000' });
    const { url, databaseUrl, lines, heard } = server;
    const sql = connect(databaseUrl);
    const firm = await makeFirm(server);
    const cy = await firm.callerOf(bookkeeper);
    const strange = newSecret();
    const sent: { id: string; route: string; status: number; key?: string | undefined }[] = [];
    let number = 0;
    /** Sends a request under an id of its own, and expects this of its line. */
    const ask = async (route: string, status: number, key: string | undefined, call: Call) => {
      const id = `asked-${(number += 1)}`;
      const answer = await call({ 'x-request-id': id });
      expect({ id, status: answer.status }).toEqual({ id, status });
      sent.push({ id, route, status, key });
      return answer;
    };
    const { owner } = firm;
    const lead = {
      firstName: 'Zoemarker',
      lastName: 'Quill',
      email: 'quillmarker@client.example',
      phone: '+1 5550142',
      description: 'Describedmarker',
    };
    const one = await ask('/v1/leads', 201, owner.keyId, (id) => owner.post('/v1/leads', lead, id));
    const leadId = one.body.data.id;
    await ask('/v1/leads/:id', 200, owner.keyId, (id) => owner.get(`/v1/leads/${leadId}`, id));
    await ask('/v1/search', 200, owner.keyId, (id) => owner.get('/v1/search?q=Zoemarker', id));
    await ask('/v1/leads', 400, owner.keyId, (id) => owner.get('/v1/leads?limit=Zoemarker', id));
    await ask('/v1/leads', 400, owner.keyId, (id) =>
      owner.post('/v1/leads', { ...lead, type: 'Zoemarker' }, id),
    );
    await ask('/v1/leads', 400, owner.keyId, (id) =>
      owner.post('/v1/leads', '{"firstName":"Zoemarker', id),
    );
    await ask('/v1/leads', 413, owner.keyId, (id) =>
      owner.post('/v1/leads', { ...lead, description: 'Describedmarker'.repeat(80_000) }, id),
    );
    await ask('/v1/leads/:id', 404, owner.keyId, (id) => owner.get('/v1/leads/Zoemarker', id));
    await ask('none', 404, undefined, (id) => owner.get('/v1/Zoemarker', id));
    await ask('/v1/leads', 405, undefined, (headers) =>
      send(`${url}/v1/leads`, { method: 'PUT', headers, body: JSON.stringify(lead) }),
    );
    await ask('/v1/leads', 403, cy.keyId, (id) => cy.get('/v1/leads', id));
    await ask('/healthz', 200, undefined, (id) => owner.get('/healthz', id));
    const matter = await makeMatter(firm, (call) => ask('/v1/matters', 201, owner.keyId, call));
    await firm.command(['task', 'add', '--matter', matter.id, '--title', 'Titlemarker']);

    await sql`alter table practice_area rename to away`;
    await ask('/v1/practice-areas', 500, owner.keyId, (id) => owner.get('/v1/practice-areas', id));
    await sql`alter table away rename to practice_area`;
    // At once: another one may fail every six seconds.
    const fails = () =>
      ask('/v1/leads', 401, undefined, (id) => caller(url, strange).get('/v1/leads', id));
    await Promise.all(Array.from({ length: 20 }, fails));
    await ask('/v1/leads', 429, undefined, (id) => caller(url, strange).get('/v1/leads', id));
    const jobs = (kind: string) =>
      lines().filter((line) => line.event === 'job' && line.kind === kind);
    await ask('/v1/matters/:id', 200, owner.keyId, (id) =>
      owner.patch(`/v1/matters/${matter.id}`, { status: 'ARCHIVE' }, id),
    );
    const archiving = sent.at(-1)?.id;
    // It would close the next task too.
    await until(() => jobs('close_out_tasks').length > 0);
    // A job whose work hands Postgres what it cannot take.
    await firm.command(['task', 'add', '--matter', matter.id, '--title', 'Titlemarker']);
    await sql`insert into job (firm_id, kind, dedupe_key, ref, payload, run_at)
      values (${firm.id}, 'close_out_tasks', 'broken', ${matter.id},
        ${sql.json({ cause: { memberId: 'Zoemarker', keyId: null, requestId: 'x' } })}, moment())`;
    await moveClock(databaseUrl, 61);

    await until(() => jobs('lead_announce').length > 0);
    await until(() => jobs('close_out_tasks').some(({ outcome }) => outcome === 'failed'));
    await until(() => jobs('close_out_events').length > 0);
    await server.stop();
    await until(() => lines().some(({ requestId }) => requestId === sent.at(-1)?.id));

    for (const { id, route, status, key } of sent) {
      const found = lines().filter((line) => line.event === 'request' && line.requestId === id);
      expect(found).toMatchObject([{ route, status, level: status >= 500 ? 'error' : 'info' }]);
      expect(found[0]?.keyId).toBe(key);
      expect(found[0]?.firmId).toBe(key && firm.id);
      expect(found[0]?.milliseconds).toBeNumber();
      expect(Object.keys(found[0] ?? {}).filter((name) => !requestKeys.includes(name))).toEqual([]);
      expect(Date.parse(String(found[0]?.at))).not.toBeNaN();
    }
    expect(jobs('lead_announce')).toMatchObject([
      { level: 'info', outcome: 'done', firmId: firm.id, requestId: 'asked-1' },
    ]);
    expect(jobs('close_out_events')).toMatchObject([{ outcome: 'done', requestId: archiving }]);
    const [failed] = jobs('close_out_tasks').filter(({ outcome }) => outcome === 'failed');
    expect(failed).toMatchObject({ level: 'error', error: 'PostgresError', code: '22P02' });
    expect(failed?.job).toBeString();
    // The server's own jobs are only heard of when they fail.
    expect(jobs('audit_seal')).toEqual([]);
    const listed = await sql`select last_error from job where last_error is not null`;
    expect(listed).toHaveLength(1);
    await sql.end();
    const stored = String(listed[0]?.last_error);
    expect(stored).toContain('22P02');
    for (const secret of [...secrets, owner.key, strange, owner.key.slice(3), strange.slice(3)]) {
      expect({ secret, isLogged: heard().includes(secret) }).toEqual({ secret, isLogged: false });
      expect({ secret, isStored: stored.includes(secret) }).toEqual({ secret, isStored: false });
    }
  });

  test('with MATTERHORN_LOG=quiet has no line where all is well', async () => {
    const server = await startHeard({ MATTERHORN_LOG: 'quiet' });
    const { owner } = await makeFirm(server);
    expect((await owner.get('/v1/leads')).status).toBe(200);
    await server.stop();
    expect(server.heard()).toBe('');
  });

  test('that nobody reads holds nothing up', async () => {
    const databaseUrl = await ownDatabase();
    const port = await freePort();
    const child = Bun.spawn(['bun', 'src/main.ts', 'serve', '--port', String(port), '--json'], {
      cwd: `${import.meta.dir}/../..`,
      env: {
        ...process.env,
        ...environmentOf(databaseUrl),
        MATTERHORN_LOG: '',
        DRAIN_SECONDS: '0',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await child.stdout.getReader().read();
    const { get } = caller(`http://127.0.0.1:${port}`, '');
    // More than any pipe takes.
    for (let round = 0; round < 30; round += 1)
      await Promise.all(Array.from({ length: 100 }, () => get('/healthz')));
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
  });
});

type Call = (headers: Record<string, string>) => ReturnType<ReturnType<typeof caller>['get']>;

const makeMatter = async (firm: Firm, ask: (call: Call) => ReturnType<Call>) => {
  const body = {
    title: 'Titlemarker',
    description: 'Describedmarker',
    practiceAreaId: firm.practiceAreas.Family?.id,
    openDate: '2026-02-03',
    team: [{ memberId: firm.members[attorney] }],
  };
  const answer = await ask((headers) => firm.owner.post('/v1/matters', body, headers));
  return answer.body.data as { id: string };
};

describe('/metrics', () => {
  test('is on an address of its own, off by default, and counts what happens', async () => {
    const port = await freePort();
    const server = await startHeard({
      METRICS_ADDRESS: `127.0.0.1:${port}`,
      RATE_LIMIT: '0.1/40',
    });
    const { url, databaseUrl } = server;
    const scrape = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
      return readExposition(await answer.text());
    };
    const valueIn = (samples: Sample[], name: string, labels: Record<string, string> = {}) => {
      const found = samples.filter(
        (one) => one.name === name && Bun.deepEquals(one.labels, labels),
      );
      expect(found.length).toBeLessThanOrEqual(1);
      return found[0]?.value;
    };
    const requests = 'matterhorn_http_request_duration_seconds_count';

    const before = await scrape();
    expect(valueIn(before, 'matterhorn_build_info', { version })).toBe(1);
    expect(valueIn(before, 'matterhorn_database_up')).toBe(1);
    expect(valueIn(before, 'process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
    expect(valueIn(before, 'matterhorn_uptime_seconds')).toBeGreaterThan(0);
    expect(valueIn(before, 'matterhorn_notifications_total', { kind: 'lead.new' })).toBe(0);
    expect(valueIn(before, 'matterhorn_authentication_failures_total')).toBe(0);
    expect(valueIn(before, requests, { method: 'GET', route: '/v1/leads', status: '200' })).toBe(
      undefined,
    );

    const { owner } = await makeFirm({ url, databaseUrl });
    for (let call = 0; call < 3; call += 1) await owner.post('/v1/leads', { lastName: 'Quill' });
    for (let call = 0; call < 5; call += 1) await owner.get('/v1/leads');
    for (const path of ['/v1/Zoemarker', '/a', '/b/c', '/metrics'])
      expect((await owner.get(path)).status).toBe(404);
    await caller(url, '').get('/v1/leads');
    await caller(url, newSecret()).get('/v1/leads');
    for (let call = 0; call < 45; call += 1) await owner.get('/v1/contacts');
    await moveClock(databaseUrl, 61);
    const sql = connect(databaseUrl);
    await sql`insert into job (firm_id, kind, dedupe_key, payload, run_at, dead_at)
      values (gen_random_uuid(), 'unknown', 'dead', '{}', moment(), moment()),
        (gen_random_uuid(), 'unknown', 'late', '{}', moment() - interval '2 minutes', null)`;
    await sql.end();
    const told = { kind: 'lead.new' };
    await until(async () => valueIn(await scrape(), 'matterhorn_notifications_total', told) === 6);
    // The server's own jobs were late, too, when the clock was moved.
    await until(async () => valueIn(await scrape(), 'matterhorn_jobs_late') === 1);

    const after = await scrape();
    const count = (method: string, route: string, status: string) =>
      valueIn(after, requests, { method, route, status });
    expect(count('POST', '/v1/leads', '201')).toBe(3);
    expect(count('GET', '/v1/leads', '200')).toBe(5);
    expect(count('GET', 'none', '404')).toBe(4);
    expect(count('GET', '/v1/leads', '401')).toBe(2);
    expect(count('GET', '/v1/contacts', '429')).toBeGreaterThanOrEqual(5);
    expect(valueIn(after, 'matterhorn_authentication_failures_total')).toBe(2);
    const refusals = 'matterhorn_rate_limit_refusals_total';
    expect(valueIn(after, refusals, { limit: 'key' })).toBe(count('GET', '/v1/contacts', '429'));
    expect(valueIn(after, refusals, { limit: 'address' })).toBe(0);
    expect(valueIn(after, 'matterhorn_http_requests_in_flight')).toBe(0);
    expect(valueIn(after, 'matterhorn_jobs_dead')).toBe(1);
    expect(valueIn(after, 'matterhorn_jobs_late')).toBe(1);
    expect(valueIn(after, 'matterhorn_jobs_due')).toBeGreaterThanOrEqual(1);
    expect(valueIn(after, 'matterhorn_jobs_oldest_due_seconds')).toBeGreaterThanOrEqual(120);
    const turns = { kind: 'lead_announce', outcome: 'done' };
    expect(valueIn(after, 'matterhorn_job_duration_seconds_count', turns)).toBeGreaterThan(0);
    expect(valueIn(after, 'matterhorn_database_connections', { state: 'idle' })).toBeGreaterThan(0);
    // What a caller makes up is no label.
    expect(JSON.stringify(after)).not.toContain('Zoemarker');
    const counters = before.filter(({ name }) => /_(total|count|bucket)$/.test(name));
    for (const { name, labels, value } of counters)
      expect(valueIn(after, name, labels)).toBeGreaterThanOrEqual(value);
    await server.stop();
  });

  test('says that the database is away, and is not held up by it', async () => {
    const proxy = await startProxy(await ownDatabase());
    const port = await freePort();
    const environment = { METRICS_ADDRESS: `127.0.0.1:${port}` };
    const server = await startTestServer({ databaseUrl: proxy.url, environment });
    const page = async () => {
      const signal = AbortSignal.timeout(4_000);
      return readExposition(
        await (await fetch(`http://127.0.0.1:${port}/metrics`, { signal })).text(),
      );
    };
    const upOf = (samples: Sample[]) =>
      samples.find(({ name }) => name === 'matterhorn_database_up')?.value;
    await until(async () => upOf(await page()) === 1);
    proxy.blackHole('requests', 'answers');
    const dark = await page();
    expect(upOf(dark)).toBe(0);
    expect(dark.filter(({ name }) => name.startsWith('matterhorn_jobs_'))).toEqual([]);
    const signal = AbortSignal.timeout(4_000);
    const ready = await fetch(`${server.url}/readyz`, { signal });
    expect(ready.status).toBe(503);
    expect(await ready.json()).toEqual({
      error: { code: 'unavailable', message: expect.stringContaining('does not answer') },
    });
    expect((await fetch(`${server.url}/healthz`, { signal })).status).toBe(200);
    proxy.heal();
    await until(async () => upOf(await page()) === 1);
    proxy.cut();
    await until(async () => (await fetch(`${server.url}/readyz`)).status === 200);
    const lost = (await page()).find(
      ({ name }) => name === 'matterhorn_database_connections_lost_total',
    );
    expect(lost?.value).toBeGreaterThan(0);
    await server.stop();
    expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow();
  });

  test('a setting that is wrong is refused in one sentence', () => {
    for (const text of ['9464', ':9464', 'x y:9464', '127.0.0.1:99999', '127.0.0.1']) {
      expect(() => readSettings({ METRICS_ADDRESS: text })).toThrow(
        'METRICS_ADDRESS must be an address and a port, for example 127.0.0.1:9464.',
      );
    }
    for (const text of ['-1', '61', '1.5', 'x', '']) {
      expect(() => readSettings({ DRAIN_SECONDS: text })).toThrow(
        'DRAIN_SECONDS must be a whole number from 0 to 60.',
      );
    }
    expect(readSettings({})).toMatchObject({ drainSeconds: 1, metricsAddress: undefined });
  });
});

test('/readyz is 503 when the work in the background has not got on for 10 seconds, and 200 when it does again', async () => {
  const databaseUrl = await ownDatabase();
  const server = await startTestServer({ databaseUrl });
  await until(async () => (await fetch(`${server.url}/readyz`)).status === 200);
  const sql = connect(databaseUrl);
  await sql`begin`;
  await sql`lock table job in access exclusive mode`;
  // A busy database may be the reason for a moment.
  const why = async () => (await fetch(`${server.url}/readyz`)).text();
  await until(async () => (await why()).includes('Background work'));
  await sql`rollback`;
  await until(async () => (await fetch(`${server.url}/readyz`)).status === 200);
  await sql.end();
});
