import { swagger } from '@elysiajs/swagger';
import { Elysia } from 'elysia';
import type { RefusalCode } from '../base/refusal.ts';
import { version } from '../version.ts';
import { docsPage, docsPath } from './docs.ts';
import { statusOf } from './errors.ts';

type Json = { [key: string]: unknown };

export const openApiPath = '/v1/openapi.json';

/** Publishes the API description (public-api.md, Versioning). The plugin's document is made valid 3.1 once. */
export const openApi = () => {
  let published: Json | undefined;
  return (
    new Elysia({ name: 'openapi' })
      // The plugin's own page would load its parts from the network.
      .onBeforeHandle(({ path }) => (path === docsPath ? docsPage() : undefined))
      .onAfterHandle(({ path, response }) =>
        path === openApiPath
          ? (published ??= refine(JSON.parse(JSON.stringify(response))))
          : undefined,
      )
      .use(
        swagger({
          path: docsPath,
          specPath: openApiPath,
          documentation: {
            // The plugin types 3.0 alone, and passes on what it is given.
            openapi: '3.1.0',
            info: {
              title: 'Matterhorn',
              version,
              description:
                "A law firm's contacts, matters, leads, practice areas and matter types. Every request but this one carries an API key; every answer is JSON.",
              license: { name: 'MIT', identifier: 'MIT' },
            },
            servers: [{ url: '/', description: 'This server.' }],
            components: {
              securitySchemes: {
                apiKey: {
                  type: 'http',
                  scheme: 'bearer',
                  description: 'An API key, as `matterhorn key create` prints it.',
                },
              },
            },
          } as never,
        }),
      )
  );
};

/** Turns the plugin's document into valid OpenAPI 3.1 whose schemas have names. */
const refine = (document: Json): Json => {
  const schemas: Json = { Error: errorShape };
  const tags = new Set<string>();
  for (const operations of Object.values(document.paths as Record<string, Json>)) {
    for (const operation of Object.values(operations) as Json[]) {
      for (const tag of operation.tags as string[]) tags.add(tag);
      refineOperation(operation, schemas);
    }
  }
  document.tags = [...tags].sort().map((name) => ({ name }));
  document.components = {
    securitySchemes: (document.components as Json).securitySchemes,
    schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => a.localeCompare(b))),
  };
  return document;
};

const refineOperation = (operation: Json, schemas: Json) => {
  const refusals = (operation['x-refusals'] ?? []) as RefusalCode[];
  delete operation['x-refusals'];
  const isKeyed = operation.security !== undefined;
  operation.security ??= [];
  for (const parameter of (operation.parameters ?? []) as Json[]) {
    const schema = parameter.schema as Json;
    parameter.description ??= schema.description;
    delete schema.description;
  }
  if (operation.requestBody) {
    const { content } = operation.requestBody as { content: Record<string, Json> };
    operation.requestBody = { required: true, content: jsonOf(content, schemas) };
  }
  const responses = operation.responses as Record<string, Json>;
  for (const [status, response] of Object.entries(responses)) {
    responses[status] = {
      description: response.description ?? 'Done.',
      content: jsonOf(response.content as Record<string, Json>, schemas),
    };
  }
  const common: RefusalCode[] = isKeyed ? ['unauthorized', 'forbidden', 'rate_limited'] : [];
  addRefusals(responses, [...common, ...refusals, 'internal_error', 'unavailable']);
};

const jsonOf = (content: Record<string, Json>, schemas: Json) => ({
  'application/json': { schema: named(content['application/json']?.schema, schemas) },
});

const waits = new Set<RefusalCode>(['rate_limited', 'unavailable']);

const addRefusals = (responses: Record<string, Json>, codes: RefusalCode[]) => {
  for (const status of new Set(codes.map((code) => statusOf[code]))) {
    const ofStatus = [...new Set(codes.filter((code) => statusOf[code] === status))];
    responses[status] = {
      description: ofStatus.map((code) => `\`${code}\`: ${meaningOf[code]}`).join(' '),
      ...(ofStatus.some((code) => waits.has(code)) ? { headers: retryAfter } : {}),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    };
  }
};

const retryAfter = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
};

const meaningOf: Record<RefusalCode, string> = {
  invalid_request: 'a field or parameter breaks its rule; the message names it.',
  invalid_custom_field: 'something in customFields cannot be written; nothing was.',
  unauthorized: 'the key is missing, wrong, revoked or expired.',
  forbidden: 'the key lacks the scope, or its member the permission.',
  not_found: 'no record of the firm has that id.',
  method_not_allowed: 'the path is known, the method is not.',
  not_configured: "the firm's numbering is not set up.",
  conflict: 'the record or the Idempotency-Key is in a state that does not allow it.',
  precondition_failed: 'the record is not in the state that If-Match names.',
  payload_too_large: 'the body is larger than the limit.',
  rate_limited: 'too many requests; wait the seconds in Retry-After.',
  internal_error: 'a failure of ours; the message carries the request id.',
  unavailable: 'the database cannot be reached at the moment; try again.',
};

const errorShape = {
  type: 'object',
  required: ['error'],
  additionalProperties: false,
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      additionalProperties: false,
      properties: {
        code: { type: 'string', enum: Object.keys(statusOf) },
        message: { type: 'string', description: 'For people: the field, the rule, what to do.' },
      },
    },
  },
};

/** A schema with its titled parts moved to the components, and what 3.1 words otherwise reworded. */
const named = (schema: unknown, schemas: Json): unknown => {
  if (Array.isArray(schema)) return schema.map((part) => named(part, schemas));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { title, ...others } = schema as Json;
  // Among the properties of an object `title` is a field like any other: a matter has one.
  const rest = typeof title === 'string' ? others : schema;
  const inner = reworded(
    Object.fromEntries(Object.entries(rest).map(([key, part]) => [key, named(part, schemas)])),
  );
  if (typeof title !== 'string') return inner;
  schemas[title] = inner;
  return { $ref: `#/components/schemas/${title}` };
};

const reworded = (schema: Json): Json => {
  // A body's unknown fields are ignored: that is what leaving the keyword out says.
  if (schema.additionalProperties === true) delete schema.additionalProperties;
  const { anyOf, patternProperties, const: constant, ...rest } = schema;
  if (constant !== undefined) return { ...rest, const: constant };
  if (patternProperties)
    return { ...rest, additionalProperties: Object.values(patternProperties)[0] };
  if (!Array.isArray(anyOf)) return schema;
  const [shape, nothing, ...others] = anyOf as Json[];
  const isNullable = nothing?.type === 'null' && others.length === 0;
  if (!isNullable || typeof shape?.type !== 'string') return schema;
  const { enum: values, ...plain } = shape;
  return {
    ...rest,
    ...plain,
    type: [shape.type, 'null'],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  };
};
