/** A server takes its certificate from a directory, renews it, and shares it with other instances. */
import { afterAll, describe, expect, test } from 'bun:test';
import { Agent } from 'node:https';
import { takeClock } from '../support/clock.ts';
import { connect, ownDatabase } from '../support/database.ts';
import { askTrusting, hasDirectory, startDirectory, wasBeingMade } from '../support/directory.ts';
import { type Instance, startInstance } from '../support/instances.ts';
import { exchange } from '../support/raw.ts';
import { run } from '../support/terminal.ts';
import { until } from '../support/until.ts';

// Where it is not installed, .ci/run installs it.
const directory = hasDirectory ? await startDirectory() : undefined;

let last = 1;

/** A name of a test's own with an address in the DNS, and a database in the test's hands. */
const prepare = async () => {
  if (!directory) throw new Error('There is no directory.');
  last += 1;
  const [name, host] = [`practice-${last}.example`, `127.0.0.${last}`];
  await directory.point(name, host);
  const databaseUrl = await ownDatabase();
  const clock = await takeClock(databaseUrl);
  await clock.run(1);
  const sql = connect(databaseUrl);
  afterAll(() => sql.end());
  const environment = directory.environmentFor(name);
  const start = async (
    at = host,
    hear?: (text: string) => void,
    more: Record<string, string> = {},
  ): Promise<Instance> => {
    const instance = await startInstance(databaseUrl, {
      host: at,
      environment: { ...environment, MATTERHORN_LOG: '', DRAIN_SECONDS: '1', ...more },
      ...(hear && { hear }),
    });
    afterAll(instance.kill);
    return instance;
  };
  const stored = async () => {
    const [row] = await sql`
      select *, (ends_at - renews_at)::text as before, next_try_at > moment() as "isPausing"
      from certificate`;
    return row;
  };
  const isTaken = () =>
    until(async () => Boolean((await stored())?.chain)).catch(async () => {
      const { tries, refused } = (await stored()) ?? {};
      throw new Error(`No certificate: ${JSON.stringify({ tries, refused })}`);
    });
  const doctor = async (more: Record<string, string> = {}) => {
    const { out } = await run(databaseUrl, ['doctor', '--json'], '', { ...environment, ...more });
    return JSON.parse(out) as {
      findings: { level: string; what: string; do: string }[];
      certificate: { names: string[]; endsAt?: string };
    };
  };
  const ask = async (url: string, root: string, agent?: Agent) =>
    askTrusting(`${url}/readyz`, name, root, agent);
  const plain = `http://${host}:${directory.httpPort}`;
  return { directory, name, host, sql, clock, start, stored, isTaken, doctor, ask, plain };
};

/** The serial number of the certificate that a client gets who trusts the directory's issuer. */
const shows = async ({ ask }: Awaited<ReturnType<typeof prepare>>, url: string, root: string) =>
  ask(url, root).then(
    ({ serial }) => serial,
    () => undefined,
  );

/** The same, as soon as nothing else is shown any more. */
const settles = async (it: Awaited<ReturnType<typeof prepare>>, url: string, root: string) => {
  await until(async () => (await shows(it, url, root)) !== undefined);
  // Longer than the port of the certificate before stays open.
  await Bun.sleep(2_000);
  return shows(it, url, root);
};

const wake = ({ pid }: Instance) => process.kill(pid, 'SIGHUP');

describe.skipIf(!hasDirectory)('A certificate from a directory', () => {
  test('is taken without a hand, trusted by who trusts its issuer, and shown at once after a restart', async () => {
    const it = await prepare();
    let server = await it.start();
    await it.isTaken();
    const root = await it.directory.root();
    await settles(it, server.url, root);
    const { status, serial } = await it.ask(server.url, root);
    expect(status).toBe(200);
    await expect(askTrusting(`${server.url}/readyz`, 'other.example', root)).rejects.toThrow();

    const { key, before, tries, refused } = (await it.stored()) ?? {};
    expect(key).toStartWith('sealed1.');
    expect({ before, tries, refused }).toEqual({ before: '30 days', tries: 0, refused: null });
    const [account] = await it.sql`select key from certificate_account`;
    expect(account?.key).toStartWith('sealed1.');
    const { findings, certificate } = await it.doctor();
    expect(certificate).toMatchObject({ names: [it.name], endsAt: expect.any(String) });
    expect(findings.filter(({ what }) => /certificate/i.test(what))).toEqual([]);

    const issued = it.directory.issued();
    expect((await server.stop()).exitCode).toBe(0);
    server = await it.start();
    expect(await it.ask(server.url, root)).toEqual({ status: 200, serial });
    expect(it.directory.issued()).toBe(issued);
    await server.stop();
  });

  test('has a port beside it that answers challenges, and sends everything else to the name by https', async () => {
    const it = await prepare();
    const server = await it.start();
    const { port } = new URL(it.plain);
    const get = async (target: string, host = 'evil.example') =>
      exchange(
        it.plain,
        Buffer.from(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
      );
    await it.isTaken();
    await until(async () => (await get('/')).startsWith('HTTP/1.1 308'));
    for (const [target, to] of [
      ['/sign-in?to=%2Fleads', '/sign-in?to=%2Fleads'],
      ['//evil.example/', '//evil.example/'],
      ['/\\evil.example', '//evil.example'],
      [`http://evil.example:${port}/x`, '/x'],
      ['/v1/leads', '/v1/leads'],
      ['/.well-known/other', '/.well-known/other'],
      ['/.well-known/acme-challenge', '/.well-known/acme-challenge'],
      ['/.well-known/acme-challenge/../../x', '/x'],
    ]) {
      const answer = await get(target as string);
      expect(answer).toStartWith('HTTP/1.1 308');
      expect(/^location: (.*)\r$/im.exec(answer)?.[1]).toBe(`https://${it.name}${to}`);
      expect(answer.replace(/^location:.*$/im, '')).not.toContain('evil');
    }
    const sent = await fetch(`${it.plain}/v1/leads`, {
      ...{ method: 'POST', body: '{}', redirect: 'manual', headers: { host: it.name } },
    });
    expect([sent.status, sent.headers.get('location')]).toEqual([
      308,
      `https://${it.name}/v1/leads`,
    ]);
    await it.sql`insert into certificate_challenge values ('token-1', 'token-1.print', moment())`;
    const body = async (token: string) => {
      const answer = await fetch(`${it.plain}/.well-known/acme-challenge/${token}`);
      return [answer.status, await answer.text()];
    };
    expect(await body('token-1')).toEqual([200, 'token-1.print']);
    for (const token of ['token-2', '', '%00', 'token-1/x', "'", 'x'.repeat(5_000)]) {
      expect(await body(token)).toEqual([404, 'Nobody waits for this.\n']);
    }
    await server.stop();
  });

  test('is renewed from thirty days before its end, and no connection in use is cut meanwhile', async () => {
    const it = await prepare();
    const server = await it.start();
    await it.isTaken();
    const root = await it.directory.root();
    const first = await settles(it, server.url, root);
    await it.clock.step(59 * 86_400);
    wake(server);
    await Bun.sleep(1_000);
    expect(await it.stored()).toMatchObject({ tries: 0, trying_since: null });
    let isLoaded = true;
    const serials = new Set<string>();
    const failures: unknown[] = [];
    let unmade = 0;
    // As browsers and programs do, it uses a connection until the server says that it closes it.
    const load = async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      let answered = 0;
      while (isLoaded) {
        try {
          const { status, serial } = await it.ask(server.url, root, agent);
          if (status !== 200) failures.push(status);
          serials.add(serial);
          answered += 1;
        } catch (error) {
          // The port of the certificate before closes once: a quirk of Bun, which src/README.md tells.
          if (wasBeingMade(error)) unmade += 1;
          else failures.push(error);
        }
      }
      agent.destroy();
      return answered;
    };
    const loading = Promise.all([load(), load(), load(), load()]);
    await it.clock.step(2 * 86_400);
    wake(server);
    await until(async () => serials.size === 2);
    const next = await settles(it, server.url, root);
    isLoaded = false;
    const answered = await loading;
    expect(failures).toEqual([]);
    expect(unmade).toBeLessThanOrEqual(answered.length);
    expect(Math.min(...answered)).toBeGreaterThan(0);
    expect([...serials]).toEqual([String(first), String(next)]);
    await server.stop();
  });
});

describe.skipIf(!hasDirectory)('A refusal', () => {
  test('is told in plain words, with what to do, and pauses beyond a restart; then the certificate comes', async () => {
    const it = await prepare();
    const stranger = Bun.serve({
      ...{ hostname: '127.0.0.250', port: it.directory.httpPort },
      fetch: () => new Response('<b>Another server</b>'),
    });
    afterAll(() => stranger.stop(true));
    await it.directory.point(it.name, '127.0.0.250');
    const heard: string[] = [];
    let server = await it.start(it.host, (text) => heard.push(text));
    await until(async () => Boolean((await it.stored())?.refused));
    const page = await fetch(it.plain, { headers: { host: 'evil.example' } });
    expect(page.status).toBe(503);
    const text = await page.text();
    expect(text).toContain('Matterhorn is getting its certificate.');
    expect(text).not.toContain('evil');
    const told = async () =>
      (await it.doctor()).findings.filter(({ what }) => what.includes(it.name));
    const [finding, ...more] = await told();
    expect(more.map(({ what }) => what)).toEqual([expect.stringContaining('PUBLIC_URL')]);
    expect(finding).toMatchObject({
      level: 'problem',
      what: expect.stringMatching(
        /^At practice-\d+\.example, port 80, something other than this server answers .* So there is no certificate yet\.$/,
      ),
      do: expect.stringMatching(/^Correct the address of .* The server tries again at /),
    });
    await until(() => heard.join('').includes('"event":"certificate refused"'));

    await server.stop();
    server = await it.start();
    await Bun.sleep(3_000);
    expect(await it.stored()).toMatchObject({ tries: 1, isPausing: true });

    await it.directory.point(it.name, it.host);
    wake(server);
    await it.isTaken();
    expect(await it.stored()).toMatchObject({ tries: 0, refused: null, refused_at: null });
    expect((await told()).filter(({ what }) => !what.includes('PUBLIC_URL'))).toEqual([]);
    await server.stop();
  });

  test('says what is wrong with a name that does not resolve, or at which nobody answers', async () => {
    for (const [to, words] of [
      ['127.0.0.251', /^The directory .* does not reach practice-\d+\.example at port 80/],
      [undefined, /^The directory .* finds no address for none-\d+\.example in the DNS/],
    ] as const) {
      const it = await prepare();
      const name = to ? it.name : `none-${last}.example`;
      if (to) await it.directory.point(it.name, to);
      const server = await it.start(it.host, undefined, { TLS_ACME: name });
      await until(async () => Boolean((await it.stored())?.refused));
      const { findings } = await it.doctor({ TLS_ACME: name });
      expect(findings.map(({ what }) => what)).toContainEqual(expect.stringMatching(words));
      await server.stop();
    }
  });
});

describe.skipIf(!hasDirectory)('The certificate', () => {
  test('stays while the directory is away for a day, and is renewed when it is back', async () => {
    const it = await prepare();
    const server = await it.start();
    await it.isTaken();
    const before = await it.directory.root();
    const first = await settles(it, server.url, before);
    await it.directory.stop();
    try {
      await it.clock.step(61 * 86_400);
      wake(server);
      await until(async () => Boolean((await it.stored())?.refused));
      expect((await it.stored())?.refused).toMatchObject({ kind: 'away' });
      // An hour in each second of the day, which the server looks at every ten seconds.
      await it.clock.run(3_600);
      await until(async () => ((await it.stored())?.tries ?? 0) >= 3);
      expect(await shows(it, server.url, before)).toBe(first);
      const { findings } = await it.doctor();
      expect(findings).toContainEqual(
        expect.objectContaining({
          level: 'warning',
          what: expect.stringMatching(/^The directory 127\.0\.0\.1:\d+ does not answer/),
        }),
      );
      await it.clock.run(1);
    } finally {
      await it.directory.start();
    }
    const after = await it.directory.root();
    wake(server);
    await until(async () => (await shows(it, server.url, after)) !== undefined);
    expect((await it.stored())?.tries).toBe(0);
    await server.stop();
  });

  test('comes after a kill -9 in the middle of a try, which was counted', async () => {
    const it = await prepare();
    const silent = Bun.serve({
      ...{ hostname: '127.0.0.252', port: it.directory.httpPort },
      fetch: () => Promise.withResolvers<Response>().promise,
    });
    afterAll(() => silent.stop(true));
    await it.directory.point(it.name, '127.0.0.252');
    let server = await it.start();
    await until(async () => (await it.sql`select from certificate_challenge`).length > 0);
    await server.kill();
    expect(await it.stored()).toMatchObject({ chain: null, tries: 1, refused: null });
    await it.directory.point(it.name, it.host);
    server = await it.start();
    await Bun.sleep(3_000);
    expect(await it.stored()).toMatchObject({ chain: null, tries: 1, isPausing: true });
    await it.clock.step(150);
    await it.isTaken();
    const root = await it.directory.root();
    await until(async () => (await shows(it, server.url, root)) !== undefined);
    expect((await it.sql`select from certificate_account`).length).toBe(1);
    await server.stop();
  });

  test('is taken once for two instances, which both show it and both answer challenges', async () => {
    const it = await prepare();
    const issued = it.directory.issued();
    last += 1;
    const servers = [await it.start(), await it.start(`127.0.0.${last}`)] as const;
    await it.isTaken();
    const root = await it.directory.root();
    const serials = () => Promise.all(servers.map(({ url }) => shows(it, url, root)));
    const areSame = async (other?: string) => {
      const [one, two] = await serials();
      return one !== undefined && one === two && one !== other;
    };
    await until(() => areSame());
    expect(it.directory.issued()).toBe(issued + 1);
    const first = await settles(it, servers[0].url, root);

    // Now the other one gets the directory's request.
    await it.directory.point(it.name, `127.0.0.${last}`);
    await it.clock.step(61 * 86_400);
    for (const server of servers) wake(server);
    await until(() => areSame(first));
    expect(it.directory.issued()).toBe(issued + 2);
    await Promise.all(servers.map((server) => server.stop()));
  });
});
