import type { CustomField } from '../../custom-fields/custom-field.ts';
import type { View } from '../../views/view.ts';
import type { Option } from '../form.tsx';

/** What the list's filters and menus offer to choose from. */
export type Offered = {
  stages: Option[];
  areas: Option[];
  reasons: Option[];
  members: Option[];
  assignees: Option[];
  /** The field that says where leads came from, where the firm chose one with labels. */
  source: CustomField | undefined;
  /** The fields that can be filtered by: SELECT and DATE. */
  fields: CustomField[];
};

/** What stands above the list is told. */
export type AboveList = {
  offered: Offered;
  views: View[];
  mayExport: boolean;
  memberId: string;
  isOwner: boolean;
};

/** The labels of a SELECT field, to choose from. */
export const labelsOf = ({ options }: CustomField) =>
  options.map((value) => ({ value, name: value }));

/** The filters that have no place in the bar, in words. */
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
