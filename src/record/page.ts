import type { TSchema } from '@sinclair/typebox';
import { t } from 'elysia';
import { integerParameter } from '../base/shapes.ts';

export type Page = { limit: number; offset: number };

/**
 * A record that is too heavy to be in memory together with others. Calling it reads the record, as
 * it is then.
 */
export type Heavy<Row> = () => Promise<Row>;

/** Whether a record is still to be read. */
export const isHeavy = <Row>(row: Row | Heavy<Row>): row is Heavy<Row> => typeof row === 'function';

/** What a caller asked for with `include` (docs/contract.md, Additions). */
export type Include = ReadonlySet<string>;

export const includesNothing: Include = new Set();

/** One page of a list, and how many records of it the reader may see in all. */
export type Listed<Row> = { rows: Row[]; total: number };

/** How many records a page holds at most (docs/contract.md, List query parameters). */
export const largestPage = 100;

/** How many records a page holds; `usual` if the caller does not say. */
export const limitParameter = (usual: number) =>
  integerParameter(
    { minimum: 1, maximum: largestPage, default: usual },
    'The most records on a page.',
  );

/**
 * The query parameters of every list, with their bounds (docs/contract.md, List query parameters).
 */
export const pageParameters = {
  limit: limitParameter(20),
  offset: integerParameter(
    // The contract states no maximum. This one keeps the number exact.
    { minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 },
    'How many records to skip.',
  ),
};

/**
 * The query of a list. Parameters that it does not name are ignored (docs/contract.md, Requests).
 */
export const listQuery = t.Object(pageParameters, { additionalProperties: true });

/** The query of a list that is one of several, told apart by parameters of its own. */
export const listQueryWith = (parameters: Record<string, TSchema> = {}) =>
  t.Object({ ...pageParameters, ...parameters }, { additionalProperties: true });

/** Reads checked query parameters. A missing one gets its default. */
export const pageOf = (parameters: {
  limit?: string | number;
  offset?: string | number;
}): Page => ({
  limit: Number(parameters.limit ?? pageParameters.limit.default),
  offset: Number(parameters.offset ?? pageParameters.offset.default),
});
