import { Elysia } from 'elysia';
import { listCustomFields } from '../custom-fields/list.ts';
import { customFieldRow } from '../custom-fields/wire.ts';
import { listQuery } from '../record/page.ts';
import type { Described } from './describe.ts';
import { answerList, pageShape } from './envelope.ts';
import type { gate } from './gate.ts';

/** GET /v1/custom-fields: the firm's field definitions, read only (docs/contract.md, Records). */
export const customFieldRoutes = (plugin: ReturnType<typeof gate>['plugin']) =>
  new Elysia({ name: 'custom-fields', tags: ['Custom Fields'] })
    .use(plugin)
    .get(
      '/v1/custom-fields',
      async ({ actor, query, request, set }) =>
        answerList({ request, set, query }, (page) => listCustomFields(actor, page)),
      {
        scope: 'custom-fields:read',
        query: listQuery,
        response: { 200: pageShape(customFieldRow, 'A page of custom field definitions.') },
        detail: {
          operationId: 'listCustomFields',
          summary: 'List custom fields',
          description:
            'The fields that the firm added to its contacts, matters and leads, newest first.',
          'x-described': { refusals: ['invalid_request'] } satisfies Described,
        },
      },
    );
