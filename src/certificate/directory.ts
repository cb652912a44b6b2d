/** A directory of certificates (ACME, RFC 8555): its addresses, and signed calls to it. */
import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { version } from '../version.ts';
import { type Problem, refusedBy, refusedError } from './refused.ts';

type Addresses = { newNonce: string; newAccount: string; newOrder: string };

/** What a directory says of itself. */
export type Directory = Addresses & { terms: string | undefined };

const maxBytes = 1024 * 1024;
const answerMilliseconds = 30_000;

/** Asks a directory for its addresses. Throws an error that `refusedOf` reads. */
export const readDirectory = async (address: string, signal: AbortSignal): Promise<Directory> => {
  const { json } = await call(address, {}, signal);
  const found = json as Partial<Addresses> & { meta?: { termsOfService?: unknown } };
  const { newNonce, newAccount, newOrder } = found;
  if (![newNonce, newAccount, newOrder].every((one) => URL.parse(String(one)))) {
    throw refusedError({ kind: 'away', detail: 'what answers there is no directory' });
  }
  const terms = URL.parse(String(found.meta?.termsOfService))?.href;
  return { ...(found as Addresses), terms };
};

type Answer = { json: unknown; text: string; headers: Headers };

/** An account's calls: signed with its key, and each with a number that the directory gave. */
export type Account = {
  /** Calls an address; without a body it only reads. Throws an error that `refusedOf` reads. */
  post(address: string, body?: object): Promise<Answer>;
  /** What proves that a token was answered by this account. */
  answerTo(token: string): string;
};

/** Opens the account of a key, which is made at the first time. */
export const openAccount = async (
  directory: Directory,
  key: KeyObject,
  email: string | undefined,
  signal: AbortSignal,
): Promise<Account> => {
  const jwk = jwkOf(key);
  let nonce: string | null = null;
  let id: string | undefined;

  const sealed = (address: string, body: object | undefined) => {
    const head = { alg: 'ES256', nonce, url: address, ...(id ? { kid: id } : { jwk }) };
    const [first, second] = [encoded(head), body ? encoded(body) : ''];
    const bytes = Buffer.from(`${first}.${second}`);
    const signature = sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' });
    return JSON.stringify({
      protected: first,
      payload: second,
      signature: signature.toString('base64url'),
    });
  };

  const post = async (address: string, body?: object): Promise<Answer> => {
    for (let left = maxNonces; ; left -= 1) {
      nonce ??= (await call(directory.newNonce, { method: 'HEAD' }, signal)).headers.get(
        'replay-nonce',
      );
      try {
        const answer = await call(
          address,
          {
            method: 'POST',
            body: sealed(address, body),
            headers: { 'content-type': 'application/jose+json' },
          },
          signal,
        );
        nonce = answer.headers.get('replay-nonce');
        return answer;
      } catch (error) {
        nonce = null;
        // The directory forgets its numbers, when it is restarted for example.
        if (left === 0 || (error as Failed).type !== badNonce) throw error;
      }
    }
  };

  const account = await post(directory.newAccount, {
    termsOfServiceAgreed: true,
    ...(email && { contact: [`mailto:${email}`] }),
  });
  id = account.headers.get('location') ?? undefined;
  const thumbprint = createHash('sha256').update(JSON.stringify(jwk)).digest('base64url');
  return { post, answerTo: (token) => `${token}.${thumbprint}` };
};

const maxNonces = 5;
const badNonce = 'urn:ietf:params:acme:error:badNonce';

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

// In the order that its fingerprint is made of.
const jwkOf = (key: KeyObject) => {
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' });
  return { crv, kty, x, y };
};

/** For how many seconds an answer asks to wait; undefined if it does not. */
export const waitIn = (headers: Headers): number | undefined => {
  const text = headers.get('retry-after') ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000));
};

/** An error of a call: with the directory's type of problem, if it named one. */
type Failed = { type?: string | undefined };

const call = async (
  address: string,
  init: { method?: string; body?: string; headers?: Record<string, string> },
  signal: AbortSignal,
): Promise<Answer> => {
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(address, {
      ...init,
      headers: { ...init.headers, 'user-agent': `Matterhorn/${version}` },
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMilliseconds)]),
    });
    text = await beginningOf(answer);
  } catch (error) {
    signal.throwIfAborted();
    throw refusedError(failureOf(error));
  }
  const json = jsonIn(text);
  if (answer.ok) return { json, text, headers: answer.headers };
  const problem = (json ?? { detail: `it answered ${answer.status}` }) as Problem;
  const refused = refusedBy(problem, undefined, waitIn(answer.headers));
  const kind = refused.kind === 'other' && answer.status >= 500 ? 'away' : refused.kind;
  throw Object.assign(refusedError({ ...refused, kind }), { type: problem.type } satisfies Failed);
};

const failureOf = (error: unknown) => {
  const { code, name } = error as { code?: unknown; name?: string };
  const detail = String(code ?? name ?? '');
  const isUnknown = /SELF_SIGNED|UNABLE_TO|CERT_|ALTNAME/.test(detail);
  return { kind: isUnknown ? ('unknownIssuer' as const) : ('away' as const), detail };
};

const beginningOf = async (answer: Response) => {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of answer.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > maxBytes) break;
  }
  return text;
};

const jsonIn = (text: string): unknown => {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === 'object' ? found : null;
  } catch {
    return null;
  }
};
