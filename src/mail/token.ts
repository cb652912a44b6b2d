/** Tokens for XOAUTH2: taken from an identity provider, and kept in memory until shortly before they end. */
import { createHash } from 'node:crypto';
import { isLocalHost, type TokenSource } from '../base/mail-settings.ts';
import { Refusal } from '../base/refusal.ts';
import { oneLine } from './words.ts';

const kept = new Map<string, { token: string; until: number }>();
const maxKept = 200;
const answerMilliseconds = 15_000;
const usualSeconds = 600;
const beforeEndSeconds = 120;

/**
 * A token of this source. If the provider replaces the refresh token, `renewed` is told the new one.
 * Throws `Refusal`
 * unavailable, with the provider's own words.
 */
export const tokenOf = async (
  source: TokenSource,
  renewed: (refreshToken: string) => Promise<void>,
): Promise<string> => {
  const key = keyOf(source);
  const known = kept.get(key);
  if (known && known.until > Date.now()) return known.token;
  const { token, seconds, refreshToken } = await ask(source);
  if (kept.size >= maxKept) kept.clear();
  kept.set(key, { token, until: Date.now() + (seconds - beforeEndSeconds) * 1000 });
  if (refreshToken && refreshToken !== source.refreshToken) await renewed(refreshToken);
  return token;
};

/** Forgets a token that the mail server does not accept. */
export const forgetToken = (source: TokenSource) => kept.delete(keyOf(source));

const keyOf = ({ tokenUrl, clientId, clientSecret, scope }: TokenSource) =>
  createHash('sha256')
    .update(JSON.stringify([tokenUrl, clientId, clientSecret, scope]))
    .digest('hex');

/** Whether tokens may be asked for there: a secret is sent to it. */
export const isTokenUrl = (text: string) => {
  const url = URL.parse(text);
  if (!url || url.username || url.password || text.length > 2000) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocalHost(url.hostname));
};

const noToken = (why: string) => new Refusal('unavailable', why);

const ask = async (source: TokenSource) => {
  const { tokenUrl, clientId, clientSecret, scope, refreshToken } = source;
  const form = new URLSearchParams({
    grant_type: refreshToken ? 'refresh_token' : 'client_credentials',
    client_id: clientId,
    ...(clientSecret && { client_secret: clientSecret }),
    ...(refreshToken && { refresh_token: refreshToken }),
    ...(scope && { scope }),
  });
  const answer = await fetch(tokenUrl, {
    method: 'POST',
    body: form,
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(answerMilliseconds),
  }).catch((error) => {
    throw noToken(`The address for tokens does not answer: ${oneLine(String(error.message))}`);
  });
  const said = (await answer.json().catch(() => ({}))) as Record<string, unknown>;
  const token = said.access_token;
  if (!answer.ok || typeof token !== 'string' || token === '') {
    const why = [said.error, said.error_description].filter((one) => typeof one === 'string');
    throw noToken(`There was no token (${answer.status}): ${oneLine(why.join(': '))}`);
  }
  const seconds = Number(said.expires_in) || usualSeconds;
  const replaced = said.refresh_token;
  return { token, seconds, refreshToken: typeof replaced === 'string' ? replaced : undefined };
};
