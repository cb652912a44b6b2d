/** A certificate that is renewed is taken up while the server serves; a bad one is not. */
import { afterAll, describe, expect, test } from 'bun:test';
import type { TLSSocket } from 'node:tls';
import { certificateFiles, makeCertificate } from '../support/certificate.ts';
import { connect } from '../support/database.ts';
import { ask } from '../support/every-door.ts';
import { makeFirm, owner, startTestServer } from '../support/firm.ts';
import { startInstance } from '../support/instances.ts';
import { dial } from '../support/raw.ts';
import { sessionOf } from '../support/session.ts';
import { until } from '../support/until.ts';

const { databaseUrl } = await startTestServer();

/** A server whose certificate names `first.example`, and the lines of its log about certificates. */
const startSecured = async () => {
  const files = certificateFiles(makeCertificate(['first.example']));
  let heard = '';
  const instance = await startInstance(databaseUrl, {
    environment: { ...files.environment, MATTERHORN_LOG: '' },
    hear: (text) => {
      heard += text;
    },
  });
  afterAll(instance.kill);
  const said = () =>
    heard
      .split('\n')
      .filter((line) => line.includes('"event":"certificate '))
      .map((line) => JSON.parse(line) as { level: string; event: string; message?: string });
  const renewNow = () => process.kill(instance.pid, 'SIGHUP');
  return { ...files, url: instance.url, stop: instance.stop, said, renewNow };
};

/**
 * The name in the certificate that a new connection is shown; none if the port that it reached is closed
 * at that moment, because its certificate is an earlier one.
 */
const shownBy = (url: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = dial(url, () => {
      const { subject } = (socket as TLSSocket).getPeerCertificate();
      socket.destroy();
      resolve(String(subject.CN));
    });
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' ? resolve('') : reject(error),
    );
  });

describe('A renewed certificate', () => {
  test('is taken up within seconds when its files change, without a restart', async () => {
    const server = await startSecured();
    expect(await shownBy(server.url)).toBe('first.example');
    server.write(makeCertificate(['second.example']));
    await until(async () => (await shownBy(server.url)) === 'second.example');
    expect((await ask(`${server.url}/readyz`)).status).toBe(200);
    await until(() => server.said().length > 0);
    expect(server.said()).toMatchObject([{ level: 'info', event: 'certificate renewed' }]);
    expect((await server.stop()).exitCode).toBe(0);
  });

  test('is taken up at SIGHUP, as often as one comes', async () => {
    const server = await startSecured();
    for (const name of ['second.example', 'third.example', 'first.example']) {
      server.write(makeCertificate([name]));
      server.renewNow();
      await until(async () => (await shownBy(server.url)) === name);
    }
    await until(() => server.said().length === 3);
    server.renewNow();
    await Bun.sleep(200);
    expect(server.said()).toHaveLength(3);
    expect((await server.stop()).exitCode).toBe(0);
  });

  test('keeps its port when it is renewed again, long after the first time', async () => {
    const server = await startSecured();
    for (const name of ['second.example', 'third.example', 'fourth.example']) {
      server.write(makeCertificate([name]));
      server.renewNow();
      await until(async () => (await shownBy(server.url)) === name);
      // Longer than what was opened with the certificate before stays open.
      await Bun.sleep(2_000);
      expect(await shownBy(server.url)).toBe(name);
    }
    expect((await server.stop()).exitCode).toBe(0);
  });

  test('harms no request under way: live updates, a body that still comes, an answer that is still read', async () => {
    const server = await startSecured();
    const firm = await makeFirm({ url: '', databaseUrl });
    const authorization = `Bearer ${firm.owner.key}`;
    const cookie = `__Host-session=${await sessionOf({ databaseUrl }, firm, owner)}`;
    const matter = {
      title: 'Quill',
      openDate: '2026-01-01',
      practiceAreaId: firm.practiceAreas.Family?.id,
    };
    const post = (path: string, body: object) =>
      ask(server.url + path, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const made = (await (await post('/v1/matters', matter)).json()) as { data: { id: string } };
    // More than what waits on the way to a reader who does not read.
    const sql = connect(databaseUrl);
    const description = 'x'.repeat(8_000_000);
    await sql`update matter set description = ${description} where id = ${made.data.id}`;
    await sql.end();
    const live = open(server.url, `GET /live HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\n\r\n`);
    await until(() => live.text().includes('text/event-stream'));
    const body = '{"lastName":"Hollis"}';
    const slow = open(
      server.url,
      `POST /v1/leads HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n{`,
    );
    const long = open(
      server.url,
      `GET /v1/matters/${made.data.id} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`,
      'pause',
    );
    await until(() => long.text().length > 0);
    server.write(makeCertificate(['second.example']));
    server.renewNow();
    await until(() => server.said().length === 1);
    await until(async () => (await shownBy(server.url)) === 'second.example');
    // Nothing of the earlier certificate is answered any more, except what was under way.
    await Bun.sleep(2_000);
    const before = live.text().length;
    slow.socket.write(body.slice(1));
    await until(() => slow.text().includes('\r\n\r\n'));
    expect(slow.text()).toStartWith('HTTP/1.1 201');
    await until(() => live.text().length > before);
    expect(live.text().slice(before)).toContain('lead');
    long.socket.resume();
    await until(() => long.text().endsWith('\r\n0\r\n\r\n'));
    // The answer comes in pieces, whose lengths stand between them.
    const whole = long.text().replaceAll(/\r\n[\da-f]+\r\n/g, '');
    expect(whole.includes(`"description":"${description}"`)).toBe(true);
    expect((await server.stop()).exitCode).toBe(0);
  });
});

describe('A new certificate that cannot be used', () => {
  test('is refused with one line in the log, and the one before stays until a good one comes', async () => {
    const server = await startSecured();
    const good = makeCertificate(['second.example']);
    const expired = makeCertificate(['expired.example'], -0.5);
    for (const [written, why] of [
      [{ certificate: 'This is no certificate.' }, 'TLS_CERT must contain a certificate'],
      [{ certificate: good.certificate }, 'does not belong to the certificate'],
      [{ certificate: good.certificate.slice(0, 300) }, 'TLS_CERT must contain a certificate'],
      [
        { ...good, certificate: `${good.certificate}${good.certificate.slice(0, 300)}` },
        'TLS_CERT must contain a certificate',
      ],
      [{ ...good, key: good.key.slice(0, 80) }, 'TLS_KEY must contain a private key'],
      [{ ...good, key: '' }, 'TLS_KEY must contain a private key'],
      [expired, 'has expired'],
    ] as const) {
      const already = server.said().length;
      server.write({ ...server.made, ...written });
      server.renewNow();
      server.renewNow();
      await until(() => server.said().length > already);
      await Bun.sleep(100);
      expect(server.said().slice(already)).toEqual([
        expect.objectContaining({
          level: 'error',
          event: 'certificate refused, the one before stays',
          message: expect.stringContaining(why),
        }),
      ]);
      expect(await shownBy(server.url)).toBe('first.example');
    }
    // Longer than two looks at the files.
    await Bun.sleep(4_500);
    const already = server.said().length;
    expect(already).toBe(7);
    server.write(good);
    await until(async () => (await shownBy(server.url)) === 'second.example');
    await until(() => server.said().length > already);
    expect(server.said().slice(already)).toMatchObject([{ event: 'certificate renewed' }]);
    await server.stop();
  });

  test('keeps a server from starting, with a sentence that names the file', async () => {
    const good = makeCertificate();
    for (const [made, sentence] of [
      [{ ...good, key: makeCertificate().key }, 'The key of TLS_KEY does not belong'],
      [{ ...good, certificate: 'x' }, 'The file of TLS_CERT must contain a certificate'],
    ] as const) {
      const { environment } = certificateFiles(made);
      const started = startInstance(databaseUrl, { environment });
      await expect(started).rejects.toThrow(sentence);
    }
  });

  test('does not let two servers share a port', async () => {
    const { environment } = certificateFiles();
    const first = await startInstance(databaseUrl, { environment });
    const port = Number(new URL(first.url).port);
    await expect(startInstance(databaseUrl, { environment, port })).rejects.toThrow('is taken');
    expect((await ask(`${first.url}/healthz`)).status).toBe(200);
    await first.stop();
  });
});

/** A connection that sends these bytes, and keeps what comes; `pause` reads no more than a beginning. */
const open = (url: string, request: string, pause?: 'pause') => {
  let text = '';
  const socket = dial(url, () => socket.write(request));
  socket.on('data', (chunk) => {
    if (pause && text === '') socket.pause();
    text += chunk.toString();
  });
  afterAll(() => socket.destroy());
  return { socket, text: () => text };
};
