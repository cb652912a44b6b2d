import { t } from 'elysia';
import {
  answerOf,
  idOut,
  integerParameter,
  momentText,
  nameOut,
  nullable,
  published,
  text,
  textOut,
} from '../base/shapes.ts';
import { largestPage, limitParameter } from '../record/page.ts';

/** How long an answer may wait for something to happen, in seconds. */
export const longestWait = 25;

/** What GET /v1/events takes (docs/contract.md, Events). */
export const eventsQuery = t.Object(
  {
    after: t.Optional(
      text(
        200,
        'The `cursor` of the answer before. `0` is the beginning; left out or empty means from now on.',
      ),
    ),
    limit: limitParameter(largestPage),
    wait: integerParameter(
      { minimum: 0, maximum: longestWait, default: 0 },
      'For how many seconds to wait if there is nothing yet.',
    ),
    types: t.Optional(
      text(4_000, 'Only these types, with commas between them: `lead.created,lead.hired`.'),
    ),
  },
  { additionalProperties: true },
);

export const eventOut = answerOf('Event', {
  id: textOut(40, 'Names this event, for ever.'),
  type: nameOut('For example `lead.created`.'),
  timestamp: momentText(),
  data: answerOf('EventData', {
    id: idOut(),
    resource: nameOut('The path segment under which it is read: `leads`.'),
    changed: t.Array(nameOut(), {
      description: 'The fields that an update changed, as the API calls them.',
      ...published({ maxItems: 100 }),
    }),
  }),
  request: nullable(
    answerOf('EventRequest', {
      id: textOut(64, 'The X-Request-Id of the call that did it.'),
      idempotencyKey: nullable(nameOut('Its Idempotency-Key.')),
    }),
  ),
});

export const eventsShape = t.Object(
  {
    data: t.Array(eventOut, published({ maxItems: largestPage })),
    cursor: textOut(200, 'Send it as `after` to read on. It is good for ever.'),
    hasMore: t.Boolean({ description: 'Whether there is more to read at once.' }),
  },
  {
    description: 'What happened, in the order in which it was stored.',
    additionalProperties: false,
  },
);

export type Event = typeof eventOut.static;

/** For the API description. */
export const example = {
  data: [
    {
      id: 'evt_5f0c2a9d1b7e4c3a8d6f0b21',
      type: 'lead.updated',
      timestamp: '2026-03-14T09:26:53.589Z',
      data: {
        id: '019f0000-0000-7000-8000-000000000002',
        resource: 'leads',
        changed: ['leadStageColumnId'],
      },
      request: { id: '019f0000-0000-7000-8000-00000000000a', idempotencyKey: null },
    },
  ],
  cursor: 'MTIuYTFiMmMzZDQuMTc3MzQ3OTYxMzU4OQ',
  hasMore: false,
};
