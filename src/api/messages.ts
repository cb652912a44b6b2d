import { example } from '../events/wire.ts';
import type { Json } from './describe.ts';

const header = (name: string, description: string, sample: string): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', maxLength: 255, examples: [sample] },
});

/** The messages that the server sends to webhooks (docs/contract.md, Webhooks), for the API description. */
export const messages: Json = {
  event: {
    post: {
      operationId: 'receiveEvent',
      tags: ['Webhook Endpoints'],
      summary: 'Something happened',
      description:
        'An event as GET /v1/events has it, sent to a webhook that hears of its type, and signed as Standard Webhooks say. Check the signature with the body as it arrived. Messages about one record come in order; the same message may come again, with the same `webhook-id`.',
      security: [],
      parameters: [
        header(
          'webhook-id',
          'Names the message, in all of its tries.',
          'evt_5f0c2a9d1b7e4c3a8d6f0b21',
        ),
        header('webhook-timestamp', 'When it was sent, in seconds since 1970.', '1773480413'),
        header(
          'webhook-signature',
          'One or two signatures with a space between them, each `v1,` and HMAC-SHA256 in base64.',
          'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
        ),
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Event' },
            example: example.data[0],
          },
        },
      },
      responses: {
        '204': { description: 'It has arrived. Any status of 2xx says so.' },
        '410': { description: 'The address is gone: nothing more is sent to it.' },
      },
    },
  },
};
