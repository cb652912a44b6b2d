/** The API's description, as the pages of the reference read it. */
import { capitalised } from '../base/wording.ts';

export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: string[];
  const?: unknown;
  format?: string;
  default?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  items?: Schema;
  anyOf?: Schema[];
  required?: string[];
  properties?: Record<string, Schema>;
};

type Content = { 'application/json'?: { schema: Schema; example?: unknown } };

type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema & { examples?: unknown[] };
};

type Described = {
  operationId: string;
  tags?: string[];
  summary: string;
  description: string;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { description?: string; content: Content };
  /** A message of a webhook may lack it. */
  responses?: Record<string, { description: string; content?: Content }>;
};

/** An OpenAPI 3.1 document of ours. */
export type Description = {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Described>>;
  webhooks?: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema> };
};

/** One thing that is sent or answered, in words. */
export type Field = {
  name: string;
  /** Its type and limits: `string, up to 128`. */
  kind: string;
  isRequired: boolean;
  words: string;
  /** What it consists of, if it is an object or a list of objects. */
  within: Field[];
};

/** One reason to refuse a request. */
type Reason = { status: string; code: string; words: string };

export type Operation = {
  id: string;
  tag: string;
  method: string;
  path: string;
  /** What it does, as a title. */
  title: string;
  description: string;
  /** Each of them is enough. Empty: any key. Undefined: no key is needed. */
  scopes: string[] | undefined;
  parameters: (Field & { in: Parameter['in']; example: unknown; initial: unknown })[];
  body: { fields: Field[]; example: unknown } | undefined;
  answer: { status: string; words: string; fields: Field[]; example: unknown };
  refusals: Reason[];
};

/** Every operation of the API, in the order of its tags. */
export const operationsIn = (description: Description): Operation[] => {
  const order = description.tags.map(({ name }) => name);
  const found = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => operationOf(description, path, method, one)),
  );
  return found.toSorted((a, b) => order.indexOf(a.tag) - order.indexOf(b.tag));
};

/** The messages that the server sends to others, in the same form. */
export const messagesIn = (description: Description): Operation[] =>
  Object.entries(description.webhooks ?? {}).flatMap(([name, methods]) =>
    Object.entries(methods).map(([method, one]) => operationOf(description, name, method, one)),
  );

const operationOf = (
  { components: { schemas } }: Description,
  path: string,
  method: string,
  described: Described,
): Operation => {
  const { responses = {} } = described;
  const [status, success] = Object.entries(responses).find(([one]) => one < '300') ?? [
    '200',
    { description: '' },
  ];
  const answered = success.content?.['application/json'];
  const sent = described.requestBody?.content['application/json'];
  const scopes = described.security?.flatMap((one) => Object.values(one).flat());
  return {
    id: described.operationId,
    tag: described.tags?.[0] ?? '',
    method: method.toUpperCase(),
    path,
    title: described.summary.replace(/:.*/, ''),
    description: described.description,
    scopes: described.security?.length === 0 ? undefined : scopes,
    parameters: (described.parameters ?? []).map((one) => ({
      ...fieldOf(schemas, one.name, one.schema, one.required === true),
      kind: `${kindOf(schemas, one.schema)}${one.schema.default === undefined ? '' : `, ${one.schema.default} if it is left out`}`,
      words: one.description ?? '',
      in: one.in,
      example: one.schema.examples?.[0],
      initial: one.schema.default,
    })),
    body: sent && { fields: fieldsOf(schemas, sent.schema), example: sent.example },
    answer: {
      status,
      words: success.description,
      fields: answered ? fieldsOf(schemas, answered.schema) : [],
      example: answered?.example,
    },
    refusals: reasonsIn(responses),
  };
};

/** Refusals are described as `code`: words, several of a status one after the other. */
const reasonsIn = (responses: NonNullable<Described['responses']>): Reason[] =>
  Object.entries(responses).flatMap(([status, { description }]) =>
    [...description.matchAll(/`(\w+)`: (.+?)(?= `\w+`: |$)/g)].map(([, code = '', words = '']) => ({
      status,
      code,
      words: capitalised(words),
    })),
  );

type Schemas = Record<string, Schema>;

/** What an object consists of. `seen` keeps a schema that contains itself from having no end. */
const fieldsOf = (schemas: Schemas, schema: Schema, seen: readonly Schema[] = []): Field[] => {
  const { required = [], properties = {} } = resolved(schemas, schema);
  return Object.entries(properties).map(([name, one]) =>
    fieldOf(schemas, name, one, required.includes(name), seen),
  );
};

const fieldOf = (
  schemas: Schemas,
  name: string,
  schema: Schema,
  isRequired: boolean,
  seen: readonly Schema[] = [],
): Field => {
  const inner = innermost(schemas, schema);
  return {
    name,
    kind: kindOf(schemas, schema),
    isRequired,
    words: schema.description ?? '',
    within:
      seen.includes(inner) || !inner.properties ? [] : fieldsOf(schemas, inner, [...seen, inner]),
  };
};

const resolved = (schemas: Schemas, schema: Schema): Schema =>
  schema.$ref ? (schemas[schema.$ref.replace(/^.*\//, '')] ?? {}) : schema;

/** The object that a schema is about: itself, one of several, or what a list has. */
const innermost = (schemas: Schemas, schema: Schema): Schema => {
  const one = resolved(schemas, schema);
  if (one.items) return innermost(schemas, one.items);
  const object = one.anyOf?.map((each) => innermost(schemas, each)).find((each) => each.properties);
  return one.properties ? one : (object ?? one);
};

/** A schema in a few words, as integrators say it: `string, up to 255`, `list of up to 50: object`. */
const kindOf = (schemas: Schemas, schema: Schema): string => {
  const one = resolved(schemas, schema);
  if (one.anyOf && !one.properties) {
    const kinds = one.anyOf.map((each) => kindOf(schemas, each));
    return [...new Set(kinds)].join(' or ');
  }
  if (one.enum) return listed(one.enum);
  if (one.const !== undefined) return String(one.const);
  const types = [one.type ?? 'any'].flat();
  return types
    .map((type) => (type === 'null' ? 'null' : typeWords(schemas, one, type)))
    .join(' or ');
};

const typeWords = (schemas: Schemas, schema: Schema, type: string): string => {
  if (type === 'array') {
    const of = schema.items ? kindOf(schemas, schema.items) : 'any';
    return schema.maxItems === undefined
      ? `list of ${of}`
      : `list of up to ${number(schema.maxItems)}: ${of}`;
  }
  if (schema.format === 'date') return 'day, 2026-03-14';
  if (schema.format === 'date-time') return 'time in UTC';
  if (type === 'integer' || type === 'number') {
    const { minimum, maximum = Number.POSITIVE_INFINITY } = schema;
    if (minimum === undefined) return type;
    // Beyond is only what a number can hold.
    const to = maximum < 1e9 ? ` to ${number(maximum)}` : '';
    return `${type}, from ${number(minimum)}${to}`;
  }
  if (type !== 'string' || schema.maxLength === undefined) return type;
  return `${type}, up to ${number(schema.maxLength)}`;
};

const number = (value: number) => value.toLocaleString('en');

const listed = (words: readonly string[]) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
