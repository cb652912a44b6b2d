/** @jsxImportSource preact */
import type { MatterCounts } from '../../matters/status-counts.ts';
import { ListHead } from '../list-head.tsx';

const tabs = [
  ['ACTIVE', 'Active'],
  ['DRAFT', 'Drafts'],
  ['ARCHIVE', 'Archived'],
] as const;

type MattersHeadProps = {
  /** Null if they were not counted. */
  countOf: MatterCounts | null;
  /** The status shown; null if all are shown. */
  status: keyof MatterCounts | null;
  isBoard: boolean;
  areaId?: string;
};

/** The head of the matters' pages: board or list, a new matter, and the matters by status. */
export const MattersHead = ({ areaId, ...props }: MattersHeadProps) => (
  <ListHead
    path="/matters"
    title="Matters"
    making="New matter"
    tabs={tabs}
    also={areaId === undefined ? {} : { area: areaId }}
    {...props}
  />
);
