/** @jsxImportSource preact */
import type { StatusCounts } from '../../leads/status-counts.ts';
import { ListHead } from '../list-head.tsx';

const tabs = [
  ['ACTIVE', 'Active'],
  ['HIRED', 'Hired'],
  ['NOT_HIRED', 'Not hired'],
  ['ARCHIVE', 'Archived'],
  ['DRAFT', 'Drafts'],
] as const;

type LeadsHeadProps = {
  countOf: StatusCounts | null;
  /** The status shown; null if all are shown. */
  status: keyof StatusCounts | null;
  isBoard: boolean;
};

/** The head of the leads' pages: board or list, a new lead, and the leads by status. */
export const LeadsHead = (props: LeadsHeadProps) => (
  <ListHead path="/leads" title="Leads" making="New lead" tabs={tabs} {...props} />
);
