/** A device that keeps passkeys, in software: it answers as a browser does, or as an attacker would. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

type CborValue = Parameters<typeof isoCBOR.encode>[0];

/** What a browser may be told to answer in place of the truth. */
export type Lie = { origin?: string; host?: string; counter?: number; userHandle?: string };

const digest = (data: Uint8Array | string) =>
  new Bun.CryptoHasher('sha256').update(data).digest() as Buffer;

const isPresentAndVerified = 0b0000_0101;
const holdsKey = 0b0100_0000;

const fourBytes = (count: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(count);
  return bytes;
};

const publicKeyOf = (key: KeyObject) => {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const [left, right] = [x, y].map((part) => new Uint8Array(Buffer.from(part, 'base64url')));
  return isoCBOR.encode(
    new Map<number, CborValue>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, left as CborValue],
      [-3, right as CborValue],
    ]),
  );
};

/** A new device for the site at `url`, with one passkey at most. */
export const openAuthenticator = (url: string) => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credential = Buffer.from(crypto.getRandomValues(new Uint8Array(32)));
  const id = credential.toString('base64url');
  const { origin, hostname } = new URL(url);
  let [uses, handle] = [0, ''];

  const clientData = (type: string, challenge: string, lie: Lie) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: lie.origin ?? origin }));
  const head = (flags: number, lie: Lie) => {
    uses += 1;
    const count = fourBytes(lie.counter ?? uses);
    return Buffer.concat([digest(lie.host ?? hostname), Buffer.from([flags]), count]);
  };
  const answer = (response: Record<string, unknown>) =>
    JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });

  return {
    /** The answer to options for a new passkey. */
    create(options: { challenge: string; user: { id: string } }, lie: Lie = {}) {
      handle = options.user.id;
      const length = Buffer.from([0, credential.length]);
      const authData = Buffer.concat([
        ...[head(isPresentAndVerified | holdsKey, lie), Buffer.alloc(16), length, credential],
        publicKeyOf(publicKey),
      ]);
      const attestation = new Map<string, CborValue>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', new Uint8Array(authData)],
      ]);
      return answer({
        clientDataJSON: clientData('webauthn.create', options.challenge, lie).toString('base64url'),
        attestationObject: Buffer.from(isoCBOR.encode(attestation)).toString('base64url'),
        transports: ['internal'],
      });
    },
    /** The answer to options for a sign-in. */
    sign(options: { challenge: string }, lie: Lie = {}) {
      const authData = head(isPresentAndVerified, lie);
      const client = clientData('webauthn.get', options.challenge, lie);
      const signature = sign('sha256', Buffer.concat([authData, digest(client)]), privateKey);
      return answer({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: lie.userHandle ?? handle,
      });
    },
  };
};
