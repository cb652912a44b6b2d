/**
 * The form of a key: `mh_`, 30 random base62 characters, 6 characters that check all the others
 * (docs/contract.md, Keys, roles, rates).
 */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const form = /^mh_[0-9A-Za-z]{36}$/;

/** A new key, from the system's randomness. */
export const newSecret = (): string => {
  const body = `mh_${randomText(30)}`;
  return body + checksum(body);
};

/** Whether a text can be a key at all. A mistyped one is refused without asking the database. */
export const isWellFormed = (key: string): boolean =>
  form.test(key) && key.slice(-6) === checksum(key.slice(0, -6));

/**
 * What is stored of a key: its SHA-256. A key is random enough that a slow hash would add nothing.
 */
export const digestOf = (key: string): Buffer =>
  new Bun.CryptoHasher('sha256').update(key).digest();

const checksum = (text: string): string => {
  let rest = Bun.hash.crc32(text);
  let digits = '';
  for (let place = 0; place < 6; place += 1) {
    digits = alphabet[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
};

const randomText = (length: number): string => {
  let text = '';
  while (text.length < length) {
    // Bytes from 248 on are dropped, since 62 does not divide 256.
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < 248 && text.length < length) text += alphabet[byte % 62];
    }
  }
  return text;
};
