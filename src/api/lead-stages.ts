import { Elysia } from 'elysia';
import { leadStageList } from '../leads/stages.ts';
import { leadStageQuery, leadStageRow } from '../leads/wire.ts';
import type { Described } from './describe.ts';
import { answerList, pageShape } from './envelope.ts';
import type { gate } from './gate.ts';

/** GET /v1/lead-stages: the pipeline's stages in order (docs/contract.md, Additions). */
export const leadStageRoutes = (plugin: ReturnType<typeof gate>['plugin']) =>
  new Elysia({ name: 'lead-stages', tags: ['Leads'] }).use(plugin).get(
    '/v1/lead-stages',
    async ({ actor, query, request, set }) =>
      answerList({ request, set, query }, async ({ limit, offset }) => {
        const stages = await leadStageList.all(actor);
        const rows = stages.slice(offset, offset + limit).map(({ id, name }) => ({ id, name }));
        return { rows, total: stages.length };
      }),
    {
      scope: 'leads:read',
      query: leadStageQuery,
      response: { 200: pageShape(leadStageRow, 'A page of stages, in order.') },
      detail: {
        operationId: 'listLeadStages',
        summary: 'List the stages of the intake pipeline',
        description:
          'In the order of the pipeline. A new lead starts in the first, unless `leadStageColumnId` names another. Without `limit`, up to 100 stages are answered.',
        'x-described': { refusals: ['invalid_request'] } satisfies Described,
      },
    },
  );
