/** Whether a file is what the makers of Matterhorn released, and which version it is. */
import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isSignedBy } from '../base/installation-key.ts';
import { Refusal } from '../base/refusal.ts';
import { releaseKey, version } from '../version.ts';

const refused = (sentence: string) => new Refusal('conflict', `${sentence} Nothing was changed.`);

/**
 * The key whose releases this installation trusts: that of the file, else the one that this executable was
 * built with. Throws `Refusal` if there is none.
 */
export const trustedKey = (keyFile: string | undefined): string => {
  if (keyFile === undefined) {
    if (releaseKey) return releaseKey;
    throw refused(
      'This executable was built without the key of releases. Name the file of the key that you trust: --key release.pub.',
    );
  }
  try {
    const { crv, x } = createPublicKey(readFileSync(keyFile)).export({ format: 'jwk' });
    if (crv === 'Ed25519' && x) return x;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall) throw error;
  }
  throw refused(`The file ${keyFile} holds no public key of releases (Ed25519, PEM).`);
};

/** Reads the signed checksums beside a file. Throws `Refusal` if they are missing, or another key signed them. */
export const signedSums = (file: string, key: string): Map<string, string> => {
  const read = (name: string) => {
    try {
      return readFileSync(join(dirname(file), name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      throw refused(
        `There is no ${name} beside ${file}. Download SHA256SUMS and SHA256SUMS.sig of the release into its folder.`,
      );
    }
  };
  const sums = read('SHA256SUMS').toString();
  if (!isSignedBy(key, sums, read('SHA256SUMS.sig').toString('base64url'))) {
    throw refused(
      'The signature of SHA256SUMS is not of the key that this installation trusts: the file was changed, or others made the release. Download the three files again, from where you have your releases.',
    );
  }
  return new Map(
    [...sums.matchAll(/^([0-9a-f]{64}) [ *](.+)$/gm)].map(([, sum = '', name = '']) => [sum, name]),
  );
};

/** Throws `Refusal` if the bytes at `copy` are none of the release's. `file` is what they came from. */
export const mustBeReleased = async (
  sums: Map<string, string>,
  copy: string,
  file: string,
): Promise<void> => {
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const piece of Bun.file(copy).stream()) hasher.update(piece);
  if (sums.has(hasher.digest('hex'))) return;
  const isNamed = [...sums.values()].includes(basename(file));
  throw refused(
    isNamed
      ? `The file ${file} is not whole, or was changed: its checksum is not the one in SHA256SUMS. Download it again.`
      : `The file ${file} is none of the files in SHA256SUMS. Download the executable of the same release as SHA256SUMS.`,
  );
};

/** The version of an executable that was proved. Throws `Refusal` if it is none for this machine, or not newer. */
export const newerVersion = (executable: string, file: string): string => {
  const found = versionOf(executable);
  if (found === undefined) {
    throw refused(
      `The file ${file} is no Matterhorn that runs on this machine (${process.platform}, ${process.arch}). Download the executable for it.`,
    );
  }
  if (found === version) throw refused(`This is version ${version} already.`);
  // Builds between two releases have no order: the data says whether it takes them.
  if (Bun.semver.order(found, version) < 0) {
    throw refused(
      `The file ${file} is version ${found}, older than this one, ${version}. An upgrade does not go back: restore a backup of that time with that version (\`matterhorn restore\`).`,
    );
  }
  return found;
};

const versionOf = (executable: string): string | undefined => {
  try {
    const { stdout, success } = Bun.spawnSync([executable, 'version', '--json'], {
      env: {},
      timeout: 60_000,
    });
    const said = success ? (JSON.parse(stdout.toString()) as { version?: unknown }) : {};
    return typeof said.version === 'string' ? said.version : undefined;
  } catch {
    return undefined;
  }
};
