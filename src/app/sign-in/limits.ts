import { digestOf } from '../../api-keys/secret.ts';
import { noFirm } from '../../base/columns.ts';
import { Refusal } from '../../base/refusal.ts';
import type { Rate } from '../../config.ts';
import { type Allowance, openRateLimit } from '../../http/rate-limit.ts';
import {
  giveBackShared,
  openSharedRateLimit,
  secondsUntilOne,
  takeShared,
} from '../../http/shared-rate-limit.ts';
import type { Database, Runs } from '../../postgres/pool.ts';
import { isKnownBrowser } from '../../sign-in/known-browser.ts';
import { ownTextIn } from '../cookies.ts';
import { counted } from '../numbers.ts';
import type { OpenVisit, Visit } from '../visit.ts';

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

/**
 * Wrong passwords and codes for one account: 28 at once, then one each 50 seconds. So there are at
 * most 100 within any hour.
 */
export const accountRate: Rate = { perSecond: 72 / 3_600, burst: 28 };

/** Of the 28, these are only for addresses that are new to the account. */
const keptForNew = 10;

/**
 * For an account, an address is new for ten attempts a day, whatever becomes of them: a person who
 * is told to wait may try again too early.
 */
const newAddress: Rate = { perSecond: 10 / 86_400, burst: 10 };
/** All addresses of a network are new for thirty: who has one of them often has the others. */
const newNetwork: Rate = { perSecond: 30 / 86_400, burst: 30 };

/** Codes for one sign-in that was started with the right password. */
const codesPerSignIn: Rate = { perSecond: 5 / 86_400, burst: 5 };

/** An attempt that was counted as a failure before it was made. */
export type Attempt = {
  /** It was none. */
  succeeded(): Promise<void>;
};

/**
 * Counts an attempt for an account by a browser that is not known there, for all instances. Who
 * guesses with many addresses soon has none that is new, and then only gets what the others leave:
 * so a browser at another address gets in within a minute. An account is what was typed, whether
 * there is a member or not. Throws `Refusal` rate_limited.
 */
export const countForAccount = async (
  database: Runs,
  account: string,
  address: string,
): Promise<Attempt> => {
  const ofAccount = named(`failed ${account}`);
  const newness = [
    { rate: newAddress, name: named(`new ${address} ${account}`) },
    { rate: newNetwork, name: named(`new in ${networkOf(address)} ${account}`) },
  ];
  let isNew = true;
  for (const { rate, name } of newness) {
    isNew &&= (await takeShared(database, rate, name)).granted > 0;
  }
  const burst = isNew ? accountRate.burst : accountRate.burst - keptForNew;
  await takeOne(database, { ...accountRate, burst }, ofAccount);
  return {
    async succeeded() {
      await giveBackShared(database, accountRate, ofAccount);
      for (const { rate, name } of isNew ? newness : []) await giveBackShared(database, rate, name);
    },
  };
};

/**
 * Counts an attempt in a bucket of its own, for a browser that signed in to the account before, or
 * a session. What strangers try does not touch it. Throws `Refusal` rate_limited.
 */
export const countForOne = async (database: Runs, name: string): Promise<Attempt> => {
  const own = named(name);
  await takeOne(database, accountRate, own);
  return { succeeded: () => giveBackShared(database, accountRate, own) };
};

/** Uses up one of the codes of a started sign-in. Says how many are left; undefined if there were none. */
export const takeCode = async (database: Runs, linkId: string): Promise<number | undefined> => {
  const { granted, left } = await takeShared(database, codesPerSignIn, named(`codes ${linkId}`));
  return granted ? Math.floor(left) : undefined;
};

const takeOne = async (database: Runs, rate: Rate, name: ReturnType<typeof named>) => {
  const { granted, left } = await takeShared(database, rate, name);
  if (!granted) throw tooMany(secondsUntilOne(rate, left));
};

/** The refusal of an attempt that comes too early. */
export const tooMany = (seconds: number) =>
  new Refusal(
    'rate_limited',
    `Too many attempts. Wait ${counted(seconds, 'second')} and try again.`,
    { 'retry-after': String(seconds) },
  );

/** A bucket by a name of which only a digest is stored: no address of a person is. */
const named = (name: string) => ({ firmId: noFirm, keyId: idFrom(name), asked: 1 });

export const idFrom = (name: string) =>
  digestOf(name)
    .toString('hex')
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** The network of an address: 256 of IPv4, or what a provider of IPv6 gives to one site. */
const networkOf = (address: string) =>
  address.includes(':')
    ? address.split(':').slice(0, 3).join(':')
    : address.split('.').slice(0, 3).join('.');
