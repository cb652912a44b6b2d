import type { Fault } from './refusal.ts';
import { isRequired, type Kind } from './rule.ts';
import { expects, kindOfRule } from './shapes.ts';

/** What a shape's check found, as TypeBox reports it. */
export type Issue = {
  path: string;
  schema: object;
  value: unknown;
  /** For a union: what each of its shapes found. */
  errors?: { First(): Issue | undefined }[];
};

/**
 * A shape's failure in words: the field's path and its rule, never the value. `whole` names what
 * was checked; it is used as the field if all of it is at fault.
 */
export const explain = (issue: Issue, whole: string): Fault => {
  const { path, schema, value } = innermost(issue);
  const field = fieldOf(path);
  if (field === '') return { field: whole, rule: 'must be an object' };
  if (value === undefined) return { field, ...isRequired() };
  return { field, rule: `must be ${wordsOf(schema as Schema)}`, kind: kindOf(schema as Schema) };
};

/**
 * If one of several shapes is wrong only in an inner part, that shape was meant: report that part.
 */
const innermost = (issue: Issue): Issue => {
  const inner = issue.errors
    ?.map((found) => found.First())
    .find((found) => found && found.path.length > issue.path.length);
  return inner ? innermost(inner) : issue;
};

export const sentenceOf = ({ field, rule }: Fault): string => `${field} ${rule}.`;

type Schema = Record<string | symbol, unknown>;

/** `/team/1/memberId` as people write it: `team[1].memberId`. */
const fieldOf = (path: string) =>
  path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (field, part) =>
        /^\d+$/.test(part) ? `${field}[${part}]` : field ? `${field}.${part}` : part,
      '',
    );

const typeWords: Record<string, string> = {
  object: 'an object',
  array: 'an array',
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};

const wordsOf = (schema: Schema): string => {
  if (typeof schema[expects] === 'string') return schema[expects];
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(wordsOf).join(' or ');
  const kind = typeWords[String(schema.type)] ?? 'of another type';
  if (schema.maxItems !== undefined) return `${kind} of at most ${schema.maxItems} entries`;
  if (schema.minimum !== undefined) return `${kind} from ${schema.minimum} to ${schema.maximum}`;
  if (schema.maxLength !== undefined) {
    const length = schema.minLength ? `${schema.minLength} to` : 'at most';
    return `${kind} of ${length} ${schema.maxLength} characters`;
  }
  return kind;
};

/** The kind of a shape's rule. Null is for what was left empty, which is no rule for people. */
const kindOf = (schema: Schema): Kind | undefined => {
  if (schema[kindOfRule]) return schema[kindOfRule] as Kind;
  if (schema.type === 'number') return { kind: 'number' };
  if (schema.type === 'boolean') return { kind: 'yesOrNo' };
  const shapes = Array.isArray(schema.anyOf) ? (schema.anyOf as Schema[]) : [];
  const [only, ...others] = shapes.filter(({ type }) => type !== 'null');
  return only && others.length === 0 ? kindOf(only) : undefined;
};
