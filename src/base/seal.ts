/**
 * Secrets that have to be read again, such as those of authenticators: sealed with a key that is
 * derived from the installation's own and stands outside of the database. Whoever reads only the
 * database or a backup cannot read them.
 */
import { fingerprintOf, type InstallationKey } from './installation-key.ts';

/** Seals and opens secrets. `row` names the row that a secret belongs to: moved to another row, it is not opened. */
export type Seals = {
  /** The sealed text; the text as it is where the installation has no key. */
  seal(text: string, row: string): Promise<string>;
  /** The secret, also if it is stored as it is; undefined if it was sealed with another key, or changed. */
  open(stored: string, row: string): Promise<string | undefined>;
};

const mark = 'sealed1';
const ivBytes = 12;

const sealedBeginning = `${mark}.`;

/** Whether a stored text is sealed, with whatever key. */
export const isSealed = (stored: string) => stored.startsWith(sealedBeginning);

/** How texts begin that this key has sealed. */
const beginningOf = ({ publicKey }: InstallationKey) =>
  `${sealedBeginning}${fingerprintOf(publicKey).slice(0, 16)}.`;

/** Seals with the installation's key, if it has one. */
export const sealsOf = (key: InstallationKey | undefined): Seals => {
  if (!key) {
    return {
      seal: async (text) => text,
      open: async (stored) => (isSealed(stored) ? undefined : stored),
    };
  }
  const beginning = beginningOf(key);
  const secret = crypto.subtle.importKey('raw', key.derive('matterhorn seal 1'), 'AES-GCM', false, [
    'encrypt',
    'decrypt',
  ]);
  return {
    seal: async (text, row) => {
      const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
      const sealed = await crypto.subtle.encrypt(
        { name: 'AES-GCM', iv, additionalData: Buffer.from(row) },
        await secret,
        Buffer.from(text),
      );
      return beginning + Buffer.concat([iv, Buffer.from(sealed)]).toString('base64url');
    },
    open: async (stored, row) => {
      if (!isSealed(stored)) return stored;
      if (!stored.startsWith(beginning)) return undefined;
      const bytes = Buffer.from(stored.slice(beginning.length), 'base64url');
      const iv = new Uint8Array(bytes.subarray(0, ivBytes));
      try {
        const opened = await crypto.subtle.decrypt(
          { name: 'AES-GCM', iv, additionalData: Buffer.from(row) },
          await secret,
          new Uint8Array(bytes.subarray(ivBytes)),
        );
        return Buffer.from(opened).toString();
      } catch {
        return undefined;
      }
    },
  };
};

/** How many secrets are stored as they are, and how many are sealed with another key than the installation's. */
export type Unsealed = { open: number; foreign: number };

/** Counts secrets that this key has not sealed. */
export const unsealedAmong = (stored: readonly { secret: string }[]): Unsealed => {
  const foreign = stored.filter(({ secret }) => isSealed(secret)).length;
  return { open: stored.length - foreign, foreign };
};

/** A pattern of SQL's `like` for what this key has sealed; without a key nothing is like it. */
export const sealedLike = (key: InstallationKey | undefined): string =>
  key ? `${beginningOf(key)}%` : 'no secret begins so%';
