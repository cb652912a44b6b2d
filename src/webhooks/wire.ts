import { t } from 'elysia';
import {
  answerOf,
  bodyOf,
  idOut,
  momentText,
  nameOut,
  nonEmptyText,
  nullable,
  oneOf,
  published,
  reference,
  text,
  textOut,
  whole,
} from '../base/shapes.ts';
import { longestUrl } from './address.ts';
import { endpointStatuses, failures, pauseReasons } from './table.ts';

/** Every limit of an endpoint (docs/contract.md, Webhooks). */
export const limits = {
  ofFirm: 20,
  url: longestUrl,
  description: 255,
  types: 100,
  /** Deliveries on a page. */
  page: 100,
};

const fields = {
  id: idOut(),
  url: textOut(limits.url),
  description: nullable(nameOut()),
  types: t.Array(nameOut(), {
    description: 'The types of events that it hears of; `*` is all.',
    ...published({ maxItems: limits.types }),
  }),
  status: oneOf(endpointStatuses),
  reason: nullable(oneOf(pauseReasons)),
  statusAt: momentText(),
  member: reference(),
  createdAt: momentText(),
  updatedAt: momentText(),
};

export const endpointRow = answerOf('WebhookEndpoint', fields);

export const endpointFull = answerOf('WebhookEndpointFull', {
  ...fields,
  secret: t.Optional(
    textOut(
      100,
      'What messages are signed with. It is shown once: by the create and by a rotation.',
    ),
  ),
});

const types = () =>
  t.Array(nonEmptyText(100), {
    minItems: 1,
    maxItems: limits.types,
    description:
      'Types of events, which `GET /v1/events` names, or `*` alone for all that the key and its member may read.',
  });

export const newEndpoint = bodyOf('NewWebhookEndpoint', {
  url: nonEmptyText(limits.url),
  types: t.Optional(types()),
  description: t.Optional(nullable(text(limits.description))),
});

export const endpointChange = bodyOf('WebhookEndpointChange', {
  url: t.Optional(nonEmptyText(limits.url)),
  types: t.Optional(types()),
  description: t.Optional(nullable(text(limits.description))),
});

export const replayBody = bodyOf('WebhookReplay', {
  after: text(
    200,
    'A `cursor` of GET /v1/events. What happened after it is sent again. `0` is the beginning.',
  ),
});

export const deliveryRow = answerOf('WebhookDelivery', {
  id: idOut(),
  messageId: textOut(60, 'The `webhook-id` of the message. All tries of a message have the same.'),
  type: nameOut(),
  recordId: idOut(),
  at: momentText(),
  answer: nullable(whole('The status of the answer; null if there was none.')),
  failure: nullable(oneOf(failures)),
  milliseconds: whole('How long the try took.'),
  try: whole('The first try is 1.'),
  isLast: t.Boolean({ description: 'Whether it arrived, or is tried no more.' }),
});

export type EndpointRow = typeof endpointRow.static;
export type EndpointFull = typeof endpointFull.static;
export type NewEndpoint = typeof newEndpoint.static;
export type EndpointChange = typeof endpointChange.static;
export type DeliveryRow = typeof deliveryRow.static;

/** For the API description. */
export const examples = {
  create: {
    url: 'https://hooks.harrow.example/matterhorn',
    types: ['lead.created', 'lead.hired'],
    description: 'Accounting',
  } satisfies NewEndpoint,
  update: { types: ['*'] } satisfies EndpointChange,
  full: {
    id: '019f0000-0000-7000-8000-00000000000b',
    url: 'https://hooks.harrow.example/matterhorn',
    description: 'Accounting',
    types: ['lead.created', 'lead.hired'],
    status: 'ACTIVE',
    reason: null,
    statusAt: '2026-03-14T09:26:53.589Z',
    member: { id: '019f0000-0000-7000-8000-000000000001', name: 'Ada Harrow' },
    createdAt: '2026-03-14T09:26:53.589Z',
    updatedAt: '2026-03-14T09:26:53.589Z',
  } satisfies EndpointFull,
};
