import { Elysia, t } from 'elysia';
import { isId } from '../base/columns.ts';
import { invalidField } from '../base/refusal.ts';
import { published, textParameter } from '../base/shapes.ts';
import type { Actor } from '../record/actor.ts';
import { limitParameter } from '../record/page.ts';
import { usualBodyLimitBytes } from '../record/resource.ts';
import { listDeliveries, testEndpoint, testType } from '../webhooks/deliveries.ts';
import {
  pauseEndpoint,
  replayEndpoint,
  resumeEndpoint,
  rotateEndpoint,
  type Webhooks,
} from '../webhooks/endpoint.ts';
import { deliveryRow, endpointFull, examples, limits, replayBody } from '../webhooks/wire.ts';
import { leaveUnread } from './body.ts';
import type { Described } from './describe.ts';
import { single } from './envelope.ts';
import { idOf, repeatableOf } from './five-routes.ts';
import type { gate } from './gate.ts';
import { idParameter } from './operations.ts';

type Asked = { actor: Actor; params: { id: string }; request: Request };

/** What is done to an endpoint besides the five routes (docs/contract.md, Webhooks). */
export const webhookRoutes = (plugin: ReturnType<typeof gate>['plugin'], webhooks: Webhooks) => {
  /** A verb that a repeat under the same Idempotency-Key does once. */
  const once =
    <Body, Answer>(verb: (actor: Actor, id: string, body: Body) => Promise<Answer>) =>
    async ({ actor, params, request, body }: Asked & { body?: unknown }) => {
      const id = idOf(params);
      actor.repeatable = repeatableOf(request, actor, body ?? {});
      return { data: await verb(actor, id, body as Body) };
    };
  return new Elysia({
    name: 'webhooks',
    prefix: '/v1/webhook-endpoints',
    tags: ['Webhook Endpoints'],
  })
    .use(plugin)
    .post(
      '/:id/test',
      async ({ actor, params }) => ({ data: await testEndpoint(webhooks, actor, idOf(params)) }),
      {
        ...withoutBody,
        response: { 200: single(deliveryRow, 'What came of it.') },
        detail: described('test', 'Send a test message now', {
          description:
            'A signed message of the type `webhook.test`, also to a paused endpoint. It is about no record: its `data.id` is the endpoint. The answer comes when the receiver has answered, after 15 seconds at the latest.',
          refusals: ['conflict'],
          answer: {
            ...exampleDelivery,
            messageId: 'evt_test_7e4c3a8d6f0b21c95e04',
            type: testType,
            recordId: examples.full.id,
          },
        }),
      },
    )
    .post(
      '/:id/replay',
      once((actor, id, { after }: typeof replayBody.static) => replayEndpoint(actor, id, after)),
      {
        scope: 'webhooks:write',
        bodyLimitBytes: usualBodyLimitBytes,
        parse: leaveUnread,
        params: idParameter(noun),
        body: replayBody,
        response: { 200: single(endpointFull, 'The endpoint.') },
        detail: described('replay', 'Send again what happened after a cursor', {
          description:
            'The messages have the ids that they had before, so a receiver knows them. They come in the order of the log, before what is new.',
          refusals: ['invalid_request', 'payload_too_large', 'conflict'],
          body: { after: '0' },
          answer: examples.full,
        }),
      },
    )
    .post(
      '/:id/rotate',
      once((actor, id) => rotateEndpoint(webhooks, actor, id)),
      {
        ...withoutBody,
        response: { 200: single(endpointFull, 'The endpoint with its new secret.') },
        detail: described('rotate', 'Give it a new secret', {
          description:
            'The answer has the new `secret`, once. For 24 hours each message is signed with both secrets.',
          refusals: ['conflict'],
          answer: examples.full,
        }),
      },
    )
    .post('/:id/pause', once(pauseEndpoint), {
      ...withoutBody,
      response: { 200: single(endpointFull, 'The endpoint.') },
      detail: described('pause', 'Send nothing more for now', {
        description: 'Nothing is lost: when it is resumed, it goes on where it stopped.',
        refusals: ['conflict'],
        answer: examples.full,
      }),
    })
    .post('/:id/resume', once(resumeEndpoint), {
      ...withoutBody,
      response: { 200: single(endpointFull, 'The endpoint.') },
      detail: described('resume', 'Send again, from where it stopped', {
        description: 'What waits is tried at once.',
        refusals: ['conflict'],
        answer: examples.full,
      }),
    })
    .get(
      '/:id/deliveries',
      async ({ actor, params, query }) => {
        const { before = null } = query;
        if (before !== null && !isId(before)) throw invalidField('before', 'must be an id');
        const page = { limit: Number(query.limit), before };
        const { rows, hasMore } = await listDeliveries(actor, idOf(params), page);
        return { data: rows, hasMore };
      },
      {
        scope: 'webhooks:read',
        params: idParameter(noun),
        query: t.Object(
          {
            limit: limitParameter(20),
            before: t.Optional(
              textParameter(36, 'The id of a delivery: those before it are answered.'),
            ),
          },
          { additionalProperties: true },
        ),
        response: {
          200: t.Object(
            {
              data: t.Array(deliveryRow, published({ maxItems: limits.page })),
              hasMore: t.Boolean({ description: 'Whether there are older ones.' }),
            },
            { description: 'Its deliveries, newest first.', additionalProperties: false },
          ),
        },
        detail: described('deliveries', 'List its deliveries', {
          operationId: 'readWebhookDeliveries',
          description:
            'Each try of each message with its status and time, without its body, newest first, for 30 days. Send the last `id` as `before` to read on.',
          refusals: ['invalid_request'],
          answer: { data: [exampleDelivery], hasMore: false },
          isList: true,
        }),
      },
    );
};

const noun = 'webhook endpoint';

const withoutBody = {
  scope: 'webhooks:write' as const,
  // A body means nothing here. Elysia does not read it, so it cannot be refused before the caller is known.
  parse: 'none' as const,
  takesNoBody: true as const,
  params: idParameter(noun),
};

const exampleDelivery = {
  id: '019f0000-0000-7000-8000-00000000000c',
  messageId: 'evt_5f0c2a9d1b7e4c3a8d6f0b21',
  type: 'lead.created',
  recordId: '019f0000-0000-7000-8000-000000000002',
  at: '2026-03-14T09:26:54.101Z',
  answer: 204,
  failure: null,
  milliseconds: 87,
  try: 1,
  isLast: true,
};

type Words = {
  operationId?: string;
  description: string;
  refusals: Described['refusals'];
  body?: unknown;
  answer: unknown;
  isList?: boolean;
};

const described = (verb: string, summary: string, words: Words) => {
  const {
    operationId = `${verb}WebhookEndpoint`,
    description,
    refusals,
    body,
    answer,
    isList,
  } = words;
  return {
    operationId,
    summary,
    description,
    'x-described': {
      refusals: [...refusals, 'not_found'],
      examples: { ...(body ? { body } : {}), answer: isList ? answer : { data: answer } },
    } satisfies Described,
  };
};
