import { resource, usualBodyLimitBytes } from '../record/resource.ts';
import {
  createEndpoint,
  listEndpoints,
  readEndpoint,
  removeEndpoint,
  updateEndpoint,
  type Webhooks,
} from './endpoint.ts';
import { endpointChange, endpointFull, endpointRow, examples, newEndpoint } from './wire.ts';

/** The card of the endpoints. They are no records of the firm: events tell nothing of them. */
export const webhookEndpoints = (webhooks: Webhooks) =>
  resource({
    name: 'webhook-endpoints',
    scope: 'webhooks',
    noun: 'webhook endpoint',
    description: 'Addresses that hear what happens, as signed messages.',
    shapes: {
      row: endpointRow,
      full: endpointFull,
      create: newEndpoint,
      update: endpointChange,
    },
    examples,
    refusals: { create: [], update: [] },
    bodyLimitBytes: usualBodyLimitBytes,
    list: listEndpoints,
    read: readEndpoint,
    create: (actor, body) => createEndpoint(webhooks, actor, body),
    update: (actor, id, body) => updateEndpoint(webhooks, actor, id, body),
    remove: removeEndpoint,
  });
