import { noFirm } from '../../base/columns.ts';
import { type Allowance, openRateLimit } from '../../http/rate-limit.ts';
import { openSharedRateLimit } from '../../http/shared-rate-limit.ts';
import type { Database } from '../../postgres/pool.ts';
import { isKnownBrowser } from '../../sign-in/known-browser.ts';
import { ownTextIn } from '../cookies.ts';
import type { OpenVisit, Visit } from '../visit.ts';
import { type Attempt, countForAccount, countForOne, idFrom, tooMany } from './account-limit.ts';

/**
 * Attempts from one network address. Each way in has a limit of its own, since a whole office may
 * share an address. A sign-in by a passkey takes two.
 */
const addressRates = {
  password: { perSecond: 30 / 60, burst: 60 },
  /** Passwords for one account. */
  account: { perSecond: 10 / 60, burst: 20 },
  passkey: { perSecond: 4, burst: 240 },
  link: { perSecond: 30 / 60, burst: 60 },
  page: { perSecond: 30 / 60, burst: 60 },
  setup: { perSecond: 10 / 60, burst: 20 },
};

type Spend = (name: string) => Allowance | Promise<Allowance>;
type Limits = Record<keyof typeof addressRates, Spend>;

const limits = new WeakMap<Database, Limits>();

/**
 * Counts one attempt that guesses no password, for all instances: for the address that tries. `page`
 * is a form that waits while somebody signs in, and only costs its page. Throws `Refusal` rate_limited.
 */
export const countAttempt = async (visit: OpenVisit, way: 'passkey' | 'link' | 'setup' | 'page') =>
  countAtAddress(visit, { [way]: '' });

/**
 * Counts one attempt with a password or a code, for all instances: for the address that tries, and
 * as a failure of the account until it has `succeeded`. Nobody is locked out: a browser that signed
 * in to the account before is counted by itself, and another one gets in within a minute. Throws
 * `Refusal` rate_limited.
 */
export const countGuess = async (visit: OpenVisit, email: string): Promise<Attempt> => {
  const account = email.trim().toLowerCase();
  const device = ownTextIn(visit, 'device');
  if (device && (await isKnownBrowser(visit.database, device, account))) {
    return countForOne(visit.database, `browser ${device} ${account}`);
  }
  await countAtAddress(visit, { password: '', account: ` ${account}` });
  return countForAccount(visit.database, account, visit.address);
};

/** Counts a password that a signed-in member types, for their session. Throws `Refusal` rate_limited. */
export const countProof = ({ database, session }: Visit): Promise<Attempt> =>
  countForOne(database, `session ${session.sessionId}`);

const countAtAddress = async (
  { database, settings, address }: OpenVisit,
  of: Partial<Record<keyof Limits, string>>,
) => {
  if (settings.rateLimit === 'off') return;
  let known = limits.get(database);
  if (!known) limits.set(database, (known = openLimits(database, settings.database !== undefined)));
  let wait = 0;
  for (const [way, name] of Object.entries(of) as [keyof Limits, string][]) {
    const { retryAfterSeconds = 0 } = await known[way](`${way} ${address}${name}`);
    wait = Math.max(wait, retryAfterSeconds);
  }
  if (wait > 0) throw tooMany(wait);
};

const openLimits = (database: Database, isShared: boolean): Limits => {
  const opened = Object.entries(addressRates).map(([way, rate]): [string, Spend] => {
    if (!isShared) return [way, openRateLimit(rate).spend];
    const shared = openSharedRateLimit(rate, database);
    return [way, (name) => shared.spend({ firmId: noFirm, keyId: idFrom(name) })];
  });
  return Object.fromEntries(opened) as Limits;
};
