import { Elysia, t } from 'elysia';
import { listLeadStages } from '../leads/stages.ts';
import { leadStageRow } from '../leads/wire.ts';
import type { gate } from './gate.ts';

/** GET /v1/lead-stages: the pipeline's stages in order (docs/contract.md, Additions). */
export const leadStageRoutes = (plugin: ReturnType<typeof gate>['plugin']) =>
  new Elysia({ name: 'lead-stages', tags: ['Leads'] }).use(plugin).get(
    '/v1/lead-stages',
    async ({ actor }) => {
      const stages = await listLeadStages(actor);
      return { data: stages.map(({ id, name }) => ({ id, name })) };
    },
    {
      scope: 'leads:read',
      response: {
        200: t.Object(
          { data: t.Array(leadStageRow) },
          { description: 'The stages, in order.', additionalProperties: false },
        ),
      },
      detail: { operationId: 'listLeadStages', summary: 'List the stages of the intake pipeline' },
    },
  );
