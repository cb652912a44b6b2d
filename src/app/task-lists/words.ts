import type { Subject } from '../../about/subject.ts';
import { capitalised } from '../../base/wording.ts';
import { allPracticeAreas } from '../../practice-areas/list.ts';
import type { Reader } from '../../record/actor.ts';
import type { Proposed } from '../../task-lists/applied.ts';
import type { ListedAssignee } from '../../task-lists/table.ts';
import type { ListFields, ListLine } from '../../task-lists/task-list.ts';
import {
  noTriggerWords,
  ruleWords,
  sourceWords,
  spanOf,
  triggerLabel,
  triggerWords,
} from '../date-rules.ts';
import { roleNames } from '../matters/fields.tsx';

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
  const { trigger } = line;
  if (trigger === null) return 'No day';
  const counting = { ...line, trigger };
  return line.amount === 0 ? `On ${triggerWords(counting)}` : ruleWords(counting);
};

/**
 * How a task's day is reckoned, or why it has none: `Limitation date, Wed 16 Dec 2026 − 10 working days = Wed 2 Dec 2026`, `The
 * matter has no limitation date`. `day` writes a day.
 */
export const reckonedWords = (
  task: Proposed,
  about: Subject['about'],
  day: (day: string) => string,
): string => {
  const { trigger, amount, from, dueOn } = task;
  if (trigger === null) return 'No day';
  const counting = { ...task, trigger };
  if (from === null) return capitalised(noTriggerWords(counting, about));
  const begins = trigger === 'applied' ? 'Today' : `${triggerLabel(counting)}, ${day(from)}`;
  if (dueOn === null) return `${begins}: beyond the calendar`;
  const counts = `${begins} ${amount < 0 ? '−' : '+'} ${spanOf(task)} = ${day(dueOn)}`;
  return [amount === 0 ? begins : counts, sourceWords(task.source)].filter(Boolean).join(' · ');
};
