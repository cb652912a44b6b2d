import { swagger } from '@elysiajs/swagger';
import { Elysia } from 'elysia';
import { resources } from '../contents.ts';
import { version } from '../version.ts';
import { type Json, refine } from './describe.ts';
import { docsPath } from './docs.ts';
import { messages } from './messages.ts';
import { titled } from './operations.ts';

// The plugin's types know only 3.0, which has no identifier. It passes on what it is given.
const license = { name: 'MIT', identifier: 'MIT' };

export const openApiPath = '/v1/openapi.json';

/**
 * Publishes the API description (docs/contract.md, Versioning). The plugin's document is turned
 * into valid 3.1 once.
 */
export const openApi = () => {
  let published: Json | undefined;
  return new Elysia({ name: 'openapi' })
    .onAfterHandle(({ path, response }) =>
      path === openApiPath
        ? (published ??= { ...refine(JSON.parse(JSON.stringify(response))), webhooks: messages })
        : undefined,
    )
    .use(
      swagger({
        // Its own page stands where nobody comes: the documents are at this address.
        path: docsPath,
        specPath: openApiPath,
        documentation: {
          openapi: '3.1.0',
          info: {
            title: 'Matterhorn',
            version,
            description:
              "A law firm's contacts, matters, leads, practice areas and matter types. Every request to it needs an API key, in the header `Authorization: Bearer <API_KEY>`. Reading this description needs none. Every answer is JSON. Guides, recipes and a reference are at [/docs](/docs).",
            license,
            contact: { name: 'The administrator of this server' },
          },
          servers: [{ url: '/', description: 'This server.' }],
          tags: [
            ...resources.map(({ name, description }) => ({ name: titled(name), description })),
            {
              name: 'Custom Fields',
              description: 'Fields that the firm has added to its records.',
            },
            { name: 'Members', description: 'Who works in the firm, and whose key this is.' },
            {
              name: 'Events',
              description: 'What happened, in order: to keep a copy up to date.',
            },
            {
              name: 'Webhook Endpoints',
              description: 'Addresses that hear what happens, as signed messages.',
            },
            { name: 'Health', description: 'For load balancers and service managers: no key.' },
            { name: 'Start', description: 'What is there: no key.' },
            { name: 'Search', description: 'Find contacts, matters and leads by words.' },
          ],
          components: {
            securitySchemes: {
              apiKey: {
                type: 'http',
                scheme: 'bearer',
                description: 'An API key, as `matterhorn key create` prints it.',
              },
            },
          },
        },
      }),
    );
};
