import { type Context, t } from 'elysia';
import { invalid, Refusal } from '../base/refusal.ts';
import { listParameter } from '../base/shapes.ts';
import { targetOf } from '../http/target.ts';
import type { Actor } from '../record/actor.ts';
import { type Include, includesNothing } from '../record/page.ts';
import type { Resource } from '../record/resource.ts';

type Includes = Resource['includes'];

/** The query parameter of a list or a single read that can answer more (docs/contract.md, Additions). */
export const includeParameter = (includes: Includes) =>
  includes
    ? {
        include: t.Optional(
          listParameter(Object.keys(includes), `What to add: ${told(includes)}.`),
        ),
      }
    : {};

const told = (includes: NonNullable<Includes>) =>
  Object.entries(includes)
    .map(([name, { needs }]) => (needs ? `\`${name}\` (needs ${needs})` : `\`${name}\``))
    .join(', ');

/**
 * What the caller asked for. Throws `Refusal` invalid_request if it is asked for twice, and forbidden
 * for what needs a scope that the caller does not hold.
 */
export const includeOf = (
  includes: Includes,
  { actor, query, request }: { actor: Actor; query: Context['query']; request: Request },
): Include => {
  const { include: asked } = query;
  if (!includes || asked === undefined) return includesNothing;
  if (targetOf(request).searchParams.getAll('include').length > 1)
    throw invalid('include must be given only once: separate the names by commas.');
  const include = new Set(asked.split(',').map((name) => name.trim()));
  for (const name of include) {
    const { needs } = includes[name] ?? {};
    if (needs && actor.holds?.(needs) === false)
      throw new Refusal(
        'forbidden',
        `include=${name} needs ${needs}, which this key lacks as a scope, or its member as a permission.`,
      );
  }
  return include;
};

/** Everything that may be asked for, in every combination: each is another state for an ETag. */
export const everyInclude = (includes: Includes): Include[] => {
  const all: Include[] = [includesNothing];
  for (const name of Object.keys(includes ?? {}))
    all.push(...all.map((one) => new Set([...one, name])));
  return all;
};
