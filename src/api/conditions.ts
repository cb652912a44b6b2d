/** ETag, If-None-Match and If-Match on single records (docs/contract.md, Additions). */
import { type Context, t } from 'elysia';
import { Refusal } from '../base/refusal.ts';
import type { Reader } from '../record/actor.ts';
import { type Heavy, isHeavy } from '../record/page.ts';
import { finished } from './envelope.ts';
import { answerInPieces } from './in-pieces.ts';

const tagList = (description: string) => t.Optional(t.String({ maxLength: 1_000, description }));

/** The headers of a read, and of a write, that may carry a condition. */
export const ifNoneMatch = t.Object({
  'if-none-match': tagList('The ETag of your copy. If it is still current, the answer is 304.'),
});
export const ifMatch = t.Object({
  'if-match': tagList(
    'The ETag that you read. If the record has changed since, the answer is 412.',
  ),
});

/** Names one state of a record: equal for equal JSON, different otherwise. */
const tagOf = (json: string) => `"${Bun.hash(json).toString(36)}"`;

/** A single record in its envelope, with its ETag. */
export const answerTagged = (data: unknown, set: Context['set']) => {
  set.headers.etag = tagOf(JSON.stringify(data));
  return { data };
};

/**
 * The first answer to a repeated request, unchanged. If it is from before an upgrade, it may lack
 * new fields, so it is not checked against the current shape (docs/contract.md, Additions).
 */
export const answerReplayed = (data: unknown, set: Context['set']) => {
  const headers = set.headers as Record<string, string>;
  const json = JSON.stringify(answerTagged(data, set));
  headers['idempotent-replayed'] = 'true';
  return new Response(json, {
    status: 201,
    headers: { ...headers, 'content-type': 'application/json' },
  });
};

/** The same, or 304 without a body if the caller already has this state. */
export const answerUnlessKnown = async (
  data: unknown,
  request: Request,
  set: Context['set'],
): Promise<ReturnType<typeof answerTagged>> => {
  if (isHeavy(data)) return finished(await answerHeavyUnlessKnown(data, request, set));
  const answer = answerTagged(data, set);
  return isKnown(request, set) ? finished(notModified(set)) : answer;
};

const answerHeavyUnlessKnown = (data: Heavy<unknown>, request: Request, set: Context['set']) =>
  answerInPieces(request, set, async () => {
    const json = JSON.stringify(await data());
    set.headers.etag = tagOf(json);
    return isKnown(request, set) ? notModified(set) : singleInPieces(json);
  });

/** The JSON of a single record in its envelope. */
async function* singleInPieces(json: string) {
  yield '{"data":';
  yield json;
  yield '}';
}

const isKnown = (request: Request, set: Context['set']) => {
  const known = request.headers.get('if-none-match');
  return known !== null && names(known, String(set.headers.etag));
};

const notModified = (set: Context['set']) =>
  new Response(null, { status: 304, headers: set.headers as Record<string, string> });

/**
 * What If-Match requires of the record before it is changed; undefined if it is not sent. `reads` are
 * the ways in which the caller may have read it.
 */
export const preconditionOf = (
  request: Request,
  reads: readonly ((reader: Reader) => Promise<unknown>)[],
) => {
  const expected = request.headers.get('if-match');
  if (expected === null) return undefined;
  return async (reader: Reader) => {
    for (const read of reads) {
      const current = await read(reader);
      const whole = isHeavy(current) ? await current() : current;
      if (names(expected, tagOf(JSON.stringify(whole)))) return;
    }
    throw new Refusal(
      'precondition_failed',
      'The record has changed since it was read. Read it again, then decide.',
    );
  };
};

/** Whether a list of ETags contains this one. A proxy may have marked it as weak. */
const names = (list: string, tag: string) =>
  list.split(',').some((one) => ['*', tag].includes(one.trim().replace(/^W\//, '')));
