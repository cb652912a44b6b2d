import type { TSchema } from '@sinclair/typebox';
import { pathWithin } from '../base/json-keys.ts';

/** What a body or a query may hold: the names of its fields, and what is within them. */
export type Known = { names: ReadonlySet<string>; within: ReadonlyMap<string, Part> };

/** What is within a field: an object, or the entries of a list. */
type Part = { object?: Known; entries?: Part };

/** A name that was sent and means nothing: its path, and the names that it may have meant. */
export type Unknown = { path: string; name: string; known: ReadonlySet<string> };

/** The names that a shape knows, at every depth. What takes any name, such as custom fields, is no part. */
export const knownOf = (shape: TSchema | undefined): Known => {
  const fields = Object.entries((shape?.properties ?? {}) as Record<string, TSchema>);
  const parts = fields.map(([name, field]) => [name, partOf(field)] as const);
  return {
    names: new Set(fields.map(([name]) => name)),
    within: new Map(parts.filter((part): part is [string, Part] => part[1] !== undefined)),
  };
};

const partOf = (shape: TSchema): Part | undefined => {
  if (Array.isArray(shape.anyOf)) {
    const parts = shape.anyOf.map(partOf).filter((part) => part !== undefined);
    return parts.length === 0 ? undefined : Object.assign({}, ...parts);
  }
  if (shape.type === 'object' && shape.properties) return { object: knownOf(shape) };
  const entries = shape.type === 'array' ? partOf(shape.items) : undefined;
  return entries && { entries };
};

/** Adds the names of an object that are not known, until `found` has `max`. */
export const findUnknown = (
  known: Known,
  sent: object,
  max: number,
  found: Unknown[],
  path = '',
): void => {
  for (const name of Object.keys(sent)) {
    if (found.length >= max) return;
    if (!known.names.has(name)) {
      found.push({ path: pathWithin(path, name), name, known: known.names });
      continue;
    }
    const part = known.within.get(name);
    if (part) findWithin(part, sent[name as never], max, found, pathWithin(path, name));
  }
};

const findWithin = (part: Part, value: unknown, max: number, found: Unknown[], path: string) => {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) {
    if (part.object) findUnknown(part.object, value, max, found, path);
  } else if (part.entries) {
    for (const [index, entry] of value.entries()) {
      findWithin(part.entries, entry, max, found, `${path}[${index}]`);
    }
  }
};
