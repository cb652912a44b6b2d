import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileSentenceOf } from './file-error.ts';
import { invalid } from './refusal.ts';

/** The files of a certificate and its key (TLS_CERT and TLS_KEY). */
export type CertificateFiles = { certificate: string; key: string };

/** What is in the files: PEM texts. */
export type Pair = { certificate: string; key: string };

/** Reads the files as they are. Throws `Refusal` that says which one cannot be read. */
export const readPair = (files: CertificateFiles): Pair => ({
  certificate: textOf('TLS_CERT', files.certificate),
  key: textOf('TLS_KEY', files.key),
});

const textOf = (setting: string, file: string) => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const sentence = fileSentenceOf(error);
    throw sentence ? invalid(`${setting}: ${sentence}`) : error;
  }
};

const begin = '-----BEGIN ';
const blocks = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]+?-----END \1-----/g;

/**
 * The day on which a certificate ends. Throws `Refusal` if it is no certificate, if a part of it or
 * of its chain is missing, or if the key is not its own.
 */
export const endOf = (pair: Pair): Date => spanOf(pair).to;

/** From when until when a certificate is valid. Throws as `endOf` does. */
export const spanOf = ({ certificate, key }: Pair): { from: Date; to: Date } => {
  const [leaf] = chainOf(certificate);
  if (!leaf) throw notWhole('TLS_CERT', 'a certificate');
  if (!leaf.checkPrivateKey(keyOf(key)))
    throw invalid('The key of TLS_KEY does not belong to the certificate of TLS_CERT.');
  return { from: leaf.validFromDate, to: leaf.validToDate };
};

const chainOf = (text: string): X509Certificate[] => {
  const found = [...text.matchAll(blocks)];
  // While a file is being written, its last block has no end yet.
  if (found.length < text.split(begin).length - 1) throw notWhole('TLS_CERT', 'a certificate');
  try {
    return found
      .filter(([, kind]) => kind?.endsWith('CERTIFICATE'))
      .map(([block]) => new X509Certificate(block));
  } catch {
    throw notWhole('TLS_CERT', 'a certificate');
  }
};

const keyOf = (text: string) => {
  try {
    return createPrivateKey(text);
  } catch {
    throw notWhole('TLS_KEY', 'a private key without a password');
  }
};

const notWhole = (setting: string, what: string) =>
  invalid(`The file of ${setting} must contain ${what}, whole, as PEM text.`);
