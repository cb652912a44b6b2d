/** The port beside that of HTTPS: it answers challenges, and sends everything else to HTTPS. */
import { openPort, type Port } from './port.ts';
import { targetOf } from './target.ts';

/** What answers at it before and after there is a certificate. */
export type ToHttps = {
  /** Finds the answer to a challenge; until it is given, challenges are answered with 503. */
  answerChallengesBy(find: (token: string) => Promise<string | undefined>): void;
  /** From now on there is a certificate: everything else is sent to HTTPS. */
  send(): void;
  close(): Promise<unknown>;
};

const challengePath = '/.well-known/acme-challenge/';
const token = /^[\w-]{1,200}$/;

/**
 * Opens the port. Everything is sent to `publicUrl`, whatever host was asked for, as soon as there
 * is a certificate; until then a page says that there is none yet. Throws `Refusal` if the port is
 * taken or may not be opened.
 */
export const openToHttps = (where: { host: string; port: number }, publicUrl: string): ToHttps => {
  const port: Port = openPort(
    where,
    'in TLS_ACME_HTTP_PORT, and have port 80 of the name lead to it',
  );
  let isSecured = false;
  let find: ((token: string) => Promise<string | undefined>) | undefined;

  const challenge = async (given: string) => {
    if (!find) return waiting('The server is starting.');
    const answer = token.test(given) ? await find(given) : undefined;
    return answer === undefined
      ? new Response('Nobody waits for this.\n', { status: 404, headers: plain })
      : new Response(answer, { headers: plain });
  };

  port.answerWith(async (request) => {
    const { pathname, search } = targetOf(request);
    if (pathname.startsWith(challengePath)) {
      return challenge(pathname.slice(challengePath.length)).catch(() =>
        waiting('The database does not answer.'),
      );
    }
    if (!isSecured) return waiting(noCertificate);
    return new Response(null, {
      status: 308,
      headers: { location: publicUrl + pathname + search },
    });
  });
  return {
    answerChallengesBy(next) {
      find = next;
    },
    send() {
      isSecured = true;
    },
    close: port.close,
  };
};

const plain = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };

const noCertificate = 'Matterhorn is getting its certificate. This page tries again by itself.';
const tryAgainSeconds = 5;

const waiting = (sentence: string) =>
  new Response(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Matterhorn</title><p>${sentence}</p></html>\n`,
    {
      status: 503,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cache-control': 'no-store',
        'retry-after': String(tryAgainSeconds),
        refresh: String(tryAgainSeconds),
      },
    },
  );
