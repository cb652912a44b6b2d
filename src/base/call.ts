import type { IncomingMessage } from 'node:http';
import { request as requestPlainly } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { type PeerCertificate, TLSSocket } from 'node:tls';

/** The certificate that a connection shows, and why it is not believed. */
export type Shown = { certificate: PeerCertificate; doubt: string };

/** What answered a call: its status, where it sends on to, and the beginning of its body. */
export type Met = { status: number; location: string | undefined; text: string; shown?: Shown };

/**
 * Calls a server of this installation and gives what answers there, whoever issued its certificate.
 * Unlike `fetch` it goes by no HTTP_PROXY. Throws if nobody answers within the patience.
 */
export const call = async (address: string, patienceMilliseconds: number): Promise<Met> => {
  const url = new URL(address);
  const signal = AbortSignal.timeout(patienceMilliseconds);
  const options = { agent: false, signal, rejectUnauthorized: false };
  const request = url.protocol === 'https:' ? requestSecurely : requestPlainly;
  const { promise, resolve, reject } = Promise.withResolvers<Met>();
  const take = async (answer: IncomingMessage) => {
    // When the answer is read, its connection may be gone.
    const shown = answer.socket instanceof TLSSocket && shownBy(answer.socket);
    const text = await beginningOf(answer);
    const { statusCode: status = 0, headers } = answer;
    resolve({ status, location: headers.location, text, ...(shown && { shown }) });
  };
  request(url, options, (answer) => void take(answer).catch(reject))
    .on('error', reject)
    .end();
  return promise;
};

const shownBy = (socket: TLSSocket): Shown => ({
  certificate: socket.getPeerCertificate(),
  doubt: String(socket.authorizationError),
});

const maxBytes = 10_000;

/** Enough of a body to know Matterhorn by. */
const beginningOf = async (answer: IncomingMessage) => {
  let text = '';
  for await (const piece of answer) {
    text += piece;
    if (text.length > maxBytes) break;
  }
  return text;
};
