import { invalidField, Refusal } from '../base/refusal.ts';
import type { Permission } from '../firm/permissions.ts';
import type { Resource } from '../record/resource.ts';
import type { Interest } from './read.ts';
import { sourceOf, typesOf } from './told.ts';

/** Everything that happens to these resources, and how readers say what of it they want to hear. */
export const openTypes = (resources: readonly Resource[]) => {
  const sources = resources.map(sourceOf);
  const resourceOf = new Map(
    sources.flatMap((source) => typesOf(source).map((type) => [type, source.resource])),
  );
  const known = [...resourceOf.keys()];
  return {
    /** Every type of event. */
    known,
    /** The path segments of the resources. */
    resources: sources.map(({ resource }) => resource),
    /** Throws `Refusal` forbidden for a known type of a resource that its reader may not read. */
    mustHear(type: string, mayRead: (resource: string) => boolean) {
      const resource = resourceOf.get(type) ?? '';
      if (mayRead(resource)) return;
      throw new Refusal(
        'forbidden',
        `${type} needs the scope ${resource}:read, and a member whose role allows it.`,
      );
    },
    /** Throws `Refusal` invalid_request, naming `field`, if one of the types is not known. */
    check(field: string, types: Iterable<string>) {
      if ([...types].every((type) => resourceOf.has(type))) return;
      throw invalidField(field, `must be some of ${known.join(', ')}`);
    },
    /** What of `types` (undefined: of all) somebody hears who may read these resources. */
    interestIn: (
      types: ReadonlySet<string> | undefined,
      mayRead: (resource: string) => boolean,
      may: (permission: Permission) => boolean,
    ): Interest => ({
      sources: sources.filter(({ resource }) => mayRead(resource)),
      subjects: (['lead', 'matter'] as const).filter((about) => may(`${about}s:read`)),
      types,
    }),
  };
};

export type EventTypes = ReturnType<typeof openTypes>;
