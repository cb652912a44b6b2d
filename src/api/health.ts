import { Elysia } from 'elysia';
import { unavailable } from '../base/refusal.ts';
import { build } from '../version.ts';

/** Why requests cannot be answered now, as a sentence; undefined if they can. */
export type Readiness = () => Promise<string | undefined>;

/** For load balancers and service managers: no key, no firm data (docs/contract.md, Additions). */
export const health = (whyNotReady: Readiness) =>
  new Elysia({ name: 'health', detail: { hide: true } })
    .get('/healthz', () => ({ status: 'ok' }))
    .get('/readyz', async () => {
      const reason = await whyNotReady();
      if (reason !== undefined) throw unavailable(reason);
      return { status: 'ready' };
    })
    .get('/version', () => build);
