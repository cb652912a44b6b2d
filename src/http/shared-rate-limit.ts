import { sql } from 'drizzle-orm';
import type { Rate } from '../config.ts';
import type { Database } from '../postgres/pool.ts';
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
const mostLeases = 10_000;

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
    const taken = await database.first(takeCalls, { firmId, keyId, asked, ...rate });
    if (!taken) throw new Error('The database did not say how many calls are left.');
    const left = rate.burst - Number(taken.debt) * rate.perSecond;
    const { granted } = taken;
    const lease = { calls: granted, granted, asked, left, at: performance.now() };
    if (leases.size >= mostLeases) leases.clear();
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
    retryAfterSeconds: Math.max(1, Math.ceil((1 - lease.left) / rate.perSecond)),
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

const isOver = ({ at }: Lease) => performance.now() - at > leaseMilliseconds;

const owed = sql`extract(epoch from greatest(bucket.arrival_at, moment()) - moment())`;
type Asked = { firmId: string; keyId: string; asked: number; perSecond: number; burst: number };
type Granted = { granted: number; debt: string };

const perSecond = ({ perSecond }: Given<Asked>) => sql`${perSecond}::float8`;
const grantable = (given: Given<Asked>) => sql`greatest(0, least(${given.asked}::int,
  floor(${given.burst}::float8 - ${owed} * ${perSecond(given)})))::int`;

const takeCalls = statement(
  (given: Given<Asked>) => sql<Granted>`
    insert into rate_bucket as bucket (firm_id, key_id, arrival_at, granted)
    values (${given.firmId}, ${given.keyId},
      moment() + make_interval(secs => ${given.asked}::int / ${perSecond(given)}), ${given.asked}::int)
    on conflict (firm_id, key_id) do update set
      granted = ${grantable(given)},
      arrival_at = greatest(bucket.arrival_at, moment()) + make_interval(secs => ${grantable(given)} / ${perSecond(given)})
    returning granted, extract(epoch from arrival_at - moment()) as debt`,
);
