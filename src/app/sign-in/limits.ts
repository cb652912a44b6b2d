import { digestOf } from '../../api-keys/secret.ts';
import { noFirm } from '../../base/columns.ts';
import { Refusal } from '../../base/refusal.ts';
import { type Allowance, openRateLimit } from '../../http/rate-limit.ts';
import { openSharedRateLimit } from '../../http/shared-rate-limit.ts';
import type { Database } from '../../postgres/pool.ts';
import { counted } from '../numbers.ts';
import type { OpenVisit } from '../visit.ts';

/** Attempts to sign in to one account from one network address: ten a minute, twenty at once. */
const accountRate = { perSecond: 10 / 60, burst: 20 };
/** Attempts for all accounts from one address. A whole office may share an address. */
const addressRate = { perSecond: 30 / 60, burst: 60 };

type Spend = (name: string) => Allowance | Promise<Allowance>;
type Limits = { account: Spend; address: Spend };

const limits = new WeakMap<Database, Limits>();

/**
 * Counts one attempt to sign in, for all instances. Nobody is locked out: the limit is for the
 * address that tries, so a member elsewhere can still sign in. Without an account, the form tries
 * nothing and only costs its page. Throws `Refusal` rate_limited.
 */
export const countAttempt = async (
  { database, settings, address }: OpenVisit,
  account?: string,
): Promise<void> => {
  if (settings.rateLimit === 'off') return;
  let known = limits.get(database);
  if (!known) limits.set(database, (known = openLimits(database, settings.database !== undefined)));
  const spent = [await known.address(`address ${address}`)];
  if (account !== undefined) {
    spent.push(await known.account(`account ${address} ${account.trim().toLowerCase()}`));
  }
  const wait = Math.max(0, ...spent.map(({ retryAfterSeconds = 0 }) => retryAfterSeconds));
  if (wait === 0) return;
  const time = counted(wait, 'second');
  throw new Refusal('rate_limited', `Too many attempts. Wait ${time} and try again.`, {
    'retry-after': String(wait),
  });
};

const openLimits = (database: Database, isShared: boolean): Limits => {
  const [account, address] = [accountRate, addressRate].map((rate) => {
    if (!isShared) return openRateLimit(rate).spend;
    const shared = openSharedRateLimit(rate, database);
    return (name: string) => shared.spend({ firmId: noFirm, keyId: idFrom(name) });
  }) as [Spend, Spend];
  return { account, address };
};

/** An id made from a name, so that no person's address is stored. */
const idFrom = (name: string) =>
  digestOf(name)
    .toString('hex')
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
