import type { ListedAssignee, StartDay } from '../../task-lists/table.ts';
import type { ListLine } from '../../task-lists/task-list.ts';
import { matterDayNames, spanOf } from '../date-rules.ts';
import { roleNames } from '../matters/words.ts';

export const startNames: Record<StartDay, string> = {
  applied: 'Day the list is added',
  ...matterDayNames,
};

export const assigneeNames: Record<ListedAssignee, string> = {
  APPLIER: 'Whoever adds the list',
  ...roleNames,
};

/** Whose task it becomes. */
export const assigneeWords = ({ assignee }: Pick<ListLine, 'assignee'>): string =>
  assignee === null ? 'Nobody' : assigneeNames[assignee];

/** When a list's task is due, as its list says it: `10 working days before the limitation date`. */
export const dueWords = (line: ListLine): string => {
  const { startDay, amount } = line;
  if (startDay === null) return 'No day';
  if (amount === 0) return startNames[startDay];
  return `${spanOf(line)} ${amount < 0 ? 'before' : 'after'} the ${startNames[startDay].toLowerCase()}`;
};

/** How a task's day is reckoned, with the day that it is counted from in words: `Limitation date, Wed 16 Dec 2026 − 10 working days`. */
export const reckonedWords = (
  line: ListLine & { from: string | null; dueOn: string | null },
  day: (day: string) => string,
): string => {
  const { startDay, amount, from, dueOn } = line;
  if (startDay === null) return 'No day';
  const start = startDay === 'applied' ? 'Today' : startNames[startDay];
  if (from === null) return `${start}: not set`;
  const begins = startDay === 'applied' ? start : `${start}, ${day(from)}`;
  if (dueOn === null) return `${begins}: beyond the calendar`;
  return amount === 0 ? begins : `${begins} ${amount < 0 ? '−' : '+'} ${spanOf(line)}`;
};
