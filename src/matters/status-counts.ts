import { countsOver } from '../views/listing.ts';
import type { MatterFilter } from './filter.ts';
import { matterStatuses } from './table.ts';

export type MatterCounts = Record<(typeof matterStatuses)[number], number>;

export const countsByStatus = countsOver(matterStatuses);

/** How many there are of the status that a filter asks for. */
export const totalOf = (countOf: MatterCounts, status: MatterFilter['status']): number => {
  const { ACTIVE, DRAFT, ARCHIVE } = countOf;
  if (status === 'CURRENT') return ACTIVE + DRAFT;
  return status === null ? ACTIVE + DRAFT + ARCHIVE : countOf[status];
};
