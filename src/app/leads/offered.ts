import type { ListField } from '../../views/choices.ts';
import type { View } from '../../views/view.ts';
import type { Option } from '../form.tsx';

/** The choices of the list's filters and menus. */
export type Offered = {
  stages: Option[];
  areas: Option[];
  reasons: Option[];
  members: Option[];
  assignees: Option[];
  /** The field that says where leads come from, if the firm chose one with options. */
  source: ListField | undefined;
  /** The fields that can be filtered by: SELECT and DATE. */
  fields: ListField[];
  /** The parts of the address that name a removed field. */
  removed: string[];
};

/** What the parts above the list need to know. */
export type AboveList = {
  offered: Offered;
  views: View[];
  mayExport: boolean;
  memberId: string;
  isOwner: boolean;
};

/** Active filters that have no control in the bar, in words. */
export const wordsOf: Record<string, string> = {
  from: 'Created from',
  to: 'Created to',
  decidedFrom: 'Decided from',
  decidedTo: 'Decided to',
  waiting: 'Waiting at least (days)',
  reason: 'Not hired',
  reached: 'Reached',
  touched: 'First touch',
};
