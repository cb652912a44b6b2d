import type { Server } from 'bun';
import { type CertificateFiles, endOf, type Pair, readPair } from '../base/certificate.ts';
import { invalid } from '../base/refusal.ts';
import { takeUp, whenChanged } from './renewal.ts';
import { atLocalhost } from './target.ts';

/** Where to listen; for HTTPS with the files of a certificate and its key, or with both of them. */
type Where = {
  host: string;
  port: number;
  files?: CertificateFiles | undefined;
  pair?: Pair | undefined;
  /** How long what was opened with an earlier certificate still answers new requests. */
  drainSeconds?: number;
};

/** An open port. Its requests wait until something answers. */
export type Port = {
  /** Its address, for example `http://127.0.0.1:3000`. */
  url: string;
  /** It knows the address of each caller. */
  server: Server<undefined>;
  answerWith(answer: Answer): void;
  /** Takes up a certificate that was renewed, now instead of within seconds. */
  renew(): void;
  /** Takes up a certificate that is in no files, unless it has ended. Says whether. */
  take(pair: Pair): boolean;
  /** Accepts no more requests. Resolves when those in flight are answered. */
  stop(): Promise<unknown>;
  /** Closes it at once. */
  close(): Promise<unknown>;
};

/** `isLeaving`: the connection should not be used again. */
type Answer = (request: Request, isLeaving: boolean) => Response | Promise<Response>;

type Fetch = (request: Request, server: Server<undefined>) => Response | Promise<Response>;

/**
 * Opens a port; `how` says how to choose another. Throws `Refusal` if it is taken or may not be
 * opened, or if there is something wrong with its certificate.
 */
export const openPort = (
  { host, port, files, drainSeconds = 0, ...given }: Where,
  how = otherPort(),
): Port => {
  const first = Promise.withResolvers<Answer>();
  let answer: Answer = async (...asked) => (await first.promise)(...asked);
  const fetch: Fetch = (request, server) => answer(atLocalhost(request), server !== current);
  const pair = files ? readPair(files) : given.pair;
  if (pair) {
    endOf(pair);
    refuseTaken(host, port, how);
  }
  const server = open({ host, port, pair }, fetch, how);
  // A server that is stopped no longer knows it.
  const opened = Number(server.port);
  let current = server;
  // Bun cannot give an open port another certificate. So it is opened once more, and connections
  // that came before end with their requests.
  const earlier = new Set<Server<undefined>>();
  const replace = (next: Pair) => {
    if (!canShare) throw invalid('On this system, restart the server to take up a certificate.');
    const last = current;
    current = open({ host, port: opened, pair: next }, fetch, how);
    earlier.add(last);
    Bun.sleep(drainSeconds * 1000)
      .then(() => last.stop())
      .finally(() => earlier.delete(last));
  };
  const watched = files && pair && whenChanged(files, pair, replace);
  const stop = (atOnce = false) => {
    watched?.close();
    return Promise.all([current, ...earlier].map((one) => one.stop(atOnce)));
  };
  return {
    url: `${server.protocol ?? 'http'}://${host.includes(':') ? `[${host}]` : host}:${opened}`,
    server,
    answerWith(next) {
      answer = next;
      first.resolve(next);
    },
    renew: () => watched?.look(),
    take: (next) => takeUp(next, replace),
    stop,
    close: () => stop(true),
  };
};

/** How to choose another port. `npm start` runs the script `demo`, and passes options after `--`. */
const otherPort = () =>
  process.env.npm_lifecycle_event === 'demo' ? 'with `npm start -- --port 3001`' : 'with --port';

const open = (
  { host, port, pair }: Pick<Where, 'host' | 'port'> & { pair: Pair | undefined },
  fetch: Fetch,
  how: string,
): Server<undefined> => {
  try {
    return Bun.serve({
      ...(pair && { tls: { cert: pair.certificate, key: pair.key } }),
      fetch,
      hostname: host,
      port,
      reusePort: pair !== undefined && canShare,
      development: false,
      idleTimeout: 30,
      // The limits are ours (api/body.ts, app/fields.ts) and are answered in the envelope; Bun's
      // own answer has no body. Bun drops the unread part of a request as it arrives, without
      // keeping it.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    });
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (/^ERR_(BORINGSSL|OSSL|SSL|TLS)/.test(code)) {
      throw invalid('TLS_CERT and TLS_KEY must be a certificate and its key, as PEM files.');
    }
    if (code === 'EADDRINUSE') {
      throw invalid(
        `Port ${port} is taken by another program. Stop that one, or choose another ${how}.`,
      );
    }
    if (code === 'EACCES') {
      throw invalid(
        `Port ${port} may not be opened by this user. Give the server CAP_NET_BIND_SERVICE, as the package's unit does, or choose a port above 1023 ${how}.`,
      );
    }
    throw error;
  }
};

// Elsewhere a port that is open twice gives all connections to one of them.
const canShare = process.platform === 'linux';

/** A port that shares is also opened where another server shares it. So it is tried alone first. */
const refuseTaken = (host: string, port: number, how: string) => {
  if (port !== 0) void open({ host, port, pair: undefined }, () => new Response(), how).stop(true);
};
