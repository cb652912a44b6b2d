/** The secrets that messages are signed with, and the signatures (Standard Webhooks 1.0). */
import type { Seals } from '../base/seal.ts';

const beginning = 'whsec_';
const bytes = 32;

/** A new secret, from the system's randomness. */
export const newSigningSecret = (): string =>
  beginning + Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('base64');

type OfEndpoint = { firmId: string; endpointId: string };

/** What the secrets of an endpoint are sealed to. */
export const rowOf = ({ firmId, endpointId }: OfEndpoint) => `webhook ${firmId} ${endpointId}`;

/** A stored secret as it is used; undefined if it was sealed with a key that is not here. */
export const openSecret = (seals: Seals, stored: string, row: OfEndpoint) =>
  seals.open(stored, rowOf(row));

/** The headers of a message, signed with each of the secrets. */
export const signedHeaders = (
  { id, body, at }: { id: string; body: string; at: Date },
  secrets: readonly string[],
): Record<string, string> => {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(beginning.length), 'base64');
    const hasher = new Bun.CryptoHasher('sha256', key).update(`${id}.${timestamp}.${body}`);
    return `v1,${hasher.digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
};
