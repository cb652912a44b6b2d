/** Takes a certificate from a directory: proves the names by HTTP, and has their key certified. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account, Directory } from './directory.ts';
import { waitIn } from './directory.ts';
import { type Problem, refusedBy, refusedError } from './refused.ts';
import { requestFor } from './request.ts';

type Order = {
  status: string;
  authorizations: string[];
  finalize: string;
  certificate?: string;
  error?: Problem;
};
type Authorization = {
  status: string;
  identifier: { value: string };
  challenges: { type: string; url: string; token: string; error?: Problem }[];
};

const pollSeconds = 1;
const longestPollSeconds = 15;

/**
 * Orders a certificate for names and returns it with those of its issuers, as PEM text. `publish`
 * makes the answer to a challenge readable at the names. Throws an error that `refusedOf` reads;
 * the signal's reason if it is aborted.
 */
export const orderCertificate = async (
  { newOrder }: Directory,
  { post, answerTo }: Account,
  {
    names,
    key,
    publish,
    signal,
  }: {
    names: readonly string[];
    key: CryptoKeyPair;
    publish: (token: string, answer: string) => Promise<void>;
    signal: AbortSignal;
  },
): Promise<string> => {
  /** Reads what is at an address until it is settled. */
  const settled = async <Found extends { status: string }>(address: string, open: string[]) => {
    for (;;) {
      const { json, headers } = await post(address);
      const found = json as Found;
      if (!open.includes(found.status)) return found;
      const seconds = Math.min(waitIn(headers) ?? pollSeconds, longestPollSeconds);
      await sleep(seconds * 1000, undefined, { signal });
    }
  };

  const prove = async (address: string) => {
    const { json } = await post(address);
    const { status, identifier, challenges } = json as Authorization;
    if (status === 'valid') return;
    const name = identifier.value;
    const challenge = challenges.find(({ type }) => type === 'http-01');
    if (!challenge) {
      throw refusedError({ kind: 'rejectedName', name, detail: 'it offers no proof by HTTP' });
    }
    await publish(challenge.token, answerTo(challenge.token));
    await post(challenge.url, {});
    const proved = await settled<Authorization>(address, ['pending', 'processing']);
    if (proved.status === 'valid') return;
    const problem = proved.challenges.find(({ error }) => error)?.error ?? {};
    throw refusedError(refusedBy(problem, name));
  };

  const placed = await post(newOrder, {
    identifiers: names.map((value) => ({ type: 'dns', value })),
  });
  const address = placed.headers.get('location') ?? '';
  const order = placed.json as Order;
  for (const authorization of order.authorizations) await prove(authorization);
  await settled<Order>(address, ['pending']);
  await post(order.finalize, { csr: await requestFor(names, key) });
  const issued = await settled<Order>(address, ['ready', 'processing']);
  if (issued.status !== 'valid' || !issued.certificate) {
    throw refusedError(refusedBy(issued.error ?? {}));
  }
  return (await post(issued.certificate)).text;
};
