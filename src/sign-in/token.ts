import { digestOf } from '../api-keys/secret.ts';

/** A secret of 256 random bits for a cookie or a link, and the digest that is stored. */
export const newToken = () => {
  const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
  return { token, digest: digestOf(token) };
};

const form = /^[\w-]{43}$/;

/** Whether a text can be a token at all. If not, it is refused without a query. */
export const isToken = (text: string) => form.test(text);
