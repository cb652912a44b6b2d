import { Elysia } from 'elysia';
import { readSelf } from '../api-keys/self.ts';
import { selfShape } from '../api-keys/wire.ts';
import type { Described } from './describe.ts';
import { single } from './envelope.ts';
import type { gate } from './gate.ts';

/** GET /v1/me: whose key this is, and what it may do (docs/contract.md, Additions). */
export const meRoutes = (plugin: ReturnType<typeof gate>['plugin']) =>
  new Elysia({ name: 'me', tags: ['Members'] })
    .use(plugin)
    .get('/v1/me', async ({ actor }) => ({ data: await readSelf(actor) }), {
      scope: [],
      response: { 200: single(selfShape, 'The caller.') },
      detail: {
        operationId: 'whoAmI',
        summary: 'Say whose key this is',
        description:
          'The firm, the member who made the key, and what the key may do now. Any key may ask.',
        'x-described': { refusals: [] } satisfies Described,
      },
    });
