import { allPracticeAreas } from '../../practice-areas/list.ts';
import type { Reader } from '../../record/actor.ts';
import type { ListedAssignee, StartDay } from '../../task-lists/table.ts';
import type { ListFields, ListLine } from '../../task-lists/task-list.ts';
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

export const everyPlace = 'All practice areas';

/** What a list can be offered for first, by its id: a practice area, or one stage of it. */
export type Place = Pick<ListFields, 'practiceAreaId' | 'stageId'> & { id: string; name: string };

/** The firm's practice areas, each with its stages: `Family`, `Family: Filed`. */
export const placesOfLists = async (reader: Reader): Promise<Place[]> =>
  (await allPracticeAreas(reader)).flatMap(({ id, name, stages }) => [
    { id, name, practiceAreaId: id, stageId: null },
    ...stages.map((one) => ({
      ...{ id: one.id, name: `${name}: ${one.name}` },
      ...{ practiceAreaId: id, stageId: one.id },
    })),
  ]);

/** The id of the place that a list is offered for first; null for all. */
export const placeOf = ({ practiceAreaId, stageId }: ListFields) => stageId ?? practiceAreaId;

/** The name of that place. */
export const placeWords = (list: ListFields, places: readonly Place[]): string => {
  const place = placeOf(list);
  if (place === null) return everyPlace;
  const gone = list.stageId === null ? 'A removed practice area' : 'A removed stage';
  return places.find(({ id }) => id === place)?.name ?? gone;
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
