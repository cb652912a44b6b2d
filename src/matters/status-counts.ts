import type { MatterFilter } from './filter.ts';
import type { matterStatuses } from './table.ts';

export type MatterCounts = Record<(typeof matterStatuses)[number], number>;

export const noMatters: Readonly<MatterCounts> = { ACTIVE: 0, DRAFT: 0, ARCHIVE: 0 };

/** How many there are of the status that a filter asks for. */
export const totalOf = (countOf: MatterCounts, status: MatterFilter['status']): number => {
  const { ACTIVE, DRAFT, ARCHIVE } = countOf;
  if (status === 'CURRENT') return ACTIVE + DRAFT;
  return status === null ? ACTIVE + DRAFT + ARCHIVE : countOf[status];
};

/** Adds counts up by status; a status without matters has none. */
export const countsByStatus = (
  counts: readonly { status: keyof MatterCounts; count: number }[],
): MatterCounts => {
  const countOf = { ...noMatters };
  for (const { status, count } of counts) countOf[status] += count;
  return countOf;
};
