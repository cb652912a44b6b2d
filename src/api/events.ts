import { Elysia } from 'elysia';
import { invalidField, Refusal } from '../base/refusal.ts';
import { eventTypes } from '../contents.ts';
import type { Fresh } from '../events/fresh.ts';
import { type Interest, readEvents } from '../events/read.ts';
import { eventsQuery, eventsShape, example } from '../events/wire.ts';
import { targetOf } from '../http/target.ts';
import type { Described } from './describe.ts';
import type { Admitted, gate } from './gate.ts';

/** GET /v1/events: what happened, from the audit log (docs/contract.md, Events). */
export const eventRoutes = (plugin: ReturnType<typeof gate>['plugin'], fresh: Fresh) =>
  new Elysia({ name: 'events', tags: ['Events'] }).use(plugin).get(
    '/v1/events',
    async ({ actor, may, again, query, request }) => {
      refuseTwice(request);
      const asked = {
        after: query.after ?? '',
        limit: Number(query.limit),
        types: typesIn(query.types),
      };
      const until = performance.now() + Number(query.wait) * 1_000;
      return answer(fresh, { actor, may, again }, asked, { until, request });
    },
    {
      scope: 'events:read',
      query: eventsQuery,
      response: { 200: eventsShape },
      detail: {
        operationId: 'readEvents',
        summary: 'Read what happened, in order',
        description: [
          'Every record that was made, changed or deleted, through the API or in the application, in the order in which it was stored.',
          'Send the `cursor` of each answer as `after` of the next request: nothing is missed, and nothing comes twice.',
          'With `wait`, the answer comes as soon as something happens. It is there within a second.',
          'Events have ids only. Read the record to see it as it is now.',
          'The key needs events:read, and the read scope of each resource that it wants to hear of. What it may not see now is left out.',
          `Types: ${eventTypes.known.map((type) => `\`${type}\``).join(', ')}.`,
        ].join(' '),
        'x-described': {
          refusals: ['invalid_request'],
          examples: { answer: example },
        } satisfies Described,
      },
    },
  );

type Caller = Pick<Admitted, 'actor' | 'may' | 'again'>;
type Asked = { after: string; limit: number; types: ReadonlySet<string> | undefined };

const answer = async (
  fresh: Fresh,
  admitted: Caller,
  { after, limit, types }: Asked,
  { until, request }: { until: number; request: Request },
) => {
  const { firmId, keyFamilyId = '' } = admitted.actor;
  const waits = until > performance.now();
  if (waits && fresh.isClosed()) throw stopping();
  const place = waits ? fresh.take(firmId, keyFamilyId) : undefined;
  try {
    let caller = admitted;
    let last = await fresh.lastOf(firmId);
    let from = after === '' ? last : await fresh.placeOf(caller.actor, after);
    for (;;) {
      const part = await readEvents(fresh.windows, caller.actor, interestOf(caller, types), {
        after: from,
        last,
        limit,
      });
      from = part.end;
      const hasMore = from < last;
      const isOver = !place || fresh.isClosed() || request.signal.aborted;
      if (part.events.length > 0 || hasMore || isOver || performance.now() >= until) {
        return { data: part.events, cursor: await fresh.cursorAfter(caller.actor, from), hasMore };
      }
      await wokenBy(place.woken(), until, request.signal);
      place.again();
      // Who lost their key, or a right, while they waited learns nothing more.
      caller = await caller.again();
      last = await fresh.lastOf(firmId);
    }
  } finally {
    place?.leave();
  }
};

/** Who follows would ask again at once, and get the same empty answer, until the connection ends. */
const stopping = () =>
  new Refusal('unavailable', 'The server stops. Repeat the request in a second.', {
    'retry-after': '1',
  });

/** Waits for the next seal, until the time is over, or for the caller to hang up. */
const wokenBy = async (woken: Promise<void>, until: number, signal: AbortSignal) => {
  const over = Promise.withResolvers<void>();
  const end = () => over.resolve();
  const timer = setTimeout(end, Math.max(0, until - performance.now()));
  signal.addEventListener('abort', end);
  await Promise.race([woken, over.promise]);
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
};

/** What the caller may hear of. Throws `Refusal` forbidden for a type that they ask for and may not. */
const interestOf = ({ actor, may }: Caller, types: ReadonlySet<string> | undefined): Interest => {
  const mayRead = (resource: string) => actor.holds?.(`${resource}:read`) === true;
  for (const type of types ?? []) eventTypes.mustHear(type, mayRead);
  return eventTypes.interestIn(types, mayRead, may);
};

const typesIn = (sent: string | undefined): ReadonlySet<string> | undefined => {
  if (sent === undefined) return undefined;
  const types = new Set(sent.split(',').map((type) => type.trim()));
  eventTypes.check('types', types);
  return types;
};

const refuseTwice = (request: Request) => {
  const { searchParams } = targetOf(request);
  for (const name of ['after', 'limit', 'wait', 'types']) {
    if (searchParams.getAll(name).length > 1) throw invalidField(name, 'must be given only once');
  }
};
