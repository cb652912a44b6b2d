import { Elysia, t } from 'elysia';
import { listCustomFields } from '../custom-fields/list.ts';
import { customFieldRow } from '../custom-fields/wire.ts';
import { pageOf as pageFrom, pageParameters } from '../record/page.ts';
import { answerPage, pageOf } from './envelope.ts';
import type { gate } from './gate.ts';

/** GET /v1/custom-fields: the firm's field definitions, read only (contract.md, Records). */
export const customFieldRoutes = (plugin: ReturnType<typeof gate>['plugin']) =>
  new Elysia({ name: 'custom-fields', tags: ['Custom Fields'] }).use(plugin).get(
    '/v1/custom-fields',
    async ({ actor, query }) => {
      const page = pageFrom(query);
      return answerPage(await listCustomFields(actor, page), page) as never;
    },
    {
      scope: 'custom-fields:read',
      query: t.Object(pageParameters),
      response: { 200: pageOf(customFieldRow, 'A page of custom field definitions.') },
      detail: {
        operationId: 'listCustomFields',
        summary: 'List custom fields',
        'x-refusals': ['invalid_request'],
      } as never,
    },
  );
