import type { Context } from 'elysia';
import type { Actor } from '../record/actor.ts';

type Answered = Pick<Context, 'request' | 'set'> & { response: unknown };

/**
 * The answer to a write that stored nothing: 200 with what would have been answered. Its `id` and
 * `publicId` are null, and so is every id that was made on the way: they name nothing
 * (docs/contract.md, Additions).
 */
export const answerDryRuns =
  (actorOf: (request: Request) => Actor | undefined) =>
  ({ request, response, set }: Answered): Response | undefined => {
    const dryRun = actorOf(request)?.dryRun;
    if (!dryRun) return undefined;
    const { etag, location, ...headers } = set.headers as Record<string, string>;
    const json = JSON.stringify(withoutIds(response), (_, value) =>
      typeof value === 'string' && dryRun.made.has(value) ? null : value,
    );
    set.status = 200;
    set.headers = headers;
    return new Response(json, { headers: { ...headers, 'content-type': 'application/json' } });
  };

const withoutIds = (response: unknown) => {
  const { data } = response as { data?: Record<string, unknown> };
  if (!data) return response;
  const nulled = Object.keys(data).filter((name) => name === 'id' || name === 'publicId');
  return { data: { ...data, ...Object.fromEntries(nulled.map((name) => [name, null])) } };
};
