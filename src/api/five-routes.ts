import { type Context, Elysia, t } from 'elysia';
import { isId } from '../base/columns.ts';
import { notFound, type RefusalCode } from '../base/refusal.ts';
import type { ResourceName } from '../contents.ts';
import { targetOf } from '../http/target.ts';
import type { Actor } from '../record/actor.ts';
import { listQueryWith, pageOf } from '../record/page.ts';
import type { Resource } from '../record/resource.ts';
import { leaveUnread } from './body.ts';
import {
  answerReplayed,
  answerTagged,
  answerUnlessKnown,
  ifMatch,
  ifNoneMatch,
  preconditionOf,
} from './conditions.ts';
import type { Described } from './describe.ts';
import { answerList, answerPage, deletion, pageShape, single } from './envelope.ts';
import type { gate } from './gate.ts';

type Gate = ReturnType<typeof gate>;

/** The five routes of a resource, from its card (docs/contract.md, Endpoints). */
export const fiveRoutes = (card: Resource<ResourceName>, { plugin }: Gate) => {
  const { name, noun, shapes, bodyLimitBytes } = card;
  const [read, write] = [`${name}:read`, `${name}:write`] as const;
  const described = (
    verb: 'list' | 'create' | 'read' | 'update' | 'delete',
    summary: string,
    refusals: RefusalCode[],
  ) => ({
    operationId: `${verb}${capitalised(verb === 'list' ? name : noun)}`,
    summary,
    'x-described': { refusals, examples: examplesOf(card)[verb] } satisfies Described,
  });
  const one = capitalised(noun, ' ');

  return new Elysia({ name, prefix: `/v1/${name}`, tags: [titled(name)] })
    .use(plugin)
    .get(
      '',
      async ({ actor, query, request, set }) => {
        const parameters = query as Record<string, string>;
        const own = Object.keys(card.listParameters ?? {});
        return answerList({ request, set, query, own }, (page) =>
          card.list(actor, page, parameters),
        );
      },
      {
        scope: read,
        query: listQueryWith(card.listParameters),
        response: { 200: pageShape(shapes.row, `A page of ${noun} records, newest first.`) },
        detail: described('list', `List ${name.replace('-', ' ')}`, [
          'invalid_request',
          ...(card.refusals.list ?? []),
        ]),
      },
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
      {
        scope: write,
        bodyLimitBytes,
        parse: leaveUnread,
        body: shapes.create,
        headers: t.Object({
          'idempotency-key': t.Optional(
            t.String({
              maxLength: 255,
              minLength: 1,
              description: 'Repeat a request with the same key: for 24 hours it is done only once.',
            }),
          ),
        }),
        response: {
          201: single(
            shapes.full,
            `The new ${noun}. A repeat with the same Idempotency-Key gets the first answer as it was. If the server was upgraded in between, it may lack fields that were added since.`,
          ),
        },
        detail: described('create', `Create a ${noun}`, [
          'invalid_request',
          'payload_too_large',
          'conflict',
          ...card.refusals.create,
        ]),
      },
    )
    .get(
      '/:id',
      async ({ actor, params, request, set }) => {
        const data = await card.read(actor, idOf(params));
        return answerUnlessKnown(data, request, set);
      },
      {
        scope: read,
        params: idParameter(noun),
        headers: ifNoneMatch,
        response: { 200: single(shapes.full, `The ${noun}.`) },
        detail: described('read', `Read one ${noun}`, ['not_found']),
      },
    )
    .patch(
      '/:id',
      async ({ actor, params, body, request, set }) => {
        const id = idOf(params);
        actor.precondition = preconditionOf(request, (reader) => card.read(reader, id));
        return answerTagged(await card.update(actor, id, body), set);
      },
      {
        scope: write,
        bodyLimitBytes,
        parse: leaveUnread,
        params: idParameter(noun),
        headers: ifMatch,
        body: shapes.update,
        response: { 200: single(shapes.full, `${one}, changed.`) },
        detail: described('update', `Change a ${noun}: only the fields that are sent`, [
          'invalid_request',
          'not_found',
          'payload_too_large',
          'precondition_failed',
          ...card.refusals.update,
        ]),
      },
    )
    .delete(
      '/:id',
      async ({ actor, params, request }) => {
        const id = idOf(params);
        actor.precondition = preconditionOf(request, (reader) => card.read(reader, id));
        await card.remove(actor, id);
        return { data: { id, deleted: true } };
      },
      {
        scope: write,
        // A body means nothing here. It is not read, so it cannot be refused before the caller is
        // known.
        parse: 'none',
        params: idParameter(noun),
        headers: ifMatch,
        response: { 200: deletion() },
        detail: described('delete', `Delete a ${noun}: it leaves the active lists`, [
          'not_found',
          'precondition_failed',
        ]),
      },
    );
};

/** What each operation takes and answers, from the card's examples. */
const examplesOf = ({ examples: { create, update, full } }: Resource) => {
  const { customFields, unsupportedCustomFields, stages, ...row } = full as Record<string, unknown>;
  const page = { rows: [row], total: 1 };
  return {
    list: { answer: answerPage(page, pageOf({})) },
    create: { body: create, answer: { data: full } },
    read: { answer: { data: full } },
    update: { body: update },
    delete: { answer: { data: { id: row.id, deleted: true } } },
  };
};

const idParameter = (noun: string) =>
  t.Object({ id: t.String({ description: `The ${noun}'s id.` }) });

/** A text that cannot be an id is answered like the id of no record. */
const idOf = ({ id }: { id: string }) => {
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
const repeatableOf = (request: Request, actor: Actor, body: unknown) => {
  const idempotencyKey = request.headers.get('idempotency-key');
  if (idempotencyKey === null || actor.keyFamilyId === undefined) return undefined;
  const sent = `${targetOf(request).pathname}\n${JSON.stringify(body)}`;
  const fingerprint = new Bun.CryptoHasher('sha256').update(sent).digest('hex');
  return { keyFamilyId: actor.keyFamilyId, idempotencyKey, fingerprint };
};

/** `practice area` or `practice-areas` as one capitalised word, or as separate words. */
const capitalised = (words: string, between = '') =>
  words
    .split(/[ -]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(between);

/** A resource's name as a heading: `Practice Areas`. */
export const titled = (name: string) => capitalised(name, ' ');
