/** Keys, and what is signed with them. The library is loaded at first use: most servers need none. */

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** A new key of a certificate. */
export const newKey = (): Promise<CryptoKeyPair> =>
  crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);

/** A key as PEM text. */
export const pemOf = async ({ privateKey }: CryptoKeyPair): Promise<string> => {
  const bytes = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey));
  const lines = bytes.toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`;
};

/** What asks a directory to certify a key for names, as RFC 8555 wants it: DER in base64url. */
export const requestFor = async (
  names: readonly string[],
  keys: CryptoKeyPair,
): Promise<string> => {
  const { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } = await library();
  const request = await Pkcs10CertificateRequestGenerator.create({
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns' as const, value }))),
    ],
  });
  return Buffer.from(request.rawData).toString('base64url');
};

/** Of whom the certificate is that a server shows until it has one. */
export const interimName = 'Matterhorn has no certificate yet';

const dayMilliseconds = 86_400_000;

/** A certificate signed with its own key, which no browser trusts. */
export const interimPair = async () => {
  const { X509CertificateGenerator } = await library();
  const keys = await newKey();
  const now = Date.now();
  const made = await X509CertificateGenerator.createSelfSigned({
    keys,
    name: `CN=${interimName}`,
    signingAlgorithm: algorithm,
    notBefore: new Date(now - dayMilliseconds),
    notAfter: new Date(now + 365 * dayMilliseconds),
  });
  return { certificate: made.toString('pem'), key: await pemOf(keys) };
};

// The polyfill comes first, as for passkeys (sign-in/passkey.ts).
const library = async () => {
  await import('reflect-metadata');
  return import('@peculiar/x509');
};
