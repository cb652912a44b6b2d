import type { TSchema } from '@sinclair/typebox';
import { type Context, t } from 'elysia';
import { invalid } from '../base/refusal.ts';
import { answerOf, idOut, published, whole } from '../base/shapes.ts';
import { targetOf } from '../http/target.ts';
import {
  isHeavy,
  type Listed,
  largestPage,
  type Page,
  pageOf,
  pageParameters,
} from '../record/page.ts';
import { answerInPieces } from './in-pieces.ts';

/** `{ data }`: a single record (docs/contract.md, Response envelope). */
export const single = (shape: TSchema, description: string) =>
  t.Object({ data: shape }, { description, additionalProperties: false });

/** `{ data, pagination }`: a page of a list. */
export const pageShape = (shape: TSchema, description: string) =>
  t.Object(
    {
      data: t.Array(shape, published({ maxItems: largestPage })),
      pagination: answerOf('Pagination', {
        limit: whole('The most records on a page.'),
        offset: whole('How many records were skipped.'),
        total: whole('How many records there are in all.'),
      }),
    },
    { description, additionalProperties: false },
  );

/** The answer to a delete. */
export const deletion = () =>
  t.Object(
    { data: answerOf('Deletion', { id: idOut(), deleted: t.Literal(true) }) },
    {
      description: 'The record leaves the active lists. It is not erased.',
      additionalProperties: false,
    },
  );

export const answerPage = ({ rows, total }: Listed<unknown>, { limit, offset }: Page) => ({
  data: rows,
  pagination: { limit, offset, total },
});

/**
 * A finished response where Elysia's types expect a described answer. Elysia passes it on
 * unchecked, but its types do not know a handler that returns both.
 */
export const finished = <Described>(response: Response) => response as unknown as Described;

type ListRequest = {
  request: Request;
  set: Context['set'];
  query: Parameters<typeof pageOf>[0];
  /** This list's own parameters, in addition to those of every list. */
  own?: string[];
};

/**
 * Answers a request for a page of a list, with `Link` to the next and the previous page if they
 * exist. Throws `Refusal` for a parameter that is given twice: choosing one would be a guess.
 */
export const answerList = async (
  { request, set, query, own = [] }: ListRequest,
  list: (page: Page) => Promise<Listed<unknown>>,
): Promise<ReturnType<typeof answerPage>> => {
  const { pathname, searchParams } = targetOf(request);
  for (const name of [...Object.keys(pageParameters), ...own]) {
    if (searchParams.getAll(name).length > 1) throw invalid(`${name} must be given only once.`);
  }
  const page = pageOf(query);
  const listed = await list(page);
  const linkTo = (offset: number, relation: string) => {
    searchParams.set('limit', String(page.limit));
    searchParams.set('offset', String(offset));
    return `<${pathname}?${searchParams}>; rel="${relation}"`;
  };
  const { limit, offset } = page;
  const links = [
    ...(offset + limit < listed.total ? [linkTo(offset + limit, 'next')] : []),
    ...(offset > 0 ? [linkTo(Math.max(0, Math.min(offset, listed.total) - limit), 'prev')] : []),
  ];
  if (links.length > 0) set.headers.link = links.join(', ');
  return listed.rows.some(isHeavy)
    ? finished(await answerInPieces(request, set, async () => pageInPieces(listed, page)))
    : answerPage(listed, page);
};

/** The JSON of a page in its envelope. One heavy record is in memory at a time. */
async function* pageInPieces({ rows, total }: Listed<unknown>, page: Page) {
  const { data, ...rest } = answerPage({ rows: [], total }, page);
  yield '{"data":[';
  for (const [index, row] of rows.entries()) {
    if (index > 0) yield ',';
    yield JSON.stringify(isHeavy(row) ? await row() : row);
  }
  yield `],${JSON.stringify(rest).slice(1)}`;
}
