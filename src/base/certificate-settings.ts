/** The settings of HTTPS without a proxy: TLS_CERT and TLS_KEY, or TLS_ACME and its like. */
import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import type { CertificateFiles } from './certificate.ts';
import { invalid } from './refusal.ts';

/** For which names a certificate is taken, and of whom. */
export type Acme = {
  /** TLS_ACME: the names, the first of which is the application's unless PUBLIC_URL says otherwise. */
  names: readonly string[];
  /** TLS_ACME_EMAIL: whom the directory may write to. */
  email: string | undefined;
  /** TLS_ACME_DIRECTORY: the directory that issues certificates; by default that of Let's Encrypt. */
  directory: string;
  /** TLS_ACME_TERMS=accepted: whether somebody has accepted the directory's terms. */
  areTermsAccepted: boolean;
  /** TLS_ACME_HTTP_PORT: where the directory's challenges are answered; 80 by default. */
  httpPort: number;
};

/** Where the server's own certificate comes from: files, or a directory. */
export type Tls = CertificateFiles | Acme;

/** Whether the certificate is taken from a directory. */
export const isTaken = (tls: Tls | undefined): tls is Acme => tls !== undefined && 'names' in tls;

/** The files of the certificate, if it is in files. */
export const filesOf = (tls: Tls | undefined): CertificateFiles | undefined =>
  isTaken(tls) ? undefined : tls;

type Environment = Record<string, string | undefined>;

/** Reads the settings. Throws `Refusal` that names the wrong one and what it takes. */
export const tlsFrom = (environment: Environment): Tls | undefined => {
  const { TLS_CERT: certificate = '', TLS_KEY: key = '', TLS_ACME: names = '' } = environment;
  if (names.trim() !== '') {
    if (!certificate && !key) return acmeFrom(names, environment);
    throw invalid(
      'TLS_ACME takes a certificate, and TLS_CERT and TLS_KEY name one. Set either of them.',
    );
  }
  if (!certificate && !key) return undefined;
  if (!isAbsolute(certificate) || !isAbsolute(key)) {
    throw invalid(
      'TLS_CERT and TLS_KEY must both be full paths of files, for example /etc/matterhorn/cert.pem.',
    );
  }
  return { certificate, key };
};

const letsEncrypt = 'https://acme-v02.api.letsencrypt.org/directory';

const acmeFrom = (names: string, environment: Environment): Acme => ({
  names: namesFrom(names),
  email: emailFrom(environment.TLS_ACME_EMAIL),
  directory: directoryFrom(environment.TLS_ACME_DIRECTORY || letsEncrypt),
  areTermsAccepted: areAccepted(environment.TLS_ACME_TERMS),
  httpPort: portFrom(environment.TLS_ACME_HTTP_PORT),
});

// As many as Let's Encrypt puts into one certificate.
const maxNames = 100;
const longestName = 253;
const name = /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?(\.[a-z\d]([a-z\d-]{0,61}[a-z\d])?)*$/;

const namesFrom = (text: string) => {
  const given = text.split(/[\s,]+/).filter(Boolean);
  const names = [...new Set(given.map(nameIn))];
  if (names.every((one) => one !== undefined) && names.length <= maxNames) return names;
  throw invalid(
    `TLS_ACME must be the server's name in the DNS, for example practice.harrow.example, or up to ${maxNames} with commas between them.`,
  );
};

/** The name as the DNS writes it; undefined if it is an address, or has anything beside the name. */
const nameIn = (text: string): string | undefined => {
  const url = URL.parse(`https://${text}`);
  if (!url || url.href !== `https://${url.hostname}/`) return undefined;
  const { hostname } = url;
  const isName = hostname.length <= longestName && name.test(hostname) && isIP(hostname) === 0;
  return isName ? hostname : undefined;
};

const emailFrom = (text: string | undefined) => {
  if (!text) return undefined;
  if (/^[^\s@,?]{1,64}@[^\s@,?]{1,255}$/.test(text)) return text;
  throw invalid('TLS_ACME_EMAIL must be an email address, for example ada@harrow.example.');
};

const directoryFrom = (text: string) => {
  const url = URL.parse(text);
  if (url?.protocol === 'https:' && !url.username && !url.hash) return url.href;
  throw invalid(
    `TLS_ACME_DIRECTORY must be the address of a directory that issues certificates, for example ${letsEncrypt}.`,
  );
};

const areAccepted = (text = '') => {
  if (text === '' || text === 'accepted') return text === 'accepted';
  throw invalid('TLS_ACME_TERMS must be accepted, or not be set.');
};

const portFrom = (text = '80') => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw invalid('TLS_ACME_HTTP_PORT must be a whole number from 1 to 65535.');
};
