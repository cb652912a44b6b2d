/** A directory that issues certificates (Debian's `pebble`), in the network of a machine. .ci/run installs it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from '../../support/certificate.ts';
import type { Machine } from './machine.ts';

const [address, certificate] = ['https://127.0.0.1:14000/dir', '/etc/directory.pem'];

const pagePatience = 60_000;

/** Starts one, for which every name leads to the machine, and its challenges are at port 80. */
export const issueIn = async (machine: Machine) => {
  const folder = await mkdtemp(join(tmpdir(), 'matterhorn-directory-'));
  const made = makeCertificate();
  const at = (name: string) => join(folder, name);
  await Bun.write(at('cert.pem'), made.certificate);
  await Bun.write(at('key.pem'), made.key);
  await Bun.write(await machine.file(certificate), made.certificate);
  const pebble = {
    ...{ listenAddress: '127.0.0.1:14000', managementListenAddress: '127.0.0.1:15000' },
    ...{ certificate: at('cert.pem'), privateKey: at('key.pem'), httpPort: 80, tlsPort: 443 },
    certificateValidityPeriod: 90 * 86_400,
  };
  await Bun.write(at('pebble.json'), JSON.stringify({ pebble }));
  const begin = (...words: string[]) =>
    Bun.spawn([...machine.inItsNetwork, ...words], {
      // Otherwise it waits for seconds before it asks.
      env: { ...process.env, PEBBLE_VA_NOSLEEP: '1' },
      stdio: ['ignore', 'ignore', 'ignore'],
    });
  const names = begin(
    ...['pebble-challtestsrv', '-defaultIPv4', '127.0.0.1', '-defaultIPv6', '', '-dns01', ':8053'],
    ...['-http01', '', '-https01', '', '-tlsalpn01', ''],
  );
  const issuer = begin('pebble', '-config', at('pebble.json'), '-dnsserver', '127.0.0.1:8053');
  const patient = ['--silent', '--retry-connrefused', '--retry', '5'];
  const curl = (...words: string[]) =>
    new Response(Bun.spawn([...machine.inItsNetwork, 'curl', ...patient, ...words]).stdout).text();
  await Bun.write(
    at('root.pem'),
    await curl('--cacert', at('cert.pem'), 'https://127.0.0.1:15000/roots/0'),
  );
  return {
    address,
    certificate,
    /** Lines that give the server this directory instead of Let's Encrypt. */
    settings: `cat >> /etc/matterhorn.env <<'SETTINGS'
TLS_ACME_DIRECTORY=${address}
NODE_EXTRA_CA_CERTS=${certificate}
SETTINGS`,
    /** The page that somebody gets who trusts only this directory; empty where the certificate is another's. */
    async visit(address: string) {
      const { hostname } = new URL(address);
      const trusting = ['--cacert', at('root.pem'), '--resolve', `${hostname}:443:127.0.0.1`];
      const began = performance.now();
      while (performance.now() - began < pagePatience) {
        const page = await curl(...trusting, '--header', 'accept: text/html', address);
        if (page !== '') return page;
        await Bun.sleep(200);
      }
      return '';
    },
    async stop() {
      for (const program of [issuer, names]) {
        program.kill('SIGKILL');
        await program.exited;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
};
