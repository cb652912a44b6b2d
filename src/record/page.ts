import type { TSchema } from '@sinclair/typebox';
import { t } from 'elysia';
import { integerParameter } from '../base/shapes.ts';

/** Which part of a list is asked for. */
export type Page = { limit: number; offset: number };

/**
 * A record that is too heavy to be held in memory beside others: reads it, when there is room for it.
 * What it gives is of the moment of that reading.
 */
export type Heavy<Row> = () => Promise<Row>;

/** Whether a record is yet to be read. */
export const isHeavy = <Row>(row: Row | Heavy<Row>): row is Heavy<Row> => typeof row === 'function';

/** One page of a list and how many records the reader may see in all of it. */
export type Listed<Row> = { rows: Row[]; total: number };

/** How many records a page holds at most (docs/contract.md, List query parameters). */
export const largestPage = 100;

/**
 * The query parameters of every list, with their bounds (docs/contract.md, List query parameters).
 */
export const pageParameters = {
  limit: integerParameter(
    { minimum: 1, maximum: largestPage, default: 20 },
    'How many records a page holds.',
  ),
  offset: integerParameter(
    // The contract states no maximum; this one only keeps the number exact.
    { minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 },
    'How many records to skip.',
  ),
};

/** The query of a list; parameters it does not name are ignored (docs/contract.md, Requests). */
export const listQuery = t.Object(pageParameters, { additionalProperties: true });

/** The query of a list that is one of several, told apart by parameters of its own. */
export const listQueryWith = (parameters: Record<string, TSchema> = {}) =>
  t.Object({ ...pageParameters, ...parameters }, { additionalProperties: true });

/** Reads checked query parameters; what is left out takes its default. */
export const pageOf = (parameters: {
  limit?: string | number;
  offset?: string | number;
}): Page => ({
  limit: Number(parameters.limit ?? pageParameters.limit.default),
  offset: Number(parameters.offset ?? pageParameters.offset.default),
});
