import { t } from 'elysia';
import type { RefusalCode } from '../base/refusal.ts';
import type { Scope } from '../contents.ts';
import { listQueryWith, pageOf } from '../record/page.ts';
import type { Resource } from '../record/resource.ts';
import { leaveUnread } from './body.ts';
import { ifMatch, ifNoneMatch } from './conditions.ts';
import type { Described } from './describe.ts';
import { answerPage, deletion, pageShape, single } from './envelope.ts';
import { includeParameter } from './include.ts';

/**
 * What the five routes of a resource take and answer, from its card: scope, shapes, and the words of
 * the API's description (docs/contract.md, Endpoints).
 */
export const operationsOf = (card: Resource) => {
  const { name, noun, shapes, bodyLimitBytes, refusals } = card;
  // As words of one type: the compiler would try out each resource's.
  const { scope = name } = card;
  const [reading, writing] = [`${scope}:read` as Scope, `${scope}:write` as Scope];
  const params = idParameter(noun);
  const withBody = { scope: writing, bodyLimitBytes, parse: leaveUnread };

  const list = {
    scope: reading,
    query: listQueryWith({ ...card.listParameters, ...includeParameter(card.includes) }),
    response: { 200: pageShape(shapes.row, `A page of ${noun} records, newest first.`) },
    detail: described(card, 'list', `List ${name.replace('-', ' ')}`, [
      'invalid_request',
      ...(refusals.list ?? []),
    ]),
  };
  const create = {
    ...withBody,
    body: shapes.create,
    headers: idempotencyKey,
    response: {
      201: single(
        shapes.full,
        `The new ${noun}. A repeat with the same Idempotency-Key gets the first answer as it was. If the server was upgraded in between, it may lack fields that were added since.`,
      ),
    },
    detail: described(card, 'create', `Create a ${noun}`, [
      'invalid_request',
      'payload_too_large',
      'conflict',
      ...refusals.create,
    ]),
  };
  const read = {
    scope: reading,
    params,
    ...(card.includes && {
      query: t.Object(includeParameter(card.includes), { additionalProperties: true }),
    }),
    headers: ifNoneMatch,
    response: { 200: single(shapes.full, `The ${noun}.`) },
    detail: described(card, 'read', `Read one ${noun}`, [
      'not_found',
      ...(card.includes ? (['invalid_request'] as const) : []),
    ]),
  };
  const update = {
    ...withBody,
    params,
    headers: ifMatch,
    body: shapes.update,
    response: { 200: single(shapes.full, `${capitalised(noun, ' ')}, changed.`) },
    detail: described(card, 'update', `Change a ${noun}: only the fields that are sent`, [
      'invalid_request',
      'not_found',
      'payload_too_large',
      'precondition_failed',
      ...refusals.update,
    ]),
  };
  const remove = {
    scope: writing,
    // A body means nothing here. Elysia does not read it, so it cannot be refused before the caller is known.
    parse: 'none' as const,
    takesNoBody: true as const,
    params,
    headers: ifMatch,
    response: { 200: deletion() },
    detail: described(card, 'delete', `Delete a ${noun}: it leaves the active lists`, [
      'not_found',
      'precondition_failed',
    ]),
  };
  return { list, create, read, update, remove };
};

const idempotencyKey = t.Object({
  'idempotency-key': t.Optional(
    t.String({
      maxLength: 255,
      minLength: 1,
      description: 'Repeat a request with the same key: for 7 days it is done only once.',
    }),
  ),
});

type Verb = 'list' | 'create' | 'read' | 'update' | 'delete';

const described = (card: Resource, verb: Verb, summary: string, refusals: RefusalCode[]) => ({
  operationId: `${verb}${capitalised(verb === 'list' ? card.name : card.noun)}`,
  summary,
  description: [descriptions[verb], card.name === 'leads' && ofLeads[verb]]
    .filter(Boolean)
    .join(' '),
  'x-described': { refusals, examples: examplesOf(card)[verb] } satisfies Described,
});

const descriptions: Record<Verb, string> = {
  list: 'Newest first. Follow `Link` to the next page, or add to `offset` until it reaches `total`. Without the custom field properties.',
  create:
    'Send an `Idempotency-Key`, so that a repeat after a lost answer makes nothing twice. Fields that are not named here are ignored, and named in `Ignored-Fields`.',
  read: 'With the `ETag` of its state, for If-None-Match and If-Match.',
  update:
    'Fields that are not sent keep their values, and so do those that are not named here. With `If-Match`, only if nobody has changed it in between.',
  delete:
    'The record is not erased: it stays in the audit log, and the application can restore some kinds.',
};

const ofLeads: Partial<Record<Verb, string>> = {
  create: 'Makes a new contact with the names, email and phone, and the lead of this contact.',
  update: "Names, email and phone are the contact's: change them there.",
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

/** The id in the path of a record. */
export const idParameter = (noun: string) =>
  t.Object({ id: t.String({ description: `The ${noun}'s id.` }) });

/** `practice area` or `practice-areas` as one capitalised word, or as separate words. */
const capitalised = (words: string, between = '') =>
  words
    .split(/[ -]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(between);

/** A resource's name as a heading: `Practice Areas`. */
export const titled = (name: string) => capitalised(name, ' ');
