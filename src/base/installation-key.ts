/**
 * The key of an installation: an Ed25519 key in its own file, never in the database. It signs the
 * ends of the audit log's chains, and every backup. Somebody who can only write to the database
 * cannot sign.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { invalid } from './refusal.ts';

export type InstallationKey = {
  file: string;
  /** The 32 bytes of the public key, in base64url (43 characters). */
  publicKey: string;
  /** Signs the UTF-8 bytes of a text; in base64url (86 characters). */
  sign(text: string): string;
  /** A secret of 32 bytes for one purpose, by HKDF. It tells nothing of the key or of other secrets. */
  derive(purpose: string): Uint8Array<ArrayBuffer>;
};

/** A public key's name for people: the first 32 hexadecimal digits of SHA-256 over its 32 bytes. */
export const fingerprintOf = (publicKey: string) =>
  new Bun.CryptoHasher('sha256')
    .update(Buffer.from(publicKey, 'base64url'))
    .digest('hex')
    .slice(0, 32);

/** Whether the owner of a public key signed a text. False if either is malformed. */
export const isSignedBy = (publicKey: string, text: string, signature: string): boolean => {
  try {
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: publicKey },
      format: 'jwk',
    });
    return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
};

/**
 * Reads the key of a file; undefined if there is no file. Throws `Refusal` for a link, another
 * user's file, a file that others may read or change, and a file without such a key.
 */
export const readInstallationKey = (file: string): InstallationKey | undefined => {
  const text = readOwn(file);
  if (text === undefined) return undefined;
  let key: KeyObject;
  try {
    key = createPrivateKey(text);
  } catch {
    throw notAKey(file);
  }
  if (key.asymmetricKeyType !== 'ed25519') throw notAKey(file);
  return {
    file,
    publicKey: createPublicKey(key).export({ format: 'jwk' }).x ?? '',
    sign: (signed) => sign(null, Buffer.from(signed), key).toString('base64url'),
    derive: (purpose) => {
      const seed = Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url');
      return new Uint8Array(hkdfSync('sha256', seed, '', purpose, 32));
    },
  };
};

const notAKey = (file: string) =>
  invalid(
    `The file ${file} holds no installation key. Put it back from where you keep a copy, or name another file in INSTALLATION_KEY.`,
  );

const readOwn = (file: string): string | undefined => {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP') throw invalid(`The installation key ${file} is a link. Name the file.`);
    throw error;
  }
  try {
    const { uid, mode, size } = fstatSync(descriptor);
    if (!isOurs(uid)) {
      throw invalid(
        `The installation key ${file} belongs to another user. Give it to the one that runs the server, with chown.`,
      );
    }
    if (process.geteuid && (mode & 0o027) !== 0) {
      throw invalid(
        `The installation key ${file} may be read or changed by others. Close it with \`chmod 600\`.`,
      );
    }
    if (size > largestFile) throw notAKey(file);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
};

const largestFile = 16_384;

/** Root may use the file of the server's user. Any server may use a file that root owns. */
const isOurs = (uid: number) => {
  const own = process.geteuid?.();
  return own === undefined || own === 0 || uid === own || uid === 0;
};

/**
 * Makes a key in a new file that only its owner may read. If another process was faster, its key is
 * used. The file gets its name only when all of it is on the disk. No link is followed.
 */
export const makeInstallationKey = (file: string): InstallationKey => {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  const unfinished = `${file}.${crypto.randomUUID()}`;
  const descriptor = openSync(unfinished, 'wx', 0o600);
  try {
    writeFileSync(descriptor, pem);
    giveToOwnerOf(dirname(file), descriptor);
    fsyncSync(descriptor);
    linkSync(unfinished, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    closeSync(descriptor);
    unlinkSync(unfinished);
  }
  const key = readInstallationKey(file);
  if (!key) throw notAKey(file);
  return key;
};

/** A file that root makes in another user's folder goes to that user, whose server must read it. */
export const giveToOwnerOf = (folder: string, descriptor: number) => {
  const { uid, gid } = statSync(folder);
  if (process.geteuid?.() === 0 && uid !== 0) fchownSync(descriptor, uid, gid);
};
