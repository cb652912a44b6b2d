import type { TSchema } from '@sinclair/typebox';
import { t } from 'elysia';
import { answerOf, whole } from '../base/shapes.ts';
import type { Listed, Page } from '../record/page.ts';

/** `{ data }`: a single record (public-api.md, Response envelope). */
export const single = (shape: TSchema, description: string) =>
  t.Object({ data: shape }, { description, additionalProperties: false });

/** `{ data, pagination }`: a page of a list. */
export const pageOf = (shape: TSchema, description: string) =>
  t.Object(
    {
      data: t.Array(shape),
      pagination: answerOf('Pagination', {
        limit: whole('How many records a page holds.'),
        offset: whole('How many were skipped.'),
        total: whole('How many there are in all.'),
      }),
    },
    { description, additionalProperties: false },
  );

/** The answer to a delete. */
export const deletion = () =>
  t.Object(
    { data: answerOf('Deletion', { id: t.String(), deleted: t.Literal(true) }) },
    {
      description: 'It is archived out of the active lists, not erased.',
      additionalProperties: false,
    },
  );

/** A page in its envelope. */
export const answerPage = ({ rows, total }: Listed<unknown>, { limit, offset }: Page) => ({
  data: rows,
  pagination: { limit, offset, total },
});

/** The `Link` header of a page: where the next and the previous one are, as far as there are such. */
export const linksOf = (
  url: string,
  { limit, offset }: Page,
  total: number,
): string | undefined => {
  const at = (start: number) => {
    const { pathname, searchParams } = new URL(url);
    searchParams.set('limit', String(limit));
    searchParams.set('offset', String(start));
    return `<${pathname}?${searchParams}>`;
  };
  const links = [
    ...(offset + limit < total ? [`${at(offset + limit)}; rel="next"`] : []),
    ...(offset > 0 ? [`${at(Math.max(0, offset - limit))}; rel="prev"`] : []),
  ];
  return links.length > 0 ? links.join(', ') : undefined;
};
