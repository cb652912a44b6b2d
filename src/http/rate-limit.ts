import type { Rate } from '../config.ts';

const maxBuckets = 100_000;

type Bucket = { tokens: number; at: number };

/**
 * What is left after a call, for the answer's headers. `retryAfterSeconds` is set only on a
 * refusal.
 */
export type Allowance = { remaining: number; fullAfterSeconds: number; retryAfterSeconds?: number };

type RateLimit = {
  rate: Rate;
  /** Spends one call of `name`. A refused one costs nothing. */
  spend(name: string): Allowance;
  /** Whether a call would be refused now. */
  isSpent(name: string): boolean;
  /** Whether `name` was seen lately. */
  knows(name: string): boolean;
};

/**
 * Token buckets in memory: calls a second on average, and calls at once. A caller that waits for
 * the whole seconds it is told succeeds. Full buckets are forgotten.
 */
export const openRateLimit = (rate: Rate): RateLimit => {
  const buckets = new Map<string, Bucket>();
  const fullAfterMilliseconds = (rate.burst / rate.perSecond) * 1000;
  let sweepAt = performance.now() + fullAfterMilliseconds;

  const refill = (name: string): Bucket => {
    const at = performance.now();
    if (at > sweepAt) sweep(at);
    const bucket = buckets.get(name);
    if (!bucket) return { tokens: rate.burst, at };
    const gained = ((at - bucket.at) / 1000) * rate.perSecond;
    return { tokens: Math.min(rate.burst, bucket.tokens + gained), at };
  };

  const sweep = (at: number) => {
    for (const [name, bucket] of buckets) {
      if (at - bucket.at > fullAfterMilliseconds) buckets.delete(name);
    }
    sweepAt = at + fullAfterMilliseconds;
  };

  return {
    rate,
    spend(name) {
      const bucket = refill(name);
      const refused = bucket.tokens < 1;
      if (!refused) bucket.tokens -= 1;
      // This many at once is an attack with forged addresses. Forgetting them limits the memory.
      if (buckets.size >= maxBuckets) buckets.clear();
      buckets.set(name, bucket);
      return {
        remaining: Math.floor(bucket.tokens),
        fullAfterSeconds: Math.ceil((rate.burst - bucket.tokens) / rate.perSecond),
        ...(refused
          ? { retryAfterSeconds: Math.max(1, Math.ceil((1 - bucket.tokens) / rate.perSecond)) }
          : {}),
      };
    },
    isSpent: (name) => refill(name).tokens < 1,
    knows: (name) => buckets.has(name),
  };
};
