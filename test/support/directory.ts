/**
 * A directory that issues certificates: Debian's `pebble`, the ACME server that Let's Encrypt tests
 * clients with, and a DNS that it asks. .ci/run installs it.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { atEnd } from './at-end.ts';
import { makeCertificate } from './certificate.ts';
import { freePort } from './instances.ts';
import { until } from './until.ts';

/** Whether this machine has it. */
export const hasDirectory = Bun.which('pebble') !== null;

const host = '127.0.0.1';

/** Starts one. Challenges are asked at one port, so each server needs an address of its own. */
export const startDirectory = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'matterhorn-directory-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const made = makeCertificate();
  const [certificate, privateKey] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(certificate, made.certificate);
  writeFileSync(privateKey, made.key);
  const ports = await Promise.all([1, 2, 3, 4, 5].map(freePort));
  const [port, management, dns, dnsManagement, httpPort] = ports as [
    ...[number, number, number, number, number],
  ];
  const pebble = {
    listenAddress: `${host}:${port}`,
    managementListenAddress: `${host}:${management}`,
    ...{ certificate, privateKey, httpPort, tlsPort: await freePort() },
    certificateValidityPeriod: 90 * 86_400,
  };
  writeFileSync(join(folder, 'pebble.json'), JSON.stringify({ pebble }));

  const names = run(
    ...['pebble-challtestsrv', '-defaultIPv4', '', '-defaultIPv6', ''],
    ...['-dns01', `${host}:${dns}`, '-management', `${host}:${dnsManagement}`],
    ...['-http01', '', '-https01', '', '-tlsalpn01', ''],
  );
  atEnd(names.kill);
  const issue = () =>
    run('pebble', '-config', join(folder, 'pebble.json'), '-dnsserver', `${host}:${dns}`);
  let issuer = issue();
  atEnd(() => issuer.kill());
  const address = `https://${host}:${port}/dir`;
  const tls = { ca: made.certificate };
  const isUp = () =>
    until(() =>
      fetch(address, { tls }).then(
        () => true,
        () => false,
      ),
    );
  await isUp();
  return {
    address,
    httpPort,
    /** The settings of a server that takes a certificate for a name. */
    environmentFor: (name: string) => ({
      TLS_ACME: name,
      TLS_ACME_TERMS: 'accepted',
      TLS_ACME_DIRECTORY: address,
      TLS_ACME_HTTP_PORT: String(httpPort),
      NODE_EXTRA_CA_CERTS: certificate,
      INSTALLATION_KEY: join(folder, `${name}.key`),
    }),
    /** Gives a name an address in the DNS. */
    async point(name: string, to: string) {
      const at = `http://${host}:${dnsManagement}`;
      const ask = (path: string, body: object) =>
        fetch(at + path, { method: 'POST', body: JSON.stringify(body) });
      await ask('/clear-a', { host: `${name}.` });
      await ask('/add-a', { host: `${name}.`, addresses: [to] });
    },
    /** The certificate of its issuer, which it makes anew at each start. */
    root: async () => (await fetch(`https://${host}:${management}/roots/0`, { tls })).text(),
    /** How many certificates it has issued since its start. */
    issued: () => issuer.said().split('Issued certificate serial').length - 1,
    stop: () => issuer.kill(),
    async start() {
      issuer = issue();
      await isUp();
    },
  };
};

const run = (...words: string[]) => {
  const child = Bun.spawn(words, {
    // Otherwise it waits for seconds before it asks.
    env: { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '20' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const decoder = new TextDecoder();
  for (const stream of [child.stdout, child.stderr]) {
    void stream.pipeTo(
      new WritableStream({
        write: (chunk) => void (text += decoder.decode(chunk, { stream: true })),
      }),
    );
  }
  return {
    said: () => text,
    async kill() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
};

/** Whether a request failed because its connection was cut while it was being made. */
export const wasBeingMade = (error: unknown): boolean => {
  const { code, isOfNewConnection } = error as { code?: string; isOfNewConnection?: boolean };
  return code === 'ECONNRESET' && isOfNewConnection === true;
};

/**
 * What a client gets that trusts only this issuer, and asks for a name; `serial` is that of the
 * certificate. Throws where a browser would refuse it.
 */
export const askTrusting = (url: string, name: string, ca: string, agent?: Agent) => {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; serial: string }>();
  const { hostname, port, pathname } = new URL(url);
  const headers = { host: name };
  const asked = request(
    {
      ...{ hostname, port, path: pathname, servername: name, ca, headers, timeout: 60_000 },
      agent: agent ?? false,
    },
    (answer) => {
      const { serialNumber: serial } = (answer.socket as TLSSocket).getPeerCertificate();
      answer.resume();
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, serial }));
    },
  );
  asked.on('error', (error) =>
    reject(Object.assign(error, { isOfNewConnection: !asked.reusedSocket })),
  );
  asked.end();
  return promise;
};
