/**
 * Backups that only the holder of a secret key can open, as files of age (age-encryption.org, v1):
 * Debian's `age` opens them too. The server knows only recipients, which can encrypt and not open.
 * The library is loaded where it is needed.
 */
import { invalid } from '../base/refusal.ts';

/** A pair: the recipient encrypts, the identity opens. */
export type KeyPair = { recipient: string; identity: string };

/** The first bytes of every file of age. */
const mark = 'age-encryption.org/v1\n';

/** Makes a new pair. */
export const newKeyPair = async (): Promise<KeyPair> => {
  const { generateX25519Identity, identityToRecipient } = await import('age-encryption');
  const identity = await generateX25519Identity();
  return { recipient: await identityToRecipient(identity), identity };
};

/** Throws `Refusal` unless each is a recipient of age. `from` is where it was given. */
export const mustBeRecipients = async (recipients: readonly string[], from: string) => {
  if (recipients.length > 0) await encrypterFor(recipients, from);
};

const encrypterFor = async (recipients: readonly string[], from: string) => {
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch {
      throw invalid(
        `${from} must name recipients of age, which begin with age1. \`matterhorn backup key\` creates one.`,
      );
    }
  }
  return encrypter;
};

/** Encrypts what is written for all recipients; without any, it stays as it is. */
export const encrypted = async (
  written: AsyncIterable<Uint8Array>,
  recipients: readonly string[],
): Promise<AsyncIterable<Uint8Array>> => {
  if (recipients.length === 0) return written;
  const encrypter = await encrypterFor(recipients, 'The recipient of a backup');
  return encrypter.encrypt(streamOf(written));
};

const streamOf = (written: AsyncIterable<Uint8Array>) => {
  const chunks = written[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel(why) {
      await chunks.throw?.(why);
    },
  });
};

export const isEncrypted = async (file: string) =>
  (await Bun.file(file).slice(0, mark.length).text()) === mark;

/**
 * A file's content, opened by one of these identities if it is encrypted. Throws `Refusal` without
 * an identity that fits.
 */
export const opened = async (
  file: string,
  identities: readonly string[],
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> => {
  const content = Bun.file(file).stream();
  if (!(await isEncrypted(file))) return content;
  if (identities.length === 0) {
    throw invalid(
      `The backup ${file} is encrypted. Name the file of its secret key with --identity FILE.`,
    );
  }
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  try {
    return (await decrypter.decrypt(content)) as ReadableStream<Uint8Array<ArrayBuffer>>;
  } catch {
    throw invalid(
      `This key does not open ${file}: it was encrypted for another one, or it is damaged. Use the secret key that was created with the recipient of the backup.`,
    );
  }
};

/**
 * The identities in a text: a file of `matterhorn backup key` or of `age-keygen`. Throws `Refusal` if
 * there is none. `from` is the name of the file.
 */
export const identitiesIn = async (text: string, from: string): Promise<string[]> => {
  const found = text.match(/AGE-SECRET-KEY-1[0-9A-Z]+/g) ?? [];
  const { identityToRecipient } = await import('age-encryption');
  const areKeys = await Promise.all(found.map(identityToRecipient)).catch(() => []);
  if (areKeys.length > 0) return found;
  throw invalid(
    `There is no secret key in ${from}. It begins with AGE-SECRET-KEY-1; \`matterhorn backup key\` printed it.`,
  );
};
