import { Elysia } from 'elysia';
import { unavailable } from '../base/refusal.ts';
import { version } from '../version.ts';

/** Whether requests that need the database can be answered at this moment. */
export type Readiness = () => Promise<boolean>;

/** For load balancers and service managers: no key, no firm data (contract.md, Additions). */
export const health = (isReady: Readiness) =>
  new Elysia({ name: 'health', detail: { hide: true } })
    .get('/healthz', () => ({ status: 'ok' }))
    .get('/readyz', async () => {
      if (!(await isReady())) throw unavailable();
      return { status: 'ready' };
    })
    .get('/version', () => ({ version }));
