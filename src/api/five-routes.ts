import { type Context, Elysia } from 'elysia';
import { isId } from '../base/columns.ts';
import { inOneOrder } from '../base/json-keys.ts';
import { notFound } from '../base/refusal.ts';
import { targetOf } from '../http/target.ts';
import type { Actor, Reader, Repeatable } from '../record/actor.ts';
import type { Resource } from '../record/resource.ts';
import { answerReplayed, answerTagged, answerUnlessKnown, preconditionOf } from './conditions.ts';
import { answerList } from './envelope.ts';
import type { gate } from './gate.ts';
import { everyInclude, includeOf } from './include.ts';
import { operationsOf, titled } from './operations.ts';

type Gate = ReturnType<typeof gate>;

/** The five routes of a resource, from its card (docs/contract.md, Endpoints). */
export const fiveRoutes = (card: Resource, { plugin }: Gate) => {
  const { name } = card;
  const operations = operationsOf(card);
  // A caller's ETag may be from an answer to which more was added.
  const readsOf = (id: string) =>
    everyInclude(card.includes).map((one) => (reader: Reader) => card.read(reader, id, one));
  return new Elysia({ name, prefix: `/v1/${name}`, tags: [titled(name)] })
    .use(plugin)
    .get(
      '',
      async ({ actor, query, request, set }) => {
        const parameters = query as Record<string, string>;
        const own = Object.keys(card.listParameters ?? {});
        const include = includeOf(card.includes, { actor, query: parameters, request });
        return answerList({ request, set, query, own }, (page) =>
          card.list(actor, page, parameters, include),
        );
      },
      operations.list,
    )
    .post(
      '',
      async ({ actor, body, request, set }) => {
        actor.repeatable = repeatableOf(request, actor, body);
        const created = await card.create(actor, body);
        set.status = 201;
        set.headers.location = `/v1/${name}/${created.id}`;
        return actor.wasReplayed ? answerReplayed(created, set) : answerTagged(created, set);
      },
      operations.create,
    )
    .get(
      '/:id',
      async ({ actor, params, query, request, set }) => {
        const include = includeOf(card.includes, { actor, query, request });
        const data = await card.read(actor, idOf(params), include);
        return answerUnlessKnown(data, request, set);
      },
      operations.read,
    )
    .patch(
      '/:id',
      async ({ actor, params, body, request, set }) => {
        const id = idOf(params);
        actor.precondition = preconditionOf(request, readsOf(id));
        return answerTagged(await card.update(actor, id, body), set);
      },
      operations.update,
    )
    .delete(
      '/:id',
      async ({ actor, params, request }) => {
        const id = idOf(params);
        actor.precondition = preconditionOf(request, readsOf(id));
        await card.remove(actor, id);
        return { data: { id, deleted: true } };
      },
      operations.remove,
    );
};

/** A text that cannot be an id is answered like the id of no record. */
export const idOf = ({ id }: { id: string }) => {
  if (!isId(id)) throw notFound();
  return id;
};

/**
 * A missing record is reported before a wrong body (docs/contract.md, Requests, order of checks).
 * The look-up happens only after a shape was refused: a good request costs nothing extra.
 */
export const missingFrom = async (
  card: Resource | undefined,
  actor: Actor | undefined,
  params: Context['params'] | undefined,
): Promise<unknown> => {
  const { id } = (params ?? {}) as { id?: string };
  if (!card || !actor || id === undefined) return undefined;
  try {
    await card.read(actor, idOf({ id }));
    return undefined;
  } catch (missing) {
    return missing;
  }
};

/** The request's Idempotency-Key, if it has one, with the fingerprint of what was sent. */
export const repeatableOf = (
  request: Request,
  actor: Actor,
  body: unknown,
): Repeatable | undefined => {
  const idempotencyKey = request.headers.get('idempotency-key');
  if (idempotencyKey === null || actor.keyFamilyId === undefined) return undefined;
  const digest = (json: string) =>
    new Bun.CryptoHasher('sha256').update(`${targetOf(request).pathname}\n${json}`).digest('hex');
  return {
    keyFamilyId: actor.keyFamilyId,
    idempotencyKey,
    fingerprint: digest(inOneOrder(body)),
    formerFingerprint: () => digest(JSON.stringify(body)),
  };
};
