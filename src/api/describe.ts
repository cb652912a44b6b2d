import type { RefusalCode } from '../base/refusal.ts';
import { statusOf } from '../http/failure.ts';

export type Json = { [key: string]: unknown };

/** What a route says of itself in addition to its shapes, under `x-described` in its detail. */
export type Described = {
  /** Its refusals, besides those of every route that needs a key. */
  refusals: RefusalCode[];
  examples?: { body?: unknown; answer?: unknown };
};

/** Turns the plugin's document into valid OpenAPI 3.1 with named schemas. */
export const refine = (document: Json): Json => {
  const schemas: Json = { Error: errorShape };
  for (const operations of Object.values(document.paths as Record<string, Json>)) {
    for (const [method, operation] of Object.entries(operations) as [string, Json][]) {
      refineOperation(method, operation, schemas);
    }
  }
  document.components = {
    securitySchemes: (document.components as Json).securitySchemes,
    headers,
    schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => a.localeCompare(b))),
  };
  return document;
};

const refineOperation = (method: string, operation: Json, schemas: Json) => {
  const { refusals = [], examples = {} } = (operation['x-described'] ?? {}) as Partial<Described>;
  delete operation['x-described'];
  const isKeyed = operation.security !== undefined;
  operation.security ??= [];
  const parameters = (operation.parameters ?? []) as Json[];
  for (const parameter of parameters) describeParameter(parameter);
  if (isKeyed) operation.parameters = [...parameters, prefer];
  if (operation.requestBody) {
    const { content } = operation.requestBody as { content: Record<string, Json> };
    operation.requestBody = { required: true, content: jsonOf(content, schemas, examples.body) };
  }
  const responses = operation.responses as Record<string, Json>;
  for (const [status, response] of Object.entries(responses)) {
    responses[status] = {
      description: response.description ?? 'Done.',
      content: jsonOf(response.content as Record<string, Json>, schemas, examples.answer),
    };
  }
  if (parameters.some(({ name }) => name === 'if-none-match')) {
    responses['304'] = { description: 'The copy that If-None-Match names is still current.' };
  }
  // `Prefer: handling=strict` refuses an unknown parameter of any of them.
  const common: RefusalCode[] = isKeyed
    ? ['invalid_request', 'unauthorized', 'forbidden', 'rate_limited']
    : [];
  addRefusals(responses, [...common, ...refusals, 'internal_error', 'unavailable']);
  for (const [status, response] of Object.entries(responses)) {
    response.headers = {
      ...headersOf(method, operation, status, isKeyed),
      ...(response.headers as Json),
    };
  }
};

/** Every route reads it, so it is described here, and no route's shape has it. */
const prefer: Json = {
  name: 'prefer',
  in: 'header',
  required: false,
  description:
    '`handling=strict`: what this operation does not know is refused, and not ignored. `dry-run`, on a write: everything is checked and nothing is stored; the answer is 200 with what would be answered, its `id` and `publicId` null.',
  schema: { type: 'string', maxLength: 1_000 },
};

const describeParameter = (parameter: Json) => {
  const { description, ...schema } = reworded(parameter.schema as Json);
  parameter.description ??= description;
  parameter.schema = schema;
};

const jsonOf = (content: Record<string, Json>, schemas: Json, example: unknown) => ({
  'application/json': {
    schema: named(content['application/json']?.schema, schemas),
    ...(example === undefined ? {} : { example }),
  },
});

/** Which headers an answer carries (docs/contract.md, Additions; Keys, roles, rates). */
const headersOf = (method: string, operation: Json, status: string, isKeyed: boolean): Json => {
  const operationId = String(operation.operationId);
  const isSingle = /^(create|read|update)/.test(operationId) && /^(200|201|304)$/.test(status);
  const isHeeded = isKeyed && !/^(401|403|413|429|500|503)$/.test(status);
  const isLimited = isKeyed && !/^(401|500|503)$/.test(status);
  const names = [
    'X-Request-Id',
    ...(isSingle ? ['ETag'] : []),
    ...(status === '201' ? ['Location', 'Idempotent-Replayed'] : []),
    ...(operationId.startsWith('list') && status === '200' ? ['Link'] : []),
    ...(isHeeded && method !== 'get' ? ['Ignored-Fields'] : []),
    ...(isHeeded ? ['Ignored-Parameters', 'Preference-Applied'] : []),
    ...(status === '401' ? ['WWW-Authenticate'] : []),
    ...(isLimited ? ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] : []),
    ...(isLimited ? ['RateLimit', 'RateLimit-Policy'] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
};

const header = (description: string, type = 'string') => ({
  description,
  schema: type === 'integer' ? countFrom(0) : { type },
});

const countFrom = (minimum: number) => ({
  type: 'integer',
  minimum,
  maximum: Number.MAX_SAFE_INTEGER,
});

const headers: Json = {
  'X-Request-Id': header("The request's id: the one that you sent, if it can be used."),
  ETag: header('Names this state of the record, for If-None-Match and If-Match.'),
  Location: header('The path of the new record.'),
  'Idempotent-Replayed': header('`true` if this is the first answer again.'),
  Link: header('The next and the previous page, if they exist.'),
  Help: header('What the code means and what to do: `</docs/errors.md#conflict>; rel="help"`.'),
  'Ignored-Fields': header(
    'The names of fields that mean nothing here, or were sent twice: `"status", "team[0].rol"`. At most 20.',
  ),
  'Ignored-Parameters': header('The names of query parameters that mean nothing here. At most 20.'),
  'Preference-Applied': header('What of `Prefer` was done.'),
  'WWW-Authenticate': header('`Bearer`.'),
  'X-RateLimit-Limit': header('How many calls a key may make at once.', 'integer'),
  'X-RateLimit-Remaining': header('How many of them are left now.', 'integer'),
  'X-RateLimit-Reset': header(
    'When all of them are available again, in seconds since 1970.',
    'integer',
  ),
  RateLimit: header('How many calls are left, and in how many seconds all are available again.'),
  'RateLimit-Policy': header('How many calls are allowed, in how many seconds.'),
};

const waits = new Set<RefusalCode>(['rate_limited', 'unavailable']);

const addRefusals = (responses: Record<string, Json>, codes: RefusalCode[]) => {
  for (const status of new Set(codes.map((code) => statusOf[code]))) {
    const ofStatus = [...new Set(codes.filter((code) => statusOf[code] === status))];
    responses[status] = {
      description: ofStatus.map((code) => `\`${code}\`: ${meaningOf[code]}`).join(' '),
      headers: {
        Link: { $ref: '#/components/headers/Help' },
        ...(ofStatus.some((code) => waits.has(code)) ? retryAfter : {}),
      },
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    };
  }
};

const retryAfter = {
  'Retry-After': { description: 'Seconds to wait.', schema: countFrom(1) },
};

const meaningOf: Record<RefusalCode, string> = {
  invalid_request: 'a field or parameter breaks its rule; the message names it.',
  invalid_custom_field: 'something in customFields cannot be written; nothing was stored.',
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

/** A schema with its titled parts moved to the components, and reworded where 3.1 differs. */
const named = (schema: unknown, schemas: Json): unknown => {
  if (Array.isArray(schema)) return schema.map((part) => named(part, schemas));
  if (typeof schema !== 'object' || schema === null) return schema;
  // A field named `title` holds a schema, not a schema's title.
  const { title, ...untitled } = schema as Json;
  const rest = typeof title === 'string' ? untitled : (schema as Json);
  const inner = reworded(
    Object.fromEntries(Object.entries(rest).map(([key, part]) => [key, named(part, schemas)])),
  );
  if (typeof title !== 'string') return inner;
  schemas[title] = inner;
  return { $ref: `#/components/schemas/${title}` };
};

const reworded = ({ 'x-published': rules, ...stated }: Json): Json => {
  const schema: Json = { ...stated, ...(rules as Json | undefined) };
  // Unknown fields of a body are ignored. Leaving the keyword out says so.
  if (schema.additionalProperties === true) delete schema.additionalProperties;
  const { anyOf, patternProperties, const: constant, ...rest } = schema;
  if (constant !== undefined) return { ...rest, const: constant };
  if (patternProperties)
    return { ...rest, additionalProperties: Object.values(patternProperties)[0] };
  if (!Array.isArray(anyOf)) return schema;
  const [shape, nothing, ...others] = anyOf as Json[];
  const isNullable = nothing?.type === 'null' && others.length === 0;
  if (!isNullable || typeof shape?.type !== 'string') return schema;
  // Generators read null among the words of an enumeration in different ways.
  if (Array.isArray(shape.enum)) return schema;
  return { ...rest, ...shape, type: [shape.type, 'null'] };
};
