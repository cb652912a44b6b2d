/** One message, sent once to the address that was judged (`address.ts`). */
import { request } from 'node:https';
import { isIP } from 'node:net';
import { addressOf, type Reach } from './address.ts';
import type { Failure } from './table.ts';

/** How long one try may take, from looking up the name to the answer's headers. */
export const tryMilliseconds = 15_000;

/** What came of a try. */
export type Answered = {
  status: number | null;
  failure: Failure | null;
  milliseconds: number;
  /** For how long the receiver wants to be left alone. */
  retryAfterSeconds: number | null;
};

type Message = { url: string; headers: Record<string, string>; body: string };

/**
 * Sends a message and returns what came of it. It never throws, and of the answer it reads the headers alone: what else
 * comes is not waited for. A redirect is not followed.
 */
export const post = async (reach: Reach, { url, headers, body }: Message): Promise<Answered> => {
  const began = performance.now();
  const cancel = new AbortController();
  const late = Promise.withResolvers<Outcome>();
  const timer = setTimeout(() => {
    late.resolve(failed('timeout'));
    cancel.abort();
  }, tryMilliseconds);
  const sending = sent(reach, new URL(url), { headers, body }, cancel.signal);
  const outcome = await Promise.race([sending, late.promise]);
  clearTimeout(timer);
  return { ...outcome, milliseconds: Math.round(performance.now() - began) };
};

type Outcome = Omit<Answered, 'milliseconds'>;

const failed = (failure: Failure): Outcome => ({ status: null, failure, retryAfterSeconds: null });

const sent = async (
  reach: Reach,
  url: URL,
  { headers, body }: Omit<Message, 'url'>,
  signal: AbortSignal,
): Promise<Outcome> => {
  const found = await addressOf(reach, url);
  if ('failure' in found) return failed(found.failure);
  if (signal.aborted) return failed('timeout');
  const { address } = found;
  const family = isIP(address);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return new Promise((resolve) => {
    const asking = request(
      {
        host,
        port: Number(url.port || 443),
        path: `${url.pathname}${url.search}`,
        method: 'POST',
        // One connection for each message: nothing of it stays when it is over.
        agent: false,
        signal,
        headers: {
          ...headers,
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
          'user-agent': 'Matterhorn-Webhooks',
        },
        // The very address that was judged: what the name means a moment later does not matter.
        lookup: (_host, options, done) => {
          if (options.all) done(null, [{ address, family }]);
          else done(null, address, family);
        },
      },
      (response) => {
        const { statusCode = 0 } = response;
        const wishes = response.headers;
        resolve({
          status: statusCode,
          failure: judged(statusCode, wishes['webhook-delivery']),
          retryAfterSeconds: secondsIn(wishes['retry-after']),
        });
        response.destroy();
        asking.destroy();
      },
    );
    asking.on('error', (error: NodeJS.ErrnoException) => resolve(failed(failureOf(error.code))));
    asking.end(body);
  });
};

const judged = (status: number, wish: string | string[] | undefined): Failure | null => {
  if (status >= 200 && status < 300) return null;
  if (String(wish ?? '').trim() === 'abort-message') return 'aborted';
  return status >= 300 && status < 400 ? 'redirect' : 'status';
};

const longestHoldSeconds = 86_400;

/** `Retry-After` in seconds, given as such or as a date; a day at most. */
const secondsIn = (text: string | undefined): number | null => {
  if (text === undefined) return null;
  const seconds = /^\d{1,9}$/.test(text)
    ? Number(text)
    : Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return seconds > 0 ? Math.min(seconds, longestHoldSeconds) : null;
};

const failureOf = (code = ''): Failure =>
  /CERT|SELF_SIGNED|UNABLE_TO_|ISSUER|ERR_TLS|ERR_SSL/.test(code) ? 'certificate' : 'connection';
