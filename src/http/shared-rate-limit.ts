import { type SQL, sql } from 'drizzle-orm';
import type { Rate } from '../config.ts';
import { forCluster } from '../postgres/citus/forms.ts';
import type { Database, Runs } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Allowance } from './rate-limit.ts';

/** The limit on a key's calls, wherever it is counted. */
export type KeyRateLimit = {
  rate: Rate;
  /** Spends one call of a key. A refused one costs nothing. */
  spend(key: { firmId: string; keyId: string }): Allowance | Promise<Allowance>;
};

/** Calls paid for in the database: unused here, granted, asked for; and what else is left. */
type Lease = { calls: number; granted: number; asked: number; left: number; at: number };

const leaseMilliseconds = 2_000;
const largestLease = 30;
const maxLeases = 10_000;

/**
 * One budget per key for all instances on one database. An instance takes calls in advance, in
 * leases, so all instances together never exceed the rate. A busy key's leases grow until one
 * statement pays for thirty calls (docs/design/later.md, Rate leases).
 */
export const openSharedRateLimit = (rate: Rate, database: Database): KeyRateLimit => {
  const leases = new Map<string, Lease>();
  const underWay = new Map<string, { waiting: number; taken: Promise<Lease> }>();
  const atMost = Math.max(1, Math.min(largestLease, Math.floor(rate.burst / 10)));

  const take = async (firmId: string, keyId: string, waiting: () => number): Promise<Lease> => {
    // One tick later, so that calls which arrive together are paid for together.
    await Promise.resolve();
    const last = leases.get(keyId);
    const isBusy = last && last.calls === 0 && !isOver(last);
    const asked = Math.min(atMost, Math.max(waiting(), isBusy ? last.asked * 2 : 1));
    const { granted, left } = await takeShared(database, rate, { firmId, keyId, asked });
    const lease = { calls: granted, granted, asked, left, at: performance.now() };
    if (leases.size >= maxLeases) leases.clear();
    leases.set(keyId, lease);
    return lease;
  };

  const nextLease = ({ firmId, keyId }: { firmId: string; keyId: string }): Promise<Lease> => {
    const present = underWay.get(keyId);
    if (present) {
      present.waiting += 1;
      return present.taken;
    }
    const entry: { waiting: number; taken: Promise<Lease> } = {
      waiting: 1,
      taken: take(firmId, keyId, () => entry.waiting),
    };
    underWay.set(keyId, entry);
    const done = () => underWay.delete(keyId);
    entry.taken.then(done, done);
    return entry.taken;
  };

  const allowance = ({ calls, at, left }: Lease): Allowance => {
    const gained = ((performance.now() - at) / 1000) * rate.perSecond;
    const remaining = Math.max(0, Math.min(rate.burst, left + calls + gained));
    return {
      remaining: Math.floor(remaining),
      fullAfterSeconds: Math.ceil((rate.burst - remaining) / rate.perSecond),
    };
  };

  const refusal = (lease: Lease): Allowance => ({
    ...allowance(lease),
    remaining: 0,
    retryAfterSeconds: secondsUntilOne(rate, lease.left),
  });

  return {
    rate,
    async spend(key) {
      let lease = leases.get(key.keyId);
      if (!lease || lease.calls === 0 || isOver(lease)) lease = await nextLease(key);
      // Granted, but used up by others who waited for the same lease: take the next one.
      while (lease.calls === 0 && lease.granted > 0) lease = await nextLease(key);
      if (lease.granted === 0) return refusal(lease);
      lease.calls -= 1;
      return allowance(lease);
    },
  };
};

/**
 * Takes calls of one name from the budget that all instances share, without a lease: how many were
 * granted, and how many are left. `rate.burst` may differ between callers of one name: a smaller one
 * leaves places to the others.
 */
export const takeShared = async (
  database: Runs,
  rate: Rate,
  input: { firmId: string; keyId: string; asked: number },
): Promise<{ granted: number; left: number }> => {
  const taken = await database.first(takeCalls, { ...input, ...rate });
  if (!taken) throw new Error('The database did not say how many calls are left.');
  const { granted, arrivalAt } = taken;
  const debt = taken.debt ?? (await database.first(secondsUntil, { arrivalAt }))?.seconds;
  return { granted, left: rate.burst - Number(debt) * rate.perSecond };
};

/** Gives back one call that was taken by `takeShared`. */
export const giveBackShared = async (
  database: Runs,
  { perSecond }: Rate,
  { firmId, keyId }: { firmId: string; keyId: string },
): Promise<void> => {
  await database.run(giveBack, { firmId, keyId, perSecond });
};

/** When the next call is granted, in whole seconds. */
export const secondsUntilOne = ({ perSecond }: Rate, left: number) =>
  Math.max(1, Math.ceil((1 - left) / perSecond));

const isOver = ({ at }: Lease) => performance.now() - at > leaseMilliseconds;

type CallsWanted = {
  firmId: string;
  keyId: string;
  asked: number;
  perSecond: number;
  burst: number;
};
/** `debt` is null where it has to be asked for. */
type Granted = { granted: number; arrivalAt: string; debt: string | null };

const perSecond = ({ perSecond }: Given<{ perSecond: number }>) => sql`${perSecond}::float8`;
const secondsOf = (given: Given<{ perSecond: number }>, calls: SQL) =>
  sql`make_interval(secs => ${calls} / ${perSecond(given)})`;
const asked = (given: Given<CallsWanted>) => sql`${given.asked}::int`;

// A change of a spread database takes no function that depends on a setting, and the clock does.
const present = (given: Given<CallsWanted>) =>
  forCluster(
    sql`moment()`,
    sql`((excluded.arrival_at at time zone 'UTC' - ${secondsOf(given, asked(given))}) at time zone 'UTC')`,
  );
const later = (at: SQL, interval: SQL) =>
  forCluster(
    sql`${at} + ${interval}`,
    sql`(${at} at time zone 'UTC' + ${interval}) at time zone 'UTC'`,
  );

const arrival = (given: Given<CallsWanted>) => sql`greatest(bucket.arrival_at, ${present(given)})`;
const grantable = (given: Given<CallsWanted>) => sql`greatest(0, least(${asked(given)},
  floor(${given.burst}::float8 - extract(epoch from ${arrival(given)} - ${present(given)})
    * ${perSecond(given)})))::int`;

const takeCalls = statement(
  (given: Given<CallsWanted>) => sql<Granted>`
    insert into rate_bucket as bucket (firm_id, key_id, arrival_at, granted)
    values (${given.firmId}, ${given.keyId}, moment() + ${secondsOf(given, asked(given))}, ${asked(given)})
    on conflict (firm_id, key_id) do update set
      granted = ${grantable(given)},
      arrival_at = ${later(arrival(given), secondsOf(given, grantable(given)))}
    returning granted, arrival_at as "arrivalAt",
      ${forCluster(sql`extract(epoch from arrival_at - moment())`, sql`null::numeric`)} as debt`,
);

const giveBack = statement(
  (given: Given<{ firmId: string; keyId: string; perSecond: number }>) => sql`
    update rate_bucket set arrival_at = ${later(sql`arrival_at`, secondsOf(given, sql`-1`))}
    where firm_id = ${given.firmId}::uuid and key_id = ${given.keyId}::uuid`,
);

const secondsUntil = statement(
  ({ arrivalAt }: Given<'arrivalAt'>) => sql<{ seconds: string }>`
    select extract(epoch from ${arrivalAt}::timestamptz - moment()) as seconds`,
);
