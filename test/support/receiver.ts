/** Receivers of webhooks for tests: real HTTPS servers with a certificate that this process believes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates, setDefaultCACertificates } from 'node:tls';
import { atEnd } from './at-end.ts';
import { makeCertificate } from './certificate.ts';

const hosts = ['localhost', '127.0.0.1', '::1', 'hooks.harrow.example'];
const made = makeCertificate(hosts);
setDefaultCACertificates([...rootCertificates, made.certificate]);

/** Where tests' receivers are: what a server must be told that it may reach. */
export const receiversAt = { WEBHOOK_ALLOW: '127.0.0.1, ::1' };

/** The file with the certificate, for a server that is a process of its own. */
export const believedFile = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'matterhorn-receiver-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'ca.pem');
  writeFileSync(file, made.certificate);
  return file;
};

/** A message as it arrived. */
export type Arrived = {
  id: string;
  headers: Record<string, string>;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  event: any;
};

type Answers = (arrived: Arrived, nth: number) => Response | Promise<Response>;

/** Starts one that answers as `answer` says, 204 by default, and remembers what arrived. */
export const startReceiver = (answer: Answers = () => new Response(null, { status: 204 })) => {
  const arrived: Arrived[] = [];
  let answers = answer;
  let waiting: (() => void)[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    tls: { cert: made.certificate, key: made.key },
    async fetch(request) {
      const body = await request.text();
      const headers = Object.fromEntries(request.headers);
      const one = { id: headers['webhook-id'] ?? '', headers, body, event: JSON.parse(body) };
      arrived.push(one);
      for (const wake of waiting.splice(0)) wake();
      return answers(one, arrived.length);
    },
  });
  atEnd(() => server.stop(true));
  return {
    port: Number(server.port),
    url: `https://127.0.0.1:${server.port}/hook`,
    arrived,
    /** From now on it answers so. */
    answer(next: Answers) {
      answers = next;
    },
    /** The first `count` messages for which `isOne` holds, once they are there. */
    async until(count: number, isOne: (one: Arrived) => boolean = () => true): Promise<Arrived[]> {
      for (;;) {
        const found = arrived.filter(isOne);
        if (found.length >= count) return found.slice(0, count);
        await new Promise<void>((resolve) => (waiting = [...waiting, resolve]));
      }
    },
    stop: () => server.stop(true),
  };
};
