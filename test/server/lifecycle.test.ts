/** How a server starts and ends: what it says during that, and what happens to work in progress. */
import { afterAll, describe, expect, test } from 'bun:test';
import { addressOf, connect, ownDatabase } from '../support/database.ts';
import { makeFirm } from '../support/firm.ts';
import { freePort, startInstance } from '../support/instances.ts';
import { keepAliveClient } from '../support/keep-alive.ts';
import { programWords } from '../support/program.ts';
import { environmentOf } from '../support/roles.ts';
import { marking, runnerOn } from '../support/runner.ts';
import { until } from '../support/until.ts';

describe('A server told to stop', () => {
  test('says so at once, goes on answering for DRAIN_SECONDS and has its clients let go, then takes no more', async () => {
    const databaseUrl = await ownDatabase();
    const port = await freePort();
    // Long enough for what is asked meanwhile, and shorter than a body may come slowly.
    const environment = { DRAIN_SECONDS: '5' };
    const instance = await startInstance(databaseUrl, { port, environment });
    const firm = await makeFirm({ url: instance.url, databaseUrl });
    const headers = {
      authorization: `Bearer ${firm.owner.key}`,
      'content-type': 'application/json',
    };
    const client = keepAliveClient([port]);
    const ask = async (method: string, path: string, body?: string) => {
      const outcome = await client.send(method, path, headers, body);
      if ('failure' in outcome) return outcome.failure;
      return `${outcome.status} ${outcome.headers.connection ?? 'keep-alive'}`;
    };
    expect(await ask('GET', '/readyz')).toBe('200 keep-alive');
    expect(await ask('POST', '/v1/leads', '{"lastName":"Quill"}')).toBe('201 keep-alive');
    const slow = await sendSlowly(port, headers, '{"lastName":"Hollis"}');
    const stopped = instance.stop();
    await until(async () => (await ask('GET', '/readyz')) === '503 close');
    const refusal = await firm.owner.get('/readyz');
    expect(refusal.headers.get('retry-after')).toBe('2');
    expect(refusal.body).toEqual({
      error: { code: 'unavailable', message: expect.stringContaining('is stopping') },
    });
    expect(await ask('GET', '/healthz')).toBe('200 close');
    expect(await ask('POST', '/v1/leads', '{"lastName":"Moss"}')).toBe('201 close');
    await until(async () => (await ask('GET', '/healthz')) === 'refused');
    // What it had begun to take is taken to its end.
    expect(await slow.finish()).toStartWith('HTTP/1.1 201');
    expect((await stopped).exitCode).toBe(0);
    expect(await namesIn(databaseUrl)).toEqual(['Hollis', 'Moss', 'Quill']);
  });

  test('twice, ends at once, and what it acknowledged is there', async () => {
    const databaseUrl = await ownDatabase();
    const environment = { DRAIN_SECONDS: '60' };
    const instance = await startInstance(databaseUrl, { environment });
    const firm = await makeFirm({ url: instance.url, databaseUrl });
    const stopped = instance.stop();
    await until(async () => (await firm.owner.get('/readyz')).status === 503);
    expect((await firm.owner.post('/v1/leads', { lastName: 'Quill' })).status).toBe(201);
    process.kill(instance.pid, 'SIGTERM');
    const { exitCode, milliseconds } = await stopped;
    expect(exitCode).toBe(143);
    expect(milliseconds).toBeLessThan(30_000);
    expect(await namesIn(databaseUrl)).toEqual(['Quill']);
  });
});

describe('A server that starts', () => {
  /** One that waits for its turn to migrate, until `letGo`. */
  const hold = async (environment = {}) => {
    const databaseUrl = await ownDatabase();
    const sql = connect(databaseUrl);
    await sql`select pg_advisory_lock(hashtext('matterhorn migrations'))`;
    const { url, child } = await spawnServer(databaseUrl, environment);
    await until(async () => (await statusOf(`${url}/healthz`)) === 200);
    return { url, child, letGo: () => sql.end() };
  };

  test('is alive and not ready while migrations run; requests get 503 until it opens', async () => {
    const { url, child, letGo } = await hold();
    const greeting = child.stdout.text();
    const paths = ['/readyz', '/v1/leads', '/v1/nothing', '/docs'];
    for (const answer of await Promise.all(paths.map((path) => fetch(url + path)))) {
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('2');
      expect(answer.headers.get('x-request-id')).not.toBeNull();
      expect(await answer.json()).toEqual({
        error: { code: 'unavailable', message: expect.stringContaining('is starting') },
      });
    }
    expect(await statusOf(`${url}/version`)).toBe(200);
    // Who asks shortly before it is ready has but a slow answer.
    const asked = performance.now();
    const patient = askOn(`${url}/v1/leads`);
    await letGo();
    const refused = await patient;
    // Each that was refused before had waited as long as a server waits to be ready.
    expect(refused * 2_000).toBeLessThanOrEqual(performance.now() - asked);
    expect(await statusOf(`${url}/readyz`)).toBe(200);
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
    expect(JSON.parse(await greeting)).toEqual({
      url,
      setupLink: expect.stringContaining(`${url}/setup?token=`),
    });
  });

  test('is asked for its readiness meanwhile, and that is no error in the log', async () => {
    const { url, child, letGo } = await hold({ MATTERHORN_LOG: '' });
    const log = child.stderr.text();
    for (const path of ['/readyz', '/readyz', '/v1/leads']) {
      expect(await statusOf(url + path)).toBe(503);
    }
    await letGo();
    await until(async () => (await statusOf(`${url}/readyz`)) === 200);
    child.kill('SIGTERM');
    const lines = (await log).split('\n').filter((line) => line.includes('"request"'));
    const levels = lines.flatMap((line) => {
      const { route, status, level } = JSON.parse(line);
      return status === 503 ? [`${route} ${level}`] : [];
    });
    expect([...new Set(levels)].sort()).toEqual(['/readyz info', 'none error']);
  });

  test('on every address of its machine names one that a browser opens', async () => {
    const port = await freePort();
    const child = spawnOn(await ownDatabase(), port, {}, ['--host', '0.0.0.0']);
    await until(async () => (await statusOf(`http://127.0.0.1:${port}/readyz`)) === 200);
    child.kill('SIGTERM');
    const { setupLink } = JSON.parse(await child.stdout.text());
    expect(setupLink).toStartWith(`http://127.0.0.1:${port}/setup?token=`);
  });

  test('and is told to stop ends in order', async () => {
    const { child, letGo } = await hold();
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
    expect(await child.stdout.text()).toBe('');
    await letGo();
  });

  test('says that its port is taken, in one sentence, before anything else', async () => {
    const taken = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
    const ways = { serve: 'with --port', demo: 'with `npm start -- --port 3001`' };
    for (const [script, way] of Object.entries(ways)) {
      const child = spawnOn(addressOf('no_such_database'), Number(taken.port), {
        npm_lifecycle_event: script,
      });
      expect(await child.exited).toBe(1);
      expect(await child.stderr.text()).toBe(
        `Port ${taken.port} is taken by another program. Stop that one, or choose another ${way}.\n`,
      );
    }
    await taken.stop(true);
  });

  test('and cannot migrate ends with one sentence', async () => {
    const { child } = await spawnServer(addressOf('no_such_database'));
    expect(await child.exited).toBe(1);
    const said = (await child.stderr.text()).split('\n').filter((line) => !line.startsWith('{'));
    expect(said).toEqual([expect.stringContaining('does not exist'), '']);
  });
});

describe('A runner told to stop', () => {
  test('does not wait for a job that does not end: what it did is taken back', async () => {
    const databaseUrl = await ownDatabase();
    const sql = connect(databaseUrl);
    await sql`create table effect (job bigint, kind text, process int)`;
    await sql`insert into job (firm_id, kind, dedupe_key, payload, run_at)
      values (gen_random_uuid(), 'hang', 'hang', '{}', moment())`;
    const hanging = Promise.withResolvers<void>();
    const { kind, work } = marking('hang');
    const runner = runnerOn(databaseUrl, [
      {
        kind,
        async work(...words) {
          await work(...words);
          hanging.resolve();
          await new Promise(() => {});
        },
      },
    ]);
    await hanging.promise;
    await runner.stop();
    expect(await sql`select from effect`).toHaveLength(0);
    expect(await sql`select from job where kind = 'hang' for update nowait`).toHaveLength(1);
    await sql.end();
  });
});

/** A server in a process of its own, which is not waited for. */
const spawnServer = async (databaseUrl: string, environment = {}) => {
  const port = await freePort();
  return { url: `http://127.0.0.1:${port}`, child: spawnOn(databaseUrl, port, environment) };
};

const spawnOn = (databaseUrl: string, port: number, environment = {}, options: string[] = []) => {
  const own = { ...environmentOf(databaseUrl), RATE_LIMIT: 'off', DRAIN_SECONDS: '0' };
  const child = Bun.spawn(
    [...programWords(databaseUrl), 'serve', '--port', String(port), '--json', ...options],
    {
      env: { ...process.env, ...own, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  afterAll(() => child.kill('SIGKILL'));
  return child;
};

/** Sends a lead but for its last piece, which `finish` sends; then gives how the answer begins. */
const sendSlowly = async (port: number, headers: Record<string, string>, body: string) => {
  let answer = '';
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data(_, chunk) {
        answer += chunk;
      },
    },
  });
  const lines = Object.entries({ host: 'x', ...headers, 'content-length': `${body.length}` });
  const head = lines.map((pair) => `${pair.join(': ')}\r\n`).join('');
  socket.write(`POST /v1/leads HTTP/1.1\r\n${head}\r\n${body.slice(0, -2)}`);
  return {
    async finish() {
      socket.write(body.slice(-2));
      await until(async () => answer.includes('\r\n'));
      return answer;
    },
  };
};

/** Asks again until the server is ready: then a request without a key gets 401. How often it was refused before. */
const askOn = async (url: string): Promise<number> => {
  for (let refused = 0; ; refused += 1) {
    const status = await statusOf(url);
    expect(status).toBeOneOf([401, 503]);
    if (status === 401) return refused;
  }
};

const namesIn = async (databaseUrl: string): Promise<string[]> => {
  const sql = connect(databaseUrl);
  const rows = await sql`select last_name from contact order by last_name`;
  await sql.end();
  return rows.map((row) => row.last_name);
};

const statusOf = (url: string) =>
  fetch(url).then(
    ({ status }) => status,
    () => undefined,
  );
