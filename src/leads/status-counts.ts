import type { leadStatuses } from './table.ts';

/** How many leads there are of each status. */
export type StatusCounts = Record<(typeof leadStatuses)[number], number>;

/** Adds counts up by status; a status without leads has none. */
export const countsByStatus = (
  counts: readonly { status: keyof StatusCounts; count: number }[],
): StatusCounts => {
  const countOf: StatusCounts = { ACTIVE: 0, DRAFT: 0, HIRED: 0, NOT_HIRED: 0, ARCHIVE: 0 };
  for (const { status, count } of counts) countOf[status] += count;
  return countOf;
};
