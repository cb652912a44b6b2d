import type { leadStatuses, leadValues } from '../../leads/table.ts';
import type { Option } from '../form.tsx';

/** A lead's status as people call it. */
export const statusWords: Record<(typeof leadStatuses)[number], string> = {
  ACTIVE: 'Active',
  DRAFT: 'Draft',
  HIRED: 'Hired',
  NOT_HIRED: 'Not hired',
  ARCHIVE: 'Archived',
};

/** The tone of a status. */
export const statusTones: Record<(typeof leadStatuses)[number], string> = {
  ACTIVE: 'accent',
  DRAFT: '',
  HIRED: 'ok',
  NOT_HIRED: 'warn',
  ARCHIVE: '',
};

/** What a lead is thought to be worth, as people call it. */
export const valueWords: Record<(typeof leadValues)[number], string> = {
  LOWEST: 'Lowest',
  LOW: 'Low',
  MEDIUM: 'Medium',
  HIGH: 'High',
  HIGHEST: 'Highest',
};

/** The values to choose from, the highest first. */
export const valueOptions: Option[] = Object.entries(valueWords)
  .map(([value, name]) => ({ value, name }))
  .reverse();
