/** Every field that a create or an update takes, as the API description says: new ones join by themselves. */
import { openApiDocument } from '../../../src/api/document.ts';

type Schema = {
  $ref?: string;
  type?: string | string[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  required?: string[];
  enum?: string[];
  format?: string;
  maxLength?: number;
  minLength?: number;
  minimum?: number;
  maximum?: number;
};

export type Field = {
  /** Its path, for example `['team', 0, 'allocation']`. */
  path: (string | number)[];
  /** As a refusal names it: `team[0].allocation`. */
  name: string;
  schema: Schema & { type: string };
  isNullable: boolean;
};

type Document = {
  paths: Record<
    string,
    Record<string, { requestBody: { content: Record<string, { schema: Schema }> } }>
  >;
  components: { schemas: Record<string, Schema> };
};
const document = (await openApiDocument()) as Document;

const resolved = (schema: Schema): Schema =>
  schema.$ref
    ? resolved(document.components.schemas[schema.$ref.split('/').pop() ?? ''] ?? {})
    : schema;

/** The fields of the body of one action, those inside lists and objects too. */
export const fieldsOf = (resource: string, action: 'create' | 'update'): Field[] => {
  const operation =
    action === 'create'
      ? document.paths[`/v1/${resource}`]?.post
      : document.paths[`/v1/${resource}/{id}`]?.patch;
  const schema = operation?.requestBody.content['application/json']?.schema;
  if (!schema) throw new Error(`The API description has no ${action} of ${resource}.`);
  return inside(resolved(schema), []);
};

const inside = (schema: Schema, path: Field['path']): Field[] =>
  Object.entries(schema.properties ?? {}).flatMap(([key, one]) => at(one, [...path, key]));

const at = (given: Schema, path: Field['path']): Field[] => {
  const schema = resolved(given);
  if (schema.anyOf) {
    const variants = schema.anyOf.map(resolved).filter(({ type }) => type !== 'null');
    const fields = variants.flatMap((one) => at(one, path));
    const isNullable = variants.length < schema.anyOf.length;
    // Where several types are right, what is wrong for one may be right for another.
    return fields
      .filter((field) => variants.length === 1 || field.path.length > path.length)
      .map((field) => (field.path.length === path.length ? { ...field, isNullable } : field));
  }
  const types = [schema.type ?? []].flat();
  const [type = ''] = types.filter((one) => one !== 'null');
  const isNullable = types.includes('null');
  const field = { path, name: nameOf(path), schema: { ...schema, type }, isNullable };
  if (type === 'array' && schema.items) return [field, ...at(schema.items, [...path, 0])];
  // An object in a list is itself a field: something else may stand in its place.
  return type === 'object' ? [field, ...inside(schema, path)] : [field];
};

const nameOf = (path: Field['path']) =>
  path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`;
    return name === '' ? part : `${name}.${part}`;
  }, '');

/** Whether a field holds the id of another record. An external id is another program's. */
export const isReference = ({ path, schema }: Field) =>
  schema.type === 'string' &&
  /(?<!^external)(Id|Ids|^id)$/.test(String(path.findLast((part) => part !== 0)));

/** A body with values at the paths of fields, and beside them what the objects on the way need. */
export const bodyWith = (
  base: Record<string, unknown>,
  values: [Field, unknown][],
  needs: Record<string, Record<string, unknown>>,
) => {
  const body = structuredClone(base);
  for (const [{ path }, value] of values) {
    const [first = ''] = path;
    let holder = body as Record<string | number, unknown>;
    for (const [place, part] of path.entries()) {
      const next = path[place + 1];
      if (next === undefined) holder[part] = value;
      else holder[part] ??= typeof next === 'number' ? [] : { ...needs[first] };
      holder = holder[part] as typeof holder;
    }
  }
  return body;
};
